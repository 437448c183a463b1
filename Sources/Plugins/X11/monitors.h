/* What the parameter `monitor` may be now. */
#ifndef X11_MONITORS_H
#define X11_MONITORS_H

#include "../report.h"

#include <stdint.h>

typedef struct x11_monitor {
  char name[256], label[320];
} x11_monitor;

typedef struct x11_monitors {
  x11_monitor *list; /* what was found when the list was begun */
  uint32_t count;
} x11_monitors;

void x11_monitors_forget(x11_monitors *monitors);

/* Asks the server of that name, over a connection of its own. Nothing is listed when it fails. */
msdk_result x11_monitors_find(x11_monitors *monitors, const plugin_report *report, const char *display);

#endif
