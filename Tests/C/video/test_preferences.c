/* incoming_video.h: what a receiver prefers, and what the sender makes of it. */
#include "sending.h"

static const msdk_video_format *formats(void) {
  static msdk_video_format list[3];
  list[0] = format_of(MSDK_PIXEL_NV12, 1280, 720, 30);
  list[1] = format_of(MSDK_PIXEL_NV12, 640, 360, 30);
  list[2] = format_of(MSDK_PIXEL_NV12, 320, 180, 15);
  return list;
}

static msdk_video_preference preference_of(uint32_t width, uint32_t height, uint32_t fps) {
  msdk_video_preference preference = MSDK_INIT(msdk_video_preference);
  preference.width = width;
  preference.height = height;
  preference.fps_num = fps;
  preference.fps_den = fps > 0;
  return preference;
}

static msdk_result prefer(msdk_incoming_video *stream, uint32_t width, uint32_t height, uint32_t fps) {
  msdk_video_preference preference = preference_of(width, height, fps);
  return msdk_incoming_video_set_preference(stream, &preference);
}

static call call_of(uint32_t codec) {
  msdk_outgoing_video_options options = outgoing_options(codec, formats(), 3);
  return call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
}

static void the_sender_makes_no_more(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_VP8, MSDK_CODEC_RAW, MSDK_CODEC_AUTO};
  for (int i = 0; i < 3; i++) {
    call it = call_of(codecs[i]);
    msdk_event event;
    CHECK_EQ(outgoing_stats(it.outgoing).width, 1280);
    CHECK_OK(prefer(it.incoming, 640, 300, 10));
    run_for(it.engine, 2 * SECOND - MS);
    CHECK_EQ(outgoing_stats(it.outgoing).width, 1280); /* it may be a matter of a moment */
    CHECK(!event_take(it.alice, MSDK_EVENT_OUTGOING_VIDEO_WANTED, &event));
    run_for(it.engine, 2 * MS);
    CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_OUTGOING_VIDEO_WANTED, &event));
    CHECK(event.outgoing_video == it.outgoing && event.kind == MSDK_VIDEO_VIRTUAL);
    CHECK(event.format.width == 640 && event.format.height == 300 && event.format.fps_num == 10 && event.format.fps_den == 1);
    CHECK_EQ(event.format.pixel_format, 0);
    CHECK(event_take(it.alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event));
    CHECK_EQ(event.format.width, 640);
    msdk_outgoing_video_stats stats = outgoing_stats(it.outgoing);
    CHECK(stats.width == 640 && stats.wanted_width == 640 && stats.wanted_height == 300);
    CHECK_RANGE(stats.wanted_frames_per_second, 10, 10);
    CHECK_RANGE(stats.paced_frames_per_second, 10, 10);
    /* What the receiver gets is of that size and rate. */
    it.sender = event.sender;
    outcomes counted = {0};
    send_film(&it, 0, 60, SECOND / 30, &counted);
    run_for(it.engine, SECOND);
    CHECK_RANGE(atomic_load(&counted.by_outcome[MSDK_OUTCOME_DROPPED]), 39, 41);
    CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_PACED]), atomic_load(&counted.by_outcome[MSDK_OUTCOME_DROPPED]));
    msdk_video_frame *frame = frame_wait(&it);
    if (CHECK(frame != NULL)) {
      CHECK(frame->format->width == 640 && frame->format->height == 360);
      msdk_video_frame_unref(frame);
    }
    /* More again, at once. */
    CHECK_OK(msdk_incoming_video_set_preference(it.incoming, NULL));
    run_for(it.engine, MS);
    CHECK(event_take(it.alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event));
    CHECK_EQ(event.format.width, 1280);
    stats = outgoing_stats(it.outgoing);
    CHECK(stats.wanted_width == 0 && stats.wanted_height == 0 && stats.wanted_frames_per_second == 0);
    call_close(&it);
  }
}

static void it_is_kept_while_the_stream_is_stopped(void) {
  call it = call_of(MSDK_CODEC_VP8);
  msdk_session *carol = join(it.engine, it.url, "carol");
  msdk_event event;
  NEED(event_wait(it.engine, carol, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  msdk_incoming_video *hers = event.incoming_video;
  CHECK_OK(prefer(hers, 320, 180, 0)); /* before it is started */
  CHECK_OK(prefer(it.incoming, 180, 320, 0)); /* a rotated one */
  run_for(it.engine, 3 * SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 320);
  CHECK_OK(msdk_incoming_video_start(hers, NULL));
  run_for(it.engine, 3 * SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 320);
  CHECK_OK(prefer(hers, 640, 360, 0));
  run_for(it.engine, 3 * SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 640); /* the most demanding one's */
  CHECK_OK(msdk_incoming_video_stop(hers));
  run_for(it.engine, 5 * SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 320);
  CHECK_OK(msdk_incoming_video_start(hers, NULL));
  run_for(it.engine, MS);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 640);
  msdk_session_destroy(carol);
  run_for(it.engine, 5 * SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 320);
  call_close(&it);
}

static void with_encoded_input_there_is_the_event_only(void) {
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, formats(), 3);
  options.encoded_input = 1;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_event event;
  CHECK_OK(prefer(it.incoming, 320, 180, 0));
  run_for(it.engine, 3 * SECOND);
  CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_OUTGOING_VIDEO_WANTED, &event));
  CHECK(event.format.width == 320 && event.format.height == 180 && event.format.fps_num == 0 && event.format.fps_den == 0);
  CHECK(outgoing_stats(it.outgoing).width == 1280 && outgoing_stats(it.outgoing).wanted_width == 320);
  call_close(&it);
}

static void what_is_not_accepted(void) {
  static const uint32_t bad[][4] = {{640, 0, 0, 0}, {0, 360, 0, 0}, {16385, 1, 0, 0}, {0, 0, 1, 11}, {0, 0, 0, 1}, {0, 0, 1, 0}};
  call it = call_of(MSDK_CODEC_VP8);
  for (size_t i = 0; i < MSDK_COUNT(bad); i++) {
    msdk_video_preference preference = MSDK_INIT(msdk_video_preference);
    preference.width = bad[i][0];
    preference.height = bad[i][1];
    preference.fps_num = bad[i][2];
    preference.fps_den = bad[i][3];
    CHECK_ERROR(msdk_incoming_video_set_preference(it.incoming, &preference), MSDK_E_RANGE, "preference");
  }
  msdk_video_preference preference = preference_of(320, 180, 0);
  preference.priority = 4;
  CHECK_ERROR(msdk_incoming_video_set_preference(it.incoming, &preference), MSDK_E_UNSUPPORTED, "preference.priority is 4");
  preference.priority = MSDK_PRIORITY_HIGH;
  preference.struct_size = 3;
  CHECK_ERROR(msdk_incoming_video_set_preference(it.incoming, &preference), MSDK_E_INVALID, "struct_size");
  CHECK_RESULT(msdk_incoming_video_set_preference(NULL, NULL), MSDK_E_HANDLE);
  run_for(it.engine, 5 * SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 1280);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  run_for(it.engine, MS);
  CHECK_RESULT(prefer(it.incoming, 320, 180, 0), MSDK_E_CLOSED);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(the_sender_makes_no_more);
  RUN(it_is_kept_while_the_stream_is_stopped);
  RUN(with_encoded_input_there_is_the_event_only);
  RUN(what_is_not_accepted);
  return check_finish();
}
