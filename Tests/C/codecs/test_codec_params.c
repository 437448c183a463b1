/* Parameters of codecs, which a program sets for the instances that streams make: a module of the test's own that writes down what it was told. */
#include "codec_classes.h"
#include "sending.h"

#define TUNED UINT32_C(0x454E5554) /* 'TUNE' */

#define CHECK_TOLD(actual, expected) CHECK(strcmp((actual), (expected)) == 0)

static char told[256];
static atomic_int refuses;

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  char line[64] = "";
  if (atomic_load(&refuses)) return toy_fail(self, MSDK_E_DEVICE_LOST, "the dial is stuck");
  if (strcmp(name, "depth") == 0) snprintf(line, sizeof line, "depth=%d ", (int)value->u.i32);
  else if (strcmp(name, "tune") == 0) snprintf(line, sizeof line, "tune=%s ", value->u.str);
  strncat(told, line, sizeof told - strlen(told) - 1);
  return MSDK_OK;
}

static msdk_result open_tuned(msdk_self *self, const msdk_video_encoder_settings *settings) {
  strncat(told, "open ", sizeof told - strlen(told) - 1);
  return toy_open_encoder(self, settings);
}

static const char *const tunes[] = {"film", "text"};
static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .name = "depth", .def = MSDK_I32(3), .min = MSDK_I32(1), .max = MSDK_I32(9)},
  {.struct_size = sizeof(msdk_param), .name = "tune", .def = MSDK_STRING("film"), .choices = tunes, .choice_count = MSDK_COUNT(tunes)},
  {.struct_size = sizeof(msdk_param), .name = "frames", .flags = MSDK_PARAM_READONLY, .def = {.type = MSDK_T_I32}},
};

static msdk_video_encoder encoder;
static msdk_class tuned;
static const msdk_class *classes[1];
static msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests"};

static msdk_engine *tuned_engine(void) {
  toy_reset();
  told[0] = 0;
  encoder = toy_video_encoder;
  encoder.codec = TUNED;
  encoder.open_encoder = open_tuned;
  tuned = toy_video_class;
  tuned.id = "test.codec.tuned";
  tuned.kinds = MSDK_KIND_VIDEO_ENCODER;
  tuned.video_encoder = &encoder;
  tuned.video_decoder = NULL;
  tuned.set_param = set_param;
  tuned.params = params;
  tuned.param_count = MSDK_COUNT(params);
  classes[0] = &tuned;
  module.classes = classes, module.class_count = MSDK_COUNT(classes);
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &module));
  return engine;
}

/* What the codec was told for one start of a stream. */
static const char *start(msdk_engine *engine) {
  told[0] = 0;
  call it = {.engine = engine};
  snprintf(it.url, sizeof it.url, "%s", room_new());
  it.alice = join(engine, it.url, "alice");
  it.bob = join(engine, it.url, "bob");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(TUNED, &format, 1);
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = MSDK_OUTPUT_ENCODED;
  if (call_offer(&it, &options) && CHECK_OK(msdk_incoming_video_start(it.incoming, &receive))) {
    run_for(engine, 10 * MS);
    CHECK_OK(send_picture(it.sender, 1, 0, NULL));
    run_for(engine, 40 * MS);
    if (atomic_load(&refuses)) {
      msdk_event event;
      uint32_t state = 0;
      CHECK_OK(msdk_outgoing_video_get_state(it.outgoing, &state));
      CHECK_EQ(state, MSDK_OUTGOING_FAILED);
      int found = 0;
      while (!found && event_wait(engine, it.alice, MSDK_EVENT_OUTGOING_VIDEO_STATE, &event)) found = event.state == MSDK_OUTGOING_FAILED;
      CHECK(found && event.status == MSDK_E_DEVICE_LOST && strstr(event.text, "the dial is stuck") != NULL);
    } else {
      CHECK_EQ(outgoing_stats(it.outgoing).frames_encoded, 1);
    }
  }
  msdk_outgoing_video_destroy(it.outgoing);
  msdk_session_destroy(it.alice);
  msdk_session_destroy(it.bob);
  return told;
}

static void instances_are_told(void) {
  msdk_engine *engine = tuned_engine();
  CHECK_TOLD(start(engine), "open ");
  msdk_value depth = {.type = MSDK_T_I64, .u.i64 = 7}; /* another width that fits */
  CHECK_OK(msdk_engine_set_codec_param(engine, "test.codec.tuned", "depth", &depth));
  CHECK_OK(msdk_engine_set_codec_param_text(engine, "test.codec.tuned", "tune", "text"));
  CHECK_TOLD(start(engine), "depth=7 tune=text open ");
  /* The last that was set comes last. */
  CHECK_OK(msdk_engine_set_codec_param_text(engine, "test.codec.tuned", "depth", "2"));
  CHECK_TOLD(start(engine), "tune=text depth=2 open ");
  CHECK_OK(msdk_engine_set_codec_param(engine, "test.codec.tuned", "tune", NULL));
  CHECK_TOLD(start(engine), "depth=2 open ");
  CHECK_OK(msdk_engine_set_codec_param_text(engine, "test.codec.tuned", "depth", NULL));
  CHECK_TOLD(start(engine), "open ");
  msdk_engine_destroy(engine);
  toy_check_gone();
}

