/* A sound renderer of several streams, of encoded frames too, with snapshots: from which each bad one differs in one thing. */
#define IS_RENDERER
#ifndef MORE
#define MORE
#endif
#ifndef ON_UPDATE
#define ON_UPDATE
#endif
#ifndef ON_REMOVE
#define ON_REMOVE drop(self, input)
#endif
#ifndef SNAPSHOT_STRIDE
#define SNAPSHOT_STRIDE into->plane[0].stride
#endif
#ifndef SNAPSHOT_ROWS
#define SNAPSHOT_ROWS into->format->height
#endif
#ifndef ON_PACKET
#define ON_PACKET
#endif
#ifndef ON_END
#define ON_END
#endif
#ifndef RENDERER_TABLE
#define RENDERER_TABLE .flush = NULL
#endif
#define MEMBERS \
  struct { uint32_t number; const msdk_video_frame *last; } inputs[64]; \
  uint32_t width, height; \
  uint8_t picture[1 << 20]; \
  MORE
#define ON_RELEASE \
  for (uint32_t i = 0; i < 64; i++) drop(self, self->inputs[i].number); \
  self->width = 0; \
  ON_END
#define ON_RENDER \
  self->width = frame->format->width; \
  self->height = frame->format->height; \
  if ((uint64_t)self->width * self->height > sizeof self->picture) return say(self, MSDK_E_RANGE, "accepted: a megapixel"); \
  for (uint32_t y = 0; y < self->height; y++) \
    memcpy(self->picture + (size_t)y * self->width, frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride, self->width)
#define HELPERS \
  static void drop(msdk_self *self, uint32_t number) { \
    for (int i = 0; i < 64; i++) { \
      if (number == 0 || self->inputs[i].number != number) continue; \
      if (self->inputs[i].last != NULL) self->host->video_frame_unref(self->inputs[i].last); \
      self->inputs[i].last = NULL; \
      self->inputs[i].number = 0; \
    } \
  } \
  static int place(msdk_self *self, uint32_t number) { \
    for (int i = 0; i < 64; i++) if (self->inputs[i].number == number) return i; \
    for (int i = 0; i < 64; i++) if (self->inputs[i].number == 0) return self->inputs[i].number = number, i; \
    return 0; \
  } \
  static msdk_result update_input(msdk_self *self, uint32_t input, const msdk_input *told) { \
    (void)told; \
    place(self, input); \
    ON_UPDATE; \
    return MSDK_OK; \
  } \
  static msdk_result remove_input(msdk_self *self, uint32_t input) { \
    ON_REMOVE; \
    return MSDK_OK; \
  } \
  static msdk_result render_input(msdk_self *self, uint32_t input, const msdk_video_frame *frame) { \
    int at = place(self, input); \
    self->host->video_frame_ref(frame); \
    if (self->inputs[at].last != NULL) self->host->video_frame_unref(self->inputs[at].last); \
    self->inputs[at].last = frame; \
    return MSDK_OK; \
  } \
  static msdk_result snapshot_format(msdk_self *self, msdk_video_format *out) { \
    if (self->width == 0) return say(self, MSDK_E_AGAIN, "no picture yet"); \
    *out = MSDK_INIT(msdk_video_format); \
    out->pixel_format = MSDK_PIXEL_GRAY8; \
    out->width = self->width; \
    out->height = self->height; \
    return MSDK_OK; \
  } \
  static msdk_result snapshot(msdk_self *self, msdk_video_frame *into) { \
    for (uint32_t y = 0; y < SNAPSHOT_ROWS; y++) \
      memcpy(into->plane[0].data + (ptrdiff_t)y * SNAPSHOT_STRIDE, self->picture + (size_t)y * self->width, self->width); \
    return MSDK_OK; \
  } \
  static int32_t accepts_codec(msdk_self *self, uint32_t codec) { return (void)self, codec == MSDK_CODEC_VP8; } \
  static msdk_result render_packet(msdk_self *self, const msdk_encoded_frame *packet) { \
    self->count += packet->data[packet->size - 1]; \
    ON_PACKET; \
    return MSDK_OK; \
  }
#define RENDERER \
  .update_input = update_input, .remove_input = remove_input, .render_input_frame = render_input, .snapshot_format = snapshot_format, \
  .snapshot = snapshot, .accepts_codec = accepts_codec, .render_encoded_frame = render_packet, RENDERER_TABLE
#include "good.h"
