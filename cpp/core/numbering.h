// Numbers 64-bit keys in the order in which they first occur.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "multiversion.h"

namespace ocelot {

struct NotCounted {
  void operator++() {}
};

// A hash table that is at most half full. Keys of chance need one or two steps, and the longest
// search among millions of them stays below a hundred. Keys that were made to need more than
// most_steps are kept in a balanced tree from then on, whose searches are short for any keys.
//
//   Place  where a key belongs: its lowest bits are taken
//   Steps  what counts the slots that are looked at
template <class Place, class Steps = NotCounted>
class Numbering {
 public:
  static constexpr int most_steps = 128;

  OCELOT_INLINE std::uint32_t number_of(std::uint64_t key) {
    std::size_t at = Place()(key) & mask_;
    for (int step = 0; step < most_steps; ++step, at = (at + 1) & mask_) {
      ++steps;
      Slot& slot = slots_[at];
      if (slot.number_plus_one == 0) return insert(slot, key);
      if (slot.key == key) return slot.number_plus_one - 1;
    }
    return number_in_tree(key);
  }

  // Room for so many more keys, so that the places of all of them stay.
  void reserve(std::size_t count) {
    if ((distinct_.size() + count) * 2 > slots_.size()) {
      rebuild(2 * std::bit_ceil(2 * (distinct_.size() + count)));
    }
  }

  OCELOT_INLINE void prefetch(std::uint64_t key) const {
    __builtin_prefetch(&slots_[Place()(key) & mask_]);
  }

  const std::vector<std::uint64_t>& distinct() const { return distinct_; }

  Steps steps{};

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t number_plus_one;  // 0: nothing here
  };

  std::uint32_t insert(Slot& slot, std::uint64_t key) {
    if (!tree_.empty()) return number_in_tree(key);  // slots of a table given up may be vacant
    distinct_.push_back(key);
    slot = {key, std::uint32_t(distinct_.size())};
    if (distinct_.size() * 2 > slots_.size()) rebuild(slots_.size() * 2);
    return std::uint32_t(distinct_.size() - 1);
  }

  [[gnu::noinline]] std::uint32_t number_in_tree(std::uint64_t key) {
    if (tree_.empty()) {
      for (std::size_t i = 0; i < distinct_.size(); ++i) tree_[distinct_[i]] = std::uint32_t(i);
      slots_.assign(1, Slot{});  // every search goes to the tree
      mask_ = 0;
    }
    const auto [at, is_new] = tree_.try_emplace(key, std::uint32_t(distinct_.size()));
    if (is_new) distinct_.push_back(key);
    return at->second;
  }

  // In the order of the old slots, in which the new ones nearly follow each other in memory.
  void rebuild(std::size_t n_slots) {
    if (!tree_.empty()) return;
    std::vector<Slot> old(n_slots);
    old.swap(slots_);
    mask_ = n_slots - 1;
    for (const Slot& slot : old) {
      if (slot.number_plus_one == 0) continue;
      std::size_t at = Place()(slot.key) & mask_;
      int step = 0;
      for (; step < most_steps && slots_[at].number_plus_one != 0; ++step) {
        ++steps;
        at = (at + 1) & mask_;
      }
      if (step == most_steps) {
        number_in_tree(slot.key);
        return;
      }
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(256);
  std::size_t mask_ = 255;
  std::vector<std::uint64_t> distinct_;
  std::map<std::uint64_t, std::uint32_t> tree_;
};

// Hashes are mixed already.
struct OwnBits {
  OCELOT_INLINE std::uint64_t operator()(std::uint64_t hash) const { return hash; }
};

}  // namespace ocelot
