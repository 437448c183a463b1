/* time.h: rounding to nearest, halves away from zero, saturation; against arithmetic in 128 bits. */
#include "check.h"
#include "random.h"

__extension__ typedef __int128 wide;

/* a * b / c as the header says. */
static int64_t scaled(int64_t a, int64_t b, int64_t c) {
  if (b == 0 || c == 0) return 0;
  wide product = (wide)a * b, half = c / 2;
  wide quotient = product >= 0 ? (product + half) / c : -((-product + half) / c);
  if (c % 2 != 0) { /* no exact halves: the floor of half is right */
    wide rest = product >= 0 ? product % c : -(-product % c);
    wide up = product >= 0 ? rest * 2 > c : -rest * 2 > c;
    quotient = product / c + (up ? (product >= 0 ? 1 : -1) : 0);
  }
  if (quotient > INT64_MAX) return INT64_MAX;
  if (quotient < INT64_MIN) return INT64_MIN;
  return (int64_t)quotient;
}

static void ticks(void) {
  CHECK_EQ(msdk_time_to_units(0, MSDK_TICK_RATE), 0);
  CHECK_EQ(msdk_time_to_units(100, MSDK_TICK_RATE), 1);
  CHECK_EQ(msdk_time_to_units(49, MSDK_TICK_RATE), 0);
  CHECK_EQ(msdk_time_to_units(50, MSDK_TICK_RATE), 1);
  CHECK_EQ(msdk_time_to_units(149, MSDK_TICK_RATE), 1);
  CHECK_EQ(msdk_time_to_units(150, MSDK_TICK_RATE), 2);
  CHECK_EQ(msdk_time_to_units(-49, MSDK_TICK_RATE), 0);
  CHECK_EQ(msdk_time_to_units(-50, MSDK_TICK_RATE), -1);
  CHECK_EQ(msdk_time_to_units(-150, MSDK_TICK_RATE), -2);
  CHECK_EQ(msdk_time_to_units(INT64_MAX, MSDK_TICK_RATE), 92233720368547758);
  CHECK_EQ(msdk_time_to_units(INT64_MIN, MSDK_TICK_RATE), -92233720368547758);
  CHECK_EQ(msdk_time_from_units(1, MSDK_TICK_RATE), 100);
  CHECK_EQ(msdk_time_from_units(-3, MSDK_TICK_RATE), -300);
  CHECK_EQ(msdk_time_from_units(92233720368547758, MSDK_TICK_RATE), 9223372036854775800);
  CHECK_EQ(msdk_time_from_units(92233720368547759, MSDK_TICK_RATE), INT64_MAX);
  CHECK_EQ(msdk_time_from_units(INT64_MAX, MSDK_TICK_RATE), INT64_MAX);
  CHECK_EQ(msdk_time_from_units(INT64_MIN, MSDK_TICK_RATE), INT64_MIN);
}

static void units(void) {
  CHECK_EQ(msdk_time_to_units(1000000000, 90000), 90000);
  CHECK_EQ(msdk_time_to_units(11111, 90000), 1);
  CHECK_EQ(msdk_time_to_units(5555, 90000), 0);
  CHECK_EQ(msdk_time_to_units(5556, 90000), 1);
  CHECK_EQ(msdk_time_to_units(250000000, 2), 1);  /* 0.5 */
  CHECK_EQ(msdk_time_to_units(-250000000, 2), -1);
  CHECK_EQ(msdk_time_to_units(10000000, 22050), 221); /* 220.5 samples in 10 ms */
  CHECK_EQ(msdk_time_to_units(20000000, 48000), 960);
  CHECK_EQ(msdk_time_to_units(INT64_MAX, 1), 9223372037);
  CHECK_EQ(msdk_time_to_units(INT64_MAX, UINT32_MAX), INT64_MAX);
  CHECK_EQ(msdk_time_to_units(INT64_MIN, UINT32_MAX), INT64_MIN);
  CHECK_EQ(msdk_time_to_units(12345, 0), 0);
  CHECK_EQ(msdk_time_from_units(1, 3), 333333333);
  CHECK_EQ(msdk_time_from_units(2, 3), 666666667);
  CHECK_EQ(msdk_time_from_units(-2, 3), -666666667);
  CHECK_EQ(msdk_time_from_units(90000, 90000), 1000000000);
  CHECK_EQ(msdk_time_from_units(INT64_MAX, 90000), INT64_MAX);
  CHECK_EQ(msdk_time_from_units(INT64_MIN, 90000), INT64_MIN);
  CHECK_EQ(msdk_time_from_units(INT64_MAX, UINT32_MAX), scaled(INT64_MAX, 1000000000, UINT32_MAX));
  CHECK_EQ(msdk_time_from_units(7, 0), 0);
}

static void against_wide_arithmetic(void) {
  uint64_t seed = 1;
  for (int i = 0; i < 20000; i++) {
    int64_t value = (int64_t)random_next(&seed) >> random_below(&seed, 60);
    uint32_t rate = (uint32_t)random_next(&seed) >> random_below(&seed, 32);
    int ok = CHECK_EQ(msdk_time_to_units(value, rate), scaled(value, rate, 1000000000)) &
             CHECK_EQ(msdk_time_from_units(value, rate), scaled(value, 1000000000, rate)) &
             CHECK_EQ(msdk_time_to_units(value, MSDK_TICK_RATE), scaled(value, 1, 100)) & CHECK_EQ(msdk_time_from_units(value, MSDK_TICK_RATE), scaled(value, 100, 1));
    if (!ok) {
      fprintf(stderr, "  value %" PRId64 ", rate %" PRIu32 "\n", value, rate);
      return;
    }
  }
}

static void round_trips(void) {
  uint64_t seed = 2;
  for (int i = 0; i < 2000; i++) {
    int64_t units = (int64_t)(random_next(&seed) >> 24) - (INT64_C(1) << 39);
    CHECK_EQ(msdk_time_to_units(msdk_time_from_units(units, 90000), 90000), units);
    CHECK_EQ(msdk_time_to_units(msdk_time_from_units(units, 44100), 44100), units);
    CHECK_EQ(msdk_time_to_units(msdk_time_from_units(units, MSDK_TICK_RATE), MSDK_TICK_RATE), units);
  }
}

static void monotonic_goes_forward(void) {
  int64_t last = msdk_time_monotonic();
  CHECK(last > 0);
  for (int i = 0; i < 10000; i++) {
    int64_t now = msdk_time_monotonic();
    if (now < last) {
      CHECK(now >= last);
      return;
    }
    last = now;
  }
}

int main(int argc, char **argv) {
  RUN(ticks);
  RUN(units);
  RUN(against_wide_arithmetic);
  RUN(round_trips);
  RUN(monotonic_goes_forward);
  return check_finish();
}
