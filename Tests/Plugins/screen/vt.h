/* A terminal, as far as the tests need one: it understands what the terminal renderer may write, and counts what it does not. */
#ifndef TESTS_VT_H
#define TESTS_VT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { VT_COLUMNS = 200, VT_ROWS = 100, VT_DEFAULT = -1 };

typedef struct vt_cell {
  int32_t upper, lower; /* 0xRRGGBB, 0x1000000 + an index of the palette, or VT_DEFAULT */
} vt_cell;

typedef struct vt {
  uint32_t columns, rows;
  vt_cell cells[VT_ROWS][VT_COLUMNS];
  uint32_t row, column;
  int32_t front, behind;
  int alternate, hidden; /* screen, cursor */
  uint32_t entered, cleared;
  uint64_t bytes, printed, unknown;
  /* Of what is being read. */
  int state; /* 0 text, 1 after ESC, 2 in a control sequence, 3 in a character of several bytes */
  char sequence[64];
  uint32_t length, more;
  uint32_t character;
} vt;

static inline void vt_clear(vt *screen) {
  for (uint32_t row = 0; row < VT_ROWS; row++) {
    for (uint32_t column = 0; column < VT_COLUMNS; column++) screen->cells[row][column] = (vt_cell){screen->behind, screen->behind};
  }
}

static inline void vt_begin(vt *screen, uint32_t columns, uint32_t rows) {
  memset(screen, 0, sizeof *screen);
  screen->columns = columns;
  screen->rows = rows;
  screen->front = screen->behind = VT_DEFAULT;
  vt_clear(screen);
}

static inline void vt_print(vt *screen, uint32_t character) {
  screen->printed++;
  if (screen->row >= screen->rows || screen->column >= screen->columns || (character != 0x2580 && character != ' ')) {
    screen->unknown++;
    return;
  }
  vt_cell *cell = &screen->cells[screen->row][screen->column++];
  *cell = (vt_cell){character == ' ' ? screen->behind : screen->front, screen->behind};
}

/* "38;2;R;G;B", "48;5;N" and their like. */
static inline void vt_colour(vt *screen, const uint32_t *numbers, int count) {
  int32_t colour = VT_DEFAULT;
  if (count == 1 && numbers[0] == 0) {
    screen->front = screen->behind = VT_DEFAULT;
    return;
  }
  if (count == 5 && numbers[1] == 2 && numbers[2] < 256 && numbers[3] < 256 && numbers[4] < 256) {
    colour = (int32_t)(numbers[2] << 16 | numbers[3] << 8 | numbers[4]);
  } else if (count == 3 && numbers[1] == 5 && numbers[2] < 256) {
    colour = (int32_t)(0x1000000 + numbers[2]);
  }
  if (colour == VT_DEFAULT || (numbers[0] != 38 && numbers[0] != 48)) screen->unknown++;
  else if (numbers[0] == 38) screen->front = colour;
  else screen->behind = colour;
}

static inline void vt_mode(vt *screen, uint32_t mode, int set) {
  if (mode == 1049) {
    if (set && !screen->alternate) screen->entered++;
    screen->alternate = set;
  } else if (mode == 25) {
    screen->hidden = !set;
  } else {
    screen->unknown++;
  }
}

static inline void vt_sequence(vt *screen, char last) {
  uint32_t numbers[8] = {0};
  int count = 0, private = screen->sequence[0] == '?';
  const char *at = screen->sequence + private;
  while (*at != 0 && count < 8) {
    char *end;
    numbers[count++] = (uint32_t)strtoul(at, &end, 10);
    at = *end == ';' ? end + 1 : end;
    if (end == at && *end != 0) break;
  }
  if (*at != 0) screen->unknown++;
  else if (private && count == 1 && (last == 'h' || last == 'l')) vt_mode(screen, numbers[0], last == 'h');
  else if (last == 'm') vt_colour(screen, numbers, count);
  else if (last == 'J' && numbers[0] == 2) vt_clear(screen), screen->cleared++;
  else if (last == 'H' && count == 2) screen->row = numbers[0] - 1, screen->column = numbers[1] - 1;
  else screen->unknown++;
}

static inline void vt_feed(vt *screen, const char *bytes, size_t count) {
  screen->bytes += count;
  for (size_t i = 0; i < count; i++) {
    uint8_t byte = (uint8_t)bytes[i];
    if (byte == 0x18) { /* CAN: whatever was begun is forgotten */
      screen->state = 0;
    } else if (screen->state == 1) {
      screen->state = byte == '[' ? 2 : 0;
      screen->length = 0;
      if (byte != '[') screen->unknown++;
    } else if (screen->state == 2) {
      if (byte >= 0x40 || screen->length + 1 >= sizeof screen->sequence) {
        screen->sequence[screen->length] = 0;
        vt_sequence(screen, (char)byte);
        screen->state = 0;
      } else {
        screen->sequence[screen->length++] = (char)byte;
      }
    } else if (screen->state == 3 && (byte & 0xC0) == 0x80) {
      screen->character = screen->character << 6 | (byte & 0x3F);
      if (--screen->more == 0) {
        screen->state = 0;
        vt_print(screen, screen->character);
      }
    } else if (byte == 0x1B) {
      screen->state = 1;
    } else if ((byte & 0xF0) == 0xE0) {
      screen->state = 3;
      screen->more = 2;
      screen->character = byte & 0x0F;
    } else if (byte >= 0x20 && byte < 0x7F) {
      vt_print(screen, byte);
    } else {
      screen->unknown++;
    }
  }
}

#endif
