#include "loss/derivatives.h"
#include "loss/links.h"
#include "loss/softmax.h"
#include "loss_arguments.h"

namespace ocelot::bindings {
namespace {

double loss_gradients_of(int kind, double parameter, const In<float, 1>& targets,
                         const OptionalWeights& weights, const In<double, 1>& raw,
                         const Array<float, 1>& out_gradients, Threads n_threads) {
  const LossRows rows = loss_rows(targets, weights, span_of(raw));
  require(out_gradients.shape(0) == rows.size(), "out_gradients: one per row is needed");
  return loss_gradients(loss_of(kind, parameter), rows, out_gradients.data(), n_threads);
}

double softmax_gradients_of(const In<float, 1>& targets, const OptionalWeights& weights,
                            const In<double, 2>& raw, const Array<float, 2>& out_gradients,
                            Threads n_threads) {
  const ClassRows rows = class_rows(targets, weights, raw);
  require(out_gradients.shape(0) == rows.n_outputs() && out_gradients.shape(1) == rows.size(),
          "out_gradients: the shape of raw is needed");
  return softmax_gradients(rows, matrix_of(out_gradients), n_threads);
}

using Elementwise = void (*)(std::span<const double>, double*, int);

template <Elementwise function>
void elementwise_of(const In<double, 1>& values, const Array<double, 1>& out, Threads n_threads) {
  require(out.shape(0) == values.shape(0), "out: the shape of values is needed");
  function(span_of(values), out.data(), n_threads);
}

void softmax_of(const In<double, 2>& raw, const Array<double, 2>& out,
                const Array<double, 1>& out_log_sums, Threads n_threads) {
  const std::size_t n_outputs = raw.shape(0), n_rows = raw.shape(1);
  require(n_outputs > 0, "raw: at least one output is needed");
  require(out.shape(0) == n_outputs && out.shape(1) == n_rows, "out: the shape of raw is needed");
  require(out_log_sums.shape(0) == n_rows, "out_log_sums: one per row is needed");
  softmax(matrix_of(raw), matrix_of(out), span_of(out_log_sums), n_threads);
}

}  // namespace

void bind_loss(nb::module_& module) {
  using nb::arg;
  module.def("loss_gradients", &loss_gradients_of, arg("kind"), arg("parameter"),
             arg("targets").noconvert(), arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("out_gradients").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("softmax_gradients", &softmax_gradients_of, arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("raw").noconvert(),
             arg("out_gradients").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("exponentials", &elementwise_of<exponentials>, arg("values").noconvert(),
             arg("out").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("logarithms", &elementwise_of<logarithms>, arg("values").noconvert(),
             arg("out").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("logistics", &elementwise_of<logistics>, arg("values").noconvert(),
             arg("out").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("softmax", &softmax_of, arg("raw").noconvert(), arg("out").noconvert(),
             arg("out_log_sums").noconvert(), nb::kw_only(), arg("n_threads"), Released());
}

}  // namespace ocelot::bindings
