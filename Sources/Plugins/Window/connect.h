#ifndef WINDOW_CONNECT_H
#define WINDOW_CONNECT_H

#include "../report.h"

#include <pthread.h>
#include <stdbool.h>
#include <xcb/xcb.h>

/* The window in which the video is embedded. */
typedef struct wn_parent {
  xcb_window_t id; /* 0: none */
  /* What the server says of it. */
  bool exists, input_only;
  xcb_window_t root;
  uint32_t width, height;
} wn_parent;

/* Connects to an X server; display: "" for the one that DISPLAY names. A server that does not answer is given up after some seconds.
 * If parent->id is not 0, it also selects the structure events of that window, for this connection only, and fills in the rest. */
msdk_result wn_connect(const plugin_report *report, const char *display, wn_parent *parent, xcb_connection_t **out, int *screen_number);

/* A thread that gets none of the program's signals, and none for a connection that broke. 0, or the errno. */
int wn_start_thread(pthread_t *thread, void *(*body)(void *), void *argument);

#endif
