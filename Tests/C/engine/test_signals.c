/* mediasdk.h: signals are for the program's threads, but for those that a thread raises by its own fault. Those reach the program's handler. */
#include "feeding.h"
#include "sending.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
enum { FAULTS = sizeof faults / sizeof faults[0] };

/* ---------------------------------------------------------------------------------------------------------- recovering */

static _Thread_local sigjmp_buf back;
static _Thread_local volatile sig_atomic_t came;
static atomic_int recovered;

/* As a JVM's or a Go program's: it goes on. */
static void on_fault(int number) {
  came = number;
  siglongjmp(back, 1);
}

static void handle_faults(void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < FAULTS; i++) CHECK_EQ(sigaction(faults[i], &action, NULL), 0);
}

/* Stores where nothing may be, with a handler's stack of its own; then the other signals, as the thread's own too. */
static void fault_and_recover(void) {
  uint8_t memory[65536];
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory}, former;
  CHECK_EQ(sigaltstack(&stack, &former), 0);
  volatile int *volatile nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sigsetjmp(back, 1) == 0) *nothing = 1;
  CHECK_EQ(came, SIGSEGV);
  munmap((void *)nothing, 4096);
  for (volatile int i = 0; i < FAULTS; i++) {
    came = 0;
    if (sigsetjmp(back, 1) == 0) raise(faults[i]);
    CHECK_EQ(came, faults[i]);
  }
  sigaltstack(&former, NULL);
  atomic_fetch_add(&recovered, 1);
}

static void frame_faults(void *user, const msdk_video_frame *frame) {
  (void)user, (void)frame;
  fault_and_recover();
}

static void report_faults(void *user, const msdk_frame_report *report) {
  (void)user, (void)report;
  fault_and_recover();
}

static void event_faults(void *user, const msdk_event *event) {
  (void)user, (void)event;
  if (event->type == MSDK_EVENT_INCOMING_VIDEO_ADDED) fault_and_recover();
}

static void callbacks_may_fault_and_recover(void) {
  handle_faults(on_fault, SA_ONSTACK);
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  call it = call_join(MSDK_CLOCK_SYSTEM);
  msdk_session *carol = join(it.engine, it.url, "carol");
  CHECK_OK(msdk_session_set_event_callback(carol, event_faults, NULL)); /* msdk-events */
  NEED(call_offer(&it, &options));
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  CHECK_OK(msdk_incoming_video_set_frame_callback(it.incoming, frame_faults, NULL)); /* msdk-receive */
  WAIT_UNTIL(outgoing_stats(it.outgoing).receivers == 1 && atomic_load(&recovered) == 1);
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_frame_sender_acquire(it.sender, 1000, &frame));
  NEED(frame != NULL);
  picture_draw(frame, 0);
  CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, report_faults, NULL)); /* msdk-encode */
  msdk_video_frame_unref(frame);
  WAIT_UNTIL(atomic_load(&recovered) == 3);
  CHECK_EQ(atomic_load(&recovered), 3);
  msdk_session_destroy(carol);
  call_close(&it);
  handle_faults(SIG_DFL, 0);
}

/* A crash reporter, which notes the fault and ends the process itself. */
static void report_and_exit(int number) { _exit(100 + number); }

static void frame_crashes(void *user, const msdk_video_frame *frame) {
  (void)user, (void)frame;
  volatile int *volatile nothing = NULL;
  *nothing = 1;
}

/* This program again. */
static int crash(void) {
  handle_faults(report_and_exit, 0);
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  msdk_incoming_video_set_frame_callback(it.incoming, frame_crashes, NULL);
  send_picture(it.sender, 0, 0, NULL);
  sleep_ms(20000);
  return 1;
}

static void crash_reporters_see_what_callbacks_do(void) {
  pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "test_signals", "crash", (char *)NULL);
    _exit(2);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 100 + SIGSEGV);
}

/* --------------------------------------------------------------------------------------------------------- all threads */

