#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "boost/sampling.h"
#include "grow/histogram.h"
#include "grow/level.h"
#include "grow/pack.h"
#include "grow/partition.h"
#include "grow/score.h"
#include "score_arguments.h"

namespace ocelot::bindings {
namespace {

// In a list of pages: the question is about a slot of the table.
constexpr std::uint32_t no_page = 0xffffffff;

Fields fields_of(const In<float, 2>& gradients, const OptionalWeights& weights) {
  const std::size_t n_rows = gradients.shape(1);
  return {gradients.data(), data_or_null(weights, n_rows), gradients.shape(0), n_rows};
}

void absolute_sums_of(const In<float, 2>& gradients, const OptionalWeights& weights,
                      const Array<double, 1>& out, Threads n_threads) {
  const Fields fields = fields_of(gradients, weights);
  require(out.shape(0) == fields.n_fields(), "out: one per field is needed");
  absolute_sums(fields, out.data(), n_threads);
}

void pack_gradients_of(const In<float, 2>& gradients, const OptionalWeights& weights, bool exact,
                       const In<double, 1>& units, const In<std::uint8_t, 1>& dithered,
                       const std::optional<In<std::uint32_t, 1>>& rows, std::size_t first_row,
                       std::size_t first_place, const Array<std::int64_t, 3>& inout_packed,
                       Threads n_threads) {
  const Fields fields = fields_of(gradients, weights);
  const PackedRows out{inout_packed.data(), inout_packed.shape(0), inout_packed.shape(1),
                       inout_packed.shape(2)};
  require(2 * out.n_chunks * out.words > fields.n_outputs, "inout_packed: too few words");
  require(units.shape(0) == fields.n_fields() && dithered.shape(0) == fields.n_fields(),
          "units, dithered: one per field is needed");
  if (rows) {
    require(rows->shape(0) == fields.n_rows, "rows: one per gradient is needed");
    require_below(*rows, out.n_rows, "rows: no such row");
  } else {
    require(first_row <= out.n_rows && fields.n_rows <= out.n_rows - first_row,
            "first_row: gradients beyond the last row");
  }
  pack_gradients(fields, {exact, units.data(), dithered.data(), first_place},
                 rows ? rows->data() : nullptr, first_row, out, n_threads);
}

Histograms histograms_of(const Array<std::int64_t, 5>& array) {
  return {array.data(), array.shape(0), array.shape(1), array.shape(2), array.shape(4)};
}

void accumulate_histograms_of(const In<std::uint8_t, 1>& bins,
                              const In<std::uint64_t, 1>& group_offsets,
                              const In<std::uint32_t, 1>& group_strides,
                              const In<std::uint32_t, 1>& group_widths,
                              const In<std::uint32_t, 1>& rows, const In<std::int64_t, 3>& packed,
                              const In<std::uint32_t, 1>& begin, const In<std::uint32_t, 1>& end,
                              const In<std::uint32_t, 1>& target,
                              const Array<std::int64_t, 5>& inout_histograms, Threads n_threads) {
  const std::size_t n_chunks = packed.shape(0), n_rows = packed.shape(1), words = packed.shape(2);
  require(words == 1 || words == 2 || words == 4, "packed: 1, 2 or 4 words per row");
  require(inout_histograms.shape(0) == n_chunks && inout_histograms.shape(3) == 256 &&
              inout_histograms.shape(4) == words,
          "inout_histograms: shape does not fit packed");
  const std::size_t n_groups = group_widths.shape(0);
  require(group_offsets.shape(0) == n_groups && group_strides.shape(0) == n_groups,
          "group_offsets, group_strides: one a group is needed");
  std::size_t n_slots = 0;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const std::uint32_t width = group_widths.data()[g];
    require(width == 4 || width == 8 || width == 16, "group_widths: 4, 8 or 16");
    const std::size_t last_row = n_rows > 0 ? (n_rows - 1) * group_strides.data()[g] : 0;
    require(n_rows == 0 || (group_offsets.data()[g] <= bins.shape(0) &&
                            group_offsets.data()[g] + last_row + width <= bins.shape(0)),
            "bins: too small");
    n_slots += width;
  }
  require(inout_histograms.shape(2) == n_slots, "inout_histograms: one a slot is needed");
  const std::size_t n_segments = target.shape(0);
  require(begin.shape(0) == n_segments && end.shape(0) == n_segments, "segments: unequal lengths");
  for (std::size_t s = 0; s < n_segments; ++s) {
    require(target.data()[s] < inout_histograms.shape(1), "target: no such histogram");
    require(begin.data()[s] <= end.data()[s] && end.data()[s] <= rows.shape(0),
            "segments: beyond the rows");
  }
  require_contents_below(rows, n_rows, "rows: no such row");
  const Block block{span_of(bins), span_of(group_offsets), span_of(group_strides),
                    span_of(group_widths)};
  const Segments segments{span_of(rows), span_of(begin), span_of(end), span_of(target)};
  accumulate_histograms(block, {packed.data(), n_rows}, segments, histograms_of(inout_histograms),
                        n_threads);
}

void score_columns_of(const Array<std::int64_t, 5>& inout_histograms,
                      const In<std::uint32_t, 1>& small, const In<std::uint32_t, 1>& large,
                      const In<std::uint32_t, 2>& scored, const In<std::uint32_t, 1>& slots,
                      const In<std::uint32_t, 1>& shifts, const In<std::uint32_t, 1>& firsts,
                      const In<std::uint32_t, 1>& defaults, const In<std::uint32_t, 1>& bin_counts,
                      const In<std::uint8_t, 1>& candidates, std::size_t n_outputs,
                      const In<double, 1>& units, double regularization, double min_weight,
                      bool cosine, const Array<double, 1>& out_scores,
                      const Array<std::uint8_t, 1>& out_bins, Threads n_threads) {
  const std::size_t n_columns = slots.shape(0);
  require(shifts.shape(0) == n_columns && firsts.shape(0) == n_columns &&
              defaults.shape(0) == n_columns && bin_counts.shape(0) == n_columns &&
              candidates.shape(0) == n_columns && out_scores.shape(0) == n_columns &&
              out_bins.shape(0) == n_columns,
          "columns: unequal lengths");
  require(small.shape(0) == large.shape(0), "small, large: unequal lengths");
  require(units.shape(0) <= 2 * inout_histograms.shape(0) * inout_histograms.shape(4),
          "units: more fields than the histograms have");
  const std::size_t words = inout_histograms.shape(4);
  require(inout_histograms.shape(3) == 256 && (words == 1 || words == 2 || words == 4),
          "inout_histograms: 256 bins of 1, 2 or 4 words a slot");
  require_below(slots, inout_histograms.shape(2), "slots: no such slot");
  require_below(bin_counts, 257, "bin_counts: at most 256");
  require_below(shifts, 8, "shifts: beyond the byte");
  require_below(firsts, 256, "firsts: beyond the byte");
  const ScoredColumns columns{span_of(slots),    span_of(shifts),     span_of(firsts),
                              span_of(defaults), span_of(bin_counts), span_of(candidates)};
  require(fields_are_apart(columns, inout_histograms.shape(2)),
          "shifts, firsts, defaults: columns overlap, or do not fit into the byte");
  for (std::size_t p = 0; p < small.shape(0); ++p) {
    require(small.data()[p] < inout_histograms.shape(1) &&
                (large.data()[p] < inout_histograms.shape(1) || large.data()[p] == no_histogram),
            "small, large: no such histogram");
  }
  const ScoredLeaves leaves = scored_leaves(scored, inout_histograms.shape(1));
  const ScoreRule rule =
      score_rule(cosine, scored.shape(0), n_outputs, units, regularization, min_weight);
  score_columns(histograms_of(inout_histograms), {span_of(small), span_of(large)}, leaves, columns,
                rule, {span_of(out_scores), span_of(out_bins)}, n_threads);
}

void split_leaves_of(const In<std::uint8_t, 2>& bytes, std::uint32_t position, std::uint32_t shift,
                     std::uint32_t mask, std::uint8_t low, std::uint8_t bin,
                     const In<std::uint32_t, 1>& leaf_offsets,
                     const Array<std::uint32_t, 1>& inout_rows,
                     const Array<std::uint32_t, 1>& scratch,
                     const Array<std::uint32_t, 1>& out_offsets, Threads n_threads) {
  const std::size_t n_leaves = count_of_parts(leaf_offsets, "leaf_offsets: one more than leaves");
  require(position < bytes.shape(1), "position: no such byte");
  require(shift < 8, "shift: beyond the byte");
  require_ascending(leaf_offsets, n_leaves, inout_rows.shape(0),
                    "leaf_offsets: ascending, not beyond the rows");
  require_contents_below(inout_rows, bytes.shape(0), "inout_rows: no such row");
  require(scratch.shape(0) >= inout_rows.shape(0), "scratch: as many as rows");
  require(out_offsets.shape(0) == 2 * n_leaves + 1, "out_offsets: twice the leaves and one");
  split_leaves({bytes.data() + position, bytes.shape(1), shift, mask, low, bin},
               span_of(leaf_offsets), inout_rows.data(), scratch.data(), out_offsets.data(),
               n_threads);
}

// Numbers of cells with rows, of fresh ones, and of leaves with rows.
std::tuple<std::size_t, std::size_t, std::size_t> plan_level_of(
    const In<std::uint32_t, 1>& offsets, std::size_t n_eras,
    const std::optional<In<std::uint32_t, 1>>& parents, std::size_t n_used,
    const Array<std::uint32_t, 1>& out_of_cell, const Array<std::uint32_t, 1>& out_begin,
    const Array<std::uint32_t, 1>& out_end, const Array<std::uint32_t, 1>& out_histograms,
    const Array<std::uint32_t, 1>& out_small, const Array<std::uint32_t, 1>& out_large,
    const Array<std::uint32_t, 1>& out_scored, const Array<std::uint8_t, 1>& out_fresh) {
  const std::size_t n_cells = count_of_parts(offsets, "offsets: one more than cells");
  require_ascending(offsets, n_cells, UINT32_MAX, "offsets: ascending");
  require(n_eras > 0 && n_cells % n_eras == 0, "n_eras: as many cells in each");
  require(!parents || 2 * parents->shape(0) == n_cells, "parents: one for every two cells");
  for (const Array<std::uint32_t, 1>* out :
       {&out_of_cell, &out_begin, &out_end, &out_histograms, &out_small, &out_large, &out_scored}) {
    require(out->shape(0) == n_cells, "out: one a cell is needed");
  }
  require(out_fresh.shape(0) == n_cells, "out_fresh: one a cell is needed");
  const LevelCounts counts = plan_level(
      {span_of(offsets), n_eras}, parents ? parents->data() : nullptr, n_used,
      {span_of(out_of_cell), span_of(out_begin), span_of(out_end), span_of(out_histograms),
       span_of(out_fresh), span_of(out_small), span_of(out_large), span_of(out_scored)});
  return {counts.n_filled, counts.n_fresh, counts.n_scored};
}

void assign_leaves_of(const In<std::uint8_t, 2>& slots, const In<std::uint8_t, 3>& pages,
                      const In<std::uint32_t, 1>& split_pages,
                      const In<std::uint32_t, 1>& split_slots, const In<std::uint32_t, 1>& shifts,
                      const In<std::uint32_t, 1>& masks, const In<std::uint8_t, 1>& lows,
                      const In<std::uint8_t, 1>& split_bins,
                      const Array<std::uint32_t, 1>& inout_leaves, Threads n_threads) {
  const std::size_t depth = split_bins.shape(0), n_rows = inout_leaves.shape(0);
  const std::size_t n_bytes = pages.shape(2);
  require(depth <= 16, "split_bins: at most 16 questions");
  require(split_slots.shape(0) == depth && split_pages.shape(0) == depth &&
              shifts.shape(0) == depth && masks.shape(0) == depth && lows.shape(0) == depth,
          "split_pages, split_slots, shifts, masks, lows: one per question is needed");
  require(slots.shape(1) == n_rows, "slots: one a row is needed");
  require(pages.shape(1) == n_rows || pages.shape(0) == 0, "pages: one a row is needed");
  Question questions[16];
  for (std::size_t d = 0; d < depth; ++d) {
    const std::uint32_t page = split_pages.data()[d], slot = split_slots.data()[d];
    const std::uint32_t shift = shifts.data()[d], mask = masks.data()[d];
    const std::uint8_t low = lows.data()[d], bin = split_bins.data()[d];
    require(shift < 8, "shifts: beyond the byte");
    if (page == no_page) {
      require(slot < slots.shape(0), "split_slots: no such slot");
      questions[d] = {slots.data() + slot * n_rows, 1, shift, mask, low, bin};
    } else {
      require(page < pages.shape(0), "split_pages: no such page");
      require(slot < n_bytes, "split_slots: no such byte of the page");
      const std::uint8_t* const bytes = pages.data() + page * n_rows * n_bytes + slot;
      questions[d] = {bytes, n_bytes, shift, mask, low, bin};
    }
  }
  assign_leaves({questions, depth}, span_of(inout_leaves), n_threads);
}

void fill_panel_of(const In<std::uint8_t, 2>& slots, std::size_t stride,
                   const Array<std::uint8_t, 1>& out_panel, Threads n_threads) {
  require(slots.shape(0) <= stride, "stride: too small for the slots");
  require(out_panel.shape(0) == stride * slots.shape(1), "out_panel: stride times rows");
  fill_panel(slots.data(), slots.shape(0), slots.shape(1), stride, out_panel.data(), n_threads);
}

void rows_by_leaf_of(const In<std::uint32_t, 1>& leaves, const Array<std::uint32_t, 1>& out_rows,
                     const Array<std::uint32_t, 1>& out_offsets, Threads n_threads) {
  require(out_rows.shape(0) == leaves.shape(0), "out_rows: as many as leaves");
  const std::size_t n_leaves = count_of_parts(out_offsets, "out_offsets: one more than leaves");
  require_contents_below(leaves, n_leaves, "leaves: no such leaf");
  rows_by_leaf(span_of(leaves), out_rows.data(), span_of(out_offsets), n_threads);
}

void minimal_variance_weights_of(const In<float, 2>& gradients, const OptionalWeights& weights,
                                 const In<float, 1>& uniform, double regularization,
                                 double fraction, const Array<float, 1>& out_weights,
                                 Threads n_threads) {
  const std::size_t n_rows = gradients.shape(1);
  require(uniform.shape(0) == n_rows && out_weights.shape(0) == n_rows,
          "uniform, out_weights: one a row is needed");
  minimal_variance_weights(matrix_of(gradients), weights_of(weights, n_rows), uniform.data(),
                           {regularization, fraction}, out_weights.data(), n_threads);
}

}  // namespace

