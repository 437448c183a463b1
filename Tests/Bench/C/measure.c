#include "measure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void sleep_until(int64_t ns) {
  struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
}

void report(const char *key, double value) {
  printf("%s %.9g\n", key, value);
  fflush(stdout);
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

void report_quantiles(const char *key, int64_t *ns, size_t count) {
  if (count == 0) die("%s: nothing was measured", key);
  qsort(ns, count, sizeof *ns, ascending);
  char name[64];
  snprintf(name, sizeof name, "%s_p50_us", key);
  report(name, (double)ns[count / 2] / 1e3);
  snprintf(name, sizeof name, "%s_p99_us", key);
  report(name, (double)ns[count * 99 / 100] / 1e3);
}

uint64_t count_from(const char *text) {
  char *end = NULL;
  unsigned long long value = text == NULL ? 0 : strtoull(text, &end, 10);
  if (value == 0 || *end != '\0') die("'%s' is not a whole number of at least 1", text == NULL ? "(nothing)" : text);
  return value;
}

double resident_kb(void) {
  unsigned long long all, resident;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%llu %llu", &all, &resident) != 2) die("/proc/self/statm cannot be read");
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1000;
}

int64_t since_start_ns(void) {
  const char *started = getenv("BENCH_STARTED_NS");
  return now_ns() - (int64_t)count_from(started);
}

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}
