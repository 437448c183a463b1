/* In place of sctp_callout.c of libusrsctp: timers of a context, instead of timers of the process. */
#include <stdlib.h>
#include <string.h>

#include "context.h"

enum { ACTIVE = 2, PENDING = 4 };

CUSRSCTP_HIDDEN _Thread_local cusrsctp_context *cusrsctp_current;

static uint32_t milliseconds(const cusrsctp_context *context) { return (uint32_t)(context->now / 1000000); }

static void unlink_timer(cusrsctp_timer *timer) {
  timer->previous->next = timer->next;
  timer->next->previous = timer->previous;
}

/* What libusrsctp calls. */
CUSRSCTP_HIDDEN uint32_t sctp_get_tick_count(void);
CUSRSCTP_HIDDEN void sctp_os_timer_init(cusrsctp_timer *timer);
CUSRSCTP_HIDDEN int sctp_os_timer_start(cusrsctp_timer *timer, uint32_t ticks, void (*function)(void *), void *argument);
CUSRSCTP_HIDDEN int sctp_os_timer_stop(cusrsctp_timer *timer);
CUSRSCTP_HIDDEN void sctp_handle_tick(uint32_t ticks);
CUSRSCTP_HIDDEN void sctp_start_timer_thread(void);
CUSRSCTP_HIDDEN void sctp_stop_timer_thread(void);

uint32_t sctp_get_tick_count(void) { return cusrsctp_current ? milliseconds(cusrsctp_current) : 0; }

void sctp_os_timer_init(cusrsctp_timer *timer) { memset(timer, 0, sizeof *timer); }

int sctp_os_timer_start(cusrsctp_timer *timer, uint32_t ticks, void (*function)(void *), void *argument) {
  cusrsctp_context *context = cusrsctp_current;
  if (!context || !timer || !function) return 0;
  int was_pending = (timer->flags & PENDING) != 0;
  if (was_pending) unlink_timer(timer);
  timer->due = milliseconds(context) + (ticks ? ticks : 1);
  timer->argument = argument;
  timer->function = function;
  timer->flags = ACTIVE | PENDING;
  timer->next = &context->timers;
  timer->previous = context->timers.previous;
  timer->previous->next = timer->next->previous = timer;
  return was_pending;
}

int sctp_os_timer_stop(cusrsctp_timer *timer) {
  int was_pending = (timer->flags & PENDING) != 0;
  if (was_pending) unlink_timer(timer);
  timer->flags &= ~(ACTIVE | PENDING);
  return was_pending;
}

/* There is no thread, and nobody calls usrsctp_handle_timers. */
void sctp_handle_tick(uint32_t ticks) { (void)ticks; }
void sctp_start_timer_thread(void) {}
void sctp_stop_timer_thread(void) {}

cusrsctp_context *cusrsctp_context_new(void *owner) {
  cusrsctp_context *context = calloc(1, sizeof *context);
  if (!context) return NULL;
  context->timers.next = context->timers.previous = &context->timers;
  context->owner = owner;
  return context;
}

void cusrsctp_enter(cusrsctp_context *context, int64_t now) {
  if (now > context->now) context->now = now;
  cusrsctp_current = context;
}

void cusrsctp_leave(void) { cusrsctp_current = NULL; }

/* The first that is due, of those due at the same time the one that was started first. */
static cusrsctp_timer *first(const cusrsctp_context *context) {
  cusrsctp_timer *found = NULL;
  for (cusrsctp_timer *timer = context->timers.next; timer != &context->timers; timer = timer->next)
    if (!found || (int32_t)(timer->due - found->due) < 0) found = timer;
  return found;
}

int64_t cusrsctp_next_timer(const cusrsctp_context *context) {
  const cusrsctp_timer *timer = first(context);
  if (!timer) return INT64_MAX;
  int64_t now = context->now / 1000000;
  return (now + (int32_t)(timer->due - (uint32_t)now)) * 1000000;
}

static void run(cusrsctp_timer *timer) {
  unlink_timer(timer);
  timer->flags &= ~PENDING;
  timer->function(timer->argument);
}

void cusrsctp_run_timers(cusrsctp_context *context) {
  cusrsctp_timer *timer;
  /* One that is started now is due in a millisecond at the earliest. */
  while ((timer = first(context)) && (int32_t)(milliseconds(context) - timer->due) >= 0) run(timer);
}

int cusrsctp_context_end(cusrsctp_context *context) {
  cusrsctp_timer *timer;
  for (int left = 1000; left > 0 && (timer = first(context)); --left) {
    context->now += 1000000;
    run(timer);
  }
  if (first(context)) return 0;
  free(context);
  return 1;
}
