/* A call of four as a grid: one composed frame with everybody's video, their names, and who speaks or is muted; recorded with the audio.
 *
 *     gcc grid.c $(pkg-config --cflags --libs mediasdk) && ./a.out PLUGINS [OUTPUT.webm [IMAGE.png [seconds]]]
 *
 * PLUGINS is the directory of the plugins. A loopback room lives inside the process, so all four are here: alice, who speaks (a tone), bob,
 * who is muted, carol, who sends no video, and dave, who records everybody, dave included. */
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_session *join(msdk_engine *engine, const char *user_id, const char *name) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  options.display_name = name;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.state != MSDK_SESSION_CONNECTED) must(msdk_session_next_event(session, 5000, &event), user_id);
  return session;
}

static msdk_instance *instance_of(msdk_engine *engine, const char *class_id, const char *name, const char *value) {
  msdk_instance *instance = NULL;
  must(msdk_instance_create(engine, class_id, NULL, &instance), class_id);
  must(msdk_instance_set_param_text(instance, name, value), name);
  return instance;
}

static void sing(msdk_engine *engine, msdk_session *session, const char *frequency, uint32_t muted) {
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.codec = MSDK_CODEC_OPUS;
  msdk_outgoing_audio *voice = NULL;
  must(msdk_outgoing_audio_create(engine, &options, &voice), "msdk_outgoing_audio_create");
  must(msdk_outgoing_audio_attach_producer(voice, instance_of(engine, "org.mediasdk.producer.tone", "frequency", frequency)), "tone");
  must(msdk_outgoing_audio_set_muted(voice, muted), "msdk_outgoing_audio_set_muted");
  must(msdk_session_start_audio(session, voice), "msdk_session_start_audio");
}

static void show(msdk_engine *engine, msdk_session *session, const char *pattern) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = 640;
  format.height = 360;
  format.fps_num = 30;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = MSDK_CODEC_VP8;
  options.formats = &format;
  options.format_count = 1;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  must(msdk_outgoing_video_attach_producer(stream, instance_of(engine, "org.mediasdk.producer.testpattern", "pattern", pattern)), pattern);
  must(msdk_session_start_video(session, stream), "msdk_session_start_video");
}

/* Whatever happens in the call is followed by the renderer; only what fails is looked at here. */
static void wait_for(msdk_engine *engine, msdk_session *session, double seconds) {
  int64_t left, end = msdk_engine_now(engine) + (int64_t)(seconds * 1e9);
  while ((left = end - msdk_engine_now(engine)) > 0) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, (uint32_t)(left / 1000000 + 1), &event) < 0) continue;
    if (event.type == MSDK_EVENT_ACTIVE_SPEAKER) printf("%s %s\n", event.user_id, event.state == MSDK_SPEAKER_ACTIVE ? "speaks" : "is silent");
    if (event.type != MSDK_EVENT_PLUGIN || event.status >= 0) continue;
    fprintf(stderr, "%s: %s\n", msdk_status_string(event.status), event.text);
    exit(1);
  }
}

static int report(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0 || status.st_size == 0) return 0;
  printf("%s: %" PRId64 " bytes\n", path, (int64_t)status.st_size);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 5) {
    fprintf(stderr, "usage: grid PLUGINS [OUTPUT.webm [IMAGE.png [seconds]]]\n");
    return 2;
  }
  const char *film = argc > 2 ? argv[2] : "grid.webm", *image = argc > 3 ? argv[3] : "grid.png";
  double seconds = argc > 4 ? atof(argv[4]) : 5;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), argv[1]);
  msdk_session *alice = join(engine, "alice", "Alice"), *bob = join(engine, "bob", "Bob Martin");
  msdk_session *carol = join(engine, "carol", "Carol Díaz"), *dave = join(engine, "dave", "Dave");
  (void)carol;
  show(engine, alice, "bars");
  show(engine, bob, "counter");
  show(engine, dave, "lines");
  sing(engine, alice, "440", 0);
  sing(engine, bob, "660", 1);

  /* The call goes into the grid. The grid's output goes into a recorder, and into an image of the last frame. */
  msdk_instance *grid = instance_of(engine, "org.mediasdk.renderer.grid", "fps", "30");
  msdk_instance *recorder = instance_of(engine, "org.mediasdk.renderer.recorder", "path", film);
  msdk_instance *file = instance_of(engine, "org.mediasdk.renderer.file", "path", image);
  must(msdk_instance_set_param_text(file, "frame", "1000000"), "frame"); /* the last one, if fewer come */
  must(msdk_instance_attach_renderer(grid, recorder), "the recorder");
  must(msdk_instance_attach_renderer(grid, file), "the image");
  msdk_incoming_audio *room = NULL;
  must(msdk_session_get_mixed_audio(dave, &room), "msdk_session_get_mixed_audio");
  must(msdk_incoming_audio_attach_renderer(room, recorder), "msdk_incoming_audio_attach_renderer");
  must(msdk_incoming_audio_start(room, NULL), "msdk_incoming_audio_start");
  msdk_session_renderer_options options = MSDK_INIT(msdk_session_renderer_options);
  options.include_local = 1;
  must(msdk_session_attach_renderer(dave, grid, &options), "msdk_session_attach_renderer");
  wait_for(engine, dave, seconds);

  must(msdk_instance_release(recorder), "the recorder"); /* completes the file */
  must(msdk_instance_release(file), "the image");
  must(msdk_session_detach_renderer(dave, grid), "msdk_session_detach_renderer");
  msdk_engine_destroy(engine);
  return report(film) && report(image) ? 0 : 1;
}
