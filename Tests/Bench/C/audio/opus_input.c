#include "opus_input.h"

#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPEECH_PACKETS = 250, WAV_HEADER = 12, CHUNK_HEADER = 8, HARMONICS = 30 };
static const double PI = 3.14159265358979323846;

static int16_t *room_for(struct opus_input *input, uint32_t packets) {
  input->length = packets;
  size_t samples = (size_t)packets * OPUS_INPUT_SAMPLES * input->channels;
  input->s16 = malloc(samples * sizeof *input->s16);
  input->f32 = malloc(samples * sizeof *input->f32);
  if (packets == 0 || input->s16 == NULL || input->f32 == NULL) die("no room for %u packets", packets);
  return input->s16;
}

/* How loud a frequency is in a vowel of three formants. */
static double vowel(int which, double frequency) {
  static const double formants[4][3] = {{730, 1090, 2440}, {270, 2290, 3010}, {300, 870, 2240}, {530, 1840, 2480}};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double off = (frequency - formants[which][i]) / (60 + 40 * i);
    sum += 1 / (1 + off * off) / (1 + i);
  }
  return sum;
}

/* Four syllables a second; each begins with a hiss and goes on as a vowel; each eighth is a pause. */
static void make_speech(struct opus_input *input) {
  int16_t *to = room_for(input, SPEECH_PACKETS);
  uint32_t random = 1;
  double phase = 0;
  for (int i = 0; i < SPEECH_PACKETS * OPUS_INPUT_SAMPLES; i++) {
    int syllable = i / (OPUS_INPUT_RATE / 4);
    double within = i % (OPUS_INPUT_RATE / 4) / (OPUS_INPUT_RATE / 4.0), value = 0;
    double pitch = 110 + 25 * sin(2 * PI * 0.6 * i / OPUS_INPUT_RATE) - 15 * within;
    phase += pitch / OPUS_INPUT_RATE;
    random = random * 1664525 + 1013904223;
    double hiss = (double)(random >> 8) / (1 << 23) - 1;
    if (within < 0.2) {
      value = 0.08 * hiss * sin(PI * within / 0.2);
    } else {
      for (int harmonic = 1; harmonic <= HARMONICS; harmonic++) {
        value += vowel(syllable % 4, harmonic * pitch) * sin(2 * PI * harmonic * phase);
      }
      value = 0.2 * sin(PI * (within - 0.2) / 0.8) * (value + 0.05 * hiss);
    }
    to[i] = (int16_t)lrint(fmax(-0.9, fmin(0.9, syllable % 8 == 7 ? 0.0005 * hiss : value)) * 32767);
  }
}

static uint32_t le(const uint8_t *at, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint32_t)at[i] << 8 * i;
  return value;
}

static void read_wav(struct opus_input *input, const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t header[CHUNK_HEADER], format[16] = {0};
  if (file == NULL || fseek(file, WAV_HEADER, SEEK_SET) != 0) die("cannot read %s", path);
  while (fread(header, 1, sizeof header, file) == sizeof header) {
    uint32_t size = le(header + 4, 4);
    if (memcmp(header, "data", 4) == 0) {
      input->channels = le(format + 2, 2);
      if (le(format, 2) != 1 || le(format + 14, 2) != 16 || le(format + 4, 4) != OPUS_INPUT_RATE || input->channels - 1 > 1) break;
      uint32_t bytes = OPUS_INPUT_SAMPLES * input->channels * 2, packets = size / bytes;
      if (fread(room_for(input, packets), bytes, packets, file) != packets) break;
      fclose(file);
      return;
    }
    long skip = (long)size + (size & 1);
    if (memcmp(header, "fmt ", 4) == 0 && fread(format, 1, sizeof format, file) == sizeof format) skip -= (long)sizeof format;
    if (fseek(file, skip, SEEK_CUR) != 0) break;
  }
  die("%s is not a WAV file of s16 at %d Hz", path, OPUS_INPUT_RATE);
}

void opus_input_open(struct opus_input *input, char *const arguments[3]) {
  *input = (struct opus_input){.channels = 1, .is_speech = strcmp(arguments[0], "speech") == 0};
  if (input->is_speech) make_speech(input);
  else read_wav(input, arguments[0]);
  input->complexity = (uint32_t)count_from(arguments[1]);
  input->count = count_from(arguments[2]);
  input->bitrate = 32000 * input->channels;
  size_t samples = (size_t)input->length * OPUS_INPUT_SAMPLES * input->channels;
  for (size_t i = 0; i < samples; i++) input->f32[i] = (float)input->s16[i] / 32768;
}

void opus_input_close(struct opus_input *input) {
  free(input->s16);
  free(input->f32);
}

int16_t *opus_input_s16(const struct opus_input *input, uint64_t i) {
  return input->s16 + i % input->length * OPUS_INPUT_SAMPLES * input->channels;
}

float *opus_input_f32(const struct opus_input *input, uint64_t i) {
  return input->f32 + i % input->length * OPUS_INPUT_SAMPLES * input->channels;
}

void opus_input_report(const struct opus_input *input, double cpu, uint64_t bytes) {
  report("cpu_us", cpu * 1e6 / (double)input->count);
  report("bytes", (double)bytes);
}
