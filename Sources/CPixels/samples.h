/* RGB to YUV, for the vectors of vectors.h; NAME gives each function its name. */
#include "pixels.h"
#include "vectors.h"

/* Chroma is of four pixels. */
enum { OF_ONE = CPIXELS_MATRIX, OF_FOUR = CPIXELS_MATRIX + 2 };

/* A pixel is two words with bytes 0 and 2, and two with bytes 1 and 3. */
typedef struct split {
  words even, odd;
} split;

typedef struct matrix_row {
  words even, odd;
  numbers offset;
} matrix_row;

static inline split split_pixels(const uint8_t *pixels) {
  unsigned_words value = (unsigned_words)load_bytes(pixels);
  return (split){(words)(value & 255), (words)(value >> 8)};
}

static inline matrix_row matrix_row_of(const cpixels_sample *sample, int shift) {
  int offset = (sample->offset << shift) + (1 << (shift - 1));
  return (matrix_row){weight_pair(sample->weights[0], sample->weights[2]), weight_pair(sample->weights[1], sample->weights[3]),
                      (numbers){0} + offset};
}

static inline numbers apply(const matrix_row *row, split value, int shift) {
  return (multiply_pairs(value.even, row->even) + multiply_pairs(value.odd, row->odd) + row->offset) >> shift;
}

static inline numbers luma_of(const matrix_row *row, const uint8_t *pixels) { return apply(row, split_pixels(pixels), OF_ONE); }

static inline uint8_t sample_of(const cpixels_sample *sample, const int sums[4], int shift) {
  int sum = (sample->offset << shift) + (1 << (shift - 1));
  for (int i = 0; i < 4; i++) sum += sample->weights[i] * sums[i];
  return (uint8_t)(sum >> shift);
}

void NAME(luma)(const uint8_t *pixels, const cpixels_sample *y, uint8_t *out, int count) {
  matrix_row row = matrix_row_of(y, OF_ONE);
  int x = 0;
  for (; x + VECTOR <= count; x += VECTOR) {
    const uint8_t *at = pixels + (ptrdiff_t)4 * x;
    bytes result = in_order(narrow_words(narrow_numbers(luma_of(&row, at), luma_of(&row, at + VECTOR)),
                                         narrow_numbers(luma_of(&row, at + 2 * VECTOR), luma_of(&row, at + 3 * VECTOR))));
    memcpy(out + x, &result, sizeof result);
  }
  for (; x < count; x++) {
    const uint8_t *at = pixels + (ptrdiff_t)4 * x;
    int sums[4] = {at[0], at[1], at[2], at[3]};
    out[x] = sample_of(y, sums, OF_ONE);
  }
}

/* The sums of two by two pixels, in the order of even_numbers. */
static inline split sum_blocks(const uint8_t *upper, const uint8_t *lower) {
  split a = split_pixels(upper), b = split_pixels(lower), c = split_pixels(upper + VECTOR), d = split_pixels(lower + VECTOR);
  numbers even[2] = {(numbers)(a.even + b.even), (numbers)(c.even + d.even)};
  numbers odd[2] = {(numbers)(a.odd + b.odd), (numbers)(c.odd + d.odd)};
  return (split){(words)even_numbers(even[0], even[1]) + (words)odd_numbers(even[0], even[1]),
                 (words)even_numbers(odd[0], odd[1]) + (words)odd_numbers(odd[0], odd[1])};
}

static inline void store_chroma(numbers u, numbers v, numbers more_u, numbers more_v, uint8_t *out_u, uint8_t *out_v, int step) {
  uint8_t samples[2][VECTOR / 2];
  bytes both = kinds_in_order(narrow_words(narrow_numbers(u, more_u), narrow_numbers(v, more_v)));
  memcpy(samples, &both, sizeof samples);
  if (step == 1) {
    memcpy(out_u, samples[0], sizeof samples[0]);
    memcpy(out_v, samples[1], sizeof samples[1]);
  } else {
    bytes pairs = interleaved(both);
    memcpy(out_u, &pairs, sizeof pairs);
  }
}

void NAME(chroma)(const uint8_t *upper, const uint8_t *lower, const cpixels_sample *u, const cpixels_sample *v, uint8_t *out_u,
                  uint8_t *out_v, int step, int count) {
  matrix_row row_u = matrix_row_of(u, OF_FOUR), row_v = matrix_row_of(v, OF_FOUR);
  int x = 0;
  for (; x + VECTOR <= count; x += VECTOR) {
    const uint8_t *a = upper + (ptrdiff_t)4 * x, *b = lower + (ptrdiff_t)4 * x;
    split first = sum_blocks(a, b), second = sum_blocks(a + 2 * VECTOR, b + 2 * VECTOR);
    store_chroma(apply(&row_u, first, OF_FOUR), apply(&row_v, first, OF_FOUR), apply(&row_u, second, OF_FOUR),
                 apply(&row_v, second, OF_FOUR), out_u + x / 2 * step, out_v + x / 2 * step, step);
  }
  for (; x < count; x += 2) {
    const uint8_t *a = upper + (ptrdiff_t)4 * x, *b = lower + (ptrdiff_t)4 * x;
    int next = x + 1 < count ? 4 : 0, sums[4];
    for (int i = 0; i < 4; i++) sums[i] = a[i] + a[i + next] + b[i] + b[i + next];
    out_u[x / 2 * step] = sample_of(u, sums, OF_FOUR);
    out_v[x / 2 * step] = sample_of(v, sums, OF_FOUR);
  }
}
