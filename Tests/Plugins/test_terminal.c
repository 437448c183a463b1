/* Shows pictures in pseudo-terminals and files, and reads what was written as a terminal would. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "check.h"
#include "host.h"
#include "vt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 30, RED = 0xFF0000, GREEN = 0x00FF00, BLUE = 0x0000FF, WHITE = 0xFFFFFF };

static const msdk_class *class;
static const msdk_video_renderer *renderer;

/* -------------------------------------------------------------------------------------------------------------- a terminal */

typedef struct terminal {
  int master, slave;
  char name[64];
  vt screen;
} terminal;

static void set_size(terminal *tty, uint32_t columns, uint32_t rows) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  CHECK_EQ(ioctl(tty->slave, TIOCSWINSZ, &size), 0);
}

static void open_terminal(terminal *tty, uint32_t columns, uint32_t rows) {
  tty->master = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(tty->master >= 0 && grantpt(tty->master) == 0 && unlockpt(tty->master) == 0);
  snprintf(tty->name, sizeof tty->name, "%s", ptsname(tty->master));
  tty->slave = open(tty->name, O_RDWR | O_NOCTTY); /* else the master sees an end between two renderers */
  CHECK(tty->slave >= 0);
  set_size(tty, columns, rows);
  vt_begin(&tty->screen, columns, rows);
}

static void close_terminal(terminal *tty) {
  CHECK_EQ(tty->screen.unknown, 0);
  close(tty->slave);
  if (tty->master >= 0) close(tty->master);
}

/* Reads what is there, waiting for something at most so long. False when nothing came. */
static int pump(terminal *tty, int patience_ms) {
  struct pollfd file = {.fd = tty->master, .events = POLLIN};
  char bytes[4096];
  if (poll(&file, 1, patience_ms) <= 0 || (file.revents & POLLIN) == 0) return 0;
  ssize_t count = read(tty->master, bytes, sizeof bytes);
  if (count <= 0) return 0;
  vt_feed(&tty->screen, bytes, (size_t)count);
  return 1;
}

static void pump_all(terminal *tty) {
  while (pump(tty, 0)) {}
}

static int64_t deadline_ns(void) { return host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000; }

static void pause_ms(long milliseconds) {
  nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000}, NULL);
}

/* ----------------------------------------------------------------------------------------------------------------- pictures */

static void fill(msdk_video_frame *frame, uint32_t left, uint32_t top, uint32_t width, uint32_t height, uint32_t colour) {
  for (uint32_t y = top; y < top + height; y++) {
    uint8_t *to = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride + 4 * (size_t)left;
    for (uint32_t x = 0; x < width; x++, to += 4) {
      to[0] = (uint8_t)colour;
      to[1] = (uint8_t)(colour >> 8);
      to[2] = (uint8_t)(colour >> 16);
      to[3] = 0;
    }
  }
}

static msdk_video_frame *plain(host_instance *instance, uint32_t width, uint32_t height, uint32_t colour) {
  msdk_video_format format = host_format(MSDK_PIXEL_BGRA, width, height);
  msdk_video_frame *frame = host_frame(instance, &format);
  fill(frame, 0, 0, width, height, colour);
  return frame;
}

/* Red, green / blue, white. */
static msdk_video_frame *quarters(host_instance *instance, uint32_t width, uint32_t height) {
  msdk_video_frame *frame = plain(instance, width, height, WHITE);
  fill(frame, 0, 0, width / 2, height / 2, RED);
  fill(frame, width / 2, 0, width - width / 2, height / 2, GREEN);
  fill(frame, 0, height / 2, width / 2, height - height / 2, BLUE);
  return frame;
}

static uint32_t noise(uint32_t x, uint32_t y, uint32_t seed) {
  uint32_t value = (x * 2654435761u ^ y * 2246822519u ^ seed * 3266489917u) * 668265263u;
  return (value ^ value >> 15) & 0xFFFFFF;
}

/* Squares of `side` pixels, of which each becomes half a cell. */
static msdk_video_frame *noisy(host_instance *instance, uint32_t columns, uint32_t rows, uint32_t side, uint32_t seed) {
  msdk_video_frame *frame = plain(instance, columns * side, 2 * rows * side, 0);
  for (uint32_t y = 0; y < 2 * rows; y++) {
    for (uint32_t x = 0; x < columns; x++) fill(frame, x * side, y * side, side, side, noise(x, y, seed));
  }
  return frame;
}

