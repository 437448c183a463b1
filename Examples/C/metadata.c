/* What is sent with each frame: alice draws a box and says where it is, bob reads it with the frame that shows it.
 *
 *     gcc metadata.c $(pkg-config --cflags --libs mediasdk) && ./a.out [frames]
 *
 * A loopback room lives inside the process. The same happens with "livekit+wss://HOST", where SDKs of LiveKit read and write it, too. */
#include <mediasdk/mediasdk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static msdk_outgoing_video *start(msdk_engine *engine, msdk_session *session) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_I420;
  format.width = 640;
  format.height = 360;
  format.fps_num = 30;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = MSDK_CODEC_VP8;
  options.formats = &format;
  options.format_count = 1;
  options.carries_metadata = 1; /* else frames are sent without it */
  options.queue_policy = MSDK_POLICY_WAIT;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  must(msdk_session_start_video(session, stream), "msdk_session_start_video");
  return stream;
}

static void send(msdk_frame_sender *sender, uint32_t number) {
  msdk_video_frame *frame = NULL;
  must(msdk_frame_sender_acquire(sender, 1000, &frame), "msdk_frame_sender_acquire");
  uint32_t x = number * 8 % 600, y = 160;
  for (int row = 0; row < 360; row++) {
    uint8_t *pixels = frame->plane[0].data + row * frame->plane[0].stride;
    memset(pixels, 40, 640);
    if (row >= (int)y && row < (int)y + 40) memset(pixels + x, 220, 40);
  }
  for (int plane = 1; plane < 3; plane++) {
    for (int row = 0; row < 180; row++) memset(frame->plane[plane].data + row * frame->plane[plane].stride, 128, 320);
  }
  msdk_frame_metadata metadata = MSDK_INIT(msdk_frame_metadata);
  metadata.frame_id = number;
  metadata.user_data_size = (uint32_t)snprintf((char *)metadata.user_data, sizeof metadata.user_data, "%u %u", x, y);
  must(msdk_video_frame_set_metadata(frame, &metadata), "msdk_video_frame_set_metadata");
  must(msdk_frame_sender_send(sender, frame, 0, NULL, NULL), "msdk_frame_sender_send");
  msdk_video_frame_unref(frame);
}

/* Whether the box is where the metadata has it. */
static int check(const msdk_video_frame *frame) {
  msdk_frame_metadata metadata = MSDK_INIT(msdk_frame_metadata);
  must(msdk_video_frame_get_metadata(frame, &metadata), "msdk_video_frame_get_metadata");
  char text[MSDK_FRAME_USER_DATA_MAX + 1] = "";
  memcpy(text, metadata.user_data, metadata.user_data_size);
  unsigned x, y;
  if (sscanf(text, "%u %u", &x, &y) != 2 || x > 600 || y > 320) return 0;
  const uint8_t *middle = frame->plane[0].data + (y + 20) * (uint32_t)frame->plane[0].stride + x + 20;
  return metadata.frame_id > 0 && *middle > 190;
}

int main(int argc, char **argv) {
  uint32_t frames = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 60, received = 0, right = 0;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session *alice = join(engine, "alice"), *bob = join(engine, "bob");
  msdk_outgoing_video *video = start(engine, alice);
  msdk_incoming_video *seen = event_of(bob, MSDK_EVENT_INCOMING_VIDEO_ADDED).incoming_video;
  must(msdk_incoming_video_start(seen, NULL), "msdk_incoming_video_start");
  while (event_of(alice, MSDK_EVENT_RECEIVERS).value == 0) continue;
  msdk_frame_sender *sender = NULL;
  must(msdk_outgoing_video_get_sender(video, &sender), "msdk_outgoing_video_get_sender");
  for (uint32_t number = 1; number <= frames; number++) {
    send(sender, number);
    msdk_video_frame *frame = NULL;
    if (msdk_incoming_video_read(seen, 1000, &frame) < 0) continue;
    received++;
    right += (uint32_t)check(frame);
    msdk_video_frame_unref(frame);
  }
  printf("bob received %u frames, and found the box in %u\n", received, right);
  msdk_engine_destroy(engine);
  return received > 0 && right == received ? 0 : 1;
}
