/* Broken media files and full disks under the plugins that ship, through the whole SDK: an error or an event with words, never a crash. */
#include "call.h"
#include "ivf.h"
#include "picture.h"

#include <unistd.h>

static const char *plugins;

typedef struct broken {
  const char *name;
  const char *head; /* text that it begins with */
  uint32_t more;    /* bytes that follow */
  int opens;        /* 0: init must fail; 1: must succeed; 2: either */
} broken;

#define Y4M "YUV4MPEG2 W16 H16 F25:1 C420jpeg\n"
enum { Y4M_FRAME = 16 * 16 * 3 / 2 };

static const broken files[] = {
  {"nothing", "", 0, 0},
  {"one byte", "Y", 0, 0},
  {"other format", "\x89PNG\r\n\x1A\n", 100, 0},
  {"magic only", "YUV4MPEG2", 0, 0},
  {"header without newline", "YUV4MPEG2 W16 H16 F25:1", 3000, 0},
  {"no frames", Y4M, 0, 0},
  {"no size", "YUV4MPEG2 F25:1\nFRAME\n", 4000, 0},
  {"zero width", "YUV4MPEG2 W0 H16 F25:1\nFRAME\n", 4000, 0},
  {"negative height", "YUV4MPEG2 W16 H-16 F25:1\nFRAME\n", 4000, 0},
  {"huge width", "YUV4MPEG2 W99999999999999999999 H16 F25:1\nFRAME\n", 4000, 0},
  {"beyond our sizes", "YUV4MPEG2 W20000 H16 F25:1\nFRAME\n", 4000, 0},
  {"largest size, no data", "YUV4MPEG2 W16384 H16384 F25:1\nFRAME\n", 10, 2},
  {"rate of zero", "YUV4MPEG2 W16 H16 F0:0 C420jpeg\nFRAME\n", Y4M_FRAME, 2},
  {"rate of billions", "YUV4MPEG2 W16 H16 F4294967295:1 C420jpeg\nFRAME\n", Y4M_FRAME, 2},
  {"4:4:4", "YUV4MPEG2 W16 H16 F25:1 C444\nFRAME\n", 768, 0},
  {"frame without FRAME", Y4M "FRAMF\n", Y4M_FRAME, 2},
  {"first frame cut", Y4M "FRAME\n", Y4M_FRAME - 1, 2},
  {"whole frame, then rubbish", Y4M "FRAME\n", Y4M_FRAME + 33, 1},
  {"one whole frame", Y4M "FRAME\n", Y4M_FRAME, 1},
  {"IVF magic only", "DKIF", 0, 0},
  {"IVF of another codec", "DKIF\0\0\x20\0AV01", 200, 0},
};

static void write_file(const char *path, const void *head, size_t head_size, uint32_t more) {
  FILE *file = fopen(path, "wb");
  NEED(file != NULL);
  fwrite(head, 1, head_size, file);
  for (uint32_t i = 0; i < more; i++) fputc((int)(i * 37 % 251), file);
  fclose(file);
}

/* Plays a file for some seconds. Fills what the first format is; returns the frames that bob received, or -1 when it did not open. */
static int play(const char *path, char *words, size_t words_size) {
  int frames = -1;
  words[0] = 0;
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_add_plugin_dir(it.engine, plugins, NULL));
  msdk_instance *producer = NULL;
  CHECK_OK(msdk_instance_create(it.engine, "org.mediasdk.producer.file", NULL, &producer));
  CHECK_OK(msdk_instance_set_param_text(producer, "path", path));
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  msdk_result result = msdk_instance_format_at(producer, 0, &format);
  if (result < 0) {
    snprintf(words, words_size, "%s", msdk_last_error());
    CHECK(result == MSDK_E_CORRUPT || result == MSDK_E_UNSUPPORTED || result == MSDK_E_RANGE || result == MSDK_E_IO);
  } else {
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
    options.limits = MSDK_LIMITS_EXTENDED;
    if (msdk_video_limit_check(0, MSDK_LIMITS_EXTENDED, &format) >= 0) {
      frames = 0;
      CHECK(call_offer(&it, &options));
      CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
      run_for(it.engine, MS);
      msdk_event event;
      CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer)); /* only now: what nobody receives is dropped */
      int is_told = 0;
      /* A plugin in another process has its own time, whatever this engine's clock is: on a busy machine three seconds are not enough. */
      for (int i = 0; i < 300 || (i < 6300 && frames == 0 && !is_told); i++) {
        run_for(it.engine, 10 * MS);
        if (i >= 300) sleep_ms(10);
        msdk_video_frame *frame = NULL;
        while (msdk_incoming_video_read(it.incoming, 0, &frame) >= 0) {
          frames++;
          msdk_video_frame_unref(frame);
        }
        is_told |= event_take(it.alice, MSDK_EVENT_PLUGIN, &event);
      }
      if (is_told) {
        CHECK(event.value == MSDK_PLUGIN_EVENT_ERROR || event.value == MSDK_PLUGIN_EVENT_ENDED);
        CHECK(event.instance == producer);
        snprintf(words, words_size, "%s", event.value == MSDK_PLUGIN_EVENT_ERROR ? event.text : "ended");
      }
      check_outcomes_add_up(it.outgoing);
    } else {
      snprintf(words, words_size, "%s", msdk_last_error());
    }
  }
  msdk_instance_destroy(producer);
  call_close(&it);
  return frames;
}

