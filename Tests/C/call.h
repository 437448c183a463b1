/* A call in one process: engines, members of a loopback room, a stream from one to the other. Works on both clocks: the virtual one
 * is moved on where the system one is waited for. */
#ifndef CALL_H
#define CALL_H

#include "check.h"
#include "people.h"
#include "process.h"

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

static inline msdk_engine *engine_new(uint32_t clock) {
  msdk_engine_options options = MSDK_INIT(msdk_engine_options);
  options.clock = clock;
  /* The tests run isolated by the environment too. */
  options.ignore_environment = getenv("MSDK_PLUGIN_ISOLATE") == NULL;
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(&options, &engine));
  return engine;
}

/* A room that nobody else in this process uses. */
static inline const char *room_new(void) {
  static char url[8][64];
  static atomic_int counter;
  int number = atomic_fetch_add(&counter, 1);
  snprintf(url[number % 8], sizeof url[0], "loopback:room-%d", number);
  return url[number % 8];
}

static inline msdk_session *session_new(msdk_engine *engine, const char *url, const char *user) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = user;
  msdk_session *session = NULL;
  CHECK_OK(msdk_session_create(engine, &options, &session));
  return session;
}

/* Lets time go by: on this thread for a virtual clock, asleep for the system's. */
static inline void run_for(msdk_engine *engine, int64_t nanoseconds) {
  if (msdk_engine_advance_clock(engine, nanoseconds) == MSDK_E_UNSUPPORTED) sleep_ms((nanoseconds + MS - 1) / MS);
}

/* How often 5 ms are waited for what takes milliseconds: five seconds of a virtual clock, a minute of real time, which a busy machine takes. */
static inline int waits_of(msdk_engine *engine) { return msdk_engine_advance_clock(engine, 0) == MSDK_E_UNSUPPORTED ? 12000 : 1000; }

/* A busy machine makes every plugin slow. What tests that event takes events itself. */
static inline int is_wanted(const msdk_event *event, uint32_t type) {
  return event->type == type && (type != MSDK_EVENT_PLUGIN || event->value != MSDK_PLUGIN_EVENT_SLOW);
}

/* Takes events until one of this type comes. 1 when it came. */
static inline int event_wait(msdk_engine *engine, msdk_session *session, uint32_t type, msdk_event *out) {
  for (int tries = waits_of(engine); tries > 0; tries--) {
    for (;;) {
      *out = MSDK_INIT(msdk_event);
      if (msdk_session_next_event(session, 0, out) < 0) break;
      if (is_wanted(out, type)) return 1;
    }
    run_for(engine, 5 * MS);
  }
  return 0;
}

/* The newest event of this type among those that wait now; the others are thrown away. 0 when there is none. */
static inline int event_take(msdk_session *session, uint32_t type, msdk_event *out) {
  int found = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, 0, &event) < 0) return found;
    if (is_wanted(&event, type)) {
      *out = event;
      found = 1;
    }
  }
}

static inline int state_wait(msdk_engine *engine, msdk_session *session, uint32_t state) {
  for (int tries = waits_of(engine); tries > 0; tries--) {
    uint32_t now = UINT32_MAX;
    if (msdk_session_get_state(session, &now) >= 0 && now == state) return 1;
    run_for(engine, 5 * MS);
  }
  return 0;
}

static inline msdk_session *join(msdk_engine *engine, const char *url, const char *user) {
  msdk_session *session = session_new(engine, url, user);
  CHECK_OK(msdk_session_connect(session));
  CHECK(state_wait(engine, session, MSDK_SESSION_CONNECTED));
  return session;
}

static inline msdk_video_format format_of(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t fps) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = width;
  format.height = height;
  format.fps_num = fps;
  format.fps_den = 1;
  return format;
}

static inline msdk_outgoing_video_options outgoing_options(uint32_t codec, const msdk_video_format *formats, uint32_t count) {
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.limits = MSDK_LIMITS_EXTENDED;
  options.codec = codec;
  options.formats = formats;
  options.format_count = count;
  return options;
}

static inline msdk_outgoing_video_stats outgoing_stats(msdk_outgoing_video *stream) {
  msdk_outgoing_video_stats stats = MSDK_INIT(msdk_outgoing_video_stats);
  CHECK_OK(msdk_outgoing_video_get_stats(stream, &stats));
  return stats;
}

