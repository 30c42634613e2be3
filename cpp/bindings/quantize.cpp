#include "arrays.h"
#include "quantize/borders.h"
#include "quantize/bundle.h"

namespace ocelot::bindings {
namespace {

template <class Number>
Values<Number> values_of(const Strided<Number>& array) {
  return {array.data(), array.shape(0), array.shape(1), array.stride(0), array.stride(1)};
}

template <class Number>
void count_missing_of(const Strided<Number>& values, const Array<std::uint64_t, 1>& out_counts,
                      Threads n_threads) {
  require(out_counts.shape(0) == values.shape(1), "out_counts: one per column is needed");
  count_missing(values_of(values), out_counts.data(), n_threads);
}

template <class Number>
void choose_borders_of(const Strided<Number>& values, const In<std::uint32_t, 1>& rows,
                       const OptionalWeights& weights, int rule,
                       const In<std::uint32_t, 1>& max_borders, const Array<double, 2>& out_borders,
                       const Array<std::uint32_t, 1>& out_counts, Threads n_threads) {
  const std::size_t n_columns = values.shape(1);
  require(max_borders.shape(0) == n_columns, "max_borders: one per column is needed");
  require(out_borders.shape(0) == n_columns, "out_borders: one line per column is needed");
  require(out_counts.shape(0) == n_columns, "out_counts: one per column is needed");
  for (std::size_t c = 0; c < n_columns; ++c) {
    require(max_borders.data()[c] <= out_borders.shape(1), "out_borders: too narrow");
  }
  require(rule >= 0 && rule <= 2, "rule: unknown");
  require_contents_below(rows, values.shape(0), "rows: no such row");
  choose_borders(values_of(values), {span_of(rows), weights_of(weights, values.shape(0))},
                 BorderRule(rule), {max_borders.data(), matrix_of(out_borders), out_counts.data()},
                 n_threads);
}

template <class Number>
void quantize_of(const Strided<Number>& values, const In<std::uint32_t, 1>& sources,
                 const In<double, 1>& borders, const In<std::uint32_t, 1>& border_offsets,
                 const In<std::uint8_t, 1>& missing, const In<std::uint32_t, 1>& out_rows,
                 const In<std::uint32_t, 1>& shifts, const Array<std::uint8_t, 2>& inout_bins,
                 Threads n_threads) {
  const std::size_t n_rows = values.shape(0), n_columns = sources.shape(0);
  require(border_offsets.shape(0) == n_columns + 1, "border_offsets: one more than columns");
  require_ascending(border_offsets, n_columns, borders.shape(0),
                    "border_offsets: ascending, not beyond borders");
  require(missing.shape(0) == n_columns && out_rows.shape(0) == n_columns &&
              shifts.shape(0) == n_columns,
          "missing, out_rows, shifts: one per column is needed");
  require(inout_bins.shape(1) == n_rows, "inout_bins: one per row is needed");
  for (std::size_t c = 0; c < n_columns; ++c) {
    require(sources.data()[c] < values.shape(1), "sources: no such column");
    require(out_rows.data()[c] < inout_bins.shape(0), "out_rows: beyond inout_bins");
    require(shifts.data()[c] < 8, "shifts: beyond the byte");
    require(border_offsets.data()[c + 1] - border_offsets.data()[c] < 256,
            "border_offsets: at most 255 borders fit into a byte");
  }
  const QuantizedColumns columns{
      n_columns,      sources.data(),  borders.data(), border_offsets.data(),
      missing.data(), out_rows.data(), shifts.data()};
  quantize(values_of(values), columns, inout_bins.data(), n_threads);
}

std::size_t bundle_columns_of(const In<std::uint64_t, 1>& starts, const In<std::uint32_t, 1>& rows,
                              std::size_t n_rows, const In<std::uint32_t, 1>& bin_counts,
                              const Array<std::uint32_t, 1>& out_bundles,
                              const Array<std::uint32_t, 1>& out_firsts) {
  const std::size_t n_columns = count_of_parts(starts, "starts: one more than columns");
  require_ascending(starts, n_columns, rows.shape(0), "starts: ascending, not beyond rows");
  require_contents_below(rows, n_rows, "rows: no such row");
  require(bin_counts.shape(0) == n_columns && out_bundles.shape(0) == n_columns &&
              out_firsts.shape(0) == n_columns,
          "bin_counts, out_bundles, out_firsts: one per column is needed");
  require_below(bin_counts, 257, "bin_counts: at most 256");
  return bundle_columns({span_of(starts), span_of(rows), n_rows}, span_of(bin_counts),
                        {span_of(out_bundles), span_of(out_firsts)});
}

template <class Number>
void bind_for(nb::module_& module) {
  using nb::arg;
  module.def("count_missing", &count_missing_of<Number>, arg("values").noconvert(),
             arg("out_counts").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("choose_borders", &choose_borders_of<Number>, arg("values").noconvert(),
             arg("rows").noconvert(), arg("weights").noconvert().none(), arg("rule"),
             arg("max_borders").noconvert(), arg("out_borders").noconvert(),
             arg("out_counts").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("quantize", &quantize_of<Number>, arg("values").noconvert(),
             arg("sources").noconvert(), arg("borders").noconvert(),
             arg("border_offsets").noconvert(), arg("missing").noconvert(),
             arg("out_rows").noconvert(), arg("shifts").noconvert(), arg("inout_bins").noconvert(),
             nb::kw_only(), arg("n_threads"), Released());
}

}  // namespace

void bind_quantize(nb::module_& module) {
  bind_for<float>(module);
  bind_for<double>(module);
  using nb::arg;
  module.def("bundle_columns", &bundle_columns_of, arg("starts").noconvert(),
             arg("rows").noconvert(), arg("n_rows"), arg("bin_counts").noconvert(),
             arg("out_bundles").noconvert(), arg("out_firsts").noconvert(), Released());
}

}  // namespace ocelot::bindings
