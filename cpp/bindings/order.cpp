#include <nanobind/stl/tuple.h>

#include <cmath>

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

// The lines are those that are read; they exist. Their codes are below the numbers of their values.
CodedColumns coded_columns(const In<std::uint32_t, 2>& codes,
                           const In<std::uint32_t, 1>& value_counts,
                           const In<std::uint32_t, 1>& lines) {
  const CodedColumns columns{matrix_of(codes), value_counts.data()};
  require(value_counts.shape(0) == codes.shape(0), "value_counts: one per line is needed");
  if (!checks_contents() || columns.n_rows() == 0) return columns;
  for (const std::uint32_t line : span_of(lines)) {
    require(highest_of(columns.codes[line], columns.n_rows()) < columns.value_counts[line],
            "codes: no such value");
  }
  return columns;
}

using OptionalCodes = std::optional<In<std::uint32_t, 1>>;

CodedColumn base_column(const OptionalCodes& base, std::uint32_t n_values, std::size_t n_rows) {
  if (!base) return {nullptr, 0};
  require(base->shape(0) == n_rows, "base: one per row is needed");
  require_contents_below(*base, n_values, "base: no such value");
  return {base->data(), n_values};
}

Combinations combinations_of(const In<std::uint32_t, 1>& offsets,
                             const In<std::uint32_t, 1>& members, const CodedColumn& base,
                             std::size_t n_combinations) {
  require_ascending(offsets, n_combinations, members.shape(0),
                    "member_offsets: one more than lines, ascending, not beyond the members");
  for (std::size_t c = 0; c < n_combinations; ++c) {
    require(offsets.data()[c] < offsets.data()[c + 1],
            "member_offsets: every combination needs a member");
  }
  return {span_of(offsets), members.data(), base};
}

void join_codes_of(const In<std::uint32_t, 2>& codes, const In<std::uint32_t, 1>& value_counts,
                   const OptionalCodes& base, std::uint32_t n_base_values,
                   const In<std::uint32_t, 1>& member_offsets, const In<std::uint32_t, 1>& members,
                   const In<std::uint32_t, 1>& lines, const Array<std::uint32_t, 2>& out_codes,
                   const Array<std::uint32_t, 1>& out_value_counts,
                   const Array<std::uint64_t, 1>& out_fingerprints, Threads n_threads) {
  const std::size_t n_lines = out_codes.shape(0);
  const Combinations combinations = combinations_of(
      member_offsets, members, base_column(base, n_base_values, codes.shape(1)), lines.shape(0));
  require(out_codes.shape(1) == codes.shape(1), "out_codes: one per row is needed");
  require(out_value_counts.shape(0) == n_lines, "out_value_counts: one per line is needed");
  require(out_fingerprints.shape(0) == n_lines, "out_fingerprints: one per line is needed");
  require_below(lines, n_lines, "lines: no such line");
  require_below(members, codes.shape(0), "members: no such column");
  const JoinedCodes out{lines.data(), matrix_of(out_codes), out_value_counts.data(),
                        out_fingerprints.data()};
  join_codes(coded_columns(codes, value_counts, members), combinations, out, n_threads);
}

HistoryRule history_rule(int history, std::size_t window) {
  require(history >= 0 && history <= 3, "history: no such kind");
  return {History(history), window};
}

// What the integer 1 is worth in counts, and in the sums of each target.
const double* units_of(const In<double, 1>& units, std::size_t n_targets) {
  require(units.shape(0) == n_targets + 1, "units: one for counts and one per target are needed");
  for (const double unit : span_of(units)) {
    int exponent;
    require(std::isnormal(unit) && std::isnormal(1 / unit) && std::frexp(unit, &exponent) == 0.5,
            "units: powers of two");
  }
  return units.data();
}

using OptionalTotals = std::optional<In<std::int64_t, 2>>;
using OptionalCounts = std::optional<In<std::int64_t, 1>>;

