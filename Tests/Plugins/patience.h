/* Waiting for what must hold, however slow all is. */
#ifndef TESTS_PATIENCE_H
#define TESTS_PATIENCE_H

#include "host.h"

#include <time.h>

enum { PATIENCE_S = 30 };

static inline int64_t deadline_ns(void) { return host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000; }

static inline void pause_ms(long milliseconds) {
  nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000}, NULL);
}

#endif
