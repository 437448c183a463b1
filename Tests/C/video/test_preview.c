/* One's own video is seen before a call, without one and after it; and a producer that changes its size. */
#include "sending.h"
#include "test_classes.h"

typedef struct mirror {
  call call;
  msdk_instance *producer, *sink;
} mirror;

/* A stream of nobody's yet. */
static mirror mirror_open(uint32_t codec, uint32_t limits, const msdk_video_format *formats, uint32_t count) {
  mirror it = {.call = call_join(MSDK_CLOCK_VIRTUAL)};
  msdk_outgoing_video_options options = outgoing_options(codec, formats, count);
  options.limits = limits;
  record_clear();
  sight_sink = sight_filter = (class_sight){0};
  CHECK_OK(msdk_engine_register_module(it.call.engine, &test_module));
  CHECK_OK(msdk_outgoing_video_create(it.call.engine, &options, &it.call.outgoing));
  it.producer = instance_of(it.call.engine, "org.mediasdk.test.pull");
  it.sink = instance_of(it.call.engine, "org.mediasdk.test.sink");
  return it;
}

static void mirror_close(mirror *it) {
  msdk_instance_destroy(it->producer);
  msdk_instance_destroy(it->sink);
  call_close(&it->call);
}

static int shown(void) { return atomic_exchange(&sight_sink.frames, 0); }

static int is_running(const mirror *it) { return state_of(it->producer, MSDK_KIND_VIDEO_PRODUCER) == MSDK_INSTANCE_STARTED; }

static void a_producer_is_seen_without_a_call(uint32_t codec) {
  msdk_video_format formats[] = {format_of(MSDK_PIXEL_NV12, 64, 48, 30), format_of(MSDK_PIXEL_NV12, 32, 24, 30)};
  for (int renderer_first = 0; renderer_first < 2; renderer_first++) {
    mirror it = mirror_open(codec, MSDK_LIMITS_EXTENDED, formats, 2);
    msdk_engine *engine = it.call.engine;
    msdk_event event = MSDK_INIT(msdk_event);
    if (!renderer_first) {
      CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.producer));
      run_for(engine, SECOND);
      CHECK(!is_running(&it)); /* for nobody */
    }
    CHECK_OK(msdk_outgoing_video_attach_renderer(it.call.outgoing, it.sink, NULL));
    if (renderer_first) CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.producer));
    run_for(engine, 2 * SECOND);
    CHECK_RANGE(shown(), 59, 61);
    CHECK_EQ(atomic_load(&sight_sink.last_width), 64); /* the best format */
    msdk_outgoing_video_info info = MSDK_INIT(msdk_outgoing_video_info);
    CHECK_OK(msdk_outgoing_video_get_info(it.call.outgoing, &info));
    CHECK_EQ(info.state, MSDK_OUTGOING_NONE);
    CHECK_EQ(info.format.width, 64);
    /* The call begins and ends, and nobody notices in the mirror. */
    msdk_frame_sender *sender = NULL;
    CHECK_OK(msdk_outgoing_video_get_sender(it.call.outgoing, &sender));
    CHECK_OK(msdk_session_start_video(it.call.alice, it.call.outgoing));
    CHECK(event_wait(engine, it.call.alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event));
    CHECK(event.sender == sender);
    run_for(engine, SECOND);
    CHECK_RANGE(shown(), 29, 31);
    CHECK_OK(msdk_session_stop_video(it.call.alice, it.call.outgoing));
    run_for(engine, SECOND);
    CHECK_RANGE(shown(), 29, 31);
    CHECK_OK(msdk_session_start_video(it.call.alice, it.call.outgoing)); /* and by leaving */
    CHECK_OK(msdk_session_disconnect(it.call.alice));
    run_for(engine, SECOND);
    CHECK_RANGE(shown(), 29, 31);
    record_expect("pull", "formats settings", "create init set_format start produce"); /* it was started once */
    msdk_outgoing_video_stats stats = outgoing_stats(it.call.outgoing);
    CHECK(stats.frames_dropped > 0);
    check_outcomes_add_up(it.call.outgoing);
    CHECK_OK(msdk_outgoing_video_detach_renderer(it.call.outgoing, it.sink));
    run_for(engine, 10 * MS);
    CHECK(!is_running(&it));
    CHECK_RESULT(msdk_outgoing_video_get_sender(it.call.outgoing, &sender), MSDK_E_STATE);
    mirror_close(&it);
  }
}

static void raw_without_a_call(void) { a_producer_is_seen_without_a_call(MSDK_CODEC_RAW); }
static void encoded_without_a_call(void) { a_producer_is_seen_without_a_call(MSDK_CODEC_VP8); }