KnownTotals known_totals(const OptionalTotals& before, const OptionalCounts& counts,
                         const OptionalCounts& largest, const StatisticInputs& inputs,
                         std::size_t window) {
  KnownTotals known;
  const std::size_t n_entries = inputs.first_entry(inputs.n_combinations());
  if (before) {
    require(before->shape(0) == n_entries && before->shape(1) == inputs.targets.n_lines + 1,
            "before: a count and one sum per target are needed for each value");
    require(inputs.n_orderings() == 1, "before: goes with a single ordering");
    require(window == 0, "before: goes with no window");
    known.before = {before->data(), before->size()};
  }
  require(counts.has_value() == largest.has_value(), "counts, largest: both or none");
  if (counts) {
    require(counts->shape(0) == n_entries, "counts: one per value is needed");
    require(largest->shape(0) == inputs.n_combinations(), "largest: one per line is needed");
    require_contents_not_negative(*counts, "counts: not negative");
    require_not_negative(*largest, "largest: not negative");
    known.counts = span_of(*counts);
    known.largest = span_of(*largest);
  }
  return known;
}

StatisticInputs statistic_inputs(const CodedColumns& columns, const In<std::uint32_t, 1>& lines,
                                 const In<std::uint32_t, 2>& orders, const In<float, 2>& targets,
                                 const OptionalWeights& weights, const In<double, 1>& units) {
  const std::size_t n_rows = columns.n_rows();
  require(targets.shape(1) == n_rows, "targets: one per row is needed");
  require(orders.shape(1) <= n_rows, "orders: more than the rows");
  require_contents_below(orders, n_rows, "orders: no such row");
  if (weights) require_contents_not_negative(*weights, "weights: not negative");
  return {columns,
          span_of(lines),
          matrix_of(orders),
          matrix_of(targets),
          weights_of(weights, n_rows),
          units_of(units, targets.shape(0)),
          {}};
}

FilledPages filled_pages(const StatisticInputs& inputs, const In<std::uint32_t, 2>& pages,
                         const Array<std::uint8_t, 3>& out_pages) {
  const std::size_t n_rows = out_pages.shape(1);
  require(n_rows <= inputs.n_rows(), "out_pages: more than the rows");
  require(pages.shape(0) == inputs.n_combinations() && pages.shape(1) == inputs.n_orderings(),
          "pages: one per combination and ordering is needed");
  require_below(pages, out_pages.shape(0), "pages: no such page");
  return {pages.data(), out_pages.data(), n_rows, out_pages.shape(2)};
}

void target_statistics_of(
    const In<std::uint32_t, 2>& codes, const In<std::uint32_t, 1>& value_counts,
    const In<std::uint32_t, 1>& lines, const In<std::uint32_t, 2>& orders, int history,
    std::size_t window, const In<float, 2>& targets, const OptionalWeights& weights,
    const In<double, 1>& units, const OptionalTotals& before, const OptionalCounts& counts,
    const OptionalCounts& largest, double prior_weight, const In<double, 1>& priors,
    const In<double, 1>& lows, const In<double, 1>& highs, bool frequency,
    const In<std::uint32_t, 2>& pages, const Array<std::uint8_t, 3>& out_pages, Threads n_threads) {
  require_below(lines, codes.shape(0), "lines: no such line");
  const HistoryRule rule = history_rule(history, window);
  StatisticInputs inputs = statistic_inputs(coded_columns(codes, value_counts, lines), lines,
                                            orders, targets, weights, units);
  inputs.known = known_totals(before, counts, largest, inputs, window);
  const FilledPages out = filled_pages(inputs, pages, out_pages);
  const std::size_t n_targets = targets.shape(0), n_cut = priors.shape(0);
  require(n_targets > 0 && n_cut % n_targets == 0, "priors: as many for each target");
  require(lows.shape(0) == n_cut && highs.shape(0) == n_cut,
          "lows, highs: one per column is needed");
  require((n_cut + frequency + 1) / 2 == out.n_bytes, "out_pages: half a byte per column");
  const StatisticColumns columns{n_targets,   n_cut / n_targets, prior_weight, priors.data(),
                                 lows.data(), highs.data(),      frequency,    out.n_bytes};
  target_statistics(inputs, rule, columns, out, n_threads);
}

