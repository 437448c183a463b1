#include "meter.h"

#include "measure.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_NS = 2000000000 };

void meter_open(struct meter *meter, char *const arguments[3]) {
  memset(meter, 0, sizeof *meter);
  meter->latency = strcmp(arguments[0], "latency") == 0;
  meter->turns = strcmp(arguments[0], "turns") == 0;
  if (!meter->latency && !meter->turns && strcmp(arguments[0], "throughput") != 0) {
    die("'%s' is none of throughput, turns, latency", arguments[0]);
  }
  meter->count = count_from(arguments[1]);
  meter->window = meter->rate = count_from(arguments[2]);
  meter->taken = calloc(meter->count, sizeof *meter->taken);
  if (meter->taken == NULL) die("no memory for %llu samples", (unsigned long long)meter->count);
}

static _Noreturn void lost(struct meter *meter) {
  die("frames were lost: %llu sent, %llu arrived", (unsigned long long)meter->sent, (unsigned long long)meter->arrived);
}

/* Waits until at least `wanted` frames arrived. Gives the processor away now and then, for the machine may be shared. */
static void wait_for(struct meter *meter, uint64_t wanted) {
  int64_t since = 0;
  for (uint64_t turn = 1; atomic_load_explicit(&meter->arrived, memory_order_acquire) < wanted; turn++) {
    if (turn % 256 != 0) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
      continue;
    }
    sched_yield();
    if (since == 0) since = now_ns();
    if (now_ns() - since > PATIENCE_NS) lost(meter);
  }
}

/* Sleeps until all that was sent has arrived. */
static void sleep_for_turn(struct meter *meter) {
  struct timespec patience = {.tv_sec = PATIENCE_NS / 1000000000};
  for (;;) {
    unsigned turn = atomic_load(&meter->turn);
    if (atomic_load(&meter->arrived) == meter->sent) return;
    if (syscall(SYS_futex, &meter->turn, FUTEX_WAIT_PRIVATE, turn, &patience, NULL, 0) != 0 && errno == ETIMEDOUT) lost(meter);
  }
}

bool meter_next(struct meter *meter, int64_t *at) {
  *at = 0;
  if (meter->sent == 0) meter->begin = meter->next = now_ns();
  if (meter->sent == meter->count) return false;
  if (meter->latency) {
    meter->next += 1000000000 / (int64_t)meter->rate;
    sleep_until(meter->next);
    *at = now_ns();
  } else if (meter->turns) {
    sleep_for_turn(meter);
  } else if (meter->sent >= meter->window) {
    wait_for(meter, meter->sent - meter->window + 1);
  }
  meter->sent++;
  return true;
}

void meter_arrived(struct meter *meter, int64_t at) {
  uint64_t index = atomic_load_explicit(&meter->arrived, memory_order_relaxed);
  if (index >= meter->count) die("more frames arrived than were sent");
  if (meter->latency) meter->taken[index] = now_ns() - at;
  if (index + 1 == meter->count) meter->last = now_ns();
  atomic_store_explicit(&meter->arrived, index + 1, memory_order_release);
  if (meter->turns) {
    atomic_fetch_add(&meter->turn, 1);
    syscall(SYS_futex, &meter->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

void meter_close(struct meter *meter) {
  wait_for(meter, meter->count);
  if (meter->latency) {
    report_quantiles("latency", meter->taken, meter->count);
  } else {
    report("frame_us", (double)(meter->last - meter->begin) / 1e3 / (double)meter->count);
  }
  free(meter->taken);
}
