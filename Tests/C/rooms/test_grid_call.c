/* A whole call on one renderer: who is there, with what, and what ends how. The renderer is a class of the test's own. */
#include "sending.h"

#include <pthread.h>
#include <semaphore.h>

/* ------------------------------------------------------------------------------------------------------------ the renderer */

enum { SEATS = 64 };
typedef struct seat { /* an input, as the renderer was told of it */
  uint32_t number; /* 0: empty */
  msdk_input input;
  char user_id[256], display_name[256];
  int frames;
  uint32_t width, pixel_format;
} seat;

typedef struct wall { /* what all instances saw: the tests have one at a time */
  pthread_mutex_t lock;
  seat seats[SEATS];
  uint32_t largest_number;
  int inside;
  atomic_int frames, releases, destroyed, faults;
  sem_t *holds; /* render_input_frame waits for it */
  atomic_int waiting;
  void (*on_frame)(void);
} wall;
static wall the = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wall_clear(void) {
  pthread_mutex_lock(&the.lock);
  memset(the.seats, 0, sizeof the.seats);
  the.largest_number = 0;
  the.frames = the.releases = the.destroyed = the.faults = 0;
  the.holds = NULL;
  the.on_frame = NULL;
  pthread_mutex_unlock(&the.lock);
}

static void wall_hold(sem_t *holds) {
  pthread_mutex_lock(&the.lock);
  the.holds = holds;
  pthread_mutex_unlock(&the.lock);
}

/* Under the lock. Number 0 finds an empty one. */
static seat *seat_find(uint32_t number) {
  for (int i = 0; i < SEATS; i++) {
    if (the.seats[i].number == number) return &the.seats[i];
  }
  return NULL;
}

/* The seat of somebody, a copy; its number is 0 when there is none. */
static seat seat_of(const char *user_id, uint32_t kind) {
  seat found = {0};
  pthread_mutex_lock(&the.lock);
  for (int i = 0; i < SEATS; i++) {
    if (the.seats[i].number != 0 && the.seats[i].input.kind == kind && strcmp(the.seats[i].user_id, user_id) == 0) found = the.seats[i];
  }
  pthread_mutex_unlock(&the.lock);
  return found;
}

static int seats_taken(void) {
  int count = 0;
  pthread_mutex_lock(&the.lock);
  for (int i = 0; i < SEATS; i++) count += the.seats[i].number != 0;
  pthread_mutex_unlock(&the.lock);
  return count;
}

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
};

static void enter(void) {
  pthread_mutex_lock(&the.lock);
  the.faults += the.inside++ != 0; /* two calls at once */
}

static void leave(void) {
  the.inside--;
  pthread_mutex_unlock(&the.lock);
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  *out = calloc(1, sizeof **out);
  **out = (msdk_self){host, context};
  return MSDK_OK;
}
static void destroy(msdk_self *self) {
  enter();
  the.destroyed++;
  leave();
  free(self);
}
static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  (void)self, (void)name, (void)value;
  return MSDK_E_NOT_FOUND;
}
static msdk_result init(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result release(msdk_self *self) {
  (void)self;
  enter();
  memset(the.seats, 0, sizeof the.seats);
  the.releases++;
  leave();
  return MSDK_OK;
}
static msdk_result render_one(msdk_self *self, const msdk_video_frame *frame) {
  return self != NULL && frame != NULL ? MSDK_OK : MSDK_E_FAIL;
}
static int32_t accepts(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  return format->pixel_format == MSDK_PIXEL_I420;
}

static msdk_result update(msdk_self *self, uint32_t number, const msdk_input *input) {
  (void)self;
  enter();
  seat *it = seat_find(number);
  if (it == NULL && number > the.largest_number) it = seat_find(0); /* a number that was used before is a fault */
  the.faults += it == NULL || input->struct_size < sizeof *input;
  if (it != NULL) {
    it->number = number;
    it->input = *input;
    snprintf(it->user_id, sizeof it->user_id, "%s", input->user_id);
    snprintf(it->display_name, sizeof it->display_name, "%s", input->display_name);
    if (number > the.largest_number) the.largest_number = number;
  }
  leave();
  return MSDK_OK;
}

static msdk_result remove_it(msdk_self *self, uint32_t number) {
  (void)self;
  enter();
  seat *it = seat_find(number);
  the.faults += it == NULL;
  if (it != NULL) *it = (seat){0};
  leave();
  return MSDK_OK;
}

static msdk_result render_input(msdk_self *self, uint32_t number, const msdk_video_frame *frame) {
  (void)self;
  enter();
  seat *it = seat_find(number);
  the.faults += it == NULL || it->input.has_video == 0;
  if (it != NULL) {
    it->frames++;
    it->width = frame->format->width;
    it->pixel_format = frame->format->pixel_format;
  }
  the.frames++;
  sem_t *holds = the.holds;
  void (*on_frame)(void) = the.on_frame;
  leave();
  if (on_frame != NULL) on_frame();
  if (holds != NULL) {
    atomic_fetch_add(&the.waiting, 1);
    sem_wait(holds);
    atomic_fetch_sub(&the.waiting, 1);
  }
  return MSDK_OK;
}

static const msdk_video_renderer wall_table = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = init, .release_render = release, .render_video_frame = render_one,
  .accepts_format = accepts, .update_input = update, .remove_input = remove_it, .render_input_frame = render_input};
