/* With vectors of 32 bytes, and products that are added without being rounded before. */
#if defined(__x86_64__) || defined(__i386__)
#define NAME(function) cresampler_avx2_##function
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "sums.h"
#pragma clang attribute pop
#else
typedef int cresampler_nothing_here;
#endif
