/* A WAVE file that is written. It is a valid file at every moment: the header says less than there is, and is brought up to date once a
 * second and at the end. Beyond 4 GiB it becomes an RF64 file (EBU Tech 3306): the room for that is kept from the beginning, in a chunk
 * JUNK. */
#ifndef WAV_OUTPUT_H
#define WAV_OUTPUT_H

#include "../report.h"

#include <stdbool.h>

typedef struct wav_output {
  plugin_report report;
  int fd;          /* -1: not open */
  char *path;      /* owned */
  bool created;    /* there was no such file before */
  int error;       /* the errno of the first failure; 0: none yet */
  uint32_t sample_rate, channels, bits; /* bits 0: nothing was written yet; 16 and 24 are whole numbers, 32 is float */
  uint32_t header_bytes;
  uint64_t written, told; /* samples per channel in the file, and in its header */
} wav_output;

/* Opens for writing but leaves what is in the file alone until begin. Regular files only; never waits. */
msdk_result wav_output_open(wav_output *output, const char *path, bool shared);
/* Empties the file and writes the header. */
msdk_result wav_output_begin(wav_output *output, uint32_t sample_rate, uint32_t channels, uint32_t bits);
/* Samples as they are in the file. All or nothing; after the first failure every call fails like it. */
msdk_result wav_output_append(wav_output *output, const void *samples, uint32_t count);
msdk_result wav_output_append_silence(wav_output *output, uint64_t count);
/* Completes and closes in any case. A file that was created here and never begun is removed. */
msdk_result wav_output_close(wav_output *output);

#endif
