#include "resamplers.h"

#include "measure.h"

#include <libavutil/channel_layout.h>
#include <libswresample/swresample.h>
#include <math.h>
#include <samplerate.h>
#include <soxr.h>
#include <speex/speex_resampler.h>
#include <string.h>

enum { LQ_18_BITS = 100 };

static const struct {
  const char *name;
  enum resampler_library library;
  int quality;
} candidates[] = {
  {"speexdsp-4", RESAMPLER_SPEEX, 4},         {"speexdsp-5", RESAMPLER_SPEEX, 5},
  {"speexdsp-6", RESAMPLER_SPEEX, 6},         {"speexdsp-7", RESAMPLER_SPEEX, 7},
  {"speexdsp-8", RESAMPLER_SPEEX, 8},         {"speexdsp-10", RESAMPLER_SPEEX, 10},
  {"soxr-lq", RESAMPLER_SOXR, SOXR_LQ},       {"soxr-lq18", RESAMPLER_SOXR, LQ_18_BITS},
  {"soxr-mq", RESAMPLER_SOXR, SOXR_MQ},       {"soxr-hq", RESAMPLER_SOXR, SOXR_HQ},
  {"soxr-variable", RESAMPLER_SOXR_VARIABLE, SOXR_HQ},
  {"samplerate-fastest", RESAMPLER_SAMPLERATE, SRC_SINC_FASTEST},
  {"samplerate-medium", RESAMPLER_SAMPLERATE, SRC_SINC_MEDIUM_QUALITY},
  {"samplerate-best", RESAMPLER_SAMPLERATE, SRC_SINC_BEST_QUALITY},
  {"swresample", RESAMPLER_SWRESAMPLE, 0},
};

static void *speex_open(int quality) {
  int error = 0;
  SpeexResamplerState *state = speex_resampler_init(1, RESAMPLE_FROM, RESAMPLE_TO, quality, &error);
  if (error == 0) speex_resampler_skip_zeros(state);
  return error == 0 ? state : NULL;
}

static void *soxr_open(int wanted, int is_variable, double ratio) {
  soxr_error_t error = NULL;
  soxr_quality_spec_t quality =
    soxr_quality_spec(wanted == LQ_18_BITS ? SOXR_LQ : (unsigned long)wanted, is_variable ? SOXR_VR : 0);
  if (wanted == LQ_18_BITS) quality.precision = 18;
  /* With a variable rate the rates given are the greatest ratio that may come. */
  soxr_t state = soxr_create(is_variable ? 2 : RESAMPLE_FROM, is_variable ? 1 : RESAMPLE_TO, 1, &error, NULL, &quality, NULL);
  if (is_variable && error == NULL) error = soxr_set_io_ratio(state, 1 / ratio, 0);
  return error == NULL ? state : NULL;
}

static void *swresample_open(void) {
  AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO;
  SwrContext *state = NULL;
  int failed =
    swr_alloc_set_opts2(&state, &mono, AV_SAMPLE_FMT_FLT, RESAMPLE_TO, &mono, AV_SAMPLE_FMT_FLT, RESAMPLE_FROM, 0, NULL) < 0;
  return failed || swr_init(state) < 0 ? NULL : state;
}

void resampler_open(struct resampler *resampler, const char *name) {
  size_t i = 0, count = sizeof candidates / sizeof *candidates;
  while (i < count && strcmp(candidates[i].name, name) != 0) i++;
  if (i == count) die("there is no resampler '%s'", name);
  int quality = candidates[i].quality, error = 0;
  *resampler = (struct resampler){.library = candidates[i].library, .ratio = (double)RESAMPLE_TO / RESAMPLE_FROM};
  switch (resampler->library) {
    case RESAMPLER_SPEEX: resampler->state = speex_open(quality); break;
    case RESAMPLER_SOXR: resampler->state = soxr_open(quality, 0, resampler->ratio); break;
    case RESAMPLER_SOXR_VARIABLE: resampler->state = soxr_open(quality, 1, resampler->ratio); break;
    case RESAMPLER_SAMPLERATE: resampler->state = src_new(quality, 1, &error); break;
    case RESAMPLER_SWRESAMPLE: resampler->state = swresample_open(); break;
  }
  if (resampler->state == NULL) die("%s cannot be made", name);
}

void resampler_close(struct resampler *resampler) {
  switch (resampler->library) {
    case RESAMPLER_SPEEX: speex_resampler_destroy(resampler->state); break;
    case RESAMPLER_SOXR:
    case RESAMPLER_SOXR_VARIABLE: soxr_delete(resampler->state); break;
    case RESAMPLER_SAMPLERATE: src_delete(resampler->state); break;
    case RESAMPLER_SWRESAMPLE: swr_free((SwrContext **)&resampler->state); break;
  }
}

static int speex_drift(struct resampler *resampler, int ppm) {
  /* Steps of 34 ppm or more: it multiplies two denominators in 32 bits, and where they overflow it goes on with half of its state
   * changed. No common divisor, so that the denominator stays: with a smaller one it rounds the place in the sound, which is a click. */
  spx_uint32_t numerator = (spx_uint32_t)lrint(58800 * (1 + ppm * 1e-6)) | 1;
  if (numerator % 5 == 0) numerator += 2;
  resampler->ratio = 64000.0 / numerator;
  return speex_resampler_set_rate_frac(resampler->state, numerator, 64000, RESAMPLE_FROM, RESAMPLE_TO) == 0;
}

int resampler_drift(struct resampler *resampler, int ppm) {
  resampler->ratio = (double)RESAMPLE_TO / RESAMPLE_FROM / (1 + ppm * 1e-6);
  switch (resampler->library) {
    case RESAMPLER_SPEEX: return speex_drift(resampler, ppm);
    case RESAMPLER_SAMPLERATE: return src_set_ratio(resampler->state, resampler->ratio) == 0;
    case RESAMPLER_SOXR_VARIABLE: return soxr_set_io_ratio(resampler->state, 1 / resampler->ratio, 0) == NULL;
    default: return 0;
  }
}

int resampler_run(struct resampler *resampler, const float *in, int count, float *out) {
  switch (resampler->library) {
    case RESAMPLER_SPEEX: {
      spx_uint32_t taken = (spx_uint32_t)count, made = RESAMPLE_ROOM;
      speex_resampler_process_float(resampler->state, 0, in, &taken, out, &made);
      return (int)made;
    }
    case RESAMPLER_SAMPLERATE: {
      SRC_DATA data = {
        .data_in = in, .data_out = out, .input_frames = count, .output_frames = RESAMPLE_ROOM, .src_ratio = resampler->ratio};
      return src_process(resampler->state, &data) == 0 ? (int)data.output_frames_gen : 0;
    }
    case RESAMPLER_SWRESAMPLE: {
      const uint8_t *from = (const uint8_t *)in;
      uint8_t *to = (uint8_t *)out;
      int made = swr_convert(resampler->state, &to, RESAMPLE_ROOM, &from, count);
      return made < 0 ? 0 : made;
    }
    default: {
      size_t taken = 0, made = 0;
      soxr_process(resampler->state, in, (size_t)count, &taken, out, RESAMPLE_ROOM, &made);
      return (int)made;
    }
  }
}
