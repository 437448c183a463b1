/* When things are in the recorder's files: clocks that drift, gaps, tracks that come late, pictures that change. */
#define _XOPEN_SOURCE 700
#include "recorder_media.h"

#include <sys/stat.h>

/* ------------------------------------------------------------------------------------------------------------------- sound */

/* Sound whose clock is slow against the timestamps by `ppm`, which jitter: beeps stay at their times. */
static void test_drift(int ppm) {
  const char *path = host_path("drift.opus");
  host_instance instance;
  create(&instance, path, "audio");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  uint32_t seed = 1;
  const int seconds = 40;
  for (int64_t n = 0; n < 50 * seconds; n++) {
    int64_t time = n * SECOND / 50 + n * SECOND / 50 * ppm / 1000000;
    seed = seed * 1664525 + 1013904223;
    int64_t jitter = n == 0 ? 0 : (int64_t)(seed >> 8) % 10000000 - 5000000;
    CHECK_EQ(give_sound_at(&instance, 2, n * BUFFER, BUFFER, EPOCH + time + jitter), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_INFO, 0), 0);
  host_destroy(&instance);
  recorded read = read_recorded(path, 0, 1);
  double worst = 0;
  for (int i = 1; i < seconds; i++) {
    double off = next_beep(&read, i - 0.3) - i * (1 + ppm / 1e6);
    if (fabs(off) > fabs(worst)) worst = off;
  }
  printf("a clock off by %d ppm, +-5 ms of jitter: beep against its time at most %+.1f ms\n", ppm, worst * 1000);
  CHECK(fabs(worst) < 0.006);
  free_recorded(&read);
}

/* Sound that is missing becomes silence, sound that comes twice is left out, and nothing moves. */
static void test_gaps(void) {
  const char *path = host_path("gaps.opus");
  host_instance instance;
  create(&instance, path, "auto");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 600; n++) {
    if ((n >= 60 && n < 75) || (n >= 210 && n < 390)) continue; /* 0.3 s; 3.6 s */
    CHECK_EQ(give_sound(&instance, 1, n, EPOCH), MSDK_OK);
    if (n == 120 || n == 160) CHECK_EQ(give_sound(&instance, 1, n - 5, EPOCH), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.errors, 0);
  host_destroy(&instance);
  recorded read = read_recorded(path, 0, 1);
  CHECK_EQ(read.samples, 600 * BUFFER);
  static const int there[] = {1, 2, 3, 4, 8, 9, 10, 11};
  for (size_t i = 0; i < sizeof there / sizeof there[0]; i++) CHECK(fabs(next_beep(&read, there[i] - 0.3) - there[i]) < 0.002);
  CHECK(fabs(next_beep(&read, 4.5) - 8) < 0.002);
  free_recorded(&read);

  /* The mix of a session: silence has the time of mixing, speech that of its capture, 200 ms earlier. Nothing of the beep is cut. */
  create(&instance, path, "auto");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 200; n++) {
    int64_t position = n * BUFFER, within = position % RATE;
    int silent = n < 50 || within >= RATE / 25;
    CHECK_EQ(give_sound_at(&instance, 2, position, BUFFER, EPOCH + n * SECOND / 50 + (silent ? SECOND / 5 : 0)), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_INFO, 0), 0);
  host_destroy(&instance);
  read = read_recorded(path, 0, 1);
  for (int i = 1; i < 4; i++) CHECK(fabs(next_beep(&read, i - 0.5) - (i - 0.2)) < 0.002);
  free_recorded(&read);

  /* The same where somebody is heard 60 ms after the mix began: what was captured before that is left out, to the sample. */
  create(&instance, path, "auto");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 200; n++) {
    int64_t age = n < 3 ? 0 : INT64_C(316500000);
    CHECK_EQ(give_sound_at(&instance, 2, n * BUFFER, BUFFER, EPOCH + n * SECOND / 50 - age), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  read = read_recorded(path, 0, 1);
  for (int i = 1; i < 4; i++) CHECK(fabs(next_beep(&read, i - 0.5) - (i - 0.3165)) < 0.002);
  free_recorded(&read);
}

/* Sound that ends, and goes on much later, while pictures go on. */
static void test_silent_side(void) {
  const char *path = host_path("silent.webm");
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  host_instance instance;
  create(&instance, path, "both");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 15 * FPS; n++) {
    CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
    if ((n >= 45 && n < 170) || n >= 10 * FPS) continue;
    for (int64_t i = 2 * n; i < 2 * n + 2; i++) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  recorded read = read_recorded(path, 1, 1);
  CHECK(fabs(next_beep(&read, 0.5) - 1) < 0.003);
  CHECK(fabs(next_beep(&read, 1.5) - 7) < 0.003);
  CHECK(fabs(next_beep(&read, 8.5) - 9) < 0.003);
  CHECK_EQ(read.pictures, 15 * FPS);
  CHECK(read.samples >= 125 * RATE / 10 && read.samples <= 15 * RATE); /* silence follows the pictures, two seconds behind */
  free_recorded(&read);
}

/* ---------------------------------------------------------------------------------------------------- when the file begins */

static void test_waiting(const vp8_clip *clip) {
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  const char *path = host_path("waiting.webm");
  host_instance instance;
  struct stat status;

  /* auto: two seconds, then without sound, which is left out for good. */
  create(&instance, path, "auto");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 4 * FPS; n++) {
    CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_size > 0, n >= 2 * FPS);
    if (n >= 3 * FPS) CHECK_EQ(give_sound(&instance, 2, 2 * n, EPOCH), MSDK_OK);
  }
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 2), 2); /* that it begins without, and that some came */
  CHECK_TEXT(instance.context.log_text, "audio");
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.errors, 0);
  host_destroy(&instance);
  CHECK(strstr(probe(path, "stream=codec_name"), "opus") == NULL);
  recorded read = read_recorded(path, 1, 0);
  CHECK_EQ(read.pictures, 4 * FPS);
  CHECK(fabs(next_flash(&read, 0) - 1) < 0.001);
  free_recorded(&read);

  /* both: sound comes after ten seconds; what is in the file before begins with a key frame at most three seconds earlier. */
  create(&instance, path, "both");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 10 * FPS; n++) CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 10 * FPS; n < 13 * FPS; n++) {
    CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
    for (int64_t i = 2 * n; i < 2 * n + 2; i++) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  read = read_recorded(path, 1, 1);
  CHECK(read.pictures >= 3 * FPS && read.pictures <= 6 * FPS);
  CHECK_EQ(read.times[0] * 1000, 0);
  double last = next_beep(&read, read.times[read.pictures - 1] - 1.5);
  CHECK(fabs(next_flash(&read, last - 0.3) - last) < 0.01);
  free_recorded(&read);

  /* both, and no second key frame for longer than can be held: all is given up, and it begins with the next key frame. */
  create(&instance, path, "both");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  for (int n = 0; n < 35 * FPS; n++) {
    CHECK_EQ(give_vp8(&instance, clip, n == 0 ? 0 : 1 + n % 24, WIDTH, HEIGHT, EPOCH + n * SECOND / FPS), MSDK_OK);
  }
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int n = 0; n < CLIP; n++) {
    int64_t at = 35 * FPS + n;
    CHECK_EQ(give_vp8(&instance, clip, n == 0 ? 1 : n, WIDTH, HEIGHT, EPOCH + at * SECOND / FPS), MSDK_OK);
    for (int64_t i = 2 * at; i < 2 * at + 2; i++) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.errors, 0);
  host_destroy(&instance);
  read = read_recorded(path, 1, 1);
  CHECK_EQ(read.pictures, CLIP - 50);
  last = next_beep(&read, 3.5);
  CHECK(fabs(next_flash(&read, last - 0.3) - last) < 0.004);
  free_recorded(&read);

  /* The same, and nothing comes after it: no file, and nothing stays behind. */
  const char *never = host_path("never.webm");
  create(&instance, never, "both");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  for (int n = 0; n < 31 * FPS; n++) {
    CHECK_EQ(give_vp8(&instance, clip, n == 0 ? 0 : 1 + n % 24, WIDTH, HEIGHT, EPOCH + n * SECOND / FPS), MSDK_OK);
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  CHECK_EQ(stat(never, &status), -1);

  /* both, and only one ever comes: that one is kept. */
  create(&instance, path, "both");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 100; n++) CHECK_EQ(give_sound(&instance, 1, n, EPOCH), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  read = read_recorded(path, 0, 1);
  CHECK(fabs(next_beep(&read, 0) - 1) < 0.003);
  free_recorded(&read);
}

