/* instance.h, parameters of a class of the program's own: types, widths, ranges, choices, flags, text. */
#include "test_classes.h"

static msdk_engine *engine;
static msdk_instance *instance;

static msdk_result set_i32(const char *name, int32_t number) {
  return msdk_instance_set_param(instance, name, &(msdk_value){.type = MSDK_T_I32, .u.i32 = number});
}
static msdk_result set_i64(const char *name, int64_t number) {
  return msdk_instance_set_param(instance, name, &(msdk_value){.type = MSDK_T_I64, .u.i64 = number});
}
static msdk_result set_u32(const char *name, uint32_t number) {
  return msdk_instance_set_param(instance, name, &(msdk_value){.type = MSDK_T_U32, .u.u32 = number});
}
static msdk_result set_u64(const char *name, uint64_t number) {
  return msdk_instance_set_param(instance, name, &(msdk_value){.type = MSDK_T_U64, .u.u64 = number});
}
static msdk_result set_f64(const char *name, double number) {
  return msdk_instance_set_param(instance, name, &(msdk_value){.type = MSDK_T_F64, .u.f64 = number});
}
static msdk_result set_str(const char *name, const char *text) {
  return msdk_instance_set_param(instance, name, &(msdk_value){.type = MSDK_T_STRING, .u.str = text});
}
static msdk_value get(const char *name) {
  msdk_value value = {0};
  CHECK_OK(msdk_instance_get_param(instance, name, &value, NULL, 0, NULL));
  return value;
}

static void the_list_is_the_class_s(void) {
  msdk_param param = MSDK_INIT(msdk_param);
  CHECK_OK(msdk_engine_class_param_at(engine, "org.mediasdk.test.pull", 2, &param));
  CHECK(strcmp(param.name, "level") == 0);
  CHECK(strcmp(param.summary, "a number") == 0);
  CHECK_EQ(param.def.type, MSDK_T_I32);
  CHECK_EQ(param.def.u.i32, 3);
  CHECK_EQ(param.max.type, MSDK_T_I32);
  CHECK_EQ(param.max.u.i32, 10);
  CHECK_EQ(param.flags, MSDK_PARAM_LIVE);
  param = MSDK_INIT(msdk_param);
  CHECK_OK(msdk_engine_class_param_at(engine, "org.mediasdk.test.pull", 1, &param));
  CHECK(param.choices != NULL && strcmp(param.choices[1], "nv12") == 0 && param.choice_count == 5);
  CHECK_RESULT(msdk_engine_class_param_at(engine, "org.mediasdk.test.pull", 12, &param), MSDK_E_NOT_FOUND);
}

static void defaults_are_there(void) {
  CHECK_EQ(get("level").u.i32, 3);
  CHECK_EQ(get("level").type, MSDK_T_I32);
  CHECK_EQ(get("flag").u.b, 0);
  CHECK_EQ(get("ratio").u.f64, 0);
}

static void types_and_widths(void) {
  CHECK_OK(set_i32("level", 7));
  CHECK_EQ(get("level").u.i32, 7);
  CHECK_OK(set_i64("level", 8)); /* other widths are fine when the number fits */
  CHECK_OK(set_u32("level", 9));
  CHECK_OK(set_u64("level", 10));
  CHECK_EQ(get("level").u.i32, 10);
  CHECK_EQ(get("level").type, MSDK_T_I32);
  CHECK_ERROR(set_f64("level", 5), MSDK_E_TYPE, "level");
  CHECK_ERROR(set_str("level", "5"), MSDK_E_TYPE, "level");
  CHECK_ERROR(msdk_instance_set_param(instance, "level", &(msdk_value){.type = MSDK_T_BOOL, .u.b = 1}), MSDK_E_TYPE, "level");
  CHECK(msdk_instance_set_param(instance, "level", &(msdk_value){.type = MSDK_T_VOID}) < 0);
  CHECK(msdk_instance_set_param(instance, "level", &(msdk_value){.type = 99}) < 0);
  CHECK_OK(set_u64("big", UINT64_MAX));
  CHECK(get("big").u.u64 == UINT64_MAX);
  CHECK(set_i32("big", -1) < 0);
  CHECK_OK(set_i64("wide", INT64_MIN));
  CHECK_EQ(get("wide").u.i64, INT64_MIN);
  CHECK(set_u64("wide", UINT64_MAX) < 0);
  CHECK(set_i64("count", (INT64_C(1) << 32)) < 0);
  CHECK_OK(set_i64("count", UINT32_MAX));
  CHECK_EQ(get("count").u.u32, UINT32_MAX);
  CHECK_OK(msdk_instance_set_param(instance, "flag", &(msdk_value){.type = MSDK_T_BOOL, .u.b = 1}));
  CHECK_EQ(get("flag").u.b, 1);
  CHECK(msdk_instance_set_param(instance, "flag", &(msdk_value){.type = MSDK_T_BOOL, .u.b = 2}) < 0);
  CHECK_ERROR(set_i32("flag", 1), MSDK_E_TYPE, "flag");
}

