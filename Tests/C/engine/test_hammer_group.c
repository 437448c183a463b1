/* The hammer for group calls: eight threads share screens, render whole calls and views, guard and moderate rooms, open and close doors for
 * feeders, on whatever they find in shared places, at random, for five seconds (ten where everything is slow, or as many as the second
 * argument says). Any result is fine; no crash, no hang, nothing left over. The seed is the first argument's. */
#include "sending.h"

enum { THREADS = 8, PLACES = 6 };
enum { everything = MSDK_MAY_PUBLISH_VIDEO | MSDK_MAY_PUBLISH_AUDIO | MSDK_MAY_SHARE_SCREEN | MSDK_MAY_RECEIVE | MSDK_MAY_MODERATE };

static msdk_engine *engine;
static _Atomic(msdk_session *) sessions[PLACES];
static _Atomic(msdk_outgoing_video *) screens[PLACES];
static _Atomic(msdk_incoming_video *) incoming[PLACES];
static _Atomic(msdk_instance *) walls[PLACES];
static atomic_int stop, frames_sent, frames_shown, entered, refused;

/* ------------------------------------------------------------------------------------------------------------- a wall of pictures */

struct msdk_self {
  int unused;
};
static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  (void)host, (void)context;
  *out = calloc(1, sizeof **out);
  return MSDK_OK;
}
static void destroy(msdk_self *self) { free(self); }
static msdk_result begin(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result show(msdk_self *self, const msdk_video_frame *frame) {
  atomic_fetch_add(&frames_shown, 1);
  return self != NULL && frame->plane[0].data != NULL ? MSDK_OK : MSDK_E_FAIL;
}
static msdk_result update(msdk_self *self, uint32_t number, const msdk_input *input) {
  return self != NULL && number > 0 && input->user_id[0] != '\0' ? MSDK_OK : MSDK_E_FAIL;
}
static msdk_result forget(msdk_self *self, uint32_t number) { return self != NULL && number > 0 ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result show_input(msdk_self *self, uint32_t number, const msdk_video_frame *frame) {
  return number > 0 ? show(self, frame) : MSDK_E_FAIL;
}
static const msdk_video_renderer wall_table = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = begin, .release_render = begin, .render_video_frame = show,
  .update_input = update, .remove_input = forget, .render_input_frame = show_input};
static const msdk_class wall_class = {
  .struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_RENDERER, .id = "org.mediasdk.test.wall", .name = "wall", .create = create,
  .destroy = destroy, .video_renderer = &wall_table};
static const msdk_class *const class_list[] = {&wall_class};
static const msdk_module module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .classes = class_list, .class_count = MSDK_COUNT(class_list)};

/* ------------------------------------------------------------------------------------------------------------------------- steps */

static msdk_result verify(void *user, const msdk_access_request *request, msdk_access_grant *grant) {
  (void)user;
  if (request->access_token[0] == '2') return MSDK_E_PERMISSION;
  grant->permissions = everything;
  return MSDK_OK;
}

static const char *room_of(uint32_t number) { return number == 0 ? "loopback:group-hammer-0" : "loopback:group-hammer-1"; }

static void configure(uint64_t *seed) {
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.capacity = random_below(seed, 4) == 0 ? 3 : 0;
  options.duplicates = random_below(seed, 2) == 0 ? MSDK_DUPLICATE_REFUSE : MSDK_DUPLICATE_REPLACE;
  options.permissions = everything;
  options.verify = random_below(seed, 2) == 0 ? verify : NULL;
  msdk_room_configure(engine, room_of(random_below(seed, 2)), random_below(seed, 4) == 0 ? NULL : &options);
}

