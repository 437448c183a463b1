/* Arguments for fuzz_calls.c, good and bad, all from one seed. */
#ifndef FUZZ_VALUES_H
#define FUZZ_VALUES_H

#include "call.h"
#include "random.h"

enum { KEPT = 64, OF_A_KIND = 12 };
enum kind { SESSION, OUTGOING, SENDER, INCOMING, INSTANCE, SOUND_OUT, SOUND_IN, KINDS };

static uint64_t seed;
static msdk_engine *engine;
/* Handles of every kind, live and dead, mixed on purpose. */
static void *handles[KINDS][OF_A_KIND];

static uint32_t below(uint32_t limit) { return random_below(&seed, limit); }

/* Whether one argument of this call shall be wrong: most calls are right in everything, else nothing would ever work. */
static int wild; /* set anew for every step */
static int goes_wrong(uint32_t one_in) { return wild && below(one_in) == 0; }

static uint32_t number(void) {
  static const uint32_t edges[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 64, 255, 256, 1000, 4096, 16384, 16385, 65536, 0x7FFFFFFF,
                                   0x80000000, UINT32_MAX};
  return below(3) == 0 ? (uint32_t)random_next(&seed) : edges[below(sizeof edges / sizeof edges[0])];
}

static int64_t wide(void) {
  static const int64_t edges[] = {0, 1, -1, 1000, INT64_MAX, INT64_MIN, 1000000000, 30000000000};
  return below(2) == 0 ? (int64_t)random_next(&seed) : edges[below(8)];
}

static void *handle(enum kind kind) {
  static uint64_t rubbish[8];
  switch (wild ? below(16) : 16) {
  case 0: return NULL;
  case 1: return (void *)(uintptr_t)random_next(&seed);
  case 2: return rubbish;
  case 3: return engine;
  case 4: return handles[below(KINDS)][below(OF_A_KIND)];
  default: return handles[kind][below(OF_A_KIND)];
  }
}

/* In the place of another, which mostly ends: else they would grow without end. */
static void keep(enum kind kind, void *made) {
  if (made == NULL) return;
  uint32_t place = below(OF_A_KIND);
  void *old = handles[kind][place];
  handles[kind][place] = made;
  if (below(8) == 0) return;
  if (kind == SESSION) msdk_session_destroy(old);
  if (kind == OUTGOING) msdk_outgoing_video_destroy(old);
  if (kind == INSTANCE) msdk_instance_destroy(old);
  if (kind == SOUND_OUT) msdk_outgoing_audio_destroy(old);
}

static msdk_engine *some_engine(void) { return goes_wrong(8) ? handle((enum kind)below(KINDS)) : engine; }

static const char *text(void) {
  static const char *const texts[] = {
    NULL, "", "a", "b", "loopback:", "loopback:fuzz", "loopback:fuzz", "loopback:fuzz", "loopback:other", "http://x", "\xFF\xFE",
    "level", "fail", "accept", "path", "7", "true", "-1", "99999999999999999999", "render", "init", "org.mediasdk.test.pull",
    "org.mediasdk.test.sink",
    "org.mediasdk.test.mic", "org.mediasdk.test.odd_mic", "org.mediasdk.test.earphone", "org.mediasdk.test.packets",
    "org.mediasdk.producer.tone", "org.mediasdk.test.filter", "org.mediasdk.test.codec",
    "org.mediasdk.producer.testpattern", "org.mediasdk.renderer.bw", "/",
    "/dev/null"};
  return texts[below(sizeof texts / sizeof texts[0])];
}

/* Never between its own and the largest: the memory would not be what it says. */
static uint32_t struct_size(size_t size) {
  if (!goes_wrong(8)) return (uint32_t)size;
  return below(2) == 0 ? below((uint32_t)size + 1) : UINT32_MAX - below(9);
}

#endif
