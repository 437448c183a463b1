/* session.h, incoming_video.h: three and more in a room. What each sees of the others, late joiners, one encode for all, who is slow. */
#include <sched.h>

#include "sending.h"

/* What a member has been told of one other. */
typedef struct seen {
  int is_here, streams, joins, leaves;
} seen;

enum { MOST = 8 };
static const char *const names[MOST] = {"anna", "bert", "carl", "dora", "emil", "fred", "gina", "hugo"};

static int number_of(const char *user) {
  for (int i = 0; i < MOST; i++) {
    if (strcmp(names[i], user) == 0) return i;
  }
  CHECK(0);
  return 0;
}

/* Takes what waits, and holds it to the rules: whoever leaves had come, with his streams in between. */
static void follow(msdk_session *session, seen *others) {
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, 0, &event) < 0) return;
    CHECK_EQ(event.flags & MSDK_EVENT_FLAG_LOST, 0);
    switch (event.type) {
      case MSDK_EVENT_PARTICIPANT_JOINED:
        CHECK_EQ(others[number_of(event.user_id)].is_here++, 0);
        others[number_of(event.user_id)].joins++;
        break;
      case MSDK_EVENT_PARTICIPANT_LEFT:
        CHECK_EQ(others[number_of(event.user_id)].is_here--, 1);
        CHECK_EQ(others[number_of(event.user_id)].streams, 0);
        others[number_of(event.user_id)].leaves++;
        break;
      case MSDK_EVENT_INCOMING_VIDEO_ADDED:
        CHECK_EQ(others[number_of(event.user_id)].is_here, 1);
        others[number_of(event.user_id)].streams++;
        break;
      case MSDK_EVENT_INCOMING_VIDEO_REMOVED:
        CHECK_EQ(others[number_of(event.user_id)].is_here, 1);
        others[number_of(event.user_id)].streams--;
        break;
      default: break;
    }
  }
}

static msdk_outgoing_video *offer(msdk_engine *engine, msdk_session *session, uint32_t codec, uint32_t width, uint32_t height) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, width, height, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &stream));
  CHECK_OK(msdk_session_start_video(session, stream));
  return stream;
}

static msdk_frame_sender *sender_of(msdk_outgoing_video *stream) {
  msdk_frame_sender *sender = NULL;
  CHECK_OK(msdk_outgoing_video_get_sender(stream, &sender));
  return sender;
}

/* The stream that this user offers next. */
static msdk_incoming_video *offered_by(msdk_engine *engine, msdk_session *session, const char *user) {
  msdk_event event;
  do {
    if (!CHECK(event_wait(engine, session, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event))) return NULL;
  } while (strcmp(event.user_id, user) != 0);
  return event.incoming_video;
}

static void everybody_sees_everybody(void) {
  enum { FOUR = 4 };
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *members[FOUR];
  msdk_outgoing_video *streams[FOUR];
  seen others[FOUR][MOST];
  memset(others, 0, sizeof others);
  for (int i = 0; i < FOUR; i++) {
    members[i] = join(engine, url, names[i]);
    streams[i] = offer(engine, members[i], MSDK_CODEC_RAW, 64, 48);
  }
  run_for(engine, MS);
  for (int i = 0; i < FOUR; i++) {
    follow(members[i], others[i]);
    CHECK_EQ(session_stats(members[i]).participants, FOUR);
    for (int j = 0; j < FOUR; j++) {
      CHECK_EQ(others[i][j].is_here, i != j);
      CHECK_EQ(others[i][j].streams, i != j);
    }
  }
  CHECK_OK(msdk_session_stop_video(members[0], streams[0]));
  CHECK_OK(msdk_session_disconnect(members[1]));
  run_for(engine, MS);
  for (int i = 2; i < FOUR; i++) {
    follow(members[i], others[i]);
    CHECK(others[i][0].is_here && others[i][0].streams == 0 && !others[i][1].is_here);
    CHECK_EQ(others[i][5 - i].streams, 1);
    CHECK_EQ(session_stats(members[i]).participants, FOUR - 1);
  }
  msdk_event event = MSDK_INIT(msdk_event);
  event_take(members[1], MSDK_EVENT_NONE, &event);
  CHECK_OK(msdk_session_connect(members[1])); /* with a new view of the room */
  memset(others[1], 0, sizeof others[1]);
  run_for(engine, MS);
  follow(members[1], others[1]);
  CHECK(others[1][0].is_here && others[1][2].streams == 1 && others[1][3].streams == 1);
  for (int i = 0; i < FOUR; i++) msdk_outgoing_video_destroy(streams[i]);
  msdk_engine_destroy(engine);
}

