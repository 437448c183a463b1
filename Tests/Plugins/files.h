/* Files of tests, whole, and the little-endian numbers in them. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include "check.h"

#include <stdint.h>
#include <stdlib.h>

/* One of Tests/Media, valid until the next call. */
static inline const char *media_path(const char *name) {
  static char path[1024];
  const char *folder = getenv("MSDK_TEST_MEDIA");
  snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "Tests/Media", name);
  return path;
}

/* The bytes of a file, which the caller frees; there is a 0 behind them. Ends the program when there is no such file. */
static inline uint8_t *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    printf("%s is missing; MSDK_TEST_MEDIA names the folder of Tests/Media\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*size + 1);
  CHECK_EQ(fread(bytes, 1, *size, file), *size);
  bytes[*size] = 0;
  fclose(file);
  return bytes;
}

static inline void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL);
  if (file == NULL) return;
  CHECK_EQ(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static inline uint32_t u32_at(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void put_u32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

#endif
