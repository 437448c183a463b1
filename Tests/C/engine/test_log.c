/* engine.h, log: records that are pulled, and what announces them. */
#include "waiting.h"

#include <pthread.h>

static msdk_log_record next(msdk_engine *engine) {
  msdk_log_record record = MSDK_INIT(msdk_log_record);
  CHECK_OK(msdk_engine_next_log_record(engine, 0, &record));
  return record;
}

/* Each change of the state is a message of level info. */
static void log_states(msdk_engine *engine, msdk_session *session, int changes) {
  for (int i = 0; i < changes; i += 4) {
    CHECK_OK(msdk_session_disconnect(session)); /* disconnecting, disconnected */
    CHECK_OK(msdk_session_connect(session));    /* connecting, connected */
    run_for(engine, 10 * MS);
  }
}

static msdk_session *connected(msdk_engine *engine, const char *user) {
  msdk_session *session = session_new(engine, room_new(), user);
  CHECK_OK(msdk_session_connect(session));
  run_for(engine, 10 * MS);
  return session;
}

static void records_are_pulled(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_log_record record = MSDK_INIT(msdk_log_record);
  int32_t descriptor = -1;
  CHECK_OK(msdk_engine_get_log_fd(engine, &descriptor));
  msdk_session_destroy(connected(engine, "before")); /* by default nothing is logged */
  CHECK(!is_readable(descriptor, 0));
  CHECK_RESULT(msdk_engine_next_log_record(engine, 0, &record), MSDK_E_AGAIN);
  CHECK_RESULT(msdk_engine_next_log_record(engine, 1, &record), MSDK_E_TIMEOUT);
  CHECK_OK(msdk_engine_set_log_level(engine, MSDK_LOG_INFO));
  int64_t began = msdk_engine_now(engine);
  msdk_session *session = connected(engine, "alice");
  CHECK(is_readable(descriptor, 0));
  record = next(engine);
  CHECK_EQ(record.level, MSDK_LOG_INFO);
  CHECK(strcmp(record.category, "session") == 0);
  CHECK_STR_CONTAINS(record.text, "alice");
  CHECK_EQ(record.timestamp_ns, began);
  CHECK_EQ(record.dropped, 0);
  CHECK(is_readable(descriptor, 0)); /* the second */
  CHECK_STR_CONTAINS(next(engine).text, "connected");
  CHECK(!is_readable(descriptor, 0));
  CHECK_OK(msdk_engine_set_log_level(engine, MSDK_LOG_WARN));
  CHECK_OK(msdk_session_disconnect(session));
  CHECK_RESULT(msdk_engine_next_log_record(engine, 0, &record), MSDK_E_AGAIN);
  msdk_engine_destroy(engine);
  CHECK_RESULT(msdk_engine_next_log_record(engine, 0, &record), MSDK_E_HANDLE);
}

static void the_newest_256_are_kept(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *session = connected(engine, "alice");
  CHECK_OK(msdk_engine_set_log_level(engine, MSDK_LOG_INFO));
  log_states(engine, session, 400);
  msdk_engine_stats stats = MSDK_INIT(msdk_engine_stats);
  CHECK_OK(msdk_engine_get_stats(engine, &stats));
  CHECK_EQ(stats.log_dropped, 400 - 256);
  CHECK_EQ(next(engine).dropped, 400 - 256);
  for (int i = 1; i < 256; i++) CHECK_EQ(next(engine).dropped, 0);
  msdk_log_record record = MSDK_INIT(msdk_log_record);
  CHECK_RESULT(msdk_engine_next_log_record(engine, 0, &record), MSDK_E_AGAIN);
  msdk_engine_destroy(engine);
}

static void bad_calls_cost_no_record(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_log_record record = MSDK_INIT(msdk_log_record);
  CHECK_ERROR(msdk_engine_set_log_level(engine, 5), MSDK_E_UNSUPPORTED, "level is 5");
  CHECK_ERROR(msdk_engine_set_log_level(engine, -1), MSDK_E_UNSUPPORTED, "level is -1");
  CHECK_OK(msdk_engine_set_log_level(engine, MSDK_LOG_DEBUG));
  connected(engine, "alice");
  CHECK_ERROR(msdk_engine_next_log_record(engine, 0, NULL), MSDK_E_INVALID, "out");
  record.struct_size = 4;
  CHECK_ERROR(msdk_engine_next_log_record(engine, 0, &record), MSDK_E_INVALID, "struct_size");
  CHECK_ERROR(msdk_engine_get_log_fd(engine, NULL), MSDK_E_INVALID, "out");
  CHECK_STR_CONTAINS(next(engine).text, "connecting");
  msdk_engine_destroy(engine);
}

typedef struct listener {
  atomic_int count;
  char first[256];
} listener;

static void on_record(void *user, const msdk_log_record *record) {
  listener *it = user;
  if (atomic_fetch_add(&it->count, 1) == 0) snprintf(it->first, sizeof it->first, "%.200s", record->text);
}

static void a_callback_takes_the_place_of_pulling(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_log_record record = MSDK_INIT(msdk_log_record);
  listener it = {.count = 0};
  CHECK_OK(msdk_engine_set_log_level(engine, MSDK_LOG_INFO));
  msdk_session *session = connected(engine, "alice");
  CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_INFO, on_record, &it));
  CHECK_ERROR(msdk_engine_next_log_record(engine, 0, &record), MSDK_E_STATE, "callback");
  CHECK_EQ(atomic_load(&it.count), 0);
  log_states(engine, session, 4);
  CHECK_EQ(atomic_load(&it.count), 2 + 4); /* those that were queued came first */
  CHECK_STR_CONTAINS(it.first, "connecting");
  CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_INFO, NULL, NULL));
  log_states(engine, session, 4);
  CHECK_EQ(atomic_load(&it.count), 2 + 4);
  CHECK_STR_CONTAINS(next(engine).text, "disconnecting");
  msdk_engine_destroy(engine);
}

static void *wait_for_a_record(void *engine) {
  msdk_log_record record = MSDK_INIT(msdk_log_record);
  return (void *)(intptr_t)msdk_engine_next_log_record(engine, MSDK_WAIT_FOREVER, &record);
}

static void the_end_wakes_those_who_wait(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  pthread_t waiter;
  void *result = NULL;
  NEED(pthread_create(&waiter, NULL, wait_for_a_record, engine) == 0);
  sleep_ms(50);
  msdk_engine_destroy(engine);
  pthread_join(waiter, &result);
  CHECK((intptr_t)result == MSDK_E_CLOSED || (intptr_t)result == MSDK_E_HANDLE);
}

int main(int argc, char **argv) {
  RUN(records_are_pulled);
  RUN(the_newest_256_are_kept);
  RUN(bad_calls_cost_no_record);
  RUN(a_callback_takes_the_place_of_pulling);
  RUN(the_end_wakes_those_who_wait);
  return check_finish();
}
