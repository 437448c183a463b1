/* Plugins in processes of their own: whatever they do, the call goes on, the program is told of what they died, and they come back with their
 * parameters. Many rounds: test_isolation test_faults ROUNDS [FAULT] */
#include "children.h"
#include "isolating.h"

#include <signal.h>
#include <sys/wait.h>

static const char *only;
static int rounds = 1;

static call open_call(void) {
  static msdk_video_format format;
  format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  loaded_engine(it.engine);
  return it;
}

/* Waits for a picture of this shade. */
static int shade_wait(call *it, int shade) {
  for (int tries = 0; tries < 400; tries++) {
    msdk_video_frame *frame = frame_wait(it);
    if (frame == NULL) return 0;
    int found = frame->plane[0].data[0] == shade && frame->plane[0].data[frame->plane[0].stride * 100 + 50] == shade;
    msdk_video_frame_unref(frame);
    if (found) return 1;
  }
  return 0;
}

typedef struct fault {
  const char *what, *at, *word;
  int deaths; /* whether it dies of it at all */
} fault;

static const fault faults[] = {
  {"segfault", "produce", "SIGSEGV", 1},
  {"abort", "produce", "SIGABRT", 1},
  {"overflow", "produce", "SIGSEGV", 1},
  {"loop", "produce", "did not return from produceFrame", 1},
  {"stop", "produce", "did not return from produceFrame", 1},
  {"exit", "produce", "code 0", 1},
  {"_exit", "produce", "code 7", 1},
  {"kill", "produce", "SIGKILL", 1},
  {"forge", "produce", "which it was not granted", 1},
  {"answer", "produce", "its answer to produceFrame", 1},
  {"garbage", "produce", "ended", 1},
  {"noise", "produce", "ended", 1},
  {"noise", "push", "ended", 1},
  {"close", "produce", "", 1},
  {"flood", "produce", "its process was ended", 1},
  {"shout", "produce", "SIGABRT", 1},
  {"descriptors", "produce", "SIGABRT", 1},
  {"fork", "produce", "SIGABRT", 1},
  {"memory", "produce", "SIGABRT", 1},
  {"scribble", "produce", "", 1},
  {"truncate", "produce", "", 0},
  {"segfault", "init", "SIGSEGV", 1},
  {"segfault", "set_format", "SIGSEGV", 1},
  {"segfault", "start", "SIGSEGV", 1},
  {"loop", "start", "did not return from startCapture", 1},
  {"segfault", "push", "SIGSEGV", 1},
  {"forge", "push", "which it was not granted", 1},
  {"exit", "push", "code 0", 1},
};

/* The fault happens in the plugin's first process; the second is well. */
static void run_fault(const fault *it, int round) {
  if (only != NULL && strcmp(only, it->what) != 0) return;
  char name[96];
  snprintf(name, sizeof name, "%s in %s, round %d", it->what, it->at, round);
  check_case = name;
  unlink(mark);
  call c = open_call();
  int pushes = strcmp(it->at, "push") == 0;
  /* Only those that hang are to end at a deadline; the others may take the time that a busy machine needs. */
  int hangs = strcmp(it->what, "loop") == 0 || strcmp(it->what, "stop") == 0;
  msdk_instance *producer = isolated(c.engine, pushes ? "org.mediasdk.faulty.push" : "org.mediasdk.faulty.pull", hangs ? 500 : 30000);
  set(producer, "shade", "77");
  set(producer, "mark", mark);
  set(producer, "at", it->at);
  set(producer, "fault", it->what);
  int before = pid_of(producer);
  CHECK(before > 0 && before != getpid());
  CHECK_OK(msdk_outgoing_video_attach_producer(c.outgoing, producer));
  if (it->deaths) {
    CHECK(told(&c, MSDK_PLUGIN_EVENT_DIED, it->word));
    CHECK(told(&c, MSDK_PLUGIN_EVENT_RESTARTED, NULL));
  }
  /* It is back, with its parameters, and pictures come again. */
  CHECK(shade_wait(&c, 77));
  if (it->deaths) CHECK(pid_of(producer) != before);
  set(producer, "shade", "123");
  CHECK(shade_wait(&c, 123));
  uint32_t state = 0;
  CHECK_OK(msdk_session_get_state(c.alice, &state));
  CHECK_EQ(state, MSDK_SESSION_CONNECTED);
  msdk_instance_destroy(producer);
  call_close(&c);
}

