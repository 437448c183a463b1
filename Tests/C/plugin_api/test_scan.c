/* Directories of plugins, the bad ones of which would end or hold up the process that loads them. They are looked at by children; what these
 * found out is remembered. */
#include "call.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char scanned[2048], work[1024], host[2200], cache[1200];
static char logged[1 << 16];
static char looked[1 << 16]; /* of every child: the file, and its descriptors */

static void on_log(void *user, const msdk_log_record *record) {
  (void)user;
  size_t length = strlen(logged);
  snprintf(logged + length, sizeof logged - length, "%s\n", record->text);
}

static char *text_of(const char *path) {
  static char text[1 << 16];
  memset(text, 0, sizeof text);
  FILE *file = fopen(path, "r");
  if (file != NULL && fread(text, 1, sizeof text - 1, file) == 0) text[0] = 0;
  if (file != NULL) fclose(file);
  return text;
}

static void write_file(const char *path, const char *text, int mode) {
  FILE *file = fopen(path, "w");
  NEED(file != NULL);
  fputs(text, file);
  fclose(file);
  CHECK_EQ(chmod(path, (mode_t)mode), 0);
}

/* A fresh directory with these files of the scanned ones. */
static const char *directory_of(const char *const *names) {
  static char path[4][1300];
  static int count;
  char *it = path[count % 4], command[6000];
  snprintf(it, sizeof path[0], "%s/d%d", work, count++);
  CHECK_EQ(mkdir(it, 0755), 0);
  for (; *names != NULL; names++) {
    snprintf(command, sizeof command, "cp '%s/%s.so' '%s/'", scanned, *names, it);
    CHECK_EQ(system(command), 0);
  }
  return it;
}

/* What a new engine loads of a directory; `looks` says how many children were needed. */
static uint32_t load_of(const char *directory, int ignores_environment, int *looks) {
  msdk_engine_options options = MSDK_INIT(msdk_engine_options);
  options.clock = MSDK_CLOCK_VIRTUAL;
  options.ignore_environment = (uint32_t)ignores_environment;
  msdk_engine *engine = NULL;
  uint32_t loaded = 99;
  char counted[1200];
  snprintf(counted, sizeof counted, "%s/looked", work);
  unlink(counted);
  logged[0] = 0;
  CHECK_OK(msdk_engine_create(&options, &engine));
  CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_DEBUG, on_log, NULL));
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, &loaded));
  snprintf(looked, sizeof looked, "%s", text_of(counted));
  if (looks != NULL) {
    *looks = 0;
    for (const char *at = looked; (at = strstr(at, "--scan")) != NULL; at++) *looks += 1;
  }
  msdk_engine_destroy(engine);
  return loaded;
}

static int is_mapped(const char *name) { return strstr(text_of("/proc/self/maps"), name) != NULL; }

static int open_descriptors(void) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  while (directory != NULL && readdir(directory) != NULL) count++;
  if (directory != NULL) closedir(directory);
  return count;
}

static void nothing_that_a_file_does_harms_the_program(void) {
  static const char *const names[] = {"aborts", "crashes", "declines_all", "exits", "floods", "forks", "garbles", "hangs", "prints", NULL};
  static const char *const reasons[][2] = {
    {"aborts.so was not loaded", "signal 6"}, {"crashes.so was not loaded", "signal 11"}, {"crashes.so", "its output: about to write to address 8"},
    {"declines_all.so declined", "NULL"}, {"exits.so was not loaded", "exit(0)"}, {"floods.so was not loaded", "more than is accepted"},
    {"garbles.so was not loaded", "an invalid answer"}, {"hangs.so was not loaded", "did not end within 10.0 s"}};
  const char *directory = directory_of(names);
  int looks = 0, before = open_descriptors();
  CHECK_EQ(load_of(directory, 0, &looks), 2); /* forks and prints */
  CHECK_EQ(looks, 9);
  CHECK_EQ(open_descriptors(), before);
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
    const char *line = strstr(logged, reasons[i][0]), *reason = line != NULL ? strstr(line, reasons[i][1]) : NULL;
    const char *end = line != NULL ? strchr(line, '\n') : NULL;
    if (!CHECK(reason != NULL && end != NULL && reason < end)) fprintf(stderr, "  %s: %s, in\n%s", reasons[i][0], reasons[i][1], logged);
  }
  static const char *const never[] = {"aborts.so", "crashes.so", "declines_all.so", "exits.so", "floods.so", "garbles.so", "hangs.so"};
  char path[2048];
  for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, never[i]);
    CHECK(!is_mapped(path));
  }
  snprintf(path, sizeof path, "%s/prints.so", directory);
  CHECK(is_mapped(path));
  int status = 0;
  CHECK(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD);

  /* Faults are remembered; answers that cost little are asked for again; what is loaded is not looked at. */
  CHECK_EQ(load_of(directory, 0, &looks), 2);
  CHECK_EQ(looks, 1);
  CHECK_STR_CONTAINS(looked, "declines_all.so");
  CHECK_STR_CONTAINS(logged, "signal 11");
  CHECK_STR_CONTAINS(logged, "10.0 s");
}

