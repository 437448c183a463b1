/* Aborts in a process of msdk-plugin-host that has been left more than three descriptors, or blocked or ignored signals. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#define NAME "inherits"
#define BEFORE_ENTRY look();

static void look(void) {
  if (strcmp(program_invocation_short_name, "msdk-plugin-host") != 0) return;
  for (int i = 3; i < 100; i++) {
    if (fcntl(i, F_GETFD) >= 0) abort();
  }
  sigset_t blocked;
  struct sigaction action;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  sigaction(SIGPIPE, NULL, &action);
  if (sigismember(&blocked, SIGTERM) || action.sa_handler != SIG_DFL) abort();
}

#include "bad.h"
