#include "loss/links.h"

#include "arrays.h"

namespace ocelot::bindings {
namespace {

using Elementwise = void (*)(const double*, std::size_t, double*, int);

template <Elementwise function>
void elementwise_of(const In<double, 1>& values, const Array<double, 1>& out, Threads n_threads) {
  require(out.shape(0) == values.shape(0), "out: the shape of values is needed");
  function(values.data(), values.shape(0), out.data(), n_threads);
}

void softmax_of(const In<double, 2>& raw, const Array<double, 2>& out,
                const Array<double, 1>& out_log_sums, Threads n_threads) {
  const std::size_t n_outputs = raw.shape(0), n_rows = raw.shape(1);
  require(n_outputs > 0, "raw: at least one output is needed");
  require(out.shape(0) == n_outputs && out.shape(1) == n_rows, "out: the shape of raw is needed");
  require(out_log_sums.shape(0) == n_rows, "out_log_sums: one per row is needed");
  softmax(raw.data(), n_outputs, n_rows, out.data(), out_log_sums.data(), n_threads);
}

}  // namespace

void bind_links(nb::module_& module) {
  using nb::arg;
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
