/* Signals and the threads of the SDK: of the library, the feeder and the shipped plugins. */
#ifndef MEDIASDK_CLINUX_SIGNALS_H
#define MEDIASDK_CLINUX_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

/* A thread that leaves signals to the program's own threads, but for those that its own code raises by a fault: were these blocked, the kernel
 * would end the process without asking the program's handler, which reports the crash or (of a JVM, say) goes on. As pthread_create. */
static inline int msdk_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t blocked, former;
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) sigdelset(&blocked, own[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &former);
  int error = pthread_create(thread, attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  return error;
}

typedef struct msdk_pipe_signal {
  sigset_t former;
  int waited; /* one was there before */
} msdk_pipe_signal;

/* Around what writes to a socket on a thread of the program's, in code of others that does not ask for MSG_NOSIGNAL: SIGPIPE does not come of it. */
static inline msdk_pipe_signal msdk_pipe_signal_hold(void) {
  msdk_pipe_signal held;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGPIPE);
  sigpending(&held.former);
  held.waited = sigismember(&held.former, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &one, &held.former);
  return held;
}

static inline void msdk_pipe_signal_drop(const msdk_pipe_signal *held) {
  sigset_t one;
  const struct timespec now = {0, 0};
  sigemptyset(&one);
  sigaddset(&one, SIGPIPE);
  if (!held->waited) sigtimedwait(&one, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &held->former, NULL);
}

#endif
