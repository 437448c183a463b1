#include "crowd.h"

#include "measure.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

void crowd_open(struct crowd *crowd, uint64_t rate) {
  int samples = (int)(rate * CROWD_MS / 1000);
  *crowd = (struct crowd){.rate = rate, .floats = samples * 2, .bytes = (size_t)samples * 2 * sizeof(float)};
  for (int who = 0; who < CROWD; who++) {
    float *buffer = aligned_alloc(64, (crowd->bytes + 63) / 64 * 64);
    if (buffer == NULL) die("no memory");
    for (int i = 0; i < crowd->floats; i++) {
      double turns = (double)(who + 3) * (i / 2) / samples;
      /* Fifty together stay below 0.7 of full scale, where no mixer bends them. */
      buffer[i] = (float)(0.05 * sin(2 * PI * (turns + who * who / 50.0 + i % 2 * 0.25)));
    }
    crowd->buffers[who] = buffer;
  }
}

void crowd_close(struct crowd *crowd) {
  for (int who = 0; who < CROWD; who++) free(crowd->buffers[who]);
}

void crowd_check(const struct crowd *crowd, const float *mixed) {
  double wanted = 0, got = 0, peak = 0;
  for (int i = 0; i < CROWD_MIX_FLOATS; i++) got += (double)mixed[i] * mixed[i] / CROWD_MIX_FLOATS;
  for (int i = 0; i < crowd->floats; i++) {
    double sum = 0;
    for (int who = 0; who < CROWD; who++) sum += crowd->buffers[who][i];
    wanted += sum * sum / crowd->floats;
    peak = fmax(peak, fabs(sum));
  }
  if (peak > 0.7) die("the crowd is too loud: %g", peak);
  if (fabs(got / wanted - 1) > 0.02) die("the mix has %g of the power of the sum", got / wanted);
}

void crowd_report(int64_t count, double sending, double mixing, int64_t elapsed_ns) {
  report("send_us", sending * 1e6 / (double)count);
  report("mix_us", mixing * 1e6 / (double)count);
  report("cpu_us", (sending + mixing) * 1e6 / (double)count);
  report("turn_us", (double)elapsed_ns / 1e3 / (double)count);
}
