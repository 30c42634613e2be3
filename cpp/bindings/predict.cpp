#include "predict/predict.h"

#include "arrays.h"
#include "predict/lookup.h"

namespace ocelot::bindings {
namespace {

void predict_trees_of(const In<std::uint8_t, 2>& bins, const In<std::uint32_t, 1>& split_columns,
                      const In<std::uint8_t, 1>& split_bins, const In<std::uint32_t, 1>& depths,
                      const In<double, 2>& leaf_values, const Array<double, 2>& inout_raw,
                      Threads n_threads) {
  const std::size_t n_splits = split_columns.shape(0);
  require(inout_raw.shape(1) == bins.shape(1), "inout_raw: one per row is needed");
  require(inout_raw.shape(0) == leaf_values.shape(1), "inout_raw: one line per output is needed");
  require(split_bins.shape(0) == n_splits, "split_bins: one per question is needed");
  const TreeSizes sizes = sizes_of_trees(depths);
  require(sizes.levels == n_splits && sizes.leaves == leaf_values.shape(0),
          "depths: do not fit the arrays");
  require_below(split_columns, bins.shape(0), "split_columns: no such column");
  const TreesOnBins trees{{split_columns.data(), split_bins.data(), n_splits},
                          span_of(depths),
                          leaf_values.data(),
                          leaf_values.shape(1)};
  predict_trees(matrix_of(bins), trees, matrix_of(inout_raw), n_threads);
}

void find_leaves_of(const In<std::uint8_t, 2>& bins, const In<std::uint32_t, 1>& split_columns,
                    const In<std::uint8_t, 1>& split_bins, const In<std::uint32_t, 1>& depths,
                    const Array<std::uint32_t, 2>& out_leaves, Threads n_threads) {
  const std::size_t n_splits = split_columns.shape(0);
  require(out_leaves.shape(0) == depths.shape(0), "out_leaves: one line per tree is needed");
  require(out_leaves.shape(1) == bins.shape(1), "out_leaves: one per row is needed");
  require(split_bins.shape(0) == n_splits, "split_bins: one per question is needed");
  require(sizes_of_trees(depths).levels == n_splits, "depths: do not fit the arrays");
  require_below(split_columns, bins.shape(0), "split_columns: no such column");
  find_leaves(matrix_of(bins), {split_columns.data(), split_bins.data(), n_splits}, span_of(depths),
              matrix_of(out_leaves), n_threads);
}

void combination_keys_of(const In<std::uint64_t, 2>& hashes, const In<std::uint64_t, 1>& key,
                         const Array<std::uint64_t, 1>& out_keys, Threads n_threads) {
  require(hashes.shape(0) >= 1, "hashes: at least one member is needed");
  require(out_keys.shape(0) == hashes.shape(1), "out_keys: one per row is needed");
  combination_keys(matrix_of(hashes), hash_key(key), out_keys.data(), n_threads);
}

void index_keys_of(const In<std::uint64_t, 1>& keys, const In<std::uint64_t, 1>& entry_offsets,
                   const In<std::uint64_t, 1>& bucket_offsets,
                   const Array<std::uint64_t, 2>& out_slot_keys,
                   const Array<std::uint64_t, 1>& out_vacant,
                   const Array<std::uint64_t, 1>& out_n_ascending,
                   const Array<std::uint32_t, 2>& out_slot_entries, Threads n_threads) {
  const std::size_t n_tables = out_vacant.shape(0);
  require(out_slot_keys.shape(1) == bucket_size, "out_slot_keys: eight slots per bucket");
  require(out_slot_entries.shape(0) == out_slot_keys.shape(0) &&
              out_slot_entries.shape(1) == bucket_size,
          "out_slot_entries: one per slot is needed");
  require(out_n_ascending.shape(0) == n_tables, "out_n_ascending: one per table is needed");
  require_partition(entry_offsets, n_tables, keys.shape(0), "entry_offsets: do not fit");
  require_partition(bucket_offsets, n_tables, out_slot_keys.shape(0), "bucket_offsets: do not fit");
  for (std::size_t t = 0; t < n_tables; ++t) {
    const auto n_entries = entry_offsets.data()[t + 1] - entry_offsets.data()[t];
    const auto n_buckets = bucket_offsets.data()[t + 1] - bucket_offsets.data()[t];
    require(n_buckets * bucket_size > n_entries, "bucket_offsets: more slots than entries needed");
    require(n_entries < std::uint64_t{1} << 32, "entry_offsets: a table has too many entries");
  }
  index_keys(
      {n_tables, keys.data(), entry_offsets.data(), bucket_offsets.data()},
      {out_slot_keys.data(), out_vacant.data(), out_n_ascending.data(), out_slot_entries.data()},
      n_threads);
}

void look_up_of(const In<std::uint64_t, 2>& hashes, const In<std::uint64_t, 1>& key,
                const In<std::uint32_t, 1>& member_offsets, const In<std::uint32_t, 1>& members,
                const In<std::uint32_t, 2>& answers, const In<std::int32_t, 1>& answer_rows,
                const In<std::uint64_t, 1>& bucket_offsets, const In<std::uint64_t, 2>& slot_keys,
                const In<std::uint64_t, 1>& vacant, const In<std::uint64_t, 1>& n_ascending,
                const In<std::uint32_t, 1>& column_offsets, const In<std::uint64_t, 1>& bin_offsets,
                const In<std::uint8_t, 1>& slot_bins, const In<std::uint32_t, 1>& out_rows,
                const Array<std::uint8_t, 2>& inout_bins, Threads n_threads) {
  const std::size_t n_tables = vacant.shape(0), n_rows = inout_bins.shape(1);
  require(hashes.shape(1) == n_rows, "hashes: one per row is needed");
  require_partition(member_offsets, n_tables, members.shape(0), "member_offsets: do not fit");
  require_below(members, hashes.shape(0), "members: no such row of hashes");
  require(answer_rows.shape(0) == n_tables, "answer_rows: one per table is needed");
  require(n_ascending.shape(0) == n_tables, "n_ascending: one per table is needed");
  require_partition(bucket_offsets, n_tables, slot_keys.shape(0), "bucket_offsets: do not fit");
  require(slot_keys.shape(1) == bucket_size, "slot_keys: eight slots per bucket");
  require_partition(column_offsets, n_tables, out_rows.shape(0), "column_offsets: do not fit");
  require_partition(bin_offsets, n_tables, slot_bins.shape(0), "bin_offsets: do not fit");
  require_below(out_rows, inout_bins.shape(0), "out_rows: beyond inout_bins");
  for (std::size_t t = 0; t < n_tables; ++t) {
    const auto row = answer_rows.data()[t];
    require(row < 0 || (std::size_t(row) < answers.shape(0) && answers.shape(1) == n_rows),
            "answers: a row for each table with a base is needed");
    require(member_offsets.data()[t] < member_offsets.data()[t + 1], "members: a table has none");
    const auto n_buckets = bucket_offsets.data()[t + 1] - bucket_offsets.data()[t];
    const auto n_columns = column_offsets.data()[t + 1] - column_offsets.data()[t];
    const auto n_bins = bin_offsets.data()[t + 1] - bin_offsets.data()[t];
    require(n_buckets > 0, "bucket_offsets: a table has no bucket");
    require(n_ascending.data()[t] <= n_buckets, "n_ascending: more than buckets");
    require(n_bins == n_buckets * bucket_size * n_columns, "bin_offsets: do not fit");
  }
  const CategoryRows rows{n_rows,         hashes.data(),      member_offsets.data(), members.data(),
                          answers.data(), answer_rows.data(), hash_key(key)};
  const KeyIndex index{n_tables, bucket_offsets.data(), slot_keys.data(), vacant.data(),
                       n_ascending.data()};
  const SlotBins bins{column_offsets.data(), bin_offsets.data(), slot_bins.data(), out_rows.data()};
  look_up(rows, index, bins, inout_bins.data(), n_threads);
}

void match_categories_of(const In<std::uint64_t, 2>& hashes, const In<std::uint32_t, 1>& sources,
                         const In<std::uint64_t, 1>& categories,
                         const In<std::uint32_t, 1>& out_rows,
                         const Array<std::uint8_t, 2>& inout_bins, Threads n_threads) {
  const std::size_t n = categories.shape(0), n_rows = inout_bins.shape(1);
  require(hashes.shape(1) == n_rows, "hashes: one per row is needed");
  require(sources.shape(0) == n && out_rows.shape(0) == n, "sources, out_rows: one per category");
  require_below(sources, hashes.shape(0), "sources: no such row of hashes");
  require_below(out_rows, inout_bins.shape(0), "out_rows: beyond inout_bins");
  match_categories(matrix_of(hashes), {n, sources.data(), categories.data(), out_rows.data()},
                   matrix_of(inout_bins), n_threads);
}

void answer_questions_of(const In<std::uint8_t, 2>& bins, const In<std::uint32_t, 1>& offsets,
                         const In<std::uint32_t, 1>& columns, const In<std::uint8_t, 1>& split_bins,
                         const Array<std::uint32_t, 2>& out_answers, Threads n_threads) {
  const std::size_t n_lists = out_answers.shape(0);
  require(out_answers.shape(1) == bins.shape(1), "out_answers: one per row is needed");
  require_partition(offsets, n_lists, columns.shape(0), "offsets: do not fit");
  require(split_bins.shape(0) == columns.shape(0), "split_bins: one per question is needed");
  require_below(columns, bins.shape(0), "columns: no such column");
  const QuestionLists lists{span_of(offsets),
                            {columns.data(), split_bins.data(), columns.shape(0)}};
  answer_questions(matrix_of(bins), lists, matrix_of(out_answers), n_threads);
}

}  // namespace

void bind_predict(nb::module_& module) {
  using nb::arg;
  module.def("predict_trees", &predict_trees_of, arg("bins").noconvert(),
             arg("split_columns").noconvert(), arg("split_bins").noconvert(),
             arg("depths").noconvert(), arg("leaf_values").noconvert(),
             arg("inout_raw").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("find_leaves", &find_leaves_of, arg("bins").noconvert(),
             arg("split_columns").noconvert(), arg("split_bins").noconvert(),
             arg("depths").noconvert(), arg("out_leaves").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("combination_keys", &combination_keys_of, arg("hashes").noconvert(),
             arg("key").noconvert(), arg("out_keys").noconvert(), nb::kw_only(), arg("n_threads"),
             Released());
  module.def("index_keys", &index_keys_of, arg("keys").noconvert(),
             arg("entry_offsets").noconvert(), arg("bucket_offsets").noconvert(),
             arg("out_slot_keys").noconvert(), arg("out_vacant").noconvert(),
             arg("out_n_ascending").noconvert(), arg("out_slot_entries").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("look_up", &look_up_of, arg("hashes").noconvert(), arg("key").noconvert(),
             arg("member_offsets").noconvert(), arg("members").noconvert(),
             arg("answers").noconvert(), arg("answer_rows").noconvert(),
             arg("bucket_offsets").noconvert(), arg("slot_keys").noconvert(),
             arg("vacant").noconvert(), arg("n_ascending").noconvert(),
             arg("column_offsets").noconvert(), arg("bin_offsets").noconvert(),
             arg("slot_bins").noconvert(), arg("out_rows").noconvert(),
             arg("inout_bins").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("match_categories", &match_categories_of, arg("hashes").noconvert(),
             arg("sources").noconvert(), arg("categories").noconvert(), arg("out_rows").noconvert(),
             arg("inout_bins").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  module.def("answer_questions", &answer_questions_of, arg("bins").noconvert(),
             arg("offsets").noconvert(), arg("columns").noconvert(), arg("split_bins").noconvert(),
             arg("out_answers").noconvert(), nb::kw_only(), arg("n_threads"), Released());
}

}  // namespace ocelot::bindings
