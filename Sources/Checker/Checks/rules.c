/* Checks of the rules about frames and time. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "checks.h"
#include "rig.h"

static int is_producer(uint32_t kind) {
  return (kind & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER)) != 0;
}
static int is_filter(uint32_t kind) {
  return (kind & (MSDK_KIND_VIDEO_FILTER | MSDK_KIND_AUDIO_FILTER)) != 0;
}

static int begin(rig *rig, const msdk_class *class, uint32_t kind, uint32_t flags, const char *rule) {
  if (rig_open(rig, class, kind, flags) < 0) return 0;
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
    if (code < 0) fail("P2", "stop of the %s returned %s", kind_name(kind), rig_words(&rig, code));
    uint32_t inside = rig.context->late;
    step("waiting for calls after stop");
    wait_ms(i == 0 ? 400 : 100);
    const char *call = kind == MSDK_KIND_AUDIO_RENDERER   ? "read_render_data"
                       : kind == MSDK_KIND_AUDIO_PRODUCER ? "consume_audio_frame"
                       : rig_is_encoded(&rig)             ? "consume_encoded_frame"
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

#define STARVED 5 /* frames that are asked for, or passed, meanwhile */

static int32_t out(const rig *rig) {
  return rig->context->outstanding + rig->context->outstanding_sound;
}

static void starve(const msdk_class *class, uint32_t kind) {
  rig rig;
  uint32_t moved = 0, came = 0;
  if (!begin(&rig, class, kind, 0, "P4")) return;
  rig_media(&rig, 3, &moved);
  rig.context->is_starved = 1;
  uint32_t refused = rig.context->refused;
  int is_push = is_producer(kind) && !rig_is_pull(&rig);
  int32_t before = out(&rig);
  step("a pool without a free frame");
  if (is_push) wait_ms(300);
  msdk_result code = is_push ? 0 : rig_media(&rig, STARVED, NULL);
  step("a pool without a free frame");
  if (code < 0)
    fail("P4", "when video_frame_acquire returned MSDK_E_AGAIN, the %s returned %s, which ends the stream; accepted: MSDK_E_AGAIN",
         kind_name(kind), rig_words(&rig, code));
  if (rig.context->refused - refused > 20000)
    fail("P4", "it asked the empty pool %u times in 0.3 s: drop the frame, and wait until the next is due", rig.context->refused - refused);
  if (is_filter(kind) && out(&rig) - before >= STARVED)
    fail("P4", "when make_writable returned MSDK_E_AGAIN, the %s kept its reference to the frame; accepted: to unref it", kind_name(kind));
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
    rig probe = {.class = class, .kind = kind};
    if ((is_producer(kind) || is_filter(kind)) && !rig_is_encoded(&probe)) starve(class, kind);
  }
  if ((class->kinds & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_VIDEO_FILTER | MSDK_KIND_AUDIO_FILTER)) == 0) {
    skip("it takes no frames from the pool");
  }
}

/* --------------------------------------------------------------------------------------------------------- P4: references */

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
  int32_t left = context->outstanding + context->outstanding_sound + context->outstanding_encoded;
  for (int i = 0; i < 100 && left > 0; i++) {
    wait_ms(5);
    left = context->outstanding + context->outstanding_sound + context->outstanding_encoded;
  }
  if (left > 0) fail("P4", "after destroy %d references of frames were not released", left);
  if (context->over_released > 0) fail("P4", "%u references were released that it did not hold", context->over_released);
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

enum { AHEAD_NS = 1500000000, SLOW_NS = 1000000000, SLEEP_TRIES = 8, SOUND_SLEEP_TRIES = 20 };

static int64_t cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

static void delivered(const rig *rig, uint32_t *count, int64_t *length) {
  pthread_mutex_lock(&rig->context->lock);
  *count = rig->context->delivered;
  *length = rig->context->delivered_ns;
  pthread_mutex_unlock(&rig->context->lock);
}

/* How many frames came, and when the last did: by its own thread, whenever this one looks. */
static uint32_t delivered_at(const rig *rig, int64_t *time) {
  pthread_mutex_lock(&rig->context->lock);
  uint32_t count = rig->context->delivered;
  *time = rig->context->delivered_at;
  pthread_mutex_unlock(&rig->context->lock);
  return count;
}

/* Of one frame at the agreed rate; 0: there is no rate. */
static int64_t frame_duration(const rig *rig) {
  return rig->video.fps_num == 0 ? 0 : (int64_t)rig->video.fps_den * 1000000000 / rig->video.fps_num;
}

/* A producer that sleeps between its frames takes the time from those that come after it in the stream. Frames are long due, so that no
   time must pass. What it computed does not count, and a frame for which it did not go to sleep itself, but was made to wait by a busy
   machine, ends the question, as one that came soon enough does. Buffers of sound say themselves how long they are. */
