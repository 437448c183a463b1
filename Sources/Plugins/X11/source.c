#include "self.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/composite.h>
#include <xcb/randr.h>

static bool is_source(const msdk_self *self, const char *kind) { return strcmp(self->options.source, kind) == 0; }

static msdk_result gone(msdk_self *self, const char *words) {
  if (self->display.is_silent) return report_fail(&self->report, MSDK_E_AGAIN, "the X server does not answer");
  if (!x11_display_alive(&self->display)) words = "the connection to the X server is lost";
  return report_fail(&self->report, MSDK_E_DEVICE_LOST, "%s", words);
}

/* What is wrong with the parameters at first is later the source's own end. */
static msdk_result not_there(const msdk_self *self, msdk_result result) { return self->source.found ? MSDK_E_DEVICE_LOST : result; }

/* The primary monitor, or the one of that name; without a primary one the first. */
static msdk_result locate_monitor(msdk_self *self, x11_area *out) {
  xcb_connection_t *link = self->display.link;
  const char *wanted = self->options.monitor;
  if (!self->display.monitors) {
    return report_fail(&self->report, MSDK_E_UNSUPPORTED, "the X server reports no monitors: it has no RandR, or a version before 1.5");
  }
  xcb_randr_get_monitors_reply_t *reply =
    x11_display_reply(&self->display, xcb_randr_get_monitors(link, self->display.screen->root, 1).sequence);
  if (reply == NULL) return gone(self, "the X server does not report its monitors");
  msdk_result result = MSDK_E_NOT_FOUND;
  bool is_primary = false;
  char names[256] = "";
  for (xcb_randr_monitor_info_iterator_t i = xcb_randr_get_monitors_monitors_iterator(reply); i.rem > 0; xcb_randr_monitor_info_next(&i)) {
    xcb_get_atom_name_reply_t *atom = x11_display_reply(&self->display, xcb_get_atom_name(link, i.data->name).sequence);
    if (atom == NULL) continue;
    size_t length = (size_t)xcb_get_atom_name_name_length(atom), shown = strlen(names);
    const char *name = xcb_get_atom_name_name(atom);
    if (shown + length + 3 < sizeof names) {
      strcat(names, shown > 0 ? ", " : "");
      strncat(names, name, length);
    }
    bool is_named = length == strlen(wanted) && memcmp(name, wanted, length) == 0;
    if (wanted[0] == 0 ? result != MSDK_OK || (i.data->primary && !is_primary) : is_named) {
      result = MSDK_OK;
      is_primary = i.data->primary;
      *out = (x11_area){.x = i.data->x, .y = i.data->y, .width = i.data->width, .height = i.data->height};
    }
    free(atom);
  }
  free(reply);
  if (result == MSDK_OK) return MSDK_OK;
  if (self->display.is_silent || !x11_display_alive(&self->display)) return gone(self, "");
  return report_fail(&self->report, not_there(self, result), "there is no monitor '%.100s'; there is %s", wanted,
                  names[0] != 0 ? names : "none");
}

/* Within the root window, which is of that size. */
static msdk_result locate_rectangle(msdk_self *self, const xcb_get_geometry_reply_t *root, x11_area *out) {
  const x11_options *options = &self->options;
  uint32_t x = options->x, y = options->y;
  uint32_t width = options->width != 0 || x >= root->width ? options->width : root->width - x;
  uint32_t height = options->height != 0 || y >= root->height ? options->height : root->height - y;
  if (x >= root->width || y >= root->height || width > root->width - x || height > root->height - y) {
    return report_fail(&self->report, not_there(self, MSDK_E_RANGE),
                    "the rectangle of %ux%u at %u,%u is not inside the display, which is %ux%u", width, height, x, y, root->width,
                    root->height);
  }
  *out = (x11_area){.x = (int32_t)x, .y = (int32_t)y, .width = (int32_t)width, .height = (int32_t)height};
  return MSDK_OK;
}

static msdk_result locate(msdk_self *self, x11_area *out) {
  xcb_connection_t *link = self->display.link;
  x11_source *source = &self->source;
  if (!source->is_window && is_source(self, "monitor")) return locate_monitor(self, out);
  xcb_get_geometry_reply_t *reply = x11_display_reply(&self->display, xcb_get_geometry(link, source->window).sequence);
  if (reply == NULL) return gone(self, "the window was closed");
  *out = (x11_area){.width = reply->width, .height = reply->height};
  source->border = reply->border_width;
  msdk_result result = !source->is_window && is_source(self, "rectangle") ? locate_rectangle(self, reply, out) : MSDK_OK;
  free(reply);
  return result;
}

