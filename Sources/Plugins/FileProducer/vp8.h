/* VP8 pictures, decoded with libvpx. */
#ifndef FILEPRODUCER_VP8_H
#define FILEPRODUCER_VP8_H

#include "source.h"

enum { FP_VP8_KEY_HEADER = 10 };

typedef struct fp_vp8_info {
  bool key;
  bool plausible; /* of a key frame: the start code and a size that as many bytes can hold */
  uint32_t width, height;
} fp_vp8_info;

/* Looks at the first FP_VP8_KEY_HEADER bytes of a frame of `size` bytes. */
fp_vp8_info fp_vp8_peek(const uint8_t *bytes, uint64_t size);

/* By the first byte of a frame. */
bool fp_vp8_is_shown(uint8_t first);

msdk_result fp_vp8_open(fp_source *source);
msdk_result fp_vp8_decode(fp_source *source, const uint8_t *bytes, uint64_t size, fp_picture *out);
void fp_vp8_close(fp_source *source);

#endif
