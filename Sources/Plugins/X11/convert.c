#include "pictures.h"

#include <string.h>

static void convert_plain(const uint8_t *from, uint8_t *to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t pixel;
    memcpy(&pixel, from + 4 * i, 4);
    pixel |= 0xFF000000;
    memcpy(to + 4 * i, &pixel, 4);
  }
}

/* Of more than eight bits the highest; fewer are repeated, so that the most is 255. */
static uint32_t eight_bits(uint32_t pixel, uint8_t shift, uint8_t bits) {
  uint32_t value = pixel >> shift & ((1u << bits) - 1);
  return bits >= 8 ? value >> (bits - 8) : value << (8 - bits) | value >> (2 * bits - 8);
}

static void convert_other(const x11_pixels *pixels, const uint8_t *from, uint8_t *to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t pixel = 0;
    memcpy(&pixel, from + i * pixels->bytes, pixels->bytes);
    to[4 * i] = (uint8_t)eight_bits(pixel, pixels->shift[2], pixels->bits[2]);
    to[4 * i + 1] = (uint8_t)eight_bits(pixel, pixels->shift[1], pixels->bits[1]);
    to[4 * i + 2] = (uint8_t)eight_bits(pixel, pixels->shift[0], pixels->bits[0]);
    to[4 * i + 3] = 255;
  }
}

void x11_convert(const x11_pixels *pixels, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint32_t width,
                 uint32_t height) {
  for (uint32_t row = 0; row < height; row++, from += from_stride, to += to_stride) {
    if (pixels->plain) convert_plain(from, to, width);
    else convert_other(pixels, from, to, width);
  }
}