static bool fits(const x11_area *area) {
  return area->width > 0 && area->height > 0 && area->width <= MSDK_DIMENSION_MAX && area->height <= MSDK_DIMENSION_MAX;
}

msdk_result x11_source_locate(msdk_self *self) {
  x11_source *source = &self->source;
  x11_area area = source->area;
  source->moved = true; /* until that is answered */
  msdk_result result = locate(self, &area);
  if (result < 0) return result;
  source->moved = false;
  area.width &= ~1;
  area.height &= ~1;
  source->tiny = source->found && source->is_window && !fits(&area);
  if (source->tiny) return MSDK_OK; /* it may grow again */
  if (!fits(&area)) {
    return report_fail(&self->report, not_there(self, MSDK_E_UNSUPPORTED), "a source of %dx%d is not supported; accepted: 2x2 up to %d per side",
                    area.width, area.height, MSDK_DIMENSION_MAX);
  }
  source->area = area;
  source->is_whole = source->is_window || is_source(self, "display");
  source->found = true;
  return MSDK_OK;
}

static msdk_result open_window(msdk_self *self) {
  x11_source *source = &self->source;
  xcb_connection_t *link = self->display.link;
  msdk_result result = x11_find_window(&self->display, &self->report, self->options.window, &source->window);
  if (result < 0) return result;
  if (source->window == self->display.screen->root) {
    return report_fail(&self->report, MSDK_E_INVALID, "window '%.200s' is the root window; source=display captures it", self->options.window);
  }
  if (!self->display.composite) {
    return report_fail(&self->report, MSDK_E_UNSUPPORTED, "capturing a window needs the Composite extension, which this X server lacks");
  }
  /* Its changes first, so that none is missed after it was looked at. */
  uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  xcb_change_window_attributes(link, source->window, XCB_CW_EVENT_MASK, &events);
  xcb_get_window_attributes_cookie_t asked = xcb_get_window_attributes(link, source->window);
  xcb_get_geometry_cookie_t geometry = xcb_get_geometry(link, source->window);
  xcb_get_window_attributes_reply_t *attributes = xcb_get_window_attributes_reply(link, asked, NULL);
  xcb_get_geometry_reply_t *size = xcb_get_geometry_reply(link, geometry, NULL);
  if (attributes == NULL || size == NULL) {
    result = gone(self, "the window was closed");
  } else if (attributes->_class == XCB_WINDOW_CLASS_INPUT_ONLY) {
    result = report_fail(&self->report, MSDK_E_UNSUPPORTED, "window '%.200s' shows nothing: it is an InputOnly window", self->options.window);
  } else {
    source->mapped = attributes->map_state == XCB_MAP_STATE_VIEWABLE;
    result = x11_display_pixels(&self->display, &self->report, attributes->visual, size->depth, &source->pixels);
  }
  free(attributes);
  free(size);
  if (result < 0) return result;
  source->is_window = true;
  /* From now on it is painted into memory of its own, where nothing covers it. */
  xcb_void_cookie_t redirected = xcb_composite_redirect_window_checked(link, source->window, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
  xcb_generic_error_t *error = xcb_request_check(link, redirected);
  if (error == NULL) return MSDK_OK;
  uint8_t code = error->error_code;
  free(error);
  return report_fail(&self->report, MSDK_E_FAIL, "the X server does not store the window's pixels separately: error %u", code);
}

static msdk_result open_root(msdk_self *self) {
  xcb_connection_t *link = self->display.link;
  const xcb_screen_t *screen = self->display.screen;
  uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  self->source.window = screen->root;
  self->source.mapped = true;
  xcb_change_window_attributes(link, screen->root, XCB_CW_EVENT_MASK, &events);
  return x11_display_pixels(&self->display, &self->report, screen->root_visual, screen->root_depth, &self->source.pixels);
}

msdk_result x11_source_open(msdk_self *self) {
  self->source = (x11_source){0};
  if (self->display.monitors) {
    xcb_randr_select_input(self->display.link, self->display.screen->root,
                           XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE | XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE);
  }
  msdk_result result = is_source(self, "window") ? open_window(self) : open_root(self);
  return result < 0 ? result : x11_source_locate(self);
}

void x11_source_close(msdk_self *self) {
  if (self->source.is_window && self->display.link != NULL && !self->source.gone) {
    xcb_composite_unredirect_window(self->display.link, self->source.window, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
  }
  self->source = (x11_source){0};
}
