/* What is captured: where it is, and how its pixels are. */
#ifndef X11_SOURCE_H
#define X11_SOURCE_H

#include "display.h"

typedef struct x11_area {
  int32_t x, y, width, height;
} x11_area;

typedef struct x11_source {
  bool is_window;      /* not a part of the root window */
  bool is_whole;       /* all of `window` is captured */
  xcb_window_t window; /* whose drawing counts: the root, or the window */
  x11_area area;       /* within it, of even sides */
  uint16_t border;     /* of the window, which its picture has around it */
  x11_pixels pixels;
  bool found;  /* it was there once */
  bool mapped; /* false: it is a window that is not shown now */
  bool tiny;   /* it is a window too small, or too large, for a picture */
  bool moved;  /* its place or size must be asked for anew */
  bool gone;   /* it is a window that was closed */
} x11_source;

/* Finds what the parameters name, and has its changes told. */
msdk_result x11_source_open(msdk_self *self);
void x11_source_close(msdk_self *self);
/* Asks where the source is now. MSDK_E_DEVICE_LOST, with words, when it is nowhere. */
msdk_result x11_source_locate(msdk_self *self);

/* The window of that number or title. */
msdk_result x11_find_window(const x11_display *display, const plugin_report *report, const char *name, xcb_window_t *out);

#endif
