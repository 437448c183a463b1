/* The three kinds of files. A writer is told of every frame of the stream that is to be kept, in their order, and is finished once. */
#ifndef FILERENDERER_WRITER_H
#define FILERENDERER_WRITER_H

#include "output.h"

typedef struct fr_writer fr_writer;

typedef struct fr_kind {
  const char *name;
  bool (*accepts)(const fr_writer *, const msdk_video_format *); /* NULL: no pictures */
  msdk_result (*picture)(fr_writer *, const msdk_video_frame *); /* of a format that is accepted */
  msdk_result (*encoded)(fr_writer *, const msdk_encoded_frame *); /* NULL: no encoded frames */
  msdk_result (*finish)(fr_writer *); /* may be NULL */
} fr_kind;

struct fr_writer {
  const fr_kind *kind; /* NULL: not open */
  fr_output output;
  uint64_t frames;          /* that were taken */
  msdk_video_format format; /* of the first, which every later one must fit; IVF: of the last */
  uint8_t *buffer;          /* of the kind's own */
  uint64_t buffer_size;
  uint64_t wanted;       /* PNG: the number, from 1, of the picture to keep */
  bool written;          /* PNG: it is in the file */
  bool kept;             /* PNG: `buffer` holds a picture, of `format` */
  bool needs_key;        /* IVF: nothing can be decoded before the next key frame */
  int64_t first_ns;      /* IVF: the time of the first frame */
  uint64_t last_stamp;   /* IVF */
};

extern const fr_kind fr_y4m, fr_ivf, fr_png;

/* Room for at least `size` bytes in writer->buffer; what was in it is gone. */
msdk_result fr_reserve(fr_writer *writer, uint64_t size);

#endif
