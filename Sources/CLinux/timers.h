/* timerfd_create(2), to the nanosecond, which epoll_wait(2) is not. */
#ifndef MEDIASDK_CLINUX_TIMERS_H
#define MEDIASDK_CLINUX_TIMERS_H

#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static inline int msdk_timer_create(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }
/* Readable from that time of CLOCK_MONOTONIC on; at once when it has passed; with INT64_MAX never. */
static inline int msdk_timer_set(int timer, int64_t time) {
  struct itimerspec when = {{0, 0}, {0, 0}};
  if (time != INT64_MAX) {
    if (time < 1) time = 1; /* 0 stops it */
    when.it_value.tv_sec = (time_t)(time / 1000000000);
    when.it_value.tv_nsec = (long)(time % 1000000000);
  }
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static inline int msdk_waker_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline void msdk_waker_set(int waker) { (void)!eventfd_write(waker, 1); }
/* Of a waker, and of a timer. */
static inline void msdk_waker_clear(int waker) { uint64_t value; (void)!read(waker, &value, sizeof value); }

#endif