static const msdk_video_renderer single_table = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = init, .release_render = release, .render_video_frame = render_one};
#define CLASS_BASE                                                                                                                \
  .struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_RENDERER, .create = create, .destroy = destroy, .set_param = set_param
static const msdk_class wall_class = {CLASS_BASE, .id = "org.mediasdk.test.wall", .name = "wall", .video_renderer = &wall_table};
static const msdk_class single_class = {CLASS_BASE, .id = "org.mediasdk.test.single", .name = "single", .video_renderer = &single_table};
static const msdk_class *const class_list[] = {&wall_class, &single_class};
static const msdk_module module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .classes = class_list, .class_count = MSDK_COUNT(class_list)};

/* ---------------------------------------------------------------------------------------------------------------- the call */

static msdk_instance *instance_of(msdk_engine *engine, const char *class_id) {
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, class_id, NULL, &instance));
  return instance;
}

static call open_call(uint32_t clock) {
  wall_clear();
  call it = call_join(clock);
  CHECK_OK(msdk_engine_register_module(it.engine, &module));
  return it;
}

static msdk_outgoing_video *start_stream(call *it, msdk_session *session, uint32_t codec, uint32_t kind, msdk_frame_sender **sender) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, kind == MSDK_VIDEO_SCREEN_SHARE ? 128 : 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  options.kind = kind;
  msdk_outgoing_video *stream = NULL;
  msdk_event event;
  CHECK_OK(msdk_outgoing_video_create(it->engine, &options, &stream));
  CHECK_OK(msdk_session_start_video(session, stream));
  CHECK(event_wait(it->engine, session, MSDK_EVENT_FRAME_SENDER_CHANGED, &event));
  *sender = event.sender;
  run_for(it->engine, 5 * MS);
  return stream;
}

/* Ends it, and all that was held is given back. */
static void end(call *it) {
  CHECK_EQ(the.faults, 0);
  msdk_outgoing_video_destroy(it->outgoing);
  msdk_session_destroy(it->alice);
  msdk_session_destroy(it->bob);
  WAIT_UNTIL(engine_stats(it->engine).frames == 0); /* what a thread of the SDK has in hand comes back a moment later */
  CHECK_EQ(engine_stats(it->engine).frames, 0);
  msdk_engine_destroy(it->engine);
  it->engine = NULL;
}

#define UNTIL(condition) \
  do { \
    for (int tries = 0; tries < 2000 && !(condition); tries++) run_for(it.engine, 5 * MS); \
    CHECK(condition); \
  } while (0)

/* ------------------------------------------------------------------------------------------------------------------- cases */

