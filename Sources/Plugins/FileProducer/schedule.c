#include "schedule.h"

#include <stdlib.h>

enum { ROUNDING_NS = 500000, STEPS = 8 };
#define LENGTH_MAX_NS (INT64_MAX / 2) /* a century and a half */

/* INT64_MAX: more than that. */
static int64_t span_ns(uint64_t stamps, fp_unit unit) {
  if (unit.den == 0 || (unit.num != 0 && stamps > UINT64_MAX / unit.num)) return INT64_MAX;
  uint64_t whole = stamps * unit.num / unit.den, rest = stamps * unit.num % unit.den;
  if (whole >= (uint64_t)(INT64_MAX / FP_SECOND_NS)) return INT64_MAX;
  return (int64_t)whole * FP_SECOND_NS + (int64_t)((rest * (uint64_t)FP_SECOND_NS + unit.den / 2) / unit.den);
}

static bool is_sound(uint64_t before, uint64_t after, fp_unit unit) {
  return after > before && unit.num != 0 && span_ns(after - before, unit) <= FP_PAUSE_MAX_NS;
}

/* The next frame is due at that time, and later ones are counted from there. */
static int64_t anchor(fp_schedule *schedule, uint64_t stamp, int64_t time_ns) {
  schedule->anchor_stamp = stamp;
  schedule->anchor_ns = time_ns;
  return time_ns;
}

int64_t fp_schedule_next(fp_schedule *schedule, uint64_t stamp) {
  int64_t usual = schedule->last_ns + schedule->interval_ns;
  bool has_times = schedule->unit.num != 0 && schedule->unit.den != 0;
  if (!schedule->begun) {
    schedule->last_ns = anchor(schedule, stamp, 0);
  } else if (schedule->anew || !has_times) {
    schedule->last_ns = anchor(schedule, stamp, usual);
  } else if (is_sound(schedule->last_stamp, stamp, schedule->unit) &&
             span_ns(stamp - schedule->anchor_stamp, schedule->unit) <= LENGTH_MAX_NS - schedule->anchor_ns) {
    schedule->last_ns = schedule->anchor_ns + span_ns(stamp - schedule->anchor_stamp, schedule->unit);
  } else {
    schedule->last_ns = anchor(schedule, stamp, usual);
    schedule->broken++;
  }
  schedule->last_stamp = stamp;
  schedule->begun = true;
  schedule->anew = false;
  return schedule->last_ns;
}

void fp_schedule_rewind(fp_schedule *schedule) { schedule->anew = true; }

int64_t fp_ticks_before(int64_t time_ns, uint32_t num, uint32_t den) {
  if (time_ns < ROUNDING_NS) return 0;
  uint64_t time = (uint64_t)time_ns - ROUNDING_NS, second = (uint64_t)FP_SECOND_NS;
  return (int64_t)((time / second * num + time % second * num / second) / den) + 1;
}

bool fp_rate(uint64_t num, uint64_t den, uint32_t *out_num, uint32_t *out_den) {
  if (num == 0 || den == 0 || num / den > 1000) return false;
  uint64_t a = num, b = den;
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  num /= a;
  den /= a;
  while (num > UINT32_MAX || den > UINT32_MAX) {
    num >>= 1;
    den >>= 1;
  }
  if (num == 0 || den == 0) return false;
  *out_num = (uint32_t)num;
  *out_den = (uint32_t)den;
  return true;
}

typedef struct rate {
  uint64_t num, den;
} rate;

static int compare(const void *one, const void *other) {
  const rate *a = one, *b = other;
  double left = (double)a->num * (double)b->den, right = (double)b->num * (double)a->den;
  return (left > right) - (left < right);
}

/* The rates of all that many steps in a row without a broken stamp. */
static size_t rates_of(const uint64_t *stamps, size_t count, fp_unit unit, size_t steps, rate *out) {
  size_t sound = 0, known = 0;
  for (size_t i = 1; i < count; i++) {
    sound = is_sound(stamps[i - 1], stamps[i], unit) ? sound + 1 : 0;
    if (sound >= steps) out[known++] = (rate){steps * unit.den, (stamps[i] - stamps[i - steps]) * unit.num};
  }
  return known;
}

static void settle(uint32_t *num, uint32_t *den) {
  static const uint32_t usual[] = {60, 50, 48, 30, 25, 24, 20, 15, 12, 10, 8, 5, 4, 3, 2, 1};
  double nearest = 0.05, value = (double)*num / *den;
  if (*den == 1 || *den == 1001) return;
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
    double off = value > usual[i] ? value / usual[i] - 1 : usual[i] / value - 1;
    if (off >= nearest) continue;
    nearest = off;
    *num = usual[i];
    *den = 1;
  }
}

bool fp_rate_of(const uint64_t *stamps, size_t count, fp_unit unit, uint32_t *num, uint32_t *den) {
  if (unit.num == 0 || unit.den == 0 || count < 2) return false;
  rate rates[FP_RATE_STAMPS_MAX];
  if (count > FP_RATE_STAMPS_MAX) count = FP_RATE_STAMPS_MAX;
  size_t known = 0, steps = count > 2 * STEPS ? STEPS : count > 2 ? (count - 1) / 2 : 1;
  for (; known == 0 && steps > 0; steps /= 2) known = rates_of(stamps, count, unit, steps, rates);
  if (known == 0) return false;
  qsort(rates, known, sizeof rates[0], compare);
  rate found = rates[known - 1 - known / 4];
  if (!fp_rate(found.num, found.den, num, den)) return false;
  settle(num, den);
  return true;
}
