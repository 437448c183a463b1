/* plugin.h, MSDK_PRODUCER_ENCODED: producers whose frames come encoded, and the streams that take them. */
#include "ivf.h"
#include "sending.h"

#include <pthread.h>

static ivf_clip clip;
static const char *plugins;

/* ------------------------------------------------------------------------------------------------------------- the classes */

/* Cameras that encode: what they make is the clip, which begins anew with a key frame when one is requested. */
struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  msdk_video_format format;
  uint32_t next;
  pthread_t pusher;
};

static struct {
  atomic_int requests, starts, pushed, closed, refused;
  uint32_t width;      /* that set_format accepts; 0: any */
  uint32_t ends_after; /* frames; 0: never */
  int is_damaged;
  msdk_result request; /* what request_key_frame returns */
} camera;

static void camera_clear(void) {
  memset(&camera, 0, sizeof camera);
}

static msdk_result camera_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  CHECK(MSDK_CAN(host, msdk_host, encoded_frame_create) && MSDK_CAN(host, msdk_host, consume_encoded_frame));
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  (self->host = host, self->context = context);
  self->format = format_of(MSDK_PIXEL_I420, 1280, 720, 25);
  *out = self;
  return MSDK_OK;
}
static void camera_destroy(msdk_self *self) { free(self); }
static msdk_result camera_succeed(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result camera_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}
static msdk_result camera_set_format(msdk_self *self, const msdk_video_format *format) {
  if (camera.width != 0 && format->width != camera.width) return MSDK_E_FORMAT;
  self->format = *format;
  return MSDK_OK;
}
static msdk_result camera_start(msdk_self *self) {
  atomic_fetch_add(&camera.starts, 1);
  self->next = 0;
  return MSDK_OK;
}

static msdk_result camera_make(msdk_self *self, msdk_encoded_frame **out) {
  const ivf_frame *one = &clip.frame[self->next % clip.count];
  static const uint8_t damage[20] = {0xFE, 0xFF, 0xFF, 0xFF};
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.data = camera.is_damaged ? damage : one->data;
  frame.size = camera.is_damaged ? sizeof damage : one->size;
  frame.width = 7; /* what it says of itself is not what counts */
  frame.flags = MSDK_ENCODED_KEY;
  msdk_result result = self->host->encoded_frame_create(self->context, &frame, out);
  if (result >= 0) self->next++;
  return result;
}

static msdk_result camera_produce(msdk_self *self, int64_t due_ns, msdk_encoded_frame **out) {
  CHECK(due_ns > 0);
  return camera.ends_after != 0 && self->next == camera.ends_after ? MSDK_E_CLOSED : camera_make(self, out);
}

static msdk_result camera_request(msdk_self *self) {
  atomic_fetch_add(&camera.requests, 1);
  self->next = 0;
  return camera.request;
}

static void *camera_push(void *argument) {
  msdk_self *self = argument;
  for (;;) {
    msdk_encoded_frame *frame = NULL;
    if (camera_make(self, &frame) < 0) return NULL;
    msdk_result result = self->host->consume_encoded_frame(self->context, frame);
    atomic_fetch_add(result >= 0 ? &camera.pushed : result == MSDK_E_CLOSED ? &camera.closed : &camera.refused, 1);
    if (result == MSDK_E_CLOSED) return NULL;
    sleep_ms(5);
  }
}
static msdk_result push_start(msdk_self *self) {
  self->next = 0;
  return pthread_create(&self->pusher, NULL, camera_push, self) == 0 ? MSDK_OK : MSDK_E_NOMEM;
}
static msdk_result push_stop(msdk_self *self) {
  pthread_join(self->pusher, NULL);
  return MSDK_OK;
}

#define CAMERA                                                                                                                        \
  .struct_size = sizeof(msdk_video_producer), .init_capture = camera_succeed, .release_capture = camera_succeed,                     \
  .capture_settings = camera_settings, .set_format = camera_set_format, .codec = MSDK_CODEC_VP8
static const msdk_video_producer pull_table = {CAMERA, .flags = MSDK_PRODUCER_PULL | MSDK_PRODUCER_ENCODED, .start_capture = camera_start,
  .stop_capture = camera_succeed, .produce_encoded_frame = camera_produce, .request_key_frame = camera_request};