static int shows_noise(const vt *screen, uint32_t seed) {
  for (uint32_t row = 0; row < screen->rows; row++) {
    for (uint32_t column = 0; column < screen->columns; column++) {
      const vt_cell *cell = &screen->cells[row][column];
      if (cell->upper != (int32_t)noise(column, 2 * row, seed) || cell->lower != (int32_t)noise(column, 2 * row + 1, seed)) return 0;
    }
  }
  return 1;
}

static void await_noise(terminal *tty, uint32_t seed) {
  int64_t until = deadline_ns();
  while (!shows_noise(&tty->screen, seed) && host_monotonic_ns() < until) pump(tty, 50);
  CHECK(shows_noise(&tty->screen, seed));
}

typedef struct half {
  uint32_t x, y; /* of half cells */
  int32_t colour;
} half;

static int32_t at(const vt *screen, uint32_t x, uint32_t y) {
  const vt_cell *cell = &screen->cells[y / 2][x];
  return y % 2 == 0 ? cell->upper : cell->lower;
}

static void await_halves(terminal *tty, const half *halves, int count, const char *what) {
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

static msdk_result render(host_instance *instance, msdk_video_frame *frame) {
  msdk_result result = renderer->render_video_frame(instance->self, frame);
  host_unref(frame);
  return result;
}

static uint32_t outstanding(host_instance *instance) {
  pthread_mutex_lock(&instance->context.lock);
  uint32_t result = instance->context.outstanding;
  pthread_mutex_unlock(&instance->context.lock);
  return result;
}

static void make(host_instance *instance, const char *path) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_u32(instance, "fps", 60), MSDK_OK);
}

static void open_renderer(host_instance *instance, const char *path) {
  make(instance, path);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
}

static void check_restored(terminal *tty) {
  pump_all(tty);
  CHECK_EQ(tty->screen.alternate, 0);
  CHECK_EQ(tty->screen.hidden, 0);
  CHECK_EQ(tty->screen.front, VT_DEFAULT);
  CHECK_EQ(tty->screen.behind, VT_DEFAULT);
  CHECK_EQ(tty->screen.state, 0);
}

static void close_renderer(host_instance *instance, terminal *tty) {
  CHECK_EQ(renderer->release_render(instance->self), MSDK_OK);
  CHECK_EQ(outstanding(instance), 0);
  check_restored(tty);
  host_destroy(instance);
}

/* -------------------------------------------------------------------------------------------------------------------- tests */

static void test_params(void) {
  host_instance instance;
  host_create(&instance, class);
  host_check_params(&instance);
  CHECK_EQ(host_set_u32(&instance, "columns", 1001), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "1001");
  CHECK_EQ(host_set_u32(&instance, "rows", 501), MSDK_E_RANGE);
  CHECK_EQ(host_set_u32(&instance, "fps", 0), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "1..60");
  CHECK_EQ(host_set_u32(&instance, "fps", 61), MSDK_E_RANGE);
  msdk_video_format format = host_format(MSDK_PIXEL_BGRA, 4, 4);
  CHECK_EQ(renderer->accepts_format(instance.self, &format), 1);
  CHECK_EQ(render(&instance, host_frame(&instance, &format)), MSDK_E_STATE);
  format.pixel_format = MSDK_PIXEL_I420;
  CHECK_EQ(renderer->accepts_format(instance.self, &format), 0);
  CHECK_EQ(renderer->accepts_format(instance.self, NULL), 0);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
}

