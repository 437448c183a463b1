/* What this process uses: threads, descriptors, memory, time. */
#ifndef PROCESS_H
#define PROCESS_H

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static inline int process_entries(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL) return -1;
  int count = 0;
  for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

static inline void sleep_ms(int64_t milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static inline void *process_nothing(void *unused) { return unused; }

/* The thread sanitizer has a thread of its own from the program's first thread on: that one is made first. The kernel lists it for a moment
 * longer than pthread_join waits. */
static inline int process_threads(void) {
  static atomic_int made;
  pthread_t thread;
  if (!atomic_exchange(&made, 1) && pthread_create(&thread, NULL, process_nothing, NULL) == 0) {
    pthread_join(thread, NULL);
    sleep_ms(20);
  }
  return process_entries("/proc/self/task");
}
static inline int process_descriptors(void) { return process_entries("/proc/self/fd") - 1; /* its own */ }

static inline int64_t process_resident_kib(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return -1;
  long total = 0, resident = 0;
  int read = fscanf(file, "%ld %ld", &total, &resident);
  fclose(file);
  return read == 2 ? (int64_t)resident * (sysconf(_SC_PAGESIZE) / 1024) : -1;
}

static inline int64_t process_cpu_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* Whether a thread of this process sleeps: waits for something other than its turn on a processor. */
static inline int process_asleep(pid_t thread) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  const char *name_end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
  fclose(file);
  return name_end != NULL && strncmp(name_end, ") S", 3) == 0;
}

/* Waits until another thread, which is about to make a call that waits, has slept in it for a while; at most five seconds. */
static inline void wait_asleep(pid_t thread) {
  for (int tries = 1000, times = 0; tries > 0 && times < 6; tries--) {
    sleep_ms(5);
    times = process_asleep(thread) ? times + 1 : 0;
  }
}

/* Waits until a condition holds, at most twenty seconds, which a test that fails takes alone; longer where everything is slow. */
#define WAIT_UNTIL(condition)                                                       \
  do {                                                                              \
    for (int tries = under_tools() ? 12000 : 4000; tries > 0 && !(condition); tries--) sleep_ms(5); \
  } while (0)

/* A count that comes back to what it was. A thread that was joined may still be listed for a moment, at the beginning as at the end, so that
 * fewer is right too. */
#define CHECK_COMES_BACK(count, before) \
  do {                                  \
    WAIT_UNTIL((count) <= (before));    \
    CHECK_RANGE(count, 0, before);      \
  } while (0)

#endif