/* Streams, their mute state, who speaks or is there; and a picture from the next one that is sent. */
static void a_late_joiner_has_everything_at_once(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *anna = join(engine, url, "anna"), *bert = join(engine, url, "bert");
  msdk_outgoing_video *film[2] = {offer(engine, anna, MSDK_CODEC_VP8, 160, 96), offer(engine, bert, MSDK_CODEC_VP8, 96, 160)};
  msdk_outgoing_audio *sound = NULL;
  CHECK_OK(msdk_outgoing_audio_create(engine, NULL, &sound));
  CHECK_OK(msdk_session_start_audio(bert, sound));
  CHECK_OK(msdk_outgoing_audio_set_muted(sound, 1));
  CHECK_OK(msdk_incoming_video_start(offered_by(engine, bert, "anna"), NULL));
  CHECK_OK(msdk_incoming_video_start(offered_by(engine, anna, "bert"), NULL));
  for (uint32_t i = 0; i < 60; i++) {
    for (int j = 0; j < 2; j++) CHECK_OK(send_picture(sender_of(film[j]), i, 0, NULL));
    run_for(engine, SECOND / 30);
  }
  msdk_session *late = join(engine, url, "carl");
  msdk_incoming_video *incoming[2] = {NULL, NULL};
  uint64_t is_muted = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(late, 0, &event) < 0) break;
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED) incoming[number_of(event.user_id)] = event.incoming_video;
    if (event.type == MSDK_EVENT_INCOMING_AUDIO_ADDED) is_muted = event.value;
  }
  NEED(incoming[0] != NULL && incoming[1] != NULL);
  CHECK_EQ(is_muted, 1);
  CHECK_EQ(session_stats(late).participants, 3);
  for (int j = 0; j < 2; j++) CHECK_OK(msdk_incoming_video_start(incoming[j], NULL));
  run_for(engine, MS);
  for (int j = 0; j < 2; j++) CHECK_OK(send_picture(sender_of(film[j]), 60, 0, NULL));
  run_for(engine, MS);
  for (int j = 0; j < 2; j++) {
    msdk_video_frame *frame = NULL;
    if (CHECK_OK(msdk_incoming_video_read(incoming[j], 0, &frame))) { /* the very next picture */
      CHECK_EQ(frame->format->width, j == 0 ? 160 : 96);
      msdk_video_frame_unref(frame);
    }
    CHECK_EQ(incoming_stats(incoming[j]).frames_skipped, 0);
    CHECK_EQ(outgoing_stats(film[j]).key_frames_encoded, 2); /* the first, and his */
    msdk_outgoing_video_destroy(film[j]);
  }
  msdk_outgoing_audio_destroy(sound);
  msdk_engine_destroy(engine);
}