static void broken_files(void) {
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    size_t head = i == sizeof files / sizeof files[0] - 1 ? 12 : strlen(files[i].head); /* the last one has NULs in it */
    write_file("broken.media", files[i].head, head, files[i].more);
    char words[1024];
    int frames = play("broken.media", words, sizeof words);
    int ok = CHECK(words[0] != 0);
    if (files[i].opens < 2) ok &= CHECK_EQ(frames >= 0, files[i].opens);
    if (files[i].opens == 1) ok &= CHECK_EQ(frames, 1);
    if (!ok) fprintf(stderr, "  file '%s': %d frames, \"%s\"\n", files[i].name, frames, words);
  }
}

static void broken_clips(void) {
  static ivf_clip clip;
  NEED(ivf_open(&clip));
  enum { BYTES = 32 + 12 + 20000 };
  char words[1024];
  uint8_t *copy = malloc(1 << 20);
  static const struct { const char *name; uint32_t at, size; uint8_t value; uint32_t length; } changes[] = {
    {"cut in the first frame", 0, 0, 0, 5000},
    {"cut in the header", 0, 0, 0, 20},
    {"header of 65535 bytes", 6, 2, 0xFF, 1 << 20},
    {"frame of 4 GiB", 32, 4, 0xFF, 1 << 20},
    {"frame of 0 bytes", 32, 4, 0, 1 << 20},
    {"no VP8 in the first frame", 44, 4000, 0xA5, 1 << 20},
    {"no start code", 47, 3, 0, 1 << 20},
    {"rate of zero", 16, 8, 0, 1 << 20},
    {"damage in the middle", 250000, 3000, 0x5A, 1 << 20},
    {"cut in a later frame", 0, 0, 0, 300001},
  };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    memcpy(copy, clip.file, 1 << 20);
    memset(copy + changes[i].at, changes[i].value, changes[i].size);
    write_file("broken.ivf", copy, changes[i].length, 0);
    int frames = play("broken.ivf", words, sizeof words);
    if (!CHECK(frames > 0 || words[0] != 0)) fprintf(stderr, "  clip '%s': %d frames, \"%s\"\n", changes[i].name, frames, words);
  }
  free(copy);
  ivf_close(&clip);
}

static void paths_that_cannot_be_played(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_add_plugin_dir(engine, plugins, NULL));
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  static const char *const paths[] = {"not/there.y4m", ".", "/dev/null"};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    msdk_instance *producer = NULL;
    CHECK_OK(msdk_instance_create(engine, "org.mediasdk.producer.file", NULL, &producer));
    CHECK(msdk_instance_format_at(producer, 0, &format) < 0); /* required, not set */
    CHECK_STR_CONTAINS(msdk_last_error(), "path");
    CHECK_OK(msdk_instance_set_param_text(producer, "path", paths[i]));
    CHECK(msdk_instance_format_at(producer, 0, &format) < 0);
    CHECK(msdk_last_error()[0] != 0);
    msdk_instance_destroy(producer);
  }
  msdk_engine_destroy(engine);
}

static void a_full_disk_is_an_error(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_add_plugin_dir(engine, plugins, NULL));
  msdk_instance *renderer = NULL;
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.renderer.file", NULL, &renderer));
  CHECK_OK(msdk_instance_set_param_text(renderer, "path", "/dev/full"));
  CHECK_OK(msdk_instance_set_param_text(renderer, "format", "y4m"));
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_I420, 64, 48, 0);
  CHECK_ERROR(msdk_instance_render(renderer, frame), MSDK_E_IO, "/dev/full");
  msdk_video_frame_unref(frame);
  msdk_instance_destroy(renderer);
  msdk_engine_destroy(engine);
}

static void a_full_disk_is_one_event(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_engine_add_plugin_dir(it.engine, plugins, NULL));
  msdk_instance *renderer = NULL;
  CHECK_OK(msdk_instance_create(it.engine, "org.mediasdk.renderer.file", NULL, &renderer));
  CHECK_OK(msdk_instance_set_param_text(renderer, "path", "/dev/full"));
  CHECK_OK(msdk_instance_set_param_text(renderer, "format", "y4m"));
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, renderer, NULL));
  int events = 0;
  for (int i = 0; i < 5; i++) {
    msdk_video_frame *frame = NULL;
    CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frame));
    picture_draw(frame, (uint32_t)i);
    CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL));
    msdk_video_frame_unref(frame);
    run_for(it.engine, 100 * MS);
    msdk_event event;
    while (event_take(it.bob, MSDK_EVENT_PLUGIN, &event)) {
      events++;
      CHECK(event.instance == renderer);
      CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_ERROR);
      CHECK_EQ(event.status, MSDK_E_IO);
      CHECK_STR_CONTAINS(event.text, "/dev/full");
    }
  }
  CHECK_EQ(events, 1);
  msdk_instance_destroy(renderer);
  call_close(&it);
}

static void what_was_written_can_be_played(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_add_plugin_dir(engine, plugins, NULL));
  msdk_instance *renderer = NULL;
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.renderer.file", NULL, &renderer));
  CHECK_OK(msdk_instance_set_param_text(renderer, "path", "written.y4m"));
  for (uint32_t i = 0; i < 7; i++) {
    msdk_video_frame *frame = picture_new(MSDK_PIXEL_NV12, 33, 17, i);
    CHECK_OK(msdk_instance_render(renderer, frame));
    msdk_video_frame_unref(frame);
  }
  CHECK_OK(msdk_instance_release(renderer));
  char words[1024];
  CHECK_EQ(play("written.y4m", words, sizeof words), 7);
  CHECK(strcmp(words, "ended") == 0);
  msdk_instance_destroy(renderer);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  plugins = getenv("MSDK_PLUGIN_DIR");
  if (plugins == NULL) plugins = ".";
  RUN(broken_files);
  RUN(broken_clips);
  RUN(paths_that_cannot_be_played);
  RUN(a_full_disk_is_an_error);
  RUN(a_full_disk_is_one_event);
  RUN(what_was_written_can_be_played);
  return check_finish();
}
