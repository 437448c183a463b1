/* The brackets at the end of each function's comment say where it returns MSDK_E_THREAD, and whether it waits. Every function of the table is
 * called inside a callback of a session, and every one that takes an instance inside functions of that instance: it returns MSDK_E_THREAD
 * where its comment says so, and nowhere else. And it is called on another thread while a callback of each kind runs: only what says
 * [may wait] waits for it. */
#include "audio_classes.h"
#include "handle_calls.h"
#include "ivf.h"
#include "sending.h"
#include "sounding.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <semaphore.h>
#include <time.h>

/* ------------------------------------------------------------------------------------------------------------ the headers */

enum { HEADER_ROOM = 1 << 20, COMMENT_ROOM = 8192 };
static char headers[HEADER_ROOM];

static void headers_read(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/../../Include/mediasdk", getenv("MSDK_TEST_MEDIA") != NULL ? getenv("MSDK_TEST_MEDIA") : ".");
  DIR *folder = opendir(path);
  size_t used = 0;
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    size_t length = strlen(entry->d_name);
    if (length < 3 || strcmp(entry->d_name + length - 2, ".h") != 0) continue;
    char file[8192];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    FILE *header = fopen(file, "r");
    if (header == NULL) continue;
    used += fread(headers + used, 1, sizeof headers - 1 - used, header);
    fclose(header);
  }
  if (folder != NULL) closedir(folder);
  CHECK(used > 100000 && used < sizeof headers - 1);
}

/* The comment of a function, on one line. */
static const char *comment_of(const char *function) {
  static char comment[COMMENT_ROOM];
  char start[128];
  snprintf(start, sizeof start, " %s(", function);
  const char *found = headers, *end = NULL, *begin = NULL;
  while ((found = strstr(found, start)) != NULL) {
    const char *line = found;
    while (line > headers && line[-1] != '\n') line--;
    if (strncmp(line, "MSDK_EXPORT", 11) == 0) break;
    found++;
  }
  for (const char *at = found; at != NULL && at > headers + 1 && begin == NULL; at--) {
    if (end == NULL && at[-2] == '*' && at[-1] == '/') end = at - 2;
    else if (end != NULL && at[-2] == '/' && at[-1] == '*') begin = at;
  }
  comment[0] = 0;
  size_t size = 0;
  for (const char *at = begin; begin != NULL && at < end && size + 1 < sizeof comment; at++) {
    int is_margin = *at == '\n' || (isspace((unsigned char)*at) && size > 0 && comment[size - 1] == ' ');
    if (*at == '\n') {
      while (at + 1 < end && (at[1] == ' ' || at[1] == '*')) at++;
    }
    if (!is_margin || (size > 0 && comment[size - 1] != ' ')) comment[size++] = isspace((unsigned char)*at) ? ' ' : is_margin ? ' ' : *at;
  }
  comment[size] = 0;
  return comment;
}

typedef struct tags {
  int anywhere; /* [not in a callback] */
  int inside;   /* [not in a callback of the same instance] */
  int waits;    /* [may wait], or only in some cases */
  int for_callback; /* [may wait for the running callback] */
} tags;

static tags tags_of(const char *function) {
  const char *comment = comment_of(function);
  if (!CHECK(strstr(comment, "[any thread") != NULL)) fprintf(stderr, "  %s: \"%s\"\n", function, comment);
  return (tags){.anywhere = strstr(comment, "[not in a callback]") != NULL, .inside = strstr(comment, "[not in a callback of the same instance") != NULL,
                .waits = strstr(comment, "[may wait") != NULL || strstr(comment, "[waits only") != NULL,
                .for_callback = strstr(comment, "[may wait for the running callback]") != NULL};
}

#define TEXT_OF_CALL(KIND, ARGUMENT, NAME, EXPRESSION) #EXPRESSION,
static const char *const texts[] = {HANDLE_CALLS(TEXT_OF_CALL)};

/* The function that a call is of; 0: the call is made by a helper. */
static int function_of(int call, char *into, size_t room) {
  const char *start = strstr(texts[call], "msdk_");
  if (start == NULL) return 0;
  snprintf(into, room, "%.*s", (int)strcspn(start, "("), start);
  return 1;
}

/* -------------------------------------------------------------------------------------------------------------- the class */

static const handle_call *asked;
static void *asked_of;
static msdk_result answer;
static int is_answered;

