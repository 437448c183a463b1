/* What every candidate of the Opus comparison is given: the same sound, in packets of 20 ms at 48 kHz, and the same settings. */
#ifndef BENCH_OPUS_INPUT_H
#define BENCH_OPUS_INPUT_H

#include <stdint.h>

enum { OPUS_INPUT_RATE = 48000, OPUS_INPUT_SAMPLES = 960, OPUS_INPUT_WARM_UP = 50 };

struct opus_input {
  uint32_t channels, complexity, bitrate;
  int is_speech;   /* for VOIP, else AUDIO */
  uint64_t count;  /* packets to be timed; OPUS_INPUT_WARM_UP go before */
  uint32_t length; /* packets in memory, which come round and round */
  int16_t *s16;
  float *f32;      /* the same samples, divided by 32,768 */
};

/* arguments: "speech"|WAV COMPLEXITY PACKETS. "speech" is mono, made here: voiced syllables of changing pitch and vowels, hisses and
 * pauses. The WAV file is of s16 at 48 kHz. */
void opus_input_open(struct opus_input *input, char *const arguments[3]);
void opus_input_close(struct opus_input *input);

/* Packet i of either kind. */
int16_t *opus_input_s16(const struct opus_input *input, uint64_t i);
float *opus_input_f32(const struct opus_input *input, uint64_t i);

/* How much processor time a packet took, and the bytes. */
void opus_input_report(const struct opus_input *input, double cpu, uint64_t bytes);

#endif
