#include "self.h"

#include <stdlib.h>

static size_t stride_of(const msdk_self *self) { return (size_t)self->source.area.width * 4; }

static xcb_rectangle_t rectangle_of(const x11_area *area) {
  return (xcb_rectangle_t){.x = (int16_t)area->x, .y = (int16_t)area->y, .width = (uint16_t)area->width, .height = (uint16_t)area->height};
}

void x11_pictures_open(msdk_self *self) {
  x11_pictures *pictures = &self->pictures;
  const x11_display *display = &self->display;
  xcb_connection_t *link = display->link;
  *pictures = (x11_pictures){.by_server = display->damage && display->shm_pixmaps && display->argb != 0 && self->source.pixels.format != 0};
  if (display->damage) {
    pictures->damage = xcb_generate_id(link);
    xcb_damage_create(link, pictures->damage, self->source.window, XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY);
    pictures->fresh = xcb_generate_id(link);
    xcb_xfixes_create_region(link, pictures->fresh, 0, NULL);
    pictures->spot = xcb_generate_id(link);
    xcb_xfixes_create_region(link, pictures->spot, 0, NULL);
  }
  if (pictures->by_server && !self->source.is_window) {
    uint32_t with_children = XCB_SUBWINDOW_MODE_INCLUDE_INFERIORS;
    pictures->root = xcb_generate_id(link);
    xcb_render_create_picture(link, pictures->root, self->source.window, self->source.pixels.format, XCB_RENDER_CP_SUBWINDOW_MODE,
                              &with_children);
  }
}

static void let_go(void *opaque) {
  x11_picture *picture = opaque;
  if (atomic_fetch_sub_explicit(&picture->holders, 1, memory_order_acq_rel) > 1) return;
  x11_memory_free(&picture->memory);
  free(picture);
}

/* What the server holds goes; frames may still show the memory. */
static void drop(msdk_self *self, x11_picture *picture) {
  xcb_connection_t *link = self->display.link;
  if (picture->target != 0) xcb_render_free_picture(link, picture->target);
  if (picture->pixmap != 0) xcb_free_pixmap(link, picture->pixmap);
  if (picture->old_parts != 0) xcb_xfixes_destroy_region(link, picture->old_parts);
  x11_memory_detach(&self->display, &picture->memory);
  let_go(picture);
}

void x11_pictures_close(msdk_self *self) {
  x11_pictures *pictures = &self->pictures;
  xcb_connection_t *link = self->display.link;
  for (uint32_t i = 0; i < pictures->count; i++) drop(self, pictures->all[i]);
  if (pictures->root != 0) xcb_render_free_picture(link, pictures->root);
  if (pictures->damage != 0) {
    xcb_damage_destroy(link, pictures->damage);
    xcb_xfixes_destroy_region(link, pictures->fresh);
    xcb_xfixes_destroy_region(link, pictures->spot);
  }
  x11_memory_detach(&self->display, &pictures->images);
  x11_memory_free(&pictures->images);
  *pictures = (x11_pictures){0};
}

void x11_pictures_all_changed(x11_pictures *pictures) {
  for (uint32_t i = 0; i < pictures->count; i++) pictures->all[i]->all_old = true;
  pictures->current = false;
  pictures->upheavals++;
}

void x11_pictures_notice(msdk_self *self) {
  x11_pictures *pictures = &self->pictures;
  xcb_connection_t *link = self->display.link;
  if (pictures->damage == 0) {
    x11_pictures_all_changed(pictures);
    return; /* it may have changed again at any time */
  }
  self->changed = false;
  xcb_damage_subtract(link, pictures->damage, XCB_NONE, pictures->fresh);
  xcb_rectangle_t bounds = rectangle_of(&self->source.area);
  xcb_xfixes_set_region(link, pictures->spot, 1, &bounds);
  xcb_xfixes_intersect_region(link, pictures->fresh, pictures->spot, pictures->fresh);
  for (uint32_t i = 0; i < pictures->count; i++) {
    xcb_xfixes_region_t old_parts = pictures->all[i]->old_parts;
    xcb_xfixes_union_region(link, old_parts, pictures->fresh, old_parts);
  }
  if (self->source.is_whole) { /* what was drawn is inside of it, without asking */
    pictures->current = false;
    return;
  }
  xcb_xfixes_fetch_region_reply_t *fresh = x11_display_reply(&self->display, xcb_xfixes_fetch_region(link, pictures->fresh).sequence);
  if (fresh == NULL || xcb_xfixes_fetch_region_rectangles_length(fresh) > 0) pictures->current = false;
  free(fresh);
}