static void streams_are_taken_one_by_one(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *anna = join(engine, url, "anna"), *bert = join(engine, url, "bert");
  msdk_outgoing_video *film[2];
  msdk_incoming_video *incoming[2];
  for (int j = 0; j < 2; j++) {
    film[j] = offer(engine, anna, MSDK_CODEC_VP8, 64, 48);
    incoming[j] = offered_by(engine, bert, "anna");
  }
  static const int taken[][2] = {{1, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}};
  int is_taken[2] = {0, 0};
  for (size_t step = 0; step < sizeof taken / sizeof taken[0]; step++) {
    uint64_t encoded[2], received[2];
    for (int j = 0; j < 2; j++) {
      if (taken[step][j] && !is_taken[j]) CHECK_OK(msdk_incoming_video_start(incoming[j], NULL));
      if (!taken[step][j] && is_taken[j]) CHECK_OK(msdk_incoming_video_stop(incoming[j]));
      is_taken[j] = taken[step][j];
      encoded[j] = outgoing_stats(film[j]).frames_encoded;
      received[j] = incoming_stats(incoming[j]).frames_decoded;
    }
    run_for(engine, MS);
    for (uint32_t i = 0; i < 5; i++) {
      for (int j = 0; j < 2; j++) CHECK_OK(send_picture(sender_of(film[j]), i, 0, NULL));
      run_for(engine, SECOND / 30);
    }
    for (int j = 0; j < 2; j++) { /* nothing is encoded for nobody */
      CHECK_EQ(outgoing_stats(film[j]).receivers, taken[step][j]);
      CHECK_EQ(outgoing_stats(film[j]).frames_encoded - encoded[j], taken[step][j] ? 5 : 0);
      CHECK_EQ(incoming_stats(incoming[j]).frames_decoded - received[j], taken[step][j] ? 5 : 0);
    }
  }
  for (int j = 0; j < 2; j++) msdk_outgoing_video_destroy(film[j]);
  msdk_engine_destroy(engine);
}

/* What thirty pictures cost their sender, and the sizes that they arrive in. */
static msdk_outgoing_video_stats cost_of(int receivers, const uint32_t (*sizes)[2]) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *anna = join(engine, url, "anna"), *takers[MOST];
  msdk_incoming_video *incoming[MOST];
  for (int i = 0; i < receivers; i++) takers[i] = join(engine, url, names[i + 1]);
  msdk_outgoing_video *film = offer(engine, anna, MSDK_CODEC_VP8, 320, 192);
  for (int i = 0; i < receivers; i++) {
    msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
    options.pixel_format = i == 1 ? MSDK_PIXEL_BGRA : MSDK_PIXEL_NV12;
    options.width = sizes[i][0];
    options.height = sizes[i][1];
    incoming[i] = offered_by(engine, takers[i], "anna");
    CHECK_OK(msdk_incoming_video_start(incoming[i], &options));
  }
  run_for(engine, MS);
  for (uint32_t number = 0; number < 30; number++) {
    CHECK_OK(send_picture(sender_of(film), number, 0, NULL));
    run_for(engine, SECOND / 30);
    for (int i = 0; i < receivers; i++) {
      msdk_video_frame *frame = NULL;
      if (!CHECK_OK(msdk_incoming_video_read(incoming[i], 0, &frame))) continue;
      CHECK_EQ(frame->format->width, sizes[i][0]);
      CHECK_EQ(frame->format->height, sizes[i][1]);
      msdk_video_frame_unref(frame);
    }
  }
  msdk_outgoing_video_stats stats = outgoing_stats(film);
  msdk_outgoing_video_destroy(film);
  msdk_engine_destroy(engine);
  return stats;
}

static void one_encode_serves_all(void) {
  static const uint32_t sizes[][2] = {{320, 192}, {160, 96}, {640, 384}};
  msdk_outgoing_video_stats one = cost_of(1, sizes), three = cost_of(3, sizes);
  CHECK_EQ(one.frames_encoded, 30);
  CHECK_EQ(three.frames_encoded, 30);
  CHECK_EQ(three.key_frames_encoded, one.key_frames_encoded);
  CHECK_EQ(three.bytes_sent, one.bytes_sent);
  CHECK_EQ(three.receivers, 3);
}

/* ------------------------------------------------------------------------------------------------------------------- coming and going */

/* Memory, threads and descriptors of this process. */
typedef struct usage {
  int threads, descriptors;
  int64_t resident_kib;
} usage;

static usage usage_now(void) { return (usage){process_threads(), process_descriptors(), process_resident_kib()}; }