/* Another engine's codecs are not told. */
static void each_engine_has_its_own(void) {
  msdk_engine *engine = tuned_engine(), *other = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(other, &module));
  CHECK_OK(msdk_engine_set_codec_param_text(other, "test.codec.tuned", "depth", "2"));
  CHECK_TOLD(start(engine), "open ");
  CHECK_TOLD(start(other), "depth=2 open ");
  msdk_engine_destroy(engine);
  msdk_engine_destroy(other);
}

static void what_the_plugin_refuses_fails_the_stream(void) {
  msdk_engine *engine = tuned_engine();
  CHECK_OK(msdk_engine_set_codec_param_text(engine, "test.codec.tuned", "depth", "2"));
  atomic_store(&refuses, 1);
  CHECK_TOLD(start(engine), "");
  atomic_store(&refuses, 0);
  CHECK_TOLD(start(engine), "depth=2 open ");
  msdk_engine_destroy(engine);
  toy_check_gone();
}

static msdk_result producer_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  (void)host, (void)context, (void)out;
  return MSDK_E_UNSUPPORTED;
}
static void producer_destroy(msdk_self *self) { (void)self; }
static msdk_result producer_call(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}
static msdk_result producer_format(msdk_self *self, const msdk_video_format *format) {
  (void)self, (void)format;
  return MSDK_OK;
}

static void bad_input_is_refused(void) {
  static const msdk_video_producer producer = {
    .struct_size = sizeof(msdk_video_producer), .init_capture = producer_call, .release_capture = producer_call, .start_capture = producer_call,
    .stop_capture = producer_call, .set_format = producer_format};
  static const msdk_class no_codec = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_PRODUCER, .id = "test.no.codec",
                                      .create = producer_create, .destroy = producer_destroy, .video_producer = &producer};
  static const msdk_class *const others[] = {&no_codec};
  static const msdk_module other = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = others, .class_count = MSDK_COUNT(others)};
  msdk_engine *engine = tuned_engine();
  CHECK_OK(msdk_engine_register_module(engine, &other));
  const char *id = "test.codec.tuned";
  msdk_value value = {.type = MSDK_T_I32, .u.i32 = 10};
  CHECK_ERROR(msdk_engine_set_codec_param(engine, id, "depth", &value), MSDK_E_RANGE, "1");
  value = (msdk_value){.type = MSDK_T_BOOL, .u.b = 1};
  CHECK_ERROR(msdk_engine_set_codec_param(engine, id, "depth", &value), MSDK_E_TYPE, "depth");
  value = (msdk_value){.type = MSDK_T_STRING, .u.str = NULL};
  CHECK_ERROR(msdk_engine_set_codec_param(engine, id, "tune", &value), MSDK_E_INVALID, "tune");
  CHECK_ERROR(msdk_engine_set_codec_param_text(engine, id, "tune", "\xff\xfe"), MSDK_E_INVALID, "text");
  CHECK_ERROR(msdk_engine_set_codec_param_text(engine, id, "tune", "song"), MSDK_E_RANGE, "film, text");
  CHECK_ERROR(msdk_engine_set_codec_param_text(engine, id, "depth", "deep"), MSDK_E_TYPE, "depth");
  CHECK_ERROR(msdk_engine_set_codec_param_text(engine, id, "frames", "1"), MSDK_E_PERMISSION, "read-only");
  CHECK_ERROR(msdk_engine_set_codec_param_text(engine, id, "frames", NULL), MSDK_E_PERMISSION, "read-only");
  CHECK_ERROR(msdk_engine_set_codec_param_text(engine, id, "width", "1"), MSDK_E_NOT_FOUND, "depth, tune, frames");
  CHECK_ERROR(msdk_engine_set_codec_param(engine, "test.codec.none", "depth", NULL), MSDK_E_NOT_FOUND, "test.codec.tuned");
  CHECK_ERROR(msdk_engine_set_codec_param_text(engine, "test.no.codec", "depth", "1"), MSDK_E_UNSUPPORTED, "not a codec");
  CHECK_ERROR(msdk_engine_set_codec_param_text(engine, "org.mediasdk.vp8", "depth", "1"), MSDK_E_NOT_FOUND, "none");
  CHECK_ERROR(msdk_engine_set_codec_param(engine, NULL, "depth", NULL), MSDK_E_INVALID, "class_id");
  CHECK_ERROR(msdk_engine_set_codec_param(engine, id, NULL, NULL), MSDK_E_INVALID, "name");
  CHECK_EQ(msdk_engine_set_codec_param(NULL, id, "depth", NULL), MSDK_E_HANDLE);
  CHECK_TOLD(start(engine), "open "); /* nothing of that was kept */
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(instances_are_told);
  RUN(each_engine_has_its_own);
  RUN(what_the_plugin_refuses_fails_the_stream);
  RUN(bad_input_is_refused);
  return check_finish();
}