static void refused(const char *path, uint32_t columns, msdk_result wanted, const char *words) {
  host_instance instance;
  make(&instance, path);
  CHECK_EQ(host_set_u32(&instance, "columns", columns), MSDK_OK);
  CHECK_EQ(host_set_u32(&instance, "rows", 10), MSDK_OK);
  int before = host_open_descriptors();
  CHECK_EQ(renderer->init_render(instance.self), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  CHECK_EQ(host_open_descriptors(), before);
  host_destroy(&instance);
}

static void test_refused_paths(void) {
  const char *file = host_path("kept.txt");
  FILE *made = fopen(file, "w");
  CHECK(made != NULL && fputs("kept", made) >= 0 && fclose(made) == 0);
  refused(file, 0, MSDK_E_INVALID, "'columns'");
  struct stat status;
  CHECK(stat(file, &status) == 0 && status.st_size == 4);
  refused(host_path("nothing.txt"), 0, MSDK_E_NOT_FOUND, "nothing.txt");
  CHECK(stat(host_path("nothing.txt"), &status) != 0);
  refused("/nonexistent/screen", 10, MSDK_E_NOT_FOUND, "/nonexistent/screen");
  refused(host_folder(), 10, MSDK_E_INVALID, host_folder());
  refused("/dev/null", 0, MSDK_E_INVALID, "/dev/null");
  CHECK_EQ(mkfifo(host_path("fifo"), 0600), 0);
  int reader = open(host_path("fifo"), O_RDONLY | O_NONBLOCK);
  refused(host_path("fifo"), 10, MSDK_E_INVALID, "neither a terminal nor a regular file");
  close(reader);
}

static void test_pictures(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 37, 11);
  open_renderer(&instance, tty.name);
  CHECK_EQ(pump(&tty, 100), 0); /* nothing before there is a picture */
  for (uint32_t seed = 0; seed < 6; seed++) {
    CHECK_EQ(render(&instance, noisy(&instance, 37, 11, 1 + seed * 3, seed)), MSDK_OK);
    await_noise(&tty, seed);
  }
  CHECK_EQ(tty.screen.alternate, 1);
  CHECK_EQ(tty.screen.hidden, 1);
  CHECK_EQ(tty.screen.entered, 1);
  CHECK_EQ(tty.screen.cleared, 1);
  CHECK(outstanding(&instance) <= 2);
  msdk_video_format wrong = host_format(MSDK_PIXEL_I420, 64, 64);
  CHECK_EQ(render(&instance, host_frame(&instance, &wrong)), MSDK_E_FORMAT);
  CHECK_EQ(renderer->render_video_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(renderer->flush(instance.self), MSDK_OK);
  CHECK_EQ(outstanding(&instance), 0);
  /* Released and initialised again, it begins anew. */
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  check_restored(&tty);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, noisy(&instance, 37, 11, 2, 9)), MSDK_OK);
  await_noise(&tty, 9);
  CHECK_EQ(tty.screen.entered, 2);
  host_destroy(&instance); /* which releases */
  check_restored(&tty);
  close_terminal(&tty);
}

/* Half a cell shows the mean of what lies in it. */
static void test_mean(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 2, 1);
  open_renderer(&instance, tty.name);
  msdk_video_frame *frame = plain(&instance, 8, 8, 0x204060);
  for (uint32_t i = 0; i < 8; i++) fill(frame, i % 2, i, 1, 1, 0x407F00); /* in one of four columns, alternately */
  fill(frame, 4, 0, 2, 8, 0xC08040);
  CHECK_EQ(render(&instance, frame), MSDK_OK);
  await_halves(&tty, (half[]){{0, 0, 0x285048}, {0, 1, 0x285048}, {1, 0, 0x706050}, {1, 1, 0x706050}}, 4, "mean");
  close_renderer(&instance, &tty);
  close_terminal(&tty);
}

static void test_only_changes_are_written(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 60, 20);
  open_renderer(&instance, tty.name);
  msdk_video_frame *frame = noisy(&instance, 60, 20, 2, 3);
  CHECK_EQ(render(&instance, frame), MSDK_OK);
  await_noise(&tty, 3);
  uint64_t bytes = tty.screen.bytes, printed = tty.screen.printed;
  CHECK_EQ(printed, 60 * 20);
  msdk_video_frame *changed = noisy(&instance, 60, 20, 2, 3);
  fill(changed, 2 * 41, 2 * 17, 2, 2, 0x123456);
  CHECK_EQ(render(&instance, changed), MSDK_OK);
  await_halves(&tty, (half[]){{41, 17, 0x123456}}, 1, "one half");
  CHECK_EQ(tty.screen.printed, printed + 1);
  CHECK(tty.screen.bytes - bytes < 60);
  /* The same picture again is nothing; the one after it shows that it was looked at. */
  CHECK_EQ(render(&instance, noisy(&instance, 60, 20, 2, 3)), MSDK_OK);
  await_noise(&tty, 3);
  CHECK_EQ(tty.screen.printed, printed + 2);
  close_renderer(&instance, &tty);
  close_terminal(&tty);
}

