/* engine.h: clocks, the log, the classes, the statistics. */
#include "call.h"

#include <pthread.h>
#include <sys/wait.h>

static void engines_are_made_and_ended(void) {
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(NULL, &engine));
  NEED(engine != NULL);
  CHECK(msdk_engine_now(engine) > 0);
  msdk_engine_destroy(engine);
  CHECK_EQ(msdk_engine_now(engine), 0);
  msdk_engine_destroy(engine);
  msdk_engine_destroy(NULL);
  CHECK_EQ(msdk_engine_now(NULL), 0);
}

static void at_most_256_engines(void) {
  static msdk_engine *engines[257];
  int made = 0;
  msdk_result result = MSDK_OK;
  while (made < 257) {
    msdk_engine_options options = MSDK_INIT(msdk_engine_options);
    options.clock = MSDK_CLOCK_VIRTUAL;
    result = msdk_engine_create(&options, &engines[made]);
    if (result < 0) break;
    made++;
  }
  CHECK_EQ(made, 256);
  CHECK_EQ(result, MSDK_E_FULL);
  CHECK_STR_CONTAINS(msdk_last_error(), "256");
  for (int i = 0; i < made; i++) msdk_engine_destroy(engines[i]);
  msdk_engine *again = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK(again != NULL);
  msdk_engine_destroy(again);
}

static void the_virtual_clock_moves_when_told(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_EQ(msdk_engine_now(engine), SECOND);
  CHECK_OK(msdk_engine_advance_clock(engine, 0));
  CHECK_EQ(msdk_engine_now(engine), SECOND);
  CHECK_OK(msdk_engine_advance_clock(engine, 1));
  CHECK_EQ(msdk_engine_now(engine), SECOND + 1);
  CHECK_OK(msdk_engine_advance_clock(engine, 86400 * SECOND));
  CHECK_EQ(msdk_engine_now(engine), 86401 * SECOND + 1);
  CHECK(msdk_engine_advance_clock(engine, -1) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "nanoseconds");
  CHECK(msdk_engine_advance_clock(engine, 86400 * SECOND + 1) < 0);
  CHECK(msdk_engine_advance_clock(engine, INT64_MAX) < 0);
  CHECK(msdk_engine_advance_clock(engine, INT64_MIN) < 0);
  CHECK_EQ(msdk_engine_now(engine), 86401 * SECOND + 1);
  CHECK_EQ(engine_stats(engine).threads, 0);
  msdk_engine_destroy(engine);
}

static void the_system_clock_is_monotonic(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  int64_t before = msdk_time_monotonic(), now = msdk_engine_now(engine), after = msdk_time_monotonic();
  CHECK(before <= now && now <= after);
  CHECK_RESULT(msdk_engine_advance_clock(engine, MS), MSDK_E_UNSUPPORTED);
  msdk_engine_destroy(engine);
}

static void bad_options_are_named(void) {
  msdk_engine *engine = NULL;
  msdk_engine_options options = MSDK_INIT(msdk_engine_options);
  options.clock = 2;
  CHECK(msdk_engine_create(&options, &engine) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "clock");
  options = MSDK_INIT(msdk_engine_options);
  options.reserved0 = 5;
  CHECK(msdk_engine_create(&options, &engine) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "reserved0");
  options = MSDK_INIT(msdk_engine_options);
  options.ignore_environment = 2;
  CHECK(msdk_engine_create(&options, &engine) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "ignore_environment");
  CHECK(engine == NULL);
}

typedef struct log_lines {
  atomic_int count;
  int32_t least;
  char last[512];
} log_lines;

static void on_log(void *user, const msdk_log_record *record) {
  log_lines *lines = user;
  CHECK_EQ(record->struct_size, sizeof *record);
  CHECK(record->level >= lines->least && record->level <= MSDK_LOG_ERROR);
  CHECK(strcmp(record->category, "plugin") == 0 && record->text[0] != 0);
  CHECK_EQ(record->timestamp_ns, SECOND);
  snprintf(lines->last, sizeof lines->last, "%.500s", record->text);
  atomic_fetch_add(&lines->count, 1);
}

