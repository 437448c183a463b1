/* Checks of the rules about frames and time. */
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "rig.h"

static int is_producer(uint32_t kind) {
  return (kind & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER)) != 0;
}
static int is_filter(uint32_t kind) {
  return (kind & (MSDK_KIND_VIDEO_FILTER | MSDK_KIND_AUDIO_FILTER)) != 0;
}

static int begin(rig *rig, const msdk_class *class, uint32_t kind, uint32_t flags, const char *rule) {
  if (rig_open(rig, class, kind, flags, MSDK_ABI_MINOR) < 0) return 0;
  if (rig_demand(rig, rule)) return 1;
  rig_close(rig);
  return 0;
}

/* --------------------------------------------------------------------------------------------------------------- P2: stop */

static void stop(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (!begin(&rig, class, kind, HOST_CLOSE_WATCH, "P2")) return;
  for (int i = 0; i < 4 && !has_failed(); i++) {
    rig_media(&rig, 2, NULL);
    wait_ms(5 * (uint32_t)i + random_below(10));
    msdk_result code = rig_stop(&rig);
    if (code < 0) fail("P2", "stop of the %s answered %s", kind_name(kind), rig_words(&rig, code));
    uint32_t inside = rig.context->late;
    step("watching what comes after stop");
    wait_ms(i == 0 ? 400 : 100);
    const char *call = kind == MSDK_KIND_AUDIO_RENDERER   ? "read_render_data"
                       : kind == MSDK_KIND_AUDIO_PRODUCER ? "consume_audio_frame"
                                                          : "consume_video_frame";
    if (inside > 0) fail("P2", "stop returned while a thread of the plugin was inside %s", call);
    if (rig.context->late > 0) fail("P2", "%s was called %u times after stop had returned", call, rig.context->late);
    if (has_failed() || rig_start(&rig) < 0) break;
  }
  rig_close(&rig);
}

void check_stop(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    stop(class, kind);
  }
}

/* --------------------------------------------------------------------------------------------------------------- P4: pool */

static void starve(const msdk_class *class, uint32_t kind) {
  rig rig;
  uint32_t moved = 0, came = 0;
  if (!begin(&rig, class, kind, 0, "P4")) return;
  rig_media(&rig, 3, &moved);
  rig.context->is_starved = 1;
  uint32_t refused = rig.context->refused;
  int is_push = is_producer(kind) && !rig_is_pull(&rig);
  step("a pool without a free frame");
  if (is_push) wait_ms(300);
  msdk_result code = is_push ? 0 : rig_media(&rig, 5, NULL);
  step("a pool without a free frame");
  if (code < 0)
    fail("P4", "when video_frame_acquire answered MSDK_E_AGAIN, the %s answered %s, which ends the stream; accepted: MSDK_E_AGAIN",
         kind_name(kind), rig_words(&rig, code));
  if (rig.context->refused - refused > 20000)
    fail("P4", "it asked the empty pool %u times in 0.3 s: drop, and wait for the next frame's time", rig.context->refused - refused);
  int is_over = !is_push && rig.last == MSDK_E_CLOSED;
  rig.context->is_starved = 0;
  if (moved > 0 && !has_failed() && !is_over) {
    code = rig_media(&rig, 10, &came);
    if (rig.last != MSDK_E_CLOSED && (code < 0 || came == 0))
      fail("P4", "when the pool had frames again, the %s made none", kind_name(kind));
  }
  rig_close(&rig);
}

void check_pool(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    if (is_producer(kind) || is_filter(kind)) starve(class, kind);
  }
  if ((class->kinds & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_VIDEO_FILTER | MSDK_KIND_AUDIO_FILTER)) == 0) {
    skip("it takes no frames from the pool");
  }
}

/* --------------------------------------------------------------------------------------------------------- P4: references */

static int32_t out(const rig *rig) {
  return rig->context->outstanding + rig->context->outstanding_sound;
}

