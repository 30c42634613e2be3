// Leaf values after several steps.
#pragma once

#include "leaves/leaf_rows.h"
#include "loss/rows.h"

namespace ocelot {

// Each leaf goes from 0 by
//   gradient / (hessian + regularization)     with newton, else
//   gradient / (weight + regularization)
// at most `steps` times, until a step is negligible. A step that makes the loss of the leaf worse
// is halved, and after ten halvings the leaf stays where it is. The losses are convex: if the
// gradient still points the same way after the step, the loss has not become worse.
struct LeafSteps {
  bool newton;
  double regularization;
  int steps;
};

void leaf_values(const Loss& loss, const LossRows& rows, const RowsByLeaf& leaves,
                 const LeafSteps& rule, const LeafResults& out, int n_threads);

}  // namespace ocelot