static inline msdk_incoming_video_stats incoming_stats(msdk_incoming_video *stream) {
  msdk_incoming_video_stats stats = MSDK_INIT(msdk_incoming_video_stats);
  CHECK_OK(msdk_incoming_video_get_stats(stream, &stats));
  return stats;
}

static inline msdk_session_stats session_stats(msdk_session *session) {
  msdk_session_stats stats = MSDK_INIT(msdk_session_stats);
  CHECK_OK(msdk_session_get_stats(session, &stats));
  return stats;
}

static inline msdk_engine_stats engine_stats(msdk_engine *engine) {
  msdk_engine_stats stats = MSDK_INIT(msdk_engine_stats);
  CHECK_OK(msdk_engine_get_stats(engine, &stats));
  return stats;
}

typedef struct call {
  msdk_engine *engine;
  char url[64];
  msdk_session *alice, *bob;
  msdk_outgoing_video *outgoing;
  msdk_frame_sender *sender;
  msdk_incoming_video *incoming;
  msdk_video_format format; /* the sender's */
} call;

/* Two members, no stream yet. */
static inline call call_join(uint32_t clock) {
  call it = {0};
  snprintf(it.url, sizeof it.url, "%s", room_new());
  it.engine = engine_new(clock);
  it.alice = join(it.engine, it.url, "alice");
  it.bob = join(it.engine, it.url, "bob");
  return it;
}

/* Starts the stream; takes the sender from alice's event and the stream from bob's. */
static inline int call_offer(call *it, const msdk_outgoing_video_options *options) {
  msdk_event event;
  if (!CHECK_OK(msdk_outgoing_video_create(it->engine, options, &it->outgoing))) return 0;
  if (!CHECK_OK(msdk_session_start_video(it->alice, it->outgoing))) return 0;
  if (!CHECK(event_wait(it->engine, it->alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event))) return 0;
  it->sender = event.sender;
  it->format = event.format;
  if (!CHECK(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event))) return 0;
  it->incoming = event.incoming_video;
  return CHECK(it->sender != NULL && it->incoming != NULL);
}


static inline void call_close(call *it) {
  msdk_outgoing_video_destroy(it->outgoing);
  msdk_session_destroy(it->alice);
  msdk_session_destroy(it->bob);
  msdk_engine_destroy(it->engine);
}

/* A call with one stream that bob receives, of which the sender knows. */
static inline call call_open(uint32_t clock, const msdk_outgoing_video_options *options, const msdk_incoming_video_options *receive) {
  call it = call_join(clock);
  if (call_offer(&it, options) && CHECK_OK(msdk_incoming_video_start(it.incoming, receive))) {
    run_for(it.engine, MS);
    for (int tries = waits_of(it.engine); tries > 0 && outgoing_stats(it.outgoing).receivers == 0; tries--) run_for(it.engine, 5 * MS);
  }
  return it;
}

/* Waits for the next picture. NULL when none came. */
static inline msdk_video_frame *frame_wait(call *it) {
  for (int tries = waits_of(it->engine); tries > 0; tries--) {
    msdk_video_frame *frame = NULL;
    if (msdk_incoming_video_read(it->incoming, 0, &frame) >= 0) return frame;
    run_for(it->engine, 5 * MS);
  }
  return NULL;
}

static inline uint64_t outcomes_of(msdk_outgoing_video *stream) {
  msdk_outgoing_video_stats stats = outgoing_stats(stream);
  return stats.frames_sent + stats.frames_encoded + stats.frames_replaced + stats.frames_dropped + stats.frames_failed;
}

/* The law of the reports: every frame that send accepted has one outcome, the last one a moment after it was accepted. */
static inline void check_outcomes_add_up(msdk_outgoing_video *stream) {
  WAIT_UNTIL(outcomes_of(stream) >= outgoing_stats(stream).frames_offered);
  CHECK_EQ(outcomes_of(stream), outgoing_stats(stream).frames_offered);
}

static inline msdk_network_step network_step(int64_t at_ns, uint64_t bandwidth_bps) {
  msdk_network_step step = MSDK_INIT(msdk_network_step);
  step.at_ns = at_ns;
  step.bandwidth_bps = bandwidth_bps;
  return step;
}

static inline msdk_result network_set(msdk_engine *engine, const char *url, const msdk_network_step *steps, uint32_t count, uint64_t seed) {
  msdk_network_script script = MSDK_INIT(msdk_network_script);
  script.steps = steps;
  script.step_count = count;
  script.seed = seed;
  return msdk_room_script_network(engine, url, &script);
}

#endif