static void sleep_within_a_frame(rig *rig) {
  int is_sound = rig->kind == MSDK_KIND_AUDIO_PRODUCER;
  int64_t duration = is_sound ? 0 : frame_duration(rig), shortest = INT64_MAX;
  if ((duration == 0 && !is_sound) || has_failed()) return;
  for (int i = 0; i < (is_sound ? SOUND_SLEEP_TRIES : SLEEP_TRIES); i++) {
    uint32_t count = 0;
    int64_t length = 0, former = 0;
    delivered(rig, &count, &former);
    rig->time = now_ns();
    long slept = sleeps();
    int64_t before = now_ns(), computed = cpu_ns();
    msdk_result code = rig_media(rig, 1, NULL);
    int64_t waited = now_ns() - before - (cpu_ns() - computed);
    delivered(rig, &count, &length);
    if (is_sound) duration = length - former;
    if (code < 0 || rig->last < 0 || has_failed() || sleeps() == slept || waited <= duration / 2) return;
    if (waited < shortest) shortest = waited;
  }
  if (is_sound)
    fail("P7", "produce_frame slept at least %.0f ms for each buffer of %.0f ms: the host sets the pace, so it must not wait", (double)shortest / 1e6,
         (double)duration / 1e6);
  else
    fail("P7", "produce_frame slept at least %.0f ms for each frame of %.0f ms (%u/%u frames a second): the host sets the pace, so it must not wait",
         (double)shortest / 1e6, (double)duration / 1e6, rig->video.fps_num, rig->video.fps_den);
}

/* ---------------------------------------------------------------------------------------- of threads that deliver by themselves */

enum { FRAMES_WATCHED = 6, WATCHES = 2, MOST_WATCHES = 8, QUIET_NS = 1000000000, SOUND_WATCH_NS = 1000000000 };

typedef enum { PACE_GOOD, PACE_SLOW, PACE_UNCLEAR } video_pace;

/* Slow: frames came, all of them so far apart, and as far. What has frames only when something changes has them now and then. A machine that is
   busy makes one late, not all: then nothing is known. */
static video_pace watch_frames(rig *rig, int64_t duration, int64_t *shortest, int64_t *longest) {
  int64_t since, now;
  uint32_t last = delivered_at(rig, &since), count;
  *shortest = INT64_MAX;
  *longest = 0;
  for (int i = 0; i <= FRAMES_WATCHED; i++) {
    int64_t begin = now_ns();
    while ((count = delivered_at(rig, &now)) == last) {
      if (now_ns() - begin > QUIET_NS) return PACE_GOOD;
      wait_ms(1);
    }
    int64_t between = (now - since) / (count - last);
    since = now;
    last = count;
    if (i == 0) continue;
    if (between <= 2 * duration) return PACE_GOOD;
    if (between < *shortest) *shortest = between;
    if (between > *longest) *longest = between;
  }
  return *longest - *shortest <= *shortest / 2 ? PACE_SLOW : PACE_UNCLEAR;
}

static void frames_of_its_thread(rig *rig) {
  int64_t duration = frame_duration(rig), shortest = 0, longest = 0;
  if (duration == 0) return;
  int slow = 0;
  for (int i = 0; i < MOST_WATCHES && slow < WATCHES; i++) {
    int64_t least, most;
    video_pace pace = watch_frames(rig, duration, &least, &most);
    if (pace == PACE_GOOD) return;
    if (pace == PACE_UNCLEAR) continue;
    slow++;
    shortest = least;
    longest = most;
  }
  if (slow < WATCHES) return;
  fail("msdk_video_format", "its thread delivers a frame every %.0f to %.0f ms; agreed: every %.0f ms (%u/%u frames a second). Offer the real rate",
       (double)shortest / 1e6, (double)longest / 1e6, (double)duration / 1e6, rig->video.fps_num, rig->video.fps_den);
}

static void sound_of_its_thread(rig *rig) {
  int64_t came = 0, took = 0;
  for (int i = 0; i < WATCHES; i++) {
    uint32_t count = 0;
    int64_t before = 0, begin = now_ns();
    delivered(rig, &count, &before);
    while (now_ns() - begin < SOUND_WATCH_NS) wait_ms(10);
    delivered(rig, &count, &came);
    took = now_ns() - begin;
    came -= before;
    if (came == 0 || came >= took / 2) return;
  }
  fail("consume_audio_frame", "its thread delivers %.0f ms of audio in %.0f ms: audio must be made in real time", (double)came / 1e6,
       (double)took / 1e6);
}

static void pace_of_its_thread(const msdk_class *class, uint32_t kind) {
  rig rig;
  uint32_t moved = 0;
  if (!begin(&rig, class, kind, 0, "P7")) return;
  rig_media(&rig, 1, &moved);
  step("measuring how fast its thread delivers");
  if (moved > 0 && kind == MSDK_KIND_VIDEO_PRODUCER) frames_of_its_thread(&rig);
  if (moved > 0 && kind == MSDK_KIND_AUDIO_PRODUCER) sound_of_its_thread(&rig);
  rig_close(&rig);
}

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
      fail("P7", "produce_frame for a frame due in 1.5 s took %.1f s: the host sets the pace, so it must not wait", (double)fastest / 1e9);
    else
      fail("P7", "the %s took %.1f s for a frame, which delays the stream", kind_name(kind), (double)fastest / 1e9);
  }
  if (is_producer(kind)) sleep_within_a_frame(&rig);
  rig_close(&rig);
}

void check_pace(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  int count = 0;
  FOR_KINDS(kind, class) {
    rig probe = {.class = class, .kind = kind};
    int is_own = kind == MSDK_KIND_AUDIO_RENDERER && class->audio_renderer->render_audio_frame == NULL;
    if (is_own) continue;
    count++;
    if (!is_producer(kind) || rig_is_pull(&probe))
      pace(class, kind);
    else if (!rig_is_also_renderer(&probe))
      pace_of_its_thread(class, kind);
  }
  if (count == 0) skip("it has a thread of its own, which sets the pace");
}
