/* What is said about an encoder's run, the same for every candidate. */
#ifndef BENCH_ENCODE_METER_H
#define BENCH_ENCODE_METER_H

#include <stdint.h>

struct encode_meter {
  int64_t begin;
  double cpu;
  uint64_t encoded, bytes;
};

void encode_begin(struct encode_meter *meter);
void encode_add(struct encode_meter *meter, uint64_t bytes);        /* one encoded frame */
void encode_report(struct encode_meter *meter, uint64_t offered); /* after the last one */

#endif
