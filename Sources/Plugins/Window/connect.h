#ifndef WINDOW_CONNECT_H
#define WINDOW_CONNECT_H

#include "report.h"

#include <pthread.h>
#include <xcb/xcb.h>

/* Connects to an X server; display: "" for the one that DISPLAY names. A server that does not answer is given up after some seconds. */
msdk_result wn_connect(const wn_report *report, const char *display, xcb_connection_t **out, int *screen_number);

/* A thread that gets none of the program's signals, and none for a connection that broke. 0, or the errno. */
int wn_start_thread(pthread_t *thread, void *(*body)(void *), void *argument);

#endif
