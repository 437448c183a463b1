/* The loops of AudioResampler: a bank of filters, and the sums of samples with it, which need vector instructions that Swift cannot name.
 * When they run, and over which samples, is decided in MediaCodecs. */
#ifndef CRESAMPLER_H
#define CRESAMPLER_H

#include <stdint.h>

/* How far a filter reaches from its middle, in samples of the lower of both rates; coefficients that are multiplied at once. */
enum { CRESAMPLER_REACH = 44, CRESAMPLER_LANES = 8 };

/* `phases` + 1 rows of `taps` coefficients, a multiple of CRESAMPLER_LANES. Row p makes the output that lies p / phases of a sample behind
 * an input sample; between two rows the output lies on the line through the results of both. */
typedef struct cresampler_bank {
  const float *rows;
  int32_t phases;
  int32_t taps;
  int32_t is_wide; /* with AVX2 and FMA, where cresampler_is_wide() says that the processor has both; the rounding differs */
} cresampler_bank;

/* The first output lies part / denominator of a sample (less than one) behind an input sample, each next one step / denominator further. Of
 * integers, so that nothing adds up. */
typedef struct cresampler_places {
  int64_t part;
  int64_t step;
  int64_t denominator;
} cresampler_places;

/* Writes a bank. The last `after` taps are of the samples behind the one before the output. `scale` is output over input rate, at most 1. */
void cresampler_fill(float *rows, int phases, int taps, int after, double scale);

int cresampler_is_wide(void);

/* Writes `count` outputs, `in` being the sample of the first one's first tap. Stereo: `left` and `right` in, interleaved out. */
void cresampler_mono(const cresampler_bank *bank, const cresampler_places *places, const float *in, float *out, int count);
void cresampler_stereo(const cresampler_bank *bank, const cresampler_places *places, const float *left, const float *right, float *out,
                       int count);

#endif
