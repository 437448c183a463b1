/* End-to-end encryption: alice's video and a text go through a room in which bob has the key, and eve has not.
 *
 *     gcc encrypted.c $(pkg-config --cflags --libs mediasdk) && ./a.out PLUGINS [seconds]
 *
 * PLUGINS is the directory of the plugins. A loopback room lives inside the process. The same happens with "livekit+wss://HOST", where the
 * server is one that has no key. */
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "only bob reads this";
static const char passphrase[] = "correct horse battery staple"; /* exchanged by the program, over a channel of its own */

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

static msdk_session *join(msdk_engine *engine, const char *user_id, int has_key) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  options.encrypt_frames = 1;
  options.encrypt_data = 1;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  if (has_key) {
    must(msdk_session_set_frame_key(session, NULL, 0, (const uint8_t *)passphrase, strlen(passphrase)), "msdk_session_set_frame_key");
  }
  must(msdk_session_connect(session), "msdk_session_connect");
  while (event_of(session, MSDK_EVENT_SESSION_STATE).state != MSDK_SESSION_CONNECTED) continue;
  return session;
}

static void show(msdk_engine *engine, msdk_session *session) {
  msdk_instance *pattern = NULL;
  must(msdk_instance_create(engine, "org.mediasdk.producer.testpattern", NULL, &pattern), "msdk_instance_create");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = 320;
  format.height = 240;
  format.fps_num = 15;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format;
  options.format_count = 1;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  must(msdk_outgoing_video_attach_producer(stream, pattern), "msdk_outgoing_video_attach_producer");
  must(msdk_session_start_video(session, stream), "msdk_session_start_video");
}

static msdk_incoming_video *watch(msdk_session *session) {
  msdk_incoming_video *stream = event_of(session, MSDK_EVENT_INCOMING_VIDEO_ADDED).incoming_video;
  must(msdk_incoming_video_start(stream, NULL), "msdk_incoming_video_start");
  return stream;
}

static uint64_t report(const char *user_id, msdk_session *session, msdk_incoming_video *stream) {
  msdk_event event = event_of(session, MSDK_EVENT_STREAM_ENCRYPTION);
  msdk_incoming_video_stats stats = MSDK_INIT(msdk_incoming_video_stats);
  must(msdk_incoming_video_get_stats(stream, &stats), "msdk_incoming_video_get_stats");
  char read[MSDK_DATA_MAX + 1];
  msdk_data_message message = MSDK_INIT(msdk_data_message);
  int has_text = msdk_session_read_data(session, &message, (uint8_t *)read, MSDK_DATA_MAX) >= 0;
  read[has_text ? message.size : 0] = 0;
  printf("%s: %s, %" PRIu64 " frames received, %" PRIu64 " decoded, reads %s\n", user_id, msdk_state_string(event.state),
         stats.frames_received, stats.frames_decoded, has_text ? read : "nothing");
  return has_text ? stats.frames_decoded : 0;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: encrypted PLUGINS [seconds]\n");
    return 2;
  }
  double seconds = argc > 2 ? atof(argv[2]) : 2;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), argv[1]);
  msdk_session *alice = join(engine, "alice", 1), *bob = join(engine, "bob", 1), *eve = join(engine, "eve", 0);
  show(engine, alice);
  msdk_incoming_video *at_bob = watch(bob), *at_eve = watch(eve);
  must(msdk_session_send_data(alice, NULL, (const uint8_t *)text, strlen(text)), "msdk_session_send_data");
  int64_t end = msdk_engine_now(engine) + (int64_t)(seconds * 1e9);
  while (msdk_engine_now(engine) < end) {
    msdk_event event = MSDK_INIT(msdk_event);
    msdk_session_next_event(alice, 100, &event); /* a program would look at it */
  }
  uint64_t with_key = report("bob", bob, at_bob), without = report("eve", eve, at_eve);
  msdk_engine_destroy(engine);
  return with_key > 0 && without == 0 ? 0 : 1;
}
