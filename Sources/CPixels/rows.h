/* Blending whole rows, for the vectors of vectors.h; NAME gives each function its name. */
#include "pixels.h"
#include "vectors.h"

enum { TO_WORDS = CPIXELS_WEIGHT - CPIXELS_FRACTION, TO_BYTES = CPIXELS_WEIGHT, WORDS_TO_BYTES = CPIXELS_WEIGHT + CPIXELS_FRACTION };

static inline numbers half(int shift) { return (numbers){0} + (1 << (shift - 1)); }

/* VECTOR columns from x on, as low_bytes and high_bytes take them apart. */
static inline void blend_vector(const cpixels_rows *rows, int x, int shift, numbers sum[4]) {
  const bytes zero = {0};
  const uint8_t *row = rows->first + x;
  for (int i = 0; i < 4; i++) sum[i] = half(shift);
  for (int tap = 0; tap < rows->taps; tap += 2) {
    int alone = tap + 1 == rows->taps;
    words pair = weight_pair(rows->weights[tap], alone ? 0 : rows->weights[tap + 1]);
    bytes a = load_bytes(row), b = load_bytes(alone ? row : row + rows->stride);
    bytes low = low_bytes(a, b), high = high_bytes(a, b);
    sum[0] += multiply_pairs((words)low_bytes(low, zero), pair);
    sum[1] += multiply_pairs((words)high_bytes(low, zero), pair);
    sum[2] += multiply_pairs((words)low_bytes(high, zero), pair);
    sum[3] += multiply_pairs((words)high_bytes(high, zero), pair);
    row += 2 * rows->stride;
  }
  for (int i = 0; i < 4; i++) sum[i] >>= shift;
}

static inline int blend_column(const cpixels_rows *rows, int x, int shift) {
  int sum = 1 << (shift - 1);
  for (int tap = 0; tap < rows->taps; tap++) sum += rows->weights[tap] * rows->first[tap * rows->stride + x];
  return sum >> shift;
}

/* The last vector overlaps the one before, so that none reaches beyond the row. */
static inline int next_vector(int x, int count) { return x + VECTOR < count && x + 2 * VECTOR > count ? count - VECTOR : x + VECTOR; }

void NAME(blend_to_words)(const cpixels_rows *rows, int16_t *out, int count) {
  if (count < VECTOR) {
    for (int x = 0; x < count; x++) out[x] = (int16_t)blend_column(rows, x, TO_WORDS);
    return;
  }
  for (int x = 0; x < count; x = next_vector(x, count)) {
    numbers sum[4];
    blend_vector(rows, x, TO_WORDS, sum);
    store_words(out + x, narrow_numbers(sum[0], sum[1]), narrow_numbers(sum[2], sum[3]));
  }
}

void NAME(blend_to_bytes)(const cpixels_rows *rows, uint8_t *out, int count) {
  if (count < VECTOR) {
    for (int x = 0; x < count; x++) out[x] = (uint8_t)blend_column(rows, x, TO_BYTES);
    return;
  }
  for (int x = 0; x < count; x = next_vector(x, count)) {
    numbers sum[4];
    blend_vector(rows, x, TO_BYTES, sum);
    bytes result = narrow_words(narrow_numbers(sum[0], sum[1]), narrow_numbers(sum[2], sum[3]));
    memcpy(out + x, &result, sizeof result);
  }
}

/* As many results as a vector has words. */
static inline words blend_some(const int16_t *a, const int16_t *b, words pair) {
  words upper = load_words(a), lower = load_words(b);
  return narrow_numbers((multiply_pairs(low_words(upper, lower), pair) + half(WORDS_TO_BYTES)) >> WORDS_TO_BYTES,
                        (multiply_pairs(high_words(upper, lower), pair) + half(WORDS_TO_BYTES)) >> WORDS_TO_BYTES);
}

void NAME(blend_words)(const int16_t *a, const int16_t *b, int second, uint8_t *out, int count) {
  words pair = weight_pair(CPIXELS_ONE - second, second);
  for (int x = 0; x < count; x += VECTOR) {
    bytes result = words_in_order(narrow_words(blend_some(a + x, b + x, pair), blend_some(a + x + VECTOR / 2, b + x + VECTOR / 2, pair)));
    if (count - x >= VECTOR) {
      memcpy(out + x, &result, sizeof result);
    } else {
      memcpy(out + x, &result, (size_t)(count - x));
    }
  }
}

/* The sums of two by two pixels of four bytes. */
static inline words sum_pixels(const uint8_t *upper, const uint8_t *lower) {
  const bytes zero = {0};
  bytes a = load_bytes(upper), b = load_bytes(lower);
  words low = (words)low_bytes(a, zero) + (words)low_bytes(b, zero), high = (words)high_bytes(a, zero) + (words)high_bytes(b, zero);
  return first_fours(low, high) + last_fours(low, high);
}

void NAME(halve)(const uint8_t *upper, const uint8_t *lower, uint8_t *out, int count) {
  const int all = 4 * count;
  int x = 0;
  for (; x + VECTOR <= all; x += VECTOR) {
    words first = sum_pixels(upper + 2 * x, lower + 2 * x), second = sum_pixels(upper + 2 * x + VECTOR, lower + 2 * x + VECTOR);
    bytes result = words_in_order(narrow_words((first + 2) >> 2, (second + 2) >> 2));
    memcpy(out + x, &result, sizeof result);
  }
  for (; x < all; x++) {
    int at = 2 * x - x % 4;
    out[x] = (uint8_t)((upper[at] + upper[at + 4] + lower[at] + lower[at + 4] + 2) >> 2);
  }
}
