/* A disk that is full: files may grow to so many bytes only. */
#ifndef TESTS_LIMITS_H
#define TESTS_LIMITS_H

#include "check.h"
#include "host.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static inline int limits_parent_of(int process) {
  char path[64];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%*d (%*[^)]) %*c %d", &parent) != 1) parent = 0;
  fclose(file);
  return parent;
}

/* Whether it is below one that watches over a plugin, which is a child of this process: there may be the first of a namespace in between. */
static inline int limits_is_watched(int process) {
  int parent = limits_parent_of(process);
  for (int steps = 0; steps < 3 && parent > 1; steps++) {
    int above = limits_parent_of(parent);
    if (above == (int)getpid()) return 1;
    parent = above;
  }
  return 0;
}

/* Of the processes that plugins run in. */
static inline int limits_set_isolated(const struct rlimit *limit) {
  DIR *folder = opendir("/proc");
  int found = 0;
  for (struct dirent *entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL;) {
    int process = atoi(entry->d_name);
    if (process <= 0 || !limits_is_watched(process)) continue;
    CHECK_EQ(prlimit(process, RLIMIT_FSIZE, limit, NULL), 0);
    found++;
  }
  if (folder != NULL) closedir(folder);
  return found;
}

/* Where plugins write: in this process, or in those of their own that there are. RLIM_INFINITY: as large as before. */
static inline void limit_files(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit;
  CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  if (host_is_isolated()) CHECK(limits_set_isolated(&limit) > 0);
  else CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#endif