/* The signals that a thread blocks; 0 when it has ended. */
static uint64_t blocked_by(const char *process, const char *thread, char name[32]) {
  char path[320], line[256];
  uint64_t blocked = 0;
  snprintf(path, sizeof path, "/proc/%s/task/%s/status", process, thread);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    sscanf(line, "Name: %31s", name);
    sscanf(line, "SigBlk: %" SCNx64, &blocked);
  }
  if (file != NULL) fclose(file);
  return blocked;
}

/* A thread that is being made blocks everything until libc lets it run its own code. */
static uint64_t blocked_when_running(const char *process, const char *thread, char name[32]) {
  uint64_t blocked = blocked_by(process, thread, name);
  for (int tries = 0; tries < 5000 && (blocked >> (SIGSEGV - 1) & 1) == 1; tries++) {
    sleep_ms(1);
    blocked = blocked_by(process, thread, name);
  }
  return blocked;
}

/* Checks each thread that the SDK made; how many there are. */
static int check_threads(const char *process, const char *without) {
  int count = 0;
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/task", process);
  DIR *tasks = opendir(path);
  for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    char name[32] = "";
    if (task->d_name[0] == '.' || strcmp(task->d_name, without) == 0) continue;
    uint64_t blocked = blocked_when_running(process, task->d_name, name);
    if (blocked == 0 && access(path, F_OK) != 0) continue;
    count++;
    for (int i = 0; i < FAULTS; i++) {
      if (!CHECK((blocked >> (faults[i] - 1) & 1) == 0)) fprintf(stderr, "  %s blocks signal %d\n", name, faults[i]);
    }
    if (!CHECK((blocked >> (SIGTERM - 1) & 1) == 1 && (blocked >> (SIGPIPE - 1) & 1) == 1)) fprintf(stderr, "  %s takes the program's signals\n", name);
  }
  if (tasks != NULL) closedir(tasks);
  return count;
}

static msdk_instance *plugin_of(msdk_engine *engine, const char *file, const char *id, uint32_t isolation) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.so", getenv("MSDK_PLUGIN_DIR"), file);
  msdk_engine_load_plugin(engine, path); /* again, perhaps */
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = isolation;
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, id, &options, &instance));
  return instance;
}

static void no_thread_of_the_sdk_blocks_a_fault(void) {
  door it = door_open(MSDK_CODEC_VP8);
  msdk_feeder *feeder = feeder_new(&it, 1);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_I420, 64, 48, 100);
  CHECK_EQ(msdk_feeder_send(feeder, &picture), MSDK_OK);
  msdk_incoming_video *incoming = door_view(&it, NULL);
  NEED(incoming != NULL);
  msdk_instance *terminal = plugin_of(it.engine, "terminal", "org.mediasdk.renderer.terminal", MSDK_ISOLATION_NONE);
  CHECK_OK(msdk_instance_set_param_text(terminal, "path", "terminal.txt"));
  CHECK_OK(msdk_instance_set_param_text(terminal, "columns", "40"));
  CHECK_OK(msdk_instance_set_param_text(terminal, "rows", "20"));
  CHECK_OK(msdk_incoming_video_attach_renderer(incoming, terminal, NULL));
  /* A host of no sanitizer cannot load the plugin. */
  msdk_instance *isolated = NULL;
  if (getenv("MSDK_TEST_PLUGIN_HOST") == NULL) isolated = plugin_of(it.engine, "tone", "org.mediasdk.producer.tone", MSDK_ISOLATION_PROCESS);
  char self[32];
  snprintf(self, sizeof self, "%d", (int)getpid());
  CHECK(check_threads("self", self) >= (isolated != NULL ? 6 : 5));
  msdk_instance_destroy(isolated);
  msdk_feeder_close(feeder);
  msdk_incoming_video_detach_renderer(incoming, terminal);
  msdk_instance_destroy(terminal);
  door_close(&it);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "crash") == 0) return crash();
  RUN(crash_reporters_see_what_callbacks_do);
  RUN(callbacks_may_fault_and_recover);
  RUN(no_thread_of_the_sdk_blocks_a_fault);
  return check_finish();
}
