/* Reads an IVF file whole: a 32 byte header, then for each frame 4 bytes of size, 8 of timestamp, and the data. */
#ifndef IVF_H
#define IVF_H

#include "check.h"

typedef struct ivf_frame {
  const uint8_t *data;
  uint32_t size;
} ivf_frame;

typedef struct ivf_clip {
  uint8_t *file;
  uint32_t width, height, rate, scale, count;
  ivf_frame frame[512];
} ivf_clip;

static inline uint32_t ivf_u32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The clip of Tests/Media, or of MSDK_TEST_MEDIA. 1 when it was read. */
static inline int ivf_open(ivf_clip *clip) {
  const char *directory = getenv("MSDK_TEST_MEDIA");
  char path[4096];
  snprintf(path, sizeof path, "%s/bunny-720p25.ivf", directory != NULL ? directory : "Tests/Media");
  memset(clip, 0, sizeof *clip);
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  clip->file = malloc((size_t)size);
  size_t got = clip->file != NULL ? fread(clip->file, 1, (size_t)size, file) : 0;
  fclose(file);
  if (got != (size_t)size || size < 32 || memcmp(clip->file, "DKIF", 4) != 0) return 0;
  clip->width = (uint32_t)clip->file[12] | (uint32_t)clip->file[13] << 8;
  clip->height = (uint32_t)clip->file[14] | (uint32_t)clip->file[15] << 8;
  clip->rate = ivf_u32(clip->file + 16);
  clip->scale = ivf_u32(clip->file + 20);
  for (size_t at = 32; at + 12 <= got && clip->count < 512; clip->count++) {
    uint32_t bytes = ivf_u32(clip->file + at);
    if (at + 12 + bytes > got) break;
    clip->frame[clip->count].data = clip->file + at + 12;
    clip->frame[clip->count].size = bytes;
    at += 12 + bytes;
  }
  return clip->count > 0;
}

static inline void ivf_close(ivf_clip *clip) { free(clip->file); }

/* A frame of the SDK's made from a copy of the bytes; NULL when it was refused. */
static inline msdk_encoded_frame *encoded_of(const uint8_t *data, uint64_t size, int64_t timestamp_ns) {
  msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame);
  source.codec = MSDK_CODEC_VP8;
  source.data = data;
  source.size = size;
  source.timestamp_ns = timestamp_ns;
  msdk_encoded_frame *frame = NULL;
  return msdk_encoded_frame_create(&source, &frame) >= 0 ? frame : NULL;
}

#endif