static bool make_pixmap(msdk_self *self, x11_picture *picture) {
  xcb_connection_t *link = self->display.link;
  const x11_area *area = &self->source.area;
  xcb_pixmap_t pixmap = xcb_generate_id(link);
  xcb_void_cookie_t made = xcb_shm_create_pixmap_checked(link, pixmap, self->display.screen->root, (uint16_t)area->width,
                                                         (uint16_t)area->height, 32, picture->memory.segment, 0);
  xcb_generic_error_t *error = xcb_request_check(link, made);
  free(error);
  if (error != NULL) return false;
  picture->pixmap = pixmap;
  picture->target = xcb_generate_id(link);
  xcb_render_create_picture(link, picture->target, picture->pixmap, self->display.argb, 0, NULL);
  return true;
}

static x11_picture *make_picture(msdk_self *self) {
  x11_pictures *pictures = &self->pictures;
  xcb_connection_t *link = self->display.link;
  const x11_area *area = &self->source.area;
  size_t size = stride_of(self) * (size_t)area->height;
  x11_picture *picture = calloc(1, sizeof *picture);
  if (picture == NULL) return NULL;
  atomic_init(&picture->holders, 1);
  picture->all_old = true;
  if (pictures->by_server && !x11_memory_share(&self->display, size, &picture->memory)) pictures->by_server = false;
  if (picture->memory.data == NULL && !x11_memory_make(size, &picture->memory)) {
    free(picture);
    return NULL;
  }
  if (pictures->damage != 0) {
    picture->old_parts = xcb_generate_id(link);
    xcb_xfixes_create_region(link, picture->old_parts, 0, NULL);
  }
  if (picture->memory.segment != 0 && !make_pixmap(self, picture)) { /* it is filled by this side then */
    x11_memory_detach(&self->display, &picture->memory);
    pictures->by_server = false;
  }
  return picture;
}

x11_picture *x11_pictures_take(msdk_self *self) {
  x11_pictures *pictures = &self->pictures;
  x11_picture *found = NULL;
  for (uint32_t i = 0; i < pictures->count; i++) {
    x11_picture *picture = pictures->all[i];
    bool is_free = atomic_load_explicit(&picture->holders, memory_order_acquire) == 1;
    if (is_free && (found == NULL || picture->number > found->number)) found = picture;
  }
  if (found != NULL || pictures->count == X11_PICTURES_MAX) return found;
  found = make_picture(self);
  if (found != NULL) pictures->all[pictures->count++] = found;
  return found;
}

static void spoil(x11_pictures *pictures, x11_picture *picture) {
  picture->all_old = true;
  picture->cursor.number = 0;
  picture->number = 0;
  if (pictures->newest == picture) pictures->newest = NULL;
}

bool x11_pictures_update(msdk_self *self, x11_picture *picture) {
  x11_pictures *pictures = &self->pictures;
  xcb_connection_t *link = self->display.link;
  if (pictures->damage == 0) picture->all_old = true;
  if (pictures->damage != 0 && (picture->all_old || picture->cursor.number != 0)) {
    x11_area area = picture->all_old ? self->source.area : picture->cursor.area;
    if (!picture->all_old) area.x += self->source.area.x, area.y += self->source.area.y;
    xcb_rectangle_t rectangle = rectangle_of(&area);
    xcb_xfixes_set_region(link, picture->all_old ? picture->old_parts : pictures->spot, 1, &rectangle);
    if (!picture->all_old) xcb_xfixes_union_region(link, picture->old_parts, pictures->spot, picture->old_parts);
  }
  uint32_t upheavals = pictures->upheavals;
  bool done = picture->pixmap != 0 ? x11_paint(self, picture) : x11_fetch(self, picture);
  if (!done || upheavals != pictures->upheavals) {
    spoil(pictures, picture);
    return false;
  }
  if (pictures->damage != 0) xcb_xfixes_set_region(link, picture->old_parts, 0, NULL);
  picture->all_old = false;
  picture->cursor.number = 0;
  picture->number = ++pictures->number;
  pictures->newest = picture;
  return true;
}

bool x11_fits(msdk_self *self, xcb_get_geometry_cookie_t cookie) {
  const x11_source *source = &self->source;
  const x11_area *area = &source->area;
  xcb_get_geometry_reply_t *now = x11_display_reply(&self->display, cookie.sequence);
  if (now == NULL) return false;
  int32_t borders = source->is_window ? 2 * source->border : 0, width = now->width - borders, height = now->height - borders;
  free(now);
  if (source->is_window) return (width & ~1) == area->width && (height & ~1) == area->height;
  return area->x >= 0 && area->y >= 0 && area->x + area->width <= width && area->y + area->height <= height;
}

msdk_result x11_pictures_wrap(msdk_self *self, x11_picture *picture, msdk_video_frame **out) {
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  size_t stride = stride_of(self);
  external.plane_count = 1;
  external.plane[0] = (msdk_plane){.data = picture->memory.data, .size = stride * self->format.height, .stride = (int32_t)stride};
  external.format = &self->format;
  external.user = picture;
  external.release = let_go;
  atomic_fetch_add_explicit(&picture->holders, 1, memory_order_relaxed);
  msdk_result result = self->report.host->video_frame_wrap(self->report.context, &external, out);
  if (result < 0) let_go(picture);
  return result;
}
