#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "table/categories.h"

namespace ocelot::bindings {
namespace {

using Hashes = Array<std::uint64_t, 1>;
using Key = In<std::uint64_t, 1>;
using OptionalValid = std::optional<In<bool, 1>>;

const bool* valid_or_null(const OptionalValid& valid, std::size_t n) {
  if (!valid) return nullptr;
  require(valid->shape(0) == n, "valid: one per text is needed");
  return valid->data();
}

template <class Offset>
void hash_texts_of(const In<Offset, 1>& offsets, const In<std::uint8_t, 1>& bytes,
                   const OptionalValid& valid, const Key& key, const Hashes& out_hashes,
                   Threads n_threads) {
  const std::size_t n = out_hashes.shape(0);
  require(offsets.shape(0) == n + 1, "offsets: one more than out_hashes");
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  hash_texts(JoinedTexts<Offset>{offsets.data(), text, bytes.shape(0)}, n, valid_or_null(valid, n),
             hash_key(key), out_hashes.data(), n_threads);
}

void hash_text_views_of(const In<std::uint8_t, 2>& views,
                        const std::vector<In<std::uint8_t, 1>>& buffers, const OptionalValid& valid,
                        const Key& key, const Hashes& out_hashes, Threads n_threads) {
  const std::size_t n = out_hashes.shape(0);
  require(views.shape(0) == n && views.shape(1) == sizeof(TextView), "views: 16 bytes per hash");
  std::vector<const char*> starts;
  std::vector<std::size_t> sizes;
  for (const auto& buffer : buffers) {
    starts.push_back(reinterpret_cast<const char*>(buffer.data()));
    sizes.push_back(buffer.shape(0));
  }
  const auto* const viewed = reinterpret_cast<const TextView*>(views.data());
  hash_text_views({viewed, starts.data(), sizes.data(), buffers.size()}, n, valid_or_null(valid, n),
                  hash_key(key), out_hashes.data(), n_threads);
}

template <class Integer>
void hash_integers_of(const In<Integer, 1>& values, const Key& key, const Hashes& out_hashes,
                      Threads n_threads) {
  require(values.shape(0) == out_hashes.shape(0), "out_hashes: one per value is needed");
  hash_integers(values.data(), values.shape(0), hash_key(key), out_hashes.data(), n_threads);
}

std::size_t encode_hashes_of(const In<std::uint64_t, 1>& hashes,
                             const Array<std::uint32_t, 1>& out_codes, const Hashes& out_values,
                             Threads n_threads) {
  const std::size_t n = hashes.shape(0);
  require(out_codes.shape(0) == n && out_values.shape(0) == n,
          "out_codes, out_values: one per hash is needed");
  require(n <= UINT32_MAX, "hashes: too many");
  return encode_hashes(hashes.data(), n, out_codes.data(), out_values.data(), n_threads);
}

std::uint64_t numbering_steps_of(const In<std::uint64_t, 1>& hashes) {
  return numbering_steps(hashes.data(), hashes.shape(0));
}

template <class Offset>
void bind_texts_with(nb::module_& module) {
  using nb::arg;
  module.def("hash_texts", &hash_texts_of<Offset>, arg("offsets").noconvert(),
             arg("bytes").noconvert(), arg("valid").noconvert().none(), arg("key").noconvert(),
             arg("out_hashes").noconvert(), nb::kw_only(), arg("n_threads"), Released());
}

template <class Integer>
void bind_integers_of(nb::module_& module) {
  using nb::arg;
  module.def("hash_integers", &hash_integers_of<Integer>, arg("values").noconvert(),
             arg("key").noconvert(), arg("out_hashes").noconvert(), nb::kw_only(), arg("n_threads"),
             Released());
}

}  // namespace

void bind_table(nb::module_& module) {
  using nb::arg;
  bind_texts_with<std::int32_t>(module);
  bind_texts_with<std::int64_t>(module);
  module.def("hash_text_views", &hash_text_views_of, arg("views").noconvert(),
             arg("buffers").noconvert(), arg("valid").noconvert().none(), arg("key").noconvert(),
             arg("out_hashes").noconvert(), nb::kw_only(), arg("n_threads"), Released());
  bind_integers_of<std::int64_t>(module);
  bind_integers_of<std::uint64_t>(module);
  module.def("encode_hashes", &encode_hashes_of, arg("hashes").noconvert(),
             arg("out_codes").noconvert(), arg("out_values").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("numbering_steps", &numbering_steps_of, arg("hashes").noconvert(), Released());
}

}  // namespace ocelot::bindings