// Those of n_pages pages, from a shelf on.
StatisticHistograms histograms_of(const Array<std::int64_t, 6>& array, std::size_t first_shelf,
                                  std::size_t n_pages) {
  require(array.shape(4) == 32, "histograms: 32 bins per byte are needed");
  const std::size_t words = array.shape(5);
  require(words == 1 || words == 2 || words == 4, "histograms: 1, 2 or 4 words per bin");
  require(first_shelf <= array.shape(0) && n_pages <= array.shape(0) - first_shelf,
          "histograms: too few shelves");
  StatisticHistograms all{array.data(), array.shape(1), array.shape(2), array.shape(3), words};
  all.sums = all.at(first_shelf, 0);
  return all;
}

Leaves leaves_of(const In<std::uint32_t, 1>& begin, const In<std::uint32_t, 1>& end,
                 const In<std::uint32_t, 1>& target, const In<std::uint8_t, 1>& fresh,
                 std::size_t n_rows, std::size_t n_histograms) {
  const std::size_t n_leaves = target.shape(0);
  require(begin.shape(0) == n_leaves && end.shape(0) == n_leaves && fresh.shape(0) == n_leaves,
          "begin, end, fresh: one per leaf is needed");
  require_below(target, n_histograms, "target: no such histogram");
  for (std::size_t s = 0; s < n_leaves; ++s) {
    require(begin.data()[s] <= end.data()[s] && end.data()[s] <= n_rows,
            "begin, end: beyond the rows");
  }
  return {begin.data(), end.data(), target.data(), fresh.data(), n_leaves};
}

StatisticRows statistic_rows(const In<std::uint8_t, 3>& statistics,
                             const In<std::uint32_t, 1>& pages, std::size_t n_old,
                             const In<std::uint32_t, 1>& rows, const In<std::int64_t, 3>& packed,
                             const Leaves& leaves, const Array<std::int64_t, 3>& scratch,
                             const StatisticHistograms& histograms) {
  require(histograms.n_bytes == statistics.shape(2), "histograms: one per byte is needed");
  require(histograms.n_chunks == packed.shape(0) && histograms.words == packed.shape(2),
          "histograms: shape does not fit packed");
  require(packed.shape(1) <= statistics.shape(1), "statistics: one per row is needed");
  require(scratch.shape(0) == packed.shape(0) && scratch.shape(1) == packed.shape(1) &&
              scratch.shape(2) == packed.shape(2),
          "scratch: as large as packed");
  require(n_old <= pages.shape(0), "n_old: more than pages");
  require_below(pages, statistics.shape(0), "pages: no such page");
  require(rows.shape(0) <= packed.shape(1), "rows: more than packed rows");
  require_contents_below(rows, packed.shape(1), "rows: no such row");
  return {{statistics.data(), statistics.shape(1), statistics.shape(2)},
          span_of(pages),
          n_old,
          rows.data(),
          leaves,
          packed.data(),
          scratch.data(),
          packed.shape(1)};
}

void accumulate_statistics_of(const In<std::uint8_t, 3>& statistics,
                              const In<std::uint32_t, 1>& pages, std::size_t n_old,
                              const In<std::uint32_t, 1>& rows, const In<std::int64_t, 3>& packed,
                              const In<std::uint32_t, 1>& begin, const In<std::uint32_t, 1>& end,
                              const In<std::uint32_t, 1>& target, const In<std::uint8_t, 1>& fresh,
                              const Array<std::int64_t, 3>& scratch,
                              const Array<std::int64_t, 6>& out_histograms, Threads n_threads) {
  const StatisticHistograms histograms = histograms_of(out_histograms, 0, pages.shape(0));
  const Leaves leaves =
      leaves_of(begin, end, target, fresh, rows.shape(0), histograms.n_histograms);
  accumulate_statistics(
      statistic_rows(statistics, pages, n_old, rows, packed, leaves, scratch, histograms),
      histograms, n_threads);
}

