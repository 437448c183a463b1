/* Which of the two builds of a loop runs. libyuv knows the processor. */
#include "resampler.h"

#include <libyuv/cpu_id.h>

#define BOTH(function, ...) \
  void cresampler_plain_##function(__VA_ARGS__); \
  void cresampler_avx2_##function(__VA_ARGS__); \
  void cresampler_##function(__VA_ARGS__)

#if defined(__x86_64__) || defined(__i386__)
#define CHOOSE(function, ...) \
  if (bank->is_wide) { \
    cresampler_avx2_##function(__VA_ARGS__); \
  } else { \
    cresampler_plain_##function(__VA_ARGS__); \
  }

int cresampler_is_wide(void) { return TestCpuFlag(kCpuHasAVX2) && TestCpuFlag(kCpuHasFMA3); }
#else
#define CHOOSE(function, ...) cresampler_plain_##function(__VA_ARGS__);

int cresampler_is_wide(void) { return 0; }
#endif

BOTH(mono, const cresampler_bank *bank, const cresampler_places *places, const float *in, float *out, int count) {
  CHOOSE(mono, bank, places, in, out, count)
}

BOTH(stereo, const cresampler_bank *bank, const cresampler_places *places, const float *left, const float *right, float *out, int count) {
  CHOOSE(stereo, bank, places, left, right, out, count)
}