/* fred comes and goes as fast as he can: without waiting, waiting until he is in, with a stream, as a new session each time. */
static void somebody_joins_and_leaves_a_thousand_times(void) {
  const int rounds = under_tools() ? 100 : 1000;
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *observers[2];
  seen others[2][MOST];
  memset(others, 0, sizeof others);
  for (int i = 0; i < 2; i++) {
    msdk_session_options options = MSDK_INIT(msdk_session_options);
    options.url = url;
    options.user_id = names[i];
    options.event_capacity = 65536;
    CHECK_OK(msdk_session_create(engine, &options, &observers[i]));
    CHECK_OK(msdk_session_connect(observers[i]));
    CHECK(state_wait(engine, observers[i], MSDK_SESSION_CONNECTED));
  }
  for (int way = 0; way < 4; way++) {
    msdk_session *fred = session_new(engine, url, "fred");
    usage before = {0, 0, 0};
    int entered = 0;
    for (int round = 0; round < rounds + rounds / 4; round++) {
      if (round == rounds / 4) before = usage_now(); /* pools and queues are warm */
      CHECK_OK(msdk_session_connect(fred));
      if (way > 0) {
        uint32_t state = 0;
        while (msdk_session_get_state(fred, &state) >= 0 && state == MSDK_SESSION_CONNECTING) sched_yield();
        entered += state == MSDK_SESSION_CONNECTED;
      }
      msdk_outgoing_video *stream = way == 2 ? offer(engine, fred, MSDK_CODEC_RAW, 64, 48) : NULL;
      if (way == 3) {
        msdk_session_destroy(fred);
        fred = session_new(engine, url, "fred");
      } else {
        CHECK_OK(msdk_session_disconnect(fred));
      }
      msdk_outgoing_video_destroy(stream);
      for (int i = 0; i < 2; i++) follow(observers[i], others[i]);
    }
    msdk_session_destroy(fred);
    usage after = usage_now();
    for (int i = 0; i < 2; i++) {
      WAIT_UNTIL((follow(observers[i], others[i]), others[i][5].is_here == 0 && session_stats(observers[i]).participants == 2));
      CHECK_EQ(others[i][5].joins, others[i][5].leaves);
      CHECK_EQ(others[i][1 - i].leaves, 0);
      CHECK_EQ(session_stats(observers[i]).participants, 2);
    }
    if (way > 0) {
      CHECK_EQ(entered, rounds + rounds / 4);
      CHECK_RANGE(others[0][5].joins, way * (rounds + rounds / 4), 4 * (rounds + rounds / 4));
    }
    CHECK_EQ(after.threads, before.threads);
    CHECK_EQ(after.descriptors, before.descriptors);
    if (!under_tools()) CHECK_RANGE(after.resident_kib - before.resident_kib, -65536, 2048);
  }
  CHECK_EQ(engine_stats(engine).sessions, 2);
  msdk_engine_destroy(engine);
}

/* ------------------------------------------------------------------------------------------------------------------------ who is slow */

struct msdk_self {
  int unused;
};

static struct {
  atomic_int inside, proceed, rendered;
} slow;

static msdk_result slow_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  (void)host, (void)context;
  *out = calloc(1, sizeof **out);
  return MSDK_OK;
}
static void slow_destroy(msdk_self *self) { free(self); }
static msdk_result slow_begin(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result slow_render(msdk_self *self, const msdk_video_frame *frame) {
  (void)self, (void)frame;
  atomic_store(&slow.inside, 1);
  while (atomic_load(&slow.proceed) == 0) sleep_ms(1);
  atomic_store(&slow.inside, 0);
  atomic_fetch_add(&slow.rendered, 1);
  return MSDK_OK;
}
static const msdk_video_renderer slow_table = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = slow_begin, .release_render = slow_begin, .render_video_frame = slow_render};
static const msdk_class slow_class = {
  .struct_size = sizeof(msdk_class), .id = "org.mediasdk.test.slow", .name = "slow", .kinds = MSDK_KIND_VIDEO_RENDERER,
  .create = slow_create, .destroy = slow_destroy, .video_renderer = &slow_table};
static const msdk_class *const slow_classes[] = {&slow_class};
static const msdk_module slow_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .classes = slow_classes, .class_count = MSDK_COUNT(slow_classes)};