static void test_proportion(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 40, 10); /* 40 by 20 */
  open_renderer(&instance, tty.name);
  CHECK_EQ(render(&instance, quarters(&instance, 100, 100)), MSDK_OK);
  await_halves(&tty, (half[]){{0, 0, 0}, {9, 10, 0}, {10, 0, RED}, {29, 0, GREEN}}, 4, "a bar to the left");
  await_halves(&tty, (half[]){{10, 19, BLUE}, {29, 19, WHITE}, {30, 10, 0}, {39, 19, 0}}, 4, "a bar to the right");
  CHECK_EQ(render(&instance, quarters(&instance, 400, 100)), MSDK_OK);
  await_halves(&tty, (half[]){{0, 4, 0}, {0, 5, RED}, {39, 5, GREEN}}, 3, "a bar above");
  await_halves(&tty, (half[]){{0, 14, BLUE}, {39, 14, WHITE}, {39, 15, 0}}, 3, "a bar below");
  CHECK_EQ(render(&instance, plain(&instance, 1, 1, BLUE)), MSDK_OK);
  await_halves(&tty, (half[]){{10, 0, BLUE}, {29, 19, BLUE}, {9, 0, 0}}, 3, "one pixel");
  CHECK_EQ(render(&instance, plain(&instance, 16384, 1, GREEN)), MSDK_OK);
  await_halves(&tty, (half[]){{0, 9, GREEN}, {39, 9, GREEN}, {0, 8, 0}, {0, 10, 0}}, 4, "one line");
  close_renderer(&instance, &tty);
  close_terminal(&tty);
}

static void test_orientation(void) {
  /* Top left, top right, bottom left, bottom right: mirrored first, then turned clockwise. */
  const int32_t wanted[8][4] = {{RED, GREEN, BLUE, WHITE}, {BLUE, RED, WHITE, GREEN}, {WHITE, BLUE, GREEN, RED},
                                {GREEN, WHITE, RED, BLUE}, {GREEN, RED, WHITE, BLUE}, {WHITE, GREEN, BLUE, RED},
                                {BLUE, WHITE, RED, GREEN}, {RED, BLUE, GREEN, WHITE}};
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 20, 10);
  open_renderer(&instance, tty.name);
  for (uint32_t orientation = 0; orientation < 8; orientation++) {
    int lies = orientation & 1;
    msdk_video_frame *frame = quarters(&instance, 60, 30);
    frame->orientation = orientation;
    CHECK_EQ(render(&instance, frame), MSDK_OK);
    uint32_t left = lies ? 5 : 0, right = lies ? 14 : 19, top = lies ? 0 : 5, bottom = lies ? 19 : 14;
    const int32_t *corner = wanted[orientation];
    await_halves(&tty, (half[]){{left, top, corner[0]}, {right, top, corner[1]}, {left, bottom, corner[2]}, {right, bottom, corner[3]}}, 4,
                 "corners");
    await_halves(&tty, (half[]){{0, 0, 0}, {lies ? 4 : 0, lies ? 10 : 4, 0}, {lies ? 15 : 19, lies ? 10 : 15, 0}}, 3, "beside");
  }
  close_renderer(&instance, &tty);
  close_terminal(&tty);
}

