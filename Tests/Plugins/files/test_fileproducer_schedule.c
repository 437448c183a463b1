/* From time stamps to times, without a file. */
#include "../../../Sources/Plugins/FileProducer/schedule.c"

#include "check.h"

#include <string.h>

#define MS INT64_C(1000000)
enum { MOST = 4000 };

static fp_schedule schedule_of(uint64_t num, uint64_t den) { return (fp_schedule){.unit = {num, den}, .interval_ns = 40 * MS}; }

static void test_sound_stamps(void) {
  fp_schedule schedule = schedule_of(1, 90000);
  static const uint64_t stamps[] = {77, 3677, 3678, 273677, 54273677}; /* a pause of 3 s, and the longest */
  static const int64_t times[] = {0, 40 * MS, 40 * MS + 11111, 3040 * MS, 603040 * MS};
  for (int i = 0; i < 5; i++) CHECK_EQ(fp_schedule_next(&schedule, stamps[i]), times[i]);
  CHECK_EQ(schedule.broken, 0);

  schedule = schedule_of(1001, 30000); /* nothing adds up in 28 hours */
  int64_t time = 0;
  for (uint64_t i = 0; i <= 3020979; i++) time = fp_schedule_next(&schedule, i);
  CHECK_EQ(time, INT64_C(100799999300000));
}

