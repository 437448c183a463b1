/* A file in memory that has other contents for every input, and a host that takes every word. */
#ifndef FUZZING_FILE_H
#define FUZZING_FILE_H

#define _GNU_SOURCE
#include <mediasdk/plugin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void take_log(msdk_host_context *context, int32_t level, const char *text) {
  (void)context;
  (void)level;
  if (strlen(text) > 4096) abort();
}

static inline void take_error(msdk_host_context *context, msdk_result result, const char *text) {
  if (result >= 0) abort();
  take_log(context, 0, text);
}

static inline const msdk_host *fuzzing_host(void) {
  static msdk_host host = {.struct_size = sizeof host, .log = take_log, .set_error = take_error};
  return &host;
}

/* The path of a file with those bytes; it ends with the next one. */
static inline const char *fuzzing_file(const uint8_t *bytes, size_t size) {
  static int descriptor = -1;
  static char path[64];
  if (descriptor < 0) descriptor = memfd_create("fuzz", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, 0) != 0 || pwrite(descriptor, bytes, size, 0) != (ssize_t)size) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return path;
}

#endif