static void test_faults(void) {
  for (int round = 0; round < rounds; round++) {
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) run_fault(&faults[i], round);
  }
}

/* In calls that take it down, the state is what it would have been. */
static void test_dying_downwards(void) {
  static const char *const places[] = {"stop", "release", "destroy"};
  for (size_t i = 0; i < 3; i++) {
    unlink(mark);
    call c = open_call();
    msdk_instance *producer = isolated(c.engine, "org.mediasdk.faulty.pull", 0);
    set(producer, "shade", "50");
    set(producer, "mark", mark);
    set(producer, "at", places[i]);
    set(producer, "fault", "segfault");
    CHECK_OK(msdk_outgoing_video_attach_producer(c.outgoing, producer));
    CHECK(shade_wait(&c, 50));
    CHECK_OK(msdk_outgoing_video_detach_producer(c.outgoing));
    CHECK_OK(msdk_instance_release(producer));
    uint32_t state = 9;
    CHECK_OK(msdk_instance_get_state(producer, MSDK_KIND_VIDEO_PRODUCER, &state));
    CHECK_EQ(state, MSDK_INSTANCE_CREATED);
    if (i < 2) {
      CHECK_OK(msdk_outgoing_video_attach_producer(c.outgoing, producer));
      CHECK(shade_wait(&c, 50));
    }
    msdk_instance_destroy(producer);
    call_close(&c);
  }
}

/* Executed, and no copy of the process that watches it: of that, locks of the runtime would be held by a thread that is not there. */
static int is_executed(int process) {
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/%d/cmdline", process);
  FILE *file = fopen(path, "r");
  size_t count = file == NULL ? 0 : fread(line, 1, sizeof line, file);
  if (file != NULL) fclose(file);
  return memmem(line, count, "\0--plugin", sizeof "\0--plugin") != NULL;
}

/* kill -9 from outside, again and again, while frames flow and parameters change. */
static void test_killed_in_the_middle(void) {
  call c = open_call();
  msdk_instance *producer = isolated(c.engine, "org.mediasdk.faulty.pull", 0);
  set(producer, "shade", "60");
  CHECK_OK(msdk_outgoing_video_attach_producer(c.outgoing, producer));
  for (int i = 0; i < 3; i++) {
    char shade[8];
    snprintf(shade, sizeof shade, "%d", 61 + i);
    CHECK(shade_wait(&c, 60 + i));
    int process = pid_of(producer);
    CHECK(process > 0 && is_executed(process));
    kill(process, SIGKILL);
    /* Set while it is gone, or going: it is told when it is back. */
    CHECK_OK(msdk_instance_set_param_text(producer, "shade", shade) == MSDK_E_PLUGIN_DIED
               ? msdk_instance_set_param_text(producer, "shade", shade) : MSDK_OK);
    CHECK(told(&c, MSDK_PLUGIN_EVENT_DIED, "SIGKILL"));
    CHECK(told(&c, MSDK_PLUGIN_EVENT_RESTARTED, NULL));
    CHECK(shade_wait(&c, 61 + i));
  }
  msdk_instance_destroy(producer);
  call_close(&c);
}

