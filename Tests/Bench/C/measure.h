/* Clocks, order statistics, and the one way in which a benchmark program says what it found: lines of a key and a number. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

int64_t now_ns(void);      /* CLOCK_MONOTONIC */
double cpu_seconds(void);  /* of the whole process, user and system */
void sleep_until(int64_t ns);

double resident_kb(void);  /* of the whole process */

/* Since the process was asked for: whoever starts it puts the monotonic time of that moment into BENCH_STARTED_NS. */
int64_t since_start_ns(void);

void report(const char *key, double value);
void report_quantiles(const char *key, int64_t *ns, size_t count); /* sorts; writes KEY_p50_us and KEY_p99_us */

/* A whole number from the command line, at least 1; ends the program otherwise. */
uint64_t count_from(const char *text);

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
