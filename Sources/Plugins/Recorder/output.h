/* The file that is written, seen by the muxer as an AVIOContext. What was written whole stays: a write that fails is taken back to the
 * last place where the file was good, and nothing is written after it. */
#ifndef RECORDER_OUTPUT_H
#define RECORDER_OUTPUT_H

#include "av_error.h"

#include <libavformat/avio.h>
#include <stdbool.h>

typedef struct rec_output {
  plugin_report report;
  int fd;          /* -1: not open */
  char *path;      /* owned */
  bool created;    /* there was no such file before */
  bool begun;      /* the old content is gone */
  bool regular;    /* no device: can be cut, and written to in the middle */
  int64_t at;      /* where the next byte goes */
  int64_t size;    /* bytes in the file */
  int64_t good;    /* bytes that make sense without the ones after them */
  int error;       /* the errno of the first failure; 0: none yet */
  AVIOContext *io; /* NULL before rec_output_begin */
} rec_output;

/* Opens for writing but leaves what is in the file alone. Regular files and devices only; never waits. */
msdk_result rec_output_open(rec_output *output, const char *path, bool shared);

/* Empties the file and makes `io`. */
msdk_result rec_output_begin(rec_output *output);

/* All that was written until now makes sense as it is. */
void rec_output_mark_good(rec_output *output);

/* The error in words, after `error` was set. */
msdk_result rec_output_failed(const rec_output *output);

/* Closes in any case. A file that was created here and never begun is removed. */
msdk_result rec_output_close(rec_output *output);

#endif