void bind_grow(nb::module_& module) {
  using nb::arg;
  module.def("absolute_sums", &absolute_sums_of, arg("gradients").noconvert(),
             arg("weights").noconvert().none(), arg("out").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("pack_gradients", &pack_gradients_of, arg("gradients").noconvert(),
             arg("weights").noconvert().none(), arg("exact"), arg("units").noconvert(),
             arg("dithered").noconvert(), arg("rows").noconvert().none(), arg("first_row"),
             arg("first_place"), arg("inout_packed").noconvert(), nb::kw_only(), arg("n_threads"),
             Released());
  module.def("accumulate_histograms", &accumulate_histograms_of, arg("bins").noconvert(),
             arg("group_offsets").noconvert(), arg("group_strides").noconvert(),
             arg("group_widths").noconvert(), arg("rows").noconvert(), arg("packed").noconvert(),
             arg("begin").noconvert(), arg("end").noconvert(), arg("target").noconvert(),
             arg("inout_histograms").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("score_columns", &score_columns_of, arg("inout_histograms").noconvert(),
             arg("small").noconvert(), arg("large").noconvert(), arg("scored").noconvert(),
             arg("slots").noconvert(), arg("shifts").noconvert(), arg("firsts").noconvert(),
             arg("defaults").noconvert(), arg("bin_counts").noconvert(),
             arg("candidates").noconvert(), arg("n_outputs"), arg("units").noconvert(),
             arg("regularization"), arg("min_weight"), arg("cosine"), arg("out_scores").noconvert(),
             arg("out_bins").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("split_leaves", &split_leaves_of, arg("bytes").noconvert(), arg("position"),
             arg("shift"), arg("mask"), arg("low"), arg("bin"), arg("leaf_offsets").noconvert(),
             arg("inout_rows").noconvert(), arg("scratch").noconvert(),
             arg("out_offsets").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("plan_level", &plan_level_of, arg("offsets").noconvert(), arg("n_eras"),
             arg("parents").noconvert().none(), arg("n_used"), arg("out_of_cell").noconvert(),
             arg("out_begin").noconvert(), arg("out_end").noconvert(),
             arg("out_histograms").noconvert(), arg("out_small").noconvert(),
             arg("out_large").noconvert(), arg("out_scored").noconvert(),
             arg("out_fresh").noconvert());
  module.def("assign_leaves", &assign_leaves_of, arg("slots").noconvert(), arg("pages").noconvert(),
             arg("split_pages").noconvert(), arg("split_slots").noconvert(),
             arg("shifts").noconvert(), arg("masks").noconvert(), arg("lows").noconvert(),
             arg("split_bins").noconvert(), arg("inout_leaves").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("fill_panel", &fill_panel_of, arg("slots").noconvert(), arg("stride"),
             arg("out_panel").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("rows_by_leaf", &rows_by_leaf_of, arg("leaves").noconvert(),
             arg("out_rows").noconvert(), arg("out_offsets").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("minimal_variance_weights", &minimal_variance_weights_of, arg("gradients").noconvert(),
             arg("weights").noconvert().none(), arg("uniform").noconvert(), arg("regularization"),
             arg("fraction"), arg("out_weights").noconvert(), nb::kw_only(), arg("n_threads"),
             Released());
}

}  // namespace ocelot::bindings
