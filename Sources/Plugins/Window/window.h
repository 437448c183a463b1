/* The window itself, and what happens to it. The thread's. */
#ifndef WINDOW_WINDOW_H
#define WINDOW_WINDOW_H

#include "visual.h"

enum { WN_PROTOCOLS, WN_DELETE, WN_NAME, WN_UTF8, WN_STATE, WN_FULLSCREEN, WN_ATOMS };

typedef enum wn_change { WN_NOTHING, WN_EXPOSED, WN_RESIZED, WN_PARENT_RESIZED } wn_change;

typedef struct wn_place {
  int32_t x, y;
  uint32_t width, height;
} wn_place;

typedef struct wn_window {
  xcb_connection_t *connection;
  const xcb_screen_t *screen;
  xcb_window_t parent; /* 0: it is a top-level window */
  uint32_t parent_width, parent_height;
  xcb_atom_t atoms[WN_ATOMS];
  xcb_window_t id; /* 0: there is none yet */
  xcb_gcontext_t gc;
  uint32_t width, height;
  bool mapped;
  bool closed; /* its user wants it gone, or it was destroyed by another client, or could not be created */
} wn_window;

void wn_window_begin(wn_window *window, xcb_connection_t *connection, const xcb_screen_t *screen);
/* Makes it; it is seen once it is mapped. `closed` if that fails. */
void wn_window_open(wn_window *window, const wn_visual *visual, const wn_place *place);
/* For the window manager of a top-level window, before it is mapped. `at`, `size`: whether its user asked for the position, the size. */
void wn_window_describe(wn_window *window, const wn_place *place, bool at, bool size, bool fullscreen);
/* WN_RESIZED follows. */
void wn_window_resize(wn_window *window, uint32_t width, uint32_t height);
/* Whether its parent does not exist any more. Asks the server. */
bool wn_window_is_orphaned(const wn_window *window);
void wn_window_map(wn_window *window);
void wn_window_set_title(wn_window *window, const char *title);
/* What the server itself paints where nothing is. */
void wn_window_set_background(wn_window *window, const wn_visual *visual, uint32_t colour);
wn_change wn_window_notice(wn_window *window, const xcb_generic_event_t *event);

#endif
