/* Screen shares: limits, what stands still, who is told, formats that come from a producer. */
#include "sending.h"

#include <pthread.h>

static msdk_result check(uint32_t limits, uint32_t width, uint32_t height, uint32_t fps) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, width, height, fps);
  return msdk_video_limit_check(MSDK_VIDEO_SCREEN_SHARE, limits, &format);
}

static msdk_outgoing_video_options screen_options(uint32_t codec, const msdk_video_format *formats, uint32_t count) {
  msdk_outgoing_video_options options = outgoing_options(codec, formats, count);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  options.limits = MSDK_LIMITS_CONFERENCE;
  return options;
}

static void the_limits_are_the_documented_ones(void) {
  msdk_video_limit limit = MSDK_INIT(msdk_video_limit);
  const uint32_t expected[2][2][3] = {{{1920, 1080, 30}, {1080, 1920, 30}}, {{3840, 2160, 60}, {2160, 3840, 60}}};
  for (uint32_t limits = 0; limits < 2; limits++) {
    for (uint32_t index = 0; index < 2; index++) {
      CHECK_OK(msdk_video_limit_at(MSDK_VIDEO_SCREEN_SHARE, limits, index, &limit));
      CHECK_EQ(limit.width, expected[limits][index][0]);
      CHECK_EQ(limit.height, expected[limits][index][1]);
      CHECK_EQ(limit.fps, expected[limits][index][2]);
    }
    CHECK_RESULT(msdk_video_limit_at(MSDK_VIDEO_SCREEN_SHARE, limits, 2, &limit), MSDK_E_NOT_FOUND);
  }
  CHECK_OK(check(MSDK_LIMITS_CONFERENCE, 16, 16, 30));
  CHECK_OK(check(MSDK_LIMITS_CONFERENCE, 1366, 768, 1));
  CHECK_OK(check(MSDK_LIMITS_CONFERENCE, 1080, 1920, 30));
  CHECK_ERROR(check(MSDK_LIMITS_CONFERENCE, 1367, 768, 30), MSDK_E_LIMIT, "even");
  CHECK_ERROR(check(MSDK_LIMITS_CONFERENCE, 14, 16, 30), MSDK_E_LIMIT, "16x16");
  CHECK_ERROR(check(MSDK_LIMITS_CONFERENCE, 1922, 1080, 30), MSDK_E_LIMIT, "1920x1080");
  CHECK_ERROR(check(MSDK_LIMITS_CONFERENCE, 640, 480, 31), MSDK_E_LIMIT, "at most 30");
  CHECK_OK(check(MSDK_LIMITS_EXTENDED, 2159, 3839, 60));
  CHECK_ERROR(check(MSDK_LIMITS_EXTENDED, 2161, 3839, 60), MSDK_E_LIMIT, "2160x3840");
  CHECK_ERROR(check(MSDK_LIMITS_EXTENDED, 640, 480, 61), MSDK_E_LIMIT, "at most 60");
}

static void one_at_a_time_beside_others(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 800, 600, 15);
  msdk_outgoing_video_options options = screen_options(MSDK_CODEC_RAW, &format, 1);
  if (!call_offer(&it, &options)) return;
  msdk_outgoing_video *second = NULL, *face = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &second));
  CHECK_ERROR(msdk_session_start_video(it.alice, second), MSDK_E_STATE, "already shares a screen");
  options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &face));
  CHECK_OK(msdk_session_start_video(it.alice, face));
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  CHECK_OK(msdk_session_start_video(it.alice, second));
  msdk_outgoing_video_destroy(second);
  msdk_outgoing_video_destroy(face);
  call_close(&it);
}

static void share_state(call *it, msdk_session *session, uint32_t state, int is_other) {
  msdk_event event = MSDK_INIT(msdk_event);
  if (!CHECK(event_wait(it->engine, session, MSDK_EVENT_SCREEN_SHARE_STATE, &event))) return;
  CHECK_EQ(event.state, state);
  CHECK_STR_CONTAINS(event.user_id, "alice");
  CHECK((event.incoming_video != NULL) == (is_other != 0));
  CHECK_EQ(event.kind, MSDK_VIDEO_SCREEN_SHARE);
}

static uint32_t sharers(msdk_session *session) {
  msdk_participant people[8];
  uint32_t sharing = 0, count = people_of(session, people, 8);
  for (uint32_t i = 0; i < count; i++) sharing += people[i].is_sharing_screen;
  return sharing;
}

