/* Sample rate converters of others behind one face: 44.1 to 48 kHz, mono, float. */
#ifndef BENCH_RESAMPLERS_H
#define BENCH_RESAMPLERS_H

enum { RESAMPLE_FROM = 44100, RESAMPLE_TO = 48000, RESAMPLE_PIECE = 441, RESAMPLE_ROOM = 4096 };

enum resampler_library { RESAMPLER_SPEEX, RESAMPLER_SOXR, RESAMPLER_SOXR_VARIABLE, RESAMPLER_SAMPLERATE, RESAMPLER_SWRESAMPLE };

struct resampler {
  enum resampler_library library;
  void *state;
  double ratio; /* of output to input */
};

/* "speexdsp-4" ... "speexdsp-10", "soxr-lq", "soxr-lq18", "soxr-mq", "soxr-hq", "soxr-variable", "samplerate-fastest", "samplerate-medium",
 * "samplerate-best", "swresample". Ends the program for another name. */
void resampler_open(struct resampler *resampler, const char *name);
void resampler_close(struct resampler *resampler);

/* The input's clock is fast by ppm from now on. Returns 0 when the ratio is fixed. */
int resampler_drift(struct resampler *resampler, int ppm);

/* Takes `count` samples, of which there are at most RESAMPLE_PIECE; how many come out, into room for RESAMPLE_ROOM. */
int resampler_run(struct resampler *resampler, const float *in, int count, float *out);

#endif