/* What runs inside: the call that is wanted, once. */
static void answer_now(void) {
  const handle_call *call = asked;
  if (call == NULL) return;
  asked = NULL;
  answer = call->make(asked_of);
  if (strcmp(call->name, "frame_ref") == 0) CHECK_OK(msdk_video_frame_unref(asked_of));
  if (strcmp(call->name, "encoded_ref") == 0) CHECK_OK(msdk_encoded_frame_unref(asked_of));
  if (strcmp(call->name, "audio_ref") == 0) CHECK_OK(msdk_audio_frame_unref(asked_of));
  is_answered = 1;
}

static msdk_self *const self_of_all = (msdk_self *)(void *)&asked;

static msdk_result inside_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type, (void)host, (void)context;
  *out = self_of_all;
  return MSDK_OK;
}
static void inside_destroy(msdk_self *self) { CHECK(self == self_of_all); }
static msdk_result inside_nothing(msdk_self *self) { return self == self_of_all ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result inside_set(msdk_self *self, const char *name, const msdk_value *value) {
  (void)self, (void)name, (void)value;
  return MSDK_OK;
}
static msdk_result inside_get(msdk_self *self, const char *name, msdk_value *out) {
  (void)self, (void)name;
  *out = (msdk_value)MSDK_STRING("1");
  return MSDK_OK;
}
static msdk_result inside_choice(msdk_self *self, const char *name, uint32_t index, msdk_choice *out) {
  (void)self, (void)name;
  if (index > 0) return MSDK_E_NOT_FOUND;
  out->value = "1";
  return MSDK_OK;
}
static msdk_result inside_call(msdk_self *self, const msdk_value *args, uint32_t count, msdk_value *result) {
  (void)self, (void)args, (void)count, (void)result;
  answer_now();
  return MSDK_OK;
}
static msdk_result inside_render(msdk_self *self, const msdk_video_frame *frame) {
  (void)self, (void)frame;
  answer_now();
  return MSDK_OK;
}
static msdk_result inside_render_audio(msdk_self *self, const msdk_audio_frame *frame) {
  (void)self, (void)frame;
  answer_now();
  return MSDK_OK;
}
static msdk_result inside_picture_format(msdk_self *self, msdk_video_format *out) {
  (void)self;
  *out = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  return MSDK_OK;
}
static msdk_result inside_enum(msdk_self *self, uint32_t index, msdk_video_format *out) {
  return index == 0 ? inside_picture_format(self, out) : MSDK_E_NOT_FOUND;
}
static msdk_result inside_snapshot(msdk_self *self, msdk_video_frame *into) { return into != NULL ? inside_nothing(self) : MSDK_E_FAIL; }
static msdk_result inside_set_picture(msdk_self *self, const msdk_video_format *format) { return format != NULL ? inside_nothing(self) : MSDK_E_FAIL; }
static msdk_result inside_produce(msdk_self *self, int64_t due, msdk_video_frame **out) {
  (void)self, (void)due, (void)out;
  return MSDK_E_AGAIN;
}
static msdk_result inside_sound_format(msdk_self *self, msdk_audio_format *out) {
  (void)self;
  *out = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  return MSDK_OK;
}
static msdk_result inside_set_sound(msdk_self *self, const msdk_audio_format *format) { return format != NULL ? inside_nothing(self) : MSDK_E_FAIL; }
static msdk_result inside_produce_sound(msdk_self *self, int64_t due, msdk_audio_frame **out) {
  (void)self, (void)due, (void)out;
  return MSDK_E_AGAIN;
}
static msdk_result inside_filter(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
  (void)self;
  *out = in;
  return MSDK_OK;
}
static msdk_result inside_filter_sound(msdk_self *self, msdk_audio_frame *in, msdk_audio_frame **out) {
  (void)self;
  *out = in;
  return MSDK_OK;
}

static msdk_result inside_update(msdk_self *self, uint32_t input, const msdk_input *what) { return input > 0 && what != NULL ? inside_nothing(self) : MSDK_E_FAIL; }
static msdk_result inside_remove(msdk_self *self, uint32_t input) { return input > 0 ? inside_nothing(self) : MSDK_E_FAIL; }
static msdk_result inside_render_input(msdk_self *self, uint32_t input, const msdk_video_frame *frame) {
  return input > 0 ? inside_render(self, frame) : MSDK_E_FAIL;
}

static const msdk_param inside_params[] = {{PARAM("a", MSDK_T_STRING, MSDK_PARAM_LIVE | MSDK_PARAM_DYNAMIC_CHOICES), .def.u.str = "1"}};
static const msdk_command inside_commands[] = {{.struct_size = sizeof(msdk_command), .name = "a", .result = MSDK_T_VOID, .invoke = inside_call}};
static const msdk_video_producer inside_camera = {.struct_size = sizeof(msdk_video_producer), .flags = MSDK_PRODUCER_PULL,
  .init_capture = inside_nothing, .release_capture = inside_nothing, .start_capture = inside_nothing, .stop_capture = inside_nothing,
  .capture_settings = inside_picture_format, .enum_formats = inside_enum, .set_format = inside_set_picture, .produce_frame = inside_produce};
static const msdk_audio_producer inside_microphone = {.struct_size = sizeof(msdk_audio_producer), .flags = MSDK_PRODUCER_PULL,
  .init_capture = inside_nothing, .release_capture = inside_nothing, .start_capture = inside_nothing, .stop_capture = inside_nothing,
  .capture_settings = inside_sound_format, .set_format = inside_set_sound, .produce_frame = inside_produce_sound};
static const msdk_video_renderer inside_screen = {.struct_size = sizeof(msdk_video_renderer), .init_render = inside_nothing,
  .release_render = inside_nothing, .render_video_frame = inside_render, .update_input = inside_update,
  .remove_input = inside_remove, .render_input_frame = inside_render_input, .snapshot_format = inside_picture_format, .snapshot = inside_snapshot};
static const msdk_audio_renderer inside_speaker = {.struct_size = sizeof(msdk_audio_renderer), .init_render = inside_nothing,
  .release_render = inside_nothing, .render_audio_frame = inside_render_audio};
static const msdk_video_filter inside_video_filter = {.struct_size = sizeof(msdk_video_filter), .init_filter = inside_nothing,
  .release_filter = inside_nothing, .filter_video_frame = inside_filter};
static const msdk_audio_filter inside_audio_filter = {.struct_size = sizeof(msdk_audio_filter), .init_filter = inside_nothing,
  .release_filter = inside_nothing, .set_format = inside_set_sound, .filter_audio_frame = inside_filter_sound};
/* Video both ways and sound both ways; filters are a class of their own. */
static const msdk_class inside_classes[] = {
  {.struct_size = sizeof(msdk_class), .id = "org.mediasdk.test.inside", .name = "inside",
    .kinds = MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_AUDIO_RENDERER, .params = inside_params,
    .commands = inside_commands, .param_count = 1, .command_count = 1, .create = inside_create, .destroy = inside_destroy,
    .set_param = inside_set, .get_param = inside_get, .param_choice = inside_choice, .video_producer = &inside_camera,
    .audio_producer = &inside_microphone, .video_renderer = &inside_screen, .audio_renderer = &inside_speaker},
  {.struct_size = sizeof(msdk_class), .id = "org.mediasdk.test.inside_filter", .name = "inside a filter",
    .kinds = MSDK_KIND_VIDEO_FILTER | MSDK_KIND_AUDIO_FILTER, .commands = inside_commands, .command_count = 1, .create = inside_create,
    .destroy = inside_destroy, .video_filter = &inside_video_filter, .audio_filter = &inside_audio_filter}};
static const msdk_class *const inside_list[] = {&inside_classes[0], &inside_classes[1]};
static const msdk_module inside_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = inside_list, .class_count = MSDK_COUNT(inside_list)};

