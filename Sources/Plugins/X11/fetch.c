/* The server sends images of what changed, through shared memory or the connection, and this side makes BGRA of them. */
#include "self.h"

#include <stdlib.h>
#include <xcb/composite.h>

typedef struct parts {
  uint32_t count;
  xcb_rectangle_t all[X11_RECTANGLES_MAX]; /* in the window */
} parts;

/* What the server says is not trusted to be inside. */
static void add(parts *parts, const x11_area *area, const xcb_rectangle_t *one) {
  int32_t left = one->x > area->x ? one->x : area->x, top = one->y > area->y ? one->y : area->y;
  int32_t right = one->x + one->width, bottom = one->y + one->height;
  if (right > area->x + area->width) right = area->x + area->width;
  if (bottom > area->y + area->height) bottom = area->y + area->height;
  if (left >= right || top >= bottom) return;
  parts->all[parts->count++] = (xcb_rectangle_t){
    .x = (int16_t)left, .y = (int16_t)top, .width = (uint16_t)(right - left), .height = (uint16_t)(bottom - top)};
}

/* Many small parts cost more than one large one. */
static bool find_parts(msdk_self *self, const x11_picture *picture, parts *out) {
  const x11_area *area = &self->source.area;
  xcb_rectangle_t whole = {.x = (int16_t)area->x, .y = (int16_t)area->y, .width = (uint16_t)area->width, .height = (uint16_t)area->height};
  out->count = 0;
  if (picture->all_old) {
    add(out, area, &whole);
    return true;
  }
  xcb_connection_t *link = self->display.link;
  xcb_xfixes_fetch_region_reply_t *reply = x11_display_reply(&self->display, xcb_xfixes_fetch_region(link, picture->old_parts).sequence);
  if (reply == NULL) return false;
  const xcb_rectangle_t *rectangles = xcb_xfixes_fetch_region_rectangles(reply);
  int count = xcb_xfixes_fetch_region_rectangles_length(reply);
  uint64_t sum = 0, extents = (uint64_t)reply->extents.width * reply->extents.height;
  for (int i = 0; i < count; i++) sum += (uint64_t)rectangles[i].width * rectangles[i].height;
  if (count > X11_RECTANGLES_MAX || (count > 1 && sum * 4 > extents * 3)) count = 1, rectangles = &reply->extents;
  for (int i = 0; i < count; i++) add(out, area, &rectangles[i]);
  free(reply);
  return true;
}

static size_t image_stride(const msdk_self *self, const xcb_rectangle_t *part) {
  return ((size_t)part->width * self->source.pixels.bytes + 3) & ~(size_t)3;
}

static void put(msdk_self *self, x11_picture *picture, const xcb_rectangle_t *part, const uint8_t *image) {
  const x11_area *area = &self->source.area;
  size_t stride = (size_t)area->width * 4;
  uint8_t *to = picture->memory.data + (size_t)(part->y - area->y) * stride + (size_t)(part->x - area->x) * 4;
  x11_convert(&self->source.pixels, image, image_stride(self, part), to, stride, part->width, part->height);
}

static bool fetch_shared(msdk_self *self, x11_picture *picture, xcb_drawable_t from, const parts *parts) {
  xcb_connection_t *link = self->display.link;
  const x11_memory *images = &self->pictures.images;
  int border = self->source.border;
  xcb_shm_get_image_cookie_t cookies[X11_RECTANGLES_MAX];
  size_t offset = 0;
  for (uint32_t i = 0; i < parts->count; i++) {
    const xcb_rectangle_t *part = &parts->all[i];
    cookies[i] = xcb_shm_get_image(link, from, (int16_t)(part->x + border), (int16_t)(part->y + border), part->width, part->height,
                                   UINT32_MAX, XCB_IMAGE_FORMAT_Z_PIXMAP, images->segment, (uint32_t)offset);
    offset += image_stride(self, part) * part->height;
  }
  bool good = true;
  offset = 0;
  for (uint32_t i = 0; i < parts->count; i++) {
    xcb_shm_get_image_reply_t *reply = x11_display_reply(&self->display, cookies[i].sequence);
    if (reply != NULL) put(self, picture, &parts->all[i], images->data + offset);
    else good = false;
    free(reply);
    offset += image_stride(self, &parts->all[i]) * parts->all[i].height;
  }
  return good;
}

static bool fetch_sent(msdk_self *self, x11_picture *picture, xcb_drawable_t from, const parts *parts) {
  xcb_connection_t *link = self->display.link;
  int border = self->source.border;
  for (uint32_t i = 0; i < parts->count; i++) {
    const xcb_rectangle_t *part = &parts->all[i];
    xcb_get_image_cookie_t cookie = xcb_get_image(link, XCB_IMAGE_FORMAT_Z_PIXMAP, from, (int16_t)(part->x + border),
                                                  (int16_t)(part->y + border), part->width, part->height, UINT32_MAX);
    xcb_get_image_reply_t *reply = x11_display_reply(&self->display, cookie.sequence);
    bool whole = reply != NULL && (size_t)xcb_get_image_data_length(reply) >= image_stride(self, part) * part->height;
    if (whole) put(self, picture, part, xcb_get_image_data(reply));
    free(reply);
    if (!whole) return false;
  }
  return true;
}

bool x11_fetch(msdk_self *self, x11_picture *picture) {
  x11_source *source = &self->source;
  xcb_connection_t *link = self->display.link;
  x11_memory *images = &self->pictures.images;
  uint32_t errors = self->display.errors;
  if (self->display.shm && images->data == NULL) self->display.shm = x11_memory_share(&self->display, picture->memory.size, images);
  parts parts;
  if (!find_parts(self, picture, &parts)) return false;

  xcb_drawable_t from = source->window;
  if (source->is_window) {
    from = xcb_generate_id(link);
    xcb_composite_name_window_pixmap(link, source->window, from);
  }
  bool good = x11_fits(self, xcb_get_geometry(link, from));
  if (good) good = images->segment != 0 ? fetch_shared(self, picture, from, &parts) : fetch_sent(self, picture, from, &parts);
  if (source->is_window) xcb_free_pixmap(link, from);
  return x11_follow(self) == MSDK_OK && good && self->display.errors == errors;
}
