/* Vectors of 16 bytes, or of 32 where CPIXELS_AVX2 is defined: what plain operators cannot say. As the instructions for 32 bytes do, the
 * functions treat both halves of 16 bytes each by itself. */
#ifndef CPIXELS_VECTORS_H
#define CPIXELS_VECTORS_H

#include <stdint.h>
#include <string.h>
#if defined(CPIXELS_AVX2)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(CPIXELS_AVX2)
enum { VECTOR = 32 };
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
enum { VECTOR = 16 };
#endif

typedef uint8_t bytes __attribute__((vector_size(VECTOR)));
typedef int16_t words __attribute__((vector_size(VECTOR)));
typedef uint16_t unsigned_words __attribute__((vector_size(VECTOR)));
typedef int32_t numbers __attribute__((vector_size(VECTOR)));

static inline bytes load_bytes(const uint8_t *from) {
  bytes value;
  memcpy(&value, from, sizeof value);
  return value;
}

static inline words load_words(const int16_t *from) {
  words value;
  memcpy(&value, from, sizeof value);
  return value;
}

/* Each half of its own; a vector of 16 bytes is the first of them. */
static inline words load_halves(const int16_t *first, const int16_t *second) {
  words value;
  memcpy(&value, first, 16);
#if defined(CPIXELS_AVX2)
  memcpy((uint8_t *)&value + 16, second, 16);
#else
  (void)second;
#endif
  return value;
}

/* Two weights, over and over. */
static inline words weight_pair(int first, int second) {
  return (words)((numbers){0} + (int32_t)((uint32_t)(uint16_t)first | (uint32_t)(uint16_t)second << 16));
}