/* -------------------------------------------------------------------------------------------------------------- the scene */

static call it;

/* bob shares a screen, too. */
static void scene_open_with(uint32_t codec) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  msdk_outgoing_video *screen = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &screen));
  CHECK_OK(msdk_session_start_video(it.bob, screen));
  run_for(it.engine, 100 * MS);
  all_good = (good){.engine = it.engine, .session = it.alice, .outgoing = it.outgoing, .sender = it.sender, .incoming = it.incoming};
  CHECK_OK(msdk_engine_register_module(it.engine, &inside_module));
  all_good.instance = instance_of(it.engine, "org.mediasdk.test.inside");
  all_good.frame = picture_new(MSDK_PIXEL_NV12, 64, 48, 0);
  all_good.encoded = encoded_of((const uint8_t *)"", 1, 0);
  sounding_add(&it, &all_good);
}

static void scene_open(void) { scene_open_with(MSDK_CODEC_RAW); }

static void scene_close(void) {
  sounding_remove(&all_good);
  if (given_frame != NULL) CHECK_OK(msdk_video_frame_unref(given_frame));
  given_frame = NULL;
  msdk_video_frame_unref(all_good.frame);
  msdk_encoded_frame_unref(all_good.encoded);
  msdk_instance_destroy(all_good.instance);
  call_close(&it);
}