/* The mirror is closed, or breaks: the camera goes off. */
static void a_renderer_that_goes_by_itself(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  for (int fails = 0; fails < 2; fails++) {
    mirror it = mirror_open(MSDK_CODEC_RAW, MSDK_LIMITS_EXTENDED, &format, 1);
    CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.producer));
    CHECK_OK(msdk_outgoing_video_attach_renderer(it.call.outgoing, it.sink, NULL));
    run_for(it.call.engine, SECOND);
    CHECK(is_running(&it));
    if (fails) {
      CHECK_OK(msdk_instance_set_param_text(it.sink, "fail", "render"));
    } else {
      msdk_instance_destroy(it.sink);
      it.sink = NULL;
    }
    run_for(it.call.engine, SECOND);
    CHECK(!is_running(&it));
    mirror_close(&it);
  }
}

static void frames_of_the_program_are_seen(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  mirror it = mirror_open(MSDK_CODEC_VP8, MSDK_LIMITS_EXTENDED, &format, 1);
  outcomes counted = {0};
  CHECK_RESULT(msdk_outgoing_video_get_sender(it.call.outgoing, &it.call.sender), MSDK_E_STATE);
  CHECK_OK(msdk_outgoing_video_attach_renderer(it.call.outgoing, it.sink, NULL));
  CHECK_OK(msdk_outgoing_video_get_sender(it.call.outgoing, &it.call.sender));
  send_film(&it.call, 0, 30, SECOND / 30, &counted);
  CHECK_EQ(shown(), 30);
  CHECK_EQ(counted.calls, 30);
  CHECK_EQ(counted.by_reason[MSDK_DROP_NOT_CONNECTED], 30);
  for (uint32_t i = 0; i < 60; i++) CHECK_OK(send_picture(it.call.sender, i, 0, &counted)); /* the rate is enforced here, too */
  run_for(it.call.engine, SECOND);
  CHECK(counted.by_reason[MSDK_DROP_PACED] >= 50);
  CHECK_EQ(counted.calls, 90);
  CHECK_OK(msdk_outgoing_video_detach_renderer(it.call.outgoing, it.sink));
  CHECK_RESULT(send_picture(it.call.sender, 0, 0, &counted), MSDK_E_STATE);
  CHECK_EQ(counted.calls, 90);
  mirror_close(&it);
}

static void a_stream_that_is_destroyed_while_it_is_seen(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  mirror it = mirror_open(MSDK_CODEC_VP8, MSDK_LIMITS_EXTENDED, &format, 1);
  msdk_frame_sender *sender = NULL;
  CHECK_OK(msdk_outgoing_video_attach_renderer(it.call.outgoing, it.sink, NULL));
  CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.producer));
  CHECK_OK(msdk_outgoing_video_get_sender(it.call.outgoing, &sender));
  run_for(it.call.engine, SECOND);
  msdk_outgoing_video_destroy(it.call.outgoing);
  it.call.outgoing = NULL;
  CHECK(!is_running(&it));
  CHECK_RESULT(send_picture(sender, 0, 0, NULL), MSDK_E_HANDLE);
  mirror_close(&it);
}

/* ------------------------------------------------------------------------------------------------------------- another size */

/* A camera that makes one size only: the one in which it is held. */
typedef struct phone_state {
  const msdk_host *host;
  msdk_host_context *context;
  uint32_t width, height;
  int strict, starts;
} phone_state;
static phone_state phone;

static msdk_result phone_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  phone.host = host;
  phone.context = context;
  return self_create("phone", host, context, out);
}

static msdk_result phone_settings(msdk_self *self, msdk_video_format *out) {
  *out = self_format(self, 0);
  out->width = phone.width;
  out->height = phone.height;
  return MSDK_OK;
}

static msdk_result phone_set_format(msdk_self *self, const msdk_video_format *format) {
  if (phone.strict && (format->width != phone.width || format->height != phone.height)) return MSDK_E_FORMAT;
  self->format = *format;
  return MSDK_OK;
}

static msdk_result phone_start(msdk_self *self) {
  phone.starts++;
  return control(self, "start");
}

static const msdk_video_producer phone_table = {
  .struct_size = sizeof(msdk_video_producer), .flags = MSDK_PRODUCER_PULL, .init_capture = capture_init, .release_capture = capture_release,
  .capture_settings = phone_settings, .set_format = phone_set_format, .start_capture = phone_start, .stop_capture = capture_stop,
  .produce_frame = capture_produce};
static const msdk_class phone_class = {
  .struct_size = sizeof(msdk_class), .id = "org.mediasdk.test.phone", .name = "phone", .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .create = phone_create, .destroy = self_destroy, .video_producer = &phone_table};
static const msdk_class *const phone_classes[] = {&phone_class};
static const msdk_module phone_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .classes = phone_classes, .class_count = 1};

