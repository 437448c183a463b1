#include "self.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>

enum { LONG_REST = 30 }; /* looks */

void x11_cursor_open(msdk_self *self) {
  self->cursor.old = true;
  if (self->display.cursor) {
    xcb_xfixes_select_cursor_input(self->display.link, self->display.screen->root, XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR);
  }
}

static void fetch(msdk_self *self) {
  x11_cursor *cursor = &self->cursor;
  xcb_connection_t *link = self->display.link;
  xcb_xfixes_get_cursor_image_reply_t *reply = x11_display_reply(&self->display, xcb_xfixes_get_cursor_image(link).sequence);
  if (self->display.is_silent) return;
  free(cursor->pixels);
  cursor->pixels = NULL;
  cursor->number++;
  cursor->old = false;
  if (reply == NULL) return; /* there is no cursor */
  size_t size = (size_t)reply->width * reply->height * 4;
  if (size > 0 && (size_t)xcb_xfixes_get_cursor_image_cursor_image_length(reply) * 4 >= size) cursor->pixels = malloc(size);
  if (cursor->pixels != NULL) {
    memcpy(cursor->pixels, xcb_xfixes_get_cursor_image_cursor_image(reply), size);
    cursor->width = reply->width;
    cursor->height = reply->height;
    cursor->hot_x = reply->xhot;
    cursor->hot_y = reply->yhot;
  }
  free(reply);
}

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static void forget(msdk_self *self) {
  if (self->cursor.is_asked) xcb_discard_reply(self->display.link, self->cursor.asked.sequence);
  self->cursor.is_asked = false;
}

void x11_cursor_close(msdk_self *self) {
  forget(self);
  free(self->cursor.pixels);
  self->cursor = (x11_cursor){.number = self->cursor.number};
}

void x11_cursor_ask(msdk_self *self) {
  if (!self->options.cursor || !self->display.cursor) return;
  forget(self);
  self->cursor.asked = xcb_query_pointer(self->display.link, self->source.window);
  self->cursor.is_asked = true;
}

static x11_mark mark_of(const msdk_self *self, const xcb_query_pointer_reply_t *pointer) {
  const x11_area *area = &self->source.area;
  const x11_cursor *cursor = &self->cursor;
  x11_mark mark = {.number = cursor->number};
  mark.x = pointer->win_x - area->x - cursor->hot_x;
  mark.y = pointer->win_y - area->y - cursor->hot_y;
  int32_t left = larger(mark.x, 0), top = larger(mark.y, 0);
  int32_t right = smaller(mark.x + cursor->width, area->width), bottom = smaller(mark.y + cursor->height, area->height);
  if (!pointer->same_screen || cursor->pixels == NULL || left >= right || top >= bottom) return (x11_mark){0};
  mark.area = (x11_area){.x = left, .y = top, .width = right - left, .height = bottom - top};
  return mark;
}

/* What was asked, when the answer is there; `wait`: until it is. */
static bool answered(msdk_self *self, bool wait, x11_mark *out) {
  xcb_connection_t *link = self->display.link;
  void *reply = NULL;
  if (wait) reply = x11_display_reply(&self->display, self->cursor.asked.sequence);
  else if (!xcb_poll_for_reply(link, self->cursor.asked.sequence, &reply, NULL)) return false;
  self->cursor.is_asked = false;
  *out = reply != NULL ? mark_of(self, reply) : (x11_mark){0};
  free(reply);
  return true;
}

x11_mark x11_cursor_look(msdk_self *self, bool now) {
  x11_cursor *cursor = &self->cursor;
  if (!self->options.cursor || !self->display.cursor) {
    forget(self);
    cursor->known = false;
    return (x11_mark){0};
  }
  x11_mark mark = cursor->mark;
  if (!now && cursor->known && !cursor->old && !cursor->restless) {
    bool moved = cursor->is_asked && answered(self, false, &mark) && !x11_mark_same(&mark, &cursor->mark);
    /* After a long rest every other time is enough. */
    if (!moved && !cursor->is_asked && (cursor->rested++ < LONG_REST || cursor->rested % 2 == 0)) {
      x11_cursor_ask(self);
      xcb_flush(self->display.link);
    }
    if (!moved) return cursor->mark;
  }
  if (!now) x11_cursor_ask(self);
  if (cursor->old) fetch(self);
  if (!cursor->is_asked) x11_cursor_ask(self);
  answered(self, true, &mark);
  cursor->rested = 0;
  cursor->restless = cursor->known && !x11_mark_same(&mark, &cursor->mark);
  cursor->known = true;
  return cursor->mark = mark;
}

static uint8_t over(uint32_t above, uint32_t below, uint32_t alpha) {
  uint32_t mixed = above + (below * (255 - alpha) + 127) / 255;
  return (uint8_t)(mixed < 255 ? mixed : 255);
}

void x11_cursor_draw(const x11_cursor *cursor, const x11_mark *mark, uint8_t *picture, size_t stride) {
  if (mark->number == 0) return;
  for (int32_t y = mark->area.y; y < mark->area.y + mark->area.height; y++) {
    const uint32_t *from = cursor->pixels + (size_t)(y - mark->y) * cursor->width;
    uint8_t *row = picture + (size_t)y * stride;
    for (int32_t x = mark->area.x; x < mark->area.x + mark->area.width; x++) {
      uint32_t pixel = from[x - mark->x], alpha = pixel >> 24;
      if (alpha == 0) continue;
      for (int i = 0; i < 3; i++) row[4 * x + i] = over(pixel >> 8 * i & 0xFF, row[4 * x + i], alpha);
    }
  }
}