static const msdk_video_producer push_table = {CAMERA, .flags = MSDK_PRODUCER_ENCODED, .start_capture = push_start, .stop_capture = push_stop};
#define CAMERA_CLASS(NAME, TABLE)                                                                                                   \
  {.struct_size = sizeof(msdk_class), .id = "org.mediasdk.test." NAME, .kinds = MSDK_KIND_VIDEO_PRODUCER, .create = camera_create,  \
    .destroy = camera_destroy, .video_producer = &TABLE}
static const msdk_class camera_classes[] = {CAMERA_CLASS("camera", pull_table), CAMERA_CLASS("push_camera", push_table)};
static const msdk_class *const camera_list[] = {&camera_classes[0], &camera_classes[1]};
static const msdk_module camera_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = camera_list, .class_count = MSDK_COUNT(camera_list)};

/* --------------------------------------------------------------------------------------------------------------- the stage */

static msdk_instance *instance_made(msdk_engine *engine, const char *id, uint32_t isolation) {
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = isolation;
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, id, &options, &instance));
  return instance;
}

static call stage_within(uint32_t limits, uint32_t clock, uint32_t width, uint32_t height) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, width, height, 25);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = 1;
  options.limits = limits;
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = MSDK_OUTPUT_ENCODED;
  call it = call_open(clock, &options, &receive);
  CHECK_OK(msdk_engine_register_module(it.engine, &camera_module));
  CHECK_OK(msdk_engine_add_plugin_dir(it.engine, plugins, NULL));
  camera_clear();
  return it;
}

static call stage(uint32_t clock, uint32_t width, uint32_t height) { return stage_within(MSDK_LIMITS_EXTENDED, clock, width, height); }

/* What bob received is the clip from there on; returns how many frames came. */
static uint32_t received(call *it, uint32_t first, int64_t *last) {
  uint32_t count = 0;
  msdk_encoded_frame *frame = NULL;
  while (msdk_incoming_video_read_encoded(it->incoming, 0, &frame) >= 0) {
    const ivf_frame *same = &clip.frame[(first + count++) % clip.count];
    CHECK(frame->size == same->size && memcmp(frame->data, same->data, same->size) == 0);
    CHECK_EQ(frame->codec, MSDK_CODEC_VP8);
    CHECK_EQ((frame->flags & MSDK_ENCODED_KEY) != 0, (same->data[0] & 1) == 0);
    CHECK(frame->width == 1280 && frame->height == 720);
    if (*last != 0) CHECK_RANGE(frame->timestamp_ns - *last, SECOND / 25 - 2, SECOND / 25 + 2);
    *last = frame->timestamp_ns;
    CHECK_OK(msdk_encoded_frame_unref(frame));
  }
  return count;
}

static uint32_t run_and_receive(call *it, int64_t duration, uint32_t first, int64_t *last) {
  uint32_t count = 0;
  for (int64_t passed = 0; passed < duration; passed += 20 * MS) {
    run_for(it->engine, 20 * MS);
    count += received(it, first + count, last);
  }
  return count;
}

/* ------------------------------------------------------------------------------------------------------------------- cases */

static void what_a_camera_makes_is_sent_as_it_is(void) {
  call it = stage(MSDK_CLOCK_VIRTUAL, 1280, 720);
  msdk_instance *producer = instance_made(it.engine, "org.mediasdk.test.camera", 0);
  int64_t last = 0;
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  uint32_t count = run_and_receive(&it, 2 * SECOND, 0, &last);
  CHECK_RANGE(count, 50, 51);
  check_outcomes_add_up(it.outgoing);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  run_for(it.engine, MS);
  CHECK_EQ(atomic_load(&camera.starts), 1);
  call_close(&it);
}