static void *good_of(enum handle_kind kind) {
  void *handles[HANDLE_KINDS] = {all_good.engine, all_good.session, all_good.outgoing, all_good.sender, all_good.incoming,
                                 all_good.instance, all_good.frame, all_good.encoded, all_good.sound_out, all_good.sound_in,
                                 all_good.speaker, all_good.sound};
  return handles[kind];
}

static void on_event(void *user, const msdk_event *event) {
  (void)user, (void)event;
  answer_now();
}

static msdk_result inside_an_event(int call) {
  scene_open();
  CHECK_OK(msdk_session_set_event_callback(it.bob, on_event, NULL));
  (asked = &handle_calls[call], asked_of = good_of(handle_calls[call].kind), is_answered = 0);
  msdk_session *third = join(it.engine, it.url, "carol");
  run_for(it.engine, 100 * MS);
  CHECK(is_answered);
  CHECK_OK(msdk_session_set_event_callback(it.bob, NULL, NULL));
  msdk_session_destroy(third);
  scene_close();
  return answer;
}

enum place { IN_A_COMMAND, IN_RENDER, FEEDING_IN_A_COMMAND, FEEDING_IN_RENDER, FILTER_IN_A_COMMAND, PLACES };

static msdk_result inside_an_instance(int call, enum place place) {
  scene_open();
  int is_filter = place == FILTER_IN_A_COMMAND;
  msdk_instance *instance = instance_of(it.engine, is_filter ? "org.mediasdk.test.inside_filter" : "org.mediasdk.test.inside");
  if (place == FEEDING_IN_A_COMMAND || place == FEEDING_IN_RENDER) CHECK_OK(msdk_instance_attach_renderer(instance, all_good.instance));
  int is_attached = place == IN_RENDER || place == FEEDING_IN_RENDER;
  if (is_attached) CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, instance, NULL));
  (asked = &handle_calls[call], asked_of = instance, is_answered = 0);
  if (is_attached) {
    CHECK_OK(send_picture(it.sender, 0, 0, NULL));
    run_for(it.engine, 100 * MS);
  } else {
    CHECK_OK(msdk_instance_call(instance, "a", NULL, 0, NULL));
  }
  CHECK(is_answered);
  msdk_instance_destroy(instance);
  scene_close();
  return answer;
}

/* ------------------------------------------------------------------------------------------------------------------ cases */

static void inside_a_callback_of_a_session(void) {
  char function[128];
  for (int call = 0; call < HANDLE_CALL_COUNT; call++) {
    if (!function_of(call, function, sizeof function)) continue;
    int is_refused = inside_an_event(call) == MSDK_E_THREAD;
    if (!CHECK_EQ(is_refused, tags_of(function).anywhere)) fprintf(stderr, "  %s, in an event\n", function);
  }
}

static void inside_functions_of_the_instance(void) {
  static struct {
    char name[128];
    int places; /* where one of its calls was refused: a bit for each */
  } functions[HANDLE_CALL_COUNT];
  int count = 0;
  for (int call = 0; call < HANDLE_CALL_COUNT; call++) {
    char name[128];
    if ((handle_calls[call].kind != INSTANCE && handle_calls[call].kind != SPEAKER) || !function_of(call, name, sizeof name)) continue;
    int index = 0;
    while (index < count && strcmp(functions[index].name, name) != 0) index++;
    if (index == count) snprintf(functions[count++].name, sizeof functions[0].name, "%s", name);
    for (int place = 0; place < PLACES; place++) functions[index].places |= (inside_an_instance(call, (enum place)place) == MSDK_E_THREAD) << place;
  }
  CHECK(count > 30);
  for (int i = 0; i < count; i++) {
    if (!CHECK_EQ(functions[i].places != 0, tags_of(functions[i].name).inside)) fprintf(stderr, "  %s, refused in places 0x%x\n", functions[i].name, (unsigned)functions[i].places);
  }
}

/* ---------------------------------------------------------------------------------------------------------- what waits */

static sem_t entered, may_leave;
static atomic_int is_armed, has_left;

/* What every callback does the first time after it was armed: it runs until it may leave. */
static void stay(void) {
  if (!atomic_exchange(&is_armed, 0)) return;
  sem_post(&entered);
  while (sem_wait(&may_leave) != 0) continue;
  atomic_store(&has_left, 1);
}

