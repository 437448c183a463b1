/* A program's own producers: the order of calls, pull and push, failures, events. */
#include "sending.h"
#include "test_classes.h"

static call call_with_module(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  record_clear();
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_engine_register_module(it.engine, &test_module));
  return it;
}

static int drain(call *it, int64_t *last_stamp) {
  int frames = 0;
  msdk_video_frame *frame = NULL;
  while (msdk_incoming_video_read(it->incoming, 0, &frame) >= 0) {
    if (*last_stamp != 0) CHECK_RANGE(frame->timestamp_ns - *last_stamp, SECOND / 30 - 2, SECOND / 30 + 2);
    *last_stamp = frame->timestamp_ns;
    frames++;
    msdk_video_frame_unref(frame);
  }
  return frames;
}

static void registering_twice_is_refused(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &test_module));
  CHECK_ERROR(msdk_engine_register_module(engine, &test_module), MSDK_E_EXISTS, "org.mediasdk.test.pull");
  CHECK_ERROR(msdk_engine_register_module(engine, NULL), MSDK_E_INVALID, "module");
  msdk_class_info info = MSDK_INIT(msdk_class_info);
  CHECK_OK(msdk_engine_class_at(engine, 0, &info));
  CHECK(strcmp(info.id, "org.mediasdk.test.pull") == 0);
  CHECK(strcmp(info.module_path, "") == 0);
  CHECK(strcmp(info.module_vendor, "the tests") == 0);
  CHECK_EQ(info.param_count, 12);
  msdk_module bad = test_module;
  bad.min_host_minor = MSDK_ABI_MINOR + 1;
  CHECK_ERROR(msdk_engine_register_module(engine, &bad), MSDK_E_ABI, "min_host_minor");
  msdk_engine_destroy(engine);
}

static void a_pull_producer_is_paced(void) {
  call it = call_with_module();
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.pull");
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_CREATED);
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  int frames = 0;
  int64_t last = 0;
  for (int i = 0; i < 200; i++) {
    run_for(it.engine, 10 * MS);
    frames += drain(&it, &last);
  }
  CHECK_RANGE(frames, 59, 61);
  CHECK_OK(msdk_outgoing_video_set_frame_rate(it.outgoing, 10, 1)); /* is asked at this rate */
  record_clear();
  run_for(it.engine, 2 * SECOND);
  CHECK_RANGE(record_times("pull produce"), 19, 22);
  check_outcomes_add_up(it.outgoing);
  CHECK_OK(msdk_outgoing_video_detach_producer(it.outgoing));
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER) == MSDK_INSTANCE_STARTED, 0);
  msdk_instance_destroy(producer);
  call_close(&it);
}

static void the_order_of_calls(void) {
  call it = call_with_module();
  record_clear();
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.pull");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  run_for(it.engine, 200 * MS);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  run_for(it.engine, 100 * MS);
  int produced = record_times("pull produce");
  run_for(it.engine, SECOND);
  CHECK_EQ(record_times("pull produce"), produced); /* none after the stop */
  CHECK_OK(msdk_session_start_video(it.alice, it.outgoing));
  run_for(it.engine, 200 * MS);
  msdk_instance_destroy(producer);
  char all[4096] = "";
  /* The host may or may not release between two starts; both are in order. */
  int released = record_times("pull release");
  CHECK(released == 1 || released == 2);
  snprintf(all, sizeof all, "create init set_format start produce stop %sset_format start produce stop release destroy",
           released == 2 ? "release init " : "");
  record_expect("pull", "formats settings", all);
  call_close(&it);
}

static void destroying_the_stream_takes_the_producer_down(void) {
  call it = call_with_module();
  record_clear();
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.pull");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  run_for(it.engine, 100 * MS);
  msdk_outgoing_video_destroy(it.outgoing);
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_CREATED);
  record_expect("pull", "formats settings", "create init set_format start produce stop release");
  msdk_engine_destroy(it.engine); /* ends the instance, too */
  CHECK_EQ(record_times("pull destroy"), 1);
  msdk_instance_destroy(producer);
  CHECK_EQ(record_times("pull destroy"), 1);
}

