#include "order/join_codes.h"

#include <algorithm>
#include <vector>

#include "shared/mix64.h"
#include "shared/multiversion.h"
#include "shared/numbering.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::uint32_t no_code = 0xffffffff;

// Codes of neighbours are neighbours too, so their bits have to be mixed.
struct MixedBits {
  OCELOT_INLINE std::uint64_t operator()(std::uint64_t key) const { return mix64(key); }
};

// Numbers keys in the order in which they first occur. With few possible keys a table has a place
// for each. With many it is a hash table that grows, so that few values make a small table.
class KeyNumbering {
 public:
  KeyNumbering(std::uint64_t n_possible, std::size_t n_rows) : direct_(n_possible <= 2 * n_rows) {
    if (direct_) codes_.assign(n_possible, no_code);
  }

  void number(const std::uint64_t* keys, std::size_t count, std::uint32_t* out) {
    if (direct_) {
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t& code = codes_[keys[i]];
        if (code == no_code) code = n_direct_++;
        out[i] = code;
      }
      return;
    }
    hashed_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) hashed_.prefetch(keys[i]);
    for (std::size_t i = 0; i < count; ++i) out[i] = hashed_.number_of(keys[i]);
  }

  std::uint32_t size() const { return direct_ ? n_direct_ : hashed_.size(); }

 private:
  bool direct_;
  std::uint32_t n_direct_ = 0;
  std::vector<std::uint32_t> codes_;
  Numbering<MixedBits> hashed_;
};

// Members are joined as digits of one number while it fits into 64 bits; when it no longer would,
// what is joined so far is numbered anew.
std::uint32_t join(std::span<const CodedColumn> members, std::size_t n_rows, std::uint32_t* out) {
  constexpr std::size_t block = 64;
  const std::uint32_t* joined = members[0].codes;
  std::uint64_t n_joined = members[0].n_values;
  std::size_t next = 1;
  do {
    const std::size_t first = next;
    std::uint64_t n_possible = n_joined;
    while (next < members.size() &&
           n_possible <= (std::uint64_t{1} << 63) / std::max(members[next].n_values, 1u)) {
      n_possible *= members[next++].n_values;
    }
    KeyNumbering numbering(n_possible, n_rows);
    std::uint64_t keys[block];
    for (std::size_t begin = 0; begin < n_rows; begin += block) {
      const std::size_t count = std::min(block, n_rows - begin);
      for (std::size_t i = 0; i < count; ++i) keys[i] = joined[begin + i];
      for (std::size_t m = first; m < next; ++m) {
        const std::uint32_t* member = members[m].codes + begin;
        const std::uint64_t radix = members[m].n_values;
        for (std::size_t i = 0; i < count; ++i) keys[i] = keys[i] * radix + member[i];
      }
      numbering.number(keys, count, out + begin);
    }
    joined = out;
    n_joined = numbering.size();
  } while (next < members.size());
  return std::uint32_t(n_joined);
}

OCELOT_HOT std::uint64_t fingerprint(const std::uint32_t* codes, std::size_t n_rows) {
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < n_rows; ++row) sum += codes[row] * mix64(row + 1);
  return sum;
}

}  // namespace

void join_codes(const CodedColumns& columns, const Combinations& combinations,
                const JoinedCodes& out, int n_threads) {
  parallel_for(combinations.size(), n_threads, [&](std::size_t c) {
    std::vector<CodedColumn> members;
    for (const std::uint32_t line : combinations[c]) members.push_back(columns[line]);
    if (combinations.base.codes) members.push_back(combinations.base);
    const std::size_t line = out.lines[c];
    out.value_counts[line] = join(members, columns.n_rows(), out.codes[line]);
    out.fingerprints[line] = fingerprint(out.codes[line], columns.n_rows());
  });
}

}  // namespace ocelot
