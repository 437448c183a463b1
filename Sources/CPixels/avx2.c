/* With vectors of 32 bytes. */
#if defined(__x86_64__) || defined(__i386__)
#define CPIXELS_AVX2
#define NAME(function) cpixels_avx2_##function
#include "colors.h"
#include "columns.h"
#include "rows.h"
#include "samples.h"
#pragma clang attribute pop
#else
typedef int cpixels_nothing_here;
#endif
