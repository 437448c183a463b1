/* A recorder: joins a call and writes a .webm of one participant's video and of what all participants say, mixed.
 *
 *     gcc record.c $(pkg-config --cflags --libs mediasdk) && ./a.out PLUGINS [OUTPUT.webm [seconds]]
 *
 * PLUGINS is the directory of the plugins. A loopback room lives inside the process, so the others are here too: alice, with a test
 * pattern and a tone, and carol, with a higher tone. All of it is made by plugins. */
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

static msdk_session *join(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
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

/* A tone, made by a producer, which the SDK asks at the right moments. */
static void sing(msdk_engine *engine, msdk_session *session, const char *frequency) {
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.codec = MSDK_CODEC_OPUS;
  msdk_outgoing_audio *voice = NULL;
  must(msdk_outgoing_audio_create(engine, &options, &voice), "msdk_outgoing_audio_create");
  msdk_instance *tone = instance_of(engine, "org.mediasdk.producer.tone", "frequency", frequency);
  must(msdk_outgoing_audio_attach_producer(voice, tone), "msdk_outgoing_audio_attach_producer");
  must(msdk_session_start_audio(session, voice), "msdk_session_start_audio");
}

static void show(msdk_engine *engine, msdk_session *session) {
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
  msdk_instance *pattern = instance_of(engine, "org.mediasdk.producer.testpattern", "pattern", "counter");
  must(msdk_outgoing_video_attach_producer(stream, pattern), "msdk_outgoing_video_attach_producer");
  must(msdk_session_start_video(session, stream), "msdk_session_start_video");
}

/* Gives the first video stream and the mixed audio to the recorder, which stores VP8 as it arrives. */
static void record(msdk_engine *engine, msdk_session *bob, msdk_instance *recorder, double seconds) {
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_INCOMING_VIDEO_ADDED) must(msdk_session_next_event(bob, 5000, &event), "msdk_session_next_event");
  printf("recording %s\n", event.user_id);
  msdk_incoming_video *video = event.incoming_video;
  msdk_incoming_audio *room = NULL;
  must(msdk_session_get_mixed_audio(bob, &room), "msdk_session_get_mixed_audio");
  /* Attached to both before either starts: the file has the tracks that it begins with. */
  must(msdk_incoming_video_attach_renderer(video, recorder, NULL), "msdk_incoming_video_attach_renderer");
  must(msdk_incoming_audio_attach_renderer(room, recorder), "msdk_incoming_audio_attach_renderer");
  must(msdk_incoming_video_start(video, NULL), "msdk_incoming_video_start");
  must(msdk_incoming_audio_start(room, NULL), "msdk_incoming_audio_start");
  int64_t left, end = msdk_engine_now(engine) + (int64_t)(seconds * 1e9);
  while ((left = end - msdk_engine_now(engine)) > 0) {
    event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(bob, (uint32_t)(left / 1000000 + 1), &event) < 0) continue; /* nothing happened */
    if (event.type != MSDK_EVENT_PLUGIN || event.status >= 0) continue;
    fprintf(stderr, "%s: %s\n", msdk_status_string(event.status), event.text);
    exit(1);
  }
  must(msdk_instance_release(recorder), "msdk_instance_release"); /* detaches it, and completes the file */
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    fprintf(stderr, "usage: record PLUGINS [OUTPUT.webm [seconds]]\n");
    return 2;
  }
  const char *output = argc > 2 ? argv[2] : "call.webm";
  double seconds = argc > 3 ? atof(argv[3]) : 5;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), argv[1]);
  msdk_instance *recorder = instance_of(engine, "org.mediasdk.renderer.recorder", "path", output);
  msdk_session *alice = join(engine, "alice"), *carol = join(engine, "carol"), *bob = join(engine, "bob");
  show(engine, alice);
  sing(engine, alice, "440");
  sing(engine, carol, "660");
  record(engine, bob, recorder, seconds);
  msdk_engine_destroy(engine);
  struct stat status;
  if (stat(output, &status) != 0 || status.st_size == 0) return 1;
  printf("%s: %" PRId64 " bytes, %g s\n", output, (int64_t)status.st_size, seconds);
  return 0;
}