/* The class fails in one function; its words arrive, and what follows is not called. */
static void failures_surface(void) {
  static const struct { const char *function, *calls; } cases[] = {
    {"init", "create set_fail init destroy"},
    {"start", "create set_fail init set_format start release destroy"},
    {"set_format", "create set_fail init set_format release destroy"},
    {"produce", "create set_fail init set_format start produce stop release destroy"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    call it = call_with_module();
    record_clear();
    msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.pull");
    CHECK_OK(msdk_instance_set_param_text(producer, "fail", cases[i].function));
    char words[64];
    snprintf(words, sizeof words, "the test lets %s fail", cases[i].function);
    msdk_event event = MSDK_INIT(msdk_event);
    msdk_result result = msdk_outgoing_video_attach_producer(it.outgoing, producer);
    if (result < 0) { /* said at once */
      CHECK_EQ(result, MSDK_E_DEVICE_LOST);
      CHECK_STR_CONTAINS(msdk_last_error(), words);
    } else {
      run_for(it.engine, 200 * MS);
      int found = 0; /* said later, by either event */
      for (;;) {
        event = MSDK_INIT(msdk_event);
        if (msdk_session_next_event(it.alice, 0, &event) < 0) break;
        if (event.type != MSDK_EVENT_PLUGIN && event.type != MSDK_EVENT_OUTGOING_VIDEO_STATE) continue;
        if (event.status == MSDK_E_DEVICE_LOST && strstr(event.text, words) != NULL) found++;
      }
      if (!CHECK(found > 0)) fprintf(stderr, "  no event with \"%s\"\n", words);
    }
    msdk_instance_destroy(producer);
    record_expect("pull", "formats settings", cases[i].calls);
    call_close(&it);
  }
}

static void a_producer_s_formats(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &test_module));
  record_clear();
  msdk_instance *producer = instance_of(engine, "org.mediasdk.test.pull");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_OK(msdk_instance_format_at(producer, 0, &format));
  CHECK_EQ(format.width, 64);
  CHECK_OK(msdk_instance_format_at(producer, 1, &format));
  CHECK_EQ(format.width, 128);
  CHECK_RESULT(msdk_instance_format_at(producer, 2, &format), MSDK_E_NOT_FOUND);
  CHECK_EQ(record_times("pull init"), 1);
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_READY);
  CHECK_ERROR(msdk_instance_format_at(producer, 0, NULL), MSDK_E_INVALID, "out");
  uint32_t state;
  CHECK(msdk_instance_get_state(producer, MSDK_KIND_VIDEO_RENDERER, &state) < 0); /* it is none */
  CHECK(msdk_instance_get_state(producer, 99, &state) < 0);
  CHECK_RESULT(msdk_instance_get_state(producer, MSDK_KIND_VIDEO_PRODUCER, NULL), MSDK_E_INVALID);
  CHECK_OK(msdk_instance_release(producer));
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_CREATED);
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_NV12, 64, 48, 0);
  CHECK(msdk_instance_render(producer, frame) < 0); /* not a renderer */
  CHECK_STR_CONTAINS(msdk_last_error(), "renderer");
  msdk_video_frame_unref(frame);
  msdk_instance *renderer = instance_of(engine, "org.mediasdk.test.sink");
  CHECK(msdk_instance_format_at(renderer, 0, &format) < 0); /* not a producer */
  CHECK_STR_CONTAINS(msdk_last_error(), "producer");
  msdk_instance_destroy(renderer);
  msdk_instance_destroy(producer);
  msdk_engine_destroy(engine);
}

