// Categories of combined columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "order/coded_columns.h"

namespace ocelot {

// Combinations of columns, by the columns' numbers.
struct Combinations {
  std::span<const std::uint32_t> offsets;  // one more than combinations: where the members begin
  const std::uint32_t* members;
  CodedColumn base;  // one more member of every combination; its codes are null if there is none

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t combination) const {
    return {members + offsets[combination], members + offsets[combination + 1]};
  }
};

// Where the joined codes go: combination c stands at line lines[c] of all three outputs.
struct JoinedCodes {
  const std::uint32_t* lines;
  Matrix<std::uint32_t> codes;
  std::uint32_t* value_counts;
  std::uint64_t* fingerprints;
};

// Joins categorical columns: rows that agree in all members of a combination get the same code,
// numbered in the order in which they first occur. Combinations with the same codes in all rows
// have the same fingerprint, and others a different one: the sum over rows of
// code * mix64(row + 1).
void join_codes(const CodedColumns& columns, const Combinations& combinations,
                const JoinedCodes& out, int n_threads);

}  // namespace ocelot
