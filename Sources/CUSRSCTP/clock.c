/* libusrsctp reads the time by gettimeofday. This one takes the place of that of libc in what is linked together with it, and is seen by
 * nobody else; outside of a context it is the same. */
#define _GNU_SOURCE
#include <sys/select.h>
#include <time.h>

#include "context.h"

CUSRSCTP_HIDDEN int gettimeofday(struct timeval *time, void *zone);

/* Of time 0 of a context. The library takes the second 0 for "never". */
static const int64_t begin = 1000000;

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  if (cusrsctp_current) {
    time->tv_sec = (time_t)(begin + cusrsctp_current->now / 1000000000);
    time->tv_usec = (suseconds_t)(cusrsctp_current->now % 1000000000 / 1000);
    return 0;
  }
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = (suseconds_t)(now.tv_nsec / 1000);
  return 0;
}