static void make_session(uint32_t place, uint64_t *seed) {
  char name[16], token[16];
  snprintf(name, sizeof name, "u%u", random_below(seed, 8));
  snprintf(token, sizeof token, "%u", random_below(seed, 3));
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = room_of(random_below(seed, 2));
  options.user_id = name;
  options.access_token = token;
  options.event_capacity = 16;
  msdk_session *session = NULL;
  if (msdk_session_create(engine, &options, &session) < 0) return;
  msdk_session_connect(session);
  msdk_session_destroy(atomic_exchange(&sessions[place], session));
}

static void make_screen(uint32_t place, uint64_t *seed) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(random_below(seed, 2) == 0 ? MSDK_CODEC_RAW : MSDK_CODEC_VP8, &format, 1);
  options.kind = random_below(seed, 3) == 0 ? MSDK_VIDEO_VIRTUAL : MSDK_VIDEO_SCREEN_SHARE;
  options.limits = MSDK_LIMITS_EXTENDED;
  msdk_outgoing_video *stream = NULL;
  if (msdk_outgoing_video_create(engine, &options, &stream) < 0) return;
  msdk_outgoing_video_destroy(atomic_exchange(&screens[place], stream));
}

static void open_door(msdk_session *session, uint64_t *seed) {
  static const uint8_t tokens[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  msdk_ingest_options options = MSDK_INIT(msdk_ingest_options);
  options.port = MSDK_PORT_ANY;
  options.transmission_token = tokens;
  options.reception_token = tokens + 16;
  options.transmission_token_size = options.reception_token_size = 16;
  msdk_session_set_ingest(session, random_below(seed, 2) == 0 ? &options : NULL);
}

static void take_events(msdk_session *session, uint32_t place) {
  msdk_event event = MSDK_INIT(msdk_event);
  for (int i = 0; i < 16 && msdk_session_next_event(session, 1, &event) >= 0; i++) {
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED) atomic_store(&incoming[place], event.incoming_video);
    if (event.type == MSDK_EVENT_SESSION_STATE && event.state == MSDK_SESSION_CONNECTED) atomic_fetch_add(&entered, 1);
    if (event.type == MSDK_EVENT_SESSION_STATE && event.status < 0) atomic_fetch_add(&refused, 1);
    event = MSDK_INIT(msdk_event);
  }
}

static void send_some(msdk_outgoing_video *stream, uint32_t index) {
  msdk_frame_sender *sender = NULL;
  if (msdk_outgoing_video_get_sender(stream, &sender) < 0) return;
  if (send_picture(sender, index, 0, NULL) >= 0) atomic_fetch_add(&frames_sent, 1);
}