static void a_receiver_s_request_reaches_the_producer(void) {
  static const msdk_result answers[] = {MSDK_OK, MSDK_E_UNSUPPORTED};
  for (int i = 0; i < 2; i++) {
    call it = stage(MSDK_CLOCK_VIRTUAL, 1280, 720);
    camera.request = answers[i];
    msdk_instance *producer = instance_made(it.engine, "org.mediasdk.test.camera", 0);
    int64_t last = 0;
    CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
    run_and_receive(&it, SECOND / 5, 0, &last);
    CHECK_EQ(atomic_load(&camera.requests), 0); /* it begins with one by itself */
    CHECK_OK(msdk_incoming_video_request_key_frame(it.incoming));
    run_for(it.engine, MS);
    CHECK_EQ(atomic_load(&camera.requests), 1);
    CHECK_RANGE(run_and_receive(&it, SECOND / 5, 0, &last), 4, 6); /* from the key frame on */
    CHECK_OK(msdk_outgoing_video_request_key_frame(it.outgoing)); /* the program may, too */
    run_for(it.engine, MS);
    CHECK_EQ(atomic_load(&camera.requests), 2);
    msdk_event event;
    if (event_take(it.alice, MSDK_EVENT_PLUGIN, &event)) CHECK(event.value != MSDK_PLUGIN_EVENT_ERROR);
    call_close(&it);
  }
}

static void only_the_stream_that_takes_it_accepts_it(void) {
  call it = stage(MSDK_CLOCK_VIRTUAL, 1280, 720);
  msdk_instance *producer = instance_made(it.engine, "org.mediasdk.test.camera", 0);
  msdk_instance *raw = instance_made(it.engine, "org.mediasdk.producer.testpattern", 0);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 1280, 720, 25);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  msdk_outgoing_video *encoding = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &encoding));
  CHECK_ERROR(msdk_outgoing_video_attach_producer(encoding, producer), MSDK_E_UNSUPPORTED, "encoded_input");
  CHECK_ERROR(msdk_outgoing_video_attach_producer(it.outgoing, raw), MSDK_E_UNSUPPORTED, "MSDK_PRODUCER_ENCODED");
  CHECK_ERROR(msdk_instance_start_pull(producer, NULL, NULL), MSDK_E_UNSUPPORTED, "VP80; accepted: a producer of raw frames");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer)); /* nothing of this attached it */
  CHECK_OK(msdk_outgoing_video_attach_producer(encoding, raw));
  call_close(&it);
}

/* Sizes follow the key frames, within what was declared. */
static void another_size_is_an_error_of_the_producer(void) {
  for (int is_said = 0; is_said < 2; is_said++) {
    call it = stage_within(MSDK_LIMITS_CONFERENCE, MSDK_CLOCK_VIRTUAL, 640, 360);
    if (is_said) camera.width = 1280;
    msdk_instance *producer = instance_made(it.engine, "org.mediasdk.test.camera", 0);
    msdk_event event = MSDK_INIT(msdk_event);
    CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
    run_for(it.engine, SECOND);
    CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_PLUGIN, &event));
    CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_ERROR);
    CHECK_EQ(event.status, MSDK_E_FORMAT);
    if (!is_said) CHECK_STR_CONTAINS(event.text, "1280x720");
    call_close(&it);
  }
}

static void what_is_no_frame_of_the_codec_ends_it(void) {
  call it = stage(MSDK_CLOCK_VIRTUAL, 1280, 720);
  camera.is_damaged = 1;
  msdk_instance *producer = instance_made(it.engine, "org.mediasdk.test.camera", 0);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_PLUGIN, &event));
  CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_ERROR);
  CHECK_EQ(event.status, MSDK_E_CORRUPT);
  call_close(&it);
}

static void the_end(void) {
  call it = stage(MSDK_CLOCK_VIRTUAL, 1280, 720);
  camera.ends_after = 10;
  msdk_instance *producer = instance_made(it.engine, "org.mediasdk.test.camera", 0);
  msdk_event event = MSDK_INIT(msdk_event);
  int64_t last = 0;
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  CHECK_EQ(run_and_receive(&it, SECOND, 0, &last), 10);
  CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_PLUGIN, &event));
  CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_ENDED);
  call_close(&it);
}

