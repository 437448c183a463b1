/* One sample rate converter, 44.1 to 48 kHz in float, mono, in buffers of 10 ms: how far what is not the tone lies below it, the delay, the
 * processor time that an hour of sound takes, the response near the upper end, and how clean a tone of 1 kHz stays while the ratio changes
 * by up to 1,000 ppm with every buffer.
 *
 *   resample_quality NAME      of resamplers.h */
#include "measure.h"
#include "resamplers.h"
#include "tone.h"

#include <math.h>
#include <stdio.h>

enum { SECONDS = 3, FREE = RESAMPLE_TO / 2, HOUR_PART = 240 };

static float out[(SECONDS + 1) * RESAMPLE_TO];
static double times[(SECONDS + 1) * RESAMPLE_TO];

/* *held: the least input that had gone in, for which nothing had come out, in seconds. */
static struct tone_fit tone(const char *name, double frequency, double *held) {
  struct resampler resampler;
  resampler_open(&resampler, name);
  float in[RESAMPLE_PIECE];
  int made = 0;
  *held = 1;
  for (int piece = 0; piece < SECONDS * RESAMPLE_FROM / RESAMPLE_PIECE && made < SECONDS * RESAMPLE_TO; piece++) {
    for (int i = 0; i < RESAMPLE_PIECE; i++) in[i] = tone_sample(frequency, RESAMPLE_FROM, piece * RESAMPLE_PIECE + i);
    made += resampler_run(&resampler, in, RESAMPLE_PIECE, out + made);
    double behind = (double)(piece + 1) * RESAMPLE_PIECE / RESAMPLE_FROM - (double)made / RESAMPLE_TO;
    if (piece > 100 && behind < *held) *held = behind;
  }
  for (int i = 0; i < made; i++) times[i] = (double)i / RESAMPLE_TO;
  resampler_close(&resampler);
  return tone_fit(out, times, made, FREE, frequency);
}

/* Says nothing of a converter whose ratio is fixed. */
static void report_drifting(const char *name) {
  struct resampler resampler;
  resampler_open(&resampler, name);
  float in[RESAMPLE_PIECE];
  int made = 0, drifts = 1;
  long double position = 0;
  for (int piece = 0; drifts && piece < SECONDS * RESAMPLE_FROM / RESAMPLE_PIECE && made < SECONDS * RESAMPLE_TO; piece++) {
    for (int i = 0; i < RESAMPLE_PIECE; i++) in[i] = tone_sample(1000, RESAMPLE_FROM, piece * RESAMPLE_PIECE + i);
    drifts = resampler_drift(&resampler, (piece * 37 % 201 - 100) * 10);
    int more = resampler_run(&resampler, in, RESAMPLE_PIECE, out + made);
    for (int i = 0; i < more; i++, position += 1 / (long double)resampler.ratio) times[made + i] = (double)(position / RESAMPLE_FROM);
    made += more;
  }
  resampler_close(&resampler);
  if (drifts) report("snr_drifting", tone_fit(out, times, made, FREE, 1000).snr);
}

static double seconds_an_hour(const char *name) {
  struct resampler resampler;
  resampler_open(&resampler, name);
  float in[RESAMPLE_PIECE];
  for (int i = 0; i < RESAMPLE_PIECE; i++) in[i] = tone_sample(1000, RESAMPLE_FROM, i);
  double cpu = cpu_seconds();
  for (int i = 0; i < 3600 * (RESAMPLE_FROM / RESAMPLE_PIECE) / HOUR_PART; i++) resampler_run(&resampler, in, RESAMPLE_PIECE, out);
  cpu = cpu_seconds() - cpu;
  resampler_close(&resampler);
  return cpu * HOUR_PART;
}

int main(int argc, char **argv) {
  if (argc != 2) die("usage: resample_quality NAME");
  double held, unused;
  report("snr_1k", tone(argv[1], 1000, &held).snr);
  report("delay_ms", held * 1e3);
  report("snr_10k", tone(argv[1], 10000, &unused).snr);
  for (int khz = 16; khz <= 20; khz += 2) {
    char key[32];
    snprintf(key, sizeof key, "response_%dk", khz);
    report(key, 20 * log10(tone(argv[1], khz * 1000, &unused).amplitude / 0.5));
  }
  report_drifting(argv[1]);
  report("cpu_hour", seconds_an_hour(argv[1]));
  return 0;
}
