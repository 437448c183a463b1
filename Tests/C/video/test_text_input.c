/* Strings in: NULL, empty, too long, not UTF-8, unknown schemes. */
#include "call.h"

static msdk_engine *engine;

static const char *const not_utf8[] = {
  "\xFF",             /* never a byte of UTF-8 */
  "a\x80",            /* a continuation without a start */
  "\xC3",             /* a start without a continuation */
  "\xC0\x80",         /* overlong NUL */
  "\xE0\x80\xAF",     /* overlong slash */
  "\xED\xA0\x80",     /* a surrogate */
  "\xF4\x90\x80\x80", /* beyond U+10FFFF */
  "\xF0\x9F\x98",     /* cut short */
};
enum { NOT_UTF8 = sizeof not_utf8 / sizeof not_utf8[0] };

static char *repeated(const char *prefix, char letter, size_t count) {
  size_t start = strlen(prefix);
  char *text = malloc(start + count + 1);
  memcpy(text, prefix, start);
  memset(text + start, letter, count);
  text[start + count] = 0;
  return text;
}

static msdk_result create_session(const char *url, const char *user, const char *display) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = user;
  options.display_name = display;
  msdk_session *session = NULL;
  msdk_result result = msdk_session_create(engine, &options, &session);
  CHECK((session != NULL) == (result >= 0));
  msdk_session_destroy(session);
  return result;
}

static void room_names(void) {
  CHECK_ERROR(create_session(NULL, "a", NULL), MSDK_E_INVALID, "url");
  CHECK(create_session("", "a", NULL) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "url");
  CHECK_ERROR(create_session("loopback:", "a", NULL), MSDK_E_INVALID, "url");
  char *longest = repeated("loopback:", 'r', MSDK_NAME_MAX), *longer = repeated("loopback:", 'r', MSDK_NAME_MAX + 1);
  CHECK_OK(create_session(longest, "a", NULL));
  CHECK_ERROR(create_session(longer, "a", NULL), MSDK_E_INVALID, "255");
  char *huge = repeated("loopback:", 'r', 10u << 20);
  CHECK_ERROR(create_session(huge, "a", NULL), MSDK_E_INVALID, "url");
  CHECK(strlen(msdk_last_error()) < 2048); /* the text does not repeat it all */
  CHECK_RESULT(network_set(engine, huge, NULL, 0, 0), MSDK_E_INVALID);
  for (int i = 0; i < NOT_UTF8; i++) {
    char url[64];
    snprintf(url, sizeof url, "loopback:%s", not_utf8[i]);
    CHECK_ERROR(create_session(url, "a", NULL), MSDK_E_INVALID, "UTF-8");
    CHECK_ERROR(network_set(engine, url, NULL, 0, 0), MSDK_E_INVALID, "UTF-8");
  }
  CHECK_OK(create_session("loopback:\xF0\x9F\x98\x80 caf\xC3\xA9", "a", NULL));
  free(longest);
  free(longer);
  free(huge);
}

static void unknown_schemes(void) {
  static const char *const urls[] = {"http://example.org/room", "loopback", "web-rtc:room",  "LOOPBACKX:room",
                                     ":room",                   "room",     "loopback//room"};
  for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
    msdk_result result = create_session(urls[i], "a", NULL);
    CHECK(result == MSDK_E_UNSUPPORTED || result == MSDK_E_INVALID);
    CHECK_STR_CONTAINS(msdk_last_error(), "loopback");
    result = network_set(engine, urls[i], NULL, 0, 0);
    CHECK(result == MSDK_E_UNSUPPORTED || result == MSDK_E_INVALID);
  }
  CHECK_ERROR(network_set(engine, NULL, NULL, 0, 0), MSDK_E_INVALID, "room_url");
}

static void user_and_display_names(void) {
  CHECK_ERROR(create_session("loopback:x", NULL, NULL), MSDK_E_INVALID, "user_id");
  CHECK_ERROR(create_session("loopback:x", "", NULL), MSDK_E_INVALID, "user_id");
  char *longest = repeated("", 'u', MSDK_NAME_MAX), *longer = repeated("", 'u', MSDK_NAME_MAX + 1);
  CHECK_OK(create_session("loopback:x", longest, longest));
  CHECK_ERROR(create_session("loopback:x", longer, NULL), MSDK_E_INVALID, "user_id");
  CHECK_ERROR(create_session("loopback:x", "u", longer), MSDK_E_INVALID, "display_name");
  for (int i = 0; i < NOT_UTF8; i++) {
    CHECK_ERROR(create_session("loopback:x", not_utf8[i], NULL), MSDK_E_INVALID, "user_id");
    CHECK_ERROR(create_session("loopback:x", "u", not_utf8[i]), MSDK_E_INVALID, "display_name");
  }
  free(longest);
  free(longer);
}

