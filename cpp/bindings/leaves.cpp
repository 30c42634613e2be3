#include "arrays.h"
#include "leaves/newton.h"
#include "leaves/segments.h"
#include "loss/derivatives.h"

namespace ocelot::bindings {
namespace {

LossKind loss_kind(int kind) {
  require(kind >= 0 && kind <= int(LossKind::gamma), "kind: unknown loss");
  return LossKind(kind);
}

double loss_gradients_of(int kind, double parameter, const In<float, 1>& targets,
                         const OptionalWeights& weights, const In<double, 1>& raw,
                         const Array<float, 1>& out_gradients, Threads n_threads) {
  const std::size_t n_rows = targets.shape(0);
  require(raw.shape(0) == n_rows && out_gradients.shape(0) == n_rows,
          "raw, out_gradients: one a row is needed");
  return loss_gradients(loss_kind(kind), parameter, targets.data(), data_or_null(weights, n_rows),
                        raw.data(), n_rows, out_gradients.data(), n_threads);
}

void step_leaves_of(int kind, double parameter, const In<float, 1>& targets,
                    const OptionalWeights& weights, const In<std::uint32_t, 1>& leaves, bool newton,
                    double regularization, double min_weight, double rate,
                    const Array<double, 1>& inout_raw, const Array<double, 1>& out_values,
                    const Array<double, 1>& out_weights, Threads n_threads) {
  const std::size_t n_rows = targets.shape(0), n_leaves = out_values.shape(0);
  require(leaves.shape(0) == n_rows && inout_raw.shape(0) == n_rows,
          "leaves, inout_raw: one a row is needed");
  require_contents_below(leaves, n_leaves, "leaves: no such leaf");
  require(out_weights.shape(0) == n_leaves, "out_weights: one a leaf is needed");
  step_leaves(loss_kind(kind), parameter, targets.data(), data_or_null(weights, n_rows),
              leaves.data(), n_rows, n_leaves, {newton, regularization, min_weight, rate},
              inout_raw.data(), out_values.data(), out_weights.data(), n_threads);
}

void leaf_values_of(int kind, double parameter, const In<float, 1>& targets,
                    const OptionalWeights& weights, const In<double, 1>& raw,
                    const In<std::uint32_t, 1>& rows, const In<std::uint32_t, 1>& leaf_offsets,
                    bool newton, double regularization, int steps,
                    const Array<double, 1>& out_values, const Array<double, 1>& out_weights,
                    Threads n_threads) {
  const std::size_t n_rows = targets.shape(0), n_leaves = out_values.shape(0);
  require(raw.shape(0) == n_rows && rows.shape(0) == n_rows, "raw, rows: one a row is needed");
  require(leaf_offsets.shape(0) == n_leaves + 1, "leaf_offsets: one more than leaves");
  require(out_weights.shape(0) == n_leaves, "out_weights: one a leaf is needed");
  require_ascending(leaf_offsets, n_leaves, n_rows, "leaf_offsets: ascending, not beyond the rows");
  require_contents_below(rows, n_rows, "rows: no such row");
  leaf_values(loss_kind(kind), parameter, targets.data(), data_or_null(weights, n_rows), raw.data(),
              rows.data(), leaf_offsets.data(), n_leaves, {newton, regularization, steps},
              out_values.data(), out_weights.data(), n_threads);
}

double softmax_gradients_of(const In<float, 1>& targets, const OptionalWeights& weights,
                            const In<double, 2>& raw, const Array<float, 2>& out_gradients,
                            Threads n_threads) {
  const std::size_t n_rows = targets.shape(0), n_outputs = raw.shape(0);
  require(raw.shape(1) == n_rows, "raw: one a row is needed");
  require(out_gradients.shape(0) == n_outputs && out_gradients.shape(1) == n_rows,
          "out_gradients: the shape of raw is needed");
  require_contents_classes(targets, n_outputs, "targets: no such class");
  return softmax_gradients(targets.data(), data_or_null(weights, n_rows), raw.data(), n_outputs,
                           n_rows, out_gradients.data(), n_threads);
}

void softmax_leaf_sums_of(const In<float, 1>& targets, const OptionalWeights& weights,
                          const In<double, 2>& raw, const std::optional<In<float, 2>>& gradients,
                          const In<std::uint32_t, 1>& leaves, const In<double, 2>& leaf_steps,
                          const Array<double, 2>& out, Threads n_threads) {
  const std::size_t n_rows = targets.shape(0), n_outputs = raw.shape(0);
  const std::size_t n_leaves = leaf_steps.shape(0);
  require(raw.shape(1) == n_rows && leaves.shape(0) == n_rows, "raw, leaves: one a row is needed");
  require(leaf_steps.shape(1) == n_outputs, "leaf_steps: one an output is needed");
  require_contents_classes(targets, n_outputs, "targets: no such class");
  require_contents_below(leaves, n_leaves, "leaves: no such leaf");
  require(!gradients || (gradients->shape(0) == n_outputs && gradients->shape(1) == n_rows),
          "gradients: the shape of raw is needed");
  require(out.shape(0) == n_leaves && out.shape(1) == n_outputs + n_outputs * n_outputs + 2,
          "out: gradients, hessians, loss and weight a leaf are needed");
  softmax_leaf_sums(targets.data(), data_or_null(weights, n_rows), raw.data(),
                    gradients ? gradients->data() : nullptr, n_outputs, n_rows, leaves.data(),
                    n_leaves, leaf_steps.data(), out.data(), n_threads);
}

void newton_steps_of(const In<double, 2>& gradients, const In<double, 3>& hessians,
                     double regularization, const Array<double, 2>& out_steps, Threads n_threads) {
  const std::size_t n_leaves = gradients.shape(0), n_outputs = gradients.shape(1);
  require(hessians.shape(0) == n_leaves && hessians.shape(1) == n_outputs &&
              hessians.shape(2) == n_outputs,
          "hessians: a matrix of the outputs per leaf is needed");
  require(out_steps.shape(0) == n_leaves && out_steps.shape(1) == n_outputs,
          "out_steps: the shape of gradients is needed");
  newton_steps(gradients.data(), hessians.data(), n_leaves, n_outputs, regularization,
               out_steps.data(), n_threads);
}

void class_leaf_sums_of(const In<float, 1>& targets, const OptionalWeights& weights,
                        const In<float, 2>& gradients, const In<std::uint32_t, 1>& leaves,
                        const Array<double, 3>& out, Threads n_threads) {
  const std::size_t n_rows = targets.shape(0), n_outputs = gradients.shape(0);
  require(gradients.shape(1) == n_rows && leaves.shape(0) == n_rows,
          "gradients, leaves: one per row is needed");
  require(out.shape(0) == 3 && out.shape(2) == n_outputs,
          "out: three sums per leaf and output are needed");
  require_contents_classes(targets, n_outputs, "targets: no such class");
  require_contents_below(leaves, out.shape(1), "leaves: no such leaf");
  class_leaf_sums(targets.data(), data_or_null(weights, n_rows), gradients.data(), n_outputs,
                  n_rows, leaves.data(), out.shape(1), out.data(), n_threads);
}

void class_steps_of(const In<double, 3>& sums, const In<double, 1>& weights, double regularization,
                    const Array<double, 2>& out_steps, Threads n_threads) {
  const std::size_t n_leaves = sums.shape(1), n_outputs = sums.shape(2);
  require(sums.shape(0) == 3, "sums: three per leaf and output are needed");
  require(weights.shape(0) == n_leaves, "weights: one per leaf is needed");
  require(out_steps.shape(0) == n_leaves && out_steps.shape(1) == n_outputs,
          "out_steps: one per leaf and output is needed");
  class_steps(sums.data(), weights.data(), n_leaves, n_outputs, regularization, out_steps.data(),
              n_threads);
}

void leaf_quantiles_of(double alpha, const In<float, 1>& targets, const OptionalWeights& weights,
                       const In<double, 1>& raw, const In<std::uint32_t, 1>& rows,
                       const In<std::uint32_t, 1>& leaf_offsets, const Array<double, 1>& out_values,
                       const Array<double, 1>& out_weights, Threads n_threads) {
  const std::size_t n_rows = targets.shape(0);
  const std::size_t n_leaves = count_of_parts(leaf_offsets, "leaf_offsets: one more than leaves");
  require_ascending(leaf_offsets, n_leaves, rows.shape(0),
                    "leaf_offsets: ascending, not beyond the rows");
  require_contents_below(rows, n_rows, "rows: no such row");
  require(raw.shape(0) == n_rows, "raw: one a row is needed");
  require(out_values.shape(0) == n_leaves && out_weights.shape(0) == n_leaves,
          "out_values, out_weights: one a leaf is needed");
  leaf_quantiles(alpha, targets.data(), data_or_null(weights, n_rows), raw.data(), rows.data(),
                 leaf_offsets.data(), n_leaves, out_values.data(), out_weights.data(), n_threads);
}

double step_segments_of(int kind, double parameter, const In<float, 1>& targets,
                        const OptionalWeights& weights, const In<std::uint32_t, 1>& rows,
                        const In<std::uint32_t, 1>& edges, const In<std::uint32_t, 1>& leaves,
                        std::size_t n_leaves, bool newton, double regularization, double min_weight,
                        double rate, const Array<double, 1>& inout_raw,
                        const Array<float, 1>& out_gradients, Threads n_threads) {
  const std::size_t n_rows = targets.shape(0);
  const std::size_t n_segments = count_of_parts(edges, "edges: one more than segments");
  require(rows.shape(0) == n_rows && leaves.shape(0) == n_rows && out_gradients.shape(0) == n_rows,
          "rows, leaves, out_gradients: one a row is needed");
  require(edges.data()[n_segments] == n_rows, "edges: the last is the number of rows");
  std::size_t n_stored = 0;
  for (std::size_t j = 0; j < n_segments; ++j) {
    require(edges.data()[j] <= edges.data()[j + 1], "edges: ascending");
    n_stored += edges.data()[j + 1];
  }
  require(inout_raw.shape(0) == n_stored, "inout_raw: one for each row of each segment");
  require_below(rows, n_rows, "rows: no such row");
  require_contents_below(leaves, n_leaves, "leaves: no such leaf");
  const SegmentedRows segmented{
      targets.data(), data_or_null(weights, n_rows), rows.data(), n_rows, edges.data(), n_segments};
  return step_segments(loss_kind(kind), parameter, segmented, leaves.data(), n_leaves,
                       {newton, regularization, min_weight, rate}, inout_raw.data(),
                       out_gradients.data(), n_threads);
}

void add_leaf_values_of(const In<std::uint32_t, 1>& leaves, const In<double, 2>& leaf_values,
                        const Array<double, 2>& inout_raw, Threads n_threads) {
  require(leaves.shape(0) == inout_raw.shape(1), "leaves: one a row is needed");
  require(leaf_values.shape(1) == inout_raw.shape(0), "leaf_values: one an output is needed");
  require_contents_below(leaves, leaf_values.shape(0), "leaves: no such leaf");
  add_leaf_values(leaves.data(), leaf_values.data(), inout_raw.shape(0), inout_raw.shape(1),
                  inout_raw.data(), n_threads);
}

}  // namespace

void bind_leaves(nb::module_& module) {
  using nb::arg;
  module.def("loss_gradients", &loss_gradients_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("out_gradients").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("step_leaves", &step_leaves_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(),
             arg("leaves").noconvert(), arg("newton"), arg("regularization"), arg("min_weight"),
             arg("rate"), arg("inout_raw").noconvert(), arg("out_values").noconvert(),
             arg("out_weights").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("leaf_values", &leaf_values_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("rows").noconvert(), arg("leaf_offsets").noconvert(), arg("newton"),
             arg("regularization"), arg("steps"), arg("out_values").noconvert(),
             arg("out_weights").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("step_segments", &step_segments_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(), arg("rows").noconvert(),
             arg("edges").noconvert(), arg("leaves").noconvert(), arg("n_leaves"), arg("newton"),
             arg("regularization"), arg("min_weight"), arg("rate"), arg("inout_raw").noconvert(),
             arg("out_gradients").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("softmax_gradients", &softmax_gradients_of, arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("out_gradients").noconvert(), nb::kw_only(), arg("n_threads"), Released());
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
