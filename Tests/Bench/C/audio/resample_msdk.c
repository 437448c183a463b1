/* The same of MediaSDK, by the whole way that sound takes through it: a sender of 44.1 kHz, a receiver that wants 48 kHz, raw, on a virtual
 * clock, on one thread. The same way at equal rates is timed too; the difference is the converter.
 *
 *   resample_msdk */
#include "measure.h"
#include "resamplers.h"
#include "sound.h"
#include "tone.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SECONDS = 3, FREE = RESAMPLE_TO / 2, HOUR_PART = 240 };

static float out[(SECONDS + 1) * RESAMPLE_TO];
static double times[(SECONDS + 1) * RESAMPLE_TO];
static int made, keeps;
static double untimely; /* how far a buffer's timestamp was from where its sound belongs, in seconds, at most */

static void called_back(void *first, const msdk_audio_frame *frame) {
  int count = (int)frame->sample_count;
  if (keeps && made + count <= (int)(sizeof out / sizeof *out)) memcpy(out + made, frame->planes[0], (size_t)count * sizeof *out);
  if (made == 0) *(int64_t *)first = frame->timestamp_ns;
  untimely = fmax(untimely, fabs((double)(frame->timestamp_ns - *(int64_t *)first) / 1e9 - (double)made / frame->format->sample_rate));
  made += count;
}

static void way_open(struct sound *way, uint32_t wanted_rate, int64_t *first) {
  msdk_outgoing_audio_options options = sound_options(1);
  options.sample_rate = RESAMPLE_FROM;
  options.buffer_ms = 10;
  sound_open(way, MSDK_CLOCK_VIRTUAL, &options);
  must(msdk_incoming_audio_set_frame_callback(way->incoming, called_back, first), "setting the frame callback");
  msdk_incoming_audio_options wanted = MSDK_INIT(msdk_incoming_audio_options);
  wanted.delivery = MSDK_DELIVERY_DIRECT;
  wanted.sample_rate = wanted_rate;
  sound_receive(way, &wanted);
  made = 0;
}

static void pass(struct sound *way, const float *piece) {
  must(msdk_outgoing_audio_send(way->outgoing, piece, RESAMPLE_PIECE * sizeof *piece, 0, 0, NULL, NULL), "msdk_outgoing_audio_send");
  must(msdk_engine_advance_clock(way->engine, 10000000), "msdk_engine_advance_clock");
}

static struct tone_fit tone(double frequency, double *held) {
  struct sound way;
  int64_t first = 0;
  float in[RESAMPLE_PIECE];
  keeps = 1;
  *held = 1;
  way_open(&way, RESAMPLE_TO, &first);
  for (int piece = 0; piece < SECONDS * RESAMPLE_FROM / RESAMPLE_PIECE && made < SECONDS * RESAMPLE_TO; piece++) {
    for (int i = 0; i < RESAMPLE_PIECE; i++) in[i] = tone_sample(frequency, RESAMPLE_FROM, piece * RESAMPLE_PIECE + i);
    pass(&way, in);
    double behind = (double)(piece + 1) * RESAMPLE_PIECE / RESAMPLE_FROM - (double)made / RESAMPLE_TO;
    if (piece > 100 && behind < *held) *held = behind;
  }
  sound_close(&way);
  for (int i = 0; i < made; i++) times[i] = (double)i / RESAMPLE_TO;
  return tone_fit(out, times, made, FREE, frequency);
}

static double seconds_an_hour(uint32_t rate) {
  struct sound way;
  int64_t first = 0;
  float in[RESAMPLE_PIECE];
  for (int i = 0; i < RESAMPLE_PIECE; i++) in[i] = tone_sample(1000, RESAMPLE_FROM, i);
  keeps = 0;
  way_open(&way, rate, &first);
  double cpu = cpu_seconds();
  for (int i = 0; i < 3600 * (RESAMPLE_FROM / RESAMPLE_PIECE) / HOUR_PART; i++) pass(&way, in);
  cpu = cpu_seconds() - cpu;
  sound_close(&way);
  return cpu * HOUR_PART;
}

int main(int argc, char **argv) {
  if (argc != 1) die("usage: %s", argv[0]);
  double held, unused;
  report("snr_1k", tone(1000, &held).snr);
  report("delay_ms", held * 1e3);
  report("snr_10k", tone(10000, &unused).snr);
  for (int khz = 16; khz <= 20; khz += 2) {
    char key[32];
    snprintf(key, sizeof key, "response_%dk", khz);
    report(key, 20 * log10(tone(khz * 1000, &unused).amplitude / 0.5));
  }
  double whole = seconds_an_hour(RESAMPLE_TO), way = seconds_an_hour(RESAMPLE_FROM);
  report("untimely_us", untimely * 1e6);
  report("cpu_hour_whole", whole);
  report("cpu_hour_way", way);
  report("cpu_hour", whole - way);
  return 0;
}
