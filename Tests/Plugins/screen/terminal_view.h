/* A pseudo-terminal, and the renderer that shows pictures in it; what was written is read as a terminal would. What must hold is waited
 * for, however slow all is. */
#ifndef TESTS_TERMINAL_VIEW_H
#define TESTS_TERMINAL_VIEW_H

#include "check.h"
#include "patience.h"
#include "plain_pictures.h"
#include "vt.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

static inline void load_terminal(int argc, char **argv) { load_renderer(argc, argv, "terminal.so", "org.mediasdk.renderer.terminal"); }

/* ---------------------------------------------------------------------------------------------------------------- a terminal */

typedef struct terminal {
  int master, slave;
  char name[64];
  vt screen;
} terminal;

static inline void set_size(terminal *tty, uint32_t columns, uint32_t rows) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  CHECK_EQ(ioctl(tty->slave, TIOCSWINSZ, &size), 0);
}

static inline void open_terminal(terminal *tty, uint32_t columns, uint32_t rows) {
  tty->master = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(tty->master >= 0 && grantpt(tty->master) == 0 && unlockpt(tty->master) == 0);
  snprintf(tty->name, sizeof tty->name, "%s", ptsname(tty->master));
  tty->slave = open(tty->name, O_RDWR | O_NOCTTY); /* else the master sees an end between two renderers */
  CHECK(tty->slave >= 0);
  set_size(tty, columns, rows);
  vt_begin(&tty->screen, columns, rows);
}

static inline void close_terminal(terminal *tty) {
  CHECK_EQ(tty->screen.unknown, 0);
  close(tty->slave);
  if (tty->master >= 0) close(tty->master);
}

/* Reads what is there, waiting for something at most so long. False when nothing came. */
static inline int pump(terminal *tty, int patience_ms) {
  struct pollfd file = {.fd = tty->master, .events = POLLIN};
  char bytes[4096];
  if (poll(&file, 1, patience_ms) <= 0 || (file.revents & POLLIN) == 0) return 0;
  ssize_t count = read(tty->master, bytes, sizeof bytes);
  if (count <= 0) return 0;
  vt_feed(&tty->screen, bytes, (size_t)count);
  return 1;
}

static inline void pump_all(terminal *tty) {
  while (pump(tty, 0)) {}
}

/* ------------------------------------------------------------------------------------------------------------------ pictures */

static inline uint32_t noise(uint32_t x, uint32_t y, uint32_t seed) {
  uint32_t value = (x * 2654435761u ^ y * 2246822519u ^ seed * 3266489917u) * 668265263u;
  return (value ^ value >> 15) & 0xFFFFFF;
}

/* Squares of `side` pixels, of which each becomes half a cell. */
static inline msdk_video_frame *noisy(host_instance *instance, uint32_t columns, uint32_t rows, uint32_t side, uint32_t seed) {
  msdk_video_frame *frame = plain(instance, columns * side, 2 * rows * side, 0);
  for (uint32_t y = 0; y < 2 * rows; y++) {
    for (uint32_t x = 0; x < columns; x++) fill(frame, x * side, y * side, side, side, noise(x, y, seed));
  }
  return frame;
}

static inline int shows_noise(const vt *screen, uint32_t seed) {
  for (uint32_t row = 0; row < screen->rows; row++) {
    for (uint32_t column = 0; column < screen->columns; column++) {
      const vt_cell *cell = &screen->cells[row][column];
      if (cell->upper != (int32_t)noise(column, 2 * row, seed) || cell->lower != (int32_t)noise(column, 2 * row + 1, seed)) return 0;
    }
  }
  return 1;
}

static inline void await_noise(terminal *tty, uint32_t seed) {
  int64_t until = deadline_ns();
  while (!shows_noise(&tty->screen, seed) && host_monotonic_ns() < until) pump(tty, 50);
  CHECK(shows_noise(&tty->screen, seed));
}

typedef struct half {
  uint32_t x, y; /* of half cells */
  int32_t colour;
} half;

static inline int32_t at(const vt *screen, uint32_t x, uint32_t y) {
  const vt_cell *cell = &screen->cells[y / 2][x];
  return y % 2 == 0 ? cell->upper : cell->lower;
}

static inline void await_halves(terminal *tty, const half *halves, int count, const char *what) {
  int64_t until = deadline_ns();
  int good = 0;
  while (!good) {
    good = 1;
    for (int i = 0; i < count; i++) good = good && at(&tty->screen, halves[i].x, halves[i].y) == halves[i].colour;
    if (good || host_monotonic_ns() > until) break;
    pump(tty, 50);
  }
  for (int i = 0; !good && i < count; i++) {
    printf("%s: (%u,%u) is %06X, should be %06X\n", what, halves[i].x, halves[i].y,
           (unsigned)at(&tty->screen, halves[i].x, halves[i].y), (unsigned)halves[i].colour);
  }
  CHECK(good);
}

/* -------------------------------------------------------------------------------------------------------------- the renderer */

static inline void make(host_instance *instance, const char *path) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_u32(instance, "fps", 60), MSDK_OK);
}

static inline void open_renderer(host_instance *instance, const char *path) {
  make(instance, path);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
}

static inline void check_restored(terminal *tty) {
  pump_all(tty);
  CHECK_EQ(tty->screen.alternate, 0);
  CHECK_EQ(tty->screen.hidden, 0);
  CHECK_EQ(tty->screen.front, VT_DEFAULT);
  CHECK_EQ(tty->screen.behind, VT_DEFAULT);
  CHECK_EQ(tty->screen.state, 0);
}

static inline void close_renderer(host_instance *instance, terminal *tty) {
  CHECK_EQ(renderer->release_render(instance->self), MSDK_OK);
  CHECK_EQ(outstanding(instance), 0);
  check_restored(tty);
  host_destroy(instance);
}

#endif
