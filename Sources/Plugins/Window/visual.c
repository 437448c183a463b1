#include "visual.h"

#include <string.h>

static const xcb_visualtype_t *type_of(const xcb_screen_t *screen, uint8_t *depth) {
  xcb_depth_iterator_t depths = xcb_screen_allowed_depths_iterator(screen);
  for (; depths.rem > 0; xcb_depth_next(&depths)) {
    xcb_visualtype_iterator_t types = xcb_depth_visuals_iterator(depths.data);
    for (; types.rem > 0; xcb_visualtype_next(&types)) {
      if (types.data->visual_id != screen->root_visual) continue;
      *depth = depths.data->depth;
      return types.data;
    }
  }
  return NULL;
}

static void fill(uint32_t table[256], uint32_t mask) {
  uint32_t shift = 0;
  while (shift < 31 && (mask >> shift & 1) == 0) shift++;
  uint64_t largest = mask >> shift;
  for (uint64_t value = 0; value < 256; value++) table[value] = (uint32_t)((value * largest + 127) / 255) << shift;
}

bool wn_visual_find(const xcb_setup_t *setup, const xcb_screen_t *screen, wn_visual *out) {
  memset(out, 0, sizeof *out);
  const xcb_visualtype_t *type = type_of(screen, &out->depth);
  if (type == NULL || type->_class != XCB_VISUAL_CLASS_TRUE_COLOR) return false;
  out->id = type->visual_id;
  xcb_format_iterator_t formats = xcb_setup_pixmap_formats_iterator(setup);
  for (; formats.rem > 0; xcb_format_next(&formats)) {
    if (formats.data->depth != out->depth) continue;
    out->bytes = formats.data->bits_per_pixel / 8;
    out->pad = formats.data->scanline_pad / 8;
  }
  if (out->bytes < 2 || out->bytes > 4 || out->pad < 1) return false;
  out->big_endian = setup->image_byte_order == XCB_IMAGE_ORDER_MSB_FIRST;
  out->direct = !out->big_endian && out->bytes == 4 && type->red_mask == 0xFF0000 && type->green_mask == 0xFF00 && type->blue_mask == 0xFF;
  fill(out->red, type->red_mask);
  fill(out->green, type->green_mask);
  fill(out->blue, type->blue_mask);
  return true;
}

uint64_t wn_visual_stride(const wn_visual *visual, uint32_t width) {
  return ((uint64_t)width * visual->bytes + visual->pad - 1) / visual->pad * visual->pad;
}

uint32_t wn_visual_pixel(const wn_visual *visual, uint32_t colour) {
  return visual->red[colour >> 16 & 255] | visual->green[colour >> 8 & 255] | visual->blue[colour & 255];
}

void wn_visual_pack(const wn_visual *visual, const uint8_t *bgra, uint8_t *to, uint32_t width) {
  uint32_t bytes = visual->bytes;
  for (uint32_t x = 0; x < width; x++, bgra += 4, to += bytes) {
    uint32_t pixel = visual->blue[bgra[0]] | visual->green[bgra[1]] | visual->red[bgra[2]];
    for (uint32_t i = 0; i < bytes; i++) to[i] = (uint8_t)(pixel >> 8 * (visual->big_endian ? bytes - 1 - i : i));
  }
}