static void the_room_is_told_and_so_is_whoever_comes_late(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 800, 600, 15);
  msdk_outgoing_video_options options = screen_options(MSDK_CODEC_RAW, &format, 1);
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &it.outgoing));
  CHECK_OK(msdk_session_start_video(it.alice, it.outgoing));
  share_state(&it, it.alice, MSDK_SCREEN_SHARE_ENABLED, 0);
  msdk_event event = MSDK_INIT(msdk_event);
  if (CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event))) CHECK_EQ(event.kind, MSDK_VIDEO_SCREEN_SHARE);
  share_state(&it, it.bob, MSDK_SCREEN_SHARE_ENABLED, 1);
  CHECK_EQ(sharers(it.alice), 1);
  CHECK_EQ(sharers(it.bob), 1);
  msdk_session *carl = join(it.engine, it.url, "carl");
  share_state(&it, carl, MSDK_SCREEN_SHARE_ENABLED, 1);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  share_state(&it, it.alice, MSDK_SCREEN_SHARE_DISABLED, 0);
  share_state(&it, it.bob, MSDK_SCREEN_SHARE_DISABLED, 1);
  share_state(&it, carl, MSDK_SCREEN_SHARE_DISABLED, 1);
  CHECK_EQ(sharers(it.bob), 0);
  msdk_session_destroy(carl);
  call_close(&it);
}

static void what_stands_is_shown_to_whoever_comes(uint32_t codec) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 640, 480, 15);
  msdk_outgoing_video_options options = screen_options(codec, &format, 1);
  if (!call_offer(&it, &options)) return;
  outcomes counted = {0};
  CHECK_OK(send_picture(it.sender, 3, 0, &counted));
  run_for(it.engine, 5 * SECOND);
  CHECK_EQ(counted.by_reason[MSDK_DROP_NO_RECEIVER], 1);
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, MS);
  msdk_video_frame *frame = NULL;
  if (CHECK_OK(msdk_incoming_video_read(it.incoming, 0, &frame))) {
    CHECK_EQ(frame->sequence, 1);
    msdk_video_frame_unref(frame);
  }
  run_for(it.engine, 10 * SECOND);
  msdk_outgoing_video_stats before = outgoing_stats(it.outgoing);
  run_for(it.engine, 600 * SECOND);
  msdk_outgoing_video_stats after = outgoing_stats(it.outgoing);
  CHECK_EQ(before.bytes_sent, after.bytes_sent);
  CHECK_EQ(before.frames_repeated, after.frames_repeated);
  CHECK(after.frames_repeated > 0);
  CHECK_EQ(counted.calls, 1);
  check_outcomes_add_up(it.outgoing);
  call_close(&it);
}

static void raw_pictures_stand(void) { what_stands_is_shown_to_whoever_comes(MSDK_CODEC_RAW); }
static void encoded_pictures_stand(void) { what_stands_is_shown_to_whoever_comes(MSDK_CODEC_VP8); }

static void the_rate_gives_way_and_the_size_stays(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_video_format formats[2] = {format_of(MSDK_PIXEL_NV12, 1920, 1080, 30), format_of(MSDK_PIXEL_NV12, 960, 540, 30)};
  msdk_outgoing_video_options options = screen_options(MSDK_CODEC_VP8, formats, 2);
  if (!call_offer(&it, &options)) return;
  CHECK_RANGE(outgoing_stats(it.outgoing).paced_frames_per_second, 30, 30);
  /* Five frames a second of the larger size, at 0.03 bits a pixel. */
  msdk_network_step step = network_step(0, 1920 * 1080 * 3 / 100 * 5 + 1000);
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 1));
  run_for(it.engine, SECOND);
  CHECK_RANGE(outgoing_stats(it.outgoing).paced_frames_per_second, 5, 5);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 1920);
  CHECK_EQ(outgoing_stats(it.outgoing).format_changes, 0);
  step.bandwidth_bps = 1920 * 1080 * 3 / 100 - 1000;
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 1));
  run_for(it.engine, SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 1920);
  CHECK_RANGE(outgoing_stats(it.outgoing).paced_frames_per_second, 1, 1);
  run_for(it.engine, 8 * SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 1920);
  run_for(it.engine, SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).width, 960);
  call_close(&it);
}

static void the_last_frame_is_kept_and_let_go(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 640, 480, 15);
  msdk_outgoing_video_options options = screen_options(MSDK_CODEC_RAW, &format, 1);
  if (!call_offer(&it, &options)) return;
  owned_picture pictures[2];
  for (uint32_t i = 0; i < 2; i++) {
    msdk_video_frame *frame = wrap_picture(&pictures[i], &format, i);
    CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL));
    msdk_video_frame_unref(frame);
    run_for(it.engine, SECOND);
  }
  CHECK_EQ(pictures[0].released, 1);
  CHECK_EQ(pictures[1].released, 0);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  CHECK_EQ(pictures[1].released, 1);
  call_close(&it);
}

