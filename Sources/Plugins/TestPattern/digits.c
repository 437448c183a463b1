/* A number for people, in blocks of 5 by 7. */
#include "pattern.h"

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7, ADVANCE = 6, DIGITS_MIN = 6, DIGITS_MAX = 20 };

/* Seven rows a digit, five bits a row, the left pixel in the highest bit. */
static const uint8_t glyph[10][GLYPH_HEIGHT] = {
  {14, 17, 17, 17, 17, 17, 14}, {4, 12, 4, 4, 4, 4, 14},      {14, 17, 1, 6, 8, 16, 31},   {30, 1, 1, 14, 1, 1, 30},
  {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14},   {6, 8, 16, 30, 17, 17, 14},  {31, 1, 2, 4, 4, 8, 8},
  {14, 17, 17, 14, 17, 17, 14}, {14, 17, 17, 15, 1, 2, 12},
};

static void draw_digit(const tp_canvas *canvas, tp_colour ink, uint32_t digit, uint32_t x, uint32_t y, uint32_t scale) {
  for (uint32_t row = 0; row < GLYPH_HEIGHT; row++) {
    for (uint32_t column = 0; column < GLYPH_WIDTH; column++) {
      if (glyph[digit][row] >> (GLYPH_WIDTH - 1 - column) & 1) tp_fill(canvas, x + column * scale, y + row * scale, scale, scale, ink);
    }
  }
}

/* In the middle of the picture's width, as large as `height` and the width allow; nothing where not even one pixel a dot fits. */
void tp_digits_draw(const tp_canvas *canvas, tp_colour ink, uint64_t number, uint32_t top, uint32_t height) {
  uint8_t digits[DIGITS_MAX];
  uint32_t count = 0;
  do {
    digits[count++] = (uint8_t)(number % 10);
    number /= 10;
  } while (number != 0 || count < DIGITS_MIN);

  uint32_t dots = count * ADVANCE - 1, scale = canvas->width / (dots + 2);
  if (scale > height / GLYPH_HEIGHT) scale = height / GLYPH_HEIGHT;
  if (scale == 0) return;
  uint32_t x = (canvas->width - dots * scale) / 2, y = top + (height - GLYPH_HEIGHT * scale) / 2;
  for (uint32_t i = 0; i < count; i++) draw_digit(canvas, ink, digits[count - 1 - i], x + i * ADVANCE * scale, y, scale);
}