static void paths(void) {
  uint32_t loaded;
  char *longer = repeated("/", 'p', 4096), *huge = repeated("/", 'p', 10u << 20);
  CHECK_ERROR(msdk_engine_load_plugin(engine, NULL), MSDK_E_INVALID, "path");
  CHECK(msdk_engine_load_plugin(engine, "") < 0);
  CHECK_ERROR(msdk_engine_load_plugin(engine, longer), MSDK_E_INVALID, "path");
  CHECK_ERROR(msdk_engine_load_plugin(engine, huge), MSDK_E_INVALID, "path");
  CHECK_ERROR(msdk_engine_load_plugin(engine, "/no/such/file.so"), MSDK_E_NOT_FOUND, "/no/such/file.so");
  CHECK_ERROR(msdk_engine_add_plugin_dir(engine, NULL, &loaded), MSDK_E_INVALID, "path");
  CHECK_ERROR(msdk_engine_add_plugin_dir(engine, longer, &loaded), MSDK_E_INVALID, "path");
  CHECK_ERROR(msdk_engine_add_plugin_dir(engine, "/no/such/directory", &loaded), MSDK_E_NOT_FOUND, "/no/such/directory");
  for (int i = 0; i < NOT_UTF8; i++) CHECK(msdk_engine_load_plugin(engine, not_utf8[i]) < 0);
  free(longer);
  free(huge);
}

static void classes_and_parameters(void) {
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  NEED(directory != NULL);
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, NULL));
  msdk_instance *instance = NULL;
  char *huge = repeated("", 'c', 1u << 20);
  CHECK_ERROR(msdk_instance_create(engine, NULL, NULL, &instance), MSDK_E_INVALID, "class_id");
  CHECK_ERROR(msdk_instance_create(engine, "org.mediasdk.renderer.bw", NULL, NULL), MSDK_E_INVALID, "out");
  CHECK_RESULT(msdk_instance_create(engine, "", NULL, &instance), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_instance_create(engine, "org.example.none", NULL, &instance), MSDK_E_NOT_FOUND, "org.mediasdk.renderer.bw");
  CHECK(msdk_instance_create(engine, huge, NULL, &instance) < 0);
  for (int i = 0; i < NOT_UTF8; i++) CHECK(msdk_instance_create(engine, not_utf8[i], NULL, &instance) < 0);
  CHECK(instance == NULL);
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.producer.testpattern", NULL, &instance));
  msdk_value value = {.type = MSDK_T_STRING, .u.str = "bars"};
  CHECK_ERROR(msdk_instance_set_param(instance, NULL, &value), MSDK_E_INVALID, "name");
  CHECK_ERROR(msdk_instance_set_param(instance, "pattern", NULL), MSDK_E_INVALID, "value");
  CHECK_ERROR(msdk_instance_set_param(instance, "no_such", &value), MSDK_E_NOT_FOUND, "no_such");
  CHECK(msdk_instance_set_param(instance, huge, &value) < 0);
  value.u.str = NULL;
  CHECK_ERROR(msdk_instance_set_param(instance, "pattern", &value), MSDK_E_INVALID, "pattern");
  value.u.str = huge;
  CHECK(msdk_instance_set_param(instance, "pattern", &value) < 0);
  CHECK_ERROR(msdk_instance_set_param_text(instance, "pattern", NULL), MSDK_E_INVALID, "text");
  CHECK_ERROR(msdk_instance_set_param_text(instance, NULL, "bars"), MSDK_E_INVALID, "name");
  CHECK(msdk_instance_set_param_text(instance, "pattern", huge) < 0);
  for (int i = 0; i < NOT_UTF8; i++) {
    CHECK_RESULT(msdk_instance_set_param_text(instance, "pattern", not_utf8[i]), MSDK_E_INVALID);
    value.u.str = not_utf8[i];
    CHECK_RESULT(msdk_instance_set_param(instance, "pattern", &value), MSDK_E_INVALID);
  }
  CHECK_OK(msdk_instance_set_param_text(instance, "pattern", "lines"));
  msdk_instance_destroy(instance);
  free(huge);
}

/* Text out is cut at a character's border. */
static void long_texts_are_cut_between_characters(void) {
  const char *url = room_new();
  msdk_session *watcher = join(engine, url, "watcher");
  char name[256] = "";
  for (int i = 0; i < 127; i++) strcat(name, "\xC3\xA9"); /* 254 bytes */
  msdk_session *other = join(engine, url, name);
  msdk_event event;
  CHECK(event_wait(engine, watcher, MSDK_EVENT_PARTICIPANT_JOINED, &event));
  CHECK(strcmp(event.user_id, name) == 0);
  msdk_participant people[2];
  CHECK_EQ(people_of(watcher, people, 2), 2);
  CHECK(strcmp(people[1].user_id, name) == 0);
  msdk_session_destroy(other);
  msdk_session_destroy(watcher);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  RUN(room_names);
  RUN(unknown_schemes);
  RUN(user_and_display_names);
  RUN(paths);
  RUN(classes_and_parameters);
  RUN(long_texts_are_cut_between_characters);
  msdk_engine_destroy(engine);
  return check_finish();
}