static void test_palette(void) {
  /* Of the cube 16 + 36 r + 6 g + b with the levels 0, 95, 135, 175, 215, 255; of the greys 232 + n with 8 + 10 n. */
  static const struct {
    uint32_t colour;
    int32_t index;
  } known[] = {{0x000000, 16}, {0xFFFFFF, 231}, {RED, 196},      {GREEN, 46},     {BLUE, 21},      {0x5F87AF, 67}, {0xD7D7D7, 188},
               {0x080808, 232}, {0x808080, 244}, {0xEEEEEE, 255}, {0x123456, 23}, {0xFE0101, 196}, {0x30302F, 236}, {0x5F0000, 52}};
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 1, 1);
  make(&instance, tty.name);
  CHECK_EQ(host_set_string(&instance, "colors", "256"), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    msdk_video_frame *frame = plain(&instance, 4, 8, known[i].colour);
    fill(frame, 0, 4, 4, 4, known[(i + 1) % (sizeof known / sizeof known[0])].colour);
    CHECK_EQ(render(&instance, frame), MSDK_OK);
    int32_t below = known[(i + 1) % (sizeof known / sizeof known[0])].index;
    await_halves(&tty, (half[]){{0, 0, 0x1000000 + known[i].index}, {0, 1, 0x1000000 + below}}, 2, "palette");
  }
  close_renderer(&instance, &tty);
  close_terminal(&tty);
}

/* A terminal that gets another size is filled anew, even when no other picture comes. */
static void test_resize(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 30, 10);
  open_renderer(&instance, tty.name);
  CHECK_EQ(render(&instance, quarters(&instance, 90, 60)), MSDK_OK);
  await_halves(&tty, (half[]){{0, 0, RED}, {29, 0, GREEN}, {0, 19, BLUE}, {29, 19, WHITE}}, 4, "before");
  const uint32_t sizes[][2] = {{60, 20}, {15, 5}, {150, 50}, {30, 10}};
  for (size_t i = 0; i < 4; i++) {
    uint32_t columns = sizes[i][0], rows = sizes[i][1], wide = columns < 3 * rows ? columns : 3 * rows, left = (columns - wide) / 2;
    pump_all(&tty);
    tty.screen.columns = columns; /* of what is on the way nothing lies beyond the smaller one, as all is drawn */
    tty.screen.rows = rows;
    set_size(&tty, columns, rows);
    await_halves(&tty, (half[]){{left, 2, RED}, {columns - 1 - left, 2, GREEN}}, 2, "top");
    await_halves(&tty, (half[]){{left, 2 * rows - 3, BLUE}, {columns - 1 - left, 2 * rows - 3, WHITE}}, 2, "bottom");
    CHECK_EQ(tty.screen.cleared, 2 + i);
  }
  close_renderer(&instance, &tty);
  close_terminal(&tty);
}

/* Columns and rows that are asked for are used as far as there are; a terminal that does not tell has 80 by 24. */
static void test_size(void) {
  static const uint32_t sizes[][6] = {/* there, asked, used */
                                      {50, 20, 20, 10, 20, 10}, {50, 20, 100, 50, 50, 20}, {50, 20, 30, 0, 30, 20},
                                      {0, 0, 0, 0, 80, 24},     {0, 0, 90, 30, 90, 30},    {1, 1, 0, 0, 1, 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const uint32_t *size = sizes[i];
    terminal tty;
    host_instance instance;
    open_terminal(&tty, size[0], size[1]);
    tty.screen.columns = size[4];
    tty.screen.rows = size[5];
    make(&instance, tty.name);
    CHECK_EQ(host_set_u32(&instance, "columns", size[2]), MSDK_OK);
    CHECK_EQ(host_set_u32(&instance, "rows", size[3]), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    CHECK_EQ(render(&instance, noisy(&instance, size[4], size[5], 2, 1)), MSDK_OK);
    await_noise(&tty, 1);
    close_renderer(&instance, &tty);
    close_terminal(&tty);
  }
}

static void test_pace(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 1, 1);
  make(&instance, tty.name);
  CHECK_EQ(host_set_u32(&instance, "fps", 5), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  int64_t start = host_monotonic_ns();
  for (uint32_t i = 0; i < 150; i++) {
    CHECK_EQ(render(&instance, plain(&instance, 4, 8, i + 1)), MSDK_OK);
    pump(&tty, 0);
    pause_ms(10);
  }
  await_halves(&tty, (half[]){{0, 0, 150}}, 1, "the last picture");
  int64_t most = (host_monotonic_ns() - start) / 200000000 + 2;
  CHECK((int64_t)tty.screen.printed <= most);
  CHECK(tty.screen.printed >= 2);
  close_renderer(&instance, &tty);
  close_terminal(&tty);
}

/* Who renders never waits, the newest picture is the one that is seen, and the sequences are not torn. */
static void test_slow_reader(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 100, 50);
  open_renderer(&instance, tty.name);
  for (uint32_t seed = 0; seed < 100; seed++) {
    CHECK_EQ(render(&instance, noisy(&instance, 100, 50, 1, seed)), MSDK_OK);
    if (outstanding(&instance) > 4) CHECK_EQ(outstanding(&instance), 4);
    if (seed % 10 == 0) pause_ms(20);
  }
  await_noise(&tty, 99);
  CHECK(tty.screen.printed < 100 * 100 * 50 / 4);
  close_renderer(&instance, &tty);
  close_terminal(&tty);
}

/* One that does not read at all is restored all the same: what it has not read is thrown away. */
static void test_stuck_reader(int halted) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 100, 50);
  open_renderer(&instance, tty.name);
  if (halted) {
    CHECK_EQ(render(&instance, noisy(&instance, 100, 50, 1, 0)), MSDK_OK);
    await_noise(&tty, 0);
    CHECK_EQ(tcflow(tty.slave, TCOOFF), 0); /* as Ctrl-S does */
  }
  for (uint32_t seed = 1; seed < 30; seed++) {
    CHECK_EQ(render(&instance, noisy(&instance, 100, 50, 1, seed)), MSDK_OK);
    pause_ms(10);
  }
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(outstanding(&instance), 0);
  pump_all(&tty);
  CHECK_EQ(tty.screen.alternate, 0);
  CHECK_EQ(tty.screen.hidden, 0);
  CHECK_EQ(tty.screen.front, VT_DEFAULT);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 0);
  host_destroy(&instance);
  close_terminal(&tty);
}