/* A parameter that it dies of keeps the value it had, and is not told again. */
static void test_deadly_parameter(void) {
  unlink(mark);
  msdk_engine *engine = loaded_engine(engine_new(MSDK_CLOCK_SYSTEM));
  msdk_instance *producer = isolated(engine, "org.mediasdk.faulty.pull", 0);
  set(producer, "shade", "40");
  set(producer, "at", "set_param");
  set(producer, "every", "true");
  set(producer, "fault", "abort");
  CHECK_EQ(msdk_instance_set_param_text(producer, "shade", "41"), MSDK_E_PLUGIN_DIED);
  CHECK(strstr(msdk_last_error(), "shade") != NULL);
  msdk_instance_destroy(producer);
  msdk_engine_destroy(engine);
}

static void test_renderer(void) {
  static const fault all[] = {{"segfault", "render", NULL, 1}, {"loop", "render", NULL, 1}, {"none", "none", NULL, 0}, {"exit", "snapshot", NULL, 1}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    unlink(mark);
    msdk_engine *engine = loaded_engine(engine_new(MSDK_CLOCK_SYSTEM));
    /* A healthy one has all the time that a busy machine needs. */
    int hangs = strcmp(all[i].what, "loop") == 0;
    msdk_instance *renderer = isolated(engine, "org.mediasdk.faulty.renderer", hangs ? 400 : 30000);
    set(renderer, "mark", mark);
    set(renderer, "at", all[i].at);
    set(renderer, "fault", all[i].what);
    msdk_video_format format = format_of(MSDK_PIXEL_I420, 322, 241, 0);
    msdk_video_frame *frame = NULL, *seen = NULL;
    CHECK_OK(msdk_video_frame_create(&format, &frame));
    for (uint32_t plane = 0; plane < 3; plane++) memset(frame->plane[plane].data, 90 + (int)plane, frame->plane[plane].size);
    msdk_result result = MSDK_E_FAIL;
    for (int tries = 0; tries < 200; tries++) {
      CHECK_OK(msdk_instance_render(renderer, frame));
      if (tries < 4) continue;
      result = msdk_instance_snapshot(renderer, &seen);
      if (result >= 0) break;
      CHECK(result == MSDK_E_AGAIN || result == MSDK_E_PLUGIN_DIED);
      sleep_ms(10);
    }
    CHECK_OK(result);
    if (result >= 0) {
      CHECK_EQ(seen->format->width, 322);
      CHECK_EQ(seen->plane[0].data[0], 90);
      CHECK_EQ(seen->plane[2].data[0], 90);
      msdk_video_frame_unref(seen);
    }
    msdk_video_frame_unref(frame);
    msdk_instance_destroy(renderer);
    msdk_engine_destroy(engine);
  }
}

/* Dispositions of the program's signals are its own business. */
static void test_signals_of_the_program(void) {
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_DFL);
  fault it = {"abort", "produce", "SIGABRT", 1};
  run_fault(&it, 0);
  signal(SIGCHLD, SIG_DFL);
  CHECK_EQ(children(), 0);
}

/* What it died of is the error of create. */
static void test_death_in_create(void) {
  msdk_engine *engine = loaded_engine(engine_new(MSDK_CLOCK_SYSTEM));
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  msdk_instance *instance = NULL;
  options.isolation = MSDK_ISOLATION_PROCESS;
  for (int round = 0; round < 3; round++) {
    CHECK_ERROR(msdk_instance_create(engine, "org.mediasdk.faulty.stillborn", &options, &instance), MSDK_E_PLUGIN_DIED, "org.mediasdk.faulty.stillborn");
    CHECK(strstr(msdk_last_error(), "SIGABRT") != NULL && strstr(msdk_last_error(), "in create") != NULL);
    CHECK(strstr(msdk_last_error(), "its last output: there is no device") != NULL);
  }
  msdk_engine_destroy(engine);
  CHECK_EQ(children(), 0);
}

