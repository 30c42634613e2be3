#include "arrays.h"
#include "turn.h"

NB_MODULE(_native, module) {
  module.doc() = "Loops over rows. Stateless: arrays in, arrays out.";
  ocelot::bindings::bind_table(module);
  ocelot::bindings::bind_quantize(module);
  ocelot::bindings::bind_order(module);
  ocelot::bindings::bind_grow(module);
  ocelot::bindings::bind_loss(module);
  ocelot::bindings::bind_leaves(module);
  ocelot::bindings::bind_predict(module);
  ocelot::bindings::bind_explain(module);
  module.def("take_turns", &ocelot::bindings::Turn::take, nanobind::arg("taking"));
}