/* What each frame after the first is, and the one after that. */
static void test_broken_stamps(void) {
  static const struct { uint64_t num, den, stamps[4]; int64_t times[4]; uint64_t broken; } table[] = {
    {1, 1000, {1000, 1000, 1040, 1080}, {0, 40, 80, 120}, 1},                           /* repeats */
    {1, 1000, {1000, 1040, 500, 550}, {0, 40, 80, 130}, 1},                             /* goes back */
    {1, 1000, {0, 40, 7200000, 7200100}, {0, 40, 80, 180}, 1},                          /* two hours ahead */
    {1, 1000, {0, 40, 600041, 600081}, {0, 40, 80, 120}, 1},                            /* just too far */
    {1, 1000, {UINT64_MAX, 0, 40, UINT64_MAX}, {0, 40, 80, 120}, 2},                    /* wraps */
    {1, 4294967295, {0, UINT64_MAX, 0, UINT64_MAX}, {0, 40, 80, 120}, 3},
    {4294967295, 1, {0, 1, 2, UINT64_MAX}, {0, 40, 80, 120}, 3},
    {4294967295, 4294967295, {0, 1, 2, 2}, {0, 1000, 2000, 2040}, 1},
    {0, 1000, {5, 5, 500, 1}, {0, 40, 80, 120}, 0},                                     /* no unit, no times */
    {1, 0, {5, 5, 500, 1}, {0, 40, 80, 120}, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    fp_schedule schedule = schedule_of(table[i].num, table[i].den);
    for (int frame = 0; frame < 4; frame++) CHECK_EQ(fp_schedule_next(&schedule, table[i].stamps[frame]), table[i].times[frame] * MS);
    CHECK_EQ(schedule.broken, table[i].broken);
  }
}

/* Whatever the stamps are, time goes on, and by ten minutes at most. */
static void test_any_stamps(void) {
  uint64_t random = 1;
  for (int round = 0; round < 200; round++) {
    fp_schedule schedule = schedule_of(round % 7, (uint64_t)1 << (round % 33));
    int64_t before = -1;
    uint64_t stamp = 0;
    for (int i = 0; i < 500; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      stamp = random >> 62 != 0 ? stamp + (random >> 40) % 10000 : random << (round % 64);
      int64_t time = fp_schedule_next(&schedule, stamp);
      CHECK(time >= before && time - before <= FP_PAUSE_MAX_NS + 1);
      if (i % 100 == 99) fp_schedule_rewind(&schedule);
      before = time;
    }
  }
}

static void test_loops(void) {
  fp_schedule schedule = schedule_of(1, 1000);
  for (int64_t pass = 0; pass < 3; pass++) {
    for (uint64_t i = 0; i < 4; i++) CHECK_EQ(fp_schedule_next(&schedule, 10 + 100 * i), (pass * 340 + 100 * (int64_t)i) * MS);
    fp_schedule_rewind(&schedule);
  }
  CHECK_EQ(schedule.broken, 0);
}

static void test_ticks(void) {
  for (int64_t i = 0; i < 1000; i++) {
    int64_t begin = i * 1001 * FP_SECOND_NS / 30000;
    CHECK_EQ(fp_ticks_before(begin, 30000, 1001), i);
    CHECK_EQ(fp_ticks_before(begin + 400000, 30000, 1001), i);
    CHECK_EQ(fp_ticks_before(begin + 600000, 30000, 1001), i + 1);
  }
  CHECK_EQ(fp_ticks_before(-5, 25, 1), 0);
  CHECK_EQ(fp_ticks_before(INT64_MAX / 2, 1, 4294967295u), 2);
}

static uint64_t stamps[MOST];

static void check_rate(size_t count, uint64_t unit_num, uint64_t unit_den, uint32_t num, uint32_t den) {
  uint32_t got_num = 0, got_den = 0;
  CHECK(fp_rate_of(stamps, count, (fp_unit){unit_num, unit_den}, &got_num, &got_den));
  CHECK_EQ(got_num, num);
  CHECK_EQ(got_den, den);
}

static void test_rates(void) {
  static const uint32_t known[][2] = {{25, 1}, {30, 1}, {30000, 1001}, {24000, 1001}, {60, 1}, {1, 1}, {1, 7}, {15, 2}, {1000, 1}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    for (size_t count = 2; count < 200; count += 33) { /* in units of a frame, also of less than a second */
      for (uint64_t frame = 0; frame < count; frame++) stamps[frame] = 9 + frame;
      check_rate(count, known[i][1], known[i][0], known[i][0], known[i][1]);
    }
  }
  for (uint64_t i = 0; i < 300; i++) stamps[i] = (i * 1001 + 15) / 30; /* milliseconds of 30000/1001 */
  check_rate(300, 1, 1000, 30, 1);
  for (uint64_t i = 0; i < 300; i++) stamps[i] = (i * 50 + 1) / 3; /* milliseconds of 60 */
  check_rate(300, 1, 1000, 60, 1);
  for (uint64_t i = 0; i < 300; i++) stamps[i] = i * 3000 + i * 7919 % 700; /* live */
  check_rate(300, 1, 90000, 30, 1);
  for (uint64_t i = 0; i < 300; i++) stamps[i] = i < 90 ? i * 3000 : 270000 + (i - 90) * 45000; /* 30, then 2 */
  check_rate(300, 1, 90000, 30, 1);
  for (uint64_t i = 0; i < 300; i++) stamps[i] = i < 210 ? i * 45000 : 9450000 + (i - 210) * 3000; /* 2, then 30 */
  check_rate(300, 1, 90000, 30, 1);
  for (uint64_t i = 0; i < 300; i++) stamps[i] = i * 40 + i / 20 * 3000; /* a pause of 3 s after each 0.8 s of 25 */
  check_rate(300, 1, 1000, 25, 1);
  for (uint64_t i = 0; i < 300; i++) stamps[i] = i * 40 - (i % 50 == 7 ? 39 : 0); /* pairs that are 1 ms apart */
  check_rate(300, 1, 1000, 25, 1);
  for (uint64_t i = 0; i < 300; i++) stamps[i] = i * 40 + (i > 100 ? 36000000 : 0) - (i > 200 ? 1000 : 0); /* jumps, goes back */
  check_rate(300, 1, 1000, 25, 1);

  uint32_t num = 0, den = 0;
  memset(stamps, 0, sizeof stamps);
  CHECK(!fp_rate_of(stamps, 300, (fp_unit){1, 1000}, &num, &den)); /* all the same */
  for (uint64_t i = 0; i < 300; i++) stamps[i] = i;
  CHECK(!fp_rate_of(stamps, 300, (fp_unit){1, 90000}, &num, &den));
  CHECK(!fp_rate_of(stamps, 300, (fp_unit){0, 25}, &num, &den));
  CHECK(!fp_rate_of(stamps, 300, (fp_unit){1, 0}, &num, &den));
  CHECK(!fp_rate_of(stamps, 1, (fp_unit){1, 25}, &num, &den));
  CHECK(!fp_rate_of(stamps, 0, (fp_unit){1, 25}, &num, &den));
}

int main(void) {
  test_sound_stamps();
  test_broken_stamps();
  test_any_stamps();
  test_loops();
  test_ticks();
  test_rates();
  return check_done();
}
