#include "painted.h"

#include <string.h>

enum { SQUARE = 16, BITS = 16, DARK = 40, BRIGHT = 216, MIDDLE = 128 };

void painted_write(uint8_t *luma, ptrdiff_t stride, uint64_t number) {
  for (int bit = 0; bit < BITS; bit++) {
    for (int y = 0; y < SQUARE; y++) memset(luma + stride * y + bit * SQUARE, number >> bit & 1 ? BRIGHT : DARK, SQUARE);
  }
}

uint64_t painted_read(const uint8_t *luma, ptrdiff_t stride) {
  uint64_t number = 0;
  for (int bit = 0; bit < BITS; bit++) {
    number |= (uint64_t)(luma[stride * (SQUARE / 2) + bit * SQUARE + SQUARE / 2] > MIDDLE) << bit;
  }
  return number;
}