static void a_refused_plugin_is_logged(void) {
  const char *directory = getenv("MSDK_TEST_PLUGINS");
  NEED(directory != NULL);
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  static log_lines lines;
  lines.least = MSDK_LOG_WARN;
  uint32_t loaded = 77;
  CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_WARN, on_log, &lines));
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, &loaded)); /* it is full of bad ones */
  CHECK(atomic_load(&lines.count) > 0);
  CHECK_STR_CONTAINS(lines.last, ".so");
  CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_NONE, NULL, NULL));
  int before = atomic_load(&lines.count);
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, NULL));
  CHECK_EQ(atomic_load(&lines.count), before);
  CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_ERROR, on_log, &lines));
  CHECK(msdk_engine_set_log_callback(engine, 5, on_log, &lines) < 0);
  CHECK(msdk_engine_set_log_callback(engine, -1, on_log, &lines) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "level");
  msdk_engine_destroy(engine);
}

/* What is written to stderr while the body runs, in text. */
static void stderr_of(char *text, size_t size, void (*body)(void)) {
  FILE *file = tmpfile();
  CHECK(file != NULL);
  int before = dup(2);
  fflush(stderr);
  dup2(fileno(file), 2);
  body();
  fflush(stderr);
  dup2(before, 2);
  close(before);
  rewind(file);
  text[fread(text, 1, size - 1, file)] = 0;
  fclose(file);
}

static uint32_t ignores_environment;
static void log_a_refusal(void) {
  msdk_engine_options options = MSDK_INIT(msdk_engine_options);
  options.ignore_environment = ignores_environment;
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(&options, &engine));
  CHECK_OK(msdk_engine_add_plugin_dir(engine, getenv("MSDK_TEST_PLUGINS"), NULL)); /* it is full of bad ones */
  msdk_engine_destroy(engine);
}

/* Run by logging_to_stderr in processes of their own, as the variable is read once. */
static void in_a_process_with_msdk_log(void) {
  static char text[1 << 16];
  const char *level = getenv("MSDK_LOG");
  stderr_of(text, sizeof text, log_a_refusal);
  if (strcmp(level, "warn") == 0 || strcmp(level, "loud") == 0) CHECK_STR_CONTAINS(text, "msdk: warn: ");
  if (strcmp(level, "loud") == 0) CHECK_STR_CONTAINS(text, "MSDK_LOG is \"loud\"; accepted: debug, info, warn, error, none");
  if (strcmp(level, "error") == 0) CHECK(text[0] == 0);
  ignores_environment = 1;
  stderr_of(text, sizeof text, log_a_refusal);
  CHECK(text[0] == 0);
}

static void logging_to_stderr(void) {
  NEED(getenv("MSDK_TEST_PLUGINS") != NULL);
  static const char *const levels[] = {"warn", "error", "loud"};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    pid_t child = fork();
    if (child == 0) {
      setenv("MSDK_LOG", levels[i], 1);
      setenv("MSDK_TEST_LOG", "1", 1);
      execl("/proc/self/exe", "test_engine", "in_a_process_with_msdk_log", (char *)NULL);
      _exit(127);
    }
    int status = -1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    if (!CHECK_EQ(status, 0)) fprintf(stderr, "  with MSDK_LOG=%s\n", levels[i]);
  }
}

