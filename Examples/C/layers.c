/* One video in several sizes at once: alice sends 1280x720, bob shows all of it, and carol a thumbnail. Each gets what they show.
 *
 *     gcc layers.c $(pkg-config --cflags --libs mediasdk) && ./a.out PLUGINS [seconds]
 *
 * PLUGINS is the directory of the plugins. A loopback room lives inside the process. The same happens with "livekit+wss://HOST" and
 * "janus+https://HOST?room=NUMBER", where a receiver with a narrow network path gets a smaller size, too. */
#include <mediasdk/mediasdk.h>

#include <stdio.h>
#include <stdlib.h>

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_event event_of(msdk_session *session, uint32_t type) {
  msdk_event event = MSDK_INIT(msdk_event);
  do must(msdk_session_next_event(session, 5000, &event), "waiting for an event");
  while (event.type != type);
  return event;
}

static msdk_session *join(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  while (event_of(session, MSDK_EVENT_SESSION_STATE).state != MSDK_SESSION_CONNECTED) continue;
  return session;
}

static msdk_outgoing_video *show(msdk_engine *engine, msdk_session *session) {
  msdk_instance *pattern = NULL;
  must(msdk_instance_create(engine, "org.mediasdk.producer.testpattern", NULL, &pattern), "msdk_instance_create");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = 1280;
  format.height = 720;
  format.fps_num = 30;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = MSDK_CODEC_VP8; /* only encoded streams have layers */
  options.formats = &format;
  options.format_count = 1;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  must(msdk_outgoing_video_attach_producer(stream, pattern), "msdk_outgoing_video_attach_producer");
  must(msdk_session_start_video(session, stream), "msdk_session_start_video");
  return stream;
}

/* width 0: any size. */
static msdk_incoming_video *watch(msdk_session *session, uint32_t width, uint32_t height) {
  msdk_incoming_video *stream = event_of(session, MSDK_EVENT_INCOMING_VIDEO_ADDED).incoming_video;
  msdk_video_preference preference = MSDK_INIT(msdk_video_preference);
  preference.width = width;
  preference.height = height;
  must(msdk_incoming_video_set_preference(stream, &preference), "msdk_incoming_video_set_preference");
  must(msdk_incoming_video_start(stream, NULL), "msdk_incoming_video_start");
  return stream;
}

static uint32_t report(const char *user_id, msdk_incoming_video *stream) {
  msdk_incoming_video_stats stats = MSDK_INIT(msdk_incoming_video_stats);
  must(msdk_incoming_video_get_stats(stream, &stats), "msdk_incoming_video_get_stats");
  printf("%s sees %ux%u, %.0f frames a second\n", user_id, stats.width, stats.height, stats.frames_per_second);
  return stats.width;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: layers PLUGINS [seconds]\n");
    return 2;
  }
  double seconds = argc > 2 ? atof(argv[2]) : 3;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), argv[1]);
  msdk_session *alice = join(engine, "alice"), *bob = join(engine, "bob"), *carol = join(engine, "carol");
  msdk_outgoing_video *video = show(engine, alice);
  msdk_incoming_video *large = watch(bob, 0, 0), *thumbnail = watch(carol, 320, 180);
  int64_t end = msdk_engine_now(engine) + (int64_t)(seconds * 1e9);
  while (msdk_engine_now(engine) < end) {
    msdk_event event = MSDK_INIT(msdk_event);
    msdk_session_next_event(alice, 100, &event); /* a program would look at it */
  }
  msdk_outgoing_video_stats sent = MSDK_INIT(msdk_outgoing_video_stats);
  must(msdk_outgoing_video_get_stats(video, &sent), "msdk_outgoing_video_get_stats");
  printf("alice sends %u of %u layers\n", sent.active_layers, sent.layers);
  uint32_t whole = report("bob", large), small = report("carol", thumbnail);
  msdk_engine_destroy(engine);
  return whole == 1280 && small == 320 && sent.active_layers == 2 ? 0 : 1;
}
