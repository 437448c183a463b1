/* Waiting that does not depend on the time of day. Define _POSIX_C_SOURCE before the first #include. */
#ifndef PLUGIN_MONOTONIC_H
#define PLUGIN_MONOTONIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline struct timespec monotonic_at(int64_t ns) {
  return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

/* A lock, and a condition whose timed waits end at a time of that clock. When it fails, neither is there. */
static inline bool monotonic_lock_make(pthread_mutex_t *lock, pthread_cond_t *changed) {
  pthread_condattr_t attributes;
  if (pthread_mutex_init(lock, NULL) != 0) return false;
  bool good = pthread_condattr_init(&attributes) == 0;
  if (good) {
    good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
  }
  if (!good) pthread_mutex_destroy(lock);
  return good;
}

#endif
