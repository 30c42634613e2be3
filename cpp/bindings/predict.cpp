#include "predict.h"

#include "arrays.h"

namespace ocelot::bindings {
namespace {

void predict_trees_of(const In<std::uint8_t, 2>& bins, const In<std::uint32_t, 1>& split_columns,
                      const In<std::uint8_t, 1>& split_bins, const In<std::uint32_t, 1>& depths,
                      const In<double, 2>& leaf_values, const Array<double, 2>& inout_raw,
                      int n_threads) {
  const std::size_t n_splits = split_columns.shape(0);
  require(inout_raw.shape(1) == bins.shape(1), "inout_raw: one a row is needed");
  require(inout_raw.shape(0) == leaf_values.shape(1), "inout_raw: one row an output is needed");
  require(split_bins.shape(0) == n_splits, "split_bins: one a question is needed");
  std::size_t splits = 0, leaves = 0;
  for (std::size_t t = 0; t < depths.shape(0); ++t) {
    require(depths.data()[t] <= 16, "depths: at most 16");
    splits += depths.data()[t];
    leaves += std::size_t{1} << depths.data()[t];
  }
  require(splits == n_splits && leaves == leaf_values.shape(0), "depths: do not fit the arrays");
  std::uint32_t highest = 0;
  for (std::size_t s = 0; s < n_splits; ++s) highest = std::max(highest, split_columns.data()[s]);
  require(n_splits == 0 || highest < bins.shape(0), "split_columns: no such column");
  const TreesOnBins trees{split_columns.data(), split_bins.data(),  depths.data(),
                          depths.shape(0),      leaf_values.data(), leaf_values.shape(1)};
  predict_trees(bins.data(), bins.shape(1), trees, inout_raw.data(), n_threads);
}

}  // namespace

void bind_predict(nb::module_& module) {
  using nb::arg;
  module.def("predict_trees", &predict_trees_of, arg("bins").noconvert(),
             arg("split_columns").noconvert(), arg("split_bins").noconvert(),
             arg("depths").noconvert(), arg("leaf_values").noconvert(),
             arg("inout_raw").noconvert(), nb::kw_only(), arg("n_threads"), Released());
}

}  // namespace ocelot::bindings
