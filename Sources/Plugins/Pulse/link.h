/* The way to the sound server: one thread, which alone touches libpulse's objects and calls the host without holding any lock. When the
 * server or the device goes away it says so once, tries again every half second, and says when it is back.
 *
 * libpulse's own threaded main loop is not used: its callbacks run with its lock held, which a host must not be called under. */
#ifndef PULSE_LINK_H
#define PULSE_LINK_H

#include "../report.h"

#include <pthread.h>
#include <pulse/pulseaudio.h>
#include <stdbool.h>

enum { PULSE_EVENT_BACK = MSDK_PLUGIN_EVENT_USER }; /* after MSDK_E_DEVICE_LOST: there is sound again; the detail is "back" */

typedef struct pulse_kind {
  const char *device; /* what the server calls it */
  /* [thread, under the link's lock] Connects a new stream, below 0 when it cannot. */
  int (*connect)(msdk_self *, pa_stream *, const char *device);
  /* [thread] Sound may flow: moves what there is. */
  void (*pump)(msdk_self *, pa_stream *);
} pulse_kind;

typedef struct pulse_link {
  const pulse_kind *kind;
  pa_mainloop *loop; /* NULL: not open */
  int wake_fd;       /* an eventfd: pa_mainloop_wakeup may be lost when the loop is not just waiting */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Under the lock. */
  char *server, *device, *app_name; /* never NULL once made; empty: the server's choice */
  bool quit, wanted;    /* asked of the thread; wanted: a stream */
  bool streaming;       /* the thread may have a stream, and be inside the host with it */
  bool asked;           /* a control call waits for connection or stream */
  bool asked_stream;
  msdk_result answer;   /* to it, with words if it is an error */
  char words[256];
  /* The thread's. */
  pa_context *context;
  pa_stream *stream;
  int64_t retry_ns;        /* no new context or stream before then, on CLOCK_MONOTONIC */
  int64_t connected_by_ns; /* or it failed */
  bool lost;               /* it was said that there is no sound */
} pulse_link;

/* Of a link that is closed. The lock and the names are the maker's to set. */
void pulse_link_free(pulse_link *link);

/* [control] Starts the thread, and waits until the server answers. On failure nothing stays. */
msdk_result pulse_link_open(msdk_self *self, const pulse_kind *kind);
/* [control] Makes a stream of self->format, and waits until there is one. */
msdk_result pulse_link_start(msdk_self *self);
/* [control] When it returns, the thread is not in pump, and will not be. */
void pulse_link_stop(msdk_self *self);
void pulse_link_close(msdk_self *self);

/* [any, between open and close] Lets the thread look for work. */
void pulse_link_wake(pulse_link *link);
/* [thread] Whether the stream is still wanted. */
bool pulse_link_wanted(pulse_link *link);

#endif
