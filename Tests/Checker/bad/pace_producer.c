/* It waits until the frame is due. */
#define AT(ns) &(struct timespec){.tv_sec = (ns) / 1000000000, .tv_nsec = (ns) % 1000000000}
#define ON_PRODUCE \
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, AT(due_ns), NULL)
#include "good.h"
