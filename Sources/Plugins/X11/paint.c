/* The server paints what changed into the picture, in one pass that makes the fourth byte 255 too: RENDER, on a pixmap over shared
 * memory. */
#include "self.h"

#include <stdlib.h>
#include <xcb/composite.h>

bool x11_paint(msdk_self *self, x11_picture *picture) {
  const x11_source *source = &self->source;
  const x11_area *area = &source->area;
  xcb_connection_t *link = self->display.link;
  uint32_t errors = self->display.errors;
  uint16_t width = (uint16_t)area->width, height = (uint16_t)area->height;
  xcb_xfixes_set_picture_clip_region(link, picture->target, picture->old_parts, (int16_t)-area->x, (int16_t)-area->y);

  xcb_drawable_t from = source->window;
  xcb_render_picture_t painter = self->pictures.root;
  if (source->is_window) { /* a window that was mapped again has another pixmap, so its name is asked for each time */
    from = xcb_generate_id(link);
    xcb_composite_name_window_pixmap(link, source->window, from);
    painter = xcb_generate_id(link);
    xcb_render_create_picture(link, painter, from, source->pixels.format, 0, NULL);
  }
  uint8_t operation = XCB_RENDER_PICT_OP_SRC;
  if (source->pixels.depth == 32) { /* transparent parts become black */
    xcb_render_color_t black = {.alpha = 0xFFFF};
    xcb_rectangle_t whole = {.width = width, .height = height};
    xcb_render_fill_rectangles(link, XCB_RENDER_PICT_OP_SRC, picture->target, black, 1, &whole);
    operation = XCB_RENDER_PICT_OP_OVER;
  }
  int16_t x = (int16_t)(area->x + source->border), y = (int16_t)(area->y + source->border);
  xcb_render_composite(link, operation, painter, XCB_NONE, picture->target, x, y, 0, 0, 0, 0, width, height);
  bool fits = x11_fits(self, xcb_get_geometry(link, from)); /* the answer comes when all is painted */
  if (source->is_window) {
    xcb_render_free_picture(link, painter);
    xcb_free_pixmap(link, from);
  }
  return x11_follow(self) == MSDK_OK && fits && self->display.errors == errors;
}