/* Bob receives what the phone makes. */
static mirror phone_call(uint32_t codec, uint32_t limits, const msdk_video_format *formats, uint32_t count) {
  mirror it = mirror_open(codec, limits, formats, count);
  msdk_event event = MSDK_INIT(msdk_event);
  phone = (phone_state){.width = formats[0].width, .height = formats[0].height, .strict = 1};
  CHECK_OK(msdk_engine_register_module(it.call.engine, &phone_module));
  msdk_instance_destroy(it.producer);
  it.producer = instance_of(it.call.engine, "org.mediasdk.test.phone");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.producer));
  CHECK_OK(msdk_session_start_video(it.call.alice, it.call.outgoing));
  if (CHECK(event_wait(it.call.engine, it.call.bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event))) it.call.incoming = event.incoming_video;
  CHECK_OK(msdk_incoming_video_start(it.call.incoming, NULL));
  run_for(it.call.engine, SECOND);
  event_take(it.call.alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event);
  return it;
}

static void rotate(mirror *it, uint32_t width, uint32_t height) {
  phone.width = width;
  phone.height = height;
  phone.host->post_event(phone.context, MSDK_PLUGIN_EVENT_FORMAT_CHANGED, MSDK_OK, NULL);
  run_for(it->call.engine, SECOND);
}

/* The size that bob's newest frame has. */
static void check_received(mirror *it, uint32_t width, uint32_t height) {
  msdk_video_frame *frame = NULL, *newest = NULL;
  while (msdk_incoming_video_read(it->call.incoming, 0, &frame) >= 0) {
    msdk_video_frame_unref(newest);
    newest = frame;
  }
  if (!CHECK(newest != NULL)) return;
  CHECK_EQ(newest->format->width, width);
  CHECK_EQ(newest->format->height, height);
  msdk_video_frame_unref(newest);
  msdk_incoming_video_stats stats = incoming_stats(it->call.incoming);
  CHECK_EQ(stats.width, width);
  CHECK_EQ(stats.height, height);
}

static void a_phone_that_is_rotated(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 4; i++) {
    msdk_video_format formats[] = {format_of(MSDK_PIXEL_NV12, 128, 64, 30), format_of(MSDK_PIXEL_NV12, 64, 128, 15)};
    int is_declared = i / 2; /* or else within the limits */
    mirror it = phone_call(codecs[i % 2], MSDK_LIMITS_EXTENDED, formats, is_declared ? 2 : 1);
    check_received(&it, 128, 64);
    rotate(&it, 64, 128);
    check_received(&it, 64, 128);
    msdk_event event = MSDK_INIT(msdk_event);
    CHECK(event_take(it.call.alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event));
    CHECK_EQ(event.format.width, 64);
    CHECK_EQ(event.format.height, 128);
    CHECK_EQ(event.format.fps_num, is_declared ? 15 : 30);
    msdk_session *late = join(it.call.engine, it.call.url, "late"); /* who comes now knows the size of now */
    CHECK(event_wait(it.call.engine, late, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
    CHECK_EQ(event.format.width, 64);
    rotate(&it, 128, 64);
    check_received(&it, 128, 64);
    CHECK_EQ(phone.starts, 3);
    rotate(&it, 128, 64); /* no change */
    CHECK_EQ(phone.starts, 3);
    CHECK_OK(msdk_outgoing_video_attach_renderer(it.call.outgoing, it.sink, NULL)); /* and without a call */
    CHECK_OK(msdk_session_stop_video(it.call.alice, it.call.outgoing));
    rotate(&it, 64, 128);
    CHECK_EQ(atomic_load(&sight_sink.last_height), 128);
    msdk_session_destroy(late);
    mirror_close(&it);
  }
}

/* What was not declared, under narrow limits: a producer that scales goes on in the agreed size. */
static void a_size_that_is_not_accepted(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  mirror it = phone_call(MSDK_CODEC_VP8, MSDK_LIMITS_CONFERENCE, &format, 1);
  msdk_event event = MSDK_INIT(msdk_event);
  phone.strict = 0;
  rotate(&it, 240, 320);
  check_received(&it, 320, 240);
  CHECK(event_take(it.call.alice, MSDK_EVENT_PLUGIN, &event));
  CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_FORMAT_CHANGED);
  CHECK_EQ(phone.starts, 1);
  uint32_t state = 0;
  CHECK_OK(msdk_outgoing_video_get_state(it.call.outgoing, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STARTED);
  mirror_close(&it);
}

int main(int argc, char **argv) {
  RUN(raw_without_a_call);
  RUN(encoded_without_a_call);
  RUN(a_renderer_that_goes_by_itself);
  RUN(frames_of_the_program_are_seen);
  RUN(a_stream_that_is_destroyed_while_it_is_seen);
  RUN(a_phone_that_is_rotated);
  RUN(a_size_that_is_not_accepted);
  return check_finish();
}
