#include "sound_pace.h"

#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 10, BUFFER_NS = 20000000, PATIENCE = 100 };

void sound_pace_open(struct sound_pace *pace, uint64_t count) {
  memset(pace, 0, sizeof *pace);
  pace->count = count + WARM_UP;
  pace->at = calloc(pace->count, sizeof *pace->at);
  pace->taken = calloc(pace->count, sizeof *pace->taken);
  if (pace->at == NULL || pace->taken == NULL) die("no memory");
  for (int i = 0; i < 960; i++) pace->buffer[i] = (float)(0.5 * sin(i * 2 * 3.14159265358979323846 * 10 / 960));
}

bool sound_pace_next(struct sound_pace *pace) {
  if (pace->sent == pace->count) return false;
  if (pace->sent == 0) pace->next = now_ns();
  pace->next += BUFFER_NS;
  sleep_until(pace->next);
  pace->at[pace->sent++] = now_ns();
  return true;
}

void sound_pace_arrived(struct sound_pace *pace, uint64_t index) {
  int64_t now = now_ns();
  if (index >= pace->count || pace->at[index] == 0) die("buffer %llu was not sent", (unsigned long long)index);
  pace->taken[index] = now - pace->at[index];
  atomic_fetch_add(&pace->arrived, 1);
}

void sound_pace_close(struct sound_pace *pace) {
  for (int turn = 0; turn < PATIENCE && atomic_load(&pace->arrived) < pace->count; turn++) sleep_until(now_ns() + BUFFER_NS);
  uint64_t arrived = atomic_load(&pace->arrived);
  if (arrived != pace->count) die("%llu buffers were sent, %llu arrived", (unsigned long long)pace->count, (unsigned long long)arrived);
  report_quantiles("latency", pace->taken + WARM_UP, pace->count - WARM_UP);
  free(pace->at);
  free(pace->taken);
}
