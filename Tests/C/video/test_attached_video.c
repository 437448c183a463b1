/* Video streams that are given to a session before it is connected: they start whenever it connects. */
#include "sending.h"

static uint32_t state_now(msdk_outgoing_video *stream) {
  uint32_t state = UINT32_MAX;
  CHECK_OK(msdk_outgoing_video_get_state(stream, &state));
  return state;
}

static msdk_outgoing_video *stream_new(msdk_engine *engine, uint32_t codec, uint32_t kind) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  options.kind = kind;
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &stream));
  return stream;
}

/* One that is sent is received, from its first start to its last. */
static void it_starts_each_time(uint32_t codec) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_session *carol = session_new(it.engine, it.url, "carol");
  msdk_outgoing_video *stream = stream_new(it.engine, codec, 0), *listed = NULL;
  msdk_event event;
  CHECK_OK(msdk_session_start_video(carol, stream));
  CHECK_EQ(state_now(stream), MSDK_OUTGOING_NONE);
  CHECK_OK(msdk_session_outgoing_video_at(carol, 0, &listed));
  CHECK(listed == stream);
  CHECK_RESULT(msdk_session_outgoing_video_at(carol, 1, &listed), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_session_start_video(carol, stream), MSDK_E_STATE, "attached");
  CHECK_ERROR(msdk_session_start_video(it.bob, stream), MSDK_E_STATE, "attached"); /* which is connected */
  msdk_session *idle = session_new(it.engine, it.url, "dave");
  CHECK_ERROR(msdk_session_start_video(idle, stream), MSDK_E_STATE, "attached");
  CHECK_RESULT(msdk_session_stop_video(idle, stream), MSDK_E_STATE);
  for (int round = 0; round < 3; round++) {
    event_take(carol, MSDK_EVENT_OUTGOING_VIDEO_STATE, &event); /* that of the round before */
    CHECK_OK(msdk_session_connect(carol));
    if (!CHECK(event_wait(it.engine, carol, MSDK_EVENT_OUTGOING_VIDEO_STATE, &event))) break;
    CHECK(event.outgoing_video == stream);
    CHECK_EQ(event.state, MSDK_OUTGOING_STARTED);
    if (!CHECK(event_wait(it.engine, carol, MSDK_EVENT_FRAME_SENDER_CHANGED, &event))) break;
    it.sender = event.sender;
    if (!CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event))) break;
    it.incoming = event.incoming_video;
    CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
    run_for(it.engine, 10 * MS);
    CHECK_OK(send_picture(it.sender, (uint32_t)round, 0, NULL));
    msdk_video_frame *frame = frame_wait(&it);
    CHECK(frame != NULL);
    if (frame != NULL) CHECK_OK(msdk_video_frame_unref(frame));
    CHECK_OK(msdk_session_disconnect(carol));
    CHECK(state_wait(it.engine, carol, MSDK_SESSION_DISCONNECTED));
    CHECK_EQ(state_now(stream), MSDK_OUTGOING_STOPPED);
    CHECK_RESULT(send_picture(it.sender, 0, 0, NULL), MSDK_E_STATE);
    CHECK_OK(msdk_session_outgoing_video_at(carol, 0, &listed));
  }
  CHECK_OK(msdk_session_stop_video(carol, stream)); /* detached */
  CHECK_RESULT(msdk_session_stop_video(carol, stream), MSDK_E_STATE);
  CHECK_RESULT(msdk_session_outgoing_video_at(carol, 0, &listed), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_session_connect(carol));
  CHECK(state_wait(it.engine, carol, MSDK_SESSION_CONNECTED));
  run_for(it.engine, 100 * MS);
  CHECK_EQ(state_now(stream), MSDK_OUTGOING_STOPPED);
  CHECK_OK(msdk_session_disconnect(carol));
  CHECK_OK(msdk_session_start_video(carol, stream)); /* attached, then destroyed */
  msdk_outgoing_video_destroy(stream);
  CHECK(state_wait(it.engine, carol, MSDK_SESSION_DISCONNECTED));
  CHECK_OK(msdk_session_connect(carol));
  CHECK(state_wait(it.engine, carol, MSDK_SESSION_CONNECTED));
  msdk_outgoing_video *left = stream_new(it.engine, codec, 0); /* its session goes first */
  CHECK_OK(msdk_session_start_video(idle, left));
  msdk_session_destroy(idle);
  CHECK_OK(msdk_session_start_video(carol, left));
  CHECK_EQ(state_now(left), MSDK_OUTGOING_STARTED);
  msdk_outgoing_video_destroy(left);
  msdk_session_destroy(carol);
  call_close(&it);
}

