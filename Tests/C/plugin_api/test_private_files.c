/* The files that plugins write of a call: for their owner alone, unless the program says that they are shared; and files, no pipes. */
#include "picture.h"
#include "sound.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
  const char *file, *id, *name;
  int hears;
} writers[] = {
  {"filerenderer", "org.mediasdk.renderer.file", "film.y4m", 0},     {"filerenderer", "org.mediasdk.renderer.file", "picture.png", 0},
  {"recorder", "org.mediasdk.renderer.recorder", "call.webm", 0},    {"recorder", "org.mediasdk.renderer.recorder", "sound.opus", 1},
  {"wav", "org.mediasdk.renderer.wav", "sound.wav", 1},              {"terminal", "org.mediasdk.renderer.terminal", "screen.txt", 0},
};
enum { WRITERS = sizeof writers / sizeof writers[0] };

static msdk_engine *engine;

static msdk_instance *writer_of(int which, const char *path) {
  char plugin[4096];
  snprintf(plugin, sizeof plugin, "%s/%s.so", getenv("MSDK_PLUGIN_DIR"), writers[which].file);
  CHECK_OK(msdk_engine_load_plugin(engine, plugin));
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, writers[which].id, NULL, &instance));
  CHECK_OK(msdk_instance_set_param_text(instance, "path", path));
  if (strcmp(writers[which].file, "terminal") == 0) {
    CHECK_OK(msdk_instance_set_param_text(instance, "columns", "20"));
    CHECK_OK(msdk_instance_set_param_text(instance, "rows", "10"));
  }
  return instance;
}

static msdk_result write_with(msdk_instance *instance, int which) {
  msdk_result result;
  if (writers[which].hears) {
    msdk_audio_format format = MSDK_INIT(msdk_audio_format);
    format.sample_format = MSDK_SAMPLE_F32;
    format.sample_rate = 48000;
    format.channels = 1;
    msdk_audio_frame *frame = NULL;
    CHECK_OK(msdk_audio_frame_create(&format, 960, &frame));
    result = msdk_instance_render_audio(instance, frame);
    msdk_audio_frame_unref(frame);
  } else {
    msdk_video_frame *frame = picture_new(MSDK_PIXEL_I420, 64, 48, 1);
    result = msdk_instance_render(instance, frame);
    msdk_video_frame_unref(frame);
  }
  return result;
}

static int mode_after(int which, const char *shared, mode_t mask) {
  struct stat status = {0};
  unlink(writers[which].name);
  mode_t former = umask(mask);
  msdk_instance *instance = writer_of(which, writers[which].name);
  if (shared != NULL) CHECK_OK(msdk_instance_set_param_text(instance, "shared", shared));
  CHECK_OK(write_with(instance, which));
  CHECK_EQ(stat(writers[which].name, &status), 0);
  msdk_instance_destroy(instance);
  umask(former);
  return (int)(status.st_mode & 0777);
}

static void new_files_are_their_owner_s(void) {
  for (int i = 0; i < WRITERS; i++) {
    int before = atomic_load(&check_failed);
    CHECK_EQ(mode_after(i, NULL, 0), 0600);
    CHECK_EQ(mode_after(i, "false", 0), 0600);
    CHECK_EQ(mode_after(i, "true", 0), 0666);
    CHECK_EQ(mode_after(i, "true", 027), 0640);
    if (atomic_load(&check_failed) != before) fprintf(stderr, "  (%s)\n", writers[i].name);
  }
}

/* A reader that goes away would reach the program as SIGPIPE. */
static void pipes_are_refused(void) {
  CHECK_EQ(mkfifo("pipe", 0600), 0);
  for (int read = 0; read < 2; read++) {
    int reader = read ? open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    for (int i = 0; i < WRITERS; i++) {
      char path[64];
      snprintf(path, sizeof path, "pipe%s", strrchr(writers[i].name, '.'));
      CHECK(link("pipe", path) == 0 || errno == EEXIST);
      msdk_instance *instance = writer_of(i, path);
      CHECK(write_with(instance, i) < 0);
      msdk_instance_destroy(instance);
    }
    if (reader >= 0) close(reader);
  }
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_SYSTEM);
  RUN(new_files_are_their_owner_s);
  RUN(pipes_are_refused);
  msdk_engine_destroy(engine);
  return check_finish();
}
