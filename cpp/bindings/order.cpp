#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "grow/statistic_choice.h"
#include "grow/statistic_histogram.h"
#include "grow/statistic_score.h"
#include "order/join_codes.h"
#include "order/statistics.h"
#include "order/whole_data.h"
#include "score_arguments.h"

namespace ocelot::bindings {
namespace {

// The codes of the lines that are read are below the numbers of their values.
void require_contents_codes(const In<std::uint32_t, 2>& codes,
                            const In<std::uint32_t, 1>& value_counts,
                            const In<std::uint32_t, 1>& lines) {
  const std::size_t n_rows = codes.shape(1);
  if (!checks_contents() || n_rows == 0) return;
  for (std::size_t i = 0; i < lines.shape(0); ++i) {
    const std::size_t line = lines.data()[i];
    require(highest_of(codes.data() + line * n_rows, n_rows) < value_counts.data()[line],
            "codes: no such value");
  }
}

void join_codes_of(const In<std::uint32_t, 2>& codes, const In<std::uint32_t, 1>& value_counts,
                   const std::optional<In<std::uint32_t, 1>>& base, std::uint32_t n_base_values,
                   const In<std::uint32_t, 1>& member_offsets, const In<std::uint32_t, 1>& members,
                   const In<std::uint32_t, 1>& lines, const Array<std::uint32_t, 2>& out_codes,
                   const Array<std::uint32_t, 1>& out_value_counts,
                   const Array<std::uint64_t, 1>& out_fingerprints, Threads n_threads) {
  const std::size_t n_columns = codes.shape(0), n_rows = codes.shape(1);
  const std::size_t n_combinations = lines.shape(0), n_lines = out_codes.shape(0);
  require(value_counts.shape(0) == n_columns, "value_counts: one a column is needed");
  require(member_offsets.shape(0) == n_combinations + 1, "member_offsets: one more than lines");
  require(out_codes.shape(1) == n_rows, "out_codes: one a row is needed");
  require(out_value_counts.shape(0) == n_lines, "out_value_counts: one a line is needed");
  require(out_fingerprints.shape(0) == n_lines, "out_fingerprints: one a line is needed");
  require_below(lines, n_lines, "lines: no such line");
  const std::uint32_t* offsets = member_offsets.data();
  for (std::size_t c = 0; c < n_combinations; ++c) {
    require(offsets[c] < offsets[c + 1], "member_offsets: every combination needs a member");
  }
  require(n_combinations == 0 || offsets[n_combinations] <= members.shape(0),
          "member_offsets: beyond the members");
  require_below(members, n_columns, "members: no such column");
  require_contents_codes(codes, value_counts, members);
  if (base) {
    require(base->shape(0) == n_rows, "base: one per row is needed");
    require_contents_below(*base, n_base_values, "base: no such value");
  }
  join_codes(codes.data(), value_counts.data(), n_rows, base ? base->data() : nullptr,
             n_base_values, offsets, members.data(), lines.data(), n_combinations, out_codes.data(),
             out_value_counts.data(), out_fingerprints.data(), n_threads);
}

void target_statistics_of(const In<std::uint32_t, 2>& codes,
                          const In<std::uint32_t, 1>& value_counts,
                          const In<std::uint32_t, 1>& lines, const In<std::uint32_t, 2>& orders,
                          int history, std::size_t window, const In<float, 2>& targets,
                          const OptionalWeights& weights, double prior_weight,
                          const In<double, 1>& priors, const In<double, 1>& lows,
                          const In<double, 1>& highs, bool frequency,
                          const In<std::uint32_t, 2>& units,
                          const Array<std::uint8_t, 3>& out_units, Threads n_threads) {
  const std::size_t n_combinations = lines.shape(0), n_rows = codes.shape(1);
  const std::size_t n_orderings = orders.shape(0), n_out_rows = out_units.shape(1);
  require(value_counts.shape(0) == codes.shape(0), "value_counts: one a line is needed");
  require_contents_below(orders, n_rows, "orders: no such row");
  if (weights) require_contents_not_negative(*weights, "weights: not negative");
  require_below(lines, codes.shape(0), "lines: no such line");
  require_contents_codes(codes, value_counts, lines);
  require(orders.shape(1) == n_rows && targets.shape(1) == n_rows, "orders, targets: one a row");
  require(history >= 0 && history <= 3, "history: no such kind");
  const auto kind = History(history);
  require(n_out_rows <= n_rows && (kind == History::apart || n_out_rows == n_rows),
          "out_units: one a row is needed");
  const std::size_t n_targets = targets.shape(0);
  require(n_targets > 0 && priors.shape(0) % n_targets == 0, "priors: as many for each target");
  const StatisticColumns columns{n_targets,    priors.shape(0) / n_targets,
                                 prior_weight, priors.data(),
                                 lows.data(),  highs.data(),
                                 frequency,    out_units.shape(2)};
  const std::size_t n_cut = priors.shape(0);
  require(lows.shape(0) == n_cut && highs.shape(0) == n_cut, "lows, highs: one a column is needed");
  require((n_cut + frequency + 1) / 2 == columns.n_bytes, "out_units: half a byte a column");
  require(units.shape(0) == n_combinations && units.shape(1) == n_orderings,
          "units: one a combination and ordering is needed");
  require_below(units, out_units.shape(0), "units: no such unit");
  target_statistics(codes.data(), value_counts.data(), lines.data(), n_combinations, n_rows,
                    orders.data(), n_orderings, kind, window, targets.data(),
                    data_or_null(weights, n_rows), columns, units.data(), n_out_rows,
                    out_units.data(), n_threads);
}

StatisticHistograms histograms_of(const Array<std::int64_t, 6>& array) {
  require(array.shape(4) == 32, "inout_histograms: 32 bins a byte are needed");
  const std::size_t words = array.shape(5);
  require(words == 1 || words == 2 || words == 4, "inout_histograms: 1, 2 or 4 words a bin");
  return {array.data(), array.shape(1), array.shape(2), array.shape(3), words};
}

void score_statistics_of(const In<std::uint8_t, 3>& statistics, const In<std::uint32_t, 1>& units,
                         std::size_t n_old, std::size_t first_place,
                         const In<std::uint32_t, 1>& rows, const In<std::int64_t, 3>& packed,
                         const In<std::uint32_t, 1>& begin, const In<std::uint32_t, 1>& end,
                         const In<std::uint32_t, 1>& target, const In<std::uint8_t, 1>& fresh,
                         const In<std::uint32_t, 1>& small, const In<std::uint32_t, 1>& large,
                         const In<std::uint32_t, 2>& scored, std::size_t n_outputs,
                         const In<double, 1>& field_units, double regularization, double min_weight,
                         bool cosine, const Array<std::int64_t, 3>& scratch,
                         const Array<std::int64_t, 6>& inout_histograms,
                         const Array<double, 2>& out_scores, const Array<std::uint8_t, 2>& out_bins,
                         Threads n_threads) {
  const StatisticHistograms histograms = histograms_of(inout_histograms);
  const std::size_t n_units = units.shape(0), n_columns = out_scores.shape(1);
  const std::size_t n_histograms = histograms.n_histograms, n_leaves = target.shape(0);
  require(histograms.n_bytes == statistics.shape(2), "inout_histograms: one a byte is needed");
  require(histograms.n_chunks == packed.shape(0) && histograms.words == packed.shape(2),
          "inout_histograms: shape does not fit packed");
  require(first_place + n_units <= inout_histograms.shape(0), "inout_histograms: too few places");
  require(packed.shape(1) <= statistics.shape(1), "statistics: one a row is needed");
  require(scratch.shape(0) == packed.shape(0) && scratch.shape(1) == packed.shape(1) &&
              scratch.shape(2) == packed.shape(2),
          "scratch: as large as packed");
  require(n_old <= n_units, "n_old: more than units");
  require_below(units, statistics.shape(0), "units: no such unit");
  require(begin.shape(0) == n_leaves && end.shape(0) == n_leaves && fresh.shape(0) == n_leaves,
          "begin, end, fresh: one a leaf is needed");
  require(rows.shape(0) <= packed.shape(1), "rows: more than packed rows");
  require_contents_below(rows, packed.shape(1), "rows: no such row");
  require_below(target, n_histograms, "target: no such histogram");
  for (std::size_t s = 0; s < n_leaves; ++s) {
    require(begin.data()[s] <= end.data()[s] && end.data()[s] <= rows.shape(0),
            "begin, end: beyond the rows");
  }
  require(small.shape(0) == large.shape(0), "small, large: unequal lengths");
  for (std::size_t p = 0; p < small.shape(0); ++p) {
    require(small.data()[p] < n_histograms &&
                (large.data()[p] < n_histograms || large.data()[p] == no_histogram),
            "small, large: no such histogram");
  }
  require(field_units.shape(0) <= 2 * histograms.n_chunks * histograms.words,
          "field_units: more fields than the histograms have");
  require(out_scores.shape(0) == n_units, "out_scores: one a unit is needed");
  require(n_columns <= 2 * histograms.n_bytes, "out_scores: more columns than the histograms have");
  require(out_bins.shape(0) == n_units && out_bins.shape(1) == n_columns,
          "out_bins: the shape of out_scores is needed");
  const ScoredLeaves leaves = scored_leaves(scored, n_histograms);
  const ScoreRule rule =
      score_rule(cosine, scored.shape(0), n_outputs, field_units, regularization, min_weight);
  const StatisticRows summed{{statistics.data(), statistics.shape(1), statistics.shape(2)},
                             units.data(),
                             n_units,
                             n_old,
                             rows.data(),
                             {begin.data(), end.data(), target.data(), fresh.data(), n_leaves},
                             packed.data(),
                             packed.shape(1)};
  score_statistics(summed, histograms, first_place, scratch.data(), n_columns, small.data(),
                   large.data(), small.shape(0), leaves, rule, out_scores.data(), out_bins.data(),
                   n_threads);
}

// The combination, the column of its statistic, and the gain.
std::tuple<std::size_t, std::size_t, double> choose_statistic_of(
    const In<double, 2>& scores, const In<std::uint32_t, 1>& places,
    const In<std::uint32_t, 1>& value_counts, const In<std::uint8_t, 1>& in_model,
    const std::optional<In<double, 2>>& noise, double before, double model_size_reg) {
  const std::size_t n_columns = scores.shape(1), count = places.shape(0);
  require(count > 0 && n_columns > 0, "places: one at least");
  require_below(places, scores.shape(0), "places: no such place");
  require(value_counts.shape(0) == count && in_model.shape(0) == count,
          "value_counts, in_model: one a place is needed");
  require(!noise || (noise->shape(0) == count && noise->shape(1) == n_columns),
          "noise: one a place and column is needed");
  const StatisticChoice best = choose_statistic(
      scores.data(), n_columns, {places.data(), value_counts.data(), in_model.data(), count},
      noise ? noise->data() : nullptr, before, model_size_reg);
  return {best.combination, best.column, best.gain};
}

void total_by_value_of(const In<std::uint32_t, 1>& codes, const In<float, 2>& targets,
                       const OptionalWeights& weights,
                       const std::optional<In<std::uint32_t, 1>>& rows,
                       const Array<double, 1>& out_counts, const Array<double, 2>& out_sums,
                       const Array<std::uint32_t, 1>& out_rows) {
  const std::size_t n_all_rows = codes.shape(0), n_values = out_counts.shape(0);
  require(targets.shape(1) == n_all_rows, "targets: one a row is needed");
  require(out_sums.shape(0) == n_values && out_sums.shape(1) == targets.shape(0),
          "out_sums: one a value and target is needed");
  require(out_rows.shape(0) == n_values, "out_rows: one a value is needed");
  require_below(codes, n_values, "codes: no such value");
  if (rows) require_below(*rows, n_all_rows, "rows: no such row");
  total_by_value(codes.data(), targets.data(), targets.shape(0), n_all_rows,
                 data_or_null(weights, n_all_rows), rows ? rows->data() : nullptr,
                 rows ? rows->shape(0) : n_all_rows, n_values, out_counts.data(), out_sums.data(),
                 out_rows.data());
}

void order_keys_of(const In<std::uint64_t, 1>& keys, const Array<std::uint32_t, 1>& out_order) {
  require(out_order.shape(0) == keys.shape(0), "out_order: one a key is needed");
  require(keys.shape(0) <= UINT32_MAX, "keys: too many");
  order_keys(keys.data(), keys.shape(0), out_order.data());
}

}  // namespace

void bind_order(nb::module_& module) {
  using nb::arg;
  module.def("join_codes", &join_codes_of, arg("codes").noconvert(),
             arg("value_counts").noconvert(), arg("base").noconvert().none(), arg("n_base_values"),
             arg("member_offsets").noconvert(), arg("members").noconvert(),
             arg("lines").noconvert(), arg("out_codes").noconvert(),
             arg("out_value_counts").noconvert(), arg("out_fingerprints").noconvert(),
             nb::kw_only(), arg("n_threads"), Released());
  module.def("target_statistics", &target_statistics_of, arg("codes").noconvert(),
             arg("value_counts").noconvert(), arg("lines").noconvert(), arg("orders").noconvert(),
             arg("history"), arg("window"), arg("targets").noconvert(),
             arg("weights").noconvert().none(), arg("prior_weight"), arg("priors").noconvert(),
             arg("lows").noconvert(), arg("highs").noconvert(), arg("frequency"),
             arg("units").noconvert(), arg("out_units").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("score_statistics", &score_statistics_of, arg("statistics").noconvert(),
             arg("units").noconvert(), arg("n_old"), arg("first_place"), arg("rows").noconvert(),
             arg("packed").noconvert(), arg("begin").noconvert(), arg("end").noconvert(),
             arg("target").noconvert(), arg("fresh").noconvert(), arg("small").noconvert(),
             arg("large").noconvert(), arg("scored").noconvert(), arg("n_outputs"),
             arg("field_units").noconvert(), arg("regularization"), arg("min_weight"),
             arg("cosine"), arg("scratch").noconvert(), arg("inout_histograms").noconvert(),
             arg("out_scores").noconvert(), arg("out_bins").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("choose_statistic", &choose_statistic_of, arg("scores").noconvert(),
             arg("places").noconvert(), arg("value_counts").noconvert(),
             arg("in_model").noconvert(), arg("noise").noconvert().none(), arg("before"),
             arg("model_size_reg"));
  module.def("total_by_value", &total_by_value_of, arg("codes").noconvert(),
             arg("targets").noconvert(), arg("weights").noconvert().none(),
             arg("rows").noconvert().none(), arg("out_counts").noconvert(),
             arg("out_sums").noconvert(), arg("out_rows").noconvert(), Released());
  module.def("order_keys", &order_keys_of, arg("keys").noconvert(), arg("out_order").noconvert(),
             Released());
}

}  // namespace ocelot::bindings
