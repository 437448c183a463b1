/* What goes wrong around the recorder, and how it comes and goes. */
#define _GNU_SOURCE
#include "limits.h"
#include "recorder_media.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_killed(void) {
  static const char *const names[] = {"killed.webm", "killed.opus"};
  for (int kind = 0; kind < 2; kind++) {
    const char *path = host_path(names[kind]);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
      host_instance instance;
      create(&instance, path, "auto");
      audio->init_render(instance.self);
      if (kind == 0) video->init_render(instance.self);
      for (int64_t n = 0; n < 6 * FPS; n++) {
        if (kind == 0) give_picture(&instance, &format, n, EPOCH);
        for (int64_t i = 2 * n; i < 2 * n + 2; i++) give_sound(&instance, 2, i, EPOCH);
      }
      kill(getpid(), SIGKILL);
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    recorded read = read_recorded(path, kind == 0, 1);
    double sound = (double)read.samples / RATE, pictures = (double)read.pictures / FPS;
    if (kind == 0) printf("killed after 6 s: %.2f s of pictures and %.2f s of sound are in the WebM file\n", pictures, sound);
    else printf("killed after 6 s: %.2f s of sound are in the Ogg file\n", sound);
    CHECK(sound >= 4.5 && sound <= 6.1);
    CHECK(kind == 1 || pictures >= 4.5);
    for (int i = 1; i < 5; i++) {
      double beep = next_beep(&read, i - 0.3);
      CHECK(fabs(beep - i) < 0.005);
      CHECK(kind == 1 || fabs(next_flash(&read, i - 0.3) - beep) < 0.010);
    }
    free_recorded(&read);
  }
}

static void test_full_device(void) {
  static const char *const names[] = {"full.webm", "full.opus"};
  for (int kind = 0; kind < 2; kind++) {
    const char *path = host_path(names[kind]);
    CHECK_EQ(symlink("/dev/full", path), 0);
    host_instance instance;
    create(&instance, path, "auto");
    CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
    for (int64_t n = 0; n < 5; n++) {
      instance.context.error_text[0] = 0;
      CHECK_EQ(give_sound(&instance, 2, n, EPOCH), MSDK_E_IO);
      CHECK_TEXT(instance.context.error_text, strerror(ENOSPC));
    }
    CHECK_EQ(host_logs(&instance, MSDK_LOG_ERROR, 1), 1); /* told once */
    CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
    host_destroy(&instance);
  }
}

/* The file may grow to so many bytes only; what was written before stays, and plays. */
static void test_file_limit(void) {
  const char *path = host_path("limit.webm");
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  host_instance instance;
  create(&instance, path, "both");
  CHECK_EQ(host_set_u32(&instance, "audio_bitrate", 200000), MSDK_OK);
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  limit_files(60000);
  int64_t failed_at = 0;
  for (int64_t n = 0; n < 30 * FPS && failed_at == 0; n++) {
    msdk_result result = MSDK_OK;
    for (int64_t i = 2 * n; i < 2 * n + 2 && result == MSDK_OK; i++) result = give_sound(&instance, 2, i, EPOCH);
    if (result == MSDK_OK) result = give_picture(&instance, &format, n, EPOCH);
    CHECK(result == MSDK_OK || result == MSDK_E_IO);
    if (result < 0) failed_at = n;
  }
  limit_files(RLIM_INFINITY);
  CHECK(failed_at > 3 * FPS);
  CHECK_TEXT(instance.context.error_text, strerror(EFBIG));
  CHECK_EQ(give_picture(&instance, &format, failed_at, EPOCH), MSDK_E_IO); /* there would be room again, but not in this file */
  CHECK_EQ(host_logs(&instance, MSDK_LOG_ERROR, 1), 1);
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  struct stat status;
  CHECK_EQ(stat(path, &status), 0);
  CHECK(status.st_size > 40000 && status.st_size <= 60000);
  recorded read = read_recorded(path, 1, 1);
  printf("no room after %.2f s: %.2f s of pictures and %.2f s of sound are in the file\n", (double)failed_at / FPS,
         (double)read.pictures / FPS, (double)read.samples / RATE);
  CHECK((int64_t)read.pictures > failed_at - 2 * FPS);
  char command[512]; /* and nothing that is half a cluster */
  size_t size;
  snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -map 0 -c copy -f null - 2>&1", path);
  uint8_t *complaints = output_of(command, &size);
  CHECK_EQ(size, 0);
  free(complaints);
  CHECK(fabs(next_beep(&read, 0) - 1) < 0.005);
  free_recorded(&read);

  /* No room for the end only: told at release, and the file plays. */
  create(&instance, path, "audio");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 200; n++) CHECK_EQ(give_sound(&instance, 2, n, EPOCH), MSDK_OK);
  CHECK_EQ(stat(path, &status), 0);
  limit_files((rlim_t)status.st_size);
  CHECK_EQ(audio->release_render(instance.self), MSDK_E_IO);
  limit_files(RLIM_INFINITY);
  host_destroy(&instance);
  read = read_recorded(path, 0, 1);
  CHECK(read.samples > 2 * RATE);
  free_recorded(&read);
}

