/* Pictures of plain colours in BGRA, and the renderer that is given them. */
#ifndef TESTS_PLAIN_PICTURES_H
#define TESTS_PLAIN_PICTURES_H

#include "host.h"

enum { RED = 0xFF0000, GREEN = 0x00FF00, BLUE = 0x0000FF, WHITE = 0xFFFFFF };

static const msdk_class *class;
static const msdk_video_renderer *renderer;

static inline void load_renderer(int argc, char **argv, const char *file, const char *class_id) {
  class = host_load(argc, argv, file, class_id);
  renderer = class->video_renderer;
}

static inline void fill(msdk_video_frame *frame, uint32_t left, uint32_t top, uint32_t width, uint32_t height, uint32_t colour) {
  for (uint32_t y = top; y < top + height; y++) {
    uint8_t *to = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride + 4 * (size_t)left;
    for (uint32_t x = 0; x < width; x++, to += 4) {
      to[0] = (uint8_t)colour;
      to[1] = (uint8_t)(colour >> 8);
      to[2] = (uint8_t)(colour >> 16);
      to[3] = 0; /* of no meaning on a screen */
    }
  }
}

static inline msdk_video_frame *plain(host_instance *instance, uint32_t width, uint32_t height, uint32_t colour) {
  msdk_video_format format = host_format(MSDK_PIXEL_BGRA, width, height);
  msdk_video_frame *frame = host_frame(instance, &format);
  fill(frame, 0, 0, width, height, colour);
  return frame;
}

/* Red, green / blue, white. */
static inline msdk_video_frame *quarters(host_instance *instance, uint32_t width, uint32_t height) {
  msdk_video_frame *frame = plain(instance, width, height, WHITE);
  fill(frame, 0, 0, width / 2, height / 2, RED);
  fill(frame, width / 2, 0, width - width / 2, height / 2, GREEN);
  fill(frame, 0, height / 2, width / 2, height - height / 2, BLUE);
  return frame;
}

/* Those quarters under every orientation, mirrored first, then turned clockwise: top left, top right, bottom left, bottom right. */
static const uint32_t turned_quarters[8][4] = {{RED, GREEN, BLUE, WHITE}, {BLUE, RED, WHITE, GREEN}, {WHITE, BLUE, GREEN, RED},
                                               {GREEN, WHITE, RED, BLUE}, {GREEN, RED, WHITE, BLUE}, {WHITE, GREEN, BLUE, RED},
                                               {BLUE, WHITE, RED, GREEN}, {RED, BLUE, GREEN, WHITE}};

/* The frame is given up. */
static inline msdk_result render(host_instance *instance, msdk_video_frame *frame) {
  msdk_result result = renderer->render_video_frame(instance->self, frame);
  host_unref(frame);
  return result;
}

/* How many frames the renderer keeps. */
static inline uint32_t outstanding(host_instance *instance) {
  pthread_mutex_lock(&instance->context.lock);
  uint32_t result = instance->context.outstanding;
  pthread_mutex_unlock(&instance->context.lock);
  return result;
}

#endif