static void stay_in_event(void *user, const msdk_event *event) { (void)user, (void)event, stay(); }
static void stay_in_instance_event(void *user, const msdk_instance_event *event) { (void)user, (void)event, stay(); }
static void stay_in_log(void *user, const msdk_log_record *record) { (void)user, (void)record, stay(); }
static void stay_in_frame(void *user, const msdk_video_frame *frame) { (void)user, (void)frame, stay(); }
static void stay_in_audio(void *user, const msdk_audio_frame *frame) { (void)user, (void)frame, stay(); }
static void stay_in_encoded(void *user, const msdk_encoded_frame *frame) { (void)user, (void)frame, stay(); }

/* Each sets its callback, or removes it. */
static msdk_result set_event(int on) { return msdk_session_set_event_callback(it.alice, on ? stay_in_event : NULL, NULL); }
static msdk_result set_instance_event(int on) {
  return msdk_instance_set_event_callback(all_good.instance, on ? stay_in_instance_event : NULL, NULL);
}
static msdk_result set_log(int on) { return msdk_engine_set_log_callback(it.engine, MSDK_LOG_DEBUG, on ? stay_in_log : NULL, NULL); }
static msdk_result set_frame(int on) { return msdk_incoming_video_set_frame_callback(it.incoming, on ? stay_in_frame : NULL, NULL); }
static msdk_result set_audio(int on) { return msdk_incoming_audio_set_frame_callback(all_good.sound_in, on ? stay_in_audio : NULL, NULL); }
static msdk_result set_encoded(int on) { return msdk_outgoing_video_set_encoded_callback(it.outgoing, on ? stay_in_encoded : NULL, NULL); }
static msdk_result set_packets(int on) { return msdk_outgoing_audio_set_encoded_callback(all_good.sound_out, on ? stay_in_encoded : NULL, NULL); }

static const struct {
  const char *function;
  msdk_result (*set)(int on);
} callbacks[] = {
    {"msdk_session_set_event_callback", set_event},
    {"msdk_instance_set_event_callback", set_instance_event},
    {"msdk_engine_set_log_callback", set_log},
    {"msdk_incoming_video_set_frame_callback", set_frame},
    {"msdk_incoming_audio_set_frame_callback", set_audio},
    {"msdk_outgoing_video_set_encoded_callback", set_encoded},
    {"msdk_outgoing_audio_set_encoded_callback", set_packets}};
enum { CALLBACKS = sizeof callbacks / sizeof callbacks[0] };

/* Everything that makes the SDK call one of them, on a thread of its own: the clock is virtual. */
static void *cause_all(void *user) {
  (void)user;
  CHECK_OK(msdk_instance_set_param_text(all_good.instance, "a", "1"));
  msdk_session *third = join(it.engine, it.url, "carol");
  for (int i = 0; i < 10; i++) {
    send_picture(it.sender, 0, 0, NULL);
    msdk_outgoing_audio_send(all_good.sound_out, one_buffer, sizeof one_buffer, 0, 0, NULL, NULL);
    run_for(it.engine, 20 * MS);
  }
  msdk_session_destroy(third);
  return NULL;
}

typedef struct job {
  const handle_call *call; /* NULL: removes the callback */
  int callback;
  int had_left; /* when it returned */
  sem_t is_done;
} job;

static void *do_job(void *user) {
  job *it = user;
  if (it->call != NULL) it->call->make(good_of(it->call->kind));
  else CHECK_OK(callbacks[it->callback].set(0));
  it->had_left = atomic_load(&has_left);
  sem_post(&it->is_done);
  return NULL;
}

/* Whether it is done by then: what does not wait is done at once, however busy the machine is. */
static int is_done_in(job *it, int seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += seconds;
  int code;
  while ((code = sem_timedwait(&it->is_done, &until)) != 0 && errno == EINTR) continue;
  return code == 0;
}