FreshHistograms fresh_histograms(const In<std::uint32_t, 1>& small,
                                 const In<std::uint32_t, 1>& large, std::size_t n_histograms) {
  require(small.shape(0) == large.shape(0), "small, large: unequal lengths");
  for (std::size_t p = 0; p < small.shape(0); ++p) {
    require(small.data()[p] < n_histograms &&
                (large.data()[p] < n_histograms || large.data()[p] == no_histogram),
            "small, large: no such histogram");
  }
  return {span_of(small), span_of(large)};
}

void score_statistics_of(const In<std::uint8_t, 3>& statistics, const In<std::uint32_t, 1>& pages,
                         std::size_t n_old, std::size_t first_shelf,
                         const In<std::uint32_t, 1>& rows, const In<std::int64_t, 3>& packed,
                         const In<std::uint32_t, 1>& begin, const In<std::uint32_t, 1>& end,
                         const In<std::uint32_t, 1>& target, const In<std::uint8_t, 1>& fresh,
                         const In<std::uint32_t, 1>& small, const In<std::uint32_t, 1>& large,
                         const In<std::uint32_t, 2>& scored, std::size_t n_outputs,
                         const In<double, 1>& units, double regularization, double min_weight,
                         bool cosine, const Array<std::int64_t, 3>& scratch,
                         const Array<std::int64_t, 6>& inout_histograms,
                         const Array<double, 2>& out_scores, const Array<std::uint8_t, 2>& out_bins,
                         Threads n_threads) {
  const std::size_t n_pages = pages.shape(0), n_columns = out_scores.shape(1);
  const StatisticHistograms histograms = histograms_of(inout_histograms, first_shelf, n_pages);
  const std::size_t n_histograms = histograms.n_histograms;
  require(units.shape(0) <= 2 * histograms.n_chunks * histograms.words,
          "units: more fields than the histograms have");
  require(out_scores.shape(0) == n_pages, "out_scores: one per page is needed");
  require(n_columns <= 2 * histograms.n_bytes, "out_scores: more columns than the histograms have");
  require(out_bins.shape(0) == n_pages && out_bins.shape(1) == n_columns,
          "out_bins: the shape of out_scores is needed");
  const Leaves leaves = leaves_of(begin, end, target, fresh, rows.shape(0), n_histograms);
  const ScoreRule rule =
      score_rule(cosine, scored.shape(0), n_outputs, units, regularization, min_weight);
  score_statistics(
      statistic_rows(statistics, pages, n_old, rows, packed, leaves, scratch, histograms),
      histograms, fresh_histograms(small, large, n_histograms), scored_leaves(scored, n_histograms),
      rule, {matrix_of(out_scores), matrix_of(out_bins)}, n_threads);
}

// The combination, the column of its statistic, and the gain.
std::tuple<std::size_t, std::size_t, double> choose_statistic_of(
    const In<double, 2>& scores, const In<std::uint32_t, 1>& shelves,
    const In<std::uint32_t, 1>& value_counts, const In<std::uint8_t, 1>& in_model,
    const std::optional<In<double, 2>>& noise, double before, double model_size_reg) {
  const std::size_t n_columns = scores.shape(1), count = shelves.shape(0);
  require(count > 0 && n_columns > 0, "shelves: one at least");
  require_below(shelves, scores.shape(0), "shelves: no such shelf");
  require(value_counts.shape(0) == count && in_model.shape(0) == count,
          "value_counts, in_model: one per offer is needed");
  require(!noise || (noise->shape(0) == count && noise->shape(1) == n_columns),
          "noise: one per offer and column is needed");
  const StatisticChoice best = choose_statistic(
      scores.data(), n_columns, {shelves.data(), value_counts.data(), in_model.data(), count},
      noise ? noise->data() : nullptr, before, model_size_reg);
  return {best.combination, best.column, best.gain};
}

