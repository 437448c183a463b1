#define _POSIX_C_SOURCE 200809L
#include "../monotonic.h"
#include "sample.h"
#include "screen.h"
#include "self.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MS = 500, COLUMNS_UNKNOWN = 80, ROWS_UNKNOWN = 24 };

/* The alternate screen; no cursor. */
static const char enter[] = "\x1b[?1049h\x1b[?25l";
/* CAN ends a sequence that was begun and not finished. */
static const char cancel[] = "\x18";
static const char leave[] = "\x1b[0m\x1b[?25h\x1b[?1049l";

typedef struct state {
  msdk_self *self;
  tm_tty *tty;
  tm_screen screen;
  bool entered;
  int64_t due_ns; /* no picture before then */
} state;

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* What was asked for, as far as the terminal is that large. */
static void choose_size(const state *state, uint32_t *columns, uint32_t *rows) {
  const tm_settings *used = &state->self->used;
  *columns = used->columns != 0 ? used->columns : COLUMNS_UNKNOWN;
  *rows = used->rows != 0 ? used->rows : ROWS_UNKNOWN;
  uint32_t there_columns = *columns, there_rows = *rows;
  tm_tty_size(state->tty, &there_columns, &there_rows);
  *columns = least(TM_COLUMNS_MAX, used->columns != 0 ? least(used->columns, there_columns) : there_columns);
  *rows = least(TM_ROWS_MAX, used->rows != 0 ? least(used->rows, there_rows) : there_rows);
}

/* The newest picture, with a reference, if it is new or the terminal has another size; else NULL. */
static const msdk_video_frame *take_picture(state *state) {
  msdk_self *self = state->self;
  const msdk_host *host = self->report.host;
  uint32_t columns, rows;
  choose_size(state, &columns, &rows);
  bool resized = columns != state->screen.columns || rows != state->screen.rows;
  pthread_mutex_lock(&self->lock);
  const msdk_video_frame *former = NULL, *taken = self->newest != NULL || resized ? self->shown : NULL;
  if (self->newest != NULL) {
    former = self->shown;
    taken = self->shown = self->newest;
    self->newest = NULL;
  }
  if (taken != NULL) host->video_frame_ref(taken);
  pthread_mutex_unlock(&self->lock);
  if (former != NULL) host->video_frame_unref(former);
  if (taken == NULL || !resized || tm_screen_resize(&state->screen, columns, rows)) return taken;
  report_log(&self->report, MSDK_LOG_WARN, "no memory for a terminal of %u columns and %u rows", columns, rows);
  host->video_frame_unref(taken);
  return NULL;
}

/* Begins to write what shows the next picture, if there is one. */
static void show(state *state) {
  if (!state->entered) {
    pthread_mutex_lock(&state->self->lock);
    bool any = state->self->newest != NULL;
    pthread_mutex_unlock(&state->self->lock);
    if (!any) return;
    tm_tty_begin(state->tty, enter, sizeof enter - 1);
    state->entered = true;
    return;
  }
  const msdk_video_frame *frame = take_picture(state);
  if (frame == NULL) return;
  tm_screen *screen = &state->screen;
  tm_sample(frame, screen->pixels, screen->columns, 2 * screen->rows);
  state->self->report.host->video_frame_unref(frame);
  tm_screen_write(screen, state->self->used.true_colour);
  tm_tty_begin(state->tty, screen->text, screen->length);
  state->due_ns = monotonic_ns() + 1000000000 / state->self->used.fps;
}

static void hear(int wake_fd) {
  uint64_t count;
  if (read(wake_fd, &count, sizeof count) < 0) return;
}

/* Until something is to be done, or it is time to look whether the terminal has another size. False when no more is wanted. */
static bool rest(state *state) {
  msdk_self *self = state->self;
  pthread_mutex_lock(&self->lock);
  bool quit = self->quit, waiting = self->newest != NULL;
  pthread_mutex_unlock(&self->lock);
  if (quit) return false;
  int patience = state->entered ? LOOK_MS : -1;
  bool busy = tm_tty_busy(state->tty);
  if (!busy && waiting) {
    int64_t left_ms = (state->due_ns - monotonic_ns() + 999999) / 1000000;
    patience = left_ms < 0 ? 0 : (int)left_ms;
  }
  struct pollfd files[] = {{.fd = self->wake_fd, .events = POLLIN}, {.fd = self->tty.fd, .events = POLLOUT}};
  if (poll(files, busy ? 2 : 1, patience) < 0) return true;
  if ((files[0].revents & POLLIN) != 0) hear(self->wake_fd);
  return true;
}

static void fail(state *state, int error) {
  msdk_self *self = state->self;
  bool gone = state->tty->terminal && (error == EIO || error == ENXIO || error == EPIPE);
  pthread_mutex_lock(&self->lock);
  self->ended = gone ? MSDK_E_DEVICE_LOST : MSDK_E_IO;
  if (gone) snprintf(self->words, sizeof self->words, "the terminal '%s' was closed", state->tty->name);
  else snprintf(self->words, sizeof self->words, "writing to '%s': %s", state->tty->name, strerror(error));
  pthread_mutex_unlock(&self->lock);
  report_log(&self->report, MSDK_LOG_WARN, "%s; nothing more is shown", self->words);
}

/* Also a terminal that has stopped reading, whose last picture is thrown away, is left as it was found. */
static void restore(state *state) {
  tm_tty *tty = state->tty;
  bool stuck = !tm_tty_drain(tty);
  if (stuck) {
    tm_tty_unblock(tty);
    tm_tty_begin(tty, cancel, sizeof cancel - 1);
    tm_tty_drain(tty);
  }
  tm_tty_begin(tty, leave, sizeof leave - 1);
  if (!tm_tty_drain(tty)) report_log(&state->self->report, MSDK_LOG_WARN, "the terminal '%s' could not be restored", tty->name);
}

void *tm_thread(void *pointer) {
  msdk_self *self = pointer;
  state state = {.self = self, .tty = &self->tty};
  int error;
  do {
    error = tm_tty_write(state.tty);
    if (error == 0 && !tm_tty_busy(state.tty) && monotonic_ns() >= state.due_ns) {
      show(&state);
      if (tm_tty_busy(state.tty)) error = tm_tty_write(state.tty);
    }
  } while (error == 0 && rest(&state));
  if (error != 0) fail(&state, error);
  else if (state.entered) restore(&state);
  tm_screen_free(&state.screen);
  return NULL;
}