static void while_a_callback_runs(void) {
  char function[128];
  for (int callback = 0; callback < CALLBACKS; callback++) {
    int is_encoded = callbacks[callback].set == set_encoded, is_packets = callbacks[callback].set == set_packets;
    scene_open_with(is_encoded ? MSDK_CODEC_VP8 : MSDK_CODEC_RAW);
    if (is_packets) { /* of an encoder */
      msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
      options.codec = MSDK_CODEC_OPUS;
      msdk_outgoing_audio_destroy(all_good.sound_out);
      CHECK_OK(msdk_outgoing_audio_create(it.engine, &options, &all_good.sound_out));
      CHECK_OK(msdk_session_start_audio(it.alice, all_good.sound_out));
    }
    CHECK(tags_of(callbacks[callback].function).for_callback);
    sem_init(&entered, 0, 0), sem_init(&may_leave, 0, 0);
    atomic_store(&has_left, 0);
    CHECK_OK(callbacks[callback].set(1));
    atomic_store(&is_armed, 1);
    pthread_t causing, worker;
    NEED(pthread_create(&causing, NULL, cause_all, NULL) == 0);
    while (sem_wait(&entered) != 0) continue;
    int stuck = 0;
    for (int call = 0; call < HANDLE_CALL_COUNT && !stuck; call++) {
      if (!function_of(call, function, sizeof function) || tags_of(function).waits) continue;
      job one = {.call = &handle_calls[call]};
      sem_init(&one.is_done, 0, 0);
      NEED(pthread_create(&worker, NULL, do_job, &one) == 0);
      stuck = !CHECK(is_done_in(&one, 60));
      if (stuck) {
        fprintf(stderr, "  %s waits while the callback of %s runs\n", function, callbacks[callback].function);
        sem_post(&may_leave);
      }
      pthread_join(worker, NULL);
      if (strcmp(handle_calls[call].name, "frame_ref") == 0) CHECK_OK(msdk_video_frame_unref(all_good.frame));
      if (strcmp(handle_calls[call].name, "encoded_ref") == 0) CHECK_OK(msdk_encoded_frame_unref(all_good.encoded));
      if (strcmp(handle_calls[call].name, "audio_ref") == 0) CHECK_OK(msdk_audio_frame_unref(all_good.sound));
      if (given_frame != NULL) CHECK_OK(msdk_video_frame_unref(given_frame));
      given_frame = NULL;
    }
    job removal = {.callback = callback};
    sem_init(&removal.is_done, 0, 0);
    NEED(pthread_create(&worker, NULL, do_job, &removal) == 0);
    if (!stuck) {
      struct timespec moment = {0, 20000000};
      nanosleep(&moment, NULL);
      sem_post(&may_leave);
    }
    pthread_join(worker, NULL);
    if (!CHECK(removal.had_left)) fprintf(stderr, "  %s returned while the callback ran\n", callbacks[callback].function);
    pthread_join(causing, NULL);
    scene_close();
  }
}

/* The table has all of them: those that return a result and take a handle or a frame, but what gives a reference back. */
static void no_function_is_left_out(void) {
  static const char *const types[] = {"msdk_engine *", "msdk_session *", "msdk_outgoing_video *", "msdk_frame_sender *", "msdk_incoming_video *",
                                      "msdk_outgoing_audio *", "msdk_incoming_audio *", "msdk_instance *", "const msdk_video_frame *",
                                      "const msdk_audio_frame *", "const msdk_encoded_frame *"};
  static const char start[] = "MSDK_EXPORT msdk_result ";
  int count = 0;
  char name[128], wanted[136], known[128];
  for (const char *at = headers; (at = strstr(at, start)) != NULL;) {
    at += sizeof start - 1;
    size_t length = strcspn(at, "(");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    int takes_one = 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) takes_one |= strncmp(at + length + 1, types[i], strlen(types[i])) == 0;
    snprintf(wanted, sizeof wanted, "%s", strstr(name, "_unref") != NULL || strstr(name, "msdk_feeder_") == name || strstr(name, "frame_create") != NULL ? "" : name);
    if (!takes_one || wanted[0] == 0) continue;
    int is_there = 0;
    for (int call = 0; call < HANDLE_CALL_COUNT && !is_there; call++) is_there = function_of(call, known, sizeof known) && strcmp(known, name) == 0;
    /* Those whose call needs more than an expression: in handle_calls.h, by helpers. */
    static const char *const helped[] = {"msdk_outgoing_video_create", "msdk_session_create", "msdk_room_script_network"};
    for (size_t i = 0; i < sizeof helped / sizeof helped[0]; i++) is_there |= strcmp(name, helped[i]) == 0;
    if (!CHECK(is_there)) fprintf(stderr, "  %s is not in handle_calls.h\n", name);
    count++;
  }
  CHECK(count > 150);
}

int main(int argc, char **argv) {
  headers_read();
  RUN(no_function_is_left_out);
  RUN(inside_a_callback_of_a_session);
  RUN(inside_functions_of_the_instance);
  RUN(while_a_callback_runs);
  return check_finish();
}
