/* What can be made of the pixels of a visual. */
#include "display.h"

#include <stdlib.h>

static const xcb_visualtype_t *find_visual(const x11_display *display, xcb_visualid_t visual) {
  for (xcb_depth_iterator_t depths = xcb_screen_allowed_depths_iterator(display->screen); depths.rem > 0; xcb_depth_next(&depths)) {
    for (xcb_visualtype_iterator_t i = xcb_depth_visuals_iterator(depths.data); i.rem > 0; xcb_visualtype_next(&i)) {
      if (i.data->visual_id == visual) return i.data;
    }
  }
  return NULL;
}

static xcb_render_pictformat_t find_format(const x11_display *display, xcb_visualid_t visual) {
  xcb_connection_t *link = display->link;
  xcb_render_query_pict_formats_reply_t *formats =
    display->argb == 0 ? NULL : xcb_render_query_pict_formats_reply(link, xcb_render_query_pict_formats(link), NULL);
  if (formats == NULL) return 0;
  xcb_render_pictformat_t found = 0;
  for (xcb_render_pictscreen_iterator_t screens = xcb_render_query_pict_formats_screens_iterator(formats); screens.rem > 0;
       xcb_render_pictscreen_next(&screens)) {
    for (xcb_render_pictdepth_iterator_t depths = xcb_render_pictscreen_depths_iterator(screens.data); depths.rem > 0;
         xcb_render_pictdepth_next(&depths)) {
      for (xcb_render_pictvisual_iterator_t i = xcb_render_pictdepth_visuals_iterator(depths.data); i.rem > 0;
           xcb_render_pictvisual_next(&i)) {
        if (i.data->visual == visual) found = i.data->format;
      }
    }
  }
  free(formats);
  return found;
}

static uint8_t bits_of_pixel(const x11_display *display, uint8_t depth) {
  for (xcb_format_iterator_t i = xcb_setup_pixmap_formats_iterator(display->setup); i.rem > 0; xcb_format_next(&i)) {
    if (i.data->depth == depth && i.data->scanline_pad == 32) return i.data->bits_per_pixel;
  }
  return 0;
}

msdk_result x11_display_pixels(const x11_display *display, const plugin_report *report, xcb_visualid_t visual, uint8_t depth,
                               x11_pixels *out) {
  const xcb_visualtype_t *type = find_visual(display, visual);
  uint8_t bits = bits_of_pixel(display, depth);
  if (depth != 16 && depth != 24 && depth != 30 && depth != 32) {
    return report_fail(report, MSDK_E_UNSUPPORTED, "a depth of %u bits is not supported; accepted: 16, 24, 30, 32", depth);
  }
  if (type == NULL || type->_class != XCB_VISUAL_CLASS_TRUE_COLOR) {
    return report_fail(report, MSDK_E_UNSUPPORTED, "the visual of depth %u is not TrueColor", depth);
  }
  if (bits != (depth == 16 ? 16 : 32) || display->setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST) {
    return report_fail(report, MSDK_E_UNSUPPORTED, "pixels of depth %u in %u bits%s are not supported", depth, bits,
                    display->setup->image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST ? "" : ", most significant byte first,");
  }
  x11_pixels pixels = {.depth = depth, .bytes = bits / 8};
  uint32_t masks[3] = {type->red_mask, type->green_mask, type->blue_mask};
  for (int i = 0; i < 3; i++) {
    uint32_t mask = masks[i];
    while (mask != 0 && (mask & 1) == 0) mask >>= 1, pixels.shift[i]++;
    while ((mask & 1) != 0) mask >>= 1, pixels.bits[i]++;
    if (mask != 0 || pixels.bits[i] < 4) {
      return report_fail(report, MSDK_E_UNSUPPORTED, "the visual of depth %u has a colour of mask 0x%X", depth, masks[i]);
    }
  }
  pixels.plain = masks[0] == 0xFF0000 && masks[1] == 0xFF00 && masks[2] == 0xFF;
  if (pixels.plain) pixels.format = find_format(display, visual);
  *out = pixels;
  return MSDK_OK;
}