#if defined(CPIXELS_AVX2)
/* Products of words, added up in pairs. */
static inline numbers multiply_pairs(words a, words b) { return (numbers)_mm256_madd_epi16((__m256i)a, (__m256i)b); }
/* Products of words, divided by 2^15 and rounded. */
static inline words multiply_fractions(words a, words b) { return (words)_mm256_mulhrs_epi16((__m256i)a, (__m256i)b); }
/* The upper halves of products. */
static inline unsigned_words multiply_high(unsigned_words a, unsigned_words b) {
  return (unsigned_words)_mm256_mulhi_epu16((__m256i)a, (__m256i)b);
}
static inline words add_saturated(words a, words b) { return (words)_mm256_adds_epi16((__m256i)a, (__m256i)b); }
/* VECTOR / 2 bytes as words. */
static inline unsigned_words load_wide(const uint8_t *from) {
  __m128i value;
  memcpy(&value, from, sizeof value);
  return (unsigned_words)_mm256_cvtepu8_epi16(value);
}
/* Numbers that fit in a word. */
static inline words narrow_numbers(numbers a, numbers b) { return (words)_mm256_packs_epi32((__m256i)a, (__m256i)b); }
/* Words, clipped to bytes. */
static inline bytes narrow_words(words a, words b) { return (bytes)_mm256_packus_epi16((__m256i)a, (__m256i)b); }
static inline bytes low_bytes(bytes a, bytes b) { return (bytes)_mm256_unpacklo_epi8((__m256i)a, (__m256i)b); }
static inline bytes high_bytes(bytes a, bytes b) { return (bytes)_mm256_unpackhi_epi8((__m256i)a, (__m256i)b); }
static inline words low_words(words a, words b) { return (words)_mm256_unpacklo_epi16((__m256i)a, (__m256i)b); }
static inline words high_words(words a, words b) { return (words)_mm256_unpackhi_epi16((__m256i)a, (__m256i)b); }
/* Of each half the first four words, and the last. */
static inline words first_fours(words a, words b) { return (words)_mm256_unpacklo_epi64((__m256i)a, (__m256i)b); }
static inline words last_fours(words a, words b) { return (words)_mm256_unpackhi_epi64((__m256i)a, (__m256i)b); }
/* The numbers with even places of both, and those with odd ones. */
static inline numbers even_numbers(numbers a, numbers b) { return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14); }
static inline numbers odd_numbers(numbers a, numbers b) { return __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15); }
/* Stores what low_bytes and high_bytes took apart, each half being two quarters. */
static inline void store_words(int16_t *out, words low, words high) {
  words pair[2] = {(words)_mm256_permute2x128_si256((__m256i)low, (__m256i)high, 0x20),
                   (words)_mm256_permute2x128_si256((__m256i)low, (__m256i)high, 0x31)};
  memcpy(out, pair, sizeof pair);
}
/* Stores what low_bytes, high_bytes and then low_words, high_words took apart. */
static inline void store_pixels(uint8_t *out, words a, words b, words c, words d) {
  __m256i four[4] = {
    _mm256_permute2x128_si256((__m256i)a, (__m256i)b, 0x20), _mm256_permute2x128_si256((__m256i)c, (__m256i)d, 0x20),
    _mm256_permute2x128_si256((__m256i)a, (__m256i)b, 0x31), _mm256_permute2x128_si256((__m256i)c, (__m256i)d, 0x31)};
  memcpy(out, four, sizeof four);
}
/* The order of four vectors of numbers, after narrowing them twice. */
static inline bytes in_order(bytes value) {
  return (bytes)__builtin_shufflevector((numbers)value, (numbers)value, 0, 4, 1, 5, 2, 6, 3, 7);
}
/* The order of two vectors of numbers, after narrowing them; of two of words, after narrowing those. */
static inline words numbers_in_order(words value) { return (words)_mm256_permute4x64_epi64((__m256i)value, 0xD8); }
static inline bytes words_in_order(bytes value) { return (bytes)_mm256_permute4x64_epi64((__m256i)value, 0xD8); }
/* The order of samples of two kinds that went through even_numbers and were narrowed twice: first those of one kind, then the others. */
static inline bytes kinds_in_order(bytes value) {
  return (bytes)__builtin_shufflevector((words)value, (words)value, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}
/* One of the first half, one of the second. */
static inline bytes interleaved(bytes value) {
  bytes apart = (bytes)_mm256_permute4x64_epi64((__m256i)value, 0xD8);
  return low_bytes(apart, (bytes)_mm256_srli_si256((__m256i)apart, 8));
}
#else
static inline bytes low_bytes(bytes a, bytes b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline bytes high_bytes(bytes a, bytes b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
static inline words low_words(words a, words b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
static inline words high_words(words a, words b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
static inline words first_fours(words a, words b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11); }
static inline words last_fours(words a, words b) { return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15); }
static inline numbers even_numbers(numbers a, numbers b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
static inline numbers odd_numbers(numbers a, numbers b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }
static inline void store_words(int16_t *out, words low, words high) {
  words pair[2] = {low, high};
  memcpy(out, pair, sizeof pair);
}
static inline bytes in_order(bytes value) { return value; }
static inline void store_pixels(uint8_t *out, words a, words b, words c, words d) {
  words four[4] = {a, b, c, d};
  memcpy(out, four, sizeof four);
}
static inline words numbers_in_order(words value) { return value; }
static inline bytes words_in_order(bytes value) { return value; }
static inline bytes kinds_in_order(bytes value) { return value; }
static inline bytes interleaved(bytes value) {
  return __builtin_shufflevector(value, value, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline unsigned_words load_wide(const uint8_t *from) {
  typedef uint8_t eight_bytes __attribute__((vector_size(8)));
  eight_bytes value;
  memcpy(&value, from, sizeof value);
  return __builtin_convertvector(value, unsigned_words);
}

#if defined(__SSE2__)
static inline unsigned_words multiply_high(unsigned_words a, unsigned_words b) {
  return (unsigned_words)_mm_mulhi_epu16((__m128i)a, (__m128i)b);
}
static inline words multiply_fractions(words a, words b) {
  words high = (words)_mm_mulhi_epi16((__m128i)a, (__m128i)b);
  unsigned_words low = (unsigned_words)a * (unsigned_words)b;
  return (words)((unsigned_words)high * 2 + (low >> 15) + (low >> 14 & 1));
}
static inline words add_saturated(words a, words b) { return (words)_mm_adds_epi16((__m128i)a, (__m128i)b); }
static inline numbers multiply_pairs(words a, words b) { return (numbers)_mm_madd_epi16((__m128i)a, (__m128i)b); }
static inline words narrow_numbers(numbers a, numbers b) { return (words)_mm_packs_epi32((__m128i)a, (__m128i)b); }
static inline bytes narrow_words(words a, words b) { return (bytes)_mm_packus_epi16((__m128i)a, (__m128i)b); }
#else
typedef int16_t four_words __attribute__((vector_size(8)));
#define EACH(result, expression) \
  for (int i = 0; i < 8; i++) result[i] = (expression)
static inline unsigned_words multiply_high(unsigned_words a, unsigned_words b) {
  unsigned_words result;
  EACH(result, (uint16_t)((uint32_t)a[i] * b[i] >> 16));
  return result;
}
static inline words multiply_fractions(words a, words b) {
  words result;
  EACH(result, (int16_t)((a[i] * b[i] + (1 << 14)) >> 15));
  return result;
}
static inline words add_saturated(words a, words b) {
  words result;
  EACH(result, (int16_t)(a[i] + b[i] > 32767 ? 32767 : a[i] + b[i] < -32768 ? -32768 : a[i] + b[i]));
  return result;
}
static inline numbers widen(four_words a) { return __builtin_convertvector(a, numbers); }
static inline numbers multiply_pairs(words a, words b) {
  return widen(__builtin_shufflevector(a, a, 0, 2, 4, 6)) * widen(__builtin_shufflevector(b, b, 0, 2, 4, 6)) +
         widen(__builtin_shufflevector(a, a, 1, 3, 5, 7)) * widen(__builtin_shufflevector(b, b, 1, 3, 5, 7));
}
static inline words narrow_numbers(numbers a, numbers b) {
  return __builtin_shufflevector((words)a, (words)b, 0, 2, 4, 6, 8, 10, 12, 14);
}
static inline bytes narrow_words(words a, words b) {
  a = ((a & (a > 0)) | (a > 255)) & 255;
  b = ((b & (b > 0)) | (b > 255)) & 255;
  return __builtin_shufflevector((bytes)a, (bytes)b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
#endif
#endif

#endif
