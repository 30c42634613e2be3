// What leaves add to the scores of the borders of one column, from running sums of packed words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/score.h"

namespace ocelot {

// The highest score and the bin below its border.
struct Border {
  double score;
  std::uint8_t bin;
};

// Where the running sums of each leaf are, [n_leaves][n_eras][n_chunks]; null where a leaf has no
// rows of an era.
using LeafSums = std::vector<const std::int64_t*>;

// Fills `sums` by place(histogram, chunk).
template <class Place>
void sums_by_leaf(const ScoredLeaves& scored, std::size_t n_eras, std::size_t n_chunks,
                  Place&& place, LeafSums& sums) {
  sums.clear();
  for (std::size_t leaf = 0; leaf < scored.n_leaves; ++leaf) {
    for (std::size_t era = 0; era < n_eras; ++era) {
      const std::uint32_t histogram = scored.histograms[era * scored.n_leaves + leaf];
      for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
        sums.push_back(histogram == no_histogram ? nullptr : place(histogram, chunk));
      }
    }
  }
}

// Adds up the scores of all borders of a column, leaf after leaf: or of several columns that stand
// side by side, because the sum over all bins, that of a leaf, is the same for each. Made once for
// many columns.
class BorderScores {
 public:
  BorderScores(const ScoreRule& rule, std::size_t n_chunks, std::size_t words);

  // Scores all borders of n_bins bins, at most 256, from running sums [n_bins][words]. The last bin
  // is the last of a column.
  void score(std::size_t n_bins, const LeafSums& leaves);

  // The best border of the column of n_bins bins that begins at bin `first` of those scored last.
  Border best(std::size_t first, std::size_t n_bins) const;

 private:
  struct alignas(64) Line {
    std::int32_t sums[256];
  };
  using AddPlain = void (*)(const std::int32_t* gradient, const std::int32_t* weight,
                            std::size_t n_bins, float gradient_unit, float weight_unit,
                            float regularization, float min_weight, float* numerator,
                            float* denominator);

  std::int32_t* field(std::size_t f) { return fields_[f].sums; }
  // One more leaf, sums [n_eras][n_chunks].
  void add_leaf(const std::int64_t* const* sums);
  void unpack_fields(const std::int64_t* const* sums);
  void add_plain();
  void add_ordered(const std::int64_t* const* sums);

  const ScoreRule& rule_;
  std::size_t n_chunks_, words_, n_segments_, n_fields_, n_bins_ = 0;
  AddPlain plain_;
  bool all_at_once_;
  // Single precision has little range, so gradients and weights are scaled to at most 1 first and
  // the best score is scaled back; all at once they are left in the units of their fields. Units
  // are powers of two: the score is the same to the last bit.
  double gradient_scale_, weight_scale_, score_scale_;
  std::vector<float> units_;
  float regularization_, min_weight_;
  std::vector<Line> fields_;  // of one leaf and era
  std::vector<Line> bodies_;  // gradients over the eras so far: of each output, or of each slot's
  Line body_weight_, all_weight_;
  alignas(64) float numerator_[256], denominator_[256];
};

// Two signed 32-bit sums share a word: word = high * 2^32 + low.
void unpack(const std::int64_t* sums, std::size_t words, std::size_t count, std::int32_t* low,
            std::int32_t* high);

// Replaces the words of each bin by their sum up to that bin.
void run_sums(std::int64_t* bins, std::size_t n_bins, std::size_t words);

// large -= small
void subtract(std::int64_t* large, const std::int64_t* small, std::size_t count);

}  // namespace ocelot
