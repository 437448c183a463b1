/* The loops over pixels that libyuv does not have, or has with a bias: scaling with weights of 14 bits, RGB to YUV and back with
 * rounding. They need vector instructions, which Swift cannot name. Which weights go where is decided in MediaCodecs.
 *
 * Any alignment is accepted. Where a processor has AVX2 it is used; the results are the same, bit for bit. */
#ifndef CPIXELS_H
#define CPIXELS_H

#include <stddef.h>
#include <stdint.h>

/* Between two passes of scaling, samples are words (16 bits) with CPIXELS_FRACTION bits of fraction. The weights of one result are not
 * negative and add up to CPIXELS_ONE: so what is uniform stays so, exactly. */
enum { CPIXELS_FRACTION = 7, CPIXELS_WEIGHT = 14, CPIXELS_ONE = 1 << CPIXELS_WEIGHT };

/* Rows of words have room for that many words more, which may be read and written. */
enum { CPIXELS_PADDING = 64 };

/* Rows of bytes, `stride` bytes apart, and their weights. Nothing is read beyond the last column of any of them. */
typedef struct cpixels_rows {
  const uint8_t *first;
  ptrdiff_t stride;
  const int16_t *weights;
  int taps;
} cpixels_rows;

/* The weighted sum of rows. */
void cpixels_blend_to_words(const cpixels_rows *rows, int16_t *out, int count);
void cpixels_blend_to_bytes(const cpixels_rows *rows, uint8_t *out, int count);
/* The same of two rows of words; `second` is the weight of b. */
void cpixels_blend_words(const int16_t *a, const int16_t *b, int second, uint8_t *out, int count);

/* The mean of two by two pixels of four bytes, for `count` results. */
void cpixels_halve(const uint8_t *upper, const uint8_t *lower, uint8_t *out, int count);

/* Where the samples of each of `count` results begin, never before those of the result before, and their weights, filled up with weights
 * of 0: `taps` are 2, or a multiple of four. Results are filled up to a multiple of 32. Two weights a result lie result by result; more lie
 * by groups of four taps and four results: weights[(result / 4 * (taps / 4) + tap / 4) * 16 + result % 4 * 4 + tap % 4] */
typedef struct cpixels_columns {
  const int32_t *first;
  const int16_t *weights;
  int taps;
  int count;
} cpixels_columns;

/* Scales a row of pixels of one word each, or of four. */
void cpixels_scale_to_words(const int16_t *in, const cpixels_columns *columns, int channels, int16_t *out);
void cpixels_scale_to_bytes(const int16_t *in, const cpixels_columns *columns, int channels, uint8_t *out);

/* How pixels of four bytes become a sample: the sum of the products with `weights`, in units of 1 / 2^CPIXELS_MATRIX, and `offset`. */
enum { CPIXELS_MATRIX = 15 };
typedef struct cpixels_sample {
  int16_t weights[4];
  int offset;
} cpixels_sample;

void cpixels_luma(const uint8_t *pixels, const cpixels_sample *y, uint8_t *out, int count);
/* Of two rows of `count` pixels, one sample for two by two of them; an odd last column counts twice. The samples of each kind are `step`
 * bytes apart: 1, or 2 and v is u + 1. */
void cpixels_chroma(const uint8_t *upper, const uint8_t *lower, const cpixels_sample *u, const cpixels_sample *v, uint8_t *out_u,
                    uint8_t *out_v, int step, int count);

/* How samples become pixels of four bytes: alpha, which is opaque, first or last, then blue before red or red before blue. A channel is
 * (y * 257 * luma / 2^16 + offset + the sum of chroma from -128 to 127, times its weights, / 2^7) / 2^6. */
typedef struct cpixels_colors {
  uint16_t luma;
  int16_t offset;
  int16_t v_to_red, u_to_green, v_to_green, u_to_blue;
  int alpha_first, red_first;
} cpixels_colors;

/* A row of `count` pixels; chroma as in cpixels_chroma. */
void cpixels_to_colors(const uint8_t *y, const uint8_t *u, const uint8_t *v, int step, const cpixels_colors *colors, uint8_t *out,
                       int count);

#endif