/* A file that this process has not loaded yet: the cache alone knows it. */
static void what_is_known_is_not_asked_for(void) {
  static const char *const names[] = {"exits", NULL};
  const char *directory = directory_of(names);
  char path[2048], command[12000];
  int looks = 0;
  CHECK_EQ(load_of(directory, 0, &looks), 0);
  CHECK_EQ(looks, 1);
  CHECK_EQ(load_of(directory, 0, &looks), 0);
  CHECK_EQ(looks, 0);
  CHECK_STR_CONTAINS(logged, "exit(0)");
  struct stat status;
  CHECK(stat(cache, &status) == 0 && (status.st_mode & 0777) == 0600);

  /* It changed: by its time, and by what is in it. */
  snprintf(command, sizeof command, "touch '%s/exits.so'", directory);
  CHECK_EQ(system(command), 0);
  CHECK_EQ(load_of(directory, 0, &looks), 0);
  CHECK_EQ(looks, 1);
  snprintf(path, sizeof path, "%s/exits.so", directory);
  snprintf(command, sizeof command, "cp '%s/quiet.so' '%s.new' && mv '%s.new' '%s'", scanned, path, path, path);
  CHECK_EQ(system(command), 0);
  CHECK_EQ(load_of(directory, 0, &looks), 1); /* no blacklist */
  CHECK_EQ(looks, 1);
  CHECK(strcmp(logged, "") == 0);
}

static void a_cache_that_is_none_is_ignored_and_written_anew(void) {
  static const char *const names[] = {"exits", NULL};
  const char *directory = directory_of(names);
  int looks = 0;
  load_of(directory, 0, &looks);
  char *good = strdup(text_of(cache));
  NEED(good != NULL && strlen(good) > 100);
  char *later = strdup(good), *head = strdup(good), *cut = strdup(good), *fields = strdup(good);
  strstr(later, "\trefused")[-1] ^= 1; /* the time of looking is another: still an hour ago at most, or to come */
  head[17] = '9';
  cut[strlen(cut) - 6] = 0;
  *strchr(fields, '\t') = ' ';
  const char *bad[] = {"", "garbage\n", head, cut, fields, "mediasdk-plugins 1 0.1.0 1.3\nend\n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_file(cache, bad[i], 0600);
    CHECK_EQ(load_of(directory, 0, &looks), 0);
    CHECK_EQ(looks, 1);
    CHECK(strstr(text_of(cache), "exits.so") != NULL);
    CHECK_EQ(load_of(directory, 0, &looks), 0);
    CHECK_EQ(looks, 0);
  }
  write_file(cache, good, 0622); /* which others may have written */
  load_of(directory, 0, &looks);
  CHECK_EQ(looks, 1);
  unlink(cache);
  CHECK_EQ(mkdir(cache, 0700), 0); /* cannot be written: costs time only */
  load_of(directory, 0, &looks);
  load_of(directory, 0, &looks);
  CHECK_EQ(looks, 1);
  CHECK_EQ(rmdir(cache), 0);
  unlink(cache);
  load_of(directory, 1, &looks); /* without the environment nothing is kept */
  CHECK(access(cache, F_OK) < 0);
  free(good);
  free(later);
  free(head);
  free(cut);
  free(fields);
}

static void one_that_is_named_is_loaded_at_once(void) {
  static const char *const names[] = {"quiet", NULL};
  char path[2048], counted[1200];
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(NULL, &engine));
  snprintf(path, sizeof path, "%s/quiet.so", directory_of(names));
  snprintf(counted, sizeof counted, "%s/looked", work);
  unlink(counted);
  CHECK_OK(msdk_engine_load_plugin(engine, path));
  CHECK(access(counted, F_OK) < 0);
  msdk_engine_destroy(engine);
}

