/* A regular file, read at stated positions. */
#ifndef FILEPRODUCER_FILE_H
#define FILEPRODUCER_FILE_H

#include "../report.h"

typedef struct fp_file {
  int fd; /* -1: not open */
  uint64_t size; /* when it was opened: what is written to it later is not seen */
} fp_file;

/* Never waits: what is no regular file (a directory, a fifo, a device) is refused. */
msdk_result fp_file_open(fp_file *file, const char *path, const plugin_report *report);
void fp_file_close(fp_file *file);

/* All `count` bytes from `at` on. The caller has checked that the file was long enough. */
msdk_result fp_file_read(const fp_file *file, uint64_t at, void *to, uint64_t count, const plugin_report *report);

#endif
