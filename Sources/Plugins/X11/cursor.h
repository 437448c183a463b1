/* The mouse cursor: what it looks like, where it is. */
#ifndef X11_CURSOR_H
#define X11_CURSOR_H

#include "source.h"

typedef struct x11_mark { /* a cursor in a picture */
  uint32_t number;        /* of its looks; 0: there is none */
  int32_t x, y;           /* of its left upper corner, which may be outside */
  x11_area area;          /* what of it is inside */
} x11_mark;

typedef struct x11_cursor {
  bool old;        /* it looks otherwise by now */
  uint32_t number; /* of the looks it had; 0: nothing is known */
  uint16_t width, height;
  int32_t hot_x, hot_y;
  uint32_t *pixels; /* ARGB, the colours multiplied by alpha; NULL: it cannot be seen */
  bool known, restless; /* whether `mark` is of any worth; it moved when it was looked at last */
  uint32_t rested;      /* how often it was asked for since */
  x11_mark mark;        /* where it was then */
  bool is_asked;        /* an answer is to come */
  xcb_query_pointer_cookie_t asked;
} x11_cursor;

/* From now on the server tells when the cursor looks otherwise. */
void x11_cursor_open(msdk_self *self);
void x11_cursor_close(msdk_self *self);
/* Asks where it is. What is asked just before something else costs no waiting. */
void x11_cursor_ask(msdk_self *self);
/* Where it is; `now`: exactly. Otherwise a cursor that rests is not waited for: what is asked now is looked at the next time. */
x11_mark x11_cursor_look(msdk_self *self, bool now);
static inline bool x11_mark_same(const x11_mark *a, const x11_mark *b) {
  return a->number == b->number && (a->number == 0 || (a->x == b->x && a->y == b->y));
}
void x11_cursor_draw(const x11_cursor *cursor, const x11_mark *mark, uint8_t *picture, size_t stride);

#endif