static void programs_that_answer_nonsense(void) {
  static const char *const names[] = {"quiet", NULL};
  static const struct {
    const char *script, *reason;
  } wrong[] = {
    {"#!/bin/sh\nexit 0\n", "exit(0)"},
    {"#!/bin/sh\nexit 7\n", "exit(7)"},
    {"#!/bin/sh\nkill -9 $$\n", "signal 9"},
    {"#!/bin/sh\necho hello\n", "an invalid answer"},
    {"#!/bin/sh\nprintf 'mediasdk-scan 1\\naccepted org.a\\n'\n", "an invalid answer"},
    {"#!/bin/sh\nprintf 'mediasdk-scan 1\\naccepted UPPER\\nend\\n'\n", "an invalid answer"},
    {"#!/bin/sh\nprintf 'mediasdk-scan 1\\nrefused 5 words\\nend\\n'\n", "an invalid answer"},
    {"#!/bin/sh\nprintf 'mediasdk-scan 1\\naccepted org.a\\nend\\nmore\\n'\n", "an invalid answer"},
    {"#!/bin/sh\nexec head -c 5000000 /dev/zero\n", "more than is accepted"},
    {"#!/bin/sh\nprintf 'mediasdk-scan 1\\nrefused -25 because\\nend\\n'\n", "because"},
  };
  char script[1200];
  snprintf(script, sizeof script, "%s/wrong", work);
  setenv("MSDK_PLUGIN_HOST", script, 1);
  const char *directory = directory_of(names);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    write_file(script, wrong[i].script, 0755);
    unlink(cache);
    CHECK_EQ(load_of(directory, 0, NULL), 0);
    CHECK_STR_CONTAINS(logged, wrong[i].reason);
  }
  unlink(cache);
  write_file(script, "#!/no/such/program\n", 0755); /* nobody could look: loaded unseen, as without the program */
  CHECK_EQ(load_of(directory, 0, NULL), 1);
  setenv("MSDK_PLUGIN_HOST", "/no/such/program", 1);
  CHECK_EQ(load_of(directory_of(names), 0, NULL), 1);
  setenv("MSDK_PLUGIN_HOST", host, 1);
}

static void reap(int number) {
  int error = errno, status;
  (void)number;
  while (waitpid(-1, &status, WNOHANG) > 0) continue;
  errno = error;
}

static atomic_int child_signals;

static void count_signal(int number) {
  (void)number;
  atomic_fetch_add(&child_signals, 1);
}

/* A program that waits for every child itself, or lets the system do it, and one that counts them. */
static void a_program_with_children_of_its_own(void) {
  static const char *const names[] = {"crashes", "quiet", NULL};
  void (*const handlers[])(int) = {reap, SIG_IGN, count_signal};
  const char *directories[] = {directory_of(names), directory_of(names), directory_of(names)};
  for (int i = 0; i < 3; i++) {
    struct sigaction action = {.sa_handler = handlers[i]}, former, after;
    CHECK_EQ(sigaction(SIGCHLD, &action, &former), 0);
    pid_t own = fork();
    if (own == 0) {
      for (;;) pause();
    }
    CHECK_EQ(load_of(directories[i], 0, NULL), 1);
    CHECK_STR_CONTAINS(logged, "crashes.so was not loaded");
    CHECK_EQ(kill(own, 0), 0);
    kill(own, SIGKILL);
    int status;
    while (waitpid(own, &status, 0) < 0 && errno == EINTR) continue;
    CHECK_EQ(sigaction(SIGCHLD, &former, &after), 0);
    CHECK(after.sa_handler == handlers[i]);
  }
}

static void nothing_of_the_program_is_inherited(void) {
  static const char *const names[] = {"inherits", NULL};
  int ends[2], high;
  sigset_t blocked, former;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  CHECK_EQ(pipe(ends), 0); /* without O_CLOEXEC */
  high = fcntl(ends[0], F_DUPFD, 50);
  CHECK(high >= 50);
  CHECK_EQ(pthread_sigmask(SIG_BLOCK, &blocked, &former), 0);
  void (*pipes)(int) = signal(SIGPIPE, SIG_IGN);
  CHECK_EQ(load_of(directory_of(names), 0, NULL), 1);
  signal(SIGPIPE, pipes);
  CHECK_EQ(pthread_sigmask(SIG_SETMASK, &former, NULL), 0);
  close(ends[0]);
  close(ends[1]);
  close(high);
}

