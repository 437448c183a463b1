/* The machine-readable stamp: what frame this is and when it was due, drawn into the picture so that a test at the far end of an encoder, a
 * network and a scaler can read it back.
 *
 *   grid    4 rows of 36 blocks: 144 bits. The grid is as wide as the picture; each row is a twentieth of its height, so the stamp is
 *           the top fifth. Block (row, column) covers x from floor(column * width / 36) up to floor((column + 1) * width / 36), and y from
 *           floor(row * height / 20) up to floor((row + 1) * height / 20): no size is fixed, so that a scaled picture still reads.
 *   block   black is 0, white is 1; both without colour. At 320x180 a block has 9x9 pixels, at 1920x1080 it has 53x54.
 *   bits    in the order of reading, most significant first: 64 of the counter, 64 of the timestamp in nanoseconds (two's complement), 16
 *           of the checksum, which is the CRC-16 with polynomial 0x1021 and start 0xFFFF over the 16 bytes before it.
 *   none    a picture below 36x20 is too small for a pixel a block, and carries no stamp. Lossy coding wants 4 pixels a block: 144x80.
 *
 * The reader is Tests/Plugins/video/stamp_reader.h. */
#include "pattern.h"

enum { COLUMNS = 36, ROWS = 4, PARTS_OF_HEIGHT = 20, BYTES = COLUMNS * ROWS / 8 };

static void put_u64(uint8_t *to, uint64_t value) {
  for (int i = 0; i < 8; i++) to[i] = (uint8_t)(value >> (56 - 8 * i));
}

static uint16_t crc16(const uint8_t *bytes, int count) {
  uint16_t crc = 0xFFFF;
  for (int i = 0; i < count; i++) {
    crc = (uint16_t)(crc ^ bytes[i] << 8);
    for (int bit = 0; bit < 8; bit++) crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
  }
  return crc;
}

void tp_stamp_draw(const tp_canvas *canvas, tp_colour black, tp_colour white, uint64_t counter, int64_t timestamp_ns) {
  if (canvas->width < COLUMNS || canvas->height < PARTS_OF_HEIGHT) return;
  uint8_t bytes[BYTES];
  put_u64(bytes, counter);
  put_u64(bytes + 8, (uint64_t)timestamp_ns);
  uint16_t crc = crc16(bytes, 16);
  bytes[16] = (uint8_t)(crc >> 8);
  bytes[17] = (uint8_t)crc;

  for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
    uint32_t column = i % COLUMNS, row = i / COLUMNS;
    uint32_t left = canvas->width * column / COLUMNS, right = canvas->width * (column + 1) / COLUMNS;
    uint32_t top = canvas->height * row / PARTS_OF_HEIGHT, bottom = canvas->height * (row + 1) / PARTS_OF_HEIGHT;
    int one = bytes[i / 8] >> (7 - i % 8) & 1;
    tp_fill(canvas, left, top, right - left, bottom - top, one ? white : black);
  }
}