static void check_refused(const char *path, msdk_result wanted, const char *words) {
  host_instance instance;
  create(&instance, path, "auto");
  CHECK_EQ(audio->init_render(instance.self), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  host_destroy(&instance);
}

static void test_paths(void) {
  CHECK_EQ(mkdir(host_path("folder.webm"), 0700), 0);
  CHECK_EQ(mkfifo(host_path("fifo.webm"), 0600), 0);
  alarm(20);
  check_refused(host_path("folder.webm"), MSDK_E_INVALID, "folder.webm");
  check_refused(host_path("fifo.webm"), MSDK_E_INVALID, "fifo.webm");
  alarm(0);
  check_refused(host_path("none/x.webm"), MSDK_E_NOT_FOUND, "No such file");
  check_refused(host_path("x.mp4"), MSDK_E_INVALID, ".webm, .opus, .ogg");
  check_refused(host_path("noending"), MSDK_E_INVALID, "noending");
  check_refused("/folder.webm/noending", MSDK_E_INVALID, "noending");

  host_instance instance;
  create(&instance, host_path("shared.webm"), "auto");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  check_refused(host_path("shared.webm"), MSDK_E_EXISTS, "shared.webm");
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  create(&instance, host_path("shared.webm"), "auto");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK); /* when the first has closed it */
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  host_create(&instance, class);
  CHECK_EQ(video->init_render(instance.self), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, "path");
  CHECK_EQ(host_set_string(&instance, "path", ""), MSDK_E_INVALID);
  host_check_params(&instance);
  CHECK_EQ(host_set_u32(&instance, "audio_bitrate", 5000), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "6000 to 510000");
  CHECK_EQ(host_set_u32(&instance, "video_bitrate", 1), MSDK_E_RANGE);
  CHECK_EQ(host_set_u32(&instance, "video_bitrate", 1000000), MSDK_OK);
  host_destroy(&instance);
}

