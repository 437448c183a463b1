/* outgoing_video.h, the frame sender: what send takes and refuses, and the life of a stream. */
#include "ivf.h"
#include "sending.h"

static call raw_call(uint32_t pixel_format, uint32_t width, uint32_t height) {
  msdk_video_format format = format_of(pixel_format, width, height, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  return call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
}

static void the_sender_takes_its_format_only(void) {
  call it = raw_call(MSDK_PIXEL_NV12, 320, 240);
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_OK(msdk_frame_sender_get_format(it.sender, &format));
  CHECK_EQ(format.width, 320);
  CHECK_EQ(format.height, 240);
  CHECK_EQ(format.pixel_format, MSDK_PIXEL_NV12);
  CHECK_EQ(format.fps_num, 30);
  CHECK_ERROR(msdk_frame_sender_get_format(it.sender, NULL), MSDK_E_INVALID, "out");
  static const uint32_t wrong[][3] = {{MSDK_PIXEL_I420, 320, 240}, {MSDK_PIXEL_BGRA, 320, 240}, {MSDK_PIXEL_NV12, 322, 240},
                                      {MSDK_PIXEL_NV12, 320, 238}, {MSDK_PIXEL_NV12, 240, 320}, {MSDK_PIXEL_NV12, 1, 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    msdk_video_frame *frame = picture_new(wrong[i][0], wrong[i][1], wrong[i][2], 0);
    CHECK_ERROR(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL), MSDK_E_FORMAT, "320x240");
    msdk_video_frame_unref(frame);
  }
  CHECK_RESULT(msdk_frame_sender_send(it.sender, NULL, 0, NULL, NULL), MSDK_E_HANDLE);
  CHECK_EQ(outgoing_stats(it.outgoing).frames_offered, 0);
  static ivf_clip clip;
  if (CHECK(ivf_open(&clip))) { /* a raw stream takes no encoded frames */
    msdk_encoded_frame *encoded = encoded_of(clip.frame[0].data, clip.frame[0].size, 0);
    CHECK(msdk_frame_sender_send_encoded(it.sender, encoded, 0, NULL, NULL) < 0);
    CHECK_STR_CONTAINS(msdk_last_error(), "encoded_input");
    msdk_encoded_frame_unref(encoded);
  }
  ivf_close(&clip);
  call_close(&it);
}

static void the_sender_s_pool_has_eight_frames(void) {
  call it = raw_call(MSDK_PIXEL_NV12, 64, 48);
  msdk_video_frame *frames[9] = {NULL};
  for (int i = 0; i < 8; i++) {
    CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frames[i]));
    NEED(frames[i] != NULL);
    CHECK(frames[i]->flags & MSDK_FRAME_WRITABLE);
    CHECK_EQ(video_references(frames[i]), 1);
    for (int j = 0; j < i; j++) CHECK(frames[i]->plane[0].data != frames[j]->plane[0].data);
  }
  CHECK_RESULT(msdk_frame_sender_acquire(it.sender, 20, &frames[8]), MSDK_E_TIMEOUT);
  CHECK(frames[8] == NULL);
  msdk_video_frame_unref(frames[3]);
  CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frames[3]));
  CHECK_ERROR(msdk_frame_sender_acquire(it.sender, 0, NULL), MSDK_E_INVALID, "out");
  frames[0]->timestamp_ns = 5;
  frames[0]->orientation = MSDK_ROTATE_90;
  msdk_video_frame_unref(frames[0]);
  CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frames[0])); /* as new */
  CHECK_EQ(frames[0]->timestamp_ns, 0);
  CHECK_EQ(frames[0]->orientation, 0);
  for (int i = 0; i < 8; i++) CHECK_OK(msdk_video_frame_unref(frames[i]));
  call_close(&it);
}