static void a_call_from_beginning_to_end(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 4; i++) {
    call it = open_call(i < 2 ? MSDK_CLOCK_VIRTUAL : MSDK_CLOCK_SYSTEM);
    msdk_instance *grid = instance_of(it.engine, "org.mediasdk.test.wall");
    msdk_session_renderer_options options = MSDK_INIT(msdk_session_renderer_options);
    options.include_local = 1;
    CHECK_OK(msdk_session_attach_renderer(it.bob, grid, &options));
    UNTIL(seats_taken() == 2);
    CHECK_EQ(seat_of("bob", MSDK_VIDEO_VIRTUAL).input.is_local, 1);
    CHECK_EQ(seat_of("alice", MSDK_VIDEO_VIRTUAL).input.has_video, 0);
    it.outgoing = start_stream(&it, it.alice, codecs[i % 2], MSDK_VIDEO_VIRTUAL, &it.sender);
    UNTIL(seat_of("alice", MSDK_VIDEO_VIRTUAL).input.has_video == 1);
    UNTIL(outgoing_stats(it.outgoing).receivers == 1);
    /* Frames are taken a moment after that. */
    UNTIL((seat_of("alice", MSDK_VIDEO_VIRTUAL).frames == 0 ? (void)send_picture(it.sender, 1, 0, NULL) : (void)0,
           seat_of("alice", MSDK_VIDEO_VIRTUAL).frames > 0));
    CHECK_EQ(seat_of("alice", MSDK_VIDEO_VIRTUAL).pixel_format, MSDK_PIXEL_I420); /* the only one it takes */
    msdk_frame_sender *screen_sender = NULL;
    msdk_outgoing_video *screen = start_stream(&it, it.alice, codecs[i % 2], MSDK_VIDEO_SCREEN_SHARE, &screen_sender);
    UNTIL(seat_of("alice", MSDK_VIDEO_SCREEN_SHARE).number != 0);
    UNTIL(outgoing_stats(screen).receivers == 1);
    CHECK_OK(send_picture(screen_sender, 1, 0, NULL));
    UNTIL(seat_of("alice", MSDK_VIDEO_SCREEN_SHARE).frames > 0);
    CHECK_EQ(seat_of("alice", MSDK_VIDEO_SCREEN_SHARE).width, 128);
    CHECK_EQ(seat_of("alice", MSDK_VIDEO_VIRTUAL).width, 64);
    CHECK_OK(msdk_session_stop_video(it.alice, screen));
    UNTIL(seat_of("alice", MSDK_VIDEO_SCREEN_SHARE).number == 0);
    msdk_frame_sender *own_sender = NULL;
    msdk_outgoing_video *own = start_stream(&it, it.bob, codecs[i % 2], MSDK_VIDEO_VIRTUAL, &own_sender);
    /* Its frames are taken from a moment after the renderer was notified of it, which nothing says. */
    uint32_t sent = 0;
    UNTIL((send_picture(own_sender, ++sent, 0, NULL), seat_of("bob", MSDK_VIDEO_VIRTUAL).frames > 0));
    msdk_session *carol = join(it.engine, it.url, "carol");
    UNTIL(seat_of("carol", MSDK_VIDEO_VIRTUAL).number != 0);
    msdk_session_destroy(carol);
    UNTIL(seat_of("carol", MSDK_VIDEO_VIRTUAL).number == 0);
    CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
    UNTIL(seat_of("alice", MSDK_VIDEO_VIRTUAL).input.has_video == 0);
    CHECK_OK(msdk_session_detach_renderer(it.bob, grid));
    CHECK_EQ(seats_taken(), 0);
    CHECK_EQ(the.releases, 0);
    msdk_instance_destroy(grid);
    CHECK_EQ(the.destroyed, 1);
    msdk_outgoing_video_destroy(own);
    msdk_outgoing_video_destroy(screen);
    end(&it);
  }
}

static void who_speaks_and_who_is_muted(void) {
  call it = open_call(MSDK_CLOCK_VIRTUAL);
  msdk_instance *grid = instance_of(it.engine, "org.mediasdk.test.wall");
  CHECK_OK(msdk_session_attach_renderer(it.bob, grid, NULL));
  msdk_outgoing_audio *voice = NULL;
  CHECK_OK(msdk_outgoing_audio_create(it.engine, NULL, &voice));
  CHECK_OK(msdk_outgoing_audio_set_muted(voice, 1));
  CHECK_OK(msdk_session_start_audio(it.alice, voice));
  run_for(it.engine, 5 * MS);
  CHECK_EQ(seat_of("alice", MSDK_VIDEO_VIRTUAL).input.is_muted, 1);
  CHECK_EQ(seat_of("bob", MSDK_VIDEO_VIRTUAL).number, 0); /* oneself is asked for */
  CHECK_OK(msdk_outgoing_audio_set_muted(voice, 0));
  static int16_t loud[960];
  for (int i = 0; i < 960; i++) loud[i] = i / 24 % 2 == 0 ? 12000 : -12000;
  for (int i = 0; i < 20; i++) {
    CHECK_OK(msdk_outgoing_audio_send(voice, loud, sizeof loud, 0, 0, NULL, NULL));
    run_for(it.engine, 20 * MS);
  }
  seat alice = seat_of("alice", MSDK_VIDEO_VIRTUAL);
  CHECK(alice.input.is_muted == 0 && alice.input.is_speaking == 1);
  run_for(it.engine, 2 * SECOND);
  CHECK_EQ(seat_of("alice", MSDK_VIDEO_VIRTUAL).input.is_speaking, 0);
  msdk_outgoing_audio_destroy(voice);
  msdk_instance_destroy(grid);
  end(&it);
}

