#define _POSIX_C_SOURCE 200809L
#include "monitors.h"

#include "display.h"
#include "../../CLinux/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/randr.h>

enum { MONITORS_MAX = 1000 };

void x11_monitors_forget(x11_monitors *monitors) {
  free(monitors->list);
  *monitors = (x11_monitors){0};
}

static void describe(x11_monitor *monitor, x11_display *display, const xcb_randr_monitor_info_t *info) {
  xcb_get_atom_name_reply_t *atom = x11_display_reply(display, xcb_get_atom_name(display->link, info->name).sequence);
  if (atom == NULL) return;
  snprintf(monitor->name, sizeof monitor->name, "%.*s", xcb_get_atom_name_name_length(atom), xcb_get_atom_name_name(atom));
  snprintf(monitor->label, sizeof monitor->label, "%s: %ux%u at %d,%d%s", monitor->name, info->width, info->height, info->x, info->y,
           info->primary ? ", the primary one" : "");
  free(atom);
}

static msdk_result list(x11_monitors *monitors, const plugin_report *report, x11_display *display) {
  if (!display->monitors) {
    return report_fail(report, MSDK_E_UNSUPPORTED, "the X server reports no monitors: it has no RandR, or a version before 1.5");
  }
  xcb_randr_get_monitors_reply_t *reply =
    x11_display_reply(display, xcb_randr_get_monitors(display->link, display->screen->root, 1).sequence);
  if (reply == NULL) return report_fail(report, MSDK_E_IO, "the X server does not report its monitors");
  x11_monitor *all = calloc(1 + MONITORS_MAX, sizeof *all);
  if (all == NULL) {
    free(reply);
    return report_fail(report, MSDK_E_NOMEM, "no memory for the monitors");
  }
  uint32_t count = 1;
  snprintf(all[0].label, sizeof all[0].label, "the primary one, or the first");
  for (xcb_randr_monitor_info_iterator_t i = xcb_randr_get_monitors_monitors_iterator(reply); i.rem > 0 && count <= MONITORS_MAX;
       xcb_randr_monitor_info_next(&i)) {
    describe(&all[count], display, i.data);
    if (all[count].name[0] != 0) count++;
  }
  free(reply);
  *monitors = (x11_monitors){.list = all, .count = count};
  return MSDK_OK;
}

msdk_result x11_monitors_find(x11_monitors *monitors, const plugin_report *report, const char *name) {
  x11_monitors_forget(monitors);
  x11_display display;
  const msdk_pipe_signal held = msdk_pipe_signal_hold();
  msdk_result result = x11_display_open(&display, report, name);
  if (result >= 0) {
    result = list(monitors, report, &display);
    x11_display_close(&display);
  }
  msdk_pipe_signal_drop(&held);
  return result;
}