static void without_formats_a_producer_is_needed(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_outgoing_video_options options = screen_options(MSDK_CODEC_VP8, NULL, 0);
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &it.outgoing));
  CHECK_ERROR(msdk_session_start_video(it.alice, it.outgoing), MSDK_E_STATE, "attach the producer");
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  CHECK_OK(msdk_engine_add_plugin_dir(it.engine, directory != NULL ? directory : "", NULL));
  msdk_instance *pattern = NULL;
  CHECK_OK(msdk_instance_create(it.engine, "org.mediasdk.producer.testpattern", NULL, &pattern));
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, pattern));
  CHECK_OK(msdk_session_start_video(it.alice, it.outgoing));
  msdk_event event = MSDK_INIT(msdk_event);
  if (CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event))) {
    CHECK(event.format.width >= 16 && event.format.fps_num > 0);
    CHECK(event.format.pixel_format == MSDK_PIXEL_NV12 || event.format.pixel_format == MSDK_PIXEL_I420);
  }
  msdk_instance_destroy(pattern);
  call_close(&it);
  options.kind = MSDK_VIDEO_VIRTUAL;
  it.engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_ERROR(msdk_outgoing_video_create(it.engine, &options, &it.outgoing), MSDK_E_RANGE, "format_count");
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  options.encoded_input = 1;
  CHECK_ERROR(msdk_outgoing_video_create(it.engine, &options, &it.outgoing), MSDK_E_RANGE, "format_count");
  msdk_engine_destroy(it.engine);
}

/* Everything at once, on threads: pictures, requests, other rates, receivers that come and go, starts and stops. */
typedef struct bustle {
  call it;
  atomic_int is_over;
  atomic_ullong accepted;
  outcomes counted;
} bustle;

static void *sends(void *user) {
  bustle *all = user;
  for (uint32_t i = 0; !atomic_load(&all->is_over); i++) {
    msdk_frame_sender *sender = NULL;
    if (msdk_outgoing_video_get_sender(all->it.outgoing, &sender) < 0) continue;
    if (send_picture(sender, i, 0, &all->counted) >= 0) atomic_fetch_add(&all->accepted, 1);
    if (i % 7 == 0) sleep_ms(1);
  }
  return NULL;
}

static void *asks(void *user) {
  bustle *all = user;
  for (uint32_t i = 0; !atomic_load(&all->is_over); i++) {
    msdk_outgoing_video_request_key_frame(all->it.outgoing);
    msdk_outgoing_video_set_frame_rate(all->it.outgoing, i % 2 * 5, i % 2);
    sleep_ms(i % 3);
  }
  return NULL;
}

static void all_at_once(uint32_t codec) {
  static bustle all;
  all = (bustle){.it = call_join(MSDK_CLOCK_SYSTEM)};
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 180, 30);
  msdk_outgoing_video_options options = screen_options(codec, &format, 1);
  if (!call_offer(&all.it, &options)) return;
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) CHECK_EQ(pthread_create(&threads[i], NULL, i < 2 ? sends : asks, &all), 0);
  for (int round = 0; round < (under_tools() ? 10 : 40); round++) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (!CHECK(event_wait(all.it.engine, all.it.bob, MSDK_EVENT_SCREEN_SHARE_STATE, &event))) break;
    if (event.state != MSDK_SCREEN_SHARE_ENABLED) continue;
    msdk_incoming_video_start(event.incoming_video, NULL);
    msdk_video_frame *frame = NULL;
    if (msdk_incoming_video_read(event.incoming_video, 20000, &frame) >= 0) msdk_video_frame_unref(frame);
    CHECK(frame != NULL);
    if (round % 2 == 0) msdk_incoming_video_stop(event.incoming_video);
    CHECK_OK(msdk_session_stop_video(all.it.alice, all.it.outgoing));
    CHECK_OK(msdk_session_start_video(all.it.alice, all.it.outgoing));
  }
  atomic_store(&all.is_over, 1);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  msdk_outgoing_video *stream = all.it.outgoing;
  CHECK_OK(msdk_session_stop_video(all.it.alice, stream));
  check_outcomes_add_up(stream);
  CHECK_EQ(outgoing_stats(stream).frames_offered, atomic_load(&all.accepted));
  CHECK_EQ(atomic_load(&all.counted.calls), atomic_load(&all.accepted));
  call_close(&all.it);
}

static void all_at_once_raw(void) { all_at_once(MSDK_CODEC_RAW); }
static void all_at_once_encoded(void) { all_at_once(MSDK_CODEC_VP8); }

int main(int argc, char **argv) {
  RUN(the_limits_are_the_documented_ones);
  RUN(one_at_a_time_beside_others);
  RUN(the_room_is_told_and_so_is_whoever_comes_late);
  RUN(raw_pictures_stand);
  RUN(encoded_pictures_stand);
  RUN(the_rate_gives_way_and_the_size_stays);
  RUN(the_last_frame_is_kept_and_let_go);
  RUN(without_formats_a_producer_is_needed);
  RUN(all_at_once_raw);
  RUN(all_at_once_encoded);
  msdk_engine *last = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_EQ(engine_stats(last).frames, 0);
  CHECK_EQ(engine_stats(last).encoded_frames, 0);
  msdk_engine_destroy(last);
  return check_finish();
}
