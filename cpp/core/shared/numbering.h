// Numbers 64-bit keys in the order in which they first occur.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "shared/multiversion.h"

namespace ocelot {

struct NotCounted {
  void operator++() {}
};

// A hash table that is at most half full. Random keys need one or two steps, and the longest
// search among millions of them stays below a hundred. Keys that were made to need more than
// most_steps are kept in a balanced tree from then on, whose searches are short for any keys.
//
//   Place  where a key belongs: its lowest bits are taken
//   Steps  what counts the slots that are looked at
template <class Place, class Steps = NotCounted>
class Numbering {
 public:
  static constexpr int most_steps = 128;

  Numbering() { clear(256); }

  OCELOT_INLINE std::uint32_t number_of(std::uint64_t key) {
    std::size_t at = Place()(key) & mask_;
    for (int step = 0; step < most_steps; ++step, at = (at + 1) & mask_) {
      ++steps;
      if (numbers_[at] == nothing) return insert(at, key);
      if (keys_[at] == key) return numbers_[at];
    }
    return number_in_tree(key);
  }

  // Makes room for `count` more keys, so that none of them moves the others.
  void reserve(std::size_t count) {
    if ((size_ + count) * 2 > numbers_.size()) rebuild(2 * std::bit_ceil(2 * (size_ + count)));
  }

  OCELOT_INLINE void prefetch(std::uint64_t key) const {
    __builtin_prefetch(&numbers_[Place()(key) & mask_]);
    __builtin_prefetch(&keys_[Place()(key) & mask_]);
  }

  std::uint32_t size() const { return size_; }

  // The keys by their numbers.
  std::vector<std::uint64_t> distinct() const {
    std::vector<std::uint64_t> found(size_);
    for (std::size_t at = 0; at < numbers_.size(); ++at) {
      if (numbers_[at] != nothing) found[numbers_[at]] = keys_[at];
    }
    for (const auto& [key, number] : tree_) found[number] = key;
    return found;
  }

  Steps steps{};

 private:
  static constexpr std::uint32_t nothing = 0xffffffff;

  void clear(std::size_t n_slots) {
    numbers_.assign(n_slots, nothing);
    keys_ = std::make_unique_for_overwrite<std::uint64_t[]>(n_slots);
    mask_ = n_slots - 1;
  }

  std::uint32_t insert(std::size_t at, std::uint64_t key) {
    if (!tree_.empty()) return number_in_tree(key);
    const std::uint32_t number = size_++;
    numbers_[at] = number;
    keys_[at] = key;
    if (size_ * std::size_t{2} > numbers_.size()) rebuild(numbers_.size() * 2);
    return number;
  }

  [[gnu::noinline]] std::uint32_t number_in_tree(std::uint64_t key) {
    if (tree_.empty()) {
      move_to_tree(numbers_, keys_.get());
      clear(1);  // every search finds it vacant and goes to the tree
    }
    const auto [at, is_new] = tree_.try_emplace(key, size_);
    if (is_new) ++size_;
    return at->second;
  }

  void move_to_tree(const std::vector<std::uint32_t>& numbers, const std::uint64_t* keys) {
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      if (numbers[at] != nothing) tree_.emplace(keys[at], numbers[at]);
    }
  }

  // In the order of the old slots, in which the new ones nearly follow each other in memory.
  void rebuild(std::size_t n_slots) {
    if (!tree_.empty()) return;
    const std::vector<std::uint32_t> numbers = std::move(numbers_);
    const std::unique_ptr<std::uint64_t[]> keys = std::move(keys_);
    clear(n_slots);
    for (std::size_t old = 0; old < numbers.size(); ++old) {
      if (numbers[old] == nothing) continue;
      std::size_t at = Place()(keys[old]) & mask_;
      int step = 0;
      for (; step < most_steps && numbers_[at] != nothing; ++step, at = (at + 1) & mask_) ++steps;
      if (step == most_steps) {
        move_to_tree(numbers, keys.get());
        clear(1);
        return;
      }
      numbers_[at] = numbers[old];
      keys_[at] = keys[old];
    }
  }

  std::size_t mask_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> numbers_;     // by slot
  std::unique_ptr<std::uint64_t[]> keys_;  // by slot, where there is a number
  std::map<std::uint64_t, std::uint32_t> tree_;
};

// Hashes are mixed already.
struct OwnBits {
  OCELOT_INLINE std::uint64_t operator()(std::uint64_t hash) const { return hash; }
};

}  // namespace ocelot