void total_by_value_of(const In<std::uint32_t, 1>& codes, const In<float, 2>& targets,
                       const OptionalWeights& weights, const In<double, 1>& units,
                       const std::optional<In<std::uint32_t, 1>>& rows,
                       const Array<std::int64_t, 2>& out_totals,
                       const Array<std::uint32_t, 1>& out_rows) {
  const std::size_t n_all_rows = codes.shape(0), n_values = out_totals.shape(0);
  require(targets.shape(1) == n_all_rows, "targets: one per row is needed");
  require(out_totals.shape(1) == targets.shape(0) + 1,
          "out_totals: a count and one sum per target are needed");
  require(out_rows.shape(0) == n_values, "out_rows: one per value is needed");
  require_below(codes, n_values, "codes: no such value");
  if (rows) require_below(*rows, n_all_rows, "rows: no such row");
  const RowAddends addends(matrix_of(targets), weights_of(weights, n_all_rows),
                           units_of(units, targets.shape(0)));
  const RowList some{rows ? rows->data() : nullptr, rows ? rows->shape(0) : n_all_rows};
  total_by_value(codes.data(), addends, some, {out_totals.data(), out_rows.data(), n_values});
}

void order_keys_of(const In<std::uint64_t, 1>& keys, const Array<std::uint32_t, 1>& out_order) {
  require(out_order.shape(0) == keys.shape(0), "out_order: one per key is needed");
  require(keys.shape(0) <= UINT32_MAX, "keys: too many");
  order_keys(span_of(keys), out_order.data());
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
  module.def(
      "target_statistics", &target_statistics_of, arg("codes").noconvert(),
      arg("value_counts").noconvert(), arg("lines").noconvert(), arg("orders").noconvert(),
      arg("history"), arg("window"), arg("targets").noconvert(), arg("weights").noconvert().none(),
      arg("units").noconvert(), arg("before").noconvert().none(), arg("counts").noconvert().none(),
      arg("largest").noconvert().none(), arg("prior_weight"), arg("priors").noconvert(),
      arg("lows").noconvert(), arg("highs").noconvert(), arg("frequency"), arg("pages").noconvert(),
      arg("out_pages").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("accumulate_statistics", &accumulate_statistics_of, arg("statistics").noconvert(),
             arg("pages").noconvert(), arg("n_old"), arg("rows").noconvert(),
             arg("packed").noconvert(), arg("begin").noconvert(), arg("end").noconvert(),
             arg("target").noconvert(), arg("fresh").noconvert(), arg("scratch").noconvert(),
             arg("out_histograms").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("score_statistics", &score_statistics_of, arg("statistics").noconvert(),
             arg("pages").noconvert(), arg("n_old"), arg("first_shelf"), arg("rows").noconvert(),
             arg("packed").noconvert(), arg("begin").noconvert(), arg("end").noconvert(),
             arg("target").noconvert(), arg("fresh").noconvert(), arg("small").noconvert(),
             arg("large").noconvert(), arg("scored").noconvert(), arg("n_outputs"),
             arg("units").noconvert(), arg("regularization"), arg("min_weight"), arg("cosine"),
             arg("scratch").noconvert(), arg("inout_histograms").noconvert(),
             arg("out_scores").noconvert(), arg("out_bins").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("choose_statistic", &choose_statistic_of, arg("scores").noconvert(),
             arg("shelves").noconvert(), arg("value_counts").noconvert(),
             arg("in_model").noconvert(), arg("noise").noconvert().none(), arg("before"),
             arg("model_size_reg"));
  module.def("total_by_value", &total_by_value_of, arg("codes").noconvert(),
             arg("targets").noconvert(), arg("weights").noconvert().none(),
             arg("units").noconvert(), arg("rows").noconvert().none(),
             arg("out_totals").noconvert(), arg("out_rows").noconvert(), Released());
  module.def("order_keys", &order_keys_of, arg("keys").noconvert(), arg("out_order").noconvert(),
             Released());
}

}  // namespace ocelot::bindings
