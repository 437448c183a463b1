/* What the camera of isolated/camera.c makes: a VP8 frame's header, then numbers, then bytes that follow from them, so that who receives one knows
 * every byte of it. */
#ifndef CAMERA_FRAMES_H
#define CAMERA_FRAMES_H

#include <stdint.h>
#include <string.h>

enum { CAMERA_WIDTH = 1280, CAMERA_HEIGHT = 720, CAMERA_NUMBERS = 10, CAMERA_LEAST = 32 };

typedef struct camera_frame {
  uint32_t number;   /* since start_capture */
  uint32_t requests; /* key frames that were requested before */
  uint32_t process;
  uint32_t is_key;
} camera_frame;

static inline void camera_fill(uint8_t *data, uint32_t size, const camera_frame *frame) {
  static const uint8_t head[CAMERA_NUMBERS] = {
    0x10, 0, 0, 0x9D, 0x01, 0x2A, CAMERA_WIDTH & 255, CAMERA_WIDTH >> 8, CAMERA_HEIGHT & 255, CAMERA_HEIGHT >> 8};
  uint32_t state = frame->number * 2654435761u + frame->process + frame->requests * 40503u + size;
  memcpy(data, head, sizeof head);
  if (!frame->is_key) data[0] |= 1;
  memcpy(data + CAMERA_NUMBERS, frame, sizeof *frame);
  for (uint32_t i = CAMERA_NUMBERS + sizeof *frame; i < size; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = (uint8_t)(state >> 24);
  }
}

#endif