static void frames_outlive_everything(void) {
  call it = raw_call(MSDK_PIXEL_NV12, 64, 48);
  msdk_video_frame *kept = NULL, *received = NULL;
  CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &kept));
  CHECK_OK(send_picture(it.sender, 4, 0, NULL));
  received = frame_wait(&it);
  NEED(received != NULL);
  uint64_t hash = picture_hash(HASH_START, received);
  call_close(&it);
  CHECK_EQ(video_references(kept), 1);
  CHECK_EQ(video_references(received), 1);
  CHECK(picture_hash(HASH_START, received) == hash);
  picture_fill(kept, 9);
  CHECK_OK(msdk_video_frame_unref(kept));
  CHECK_OK(msdk_video_frame_unref(received));
}

static void a_stream_is_started_once_and_again(void) {
  call it = raw_call(MSDK_PIXEL_NV12, 64, 48);
  uint32_t state;
  CHECK_OK(msdk_outgoing_video_get_state(it.outgoing, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STARTED);
  CHECK_ERROR(msdk_session_start_video(it.alice, it.outgoing), MSDK_E_STATE, "started");
  CHECK_RESULT(msdk_session_start_video(it.bob, it.outgoing), MSDK_E_STATE); /* not in two sessions */
  CHECK_RESULT(msdk_session_stop_video(it.bob, it.outgoing), MSDK_E_STATE);  /* nor from another's */
  msdk_frame_sender *sender = NULL;
  CHECK_OK(msdk_outgoing_video_get_sender(it.outgoing, &sender));
  CHECK(sender == it.sender);
  CHECK_ERROR(msdk_outgoing_video_get_sender(it.outgoing, NULL), MSDK_E_INVALID, "out");
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_NV12, 64, 48, 0);
  CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL));
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  CHECK_RESULT(msdk_session_stop_video(it.alice, it.outgoing), MSDK_E_STATE);
  CHECK_OK(msdk_outgoing_video_get_state(it.outgoing, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STOPPED);
  CHECK_RESULT(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL), MSDK_E_STATE);
  CHECK_RESULT(msdk_outgoing_video_get_sender(it.outgoing, &sender), MSDK_E_STATE);
  CHECK_OK(msdk_session_start_video(it.alice, it.outgoing));
  msdk_event event;
  CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event));
  CHECK(event.outgoing_video == it.outgoing);
  CHECK(event.sender != it.sender);
  CHECK_RESULT(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL), MSDK_E_STALE);
  CHECK_OK(msdk_frame_sender_send(event.sender, frame, 0, NULL, NULL));
  msdk_video_frame_unref(frame);
  call_close(&it);
}

static void the_states_come_as_events(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  uint32_t state;
  msdk_event event;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &it.outgoing));
  CHECK_OK(msdk_outgoing_video_get_state(it.outgoing, &state));
  CHECK_EQ(state, MSDK_OUTGOING_NONE);
  CHECK_RESULT(msdk_outgoing_video_get_sender(it.outgoing, &it.sender), MSDK_E_STATE);
  CHECK_OK(msdk_session_start_video(it.alice, it.outgoing));
  CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_OUTGOING_VIDEO_STATE, &event));
  CHECK_EQ(event.state, MSDK_OUTGOING_STARTED);
  CHECK(event.outgoing_video == it.outgoing);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_OUTGOING_VIDEO_STATE, &event));
  CHECK_EQ(event.state, MSDK_OUTGOING_STOPPED);
  call_close(&it);
}