static void one_step(uint64_t *seed) {
  uint32_t place = random_below(seed, PLACES);
  msdk_session *session = atomic_load(&sessions[place]);
  msdk_outgoing_video *screen = atomic_load(&screens[random_below(seed, PLACES)]);
  msdk_incoming_video *in = atomic_load(&incoming[random_below(seed, PLACES)]);
  msdk_instance *wall = atomic_load(&walls[random_below(seed, PLACES)]), *made = NULL;
  msdk_view view = MSDK_INIT(msdk_view);
  view.width = 2 + random_below(seed, 60);
  view.height = 2 + random_below(seed, 60);
  view.scale = random_below(seed, 3);
  view.orientation = random_below(seed, 8);
  msdk_session_renderer_options whole = MSDK_INIT(msdk_session_renderer_options);
  whole.include_local = random_below(seed, 2);
  char user[16];
  snprintf(user, sizeof user, "u%u", random_below(seed, 8));
  switch (random_below(seed, 30)) {
  case 0: if (random_below(seed, 4) == 0) make_session(place, seed); break;
  case 1: make_screen(place, seed); break;
  case 2:
    if (msdk_instance_create(engine, wall_class.id, NULL, &made) >= 0) msdk_instance_destroy(atomic_exchange(&walls[place], made));
    break;
  case 3: if (random_below(seed, 6) == 0) msdk_session_destroy(atomic_exchange(&sessions[place], NULL)); break;
  case 4: msdk_outgoing_video_destroy(atomic_exchange(&screens[place], NULL)); break;
  case 5: msdk_instance_destroy(atomic_exchange(&walls[place], NULL)); break;
  case 6: if (random_below(seed, 4) == 0) configure(seed); break;
  case 7: msdk_session_connect(session); break;
  case 8: if (random_below(seed, 4) == 0) msdk_session_disconnect(session); break;
  case 9: case 10: msdk_session_start_video(session, screen); break;
  case 11: msdk_session_stop_video(session, screen); break;
  case 12: msdk_session_attach_renderer(session, wall, &whole); break;
  case 13: msdk_session_detach_renderer(session, wall); break;
  case 14: msdk_incoming_video_attach_renderer(in, wall, random_below(seed, 4) == 0 ? NULL : &view); break;
  case 15: msdk_outgoing_video_attach_renderer(screen, wall, &view); break;
  case 16: msdk_incoming_video_detach_renderer(in, wall); break;
  case 17: case 18: msdk_session_start_screen_view(session, user, wall, &view); break;
  case 19: msdk_session_stop_screen_view(session, user, wall); break;
  case 20: if (random_below(seed, 4) == 0) msdk_session_remove_participant(session, user, "the hammer"); break;
  case 21: msdk_session_mute_participant(session, user, random_below(seed, 2)); break;
  case 22: if (random_below(seed, 4) == 0) open_door(session, seed); break;
  case 23: case 24: take_events(session, place); break;
  case 25: msdk_incoming_video_start(in, NULL); break;
  case 26: msdk_incoming_video_stop(in); break;
  case 27: msdk_instance_release(wall); break;
  default: send_some(screen, place); break;
  }
}

static void *hammer(void *argument) {
  uint64_t seed = (uint64_t)(uintptr_t)argument;
  while (!atomic_load(&stop)) {
    one_step(&seed);
    if (random_below(&seed, 10) == 0) sleep_ms(1);
  }
  return NULL;
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
  int seconds = argc > 2 ? atoi(argv[2]) : under_tools() ? 10 : 5;
  int before = process_threads(), descriptors = process_descriptors();
  engine = engine_new(MSDK_CLOCK_SYSTEM);
  CHECK_OK(msdk_engine_register_module(engine, &module));
  pthread_t threads[THREADS];
  for (uint64_t i = 0; i < THREADS; i++) {
    CHECK_EQ(pthread_create(&threads[i], NULL, hammer, (void *)(uintptr_t)(seed * 100 + i)), 0);
  }
  sleep_ms(seconds * 1000);
  atomic_store(&stop, 1);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  msdk_engine_destroy(engine);
  printf("seed %" PRIu64 ": %d entered, %d refused or removed, %d frames sent, %d shown\n", seed, atomic_load(&entered),
         atomic_load(&refused), atomic_load(&frames_sent), atomic_load(&frames_shown));
  CHECK(atomic_load(&entered) > 0 && atomic_load(&refused) > 0 && atomic_load(&frames_sent) > 0 && atomic_load(&frames_shown) > 0);
  msdk_engine *visited = engine_new(MSDK_CLOCK_SYSTEM);
  CHECK_EQ(engine_stats(visited).frames, 0);
  CHECK_EQ(engine_stats(visited).encoded_frames, 0);
  for (uint32_t number = 0; number < 2; number++) {
    CHECK_OK(msdk_room_configure(visited, room_of(number), NULL));
    msdk_session *visitor = join(visited, room_of(number), "visitor");
    CHECK_EQ(people_of(visitor, NULL, 0), 1);
    msdk_session_destroy(visitor);
  }
  msdk_engine_destroy(visited);
  CHECK_COMES_BACK(process_threads(), before);
  if (!under_tools()) CHECK_COMES_BACK(process_descriptors(), descriptors); /* a sanitizer opens pipes of its own when it suppresses a report */
  return check_finish();
}