/* The terminal goes away: said once, with words, and no signal. */
static void test_hang_up(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 30, 10);
  open_renderer(&instance, tty.name);
  CHECK_EQ(render(&instance, noisy(&instance, 30, 10, 1, 1)), MSDK_OK);
  await_noise(&tty, 1);
  close(tty.master);
  tty.master = -1;
  msdk_result result = MSDK_OK;
  int64_t until = deadline_ns();
  for (uint32_t seed = 2; result == MSDK_OK && host_monotonic_ns() < until; seed++) {
    result = render(&instance, noisy(&instance, 30, 10, 1, seed));
    if (result == MSDK_OK) pause_ms(10);
  }
  CHECK_EQ(result, MSDK_E_DEVICE_LOST);
  CHECK_TEXT(instance.context.error_text, "was closed");
  CHECK_TEXT(instance.context.error_text, tty.name);
  CHECK_EQ(render(&instance, noisy(&instance, 30, 10, 1, 0)), MSDK_E_DEVICE_LOST);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 1);
  CHECK_EQ(outstanding(&instance), 0);
  host_destroy(&instance);
  close_terminal(&tty);
}

/* ---------------------------------------------------------------------------------------------------------------------- files */

static void test_file(void) {
  host_instance instance;
  terminal tty = {.master = -1};
  const char *path = host_path("screen.txt");
  for (int round = 0; round < 2; round++) { /* the second replaces what the first wrote */
    make(&instance, path);
    CHECK_EQ(host_set_u32(&instance, "columns", 25), MSDK_OK);
    CHECK_EQ(host_set_u32(&instance, "rows", 8), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    CHECK_EQ(render(&instance, noisy(&instance, 25, 8, 4, 7)), MSDK_OK);
    tty.slave = open(path, O_RDONLY);
    vt_begin(&tty.screen, 25, 8);
    char bytes[4096];
    int64_t until = deadline_ns();
    ssize_t count = 0;
    while (!shows_noise(&tty.screen, 7) && host_monotonic_ns() < until) {
      count = read(tty.slave, bytes, sizeof bytes);
      if (count > 0) vt_feed(&tty.screen, bytes, (size_t)count);
      else pause_ms(10);
    }
    CHECK(shows_noise(&tty.screen, 7));
    CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
    while ((count = read(tty.slave, bytes, sizeof bytes)) > 0) vt_feed(&tty.screen, bytes, (size_t)count);
    CHECK_EQ(tty.screen.entered, 1);
    CHECK_EQ(tty.screen.alternate, 0);
    CHECK_EQ(tty.screen.hidden, 0);
    CHECK_EQ(tty.screen.unknown, 0);
    close(tty.slave);
    host_destroy(&instance);
  }
}

static void test_full_device(void) {
  host_instance instance;
  make(&instance, "/dev/full");
  CHECK_EQ(host_set_u32(&instance, "columns", 25), MSDK_OK);
  CHECK_EQ(host_set_u32(&instance, "rows", 8), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  msdk_result result = MSDK_OK;
  int64_t until = deadline_ns();
  while (result == MSDK_OK && host_monotonic_ns() < until) {
    result = render(&instance, plain(&instance, 25, 16, RED));
    if (result == MSDK_OK) pause_ms(10);
  }
  CHECK_EQ(result, MSDK_E_IO);
  CHECK_TEXT(instance.context.error_text, "/dev/full");
  CHECK_TEXT(instance.context.error_text, strerror(ENOSPC));
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
}

/* ------------------------------------------------------------------------------------------------------- the process's own terminal */

/* In a process of its own, whose terminal it becomes; ends by `exit` while the picture is shown. */
static void show_and_exit(terminal *tty) {
  host_instance *instance = calloc(1, sizeof *instance);
  check_failed = 0;
  setsid();
  close(tty->slave);
  host_create(instance, class);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_E_NOT_FOUND);
  CHECK_TEXT(instance->context.error_text, "no terminal");
  int own = open(tty->name, O_RDWR); /* of a session's leader without a terminal, it becomes the one */
  CHECK(own >= 0);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
  CHECK_EQ(render(instance, noisy(instance, 30, 10, 3, 5)), MSDK_OK);
  fflush(stdout);
  if (check_failed > 0) _exit(9);
  /* A child of its own that exits leaves the picture alone. */
  pid_t child = fork();
  if (child == 0) exit(0);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) _exit(8);
  char go;
  while (read(own, &go, 1) != 1) {}
  exit(7);
}