static void timestamps_arrive_unchanged(void) {
  call it = raw_call(MSDK_PIXEL_I420, 63, 47);
  static const int64_t stamps[] = {-5, 1, 1, 4241};
  for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
    CHECK_OK(send_picture(it.sender, (uint32_t)i, stamps[i], NULL));
    msdk_video_frame *frame = frame_wait(&it);
    NEED(frame != NULL);
    CHECK_EQ(frame->timestamp_ns, stamps[i]);
    CHECK_EQ(frame->sequence, i + 1);
    msdk_video_frame_unref(frame);
  }
  run_for(it.engine, 77 * MS);
  int64_t now = msdk_engine_now(it.engine);
  CHECK_OK(send_picture(it.sender, 0, 0, NULL)); /* 0: now */
  msdk_video_frame *frame = frame_wait(&it);
  NEED(frame != NULL);
  CHECK_EQ(frame->timestamp_ns, now);
  msdk_video_frame_unref(frame);
  CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frame)); /* 0: the frame's own */
  picture_draw(frame, 1);
  frame->timestamp_ns = now + 4242;
  frame->orientation = MSDK_ROTATE_270 | MSDK_MIRROR;
  CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL));
  msdk_video_frame_unref(frame);
  frame = frame_wait(&it);
  NEED(frame != NULL);
  CHECK_EQ(frame->timestamp_ns, now + 4242);
  CHECK_EQ(frame->orientation, MSDK_ROTATE_270 | MSDK_MIRROR);
  msdk_video_frame_unref(frame);
  call_close(&it);
}

static void raw_frames_pass_by_reference(void) {
  for (int i = 0; i < PIXEL_FORMATS; i++) {
    call it = raw_call(pixel_formats[i], 161, 91);
    static owned_picture picture;
    msdk_video_format format = format_of(pixel_formats[i], 161, 91, 30);
    msdk_video_frame *sent = wrap_picture(&picture, &format, 3);
    NEED(sent != NULL);
    CHECK_OK(msdk_frame_sender_send(it.sender, sent, 0, NULL, NULL));
    const uint8_t *memory = sent->plane[0].data;
    uint64_t hash = picture_hash(HASH_START, sent);
    CHECK_OK(msdk_video_frame_unref(sent)); /* the SDK has its own reference */
    msdk_video_frame *received = frame_wait(&it);
    NEED(received != NULL);
    CHECK(received->plane[0].data == memory);
    CHECK(picture_hash(HASH_START, received) == hash);
    CHECK((received->flags & MSDK_FRAME_WRITABLE) == 0);
    CHECK_EQ(atomic_load(&picture.released), 0);
    CHECK_OK(msdk_video_frame_unref(received));
    run_for(it.engine, MS);
    CHECK_EQ(atomic_load(&picture.released), 1);
    call_close(&it);
    CHECK_EQ(atomic_load(&picture.released), 1);
  }
}

static void wrapped_memory_is_released_once_on_every_way(void) {
  static owned_picture pictures[40];
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int codec = 0; codec < 2; codec++) {
    msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
    msdk_outgoing_video_options options = outgoing_options(codecs[codec], &format, 1);
    call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
    for (int i = 0; i < 40; i++) {
      if (i == 10) CHECK_OK(msdk_incoming_video_stop(it.incoming)); /* nobody receives */
      if (i == 20) CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
      if (i == 30) CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing)); /* refused */
      msdk_video_frame *frame = wrap_picture(&pictures[i], &format, (uint32_t)i);
      msdk_result result = msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL);
      CHECK_EQ(result, i < 30 ? MSDK_OK : MSDK_E_STATE);
      msdk_video_frame_unref(frame);
      if (i % 3 == 0) run_for(it.engine, 33 * MS); /* others wait for the encoder, or in the queue */
    }
    call_close(&it);
    for (int i = 0; i < 40; i++) CHECK_EQ(atomic_load(&pictures[i].released), 1);
  }
}

int main(int argc, char **argv) {
  RUN(the_sender_takes_its_format_only);
  RUN(the_sender_s_pool_has_eight_frames);
  RUN(frames_outlive_everything);
  RUN(a_stream_is_started_once_and_again);
  RUN(the_states_come_as_events);
  RUN(timestamps_arrive_unchanged);
  RUN(raw_frames_pass_by_reference);
  RUN(wrapped_memory_is_released_once_on_every_way);
  return check_finish();
}
