/* The processes that this one has. */
#ifndef TEST_CHILDREN_H
#define TEST_CHILDREN_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* A sanitizer starts a process of its own to put names to addresses, also where a report is suppressed then. */
static inline int is_symbolizer(int process) {
  char path[64], name[32] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", process);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  int is_named = fgets(name, sizeof name, file) != NULL && strncmp(name, "llvm-symbolizer", 15) == 0;
  fclose(file);
  return is_named;
}

/* Of all threads, dead and not waited for included. */
static inline int children(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    char path[320];
    snprintf(path, sizeof path, "/proc/self/task/%s/children", task->d_name);
    FILE *file = fopen(path, "r");
    for (int child; file != NULL && fscanf(file, "%d", &child) == 1;) count += !is_symbolizer(child);
    if (file != NULL) fclose(file);
  }
  if (tasks != NULL) closedir(tasks);
  return count;
}

#endif
