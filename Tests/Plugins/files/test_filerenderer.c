/* Files of every kind: a full disk, paths that are refused, and one file after the other. */
#define _GNU_SOURCE
#include "filerenderer_write.h"
#include "limits.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_full_device(void) {
  static const char *const kinds[] = {"y4m", "ivf", "png"};
  static const uint8_t bits[100] = {1, 2, 3};
  for (int k = 0; k < 3; k++) {
    host_instance instance;
    host_create(&instance, class);
    CHECK_EQ(host_set_string(&instance, "path", "/dev/full"), MSDK_OK);
    CHECK_EQ(host_set_string(&instance, "format", kinds[k]), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    msdk_video_format format = host_format(k == 0 ? MSDK_PIXEL_NV12 : MSDK_PIXEL_RGB24, 33, 7);
    msdk_encoded_frame key = encoded_of(bits, sizeof bits, 1, 0);
    for (int i = 0; i < 3; i++) {
      instance.context.error_text[0] = 0;
      msdk_result result = k == 1 ? renderer->render_encoded_frame(instance.self, &key) : render(&instance, &format, 0);
      CHECK_EQ(result, MSDK_E_IO);
      CHECK_TEXT(instance.context.error_text, strerror(ENOSPC));
    }
    CHECK_EQ(host_logs(&instance, MSDK_LOG_ERROR, 1), 1); /* told once */
    close_file(&instance);
  }
}

/* The file may grow to 2000 bytes only; what was written whole before stays, and can be read. */
static void test_file_limit(void) {
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 20, 20);
  format.fps_num = 25;
  host_instance instance;
  open_file(&instance, host_path("round.y4m"));
  limit_files(2000);
  msdk_result results[6];
  for (uint32_t i = 0; i < 6; i++) results[i] = render(&instance, &format, i);
  limit_files(RLIM_INFINITY);
  CHECK_EQ(render(&instance, &format, 7), MSDK_E_IO); /* there would be room again, but not in this file */
  CHECK_TEXT(instance.context.error_text, strerror(EFBIG));
  for (uint32_t i = 0; i < 6; i++) CHECK_EQ(results[i], i < 3 ? MSDK_OK : MSDK_E_IO);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_ERROR, 1), 1);
  close_file(&instance);
  check_round_trip(&format, 3);

  static const uint8_t bits[600] = {1, 2, 3};
  open_file(&instance, host_path("limit.ivf"));
  limit_files(2000);
  for (int i = 0; i < 6; i++) {
    msdk_encoded_frame key = encoded_of(bits, sizeof bits, 1, i * 40000000);
    results[i] = renderer->render_encoded_frame(instance.self, &key);
  }
  limit_files(RLIM_INFINITY);
  for (uint32_t i = 0; i < 6; i++) CHECK_EQ(results[i], i < 3 ? MSDK_OK : MSDK_E_IO);
  close_file(&instance);
  size_t size;
  uint8_t *out = read_file(host_path("limit.ivf"), &size);
  CHECK_EQ(size, 32 + 3 * 612);
  CHECK_EQ(u32_at(out + 24), 3);
  free(out);

  /* A PNG that fails at release is told there. */
  msdk_video_format rgb = host_format(MSDK_PIXEL_RGB24, 200, 100);
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "path", host_path("limit.png")), MSDK_OK);
  CHECK_EQ(host_set_u64(&instance, "frame", 2), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, &rgb, 0), MSDK_OK);
  limit_files(50);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_E_IO);
  limit_files(RLIM_INFINITY);
  host_destroy(&instance);
}

static void check_refused(const char *path, msdk_result wanted, const char *words) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "path", path), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  host_destroy(&instance);
}

static void test_paths(void) {
  CHECK_EQ(mkdir(host_path("folder.y4m"), 0700), 0);
  CHECK_EQ(mkfifo(host_path("fifo.y4m"), 0600), 0);
  alarm(20);
  check_refused(host_path("folder.y4m"), MSDK_E_INVALID, "folder.y4m");
  check_refused(host_path("fifo.y4m"), MSDK_E_INVALID, "fifo.y4m");
  alarm(0);
  check_refused(host_path("none/x.y4m"), MSDK_E_NOT_FOUND, "No such file");
  check_refused(host_path("x.mkv"), MSDK_E_INVALID, ".y4m, .ivf or .png");
  check_refused(host_path("noending"), MSDK_E_INVALID, "'format'");
  check_refused("/dir.png/noending", MSDK_E_INVALID, "'format'");

  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, "path");
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 2, 2);
  CHECK_EQ(renderer->accepts_format(instance.self, &format), 0);
  CHECK_EQ(render(&instance, &format, 0), MSDK_E_STATE);
  CHECK_EQ(host_set_string(&instance, "path", ""), MSDK_E_INVALID);
  host_check_params(&instance);
  CHECK_EQ(host_set_u64(&instance, "frame", 0), MSDK_E_RANGE);
  host_destroy(&instance);
}

static void test_lifecycle(void) {
  static const char *const names[] = {"l.y4m", "l.ivf", "l.png"};
  static const uint8_t bits[10] = {0};
  host_instance instance;
  host_create(&instance, class);
  int before = host_open_descriptors();
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(host_set_string(&instance, "path", host_path(names[i % 3])), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    msdk_video_format format = host_format(i % 3 == 0 ? MSDK_PIXEL_I420 : MSDK_PIXEL_RGBA, 5, 3);
    msdk_encoded_frame key = encoded_of(bits, sizeof bits, 1, i);
    if (i % 4 != 0) {
      CHECK_EQ(i % 3 == 1 ? renderer->render_encoded_frame(instance.self, &key) : render(&instance, &format, 0), MSDK_OK);
    }
    CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  }
  CHECK_EQ(host_open_descriptors(), before);
  CHECK_EQ(instance.context.errors, 0);

  /* The host rotates them; one that is not is no part of the file. */
  CHECK_EQ(host_set_string(&instance, "path", host_path("rotated.y4m")), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_I420, 5, 3);
  msdk_video_frame *frame = host_frame(&instance, &format);
  host_paint(frame, 0);
  frame->orientation = MSDK_ROTATE_90;
  CHECK_EQ(renderer->render_video_frame(instance.self, frame), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "accepted: upright frames");
  host_unref(frame);
  close_file(&instance);
}

int main(int argc, char **argv) {
  load_renderer(argc, argv);
  test_full_device();
  test_file_limit();
  test_paths();
  test_lifecycle();
  return check_done();
}
