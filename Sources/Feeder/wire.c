#include "self.h"

#include <string.h>

uint8_t *put16(uint8_t *at, uint16_t value) {
  for (int i = 0; i < 2; i++) *at++ = (uint8_t)(value >> 8 * i);
  return at;
}

uint8_t *put32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) *at++ = (uint8_t)(value >> 8 * i);
  return at;
}

uint8_t *put64(uint8_t *at, uint64_t value) {
  for (int i = 0; i < 8; i++) *at++ = (uint8_t)(value >> 8 * i);
  return at;
}

uint32_t get32(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24; }
uint64_t get64(const uint8_t *at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }

uint8_t *put_head(uint8_t *at, uint32_t body, uint16_t type) { return put16(put16(put32(at, body), type), 0); }

uint8_t *put_frame_header(uint8_t *at, const wire_frame *frame) {
  at = put32(put32(put32(put32(at, frame->format), frame->width), frame->height), frame->flags);
  at = put64(at, (uint64_t)frame->timestamp_ns);
  at = put32(put32(at, frame->orientation), frame->planes);
  for (int i = 0; i < MSDK_PLANES_MAX; i++) at = put32(at, frame->stride[i]);
  return put64(put32(put32(at, frame->color_matrix), frame->color_full_range), frame->payload);
}
