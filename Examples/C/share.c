/* Shares an X11 display or window, and looks at it from the other side.
 *
 *     gcc share.c $(pkg-config --cflags --libs mediasdk) && ./a.out PLUGINS [WINDOW [seconds]]
 *
 * PLUGINS is the directory of the plugins; WINDOW is a window's number (see xwininfo) or title. Without it, the whole $DISPLAY is shared.
 * A loopback room lives inside the process, so the viewer, bob, is here too, and joins later. */
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* No formats: size and rate are those of what is captured, and follow it. */
static msdk_outgoing_video *share(msdk_engine *engine, msdk_session *session, const char *window) {
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  options.limits = MSDK_LIMITS_EXTENDED; /* screens are often larger than 1920x1080 */
  options.codec = MSDK_CODEC_VP8;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  msdk_instance *screen = NULL;
  must(msdk_instance_create(engine, "org.mediasdk.producer.x11", NULL, &screen), "org.mediasdk.producer.x11");
  if (window != NULL) {
    must(msdk_instance_set_param_text(screen, "source", "window"), "source");
    must(msdk_instance_set_param_text(screen, "window", window), window);
  }
  must(msdk_outgoing_video_attach_producer(stream, screen), "msdk_outgoing_video_attach_producer");
  must(msdk_session_start_video(session, stream), "msdk_session_start_video");
  return stream;
}

/* What has happened to whoever shares: 0 when it is over. */
static int still_shared(msdk_session *session) {
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, 0, &event) < 0) return 1;
    if (event.type == MSDK_EVENT_FRAME_SENDER_CHANGED) printf("sharing %ux%u\n", event.format.width, event.format.height);
    if (event.type == MSDK_EVENT_SCREEN_SHARE_STATE && event.state == MSDK_SCREEN_SHARE_DISABLED) return 0;
    if (event.type == MSDK_EVENT_PLUGIN && event.value == MSDK_PLUGIN_EVENT_ENDED) return 0;
    if (event.status >= 0) continue;
    fprintf(stderr, "%s: %s\n", msdk_status_string(event.status), event.text);
    return 0;
  }
}

/* The stream of the participant who shares a screen. Latecomers are notified of it, too. */
static msdk_incoming_video *find_share(msdk_session *session) {
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_SCREEN_SHARE_STATE) must(msdk_session_next_event(session, 5000, &event), "the screen share");
  printf("%s shares a screen\n", event.user_id);
  return event.incoming_video;
}

static uint64_t watch(msdk_engine *engine, msdk_session *alice, msdk_outgoing_video *stream, msdk_incoming_video *video, double seconds) {
  uint64_t seen = 0;
  int64_t end = msdk_engine_now(engine) + (int64_t)(seconds * 1e9), printed = 0;
  while (still_shared(alice) && msdk_engine_now(engine) < end) {
    msdk_video_frame *frame = NULL;
    if (msdk_incoming_video_read(video, 200, &frame) >= 0) {
      seen++;
      msdk_video_frame_unref(frame);
    }
    if (msdk_engine_now(engine) < printed + 1000000000) continue;
    printed = msdk_engine_now(engine);
    msdk_outgoing_video_stats stats = MSDK_INIT(msdk_outgoing_video_stats);
    must(msdk_outgoing_video_get_stats(stream, &stats), "msdk_outgoing_video_get_stats");
    printf("%" PRIu64 " frames seen; %" PRIu64 " made, %" PRIu64 " repeated, %" PRIu64 " bytes\n", seen, stats.frames_encoded,
           stats.frames_repeated, stats.bytes_sent);
  }
  return seen;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    fprintf(stderr, "usage: share PLUGINS [WINDOW [seconds]]\n");
    return 2;
  }
  double seconds = argc > 3 ? atof(argv[3]) : 10;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), argv[1]);
  msdk_session *alice = join(engine, "alice");
  msdk_outgoing_video *stream = share(engine, alice, argc > 2 && strlen(argv[2]) > 0 ? argv[2] : NULL);
  msdk_session *bob = join(engine, "bob");
  msdk_incoming_video *video = find_share(bob);
  must(msdk_incoming_video_start(video, NULL), "msdk_incoming_video_start");
  uint64_t seen = watch(engine, alice, stream, video, seconds);
  msdk_engine_destroy(engine);
  return seen > 0 ? 0 : 1;
}
