// Array types of the boundary: C-contiguous, exact dtype, nothing converted. Inputs are const.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <span>

#include "checks.h"
#include "gil.h"
#include "shared/siphash.h"
#include "shared/views.h"
#include "threads.h"

namespace ocelot::bindings {

namespace nb = nanobind;

template <class Number, std::size_t dimensions>
using Array = nb::ndarray<Number, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

template <class Number, std::size_t dimensions>
using In = Array<const Number, dimensions>;

// Any strides: a column of a row-major table, a transposed frame.
template <class Number>
using Strided = nb::ndarray<const Number, nb::ndim<2>, nb::device::cpu>;

// Views of arrays, for the kernels.
template <class Number>
std::span<Number> span_of(const Array<Number, 1>& array) {
  return {array.data(), array.shape(0)};
}

template <class Number>
Matrix<Number> matrix_of(const Array<Number, 2>& array) {
  return {array.data(), array.shape(0), array.shape(1)};
}

using OptionalWeights = std::optional<In<float, 1>>;

inline const float* data_or_null(const OptionalWeights& weights, std::size_t n_rows) {
  if (!weights) return nullptr;
  require(weights->shape(0) == n_rows, "weights: one per row is needed");
  return weights->data();
}

inline Weights weights_of(const OptionalWeights& weights, std::size_t n_rows) {
  return {data_or_null(weights, n_rows)};
}

inline HashKey hash_key(const In<std::uint64_t, 1>& key) {
  require(key.shape(0) == 2, "key: two words are needed");
  return {key.data()[0], key.data()[1]};
}

using Released = nb::call_guard<ReleasedGil>;

void bind_table(nb::module_& module);
void bind_quantize(nb::module_& module);
void bind_order(nb::module_& module);
void bind_grow(nb::module_& module);
void bind_leaves(nb::module_& module);
void bind_loss(nb::module_& module);
void bind_predict(nb::module_& module);
void bind_explain(nb::module_& module);

}  // namespace ocelot::bindings
