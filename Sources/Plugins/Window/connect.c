#define _POSIX_C_SOURCE 200809L
/* xcb_connect waits for the server's greeting without a limit, as other functions do for its replies, and writes to a socket that may
 * break. So a thread does it, which is left behind when it takes too long, and tidies up by itself if it ever comes back. */
#include "connect.h"
#include "../../CLinux/signals.h"
#include "../monotonic.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_S = 5, TURN_S = 1 };

/* What looks up a display's password keeps it in memory that all threads share: one at a time, unless one hangs. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

typedef struct attempt {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char *display;
  bool done, abandoned;
  xcb_connection_t *connection;
  int screen_number;
  wn_parent parent;
} attempt;

static attempt *new_attempt(const char *display, const wn_parent *parent) {
  attempt *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->display = strdup(display);
  made->parent = *parent;
  if (made->display != NULL && monotonic_lock_make(&made->lock, &made->changed)) return made;
  free(made->display);
  free(made);
  return NULL;
}

static void free_attempt(attempt *attempt) {
  pthread_cond_destroy(&attempt->changed);
  pthread_mutex_destroy(&attempt->lock);
  free(attempt->display);
  free(attempt);
}

/* Its events first, so that no change is missed after it was looked at. */
static void look_at(xcb_connection_t *connection, wn_parent *parent) {
  uint32_t events[] = {XCB_EVENT_MASK_STRUCTURE_NOTIFY};
  xcb_void_cookie_t selected = xcb_change_window_attributes_checked(connection, parent->id, XCB_CW_EVENT_MASK, events);
  xcb_get_window_attributes_cookie_t asked = xcb_get_window_attributes(connection, parent->id);
  xcb_get_geometry_cookie_t geometry = xcb_get_geometry(connection, parent->id);
  free(xcb_request_check(connection, selected)); /* it says what the replies say as well */
  xcb_get_window_attributes_reply_t *attributes = xcb_get_window_attributes_reply(connection, asked, NULL);
  xcb_get_geometry_reply_t *size = xcb_get_geometry_reply(connection, geometry, NULL);
  parent->exists = attributes != NULL && size != NULL;
  if (parent->exists) {
    parent->input_only = attributes->_class == XCB_WINDOW_CLASS_INPUT_ONLY;
    parent->root = size->root;
    parent->width = size->width;
    parent->height = size->height;
  }
  free(attributes);
  free(size);
}

static void *run(void *pointer) {
  attempt *attempt = pointer;
  int screen_number = 0;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += TURN_S;
  bool alone = pthread_mutex_timedlock(&turn, &until) == 0;
  xcb_connection_t *connection = xcb_connect(attempt->display[0] != 0 ? attempt->display : NULL, &screen_number);
  if (alone) pthread_mutex_unlock(&turn);
  if (attempt->parent.id != 0 && !xcb_connection_has_error(connection)) look_at(connection, &attempt->parent);
  pthread_mutex_lock(&attempt->lock);
  bool abandoned = attempt->abandoned;
  attempt->done = true;
  attempt->connection = connection;
  attempt->screen_number = screen_number;
  pthread_cond_signal(&attempt->changed);
  pthread_mutex_unlock(&attempt->lock);
  if (abandoned) {
    xcb_disconnect(connection);
    free_attempt(attempt);
  }
  return NULL;
}

int wn_start_thread(pthread_t *thread, void *(*body)(void *), void *argument) {
  return msdk_thread_create(thread, NULL, body, argument);
}

static msdk_result refused(const plugin_report *report, const char *display, int error) {
  bool unnamed = display[0] == 0;
  const char *shown = unnamed ? getenv("DISPLAY") : display;
  if (shown == NULL || shown[0] == 0) {
    return report_fail(report, MSDK_E_NOT_FOUND, "no X display: the parameter 'display' is empty, and DISPLAY is not set");
  }
  switch (error) {
  case XCB_CONN_CLOSED_PARSE_ERR:
    return report_fail(report, MSDK_E_INVALID, "'%.100s' is not a name of an X display; accepted: names such as ':0' and 'host:0.1'", shown);
  case XCB_CONN_CLOSED_INVALID_SCREEN: return report_fail(report, MSDK_E_NOT_FOUND, "the X display '%.100s' has no such screen", shown);
  case XCB_CONN_CLOSED_MEM_INSUFFICIENT: return report_fail(report, MSDK_E_NOMEM, "no memory for a connection to an X display");
  default:
    return report_fail(report, MSDK_E_IO, "no connection to the X display '%.100s': there is no server, or it refuses this user", shown);
  }
}

msdk_result wn_connect(const plugin_report *report, const char *display, wn_parent *parent, xcb_connection_t **out, int *screen_number) {
  attempt *attempt = new_attempt(display, parent);
  if (attempt == NULL) return report_fail(report, MSDK_E_NOMEM, "no memory for a connection to an X display");
  pthread_t thread;
  int error = wn_start_thread(&thread, run, attempt);
  if (error != 0) {
    free_attempt(attempt);
    return report_fail(report, MSDK_E_NOMEM, "no thread can be started: %s", strerror(error));
  }
  struct timespec until = monotonic_at(monotonic_ns() + (int64_t)ANSWER_S * 1000000000);
  pthread_mutex_lock(&attempt->lock);
  while (!attempt->done && pthread_cond_timedwait(&attempt->changed, &attempt->lock, &until) == 0) {}
  bool done = attempt->done;
  attempt->abandoned = !done;
  pthread_mutex_unlock(&attempt->lock);
  if (!done) {
    pthread_detach(thread);
    return report_fail(report, MSDK_E_TIMEOUT, "the X display '%.100s' did not answer within %d s", display, ANSWER_S);
  }
  pthread_join(thread, NULL);
  xcb_connection_t *connection = attempt->connection;
  *screen_number = attempt->screen_number;
  *parent = attempt->parent;
  free_attempt(attempt);
  error = xcb_connection_has_error(connection);
  if (error != 0) {
    xcb_disconnect(connection);
    return refused(report, display, error);
  }
  *out = connection;
  return MSDK_OK;
}
