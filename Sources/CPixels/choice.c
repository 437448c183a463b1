/* Which of the two builds of a loop runs. libyuv knows the processor, and can be told to forget it. */
#include "pixels.h"

#include <libyuv/cpu_id.h>

#if defined(__x86_64__) || defined(__i386__)
#define CHOOSE(function, ...) \
  if (TestCpuFlag(kCpuHasAVX2)) { \
    cpixels_avx2_##function(__VA_ARGS__); \
  } else { \
    cpixels_plain_##function(__VA_ARGS__); \
  }
#else
#define CHOOSE(function, ...) cpixels_plain_##function(__VA_ARGS__);
#endif

#define BOTH(function, ...) \
  void cpixels_plain_##function(__VA_ARGS__); \
  void cpixels_avx2_##function(__VA_ARGS__); \
  void cpixels_##function(__VA_ARGS__)

BOTH(blend_to_words, const cpixels_rows *rows, int16_t *out, int count) { CHOOSE(blend_to_words, rows, out, count) }

BOTH(blend_to_bytes, const cpixels_rows *rows, uint8_t *out, int count) { CHOOSE(blend_to_bytes, rows, out, count) }

BOTH(blend_words, const int16_t *a, const int16_t *b, int second, uint8_t *out, int count) { CHOOSE(blend_words, a, b, second, out, count) }

BOTH(halve, const uint8_t *upper, const uint8_t *lower, uint8_t *out, int count) { CHOOSE(halve, upper, lower, out, count) }

BOTH(scale_to_words, const int16_t *in, const cpixels_columns *columns, int channels, int16_t *out) {
  CHOOSE(scale_to_words, in, columns, channels, out)
}

BOTH(scale_to_bytes, const int16_t *in, const cpixels_columns *columns, int channels, uint8_t *out) {
  CHOOSE(scale_to_bytes, in, columns, channels, out)
}

BOTH(luma, const uint8_t *pixels, const cpixels_sample *y, uint8_t *out, int count) { CHOOSE(luma, pixels, y, out, count) }

BOTH(chroma, const uint8_t *upper, const uint8_t *lower, const cpixels_sample *u, const cpixels_sample *v, uint8_t *out_u,
     uint8_t *out_v, int step, int count) {
  CHOOSE(chroma, upper, lower, u, v, out_u, out_v, step, count)
}

BOTH(to_colors, const uint8_t *y, const uint8_t *u, const uint8_t *v, int step, const cpixels_colors *colors, uint8_t *out, int count) {
  CHOOSE(to_colors, y, u, v, step, colors, out, count)
}
