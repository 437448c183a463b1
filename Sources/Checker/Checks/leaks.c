/* The check of what a life leaves behind. */
#include "checks.h"
#include "rig.h"

static void cycle(const msdk_class *class) {
  FOR_KINDS(kind, class) {
    rig rig;
    if (rig_open(&rig, class, kind, 0) < 0) return;
    if (rig_init(&rig) >= 0 && rig_agree(&rig) >= 0 && rig_start(&rig) >= 0) rig_media(&rig, 2, NULL);
    rig_close(&rig);
  }
}

/* Whether memory grows in each of some rounds of so many lives, by what could be a leak. */
static int grows(const msdk_class *class, int rounds, int lives, uint64_t *most) {
  enum { BYTES = 24 };
  *most = 0;
  for (int round = 0; round < rounds; round++) {
    uint64_t before = memory_now();
    for (int i = 0; i < lives; i++) cycle(class);
    uint64_t after = memory_now();
    if (after <= before || after - before < (uint64_t)lives * BYTES) return 0;
    *most = (after - before) / (uint64_t)lives;
  }
  return 1;
}

void check_leaks(void) {
  enum { FEW = 15, MANY = 60, MOST = 240 };
  const msdk_class *class = class_get();
  if (class == NULL) return;
  for (int i = 0; i < 5; i++) cycle(class);
  effects before = effects_now();
  uint64_t bytes;
  /* What malloc keeps for itself grows, too, and comes to an end: what looks like a leak is looked at for longer. */
  int is_leak = grows(class, 3, FEW, &bytes) && grows(class, 4, MANY, &bytes) && grows(class, 2, MOST, &bytes);
  for (int i = 0; i < FEW; i++) cycle(class);
  effects after = effects_now();
  for (int i = 0; i < 100 && after.threads > before.threads; i++) { /* the kernel takes its time */
    wait_ms(10);
    after = effects_now();
  }
  if (after.threads > before.threads)
    fail("destroy", "%d more threads after several instances: stop or release joins them", after.threads - before.threads);
  if (after.descriptors > before.descriptors)
    fail("destroy", "%d more descriptors after several instances", after.descriptors - before.descriptors);
  if (is_leak) fail("destroy", "each instance leaks %llu bytes from create to destroy", (unsigned long long)bytes);
}
