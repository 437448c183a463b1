/* The connection to an X server, and what that server can do. */
#ifndef X11_DISPLAY_H
#define X11_DISPLAY_H

#include "../report.h"

#include <stdbool.h>
#include <xcb/render.h>
#include <xcb/xcb.h>

typedef struct x11_display {
  xcb_connection_t *link; /* NULL: none */
  const xcb_setup_t *setup;
  xcb_screen_t *screen;
  bool shm, shm_by_descriptor, shm_pixmaps; /* memory can be shared with the server */
  bool damage;                              /* it tells what changed, and reckons with regions */
  bool cursor, composite, monitors;
  uint8_t damage_event, cursor_event, randr_event; /* numbers of the first events; 0: none come */
  xcb_render_pictformat_t argb;                    /* 0: no RENDER */
  uint32_t errors;                                 /* that came without being waited for */
  bool is_silent;                                  /* it let us wait too long; `missing` is the answer that is still to come */
  unsigned missing;
} x11_display;

/* How pixels lie in the server's memory. */
typedef struct x11_pixels {
  uint8_t depth, bytes;           /* bytes of a pixel */
  uint8_t shift[3], bits[3];      /* red, green, blue */
  bool plain;                     /* B, G, R and a byte, as in BGRA */
  xcb_render_pictformat_t format; /* RENDER's name for it; 0: none */
} x11_pixels;

/* `name` "": $DISPLAY. The display holds nothing when it fails. */
msdk_result x11_display_open(x11_display *display, const plugin_report *report, const char *name);
void x11_display_close(x11_display *display);
static inline bool x11_display_alive(const x11_display *display) { return xcb_connection_has_error(display->link) == 0; }

/* The answer to a request; free() it. NULL: an error, the server is gone, or it is silent: halted, or grabbed by another program. Then
 * nothing more is waited for until x11_display_answers. */
void *x11_display_reply(x11_display *display, unsigned request);
bool x11_display_answers(x11_display *display);

/* MSDK_E_UNSUPPORTED for what cannot be turned into BGRA. */
msdk_result x11_display_pixels(const x11_display *display, const plugin_report *report, xcb_visualid_t visual, uint8_t depth,
                               x11_pixels *out);

#endif
