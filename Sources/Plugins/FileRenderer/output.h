/* The file that is written, whose every failure is seen. What was written whole stays: a write that fails is taken back to where the file
 * was good, and nothing is written after it. */
#ifndef FILERENDERER_OUTPUT_H
#define FILERENDERER_OUTPUT_H

#include "../report.h"

#include <stdbool.h>

typedef struct fr_output {
  plugin_report report;
  int fd;         /* -1: not open */
  char *path;     /* owned */
  bool created;   /* there was no such file before */
  bool begun;     /* something was written, or was tried to be */
  bool regular;   /* no device: can be cut and patched */
  uint64_t size;  /* bytes that are good */
  int error;      /* the errno of the first failure; 0: none yet */
} fr_output;

/* Opens for writing but leaves what is in the file alone until the first write. Regular files and devices only; never waits. */
msdk_result fr_output_open(fr_output *output, const char *path, bool shared);

/* All or nothing, at the end. After the first failure every call fails like it. */
msdk_result fr_output_append(fr_output *output, const void *bytes, uint64_t count);

/* Overwrites bytes that were written before; of a device, does nothing. */
msdk_result fr_output_patch(fr_output *output, uint64_t at, const void *bytes, uint64_t count);

/* Closes in any case. A file that was created here and never written to is removed. */
msdk_result fr_output_close(fr_output *output);

#endif