static void balance(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (!begin(&rig, class, kind, 0, "P4")) return;
  int is_sound = (kind & (MSDK_KIND_AUDIO_RENDERER | MSDK_KIND_AUDIO_FILTER | MSDK_KIND_AUDIO_PRODUCER)) != 0;
  int32_t most = 0, limit = is_sound ? 8 : 4;
  for (int i = 0; i < 20 && !has_failed(); i++) {
    msdk_result code = rig_media(&rig, 1, NULL);
    if (out(&rig) > most) most = out(&rig);
    if (code < 0) break;
  }
  if (!is_producer(kind) && !is_filter(kind) && most > limit) {
    fail("P4", "the renderer keeps %d frames; accepted: at most %d", most, limit);
  }
  msdk_host_context *context = rig.context;
  rig_close(&rig);
  int32_t left = context->outstanding + context->outstanding_sound;
  for (int i = 0; i < 100 && left > 0; i++) {
    wait_ms(5);
    left = context->outstanding + context->outstanding_sound;
  }
  if (left > 0) fail("P4", "after destroy %d references of frames were not given back", left);
  if (context->over_released > 0) fail("P4", "%u references were given back that it did not have", context->over_released);
}

void check_references(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    balance(class, kind);
  }
}

/* ------------------------------------------------------------------------------------------- P3: read-only, and borrowed */

static void watched(const msdk_class *class, uint32_t kind, uint32_t flags, const char *rule) {
  rig rig;
  if (!begin(&rig, class, kind, flags, rule)) return;
  rig_media(&rig, 8, NULL);
  if (kind == MSDK_KIND_VIDEO_RENDERER && class->video_renderer->flush != NULL) {
    step("flush");
    class->video_renderer->flush(rig.self);
    rig_media(&rig, 2, NULL);
  }
  if (!is_producer(kind) || !rig_is_pull(&rig)) wait_ms(100);
  msdk_host_context *context = rig.context;
  rig_close(&rig);
  if (context->changed > 0) fail("P3", "%u frames that it had wrapped and delivered were changed afterwards", context->changed);
}

void check_read_only(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    watched(class, kind, HOST_READ_ONLY, "P3");
  }
}

void check_borrowed(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    watched(class, kind, HOST_BORROWED, "borrowed");
  }
}

/* --------------------------------------------------------------------------------------------------------------- P7: pace */

enum { AHEAD_NS = 1500000000, SLOW_NS = 1000000000 };

static void pace(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (!begin(&rig, class, kind, 0, "P7")) return;
  rig_media(&rig, 1, NULL);
  int64_t fastest = INT64_MAX;
  for (int i = 0; i < 3 && fastest > SLOW_NS && !has_failed(); i++) {
    rig.time = now_ns() + AHEAD_NS;
    int64_t before = now_ns();
    msdk_result code = rig_media(&rig, 1, NULL);
    int64_t took = now_ns() - before;
    if (took < fastest) fastest = took;
    if (code < 0 || rig.last == MSDK_E_CLOSED) break;
  }
  if (fastest > SLOW_NS && fastest != INT64_MAX && !has_failed()) {
    if (is_producer(kind))
      fail("P7", "produce_frame for a frame due in 1.5 s took %.1f s: the host paces, it must not wait", (double)fastest / 1e9);
    else
      fail("P7", "the %s took %.1f s for a frame, and holds up the stream", kind_name(kind), (double)fastest / 1e9);
  }
  rig_close(&rig);
}

void check_pace(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  int count = 0;
  FOR_KINDS(kind, class) {
    rig probe = {.class = class, .kind = kind};
    int is_own = kind == MSDK_KIND_AUDIO_RENDERER && class->audio_renderer->render_audio_frame == NULL;
    if (is_own || (is_producer(kind) && !rig_is_pull(&probe))) continue;
    count++;
    pace(class, kind);
  }
  if (count == 0) skip("it has a thread of its own, and its own pace");
}
