/* A child for every check, and what it tells its parent through shared memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "list.h"
#include "settings.h"

verdict *result;
const checker_request *request;
static uint64_t random_state;

int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void wait_ms(uint32_t ms) {
  struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {
  }
}

uint32_t random_below(uint32_t bound) {
  random_state += 0x9E3779B97F4A7C15;
  uint64_t mixed = (random_state ^ (random_state >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return (uint32_t)((mixed ^ (mixed >> 31)) % bound);
}

void fail(const char *rule, const char *format, ...) {
  if (result->value == CHECKER_FAILED) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(result->text, sizeof result->text, format, arguments);
  va_end(arguments);
  snprintf(result->rule, sizeof result->rule, "%s", rule);
  result->value = CHECKER_FAILED;
}

void skip(const char *format, ...) {
  if (result->value == CHECKER_FAILED) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(result->text, sizeof result->text, format, arguments);
  va_end(arguments);
  result->value = CHECKER_SKIPPED;
}

int has_failed(void) {
  return result->value == CHECKER_FAILED;
}

void step(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(result->step, sizeof result->step, format, arguments);
  va_end(arguments);
}

static void find_classes(void) {
  const msdk_module *module = module_get();
  if (module == NULL || module->classes == NULL) return;
  for (uint32_t i = 0; i < CLASSES_MAX && i < module->class_count && module->classes[i] != NULL; i++) {
    const char *id = module->classes[i]->id;
    snprintf(result->class_ids[i], ID_MAX, "%s", id == NULL ? "" : id);
    result->class_count = i + 1;
  }
  check_setting_names(module);
}

/* Codecs have checks of their own; those that drive the other kinds see nothing of them, and say so. */
static void admit(void (*work)(void)) {
  const checker_check *check = &LISTED[request->check].check;
  if (work != LISTED[request->check].run || !check->is_for_class || has_failed()) return;
  const char *const others[] = {"create", "parameters", "commands", "encode", "decode", "garbage"};
  for (int i = 0; i < 6; i++) {
    if (strcmp(check->id, others[i]) == 0) return;
  }
  const msdk_class *class = class_get();
  uint32_t driven = 0;
  for (int i = 0; i < 6; i++) driven |= KINDS[i];
  if (class != NULL && (class->kinds & driven) == 0) skip("it is only a codec: see encode, decode and garbage");
}

static void run_here(void (*work)(void)) {
  random_state = request->seed;
  work();
  admit(work);
  result->is_over = 1;
}

/* What the plugin prints goes into a file without a name; the end of it is told when the child dies. */
static int make_output(void) {
  return memfd_create("output", MFD_CLOEXEC);
}

static void child(void (*work)(void), int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0); /* what it starts itself goes with it */
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, 0), close(nothing);
  dup2(output, 1);
  dup2(output, 2);
  mallopt(M_ARENA_MAX, 1); /* memory is counted */
  region_watch();
  run_here(work);
  _exit(0); /* no static destructors: plugins outlive none */
}

static void tell_death(int status, int is_late, int output) {
  char tail[400] = "";
  off_t end = lseek(output, 0, SEEK_END);
  ssize_t count = end > 0 ? pread(output, tail, sizeof tail - 1, end > 399 ? end - 399 : 0) : 0;
  tail[count > 0 ? count : 0] = 0;
  for (char *at = tail; *at != 0; at++) *at = (unsigned char)*at < 32 ? ' ' : *at;
  const char *said = tail[0] != 0 ? "; it printed: " : "";
  const char *where = result->step[0] != 0 ? result->step : "the check";
  const char *rule = LISTED[request->check].check.rule;
  if (is_late) {
    fail(rule, "still in %s after %u s, and was killed%s%s", where, request->seconds, said, tail);
  } else if (WIFSIGNALED(status)) {
    fail(rule, "died of signal %d (%s) in %s%s%s%s%s", WTERMSIG(status), strsignal(WTERMSIG(status)), where,
         result->fault[0] != 0 ? ": " : "", result->fault, said, tail);
  } else {
    fail(rule, "exited with code %d in %s%s%s", WEXITSTATUS(status), where, said, tail);
  }
}

static void run_child(void (*work)(void)) {
  int output = make_output();
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) child(work, output);
  if (pid < 0) {
    fail("fork", "no process can be started: %s", strerror(errno));
    close(output);
    return;
  }
  int handle = (int)syscall(SYS_pidfd_open, pid, 0);
  struct pollfd waiting = {.fd = handle, .events = POLLIN};
  int64_t end = now_ns() + (int64_t)request->seconds * 1000000000;
  int is_late = 0;
  while (!is_late) {
    int64_t left = (end - now_ns() + 999999) / 1000000; /* rounded up: killed after the whole time, by which the tool counts hangs */
    int ready = handle < 0 ? (wait_ms(5), waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT | WNOHANG) == 0 && left < 0)
                           : poll(&waiting, 1, left > 0 ? (int)left : 0);
    if (ready > 0) break;
    is_late = left <= 0;
  }
  kill(-pid, SIGKILL);
  if (is_late) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (handle >= 0) close(handle);
  if (!result->is_over) tell_death(status, is_late, output);
  close(output);
}

static void run(const checker_request *asked, void (*work)(void)) {
  if (result == NULL) {
    result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED) abort();
  }
  memset(result, 0, sizeof *result);
  request = asked;
  if (asked->in_process)
    run_here(work);
  else
    run_child(work);
}

int32_t checker_run(const checker_request *asked) {
  run(asked, LISTED[asked->check].run);
  return result->value;
}

const char *checker_rule(void) {
  return result->rule;
}
const char *checker_text(void) {
  return result->text;
}

int32_t checker_classes(const checker_request *asked) {
  run(asked, find_classes);
  return has_failed() ? -1 : result->class_count;
}

const char *checker_class(int32_t index) {
  return index >= 0 && index < CLASSES_MAX ? result->class_ids[index] : "";
}