static void a_push_producer_delivers(void) {
  call it = stage(MSDK_CLOCK_SYSTEM, 1280, 720);
  msdk_instance *producer = instance_made(it.engine, "org.mediasdk.test.push_camera", 0);
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  for (uint32_t i = 0; i < 10; i++) {
    msdk_encoded_frame *frame = NULL;
    if (!CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 60000, &frame))) break;
    if (i == 0) CHECK(frame->flags & MSDK_ENCODED_KEY);
    CHECK_OK(msdk_encoded_frame_unref(frame));
  }
  CHECK_OK(msdk_outgoing_video_detach_producer(it.outgoing));
  CHECK(atomic_load(&camera.pushed) >= 10);
  CHECK_EQ(atomic_load(&camera.closed), 1);
  CHECK_EQ(atomic_load(&camera.refused), 0);
  call_close(&it);
}

/* The shipped class passes the file through, in this process and in one of its own. */
static void a_file_is_passed_through_in(uint32_t isolation) {
  call it = stage(MSDK_CLOCK_VIRTUAL, 1280, 720);
  msdk_instance *producer = instance_made(it.engine, "org.mediasdk.producer.packets", isolation);
  char path[4096];
  snprintf(path, sizeof path, "%s/bunny-720p25.ivf", getenv("MSDK_TEST_MEDIA"));
  CHECK_OK(msdk_instance_set_param_text(producer, "path", path));
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_OK(msdk_instance_format_at(producer, 0, &format));
  CHECK(format.width == 1280 && format.height == 720 && format.fps_num == 25);
  int64_t last = 0;
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  uint32_t count = run_and_receive(&it, (int64_t)clip.count * SECOND / 25 + SECOND, 0, &last);
  CHECK_EQ(count, clip.count);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_PLUGIN, &event));
  CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_ENDED);
  CHECK_EQ(incoming_stats(it.incoming).frames_decoded, 0);
  call_close(&it);
}
static void a_file_is_passed_through(void) { a_file_is_passed_through_in(MSDK_ISOLATION_NONE); }
static void a_file_is_passed_through_isolated(void) { a_file_is_passed_through_in(MSDK_ISOLATION_PROCESS); }

/* A producer's table says both or neither. */
static void tables_are_checked(void) {
  msdk_video_producer no_codec = push_table;
  no_codec.codec = 0;
  static const msdk_video_producer no_flag = {CAMERA, .start_capture = camera_start, .stop_capture = camera_succeed};
  static const msdk_video_producer no_produce = {
    CAMERA, .flags = MSDK_PRODUCER_PULL | MSDK_PRODUCER_ENCODED, .start_capture = camera_start, .stop_capture = camera_succeed};
  const struct { const msdk_video_producer *table; const char *word; } cases[] = {
    {&no_codec, "MSDK_PRODUCER_ENCODED"}, {&no_flag, "MSDK_PRODUCER_ENCODED"}, {&no_produce, "produce_encoded_frame"}};
  for (size_t i = 0; i < MSDK_COUNT(cases); i++) {
    msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
    msdk_class type = camera_classes[0];
    const msdk_class *const list[] = {&type};
    msdk_module module = camera_module;
    type.video_producer = cases[i].table;
    (module.classes = list, module.class_count = 1);
    CHECK_ERROR(msdk_engine_register_module(engine, &module), MSDK_E_ABI, cases[i].word);
    msdk_engine_destroy(engine);
  }
}

int main(int argc, char **argv) {
  plugins = getenv("MSDK_PLUGIN_DIR");
  CHECK(ivf_open(&clip));
  RUN(what_a_camera_makes_is_sent_as_it_is);
  RUN(a_receiver_s_request_reaches_the_producer);
  RUN(only_the_stream_that_takes_it_accepts_it);
  RUN(another_size_is_an_error_of_the_producer);
  RUN(what_is_no_frame_of_the_codec_ends_it);
  RUN(the_end);
  RUN(a_push_producer_delivers);
  RUN(a_file_is_passed_through);
  if (getenv("MSDK_TEST_PLUGIN_HOST") == NULL) RUN(a_file_is_passed_through_isolated); /* a sanitizer's library with a host of none */
  RUN(tables_are_checked);
  ivf_close(&clip);
  return check_finish();
}
