#include "feed.h"

#include "measure.h"

#include <stdlib.h>
#include <string.h>

void feed_open(struct feed *feed, const char *mode, const char *count, const char *rate) {
  memset(feed, 0, sizeof *feed);
  feed->latency = strcmp(mode, "latency") == 0;
  if (!feed->latency && strcmp(mode, "throughput") != 0) die("there is no mode %s", mode);
  feed->count = count_from(count);
  feed->rate = count_from(rate);
  feed->taken = calloc(feed->count, sizeof *feed->taken);
  if (feed->taken == NULL || posix_memalign((void **)&feed->picture, 4096, FEED_BYTES) != 0) die("no memory");
  memset(feed->picture, 90, FEED_BYTES);
}

bool feed_next(struct feed *feed) {
  if (feed->sent == 0) {
    feed->begin = feed->next = now_ns();
    feed->cpu = cpu_seconds();
  }
  if (feed->sent == feed->count) return false;
  feed->sent += 1;
  if (feed->latency) {
    sleep_until(feed->next);
    feed->next += INT64_C(1000000000) / (int64_t)feed->rate;
  }
  return true;
}

void feed_arrived(struct feed *feed, int64_t at) {
  uint64_t arrived = atomic_load(&feed->arrived);
  if (arrived < feed->count) feed->taken[arrived] = now_ns() - at;
  atomic_store(&feed->arrived, arrived + 1);
}

void feed_report(struct feed *feed) {
  double seconds = (double)(now_ns() - feed->begin) / 1e9;
  report("frame_us", seconds * 1e6 / (double)feed->sent);
  report("cpu_us", (cpu_seconds() - feed->cpu) * 1e6 / (double)feed->sent);
  uint64_t arrived = atomic_load(&feed->arrived);
  if (!feed->latency) return;
  if (arrived < feed->count / 2) die("of %llu frames %llu arrived", (unsigned long long)feed->count, (unsigned long long)arrived);
  report_quantiles("latency", feed->taken, (size_t)(arrived < feed->count ? arrived : feed->count));
}