static void with_the_standard_descriptors_closed(void) {
  static const char *const names[] = {"crashes", "quiet", NULL};
  const char *directory = directory_of(names);
  pid_t child = fork(); /* which is not a child of fork to the SDK: it executes this program anew */
  if (child == 0) {
    setenv("MSDK_TEST_CLOSED", directory, 1);
    execl("/proc/self/exe", "test_scan", (char *)NULL);
    _exit(9);
  }
  int status = -1;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static void left_out_by_the_user(void) {
  static const char *const names[] = {"prints", "quiet", NULL};
  const char *directory = directory_of(names);
  int looks = 0;
  static const struct {
    const char *globs, *reason;
    uint32_t loaded;
  } cases[] = {{"quiet.so", "quiet.so is disabled", 1}, {"org.mediasdk.test.q*", "class org.mediasdk.test.quiet is disabled", 1},
               {"x,*.so", "\"*.so\"", 0}, {"nothing:org.mediasdk.*", "org.mediasdk.*", 0}, {"", "", 2}, {",:", "", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    setenv("MSDK_PLUGIN_DISABLE", cases[i].globs, 1);
    CHECK_EQ(load_of(directory, 0, &looks), cases[i].loaded);
    if (cases[i].reason[0] != 0) CHECK_STR_CONTAINS(logged, cases[i].reason);
    CHECK_EQ(load_of(directory, 1, NULL), 2); /* which the program does not read */
  }
  setenv("MSDK_PLUGIN_DISABLE", "quiet.so", 1);
  char path[2048];
  msdk_engine *engine = NULL;
  snprintf(path, sizeof path, "%s/quiet.so", directory);
  CHECK_OK(msdk_engine_create(NULL, &engine));
  CHECK_ERROR(msdk_engine_load_plugin(engine, path), MSDK_E_PERMISSION, "MSDK_PLUGIN_DISABLE");
  msdk_engine_destroy(engine);
  unsetenv("MSDK_PLUGIN_DISABLE");
  setenv("MSDK_PLUGIN_SAFE_MODE", "1", 1);
  CHECK_EQ(load_of(directory, 0, &looks), 0);
  CHECK_EQ(looks, 0);
  CHECK_STR_CONTAINS(logged, "MSDK_PLUGIN_SAFE_MODE");
  CHECK_OK(msdk_engine_create(NULL, &engine));
  CHECK_ERROR(msdk_engine_load_plugin(engine, path), MSDK_E_PERMISSION, "MSDK_PLUGIN_SAFE_MODE");
  msdk_engine_destroy(engine);
  setenv("MSDK_PLUGIN_SAFE_MODE", "0", 1);
  CHECK_EQ(load_of(directory, 0, NULL), 2);
  unsetenv("MSDK_PLUGIN_SAFE_MODE");
}

int main(int argc, char **argv) {
  const char *closed = getenv("MSDK_TEST_CLOSED");
  if (closed != NULL) { /* see with_the_standard_descriptors_closed */
    for (int i = 0; i < 3; i++) close(i);
    uint32_t loaded = 0;
    msdk_engine *engine = NULL;
    if (msdk_engine_create(NULL, &engine) < 0 || msdk_engine_add_plugin_dir(engine, closed, &loaded) < 0) return 99;
    return (int)loaded;
  }
  const char *built = getenv("MSDK_TEST_SCANNED"), *libraries = getenv("MSDK_LIB_DIR");
  char program[2048];
  snprintf(program, sizeof program, "%s/msdk-plugin-host", libraries != NULL ? libraries : ".");
  if (built == NULL || access(program, X_OK) < 0) {
    printf("no msdk-plugin-host beside the library: nothing to test\n0 passed, 0 failed\n");
    return 0;
  }
  snprintf(scanned, sizeof scanned, "%s", built);
  if (!CHECK(getcwd(work, sizeof work) != NULL)) return check_finish();
  snprintf(cache, sizeof cache, "%s/cache/mediasdk/plugins", work);
  char folder[1200], script[8000];
  snprintf(folder, sizeof folder, "%s/cache", work);
  snprintf(host, sizeof host, "%s/host", work);
  /* Writes down what it is started with and goes on as the real one. */
  snprintf(script, sizeof script, "#!/bin/sh\necho \"$@\" >> '%s/looked'\nexec '%s' \"$@\"\n",
           work, program);
  write_file(host, script, 0755);
  setenv("XDG_CACHE_HOME", folder, 1);
  setenv("MSDK_PLUGIN_HOST", host, 1);
  setenv("MSDK_TEST_NO_FORK", "1", 1);
  RUN(what_is_known_is_not_asked_for);
  RUN(a_cache_that_is_none_is_ignored_and_written_anew);
  RUN(one_that_is_named_is_loaded_at_once);
  RUN(programs_that_answer_nonsense);
  RUN(a_program_with_children_of_its_own);
  RUN(nothing_of_the_program_is_inherited);
  RUN(with_the_standard_descriptors_closed);
  RUN(left_out_by_the_user);
  RUN(nothing_that_a_file_does_harms_the_program);
  return check_finish();
}
