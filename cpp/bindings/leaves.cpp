#include "leaves/class_sums.h"
#include "leaves/line_search.h"
#include "leaves/newton.h"
#include "leaves/quantiles.h"
#include "leaves/segments.h"
#include "leaves/step.h"
#include "loss_arguments.h"

namespace ocelot::bindings {
namespace {

LeafNumbers leaf_numbers(const In<std::uint32_t, 1>& leaves, std::size_t n_leaves,
                         std::size_t n_rows) {
  require(leaves.shape(0) == n_rows, "leaves: one per row is needed");
  require_contents_below(leaves, n_leaves, "leaves: no such leaf");
  return {span_of(leaves), n_leaves};
}

RowsByLeaf rows_by_leaf(const In<std::uint32_t, 1>& rows, const In<std::uint32_t, 1>& leaf_offsets,
                        std::size_t n_rows) {
  const std::size_t n_leaves = count_of_parts(leaf_offsets, "leaf_offsets: one more than leaves");
  require_ascending(leaf_offsets, n_leaves, rows.shape(0),
                    "leaf_offsets: ascending, not beyond the rows");
  require_contents_below(rows, n_rows, "rows: no such row");
  return {rows.data(), span_of(leaf_offsets)};
}

LeafResults leaf_results(const Array<double, 1>& values, const Array<double, 1>& weights,
                         std::size_t n_leaves) {
  require(values.shape(0) == n_leaves, "out_values: one per leaf is needed");
  require(weights.shape(0) == n_leaves, "out_weights: one per leaf is needed");
  return {values.data(), weights.data()};
}

SegmentedRows segmented_rows(const In<float, 1>& targets, const OptionalWeights& weights,
                             const In<std::uint32_t, 1>& rows, const In<std::uint32_t, 1>& edges) {
  const std::size_t n_rows = targets.shape(0);
  const std::size_t n_segments = count_of_parts(edges, "edges: one more than segments");
  require(rows.shape(0) == n_rows, "rows: one per row is needed");
  require_below(rows, n_rows, "rows: no such row");
  require(edges.data()[n_segments] == n_rows, "edges: the last is the number of rows");
  require_ascending(edges, n_segments, n_rows, "edges: ascending");
  return {span_of(targets), weights_of(weights, n_rows), rows.data(), span_of(edges)};
}

void loss_leaf_sums_of(int kind, double parameter, const In<float, 1>& targets,
                       const OptionalWeights& weights, const In<double, 1>& raw,
                       const In<std::uint32_t, 1>& leaves,
                       const std::optional<In<double, 1>>& steps, const Array<double, 2>& out,
                       Threads n_threads) {
  const LossRows rows = loss_rows(targets, weights, span_of(raw));
  const LeafNumbers numbers = leaf_numbers(leaves, out.shape(0), rows.size());
  require(!steps || steps->shape(0) == numbers.n_leaves, "steps: one per leaf is needed");
  require(out.shape(1) == 3, "out: three sums per leaf are needed");
  loss_leaf_sums(loss_of(kind, parameter), rows, numbers, steps ? steps->data() : nullptr,
                 {out.data(), out.size()}, n_threads);
}

void leaf_values_of(int kind, double parameter, const In<float, 1>& targets,
                    const OptionalWeights& weights, const In<double, 1>& raw,
                    const In<std::uint32_t, 1>& rows, const In<std::uint32_t, 1>& leaf_offsets,
                    bool newton, double regularization, int steps,
                    const Array<double, 1>& out_values, const Array<double, 1>& out_weights,
                    Threads n_threads) {
  const LossRows all = loss_rows(targets, weights, span_of(raw));
  const RowsByLeaf leaves = rows_by_leaf(rows, leaf_offsets, all.size());
  const LeafResults out = leaf_results(out_values, out_weights, leaves.n_leaves());
  leaf_values(loss_of(kind, parameter), all, leaves, {newton, regularization, steps}, out,
              n_threads);
}

void leaf_quantiles_of(double alpha, const In<float, 1>& targets, const OptionalWeights& weights,
                       const In<double, 1>& raw, const In<std::uint32_t, 1>& rows,
                       const In<std::uint32_t, 1>& leaf_offsets, const Array<double, 1>& out_values,
                       const Array<double, 1>& out_weights, Threads n_threads) {
  const LossRows all = loss_rows(targets, weights, span_of(raw));
  const RowsByLeaf leaves = rows_by_leaf(rows, leaf_offsets, all.size());
  const LeafResults out = leaf_results(out_values, out_weights, leaves.n_leaves());
  leaf_quantiles(alpha, all, leaves, out, n_threads);
}

void require_raw(const SegmentedRows& rows, std::size_t n_raw) {
  std::size_t n_stored = 0;
  for (const std::uint32_t edge : rows.edges.subspan(1)) n_stored += edge;
  require(n_raw == n_stored, "raw: one for each row of each segment");
}

void segment_sums_of(int kind, double parameter, const In<float, 1>& targets,
                     const OptionalWeights& weights, const In<std::uint32_t, 1>& rows,
                     const In<std::uint32_t, 1>& edges, const In<std::uint32_t, 1>& leaves,
                     const In<double, 1>& raw, const Array<double, 3>& out, Threads n_threads) {
  const SegmentedRows segmented = segmented_rows(targets, weights, rows, edges);
  const LeafNumbers numbers = leaf_numbers(leaves, out.shape(1), segmented.size());
  require_raw(segmented, raw.shape(0));
  require(out.shape(0) == segmented.n_segments() && out.shape(2) == 3,
          "out: three sums per segment and leaf are needed");
  segment_sums(loss_of(kind, parameter), segmented, numbers, raw.data(), {out.data(), out.size()},
               n_threads);
}

double move_segments_of(int kind, double parameter, const In<float, 1>& targets,
                        const OptionalWeights& weights, const In<std::uint32_t, 1>& rows,
                        const In<std::uint32_t, 1>& edges, const In<std::uint32_t, 1>& leaves,
                        const In<double, 2>& values, const Array<double, 1>& inout_raw,
                        const Array<float, 1>& out_gradients, Threads n_threads) {
  const SegmentedRows segmented = segmented_rows(targets, weights, rows, edges);
  const LeafNumbers numbers = leaf_numbers(leaves, values.shape(1), segmented.size());
  require_raw(segmented, inout_raw.shape(0));
  require(values.shape(0) == segmented.n_segments(), "values: those of each segment are needed");
  require(out_gradients.shape(0) == segmented.size(), "out_gradients: one per row is needed");
  return move_segments(loss_of(kind, parameter), segmented, numbers, values.data(),
                       inout_raw.data(), out_gradients.data(), n_threads);
}

void softmax_leaf_sums_of(const In<float, 1>& targets, const OptionalWeights& weights,
                          const In<double, 2>& raw, const std::optional<In<float, 2>>& gradients,
                          const In<std::uint32_t, 1>& leaves, const In<double, 2>& leaf_steps,
                          const Array<double, 2>& out, Threads n_threads) {
  const ClassRows rows = class_rows(targets, weights, raw);
  const LeafNumbers numbers = leaf_numbers(leaves, leaf_steps.shape(0), rows.size());
  const std::size_t n_outputs = rows.n_outputs();
  require(leaf_steps.shape(1) == n_outputs, "leaf_steps: one per output is needed");
  require(out.shape(0) == numbers.n_leaves && out.shape(1) == n_outputs + n_outputs * n_outputs + 2,
          "out: gradients, hessians, loss and weight of each leaf are needed");
  if (!gradients) {
    softmax_leaf_sums(rows, numbers, leaf_steps.data(), out.data(), n_threads);
    return;
  }
  require(gradients->shape(0) == n_outputs && gradients->shape(1) == rows.size(),
          "gradients: the shape of raw is needed");
  softmax_leaf_sums_known(rows, matrix_of(*gradients), numbers, out.data(), n_threads);
}

void class_leaf_sums_of(const In<float, 1>& targets, const OptionalWeights& weights,
                        const In<float, 2>& gradients, const In<std::uint32_t, 1>& leaves,
                        const Array<double, 3>& out, Threads n_threads) {
  const std::size_t n_rows = targets.shape(0), n_outputs = gradients.shape(0);
  require(gradients.shape(1) == n_rows, "gradients: one per row is needed");
  require(out.shape(0) == 3 && out.shape(2) == n_outputs,
          "out: three sums per leaf and output are needed");
  require_contents_classes(targets, n_outputs, "targets: no such class");
  class_leaf_sums(span_of(targets), weights_of(weights, n_rows), matrix_of(gradients),
                  leaf_numbers(leaves, out.shape(1), n_rows), out.data(), n_threads);
}

void newton_steps_of(const In<double, 2>& gradients, const In<double, 3>& hessians,
                     double regularization, const Array<double, 2>& out_steps, Threads n_threads) {
  const std::size_t n_leaves = gradients.shape(0), n_outputs = gradients.shape(1);
  require(hessians.shape(0) == n_leaves && hessians.shape(1) == n_outputs &&
              hessians.shape(2) == n_outputs,
          "hessians: a matrix of the outputs per leaf is needed");
  require(out_steps.shape(0) == n_leaves && out_steps.shape(1) == n_outputs,
          "out_steps: the shape of gradients is needed");
  newton_steps(matrix_of(gradients), hessians.data(), regularization, out_steps.data(), n_threads);
}

void class_steps_of(const In<double, 3>& sums, const In<double, 1>& weights, double regularization,
                    const Array<double, 2>& out_steps, Threads n_threads) {
  const std::size_t n_leaves = sums.shape(1), n_outputs = sums.shape(2);
  require(sums.shape(0) == 3, "sums: three per leaf and output are needed");
  require(weights.shape(0) == n_leaves, "weights: one per leaf is needed");
  require(out_steps.shape(0) == n_leaves && out_steps.shape(1) == n_outputs,
          "out_steps: one per leaf and output is needed");
  const auto part = [&](std::size_t i) -> Matrix<const double> {
    return {sums.data() + i * n_leaves * n_outputs, n_leaves, n_outputs};
  };
  class_steps({part(0), part(1), part(2), weights.data()}, regularization, matrix_of(out_steps),
              n_threads);
}

void add_leaf_values_of(const In<std::uint32_t, 1>& leaves, const In<double, 2>& leaf_values,
                        const Array<double, 2>& inout_raw, Threads n_threads) {
  require(leaf_values.shape(1) == inout_raw.shape(0), "leaf_values: one per output is needed");
  add_leaf_values(leaf_numbers(leaves, leaf_values.shape(0), inout_raw.shape(1)),
                  leaf_values.data(), matrix_of(inout_raw), n_threads);
}

}  // namespace

void bind_leaves(nb::module_& module) {
  using nb::arg;
  module.def("loss_leaf_sums", &loss_leaf_sums_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("leaves").noconvert(), arg("steps").noconvert().none(), arg("out").noconvert(),
             nb::kw_only(), arg("n_threads"), Released());
  module.def("leaf_values", &leaf_values_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("rows").noconvert(), arg("leaf_offsets").noconvert(), arg("newton"),
             arg("regularization"), arg("steps"), arg("out_values").noconvert(),
             arg("out_weights").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("segment_sums", &segment_sums_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(), arg("rows").noconvert(),
             arg("edges").noconvert(), arg("leaves").noconvert(), arg("raw").noconvert(),
             arg("out").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("move_segments", &move_segments_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(), arg("rows").noconvert(),
             arg("edges").noconvert(), arg("leaves").noconvert(), arg("values").noconvert(),
             arg("inout_raw").noconvert(), arg("out_gradients").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("softmax_leaf_sums", &softmax_leaf_sums_of, arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("gradients").noconvert().none(), arg("leaves").noconvert(),
             arg("leaf_steps").noconvert(), arg("out").noconvert(), nb::kw_only(), arg("n_threads"),
             Released());
  module.def("newton_steps", &newton_steps_of, arg("gradients").noconvert(),
             arg("hessians").noconvert(), arg("regularization"), arg("out_steps").noconvert(),
             nb::kw_only(), arg("n_threads"), Released());
  module.def("class_leaf_sums", &class_leaf_sums_of, arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("gradients").noconvert(),
             arg("leaves").noconvert(), arg("out").noconvert(), nb::kw_only(), arg("n_threads"),
             Released());
  module.def("class_steps", &class_steps_of, arg("sums").noconvert(), arg("weights").noconvert(),
             arg("regularization"), arg("out_steps").noconvert(), nb::kw_only(), arg("n_threads"),
             Released());
  module.def("leaf_quantiles", &leaf_quantiles_of, arg("alpha"), arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("raw").noconvert(), arg("rows").noconvert(),
             arg("leaf_offsets").noconvert(), arg("out_values").noconvert(),
             arg("out_weights").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("add_leaf_values", &add_leaf_values_of, arg("leaves").noconvert(),
             arg("leaf_values").noconvert(), arg("inout_raw").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
}

}  // namespace ocelot::bindings
