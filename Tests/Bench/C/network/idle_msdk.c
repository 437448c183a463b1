/* What a connected peer without media keeps of memory: pairs of sessions of webrtc: in one process.
 *
 *   idle_msdk PAIRS */
#include "call.h"
#include "measure.h"
#include "webrtc_pair.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARM_UP = 4, SETTLE_NS = 1000000000 };

static msdk_engine *engine;

static void connect_pair(struct webrtc_end *ends) {
  webrtc_open(&ends[1], engine, "webrtc:?loopback=1", NULL);
  webrtc_open(&ends[0], engine, "webrtc:?loopback=1", NULL);
  webrtc_offer(&ends[0], &ends[1]);
  webrtc_connect(&ends[0], &ends[1]);
}

int main(int argc, char **argv) {
  if (argc != 2) die("usage: idle_msdk PAIRS");
  uint64_t pairs = count_from(argv[1]);
  struct webrtc_end *ends = calloc((pairs + WARM_UP) * 2, sizeof *ends);
  if (ends == NULL) die("no memory");
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  for (uint64_t i = 0; i < WARM_UP; i++) connect_pair(&ends[i * 2]);
  double before = resident_kb();
  for (uint64_t i = WARM_UP; i < pairs + WARM_UP; i++) connect_pair(&ends[i * 2]);
  sleep_until(now_ns() + SETTLE_NS);
  report("peer_kb", (resident_kb() - before) / (double)(pairs * 2));
  for (uint64_t i = 0; i < (pairs + WARM_UP) * 2; i++) msdk_session_destroy(ends[i].session);
  msdk_engine_destroy(engine);
  free(ends);
  return 0;
}