static void test_exit(void) {
  terminal tty;
  open_terminal(&tty, 30, 10);
  struct termios plain_input;
  CHECK_EQ(tcgetattr(tty.slave, &plain_input), 0);
  plain_input.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
  CHECK_EQ(tcsetattr(tty.slave, TCSANOW, &plain_input), 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) show_and_exit(&tty);
  await_noise(&tty, 5);
  pause_ms(200); /* in which the grandchild would do its harm */
  pump_all(&tty);
  CHECK_EQ(tty.screen.alternate, 1);
  CHECK_EQ(write(tty.master, "x", 1), 1);
  int status = 0;
  int64_t until = deadline_ns();
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && host_monotonic_ns() < until) pump(&tty, 20);
  CHECK_EQ(ended, child);
  if (ended != child) kill(child, SIGKILL);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  check_restored(&tty);
  CHECK_EQ(tty.screen.entered, 1);
  close_terminal(&tty);
}

static void test_leftovers(void) {
  int before = host_open_descriptors();
  for (int i = 0; i < 4; i++) {
    terminal tty;
    host_instance instance;
    open_terminal(&tty, 10, 5);
    open_renderer(&instance, tty.name);
    if (i % 2 == 0) CHECK_EQ(render(&instance, noisy(&instance, 10, 5, 1, 4)), MSDK_OK);
    if (i % 2 == 0) await_noise(&tty, 4);
    host_destroy(&instance);
    check_restored(&tty);
    CHECK_EQ(tty.screen.bytes > 0, i % 2 == 0); /* without a picture the terminal was left alone */
    close_terminal(&tty);
  }
  CHECK_EQ(host_open_descriptors(), before);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "terminal.so", "org.mediasdk.renderer.terminal");
  renderer = class->video_renderer;
  test_exit(); /* before there are threads, or files to be removed at exit */
  test_params();
  test_refused_paths();
  test_pictures();
  test_mean();
  test_only_changes_are_written();
  test_proportion();
  test_orientation();
  test_palette();
  test_resize();
  test_size();
  test_pace();
  test_slow_reader();
  test_stuck_reader(0);
  test_stuck_reader(1);
  test_hang_up();
  test_file();
  test_full_device();
  test_leftovers();
  return check_done();
}
