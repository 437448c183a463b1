/* What the server tells by itself. */
#include "self.h"

#include <stdlib.h>
#include <xcb/damage.h>
#include <xcb/randr.h>
#include <xcb/xfixes.h>

static bool concerns(const x11_source *source, xcb_window_t window) { return source->window == window; }

static void take_configure(msdk_self *self, const xcb_configure_notify_event_t *event) {
  if (concerns(&self->source, event->window)) self->source.moved = true;
}

static void take_map(msdk_self *self, xcb_window_t window, bool mapped) {
  if (!self->source.is_window || !concerns(&self->source, window)) return;
  self->source.mapped = mapped;
  if (mapped) x11_pictures_all_changed(&self->pictures);
  if (mapped) self->changed = true;
}

static void take(msdk_self *self, const xcb_generic_event_t *event) {
  const x11_display *display = &self->display;
  uint8_t type = event->response_type & 0x7F;
  switch (type) {
  case 0: self->display.errors++; return;
  case XCB_CONFIGURE_NOTIFY: take_configure(self, (const xcb_configure_notify_event_t *)event); return;
  case XCB_MAP_NOTIFY: take_map(self, ((const xcb_map_notify_event_t *)event)->window, true); return;
  case XCB_UNMAP_NOTIFY: take_map(self, ((const xcb_unmap_notify_event_t *)event)->window, false); return;
  case XCB_DESTROY_NOTIFY:
    if (self->source.is_window && concerns(&self->source, ((const xcb_destroy_notify_event_t *)event)->window)) self->source.gone = true;
    return;
  default: break;
  }
  if (display->damage && type == display->damage_event + XCB_DAMAGE_NOTIFY) self->changed = true;
  if (display->cursor && type == display->cursor_event + XCB_XFIXES_CURSOR_NOTIFY) self->cursor.old = true;
  if (display->monitors && (type == display->randr_event + XCB_RANDR_SCREEN_CHANGE_NOTIFY || type == display->randr_event + XCB_RANDR_NOTIFY)) {
    self->rearranged = true;
    if (!self->source.is_window) self->source.moved = true;
  }
}

msdk_result x11_follow(msdk_self *self) {
  xcb_generic_event_t *event;
  while ((event = xcb_poll_for_event(self->display.link)) != NULL) {
    take(self, event);
    free(event);
  }
  if (self->rearranged) {
    msdk_value name = {.type = MSDK_T_STRING, .u.str = "monitor"};
    self->report.host->post_event(self->report.context, MSDK_PLUGIN_EVENT_CHOICES_CHANGED, MSDK_OK, &name);
    self->rearranged = false;
  }
  if (!x11_display_alive(&self->display)) return report_fail(&self->report, MSDK_E_DEVICE_LOST, "the connection to the X server is lost");
  if (!x11_display_answers(&self->display)) return report_fail(&self->report, MSDK_E_AGAIN, "the X server does not answer");
  if (self->source.gone) return report_fail(&self->report, MSDK_E_DEVICE_LOST, "the window was closed");
  if (!self->source.moved) return MSDK_OK;
  x11_area before = self->source.area;
  msdk_result result = x11_source_locate(self);
  if (result < 0) return result;
  bool resized = before.width != self->source.area.width || before.height != self->source.area.height;
  if (resized || before.x != self->source.area.x || before.y != self->source.area.y) {
    x11_pictures_all_changed(&self->pictures);
    self->changed = true;
  }
  return MSDK_OK;
}