static void what_is_wrong_is_said(void) {
  call it = open_call(MSDK_CLOCK_VIRTUAL);
  msdk_instance *grid = instance_of(it.engine, "org.mediasdk.test.wall"), *single = instance_of(it.engine, "org.mediasdk.test.single");
  CHECK_ERROR(msdk_session_attach_renderer(NULL, grid, NULL), MSDK_E_HANDLE, "session");
  CHECK_ERROR(msdk_session_attach_renderer(it.bob, NULL, NULL), MSDK_E_HANDLE, "renderer");
  CHECK_ERROR(msdk_session_attach_renderer(it.bob, single, NULL), MSDK_E_UNSUPPORTED, "org.mediasdk.test.single");
  msdk_session_renderer_options options = MSDK_INIT(msdk_session_renderer_options);
  options.include_local = 2;
  CHECK_ERROR(msdk_session_attach_renderer(it.bob, grid, &options), MSDK_E_UNSUPPORTED, "options.include_local");
  options.struct_size = 4;
  CHECK_ERROR(msdk_session_attach_renderer(it.bob, grid, &options), MSDK_E_INVALID, "struct_size");
  options = MSDK_INIT(msdk_session_renderer_options);
  CHECK_OK(msdk_session_attach_renderer(it.bob, grid, &options));
  CHECK_ERROR(msdk_session_attach_renderer(it.bob, grid, NULL), MSDK_E_STATE, "attached");
  CHECK_RESULT(msdk_session_detach_renderer(it.alice, grid), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_session_detach_renderer(it.bob, grid));
  CHECK_RESULT(msdk_session_detach_renderer(it.bob, grid), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_session_attach_renderer(it.alice, grid, NULL)); /* elsewhere, then */
  run_for(it.engine, MS);
  CHECK(seat_of("bob", MSDK_VIDEO_VIRTUAL).number != 0 && seats_taken() == 1);
  msdk_session_destroy(it.alice); /* its end completes what was written */
  CHECK_EQ(the.releases, 1);
  msdk_instance_destroy(grid);
  msdk_instance_destroy(single);
  end(&it);
}

static atomic_int delivered;
static void on_frame(void *user, const msdk_video_frame *frame) {
  (void)user;
  atomic_fetch_add(&delivered, frame != NULL);
}

/* A renderer that hangs: the stream it hangs on, the program's use of it, sending, and a second renderer go on. */
static void a_renderer_that_blocks_delays_nobody(void) {
  call it = open_call(MSDK_CLOCK_SYSTEM);
  sem_t hold;
  sem_init(&hold, 0, 0);
  wall_hold(&hold);
  atomic_store(&delivered, 0);
  it.outgoing = start_stream(&it, it.alice, MSDK_CODEC_RAW, MSDK_VIDEO_VIRTUAL, &it.sender);
  msdk_event event;
  CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  it.incoming = event.incoming_video;
  CHECK_OK(msdk_incoming_video_set_frame_callback(it.incoming, on_frame, NULL));
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  msdk_instance *grid = instance_of(it.engine, "org.mediasdk.test.wall");
  CHECK_OK(msdk_session_attach_renderer(it.bob, grid, NULL));
  UNTIL(seat_of("alice", MSDK_VIDEO_VIRTUAL).input.has_video == 1);
  for (int i = 0; i < 1000 && atomic_load(&the.waiting) == 0; i++) {
    CHECK_OK(send_picture(it.sender, 1, 0, NULL));
    sleep_ms(5);
  }
  NEED(atomic_load(&the.waiting) == 1);
  int before;
  do { /* what was sent last is on its way */
    before = atomic_load(&delivered);
    sleep_ms(100);
  } while (atomic_load(&delivered) != before);
  for (int i = 1; i <= 30; i++) { /* one at a time, as raw ones that wait may displace each other */
    CHECK_OK(send_picture(it.sender, (uint32_t)i, 0, NULL));
    for (int tries = 0; tries < 60000 && atomic_load(&delivered) < before + i; tries++) sleep_ms(1);
    sleep_ms(34); /* no faster than the format */
  }
  CHECK_EQ(atomic_load(&delivered), before + 30);
  msdk_session *carol = join(it.engine, it.url, "carol");
  CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_PARTICIPANT_JOINED, &event));
  CHECK_EQ(atomic_load(&the.waiting), 1); /* all of that while it hangs */
  CHECK(engine_stats(it.engine).frames <= 16); /* and what waits for it is one picture */
  wall_hold(NULL);
  sem_post(&hold);
  UNTIL(seat_of("carol", MSDK_VIDEO_VIRTUAL).number != 0);
  UNTIL(seat_of("alice", MSDK_VIDEO_VIRTUAL).frames == 2); /* the newest of thirty */
  msdk_session_destroy(carol);
  msdk_instance_destroy(grid);
  sem_destroy(&hold);
  end(&it);
}