/* A process that cannot be started for want of descriptors leaves none open. */
static void test_no_descriptors(void) {
  msdk_engine *engine = loaded_engine(engine_new(MSDK_CLOCK_SYSTEM));
  msdk_instance_destroy(isolated(engine, "org.mediasdk.faulty.pull", 30000)); /* what is made once is made */
  int before = process_descriptors(), next = dup(0);
  close(next);
  struct rlimit usual, narrow;
  getrlimit(RLIMIT_NOFILE, &usual);
  narrow = usual;
  narrow.rlim_cur = (rlim_t)next + 2; /* of the calls' memory, not of the sockets */
  setrlimit(RLIMIT_NOFILE, &narrow);
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = MSDK_ISOLATION_PROCESS;
  int failures = 0;
  for (int round = 0; round < 4; round++) {
    msdk_instance *instance = NULL;
    if (msdk_instance_create(engine, "org.mediasdk.faulty.pull", &options, &instance) < 0) failures++;
  }
  setrlimit(RLIMIT_NOFILE, &usual);
  CHECK_EQ(failures, 4);
  CHECK_EQ(process_descriptors(), before);
  msdk_engine_destroy(engine);
}

static void test_choosing(void) {
  msdk_engine *engine = loaded_engine(engine_new(MSDK_CLOCK_SYSTEM));
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  msdk_instance *instance = NULL;
  options.isolation = MSDK_ISOLATION_PROCESS;
  CHECK_EQ(msdk_instance_create(engine, "org.mediasdk.faulty.inside", &options, &instance), MSDK_E_UNSUPPORTED);
  CHECK(strstr(msdk_last_error(), "MSDK_CLASS_NO_ISOLATION") != NULL);
  options.isolation = 3;
  CHECK_EQ(msdk_instance_create(engine, "org.mediasdk.faulty.pull", &options, &instance), MSDK_E_UNSUPPORTED);
  options.isolation = MSDK_ISOLATION_PROCESS;
  options.flags = 8;
  CHECK_EQ(msdk_instance_create(engine, "org.mediasdk.faulty.pull", &options, &instance), MSDK_E_UNSUPPORTED);
  options.flags = 0;
  options.control_deadline_ms = 5;
  CHECK_EQ(msdk_instance_create(engine, "org.mediasdk.faulty.pull", &options, &instance), MSDK_E_RANGE);
  CHECK(strstr(msdk_last_error(), "control_deadline_ms") != NULL);
  options.control_deadline_ms = 0;
  options.memory_max_mb = 1;
  CHECK_EQ(msdk_instance_create(engine, "org.mediasdk.faulty.pull", &options, &instance), MSDK_E_RANGE);
  /* By the class's wish, and against it. */
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.faulty.push", NULL, &instance));
  CHECK_EQ(isolation_of(instance).is_isolated, 1);
  msdk_instance_destroy(instance);
  msdk_instance_options inside = MSDK_INIT(msdk_instance_options);
  inside.isolation = MSDK_ISOLATION_NONE;
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.faulty.push", &inside, &instance));
  CHECK_EQ(isolation_of(instance).is_isolated, 0);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
}

/* By the environment; then the file's code is not in this process at all. */
static int is_mapped(const char *name) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1024];
  int found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

static void test_environment(void) {
  char before[64];
  snprintf(before, sizeof before, "%s", getenv("MSDK_PLUGIN_ISOLATE") != NULL ? getenv("MSDK_PLUGIN_ISOLATE") : "");
  CHECK(!is_mapped("faulty.so")); /* runs first */
  setenv("MSDK_PLUGIN_ISOLATE", "nothing.*, org.mediasdk.faulty.p*,org.mediasdk.faulty.renderer", 1);
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(NULL, &engine));
  CHECK_OK(msdk_engine_load_plugin(engine, plugin));
  CHECK(is_mapped("faulty.so")); /* one of its classes is not isolated */
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.faulty.pull", NULL, &instance));
  CHECK_EQ(isolation_of(instance).is_isolated, 1);
  msdk_instance_destroy(instance);
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.faulty.inside", NULL, &instance));
  CHECK_EQ(isolation_of(instance).is_isolated, 0);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
  if (before[0] != 0) setenv("MSDK_PLUGIN_ISOLATE", before, 1); else unsetenv("MSDK_PLUGIN_ISOLATE");
}