/* ---------------------------------------------------------------------------------------------------------- pictures alone */

static void test_sizes(const vp8_clip *clip) {
  const char *path = host_path("sizes.webm");
  static vp8_clip wide;
  encode_clip(&wide, 2 * WIDTH, HEIGHT);
  host_instance instance;
  create(&instance, path, "video");
  CHECK_EQ(audio->init_render(instance.self), MSDK_E_UNSUPPORTED);
  CHECK_TEXT(instance.context.error_text, "'tracks' is 'video'");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  for (int n = 10; n < 75; n++) { /* nothing before the first key frame, which is frame 50 */
    CHECK_EQ(give_vp8(&instance, clip, n, WIDTH, HEIGHT, EPOCH + n * SECOND / FPS), MSDK_OK);
  }
  for (int n = 0; n < 50; n++) CHECK_EQ(give_vp8(&instance, &wide, n, 2 * WIDTH, HEIGHT, EPOCH + (75 + n) * SECOND / FPS), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 50, 31);
  for (int n = 125; n < 150; n++) { /* and from now on pictures */
    if (n == 140) format = host_format(MSDK_PIXEL_I420, 64, 64);
    CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_INFO, 1), 1);
  host_destroy(&instance);
  recorded read = read_recorded(path, 1, 0);
  CHECK_EQ(read.pictures, 100);
  CHECK(fabs(next_flash(&read, 0) - 2) < 0.001); /* frame 25 of `wide`, 100 of all, the first of which is 50 */
  CHECK_EQ(probe_duration(path) * 1000, 4000);
  CHECK_TEXT(probe(path, "stream=width"), "width=160");
  free_recorded(&read);
  free_clip(&wide);
}

int main(int argc, char **argv) {
  load_recorder(argc, argv);
  static vp8_clip clip;
  encode_clip(&clip, WIDTH, HEIGHT);
  test_drift(300);
  test_drift(-300);
  test_gaps();
  test_silent_side();
  test_waiting(&clip);
  test_sizes(&clip);
  free_clip(&clip);
  return check_done();
}
