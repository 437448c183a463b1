/* An instance: one terminal, on a thread of its own that alone writes to it. Who renders only leaves the newest picture. */
#ifndef TERMINAL_SELF_H
#define TERMINAL_SELF_H

#include "../report.h"
#include "tty.h"

#include <pthread.h>
#include <sys/types.h>

typedef struct tm_settings {
  uint32_t columns, rows; /* 0: the terminal's */
  uint32_t fps;
  bool true_colour;
} tm_settings;

struct msdk_self {
  plugin_report report;
  bool shared;
  char *path;
  tm_settings settings; /* count when it is initialised */

  /* From init to release. */
  bool open;
  tm_settings used;
  tm_tty tty;
  int wake_fd; /* an eventfd */
  pthread_t thread;
  bool joined;          /* it has ended; under the lock of exit.c */
  pid_t process;        /* in which it was started */
  msdk_self *next_open; /* under the lock of exit.c */

  pthread_mutex_t lock; /* never held while something is written */
  /* Under the lock. */
  bool quit;
  msdk_result ended;              /* MSDK_OK while pictures are shown */
  char words[400];                /* why not */
  const msdk_video_frame *newest; /* not shown yet; a reference */
  const msdk_video_frame *shown;  /* a reference */
};

extern const msdk_video_renderer tm_renderer;

/* The body of the thread; its argument is the instance. It restores the terminal before it ends. */
void *tm_thread(void *self);

/* From now on the terminal is restored when the process exits. */
void tm_note_open(msdk_self *self);
/* Ends the thread, if the process's exit has not done so. */
void tm_end(msdk_self *self);

#endif
