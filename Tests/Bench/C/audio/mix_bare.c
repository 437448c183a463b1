/* The limit for the mix: fifty buffers, which somebody copied into memory of their own, are added up and clipped, in a plain loop. Timed
 * apart: the copies and the sum.
 *
 *   mix_bare BUFFERS */
#include "crowd.h"
#include "measure.h"

#include <string.h>

static struct crowd crowd, copies;
static float mixed[CROWD_MIX_FLOATS];

static __attribute__((noinline)) void mix(float *restrict sum, float *const *buffers) {
  memcpy(sum, buffers[0], sizeof mixed);
  for (int who = 1; who < CROWD; who++) {
    const float *buffer = buffers[who];
    for (int i = 0; i < CROWD_MIX_FLOATS; i++) sum[i] += buffer[i];
  }
  for (int i = 0; i < CROWD_MIX_FLOATS; i++) sum[i] = sum[i] > 1 ? 1 : sum[i] < -1 ? -1 : sum[i];
}

int main(int argc, char **argv) {
  if (argc != 2) die("usage: mix_bare BUFFERS");
  uint64_t count = count_from(argv[1]);
  crowd_open(&crowd, CROWD_MIX_RATE);
  crowd_open(&copies, CROWD_MIX_RATE);
  double sending = 0, mixing = 0;
  int64_t begin = 0;
  for (uint64_t turn = 0; turn < count + CROWD_WARM_UP; turn++) {
    if (turn == CROWD_WARM_UP) {
      sending = mixing = 0;
      begin = now_ns();
    }
    double start = cpu_seconds();
    for (int who = 0; who < CROWD; who++) memcpy(copies.buffers[who], crowd.buffers[who], crowd.bytes);
    double sent = cpu_seconds();
    mix(mixed, copies.buffers);
    sending += sent - start;
    mixing += cpu_seconds() - sent;
  }
  crowd_report((int64_t)count, sending, mixing, now_ns() - begin);
  crowd_check(&crowd, mixed);
  crowd_close(&crowd);
  crowd_close(&copies);
  return 0;
}
