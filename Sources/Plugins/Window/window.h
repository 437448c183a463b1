/* The window itself, and what happens to it. The thread's. */
#ifndef WINDOW_WINDOW_H
#define WINDOW_WINDOW_H

#include "visual.h"

enum { WN_PROTOCOLS, WN_DELETE, WN_NAME, WN_UTF8, WN_STATE, WN_FULLSCREEN, WN_ATOMS };

typedef enum wn_change { WN_NOTHING, WN_EXPOSED, WN_RESIZED } wn_change;

typedef struct wn_window {
  xcb_connection_t *connection;
  const xcb_screen_t *screen;
  xcb_atom_t atoms[WN_ATOMS];
  xcb_window_t id; /* 0: there is none yet */
  xcb_gcontext_t gc;
  uint32_t width, height;
  bool mapped;
  bool closed; /* its user wants it gone, or somebody else did away with it */
} wn_window;

void wn_window_begin(wn_window *window, xcb_connection_t *connection, const xcb_screen_t *screen);
/* Makes it; it is seen once it is mapped. */
void wn_window_open(wn_window *window, const wn_visual *visual, uint32_t width, uint32_t height, bool fullscreen);
void wn_window_map(wn_window *window);
void wn_window_set_title(wn_window *window, const char *title);
/* What the server itself paints where nothing is. */
void wn_window_set_background(wn_window *window, const wn_visual *visual, uint32_t colour);
wn_change wn_window_notice(wn_window *window, const xcb_generic_event_t *event);

#endif
