/* How much audio was lost in transit: the correlation of the received audio with the WAV file that was played. Part of demo.c. */
#ifndef LIKENESS_H
#define LIKENESS_H

#include <mediasdk/types.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LIKENESS_LAG_MS = 100, /* how late or early the received audio may be */
  LIKENESS_COARSE = 4,   /* samples between the lags looked at first */
  LIKENESS_SPARSE = 16   /* and of the samples every 16th */
};

typedef struct audio_kept { /* mono */
  float *samples;
  int64_t count, capacity;
  int64_t first_ns; /* when the first sample was captured */
  uint32_t rate;
} audio_kept;

static inline int audio_room(audio_kept *audio, int64_t more) {
  if (audio->count + more <= audio->capacity) return 1;
  int64_t capacity = (audio->count + more) * 2;
  float *samples = realloc(audio->samples, (size_t)capacity * sizeof(float));
  if (samples == NULL) return 0;
  audio->samples = samples;
  audio->capacity = capacity;
  return 1;
}

/* Keeps the mean of the channels, at the place that the buffer's time gives it: a sender who was late leaves a gap. */
static inline void audio_keep(audio_kept *audio, const msdk_audio_frame *frame) {
  uint32_t channels = frame->format->channels;
  if (audio->count == 0) audio->first_ns = frame->timestamp_ns;
  audio->rate = frame->format->sample_rate;
  int64_t place = llround((double)(frame->timestamp_ns - audio->first_ns) * audio->rate / 1e9);
  int64_t more = place + frame->sample_count - audio->count;
  if (place < 0 || !audio_room(audio, more)) return;
  if (more > 0) memset(audio->samples + audio->count, 0, (size_t)more * sizeof(float));
  if (more > 0) audio->count += more;
  for (uint32_t i = 0; i < frame->sample_count; i++) {
    float sum = 0;
    for (uint32_t channel = 0; channel < channels; channel++) {
      uint32_t at = i * channels + channel;
      sum += frame->format->sample_format == MSDK_SAMPLE_S16 ? ((const int16_t *)(const void *)frame->planes[0])[at] / 32768.0f
                                                             : ((const float *)(const void *)frame->planes[0])[at];
    }
    audio->samples[place + i] = sum / (float)channels;
  }
}

static inline uint32_t wav_number(const uint8_t *at, int bytes) {
  uint32_t number = 0;
  for (int i = bytes - 1; i >= 0; i--) number = number << 8 | at[i];
  return number;
}

/* The file's samples, mono; empty if the file is not RIFF/WAVE with 16 bits and one or two channels. */
static inline audio_kept wav_read(const char *path) {
  audio_kept audio = {0};
  uint8_t head[12], chunk[8], format[16] = {0}, pair[4];
  FILE *file = fopen(path, "rb");
  if (file == NULL) return audio;
  int is_wave = fread(head, 1, 12, file) == 12 && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WAVE", 4) == 0;
  while (is_wave && fread(chunk, 1, 8, file) == 8) {
    uint32_t size = wav_number(chunk + 4, 4);
    long next = ftell(file) + (long)size + (long)(size & 1);
    if (memcmp(chunk, "fmt ", 4) == 0 && fread(format, 1, 16, file) != 16) break;
    if (memcmp(chunk, "data", 4) == 0) {
      uint32_t channels = wav_number(format + 2, 2);
      if (wav_number(format, 2) != 1 || wav_number(format + 14, 2) != 16 || channels < 1 || channels > 2) break;
      audio.rate = wav_number(format + 4, 4);
      for (uint32_t left = size / (2 * channels); left > 0 && fread(pair, 2, channels, file) == channels; left--) {
        if (!audio_room(&audio, 1)) break;
        float sum = (float)(int16_t)wav_number(pair, 2) + (channels == 2 ? (float)(int16_t)wav_number(pair + 2, 2) : 0);
        audio.samples[audio.count++] = sum / (float)channels / 32768;
      }
      break;
    }
    if (fseek(file, next, SEEK_SET) != 0) break;
  }
  fclose(file);
  return audio;
}

static inline double audio_dot(const float *a, const float *b, int64_t count, int64_t step) {
  double sum = 0;
  for (int64_t i = 0; i < count; i += step) sum += (double)a[i] * b[i];
  return sum;
}

/* The root mean square, as text. */
static inline void audio_level(const audio_kept *audio, char *out, size_t size) {
  double power = audio->count > 0 ? audio_dot(audio->samples, audio->samples, audio->count, 1) / (double)audio->count : 0;
  if (power > 0) snprintf(out, size, "%.1f dBFS", 10 * log10(power));
  else snprintf(out, size, "silent");
}

/* By how many samples `heard` is later than `known`, found from the second second of audio: first coarsely, then exactly around there. */
static inline int64_t audio_lag(const audio_kept *known, const audio_kept *heard) {
  int64_t rate = known->rate, most = rate * LIKENESS_LAG_MS / 1000, count = heard->count - rate - most, near = 0, best = 0;
  if (count > rate) count = rate;
  double greatest = -INFINITY;
  for (int64_t lag = -most; lag <= most; lag += LIKENESS_COARSE) {
    double likeness = audio_dot(known->samples + rate, heard->samples + rate + lag, count, LIKENESS_SPARSE);
    if (likeness > greatest) greatest = likeness, near = lag;
  }
  greatest = -INFINITY;
  for (int64_t lag = near - 2 * LIKENESS_COARSE; lag <= near + 2 * LIKENESS_COARSE; lag++) {
    double likeness = audio_dot(known->samples + rate, heard->samples + rate + lag, count, 1);
    if (likeness > greatest) greatest = likeness, best = lag;
  }
  return best;
}

/* The greatest correlation, how much was compared, and how late it is, as text. */
static inline void audio_likeness(const audio_kept *known, const audio_kept *heard, char *out, size_t size) {
  int64_t rate = known->rate;
  snprintf(out, size, "unknown");
  if (rate == 0 || heard->rate != known->rate || heard->count < 2 * rate || known->count < 3 * rate) return;
  int64_t lag = audio_lag(known, heard); /* heard[n + lag] is known[n] */
  int64_t first = lag < 0 ? -lag : 0, count = known->count - first;
  if (count > heard->count - first - lag) count = heard->count - first - lag;
  const float *a = known->samples + first, *b = heard->samples + first + lag;
  double energy = sqrt(audio_dot(a, a, count, 1) * audio_dot(b, b, count, 1));
  if (energy <= 0) return;
  snprintf(out, size, "%.4f (%.2f s, %.1f ms late)", audio_dot(a, b, count, 1) / energy, (double)count / (double)rate,
           1000.0 * (double)lag / (double)rate);
}

#endif
