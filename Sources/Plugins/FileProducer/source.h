/* A file of pictures: what both containers have in common. A file is a header and then frames, each with a header of its own in front of
 * its bytes; a container knows how to find the frame at a position and how to make a picture of its bytes. */
#ifndef FILEPRODUCER_SOURCE_H
#define FILEPRODUCER_SOURCE_H

#include "file.h"
#include "schedule.h"

/* 4:2:0 planes, valid until the next call on the source. Without chroma (plane[1] == NULL) it is grey. */
typedef struct fp_picture {
  const uint8_t *plane[3];
  int32_t stride[3];
  uint32_t width, height; /* the source's, but where frames of VP8 change it */
  uint32_t flags; /* MSDK_FRAME_CORRUPT or 0 */
} fp_picture;

typedef struct fp_chunk { /* where the bytes of a frame are */
  uint64_t offset, size;
  uint64_t stamp; /* in the source's units */
  bool hidden;    /* not to be shown: others build on it. It has no time, and counts for nothing but decoding */
} fp_chunk;

typedef struct fp_cursor { /* position and number, from 0, of a frame */
  uint64_t next, index;
  /* For fp_source_look: the stamp before, whether it is that of a hidden frame one unit after its predecessor's, and the units taken so. */
  uint64_t stamp;
  bool took_unit;
  uint64_t taken;
} fp_cursor;

typedef struct fp_source fp_source;

typedef struct fp_container {
  bool needs_every_frame; /* frames build on those before them, so that skipping means decoding */
  msdk_result (*open)(fp_source *);
  /* The frame whose header begins at `at`, number `index` from 0. MSDK_E_CLOSED at the end of the file. */
  msdk_result (*locate)(fp_source *, uint64_t at, uint64_t index, fp_chunk *out);
  /* MSDK_E_CORRUPT: this frame is lost, the next may be good. MSDK_E_AGAIN: decoded, and no picture came of it. */
  msdk_result (*decode)(fp_source *, const uint8_t *bytes, uint64_t size, fp_picture *out);
  void (*close)(fp_source *);
} fp_container;

struct fp_source {
  plugin_report report;
  const fp_container *container; /* NULL: not open */
  fp_file file;
  uint32_t width, height, fps_num, fps_den, full_range;
  bool mono;
  fp_unit unit;     /* of the stamps */
  bool unit_is_frame;
  uint64_t first;   /* position of the first frame's header */
  fp_cursor at;     /* the frame to read next */
  uint64_t decoded; /* frames of this pass through the file that became pictures */
  uint64_t shown;   /* frames, of all passes, that were to be shown and are behind `at` */
  uint8_t *buffer;
  uint64_t buffer_size;
  void *codec;
};

extern const fp_container fp_y4m, fp_ivf;

/* Opens, decides by the content, reads the headers, and checks that there is a frame to show. On failure nothing stays open. */
msdk_result fp_source_open(fp_source *source, const char *path);
void fp_source_close(fp_source *source);

/* The next frame that is to be shown. MSDK_E_CLOSED at the end; MSDK_E_AGAIN when it was lost (and logged) but the next may be good, or,
 * `shown` being what it was, when there were too many hidden ones before it for one call. */
msdk_result fp_source_read(fp_source *source, fp_picture *out);
msdk_result fp_source_skip(fp_source *source);
/* The next frame as it is stored, hidden or not: *out says where its bytes in source->buffer are of. Nothing is decoded. */
msdk_result fp_source_read_packet(fp_source *source, fp_chunk *out);
void fp_source_rewind(fp_source *source);

/* The stamp of the first frame from there on that is to be shown, with the cursor behind it. Reads no picture and gives no words: what is
 * wrong further on is reported when it is reached. Where a unit is a frame (unit_is_frame), some muxers, FFmpeg's among them, give a hidden
 * frame a unit of its own, as no two stamps may be the same, and everything later comes later by that: these units are taken away again. */
msdk_result fp_source_look(fp_source *source, fp_cursor *cursor, uint64_t *stamp);

/* Room for at least `size` bytes in source->buffer. */
msdk_result fp_source_reserve(fp_source *source, uint64_t size);

#endif
