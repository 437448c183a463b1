/* Pictures in a terminal: what each half cell shows, in the size that it has and gets, at the pace that was asked for. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "terminal_view.h"

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
    const uint32_t *corner = turned_quarters[orientation];
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

int main(int argc, char **argv) {
  load_terminal(argc, argv);
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
  return check_done();
}
