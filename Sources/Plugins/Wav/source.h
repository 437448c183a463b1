/* A WAVE file that is read. */
#ifndef WAV_SOURCE_H
#define WAV_SOURCE_H

#include "../report.h"

#include <sndfile.h>
#include <stdbool.h>

enum { WAV_RATE_MIN = 8000, WAV_RATE_MAX = 192000, WAV_SAMPLES_MAX = 192000 };

typedef struct wav_source {
  plugin_report report;
  int fd; /* -1: not open */
  SNDFILE *file;
  uint32_t sample_rate, channels, sample_format;
  uint64_t length, at; /* in samples per channel */
  bool told_numbers;
} wav_source;

/* Opens and checks that there is sound that can be played. On failure nothing stays open. */
msdk_result wav_source_open(wav_source *source, const char *path);
void wav_source_close(wav_source *source);

/* Reads up to `count` samples per channel of the source's format; fewer only where the file ends. */
uint32_t wav_source_read(wav_source *source, void *samples, uint32_t count);
/* Passes over so many samples per channel, to the end at most. */
void wav_source_skip(wav_source *source, uint64_t count);
/* Bytes of a sample of all channels. */
uint32_t wav_source_width(const wav_source *source);
/* False when the file does not let itself be read from its beginning again. */
bool wav_source_rewind(wav_source *source);

#endif
