/* Reads the stamp that the test pattern "counter" draws, out of a luma plane (or a GRAY8 picture) of any size and range.
 *
 * The top fifth of the picture is a grid of 4 rows of 36 blocks, each row a twentieth of the height; black is 0, white is 1. In the order
 * of reading, most significant bit first: 64 bits of counter, 64 of timestamp in ns, 16 of CRC (polynomial 0x1021, start 0xFFFF). */
#ifndef TESTS_STAMP_READER_H
#define TESTS_STAMP_READER_H

#include <stdint.h>

typedef struct stamp {
  uint64_t counter;
  int64_t timestamp_ns;
} stamp;

/* The mean of the middle half of a block, away from what lossy coding does to its edges. */
static inline uint32_t stamp_block(const uint8_t *luma, int64_t stride, uint32_t width, uint32_t height, uint32_t column, uint32_t row) {
  uint32_t left = width * column / 36, right = width * (column + 1) / 36, top = height * row / 20, bottom = height * (row + 1) / 20;
  uint32_t dx = (right - left) / 4, dy = (bottom - top) / 4;
  uint64_t sum = 0, count = 0;
  for (uint32_t y = top + dy; y < bottom - dy; y++) {
    for (uint32_t x = left + dx; x < right - dx; x++, count++) sum += luma[(int64_t)y * stride + x];
  }
  return (uint32_t)(sum / count);
}

/* 1: read, and its checksum is right; 0: there is no stamp, or it is damaged. */
static inline int stamp_read(const uint8_t *luma, int64_t stride, uint32_t width, uint32_t height, stamp *out) {
  if (width < 36 || height < 20) return 0;
  uint32_t grey[144], low = 255, high = 0;
  for (uint32_t i = 0; i < 144; i++) {
    grey[i] = stamp_block(luma, stride, width, height, i % 36, i / 36);
    low = grey[i] < low ? grey[i] : low;
    high = grey[i] > high ? grey[i] : high;
  }
  if (high < low + 64) return 0; /* neither black nor white */
  uint8_t bytes[18] = {0};
  for (uint32_t i = 0; i < 144; i++) bytes[i / 8] = (uint8_t)(bytes[i / 8] << 1 | (2 * grey[i] > low + high));

  uint32_t crc = 0xFFFF;
  for (uint32_t i = 0; i < 128; i++) {
    uint32_t bit = (crc >> 15 ^ (uint32_t)(bytes[i / 8] >> (7 - i % 8))) & 1;
    crc = (crc << 1 & 0xFFFF) ^ (bit ? 0x1021 : 0);
  }
  if (crc != ((uint32_t)bytes[16] << 8 | bytes[17])) return 0;
  uint64_t counter = 0, timestamp = 0;
  for (int i = 0; i < 8; i++) {
    counter = counter << 8 | bytes[i];
    timestamp = timestamp << 8 | bytes[8 + i];
  }
  out->counter = counter;
  out->timestamp_ns = (int64_t)timestamp;
  return 1;
}

#endif
