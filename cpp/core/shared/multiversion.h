// Hot loops are compiled for several CPU levels and chosen when the module is loaded.
#pragma once

// No level enables fused multiply-add, so every level computes the same bits.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(OCELOT_SANITIZE)
#define OCELOT_HOT __attribute__((target_clones("avx2", "default")))
#else
#define OCELOT_HOT
#endif

#define OCELOT_INLINE inline __attribute__((always_inline))
