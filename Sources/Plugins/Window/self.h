/* An instance: one window, on a thread of its own that alone talks to the X server. Who renders only leaves the newest picture. */
#ifndef WINDOW_SELF_H
#define WINDOW_SELF_H

#include "compose.h"
#include "connect.h"
#include "../report.h"
#include "visual.h"

#include <pthread.h>

enum { /* events; documented with the class */
  WN_EVENT_CLOSED = MSDK_PLUGIN_EVENT_USER + 1,
  WN_EVENT_RESIZED = MSDK_PLUGIN_EVENT_USER + 2
};

#define WN_NOT_GIVEN INT32_MIN /* for a position, where 0 is one */

typedef struct wn_wish {
  xcb_window_t parent; /* 0: none */
  int32_t x, y; /* WN_NOT_GIVEN, or of a window */
  uint32_t width, height; /* 0: as the first picture has it; in a parent: up to its edge */
  bool fullscreen;
} wn_wish;

struct msdk_self {
  plugin_report report;
  pthread_mutex_t lock; /* never held while the host or the X server is called */
  pthread_cond_t changed;

  /* Parameters that count when it is initialised. */
  char *display;
  wn_wish wish;
  /* Parameters that count at once; under the lock. */
  char *title;
  wn_view view;
  bool retitled, restyled; /* the thread has not looked yet */

  /* From init to release. */
  bool open;
  xcb_connection_t *connection; /* the thread's, and NULL under the lock from the moment it gives it back */
  const xcb_screen_t *screen;
  wn_wish wanted;
  wn_parent parent; /* as it was when the connection was made */
  wn_visual visual;
  int wake_fd; /* an eventfd */
  pthread_t thread;

  /* Under the lock. */
  bool quit, running;
  msdk_result ended;              /* MSDK_OK while there is a window, or there will be one; MSDK_E_CLOSED, MSDK_E_DEVICE_LOST */
  bool orphaned;                  /* it is closed because its parent was destroyed */
  const msdk_video_frame *newest; /* not drawn yet; a reference */
  const msdk_video_frame *shown;  /* a reference */
  uint32_t shown_width, shown_height; /* of the window; 0: there is none */
};

extern const msdk_video_renderer wn_renderer;

/* The body of the thread; its argument is the instance. */
void *wn_thread(void *self);
void wn_wake(msdk_self *self);

/* Gives the kept pictures back. */
void wn_drop_pictures(msdk_self *self);

#endif