static void wrong_order_never_reaches_the_class(void) {
  call it = call_with_module();
  record_clear();
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.pull");
  msdk_instance_release(producer); /* not initialised */
  record_expect("pull", "", "create");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  for (int i = 0; i < 3; i++) CHECK_OK(msdk_instance_format_at(producer, 0, &format)); /* initialised once */
  record_expect("pull", "formats settings", "create init");
  CHECK_EQ(record_times("pull init"), 1);
  record_clear();
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  run_for(it.engine, 100 * MS);
  CHECK(msdk_outgoing_video_attach_producer(it.outgoing, producer) < 0); /* a second time */
  run_for(it.engine, 100 * MS);
  CHECK_EQ(record_times("pull start"), 1);
  record_clear();
  CHECK_OK(msdk_instance_release(producer)); /* while started: stopped first */
  record_expect("pull", "produce", "stop release");
  msdk_instance_release(producer);
  msdk_instance_destroy(producer);
  msdk_instance_destroy(producer);
  record_expect("pull", "produce", "stop release destroy");
  call_close(&it);
}

static void attaching_checks_who_is_who(void) {
  call it = call_with_module();
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.pull"), *sink = instance_of(it.engine, "org.mediasdk.test.sink");
  msdk_outgoing_video *second = NULL;
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &second));
  CHECK(msdk_outgoing_video_attach_producer(it.outgoing, sink) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "producer");
  CHECK(msdk_outgoing_video_attach_renderer(it.outgoing, producer, NULL) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "renderer");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  CHECK(msdk_outgoing_video_attach_producer(second, producer) < 0); /* at two streams at once */
  CHECK_OK(msdk_outgoing_video_detach_producer(it.outgoing));
  CHECK_OK(msdk_outgoing_video_attach_producer(second, producer));
  msdk_outgoing_video_destroy(second);
  msdk_instance_destroy(sink);
  msdk_instance_destroy(producer);
  call_close(&it);
}

/* Time spent is real, time between frames the virtual clock's: a frame of 1/30 s leaves 16.7 ms. */
static int slow_events(call *it, msdk_instance *producer, int takes_ms) {
  int events = 0;
  produce_takes_ms = takes_ms;
  run_for(it->engine, 2500 * MS); /* looked at second by second */
  produce_takes_ms = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it->alice, 0, &event) < 0) return events;
    if (event.type != MSDK_EVENT_PLUGIN || event.instance != producer) continue;
    events++;
    CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_SLOW);
    CHECK_EQ(event.status, MSDK_OK);
    CHECK_STR_CONTAINS(event.text, "org.mediasdk.test.pull takes ");
    CHECK_STR_CONTAINS(event.text, "33.3 ms between two frames");
  }
}

static void a_slow_producer_is_reported(void) {
  call it = call_with_module();
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.pull");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  if (!under_tools()) CHECK_EQ(slow_events(&it, producer, 0), 0);
  CHECK_EQ(slow_events(&it, producer, 20), 1);
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_STARTED); /* it goes on */
  msdk_instance_destroy(producer);
  call_close(&it);
}

/* NV12 is all that the class makes; the stream has BGRA. */
static void another_pixel_format_is_converted(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_BGRA, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_engine_register_module(it.engine, &test_module));
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.test.pull");
  produces_only = MSDK_PIXEL_NV12;
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  run_for(it.engine, 500 * MS);
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_incoming_video_read(it.incoming, 0, &frame));
  if (frame != NULL) {
    CHECK_EQ(frame->format->pixel_format, MSDK_PIXEL_BGRA);
    CHECK_EQ(frame->format->width, 64);
    msdk_video_frame_unref(frame);
  }
  check_outcomes_add_up(it.outgoing);
  msdk_instance_destroy(producer);
  produces_only = 0;
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(registering_twice_is_refused);
  RUN(a_pull_producer_is_paced);
  RUN(the_order_of_calls);
  RUN(destroying_the_stream_takes_the_producer_down);
  RUN(failures_surface);
  RUN(a_producer_s_formats);
  RUN(wrong_order_never_reaches_the_class);
  RUN(attaching_checks_who_is_who);
  RUN(a_slow_producer_is_reported);
  RUN(another_pixel_format_is_converted);
  return check_finish();
}
