/* Child processes, which plugins are looked at and run in. By posix_spawn(3), which neither copies this process nor runs its code in the child. */
#ifndef MEDIASDK_CLINUX_CHILDREN_H
#define MEDIASDK_CLINUX_CHILDREN_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern char **environ;

/* A pipe whose ends are none of 0 to 2, whatever this process has closed, and are not inherited. */
static inline int msdk_pipe(int ends[2]) {
  int low[2];
  if (pipe2(low, O_CLOEXEC) < 0) return -1;
  for (int i = 0; i < 2; i++) ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
  close(low[0]);
  close(low[1]);
  if (ends[0] >= 0 && ends[1] >= 0) return 0;
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  return -1;
}

/* Starts a program that has nothing of this process but the environment: /dev/null, `output` and `errors` as its descriptors 0 to 2, then
 * descriptors[0..count) (up to 8) as 3, 4, …; every signal as at first and none blocked; a session and process group of its own. 0, or an
 * errno. */
static inline int msdk_spawn(const char *program, char *const *arguments, int output, int errors, const int *descriptors, int count,
                             pid_t *out) {
  int moved[10], wanted = count + 2, made = 0, error = 0;
  if (count < 0 || count > 8) return EINVAL;
  /* Out of the way of the numbers that they get. */
  for (; made < wanted && error == 0; made++) {
    moved[made] = fcntl(made == 0 ? output : made == 1 ? errors : descriptors[made - 2], F_DUPFD_CLOEXEC, 16);
    if (moved[made] < 0) {
      error = errno;
      break;
    }
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (error == 0) error = posix_spawn_file_actions_init(&actions);
  if (error == 0 && (error = posix_spawnattr_init(&attributes)) != 0) posix_spawn_file_actions_destroy(&actions);
  if (error == 0) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | 0x80 /* POSIX_SPAWN_SETSID */));
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int i = 0; i < wanted && error == 0; i++) error = posix_spawn_file_actions_adddup2(&actions, moved[i], 1 + i);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 1 + wanted);
    if (error == 0) error = posix_spawn(out, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }
  for (int i = 0; i < made; i++) close(moved[i]);
  return error;
}

/* How a child ended, of waitpid's status. */
static inline int msdk_exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
static inline int msdk_exit_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

/* In a child that runs a plugin: it dies of its signals at once, without the Swift runtime's long report, and leaves no core. */
static inline void msdk_die_plainly(void) {
  static const int deadly[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP};
  struct rlimit no_core = {0, 0};
  for (int i = 0; i < (int)(sizeof deadly / sizeof deadly[0]); i++) signal(deadly[i], SIG_DFL);
  setrlimit(RLIMIT_CORE, &no_core);
}

/* In a child that answers: it ends with the thread that started it, dies plainly, and keeps its answers' way from what the plugin prints,
 * which goes to standard error. The descriptor to answer on, or -1. */
static inline int msdk_answering_child(void) {
  msdk_die_plainly();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int answer = fcntl(1, F_DUPFD_CLOEXEC, 100);
  return answer >= 0 && dup2(2, 1) == 1 ? answer : -1;
}

#endif
