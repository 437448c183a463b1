/* Scaling along a row, for the vectors of vectors.h; NAME gives each function its name. Each result has weights of its own, so a vector is
 * put together from a few samples at a time. */
#include "pixels.h"
#include "vectors.h"

enum { HALVES = VECTOR / 16, COLUMNS_TO_WORDS = CPIXELS_WEIGHT, COLUMNS_TO_BYTES = CPIXELS_WEIGHT + CPIXELS_FRACTION };

/* Two samples of each result. */
static inline words load_twos(const int16_t *in, const int32_t *first) {
#if defined(CPIXELS_AVX2)
  /* Those of four results are less than eight samples apart: they are picked out of one load. */
  numbers places;
  memcpy(&places, first, sizeof places);
  places -= __builtin_shufflevector(places, places, 0, 0, 0, 0, 4, 4, 4, 4);
  const bytes spread = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12};
  const bytes next = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  __m256i picked = (__m256i)((bytes)_mm256_shuffle_epi8((__m256i)(places + places), (__m256i)spread) + next);
  return (words)_mm256_shuffle_epi8((__m256i)load_halves(in + first[0], in + first[4]), picked);
#else
  int32_t twos[4];
  for (int i = 0; i < 4; i++) memcpy(&twos[i], in + first[i], sizeof twos[0]);
  return (words)(numbers){twos[0], twos[1], twos[2], twos[3]};
#endif
}

/* Four samples of each of two results, and in the second half of the two that come four later. */
static inline words load_fours(const int16_t *in, const int32_t *first) {
  int64_t fours[2 * HALVES];
  for (int i = 0; i < HALVES; i++) {
    memcpy(&fours[2 * i], in + first[4 * i], sizeof fours[0]);
    memcpy(&fours[2 * i + 1], in + first[4 * i + 1], sizeof fours[0]);
  }
  typedef int64_t longs __attribute__((vector_size(VECTOR)));
#if defined(CPIXELS_AVX2)
  return (words)(longs){fours[0], fours[1], fours[2], fours[3]};
#else
  return (words)(longs){fours[0], fours[1]};
#endif
}

/* As many results of one channel as a vector has numbers, of `taps` samples each. */
static inline numbers scale_one(const int16_t *in, const int32_t *first, const int16_t *weights, int taps) {
  const ptrdiff_t block = (ptrdiff_t)4 * taps;
  numbers low = {0}, high = {0};
  for (int tap = 0; tap < taps; tap += 4, in += 4, weights += 16) {
    low += multiply_pairs(load_fours(in, first), load_halves(weights, weights + block));
    high += multiply_pairs(load_fours(in, first + 2), load_halves(weights + 8, weights + 8 + block));
  }
  return even_numbers(low, high) + odd_numbers(low, high);
}

/* The same of two samples each. */
static inline numbers scale_one_of_two(const int16_t *in, const int32_t *first, const int16_t *weights) {
  return multiply_pairs(load_twos(in, first), load_words(weights));
}

/* One pair of weights for each half. */
static inline words load_pairs(const int16_t *first, const int16_t *second) {
  int32_t pairs[2];
  memcpy(&pairs[0], first, sizeof pairs[0]);
  memcpy(&pairs[1], second, sizeof pairs[1]);
#if defined(CPIXELS_AVX2)
  return (words)(numbers){pairs[0], pairs[0], pairs[0], pairs[0], pairs[1], pairs[1], pairs[1], pairs[1]};
#else
  return (words)(numbers){pairs[0], pairs[0], pairs[0], pairs[0]};
#endif
}

