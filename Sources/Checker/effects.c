/* What a process looks like from outside, to see what a call left behind. */
#define _GNU_SOURCE
#include <dirent.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks.h"

static int entries(const char *path) {
  DIR *folder = opendir(path);
  int count = 0;
  while (folder != NULL && readdir(folder) != NULL) count++;
  if (folder != NULL) closedir(folder);
  return count;
}

static uint64_t mix(uint64_t sum, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3;
  return sum;
}

effects effects_now(void) {
  effects now = {.threads = entries("/proc/self/task"), .descriptors = entries("/proc/self/fd")};
  fflush(NULL);
  struct stat output;
  now.output = request->in_process || fstat(1, &output) != 0 ? 0 : output.st_size;
  for (int number = 1; number < 32; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) continue;
    now.signals = mix(now.signals, &action.sa_sigaction, sizeof action.sa_sigaction);
    now.signals = mix(now.signals, &action.sa_flags, sizeof action.sa_flags);
  }
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  for (int number = 1; number < 65; number++) now.signals = mix(now.signals, &(int){sigismember(&blocked, number)}, sizeof(int));
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    now.environment = mix(now.environment, *variable, strlen(*variable) + 1);
  }
  char place[4096] = "";
  if (getcwd(place, sizeof place) != NULL) now.place = mix(0, place, strlen(place));
  mode_t mask = umask(0);
  umask(mask);
  now.place = mix(now.place, &mask, sizeof mask);
  const char *locale = setlocale(LC_ALL, NULL);
  if (locale != NULL) now.locale = mix(0, locale, strlen(locale));
  return now;
}

const char *effects_of(const effects *before, const effects *after) {
  if (after->threads > before->threads) return "a thread was started";
  if (after->descriptors > before->descriptors) return "a descriptor was opened and left open";
  if (after->output != before->output) return "something was printed";
  if (after->signals != before->signals) return "a signal's handler or mask was changed";
  if (after->environment != before->environment) return "the environment was changed";
  if (after->place != before->place) return "the working directory or the umask was changed";
  if (after->locale != before->locale) return "the locale was changed";
  return NULL;
}

uint64_t memory_now(void) {
  struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}