static void shipped_plugins_list_their_classes(void) {
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  NEED(directory != NULL);
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  uint32_t loaded = 0, again = 0, index = 0;
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, &loaded));
  CHECK(loaded >= 4);
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, &again)); /* a success that changes nothing */
  CHECK_EQ(again, loaded);
  static const char *const wanted[] = {"org.mediasdk.producer.testpattern", "org.mediasdk.producer.file", "org.mediasdk.renderer.file",
                                       "org.mediasdk.renderer.bw"};
  int found[4] = {0};
  for (;; index++) {
    msdk_class_info info = MSDK_INIT(msdk_class_info);
    msdk_result result = msdk_engine_class_at(engine, index, &info);
    if (result < 0) {
      CHECK_EQ(result, MSDK_E_NOT_FOUND);
      break;
    }
    CHECK(info.id != NULL && info.name != NULL && info.summary != NULL && info.module_path != NULL && info.module_vendor != NULL);
    CHECK(info.module_version != NULL && info.module_license != NULL && info.module_url != NULL);
    CHECK(info.kinds != 0);
    int is_own = strcmp(info.id, "org.mediasdk.vp8") == 0 || strcmp(info.id, "org.mediasdk.opus") == 0; /* come from no file */
    CHECK_STR_CONTAINS(info.module_path, is_own ? "" : ".so");
    for (int i = 0; i < 4; i++) found[i] += strcmp(info.id, wanted[i]) == 0;
    for (uint32_t param = 0; param <= info.param_count; param++) {
      msdk_param described = MSDK_INIT(msdk_param);
      msdk_result has = msdk_engine_class_param_at(engine, info.id, param, &described);
      CHECK_EQ(has, param < info.param_count ? MSDK_OK : MSDK_E_NOT_FOUND);
      if (has >= 0) CHECK(described.name != NULL && described.name[0] != 0);
    }
  }
  for (int i = 0; i < 4; i++) CHECK_EQ(found[i], 1);
  msdk_class_info info = MSDK_INIT(msdk_class_info);
  msdk_param param = MSDK_INIT(msdk_param);
  CHECK_RESULT(msdk_engine_class_at(engine, UINT32_MAX, &info), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_engine_class_at(engine, 0, NULL), MSDK_E_INVALID, "out");
  CHECK_RESULT(msdk_engine_class_param_at(engine, "org.example.nothing", 0, &param), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_engine_class_param_at(engine, NULL, 0, &param), MSDK_E_INVALID, "class_id");
  CHECK_ERROR(msdk_engine_class_param_at(engine, wanted[0], 0, NULL), MSDK_E_INVALID, "out");
  msdk_engine_destroy(engine);
}

static void default_places_come_from_the_environment(void) {
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  NEED(directory != NULL);
  setenv("MSDK_PLUGIN_SYSTEM_PATH", "", 1);
  setenv("MSDK_PLUGIN_PATH", directory, 1);
  uint32_t loaded = 0;
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(NULL, &engine));
  CHECK_OK(msdk_engine_load_default_plugins(engine, &loaded));
  CHECK(loaded >= 4);
  msdk_engine_destroy(engine);
  engine = engine_new(MSDK_CLOCK_SYSTEM); /* ignore_environment */
  CHECK_OK(msdk_engine_load_default_plugins(engine, NULL));
  msdk_engine_destroy(engine);
  unsetenv("MSDK_PLUGIN_PATH");
  CHECK_OK(msdk_engine_create(NULL, &engine));
  CHECK_OK(msdk_engine_load_default_plugins(engine, &loaded));
  CHECK_EQ(loaded, 0);
  msdk_engine_destroy(engine);
  unsetenv("MSDK_PLUGIN_SYSTEM_PATH");
}

static void the_stats_count_what_is_alive(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_engine_stats stats = engine_stats(engine);
  CHECK_EQ(stats.sessions + stats.outgoing_videos + stats.incoming_videos + stats.instances, 0);
  msdk_session *session = session_new(engine, "loopback:stats", "me");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &stream));
  stats = engine_stats(engine);
  CHECK_EQ(stats.sessions, 1);
  CHECK_EQ(stats.outgoing_videos, 1);
  msdk_outgoing_video_destroy(stream);
  msdk_session_destroy(session);
  stats = engine_stats(engine);
  CHECK_EQ(stats.sessions + stats.outgoing_videos, 0);
  CHECK_ERROR(msdk_engine_get_stats(engine, NULL), MSDK_E_INVALID, "out");
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(engines_are_made_and_ended);
  RUN(at_most_256_engines);
  RUN(the_virtual_clock_moves_when_told);
  RUN(the_system_clock_is_monotonic);
  RUN(bad_options_are_named);
  RUN(a_refused_plugin_is_logged);
  RUN(logging_to_stderr);
  if (getenv("MSDK_TEST_LOG") != NULL) RUN(in_a_process_with_msdk_log);
  RUN(shipped_plugins_list_their_classes);
  RUN(default_places_come_from_the_environment);
  RUN(the_stats_count_what_is_alive);
  return check_finish();
}