/* Two pixels of each half, channel by channel. */
static inline words load_pixels(const int16_t *first, const int16_t *second) {
  words pixels = load_halves(first, second);
#if defined(CPIXELS_AVX2)
  return __builtin_shufflevector(pixels, pixels, 0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
#else
  return __builtin_shufflevector(pixels, pixels, 0, 4, 1, 5, 2, 6, 3, 7);
#endif
}

/* One result of four channels in each half. */
static inline numbers scale_four(const int16_t *in, const int32_t *first, const int16_t *weights, int taps) {
  const int16_t *a = in + (ptrdiff_t)4 * first[0], *b = in + (ptrdiff_t)4 * first[HALVES - 1];
  if (taps == 2) return multiply_pairs(load_pixels(a, b), load_pairs(weights, weights + 2));
  numbers sum = {0};
  for (int tap = 0; tap < taps; tap += 4, a += 16, b += 16, weights += 16) {
    sum += multiply_pairs(load_pixels(a, b), load_pairs(weights, weights + 4));
    sum += multiply_pairs(load_pixels(a + 8, b + 8), load_pairs(weights + 2, weights + 6));
  }
  return sum;
}

/* A vector of results, from that one on. */
static inline numbers scale_vector(const int16_t *in, const cpixels_columns *columns, int result, int channels, int taps, int shift) {
  const int32_t *first = columns->first + result;
  const int16_t *weights = columns->weights + (taps == 2 ? 2 * result : (ptrdiff_t)4 * taps * (result / 4) + result % 4 * 4);
  numbers sum = channels == 4 ? scale_four(in, first, weights, taps)
                : taps == 2   ? scale_one_of_two(in, first, weights)
                              : scale_one(in, first, weights, taps);
  return (sum + (1 << (shift - 1))) >> shift;
}

/* Four vectors of results. */
static inline void scale_vectors(const int16_t *in, const cpixels_columns *columns, int result, int channels, int taps, int shift,
                                 numbers sums[4]) {
  const int step = VECTOR / 4 / channels;
  sums[0] = scale_vector(in, columns, result, channels, taps, shift);
  sums[1] = scale_vector(in, columns, result + step, channels, taps, shift);
  sums[2] = scale_vector(in, columns, result + 2 * step, channels, taps, shift);
  sums[3] = scale_vector(in, columns, result + 3 * step, channels, taps, shift);
}

static inline void scale_to_words(const int16_t *in, const cpixels_columns *columns, int channels, int taps, int16_t *out) {
  for (int x = 0; x < columns->count; x += VECTOR / channels) {
    numbers sums[4];
    scale_vectors(in, columns, x, channels, taps, COLUMNS_TO_WORDS, sums);
    words first = numbers_in_order(narrow_numbers(sums[0], sums[1])), second = numbers_in_order(narrow_numbers(sums[2], sums[3]));
    memcpy(out + (ptrdiff_t)channels * x, &first, sizeof first);
    memcpy(out + (ptrdiff_t)channels * x + VECTOR / 2, &second, sizeof second);
  }
}

static inline void scale_to_bytes(const int16_t *in, const cpixels_columns *columns, int channels, int taps, uint8_t *out) {
  const int bytes_in_all = channels * columns->count;
  for (int x = 0; x < bytes_in_all; x += VECTOR) {
    numbers sums[4];
    scale_vectors(in, columns, x / channels, channels, taps, COLUMNS_TO_BYTES, sums);
    bytes result = in_order(narrow_words(narrow_numbers(sums[0], sums[1]), narrow_numbers(sums[2], sums[3])));
    if (bytes_in_all - x >= VECTOR) {
      memcpy(out + x, &result, sizeof result);
    } else {
      memcpy(out + x, &result, (size_t)(bytes_in_all - x));
    }
  }
}

/* Gives the loop its number of channels, and mostly that of taps, as constants. */
#define WITH_TAPS(function, channels) \
  switch (columns->taps) { \
    case 2: function(in, columns, channels, 2, out); break; \
    case 4: function(in, columns, channels, 4, out); break; \
    default: function(in, columns, channels, columns->taps, out); break; \
  }
#define WITH_CONSTANTS(function) \
  if (channels == 1) { \
    WITH_TAPS(function, 1) \
  } else { \
    WITH_TAPS(function, 4) \
  }

void NAME(scale_to_words)(const int16_t *in, const cpixels_columns *columns, int channels, int16_t *out) {
  WITH_CONSTANTS(scale_to_words)
}

void NAME(scale_to_bytes)(const int16_t *in, const cpixels_columns *columns, int channels, uint8_t *out) {
  WITH_CONSTANTS(scale_to_bytes)
}
