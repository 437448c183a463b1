/* In place of user_environment.c of libusrsctp: random bytes that are handed in, and the constants that the library reads. */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/random.h>

#include "context.h"

CUSRSCTP_HIDDEN int hz = 1000; /* ticks a second, as timers.c counts them */
CUSRSCTP_HIDDEN int ip_defttl = 64;
CUSRSCTP_HIDDEN int ipport_firstauto = 49152;
CUSRSCTP_HIDDEN int ipport_lastauto = 65535;
CUSRSCTP_HIDDEN int maxsockets = 25600;
CUSRSCTP_HIDDEN int nmbclusters = 65536;
CUSRSCTP_HIDDEN unsigned short ip_id = 0;
CUSRSCTP_HIDDEN pthread_mutex_t atomic_mtx;
CUSRSCTP_HIDDEN cusrsctp_random cusrsctp_fill;
/* Of libc, with the same bytes. The archive is compiled for programs, and can only be part of a shared library if all data are near. */
CUSRSCTP_HIDDEN const struct in6_addr in6addr_any = IN6ADDR_ANY_INIT;

CUSRSCTP_HIDDEN void init_random(void);
CUSRSCTP_HIDDEN void finish_random(void);
CUSRSCTP_HIDDEN void read_random(void *memory, size_t size);

void init_random(void) {}
void finish_random(void) {}

void read_random(void *memory, size_t size) {
  if (cusrsctp_current) {
    cusrsctp_fill(cusrsctp_current->owner, memory, size);
    return;
  }
  unsigned char *next = memory;
  while (size > 0) {
    ssize_t count = getrandom(next, size, 0);
    if (count <= 0) continue; /* a signal came */
    next += count;
    size -= (size_t)count;
  }
}