static void ranges_and_choices(void) {
  CHECK_OK(set_i32("level", 0));
  CHECK_OK(set_i32("level", 10));
  CHECK_ERROR(set_i32("level", 11), MSDK_E_RANGE, "10");
  CHECK_ERROR(set_i32("level", -1), MSDK_E_RANGE, "level");
  CHECK_RESULT(set_i64("level", INT64_MAX), MSDK_E_RANGE);
  CHECK_EQ(get("level").u.i32, 10); /* as before */
  CHECK_OK(set_f64("ratio", -1));
  CHECK_RESULT(set_f64("ratio", 1.0000001), MSDK_E_RANGE);
  volatile double zero = 0;
  CHECK_RESULT(set_f64("ratio", zero / zero), MSDK_E_RANGE);
  CHECK_RESULT(set_f64("ratio", 1 / zero), MSDK_E_RANGE);
  CHECK_OK(set_str("accept", "bgra"));
  CHECK_ERROR(set_str("accept", "yuv"), MSDK_E_RANGE, "bgra"); /* the text lists what is accepted */
  record_clear();
  set_str("accept", "yuv");
  set_i32("level", 99);
  set_f64("level", 1);
  record_expect("pull", "", ""); /* the class was not called */
}

static void text_and_bytes_go_into_the_caller_s_buffer(void) {
  char buffer[16];
  uint64_t needed = 0;
  msdk_value value = {0};
  CHECK_OK(set_str("text", "h\xC3\xA9llo"));
  CHECK_RESULT(msdk_instance_get_param(instance, "text", &value, NULL, 0, &needed), MSDK_E_BUFFER_SMALL);
  CHECK_EQ(needed, 7);
  CHECK_RESULT(msdk_instance_get_param(instance, "text", &value, buffer, 6, &needed), MSDK_E_BUFFER_SMALL);
  CHECK_OK(msdk_instance_get_param(instance, "text", &value, buffer, 7, &needed));
  CHECK_EQ(value.type, MSDK_T_STRING);
  CHECK(value.u.str == buffer && strcmp(buffer, "h\xC3\xA9llo") == 0);
  CHECK_OK(msdk_instance_get_param(instance, "text", &value, buffer, sizeof buffer, NULL));
  static const uint8_t bytes[5] = {1, 0, 2, 0, 255};
  CHECK_OK(msdk_instance_set_param(instance, "blob", &(msdk_value){.type = MSDK_T_BYTES, .u.bytes = {bytes, 5}}));
  CHECK_OK(msdk_instance_get_param(instance, "blob", &value, buffer, sizeof buffer, &needed));
  CHECK_EQ(value.type, MSDK_T_BYTES);
  CHECK_EQ(value.u.bytes.size, 5);
  CHECK(memcmp(value.u.bytes.data, bytes, 5) == 0);
  CHECK(msdk_instance_set_param(instance, "blob", &(msdk_value){.type = MSDK_T_BYTES, .u.bytes = {NULL, 5}}) < 0);
  CHECK_OK(msdk_instance_set_param(instance, "blob", &(msdk_value){.type = MSDK_T_BYTES, .u.bytes = {NULL, 0}}));
  CHECK(msdk_instance_get_param(instance, "text", &value, NULL, 16, &needed) < 0); /* a size, but no buffer */
  CHECK_ERROR(msdk_instance_get_param(instance, "text", NULL, buffer, 16, NULL), MSDK_E_INVALID, "out");
  CHECK_ERROR(msdk_instance_get_param(instance, NULL, &value, buffer, 16, NULL), MSDK_E_INVALID, "name");
  CHECK_ERROR(msdk_instance_get_param(instance, "nothing", &value, buffer, 16, NULL), MSDK_E_NOT_FOUND, "nothing");
}

