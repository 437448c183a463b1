/* The pace of producers that push video. */
#include "sending.h"
#include "test_classes.h"

static void a_push_producer_is_told_when_too_fast(void) {
  sight_push = (class_sight){0};
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  record_clear();
  call it = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  CHECK_OK(msdk_engine_register_module(it.engine, &test_module));
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.push");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  int frames = 0;
  int64_t begin = msdk_time_monotonic();
  while (msdk_time_monotonic() - begin < SECOND) {
    sleep_ms(5);
    for (msdk_video_frame *frame = NULL; msdk_incoming_video_read(it.incoming, 0, &frame) >= 0; frames++) msdk_video_frame_unref(frame);
  }
  double seconds = (double)(msdk_time_monotonic() - begin) / (double)SECOND;
  CHECK(atomic_load(&sight_push.again) > 0);
  CHECK_RANGE(atomic_load(&sight_push.pushed), under_tools() ? 5 : 20, 36 * seconds);
  CHECK(frames > 0);
  CHECK_EQ(atomic_load(&sight_push.closed), 0);
  CHECK_EQ(atomic_load(&sight_push.wrong_format) + atomic_load(&sight_push.other), 0);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing)); /* joins the thread, which ends only when it is told MSDK_E_CLOSED */
  WAIT_UNTIL(atomic_load(&sight_push.closed) == 1);
  CHECK_EQ(atomic_load(&sight_push.closed), 1);
  check_outcomes_add_up(it.outgoing);
  msdk_instance_destroy(producer);
  CHECK_EQ(record_times("push destroy"), 1);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(a_push_producer_is_told_when_too_fast);
  return check_finish();
}
