/* A file of pictures: what both containers have in common. A file is a header and then frames, each with a header of its own in front of
 * its bytes; a container knows how to find the frame at a position and how to make a picture of its bytes. */
#ifndef FILEPRODUCER_SOURCE_H
#define FILEPRODUCER_SOURCE_H

#include "file.h"

#include <stdbool.h>

/* 4:2:0 planes, valid until the next call on the source. Without chroma (plane[1] == NULL) it is grey. */
typedef struct fp_picture {
  const uint8_t *plane[3];
  int32_t stride[3];
  uint32_t flags; /* MSDK_FRAME_CORRUPT or 0 */
} fp_picture;

typedef struct fp_chunk { /* where the bytes of a frame are */
  uint64_t offset, size;
} fp_chunk;

typedef struct fp_source fp_source;

typedef struct fp_container {
  bool needs_every_frame; /* frames build on those before them, so that skipping means decoding */
  msdk_result (*open)(fp_source *);
  /* The frame whose header begins at `at`, number `index` from 0. MSDK_E_CLOSED at the end of the file. */
  msdk_result (*locate)(fp_source *, uint64_t at, uint64_t index, fp_chunk *out);
  /* MSDK_E_CORRUPT: this frame is lost, the next may be good. MSDK_E_AGAIN: decoded, but not meant to be seen. */
  msdk_result (*decode)(fp_source *, const uint8_t *bytes, uint64_t size, fp_picture *out);
  void (*close)(fp_source *);
} fp_container;

struct fp_source {
  fp_report report;
  const fp_container *container; /* NULL: not open */
  fp_file file;
  uint32_t width, height, fps_num, fps_den, full_range;
  bool mono;
  uint64_t first;        /* position of the first frame's header */
  uint64_t next, index;  /* position and number, from 0, of the frame to read next */
  uint64_t decoded;      /* frames of this pass through the file that became pictures */
  uint8_t *buffer;
  uint64_t buffer_size;
  void *codec;
};

extern const fp_container fp_y4m, fp_ivf;

/* Opens, decides by the content, reads the headers, and checks that there is a first frame. On failure nothing stays open. */
msdk_result fp_source_open(fp_source *source, const char *path);
void fp_source_close(fp_source *source);

/* MSDK_E_CLOSED at the end, MSDK_E_AGAIN when this frame was lost (and logged) but the next may be good. */
msdk_result fp_source_read(fp_source *source, fp_picture *out);
msdk_result fp_source_skip(fp_source *source);

/* True when there certainly is no frame `ahead` frames after the next one. */
bool fp_source_ends_before(fp_source *source, uint64_t ahead);
void fp_source_rewind(fp_source *source);

/* Room for at least `size` bytes in source->buffer. */
msdk_result fp_source_reserve(fp_source *source, uint64_t size);

/* A frame rate as a fraction in lowest terms; false when it is 0 or no rate that a film has (above 1000 a second). */
bool fp_rate(uint64_t num, uint64_t den, uint32_t *out_num, uint32_t *out_den);

#endif
