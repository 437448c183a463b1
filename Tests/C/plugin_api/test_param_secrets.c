/* A secret parameter is in nothing that anybody can read: log, error texts, events, descriptions. The class speaks of it wherever it can. */
#include "device_class.h"

#define SECRET "hunter2-\xC3\xA9t\xC3\xA9"
enum { PIN = 71503926 };

static char seen[1 << 16]; /* all that came out */
static size_t seen_length;

static void see(const char *text) {
  size_t length = strlen(text);
  if (seen_length + length + 2 > sizeof seen) return;
  memcpy(seen + seen_length, text, length);
  seen_length += length;
  seen[seen_length++] = '\n';
}

static void on_log(void *user, const msdk_log_record *record) {
  (void)user;
  see(record->text);
}

static void on_event(void *user, const msdk_instance_event *event) {
  atomic_fetch_add((atomic_int *)user, 1);
  see(event->text);
}

static void expect_nothing_of(const char *secret) {
  CHECK(seen_length > 0);
  if (!CHECK(strstr(seen, secret) == NULL)) fprintf(stderr, "  %s is in:\n%s", secret, seen);
  seen_length = 0;
  memset(seen, 0, sizeof seen);
}

static void drain(msdk_engine *engine, msdk_instance *instance) {
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  CHECK_OK(msdk_engine_advance_clock(engine, MS));
  while (msdk_instance_next_event(instance, 0, &event) >= 0) see(event.text);
}

static void nothing_shows_it(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_DEBUG, on_log, NULL));
  msdk_instance *instance = device_new(engine);
  CHECK_OK(msdk_instance_set_param_text(instance, "token", SECRET));
  CHECK(strcmp(last_self->token, SECRET) == 0); /* the plugin has it */
  drain(engine, instance);
  CHECK_STR_CONTAINS(seen, "(secret)");
  CHECK_STR_CONTAINS(seen, "https://host/?key=");
  expect_nothing_of(SECRET);

  CHECK_OK(msdk_instance_set_param(instance, "pin", &(msdk_value){.type = MSDK_T_I64, .u.i64 = PIN}));
  drain(engine, instance);
  expect_nothing_of("71503926");

  last_self->fails = 1; /* and says so with the secret in its words */
  CHECK_ERROR(msdk_instance_set_param_text(instance, "level", "4"), MSDK_E_IO, "refused");
  see(msdk_last_error());
  last_self->fails = 1;
  CHECK_RESULT(msdk_instance_set_param_text(instance, "token", "another-one"), MSDK_E_IO);
  see(msdk_last_error());
  drain(engine, instance);
  CHECK(strstr(seen, "another-one") == NULL);
  CHECK(strstr(seen, "71503926") == NULL);
  expect_nothing_of(SECRET);

  atomic_int events = 0;
  CHECK_OK(msdk_instance_set_event_callback(instance, on_event, &events));
  CHECK_OK(msdk_instance_set_param_text(instance, "token", SECRET));
  CHECK_OK(msdk_engine_advance_clock(engine, MS));
  CHECK(atomic_load(&events) >= 2);
  expect_nothing_of(SECRET);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
}

static void wrong_values_are_not_quoted(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_instance *instance = device_new(engine);
  static const struct {
    const char *text;
    msdk_result result;
  } wrong[] = {{"715039260", MSDK_E_RANGE}, {"-7150392", MSDK_E_RANGE}, {"x7150392", MSDK_E_TYPE}, {"71503926000000", MSDK_E_TYPE}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CHECK_ERROR(msdk_instance_set_param_text(instance, "pin", wrong[i].text), wrong[i].result, "pin");
    see(msdk_last_error());
    expect_nothing_of("7150392");
  }
  CHECK_RESULT(msdk_instance_set_param(instance, "pin", &(msdk_value){.type = MSDK_T_STRING, .u.str = SECRET}), MSDK_E_TYPE);
  see(msdk_last_error());
  CHECK_RESULT(msdk_instance_set_param(instance, "pin", &(msdk_value){.type = MSDK_T_F64, .u.f64 = 71503.5}), MSDK_E_TYPE);
  see(msdk_last_error());
  CHECK(strstr(seen, "71503") == NULL);
  expect_nothing_of(SECRET);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
}

static void it_is_for_setting_only(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_instance *instance = device_new(engine);
  char buffer[64] = "";
  msdk_value value = {0};
  CHECK_OK(msdk_instance_set_param_text(instance, "token", SECRET));
  uint64_t needed = 0;
  CHECK_ERROR(msdk_instance_get_param(instance, "token", &value, buffer, sizeof buffer, &needed), MSDK_E_PERMISSION, "secret");
  see(msdk_last_error());
  expect_nothing_of(SECRET);
  CHECK_EQ(needed, 0);
  CHECK(buffer[0] == 0);
  CHECK_ERROR(msdk_instance_get_param(instance, "pin", &value, buffer, sizeof buffer, NULL), MSDK_E_PERMISSION, "pin");
  msdk_param param = MSDK_INIT(msdk_param);
  CHECK_OK(msdk_engine_class_param_at(engine, "org.mediasdk.test.device", 2, &param));
  CHECK_EQ(param.def.type, MSDK_T_STRING);
  CHECK(strcmp(param.def.u.str, "") == 0); /* not the default that the class has */
  CHECK((param.flags & MSDK_PARAM_SECRET) != 0);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(nothing_shows_it);
  RUN(wrong_values_are_not_quoted);
  RUN(it_is_for_setting_only);
  return check_finish();
}
