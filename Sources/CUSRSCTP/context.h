/* What the replaced parts of libusrsctp share. */
#ifndef CUSRSCTP_CONTEXT_H
#define CUSRSCTP_CONTEXT_H

#include "cusrsctp.h"

#define CUSRSCTP_HIDDEN __attribute__((visibility("hidden")))

/* As in libusrsctp 0.9.5 (sctp_callout.h): it is a member of structs of the library, which reads and clears flags by itself. The first two
 * members, the links of a queue, are touched by no other part of it. */
typedef struct cusrsctp_timer {
  struct cusrsctp_timer *next, *previous;
  uint32_t due; /* ms of the context's time */
  void *argument;
  void (*function)(void *);
  int flags;
} cusrsctp_timer;

struct cusrsctp_context {
  cusrsctp_timer timers; /* a ring; this one is none */
  int64_t now;           /* ns */
  void *owner;
};

/* That of the thread; NULL: it is in none. */
extern CUSRSCTP_HIDDEN _Thread_local cusrsctp_context *cusrsctp_current;
/* What cusrsctp_start was given. */
extern CUSRSCTP_HIDDEN cusrsctp_random cusrsctp_fill;

#endif