static msdk_instance *inner_grid;
static msdk_session *inner_session;
static void destroy_instance(void) { msdk_instance_destroy(inner_grid); }
static void destroy_session(void) { msdk_session_destroy(inner_session); }
static void detach(void) { (void)msdk_session_detach_renderer(inner_session, inner_grid); }
static void disconnect(void) { (void)msdk_session_disconnect(inner_session); }

static void it_may_end_inside_its_own_callback(void) {
  static void (*const ways[])(void) = {destroy_instance, destroy_session, detach, disconnect};
  for (int i = 0; i < 8; i++) {
    call it = open_call(i < 4 ? MSDK_CLOCK_VIRTUAL : MSDK_CLOCK_SYSTEM);
    inner_grid = instance_of(it.engine, "org.mediasdk.test.wall");
    inner_session = it.bob;
    it.outgoing = start_stream(&it, it.alice, MSDK_CODEC_RAW, MSDK_VIDEO_VIRTUAL, &it.sender);
    CHECK_OK(msdk_session_attach_renderer(it.bob, inner_grid, NULL));
    UNTIL(seat_of("alice", MSDK_VIDEO_VIRTUAL).input.has_video == 1);
    pthread_mutex_lock(&the.lock);
    the.on_frame = ways[i % 4];
    pthread_mutex_unlock(&the.lock);
    UNTIL((the.frames == 0 ? (void)send_picture(it.sender, 1, 0, NULL) : (void)0, the.frames >= 1));
    for (int n = 0; n < 5; n++) {
      (void)send_picture(it.sender, 1, 0, NULL);
      run_for(it.engine, 5 * MS);
    }
    CHECK_EQ(the.frames, 1);
    if (i % 4 == 0) UNTIL(the.destroyed == 1);
    msdk_instance_destroy(inner_grid);
    end(&it);
  }
}

/* As fast as it goes, on threads, while the renderer comes and goes as well. */
typedef struct hopper {
  call *it;
  const char *user;
  int rounds;
} hopper;

static void *hop(void *argument) {
  hopper *me = argument;
  msdk_session *session = session_new(me->it->engine, me->it->url, me->user);
  for (int i = 0; i < me->rounds; i++) {
    (void)msdk_session_connect(session);
    (void)msdk_session_disconnect(session);
  }
  msdk_session_destroy(session);
  return NULL;
}

static void participants_join_and_leave_all_the_time(void) {
  call it = open_call(MSDK_CLOCK_SYSTEM);
  int rounds = under_tools() ? 60 : 1000;
  hopper hoppers[] = {{&it, "hop", rounds}, {&it, "skip", rounds}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, hop, &hoppers[i]);
  msdk_instance *grid = instance_of(it.engine, "org.mediasdk.test.wall");
  for (int i = 0; i < rounds / 10; i++) {
    CHECK_OK(msdk_session_attach_renderer(it.bob, grid, NULL));
    sleep_ms(1);
    CHECK_OK(msdk_session_detach_renderer(it.bob, grid));
    CHECK_EQ(seats_taken(), 0);
  }
  CHECK_OK(msdk_session_attach_renderer(it.bob, grid, NULL));
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  UNTIL(seats_taken() == 1); /* alice is who remains */
  CHECK(seat_of("alice", MSDK_VIDEO_VIRTUAL).number != 0);
  msdk_instance_destroy(grid);
  end(&it);
}

int main(int argc, char **argv) {
  RUN(a_call_from_beginning_to_end);
  RUN(who_speaks_and_who_is_muted);
  RUN(what_is_wrong_is_said);
  RUN(a_renderer_that_blocks_delays_nobody);
  RUN(it_may_end_inside_its_own_callback);
  RUN(participants_join_and_leave_all_the_time);
  return check_finish();
}
