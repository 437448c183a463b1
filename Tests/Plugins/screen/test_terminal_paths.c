/* The parameters of the terminal, paths that are refused, and files in a terminal's place. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "terminal_view.h"

#include <errno.h>
#include <sys/stat.h>

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

int main(int argc, char **argv) {
  load_terminal(argc, argv);
  test_params();
  test_refused_paths();
  test_file();
  test_full_device();
  return check_done();
}