static void values_from_text(void) {
  CHECK_OK(msdk_instance_set_param_text(instance, "level", "6"));
  CHECK_EQ(get("level").u.i32, 6);
  CHECK_OK(msdk_instance_set_param_text(instance, "ratio", "-0.25"));
  CHECK(get("ratio").u.f64 == -0.25);
  CHECK_OK(msdk_instance_set_param_text(instance, "flag", "false"));
  CHECK_EQ(get("flag").u.b, 0);
  CHECK_OK(msdk_instance_set_param_text(instance, "flag", "true"));
  CHECK_OK(msdk_instance_set_param_text(instance, "big", "18446744073709551615"));
  CHECK_OK(msdk_instance_set_param_text(instance, "wide", "-9223372036854775808"));
  CHECK_OK(msdk_instance_set_param_text(instance, "text", ""));
  static const char *const wrong[][2] = {{"level", ""}, {"level", "six"}, {"level", "6x"}, {"level", "6.5"}, {"level", " 6"},
                                         {"flag", "yes"}, {"flag", ""}, {"ratio", "half"}, {"big", "-1"}, {"count", "4294967296"},
                                         {"wide", "1e3"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    msdk_result result = msdk_instance_set_param_text(instance, wrong[i][0], wrong[i][1]);
    if (!CHECK(result == MSDK_E_TYPE || result == MSDK_E_RANGE || result == MSDK_E_INVALID)) {
      fprintf(stderr, "  %s = \"%s\" gave %d\n", wrong[i][0], wrong[i][1], result);
    }
    CHECK_STR_CONTAINS(msdk_last_error(), wrong[i][0]);
  }
  CHECK_ERROR(msdk_instance_set_param_text(instance, "level", "11"), MSDK_E_RANGE, "level");
}

static void read_only_and_required(void) {
  CHECK(set_u32("serial", 5) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "serial");
  CHECK_EQ(get("serial").u.u32, 0);
  msdk_instance *needy = instance_of(engine, "org.mediasdk.test.needy");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  record_clear();
  CHECK(msdk_instance_format_at(needy, 0, &format) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "path");
  CHECK_EQ(record_times("needy init"), 0);
  CHECK_OK(msdk_instance_set_param_text(needy, "path", "here"));
  CHECK_OK(msdk_instance_format_at(needy, 0, &format));
  msdk_instance *second = NULL; /* a singleton */
  CHECK(msdk_instance_create(engine, "org.mediasdk.test.needy", NULL, &second) < 0);
  CHECK(second == NULL);
  msdk_instance_destroy(needy);
  second = instance_of(engine, "org.mediasdk.test.needy");
  msdk_instance_destroy(second);
}

static void a_class_that_refuses(void) {
  CHECK_OK(set_str("fail", "set"));
  CHECK_ERROR(set_i32("level", 5), MSDK_E_DEVICE_LOST, "the test lets set fail");
  CHECK_OK(set_str("fail", ""));
}

static void not_live_while_started(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_engine_register_module(it.engine, &test_module));
  msdk_instance *before = instance, *producer = instance_of(it.engine, "org.mediasdk.test.pull");
  instance = producer;
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, producer));
  run_for(it.engine, 100 * MS);
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_STARTED);
  CHECK_OK(set_i32("level", 4));
  CHECK_ERROR(set_i32("fixed", 4), MSDK_E_STATE, "fixed");
  CHECK_OK(msdk_outgoing_video_detach_producer(it.outgoing));
  CHECK_OK(set_i32("fixed", 4));
  instance = before;
  msdk_instance_destroy(producer);
  call_close(&it);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &test_module));
  instance = instance_of(engine, "org.mediasdk.test.pull");
  RUN(the_list_is_the_class_s);
  RUN(defaults_are_there);
  RUN(types_and_widths);
  RUN(ranges_and_choices);
  RUN(text_and_bytes_go_into_the_caller_s_buffer);
  RUN(values_from_text);
  RUN(read_only_and_required);
  RUN(a_class_that_refuses);
  RUN(not_live_while_started);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
  return check_finish();
}
