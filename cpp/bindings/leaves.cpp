#include "arrays.h"
#include "derivatives.h"

namespace ocelot::bindings {
namespace {

LossKind loss_kind(int kind) {
  require(kind >= 0 && kind <= int(LossKind::gamma), "kind: unknown loss");
  return LossKind(kind);
}

std::size_t leaves_of(const In<std::uint32_t, 1>& rows, const In<std::uint32_t, 1>& leaf_offsets) {
  const std::size_t n_leaves = leaf_offsets.shape(0) - 1;
  require(leaf_offsets.data()[n_leaves] <= rows.shape(0), "leaf_offsets: beyond the rows");
  return n_leaves;
}

double loss_gradients_of(int kind, double parameter, const In<float, 1>& targets,
                         const OptionalWeights& weights, const In<double, 1>& raw,
                         const Array<float, 1>& out_gradients, int n_threads) {
  const std::size_t n_rows = targets.shape(0);
  require(raw.shape(0) == n_rows && out_gradients.shape(0) == n_rows,
          "raw, out_gradients: one a row is needed");
  return loss_gradients(loss_kind(kind), parameter, targets.data(), data_or_null(weights, n_rows),
                        raw.data(), n_rows, out_gradients.data(), n_threads);
}

void leaf_sums_of(int kind, double parameter, const In<float, 1>& targets,
                  const OptionalWeights& weights, const In<double, 1>& raw,
                  const In<std::uint32_t, 1>& rows, const In<std::uint32_t, 1>& leaf_offsets,
                  const In<double, 1>& leaf_steps, const Array<double, 1>& out_gradients,
                  const Array<double, 1>& out_hessians,
                  const std::optional<Array<double, 1>>& out_losses, int n_threads) {
  const std::size_t n_rows = targets.shape(0), n_leaves = leaves_of(rows, leaf_offsets);
  require(raw.shape(0) == n_rows, "raw: one a row is needed");
  require(leaf_steps.shape(0) == n_leaves && out_gradients.shape(0) == n_leaves &&
              out_hessians.shape(0) == n_leaves &&
              (!out_losses || out_losses->shape(0) == n_leaves),
          "leaf_steps, out_*: one a leaf is needed");
  leaf_sums(loss_kind(kind), parameter, targets.data(), data_or_null(weights, n_rows), raw.data(),
            rows.data(), leaf_offsets.data(), n_leaves, leaf_steps.data(),
            {out_gradients.data(), out_hessians.data(), out_losses ? out_losses->data() : nullptr},
            n_threads);
}

double softmax_gradients_of(const In<float, 1>& targets, const OptionalWeights& weights,
                            const In<double, 2>& raw, const Array<float, 2>& out_gradients,
                            int n_threads) {
  const std::size_t n_rows = targets.shape(0), n_outputs = raw.shape(0);
  require(raw.shape(1) == n_rows, "raw: one a row is needed");
  require(out_gradients.shape(0) == n_outputs && out_gradients.shape(1) == n_rows,
          "out_gradients: the shape of raw is needed");
  return softmax_gradients(targets.data(), data_or_null(weights, n_rows), raw.data(), n_outputs,
                           n_rows, out_gradients.data(), n_threads);
}

void softmax_leaf_sums_of(const In<float, 1>& targets, const OptionalWeights& weights,
                          const In<double, 2>& raw, const In<std::uint32_t, 1>& rows,
                          const In<std::uint32_t, 1>& leaf_offsets,
                          const In<double, 2>& leaf_steps, const Array<double, 2>& out_gradients,
                          const Array<double, 3>& out_hessians, const Array<double, 1>& out_losses,
                          int n_threads) {
  const std::size_t n_rows = targets.shape(0), n_outputs = raw.shape(0);
  const std::size_t n_leaves = leaves_of(rows, leaf_offsets);
  require(raw.shape(1) == n_rows, "raw: one a row is needed");
  require(leaf_steps.shape(0) == n_leaves && leaf_steps.shape(1) == n_outputs &&
              out_gradients.shape(0) == n_leaves && out_gradients.shape(1) == n_outputs &&
              out_hessians.shape(0) == n_leaves && out_hessians.shape(1) == n_outputs &&
              out_hessians.shape(2) == n_outputs && out_losses.shape(0) == n_leaves,
          "leaf_steps, out_*: one a leaf and output is needed");
  softmax_leaf_sums(targets.data(), data_or_null(weights, n_rows), raw.data(), n_outputs, n_rows,
                    rows.data(), leaf_offsets.data(), n_leaves, leaf_steps.data(),
                    {out_gradients.data(), out_hessians.data(), out_losses.data()}, n_threads);
}

void leaf_quantiles_of(double alpha, const In<float, 1>& targets, const OptionalWeights& weights,
                       const In<double, 1>& raw, const In<std::uint32_t, 1>& rows,
                       const In<std::uint32_t, 1>& leaf_offsets, const Array<double, 1>& out,
                       int n_threads) {
  const std::size_t n_rows = targets.shape(0), n_leaves = leaves_of(rows, leaf_offsets);
  require(raw.shape(0) == n_rows, "raw: one a row is needed");
  require(out.shape(0) == n_leaves, "out: one a leaf is needed");
  leaf_quantiles(alpha, targets.data(), data_or_null(weights, n_rows), raw.data(), rows.data(),
                 leaf_offsets.data(), n_leaves, out.data(), n_threads);
}

void leaf_weights_of(const OptionalWeights& weights, const In<std::uint32_t, 1>& rows,
                     const In<std::uint32_t, 1>& leaf_offsets, const Array<double, 1>& out,
                     int n_threads) {
  const std::size_t n_leaves = leaves_of(rows, leaf_offsets);
  require(out.shape(0) == n_leaves, "out: one a leaf is needed");
  leaf_weights(weights ? weights->data() : nullptr, rows.data(), leaf_offsets.data(), n_leaves,
               out.data(), n_threads);
}

void add_leaf_values_of(const In<std::uint32_t, 1>& rows, const In<std::uint32_t, 1>& leaf_offsets,
                        const In<double, 2>& leaf_values, const Array<double, 2>& inout_raw,
                        int n_threads) {
  const std::size_t n_leaves = leaves_of(rows, leaf_offsets);
  require(leaf_values.shape(0) == n_leaves && leaf_values.shape(1) == inout_raw.shape(0),
          "leaf_values: one a leaf and output is needed");
  add_leaf_values(rows.data(), leaf_offsets.data(), n_leaves, leaf_values.data(),
                  inout_raw.shape(0), inout_raw.shape(1), inout_raw.data(), n_threads);
}

}  // namespace

void bind_leaves(nb::module_& module) {
  using nb::arg;
  module.def("loss_gradients", &loss_gradients_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(),
             arg("raw").noconvert(), arg("out_gradients").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("leaf_sums", &leaf_sums_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(),
             arg("raw").noconvert(), arg("rows").noconvert(), arg("leaf_offsets").noconvert(),
             arg("leaf_steps").noconvert(), arg("out_gradients").noconvert(),
             arg("out_hessians").noconvert(), arg("out_losses").noconvert().none(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("softmax_gradients", &softmax_gradients_of, arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("out_gradients").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("softmax_leaf_sums", &softmax_leaf_sums_of, arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("raw").noconvert(), arg("rows").noconvert(),
             arg("leaf_offsets").noconvert(), arg("leaf_steps").noconvert(),
             arg("out_gradients").noconvert(), arg("out_hessians").noconvert(),
             arg("out_losses").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("leaf_quantiles", &leaf_quantiles_of, arg("alpha"), arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("raw").noconvert(), arg("rows").noconvert(),
             arg("leaf_offsets").noconvert(), arg("out").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("leaf_weights", &leaf_weights_of, arg("weights").noconvert().none(),
             arg("rows").noconvert(), arg("leaf_offsets").noconvert(), arg("out").noconvert(),
             nb::kw_only(), arg("n_threads"), Released());
  module.def("add_leaf_values", &add_leaf_values_of, arg("rows").noconvert(),
             arg("leaf_offsets").noconvert(), arg("leaf_values").noconvert(),
             arg("inout_raw").noconvert(), nb::kw_only(), arg("n_threads"), Released());
}

}  // namespace ocelot::bindings
