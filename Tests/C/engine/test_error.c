/* error.h: names of results, the words of an error, the version. */
#include "call.h"

#include <pthread.h>

static void version_is_the_header_s(void) {
  CHECK(strcmp(msdk_version(), MSDK_VERSION_STRING) == 0);
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", MSDK_VERSION_MAJOR, MSDK_VERSION_MINOR, MSDK_VERSION_PATCH);
  CHECK(strcmp(text, MSDK_VERSION_STRING) == 0);
  CHECK_EQ(msdk_version_number(), MSDK_VERSION_NUMBER);
  CHECK_EQ(msdk_version_number() >> 16, MSDK_VERSION_MAJOR);
  CHECK_EQ(msdk_version_number() >> 8 & 0xFF, MSDK_VERSION_MINOR);
}

static void every_result_has_its_name(void) {
  static const struct { msdk_result result; const char *name; } names[] = {
    {MSDK_OK, "MSDK_OK"}, {7, "MSDK_OK"}, {INT32_MAX, "MSDK_OK"},
    {MSDK_E_FAIL, "MSDK_E_FAIL"}, {MSDK_E_NOMEM, "MSDK_E_NOMEM"}, {MSDK_E_INVALID, "MSDK_E_INVALID"},
    {MSDK_E_UNSUPPORTED, "MSDK_E_UNSUPPORTED"}, {MSDK_E_STATE, "MSDK_E_STATE"}, {MSDK_E_THREAD, "MSDK_E_THREAD"},
    {MSDK_E_AGAIN, "MSDK_E_AGAIN"}, {MSDK_E_TIMEOUT, "MSDK_E_TIMEOUT"}, {MSDK_E_IO, "MSDK_E_IO"},
    {MSDK_E_PERMISSION, "MSDK_E_PERMISSION"}, {MSDK_E_NOT_FOUND, "MSDK_E_NOT_FOUND"}, {MSDK_E_TYPE, "MSDK_E_TYPE"},
    {MSDK_E_RANGE, "MSDK_E_RANGE"}, {MSDK_E_CLOSED, "MSDK_E_CLOSED"}, {MSDK_E_PLUGIN_DIED, "MSDK_E_PLUGIN_DIED"},
    {MSDK_E_DEVICE_LOST, "MSDK_E_DEVICE_LOST"}, {MSDK_E_BUFFER_SMALL, "MSDK_E_BUFFER_SMALL"}, {MSDK_E_HANDLE, "MSDK_E_HANDLE"},
    {MSDK_E_STALE, "MSDK_E_STALE"}, {MSDK_E_FORMAT, "MSDK_E_FORMAT"}, {MSDK_E_LIMIT, "MSDK_E_LIMIT"}, {MSDK_E_EXISTS, "MSDK_E_EXISTS"},
    {MSDK_E_FORKED, "MSDK_E_FORKED"}, {MSDK_E_CORRUPT, "MSDK_E_CORRUPT"}, {MSDK_E_ABI, "MSDK_E_ABI"},
    {MSDK_E_FULL, "MSDK_E_FULL"}, {MSDK_E_REMOVED, "MSDK_E_REMOVED"}, {MSDK_E_UNTRUSTED, "MSDK_E_UNTRUSTED"},
    {-29, "MSDK_E_UNKNOWN"}, {-10000, "MSDK_E_UNKNOWN"}, {INT32_MIN, "MSDK_E_UNKNOWN"},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *name = msdk_status_string(names[i].result);
    if (!CHECK(name != NULL && strcmp(name, names[i].name) == 0)) {
      fprintf(stderr, "  %d is named %s, not %s\n", names[i].result, name != NULL ? name : "(NULL)", names[i].name);
    }
  }
}

static void *fresh_thread(void *unused) {
  (void)unused;
  CHECK(msdk_last_error() != NULL);
  CHECK(strcmp(msdk_last_error(), "") == 0);
  CHECK_RESULT(msdk_engine_create(NULL, NULL), MSDK_E_INVALID);
  CHECK_STR_CONTAINS(msdk_last_error(), "out");
  return NULL;
}

static void words_belong_to_the_thread(void) {
  uint32_t state;
  CHECK_RESULT(msdk_session_get_state(NULL, &state), MSDK_E_HANDLE);
  char mine[1024];
  snprintf(mine, sizeof mine, "%s", msdk_last_error());
  CHECK(mine[0] != 0);
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, fresh_thread, NULL), 0);
  pthread_join(thread, NULL);
  CHECK(strcmp(mine, msdk_last_error()) == 0);
}

static void success_keeps_the_words(void) {
  uint32_t state;
  CHECK_RESULT(msdk_session_get_state(NULL, &state), MSDK_E_HANDLE);
  char before[1024];
  snprintf(before, sizeof before, "%s", msdk_last_error());
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK(strcmp(before, msdk_last_error()) == 0);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(version_is_the_header_s);
  RUN(every_result_has_its_name);
  RUN(words_belong_to_the_thread);
  RUN(success_keeps_the_words);
  return check_finish();
}