static void test_bad_frames(const vp8_clip *clip) {
  static const uint8_t bits[8] = {0xFC, 0xFF, 0xFE};
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  host_instance instance;
  create(&instance, host_path("bad.webm"), "auto");
  msdk_encoded_frame packet = packet_of(bits, 3, EPOCH);
  CHECK_EQ(give_picture(&instance, &format, 0, EPOCH), MSDK_E_STATE);
  CHECK_EQ(give_vp8(&instance, clip, 0, WIDTH, HEIGHT, EPOCH), MSDK_E_STATE);
  CHECK_EQ(give_sound(&instance, 1, 0, EPOCH), MSDK_E_STATE);
  CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_E_STATE);
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "path", host_path("other.webm")), MSDK_E_STATE);
  CHECK_TEXT(instance.context.error_text, "bad.webm");
  CHECK_EQ(video->render_video_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(video->render_encoded_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(audio->render_audio_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(audio->render_encoded_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(audio->render_settings(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(give_vp8(&instance, clip, 0, 0, HEIGHT, EPOCH), MSDK_E_INVALID);
  packet.size = 0;
  CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_E_INVALID);
  packet.size = 3;
  packet.codec = MSDK_CODEC_VP8;
  CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_E_FORMAT);
  CHECK_EQ(video->render_encoded_frame(instance.self, &packet), MSDK_E_INVALID); /* of no size */
  packet.codec = MSDK_CODEC_OPUS;
  CHECK_EQ(video->render_encoded_frame(instance.self, &packet), MSDK_E_FORMAT);
  msdk_video_format wrong = host_format(MSDK_PIXEL_BGRA, 16, 16);
  CHECK_EQ(video->accepts_format(instance.self, &wrong), 0);
  CHECK_EQ(video->accepts_format(instance.self, NULL), 0);
  CHECK_EQ(give_picture(&instance, &wrong, 0, EPOCH), MSDK_E_FORMAT);
  msdk_audio_format other = host_audio_format(MSDK_SAMPLE_S16, RATE, 2);
  msdk_audio_frame *sound = host_audio_frame(&instance, &other, BUFFER);
  CHECK_EQ(audio->render_audio_frame(instance.self, sound), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "f32");
  host_audio_unref(sound);

  /* Times that make no sense do no harm. */
  for (int64_t n = 0; n < 30; n++) {
    CHECK_EQ(give_sound(&instance, 1 + n % 2, n, EPOCH), MSDK_OK); /* channels change as they like */
    CHECK_EQ(give_picture(&instance, &format, n, n % 3 == 2 ? 0 : EPOCH), MSDK_OK);
  }
  CHECK_EQ(give_sound_at(&instance, 1, 0, BUFFER, INT64_MAX), MSDK_E_INVALID);
  CHECK_EQ(give_sound_at(&instance, 1, 0, BUFFER, INT64_MIN), MSDK_E_INVALID);
  CHECK_EQ(give_sound_at(&instance, 1, 0, BUFFER, 0), MSDK_OK); /* left out */
  CHECK_EQ(give_picture(&instance, &format, 30, INT64_MAX - 2 * SECOND), MSDK_E_INVALID);
  CHECK_EQ(give_picture(&instance, &format, 30, INT64_MIN), MSDK_E_INVALID);
  CHECK_EQ(give_picture(&instance, &format, 30, EPOCH + 25 * 3600 * SECOND), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, "timestamp");
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  recorded read = read_recorded(host_path("bad.webm"), 1, 1);
  CHECK_EQ(read.pictures, 30);
  for (uint32_t i = 1; i < read.pictures; i++) CHECK(read.times[i] > read.times[i - 1]);
  free_recorded(&read);
}

static void test_lifecycle(const vp8_clip *clip) {
  msdk_video_format format = host_format(MSDK_PIXEL_I420, WIDTH, HEIGHT);
  host_instance instance;
  struct stat status;
  const char *path = host_path("life.webm");
  create(&instance, path, "auto");
  int before = host_open_descriptors();
  for (int i = 0; i < 40; i++) {
    CHECK_EQ(i % 2 == 0 ? video->init_render(instance.self) : audio->init_render(instance.self), MSDK_OK);
    if (i % 3 == 0) CHECK_EQ(i % 2 == 1 ? video->init_render(instance.self) : audio->init_render(instance.self), MSDK_OK);
    if (i % 4 == 2) CHECK_EQ(give_vp8(&instance, clip, 0, WIDTH, HEIGHT, EPOCH), MSDK_OK);
    if (i % 4 == 3) CHECK_EQ(give_sound(&instance, 2, 0, EPOCH), MSDK_OK);
    CHECK_EQ(video->release_render(instance.self), MSDK_OK);
    CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
    if (i == 1) CHECK_EQ(stat(path, &status), -1); /* nothing came: no file */
    if (i == 5) CHECK(stat(path, &status) == 0 && status.st_size > 0); /* nothing came: the old one is as it was */
  }
  CHECK_EQ(host_open_descriptors(), before);
  CHECK_EQ(instance.context.errors, 0);

  /* A side may go and come back while the other stays: the file goes on. */
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 5 * FPS; n++) {
    if (n == FPS + 10) CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
    if (n == 2 * FPS + 10) CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
    if (n == 2 * FPS + 10) CHECK_EQ(video->release_render(instance.self), MSDK_OK);
    if (n == 3 * FPS - 5) CHECK_EQ(video->init_render(instance.self), MSDK_OK);
    if (n < 2 * FPS + 10 || n >= 3 * FPS - 5) CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
    if (n >= FPS + 10 && n < 2 * FPS + 10) continue;
    for (int64_t i = 2 * n; i < 2 * n + 2; i++) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
  }
  instance.class->destroy(instance.self); /* takes it down by itself */
  CHECK_EQ(instance.context.errors, 0);
  CHECK_EQ(instance.context.outstanding, 0);
  CHECK_EQ(class->create(class, &host_table, &instance.context, &instance.self), MSDK_OK);
  host_destroy(&instance);
  recorded read = read_recorded(path, 1, 1);
  for (int i = 1; i < 5; i++) {
    CHECK(fabs(next_flash(&read, i - 0.2) - i) < 0.002);
    if (i != 2) CHECK(fabs(next_beep(&read, i - 0.2) - i) < 0.005);
  }
  CHECK(next_beep(&read, 1.5) > 2.9);
  free_recorded(&read);
  char command[1024]; /* the index is there: seeking by it comes to a key frame */
  size_t size;
  snprintf(command, sizeof command, "ffprobe -v error -select_streams v -read_intervals 4%%+#1 -show_entries %s -of csv=p=0 '%s'",
           "packet=pts_time,flags", path);
  uint8_t *text = output_of(command, &size);
  CHECK(atof((char *)text) > 2 && strchr((char *)text, 'K') != NULL);
  free(text);
}

int main(int argc, char **argv) {
  load_recorder(argc, argv);
  static vp8_clip clip;
  encode_clip(&clip, WIDTH, HEIGHT);
  test_killed();
  test_full_device();
  test_file_limit();
  test_paths();
  test_bad_frames(&clip);
  test_lifecycle(&clip);
  free_clip(&clip);
  return check_done();
}