static msdk_instance *made(msdk_engine *engine, const char *id, uint32_t wanted) {
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, id, NULL, &instance));
  CHECK_EQ(isolation_of(instance).is_isolated, wanted);
  return instance;
}

/* The environment names everything that comes from files. */
static void test_what_the_environment_names(void) {
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  if (directory == NULL || getenv("MSDK_TEST_PLUGIN_HOST") != NULL) return; /* a host of no sanitizer cannot load these plugins */
  char before[64], path[2][4096];
  snprintf(before, sizeof before, "%s", getenv("MSDK_PLUGIN_ISOLATE") != NULL ? getenv("MSDK_PLUGIN_ISOLATE") : "");
  setenv("MSDK_PLUGIN_ISOLATE", "*", 1);
  snprintf(path[0], sizeof path[0], "%s/testpattern.so", directory);
  snprintf(path[1], sizeof path[1], "%s/bw.so", directory);
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(NULL, &engine));
  for (int i = 0; i < 2; i++) CHECK_OK(msdk_engine_load_plugin(engine, path[i]));
  msdk_instance *pattern = made(engine, "org.mediasdk.producer.testpattern", 1), *renderer = made(engine, "org.mediasdk.renderer.bw", 1);
  msdk_instance *filter = made(engine, "org.mediasdk.filter.bw", 1);
  CHECK(!is_mapped("testpattern.so") && !is_mapped("bw.so")); /* neither file's code is in this process */
  msdk_value count = {.type = MSDK_T_VOID};
  CHECK_OK(msdk_instance_call(pattern, "frame_count", NULL, 0, &count));
  CHECK_EQ(count.type, MSDK_T_U64);
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = MSDK_ISOLATION_PROCESS;
  msdk_instance *refused = NULL;
  CHECK_ERROR(msdk_instance_create(engine, "org.mediasdk.vp8", &options, &refused), MSDK_E_UNSUPPORTED, "org.mediasdk.vp8");
  msdk_instance_destroy(pattern);
  msdk_instance_destroy(renderer);
  msdk_instance_destroy(filter);
  msdk_engine_destroy(engine);
  if (before[0] != 0) setenv("MSDK_PLUGIN_ISOLATE", before, 1); else unsetenv("MSDK_PLUGIN_ISOLATE");
}

/* Threads, descriptors, processes and memory are what they were. */

static void test_leaks(void) {
  int threads = 0, descriptors = 0;
  int64_t resident = 0;
  int most = under_tools() ? 4 : 12;
  for (int round = 0; round < most; round++) {
    fault it = {round % 2 ? "segfault" : "loop", "produce", round % 2 ? "SIGSEGV" : "", 1};
    run_fault(&it, round);
    check_case = "test_leaks";
    if (round == 2) {
      threads = process_threads();
      descriptors = process_descriptors();
      resident = process_resident_kib();
    }
  }
  for (int tries = 0; tries < 6000 && (process_threads() > threads || process_descriptors() > descriptors); tries++) sleep_ms(10);
  CHECK(process_threads() <= threads);
  CHECK(process_descriptors() <= descriptors);
  CHECK_EQ(children(), 0);
  if (!under_tools()) CHECK(process_resident_kib() <= resident + 2048);
  CHECK_EQ(process_entries("/proc/self/task") > 0, 1);
}

int main(int argc, char **argv) {
  if (argc > 2) rounds = atoi(argv[2]);
  if (argc > 3) only = argv[3];
  isolating_begin();
  RUN(test_environment);
  RUN(test_death_in_create);
  RUN(test_no_descriptors);
  RUN(test_choosing);
  RUN(test_what_the_environment_names);
  RUN(test_killed_in_the_middle);
  RUN(test_dying_downwards);
  RUN(test_deadly_parameter);
  RUN(test_renderer);
  RUN(test_signals_of_the_program);
  RUN(test_leaks);
  RUN(test_faults);
  unlink(mark);
  return check_finish();
}
