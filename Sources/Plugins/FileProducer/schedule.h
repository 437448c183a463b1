/* From the time stamps of a file's frames to times: pure arithmetic, without file or clock.
 *
 * Each frame comes as long after the first as their stamps are apart. A stamp that repeats, goes back, or is more than FP_PAUSE_MAX_NS
 * after the one before is broken: its frame comes one usual interval after the one before, and what follows is counted from there. So
 * nothing that a file says makes a frame wait longer than that, or come before the one before it. */
#ifndef FILEPRODUCER_SCHEDULE_H
#define FILEPRODUCER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FP_SECOND_NS INT64_C(1000000000)
#define FP_PAUSE_MAX_NS (600 * FP_SECOND_NS)

/* Stamps count num / den seconds each; one of them 0: they say nothing, and every frame comes one interval after the one before. */
typedef struct fp_unit {
  uint64_t num, den; /* below 2^32 */
} fp_unit;

typedef struct fp_schedule {
  fp_unit unit;
  int64_t interval_ns; /* the usual one */
  bool begun, anew;
  uint64_t anchor_stamp, last_stamp;
  int64_t anchor_ns, last_ns;
  uint64_t broken; /* stamps, so far */
} fp_schedule;

/* When the frame that follows in the file is due, counted from the first: 0 for that one. */
int64_t fp_schedule_next(fp_schedule *schedule, uint64_t stamp);
/* The next stamp is that of the file's first frame again: it follows one interval after the last. */
void fp_schedule_rewind(fp_schedule *schedule);

/* How many frames `num` / `den` a second have begun before a time: frames of the schedule are thinned out to that rate by showing the one
 * that is the newest when one of these begins. Half a millisecond is rounding. */
int64_t fp_ticks_before(int64_t time_ns, uint32_t num, uint32_t den);

enum { FP_RATE_STAMPS_MAX = 1000 };

/* The rate that a quarter of a file's frames have, measured over eight at a time or half of a short file, from the stamps of the first:
 * neither pauses nor a few frames that are close together change it. As stamps of what was live waver, it is a usual one within a
 * twentieth, unless it is a whole number or one of television itself. False: the stamps give none, or more than 1000 a second. */
bool fp_rate_of(const uint64_t *stamps, size_t count, fp_unit unit, uint32_t *num, uint32_t *den);

/* A frame rate as a fraction in lowest terms; false when it is 0 or no rate that a film has (above 1000 a second). */
bool fp_rate(uint64_t num, uint64_t den, uint32_t *out_num, uint32_t *out_den);

#endif
