#include "encode_meter.h"

#include "measure.h"

void encode_begin(struct encode_meter *meter) { *meter = (struct encode_meter){.begin = now_ns(), .cpu = cpu_seconds()}; }

void encode_add(struct encode_meter *meter, uint64_t bytes) {
  meter->encoded++;
  meter->bytes += bytes;
}

void encode_report(struct encode_meter *meter, uint64_t offered) {
  double seconds = (double)(now_ns() - meter->begin) / 1e9, cpu = cpu_seconds() - meter->cpu;
  report("fps", (double)offered / seconds);
  report("cpu_per_1000", cpu / (double)offered * 1000);
  report("encoded", (double)meter->encoded);
  report("bytes", (double)meter->bytes);
}