/* bert's renderer does not come back for as long as the test lasts: anna sends on, carl sees every picture, and bert sees dora's. */
static void a_renderer_that_blocks_holds_up_nobody_else(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  enum { PICTURES = 100 };
  for (int round = 0; round < 2; round++) {
    const char *url = room_new();
    msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
    CHECK_OK(msdk_engine_register_module(engine, &slow_module));
    msdk_session *anna = join(engine, url, "anna"), *bert = join(engine, url, "bert"), *carl = join(engine, url, "carl");
    msdk_session *dora = join(engine, url, "dora");
    msdk_outgoing_video *film = offer(engine, anna, codecs[round], 64, 48), *other = offer(engine, dora, codecs[round], 64, 48);
    msdk_incoming_video *blocked = offered_by(engine, bert, "anna"), *others = offered_by(engine, bert, "dora");
    msdk_incoming_video *free_one = offered_by(engine, carl, "anna");
    msdk_instance *renderer = NULL;
    atomic_store(&slow.proceed, 0);
    atomic_store(&slow.rendered, 0);
    CHECK_OK(msdk_instance_create(engine, slow_class.id, NULL, &renderer));
    CHECK_OK(msdk_incoming_video_attach_renderer(blocked, renderer, NULL));
    msdk_incoming_video *const started[] = {blocked, others, free_one};
    for (int i = 0; i < 3; i++) CHECK_OK(msdk_incoming_video_start(started[i], NULL));
    WAIT_UNTIL(outgoing_stats(film).receivers == 2 && outgoing_stats(other).receivers == 1);
    outcomes told[2] = {{0}, {0}};
    int left[2] = {0, 0};
    for (uint32_t number = 0; number < PICTURES; number++) {
      CHECK_OK(send_picture(sender_of(other), number, 0, &told[0]));
      CHECK_OK(send_picture(sender_of(film), number, 0, &told[1]));
      for (int i = 1; i < 3; i++) { /* each that left its sender, before the next is sent */
        outcomes *it = &told[i - 1];
        WAIT_UNTIL(atomic_load(&it->calls) == (int)number + 1);
        int before = left[i - 1];
        left[i - 1] = atomic_load(&it->by_outcome[MSDK_OUTCOME_SENT]) + atomic_load(&it->by_outcome[MSDK_OUTCOME_ENCODED]);
        if (left[i - 1] == before) continue; /* the encoder saves bits now and then */
        msdk_video_frame *frame = NULL;
        if (!CHECK_OK(msdk_incoming_video_read(started[i], under_tools() ? 60000 : 10000, &frame))) break;
        msdk_video_frame_unref(frame);
      }
      if (number == 0) WAIT_UNTIL(atomic_load(&slow.inside) == 1);
      sleep_ms(34); /* no faster than the format */
    }
    CHECK_RANGE(left[0], PICTURES / 4, PICTURES);
    CHECK_RANGE(left[1], PICTURES / 4, PICTURES);
    CHECK_EQ(atomic_load(&slow.inside), 1); /* all the while */
    CHECK_EQ(atomic_load(&slow.rendered), 0);
    msdk_session_stats stats = session_stats(carl);
    CHECK_EQ(stats.packets_lost, 0);
    atomic_store(&slow.proceed, 1);
    WAIT_UNTIL(atomic_load(&slow.inside) == 0 && atomic_load(&slow.rendered) > 0);
    int rendered = atomic_load(&slow.rendered); /* and goes on, when it is able to */
    for (uint32_t number = 0; number < 1000 && atomic_load(&slow.rendered) < rendered + 3; number++) {
      CHECK_OK(send_picture(sender_of(film), number, 0, NULL));
      sleep_ms(5);
    }
    CHECK(atomic_load(&slow.rendered) >= rendered + 3);
    CHECK(atomic_load(&slow.rendered) <= 1 + 60 + 1000); /* what waited meanwhile was bounded */
    msdk_outgoing_video_destroy(film);
    msdk_outgoing_video_destroy(other);
    msdk_engine_destroy(engine);
  }
}

int main(int argc, char **argv) {
  RUN(everybody_sees_everybody);
  RUN(a_late_joiner_has_everything_at_once);
  RUN(streams_are_taken_one_by_one);
  RUN(one_encode_serves_all);
  RUN(somebody_joins_and_leaves_a_thousand_times);
  RUN(a_renderer_that_blocks_holds_up_nobody_else);
  return check_finish();
}