static void raw_ones_start_each_time(void) { it_starts_each_time(MSDK_CODEC_RAW); }
static void encoded_ones_start_each_time(void) { it_starts_each_time(MSDK_CODEC_VP8); }

/* What the room refuses is an event, and the stream stays attached. */
static void what_is_not_permitted(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  const char *url = room_new();
  msdk_room_options room = MSDK_INIT(msdk_room_options);
  room.permissions = MSDK_MAY_RECEIVE;
  CHECK_OK(msdk_room_configure(it.engine, url, &room));
  msdk_session *carol = session_new(it.engine, url, "carol");
  msdk_outgoing_video *stream = stream_new(it.engine, MSDK_CODEC_RAW, 0);
  msdk_event event;
  CHECK_OK(msdk_session_start_video(carol, stream));
  CHECK_OK(msdk_session_connect(carol));
  CHECK(event_wait(it.engine, carol, MSDK_EVENT_OUTGOING_VIDEO_STATE, &event));
  CHECK(event.outgoing_video == stream);
  CHECK_EQ(event.state, MSDK_OUTGOING_FAILED);
  CHECK_EQ(event.status, MSDK_E_PERMISSION);
  CHECK_RESULT(msdk_session_start_video(carol, stream), MSDK_E_STATE);
  CHECK_OK(msdk_session_stop_video(carol, stream));
  CHECK_RESULT(msdk_session_start_video(carol, stream), MSDK_E_PERMISSION);
  msdk_outgoing_video_destroy(stream);
  msdk_session_destroy(carol);
  call_close(&it);
}

static void one_screen_share(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_session *carol = session_new(it.engine, it.url, "carol");
  msdk_outgoing_video *one = stream_new(it.engine, MSDK_CODEC_VP8, MSDK_VIDEO_SCREEN_SHARE);
  msdk_outgoing_video *other = stream_new(it.engine, MSDK_CODEC_VP8, MSDK_VIDEO_SCREEN_SHARE);
  CHECK_OK(msdk_session_start_video(carol, one));
  CHECK_ERROR(msdk_session_start_video(carol, other), MSDK_E_STATE, "already shares a screen");
  CHECK_OK(msdk_session_stop_video(carol, one));
  CHECK_OK(msdk_session_start_video(carol, other));
  CHECK_OK(msdk_session_connect(carol));
  CHECK(state_wait(it.engine, carol, MSDK_SESSION_CONNECTED));
  run_for(it.engine, 10 * MS);
  CHECK_EQ(state_now(other), MSDK_OUTGOING_STARTED);
  CHECK_EQ(state_now(one), MSDK_OUTGOING_NONE);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, NULL, 0); /* without formats, and no producer that has one */
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  msdk_outgoing_video *empty = NULL;
  msdk_session *idle = session_new(it.engine, it.url, "dave");
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &empty));
  CHECK_ERROR(msdk_session_start_video(idle, empty), MSDK_E_STATE, "attach the producer");
  msdk_session_destroy(idle);
  msdk_outgoing_video_destroy(empty);
  msdk_outgoing_video_destroy(one);
  msdk_outgoing_video_destroy(other);
  msdk_session_destroy(carol);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(raw_ones_start_each_time);
  RUN(encoded_ones_start_each_time);
  RUN(what_is_not_permitted);
  RUN(one_screen_share);
  return check_finish();
}
