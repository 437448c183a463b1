/* A module of the test's own: a pull producer, a push producer, a renderer, a filter, and a renderer of encoded frames. What the core
 * calls is written down in order; that calls for one instance never overlap is checked on the way. */
#ifndef TEST_CLASSES_H
#define TEST_CLASSES_H

#include "call.h"
#include "picture.h"

#include <pthread.h>

/* ----------------------------------------------------------------------------------------------------------------- record */

enum { RECORD_LINES = 8192, RECORD_LINE = 48 };
typedef struct call_record {
  pthread_mutex_t lock;
  int count;
  char line[RECORD_LINES][RECORD_LINE];
} call_record;
static call_record recorded = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline void record(const char *who, const char *what) {
  pthread_mutex_lock(&recorded.lock);
  if (recorded.count < RECORD_LINES) snprintf(recorded.line[recorded.count++], RECORD_LINE, "%s %s", who, what);
  pthread_mutex_unlock(&recorded.lock);
}

static inline void record_clear(void) {
  pthread_mutex_lock(&recorded.lock);
  recorded.count = 0;
  pthread_mutex_unlock(&recorded.lock);
}

/* How often a line was written. */
static inline int record_times(const char *line) {
  int times = 0;
  pthread_mutex_lock(&recorded.lock);
  for (int i = 0; i < recorded.count; i++) times += strcmp(recorded.line[i], line) == 0;
  pthread_mutex_unlock(&recorded.lock);
  return times;
}

/* The lines that begin with `who`, those in `leave_out` (words after who, separated by spaces) omitted, equals the expected ones. */
static inline void record_expect(const char *who, const char *leave_out, const char *expected) {
  char all[4096] = "", last[RECORD_LINE] = "";
  size_t length = strlen(who);
  pthread_mutex_lock(&recorded.lock);
  for (int i = 0; i < recorded.count; i++) {
    const char *line = recorded.line[i];
    if (strncmp(line, who, length) != 0 || line[length] != ' ') continue;
    const char *word = line + length + 1;
    if (strstr(leave_out, word) != NULL || strcmp(word, last) == 0) continue; /* repeats are one */
    snprintf(last, sizeof last, "%s", word);
    if (all[0] != 0) strncat(all, " ", sizeof all - strlen(all) - 1);
    strncat(all, word, sizeof all - strlen(all) - 1);
  }
  pthread_mutex_unlock(&recorded.lock);
  if (!CHECK(strcmp(all, expected) == 0)) fprintf(stderr, "  %s: \"%s\"\n  not \"%s\"\n", who, all, expected);
}

/* ------------------------------------------------------------------------------------------------------------------- self */

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  const char *who;
  atomic_int in_control, in_media;
  char fail[16];   /* the function that shall fail */
  char accept[16]; /* of the renderer: any, nv12, bgra, gray8 */
  int32_t level;
  uint32_t width, height;
  msdk_video_format format;
  uint32_t produced;
  pthread_t pusher;
  int pushing;
};

/* What the instances of all classes saw, for the test to look at. */
typedef struct class_sight {
  atomic_int frames, encoded, pushed, again, closed, wrong_format, other;
  atomic_llong last_timestamp;
  atomic_uint last_width, last_height, last_pixel_format, first_encoded_is_key;
  atomic_int first_byte;
} class_sight;
static class_sight sight_sink, sight_filter, sight_push, sight_codec;

static inline int failing(msdk_self *self, const char *function) {
  if (strcmp(self->fail, function) != 0) return 0;
  char words[64];
  snprintf(words, sizeof words, "the test lets %s fail", function);
  self->host->set_error(self->context, MSDK_E_DEVICE_LOST, words);
  return 1;
}

/* A [control] call: recorded, alone, fails when it is told to. */
static inline msdk_result control(msdk_self *self, const char *function) {
  CHECK_EQ(atomic_fetch_add(&self->in_control, 1), 0);
  record(self->who, function);
  msdk_result result = failing(self, function) ? MSDK_E_DEVICE_LOST : MSDK_OK;
  atomic_fetch_sub(&self->in_control, 1);
  return result;
}

static inline msdk_result self_create(const char *who, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  CHECK(MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, consume_video_frame) && MSDK_CAN(host, msdk_host, now_ns));
  CHECK(host->name != NULL && host->version != NULL);
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->who = who;
  self->width = 64;
  self->height = 48;
  self->level = 3;
  record(who, "create");
  *out = self;
  return MSDK_OK;
}

static inline void self_destroy(msdk_self *self) {
  record(self->who, "destroy");
  free(self);
}

/* ------------------------------------------------------------------------------------------------------------- parameters */

static const char *const fail_choices[] = {"", "init", "start", "stop", "release", "set_format", "produce", "render", "set"};
static const char *const accept_choices[] = {"any", "nv12", "bgra", "gray8", "none"};
#define PARAM(n, t, f) .struct_size = sizeof(msdk_param), .flags = (f), .name = (n), .def.type = (t)
static const msdk_param test_params[] = {
  {PARAM("fail", MSDK_T_STRING, MSDK_PARAM_LIVE), .def.u.str = "", .choices = fail_choices, .choice_count = MSDK_COUNT(fail_choices)},
  {PARAM("accept", MSDK_T_STRING, 0), .def.u.str = "any", .choices = accept_choices, .choice_count = MSDK_COUNT(accept_choices)},
  {PARAM("level", MSDK_T_I32, MSDK_PARAM_LIVE), .def.u.i32 = 3, .min = MSDK_I32(0), .max = MSDK_I32(10), .summary = "a number"},
  {PARAM("fixed", MSDK_T_I32, 0), .def.u.i32 = 1},
  {PARAM("wide", MSDK_T_I64, MSDK_PARAM_LIVE)},
  {PARAM("count", MSDK_T_U32, MSDK_PARAM_LIVE)},
  {PARAM("big", MSDK_T_U64, MSDK_PARAM_LIVE)},
  {PARAM("ratio", MSDK_T_F64, MSDK_PARAM_LIVE), .min = MSDK_F64(-1), .max = MSDK_F64(1)},
  {PARAM("flag", MSDK_T_BOOL, MSDK_PARAM_LIVE)},
  {PARAM("blob", MSDK_T_BYTES, MSDK_PARAM_LIVE)},
  {PARAM("text", MSDK_T_STRING, MSDK_PARAM_LIVE), .def.u.str = "none"},
  {PARAM("serial", MSDK_T_U32, MSDK_PARAM_READONLY)},
};
static const msdk_param needy_params[] = {{PARAM("path", MSDK_T_STRING, MSDK_PARAM_REQUIRED), .def.u.str = ""}};

static inline msdk_result self_set_param(msdk_self *self, const char *name, const msdk_value *value) {
  CHECK_EQ(atomic_fetch_add(&self->in_control, 1), 0);
  char what[RECORD_LINE - 16];
  snprintf(what, sizeof what, "set_%.20s", name);
  record(self->who, what);
  atomic_fetch_sub(&self->in_control, 1);
  if (failing(self, "set") && strcmp(name, "fail") != 0) return MSDK_E_DEVICE_LOST;
  if (strcmp(name, "fail") == 0) snprintf(self->fail, sizeof self->fail, "%s", value->u.str);
  if (strcmp(name, "accept") == 0) snprintf(self->accept, sizeof self->accept, "%s", value->u.str);
  if (strcmp(name, "level") == 0) {
    CHECK_EQ(value->type, MSDK_T_I32); /* whatever width the program used */
    self->level = value->u.i32;
  }
  return MSDK_OK;
}

/* --------------------------------------------------------------------------------------------------------------- producers */

static inline msdk_video_format self_format(const msdk_self *self, uint32_t index) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = self->width << index;
  format.height = self->height << index;
  format.fps_num = 30;
  format.fps_den = 1;
  return format;
}

static inline msdk_result capture_init(msdk_self *self) {
  self->format = self_format(self, 0);
  return control(self, "init");
}
static inline msdk_result capture_release(msdk_self *self) { return control(self, "release"); }
static inline msdk_result capture_start(msdk_self *self) { return control(self, "start"); }
static inline msdk_result capture_stop(msdk_self *self) { return control(self, "stop"); }
static inline msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return control(self, "settings");
}
static inline msdk_result capture_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  msdk_result result = control(self, "formats");
  if (result < 0 || index > 1) return result < 0 ? result : MSDK_E_NOT_FOUND;
  *out = self_format(self, index);
  return MSDK_OK;
}
static uint32_t produces_only; /* a pixel format; 0: what it is asked for */
static inline msdk_result capture_set_format(msdk_self *self, const msdk_video_format *format) {
  msdk_result result = control(self, "set_format");
  if (result >= 0 && produces_only != 0 && format->pixel_format != produces_only) return MSDK_E_FORMAT;
  if (result >= 0) self->format = *format;
  return result;
}

static int produce_takes_ms; /* of real time */
static inline msdk_result capture_produce(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  CHECK_EQ(atomic_fetch_add(&self->in_media, 1), 0);
  CHECK(due_ns > 0);
  record(self->who, "produce");
  if (produce_takes_ms > 0) sleep_ms(produce_takes_ms);
  msdk_result result = MSDK_E_DEVICE_LOST;
  if (!failing(self, "produce")) result = self->host->video_frame_acquire(self->context, &self->format, 0, out);
  if (result >= 0) picture_draw(*out, self->produced++);
  atomic_fetch_sub(&self->in_media, 1);
  return result;
}

/* Delivers as fast as it can, until it is told that it is closed: nothing else ends the loop. */
static inline void *push_loop(void *argument) {
  msdk_self *self = argument;
  for (uint32_t index = 0;; index++) {
    msdk_video_frame *frame = NULL;
    msdk_result result = self->host->video_frame_acquire(self->context, &self->format, 50, &frame);
    if (result >= 0) {
      picture_draw(frame, index);
      result = self->host->consume_video_frame(self->context, frame);
    }
    atomic_fetch_add(result >= 0              ? &sight_push.pushed
                     : result == MSDK_E_AGAIN ? &sight_push.again
                     : result == MSDK_E_CLOSED ? &sight_push.closed
                     : result == MSDK_E_FORMAT ? &sight_push.wrong_format
                                               : &sight_push.other, 1);
    if (result == MSDK_E_CLOSED) return NULL;
    sleep_ms(2);
  }
}

static inline msdk_result push_start(msdk_self *self) {
  msdk_result result = control(self, "start");
  if (result >= 0) self->pushing = pthread_create(&self->pusher, NULL, push_loop, self) == 0;
  return result;
}
static inline msdk_result push_stop(msdk_self *self) {
  if (self->pushing) pthread_join(self->pusher, NULL);
  self->pushing = 0;
  return control(self, "stop");
}

/* --------------------------------------------------------------------------------------------------------------- renderers */

static inline msdk_result render_init(msdk_self *self) { return control(self, "init"); }
static inline msdk_result render_release(msdk_self *self) { return control(self, "release"); }

static inline int32_t render_accepts(msdk_self *self, const msdk_video_format *format) {
  control(self, "accepts");
  if (strcmp(self->accept, "nv12") == 0) return format->pixel_format == MSDK_PIXEL_NV12;
  if (strcmp(self->accept, "bgra") == 0) return format->pixel_format == MSDK_PIXEL_BGRA;
  if (strcmp(self->accept, "gray8") == 0) return format->pixel_format == MSDK_PIXEL_GRAY8;
  return strcmp(self->accept, "none") != 0;
}

static inline void sight_frame(class_sight *sight, const msdk_video_frame *frame) {
  atomic_store(&sight->last_timestamp, frame->timestamp_ns);
  atomic_store(&sight->last_width, frame->format->width);
  atomic_store(&sight->last_height, frame->format->height);
  atomic_store(&sight->last_pixel_format, frame->format->pixel_format);
  atomic_store(&sight->first_byte, row_of(frame, 0, 0)[0]);
  atomic_fetch_add(&sight->frames, 1);
}

static inline msdk_result render_frame(msdk_self *self, const msdk_video_frame *frame) {
  CHECK_EQ(atomic_fetch_add(&self->in_media, 1), 0);
  record(self->who, "render");
  int fails = failing(self, "render");
  if (!fails) sight_frame(&sight_sink, frame);
  atomic_fetch_sub(&self->in_media, 1);
  return fails ? MSDK_E_DEVICE_LOST : MSDK_OK;
}

static inline msdk_result snapshot_format(msdk_self *self, msdk_video_format *out) {
  if (atomic_load(&sight_sink.frames) == 0) return MSDK_E_AGAIN;
  msdk_result result = control(self, "snapshot_format");
  *out = MSDK_INIT(msdk_video_format);
  out->pixel_format = MSDK_PIXEL_GRAY8;
  out->width = 20;
  out->height = 10;
  return result;
}
static inline msdk_result snapshot(msdk_self *self, msdk_video_frame *into) {
  CHECK(into->flags & MSDK_FRAME_WRITABLE);
  picture_fill(into, 99);
  return control(self, "snapshot");
}

/* The filter gives on each picture with its first byte turned over. */
static inline msdk_result filter_frame(msdk_self *self, const msdk_video_frame *frame) {
  sight_frame(&sight_filter, frame);
  msdk_video_frame *made = NULL;
  msdk_result result = self->host->video_frame_acquire(self->context, frame->format, 0, &made);
  if (result < 0) return MSDK_OK; /* nobody downstream gave one back: drop */
  picture_fill(made, 255 - row_of(frame, 0, 0)[0]);
  made->timestamp_ns = frame->timestamp_ns;
  self->host->consume_video_frame(self->context, made);
  return MSDK_OK;
}

static inline int32_t takes_vp8(msdk_self *self, uint32_t codec) {
  control(self, "accepts_codec");
  return codec == MSDK_CODEC_VP8;
}
static inline msdk_result render_encoded(msdk_self *self, const msdk_encoded_frame *frame) {
  record(self->who, "render_encoded");
  if (atomic_fetch_add(&sight_codec.encoded, 1) == 0) atomic_store(&sight_codec.first_encoded_is_key, frame->flags & MSDK_ENCODED_KEY);
  return MSDK_OK;
}
static inline msdk_result refuse_pictures(msdk_self *self, const msdk_video_frame *frame) {
  (void)frame;
  record(self->who, "render");
  return MSDK_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ tables */

#define PRODUCER_BASE                                                                                                             \
  .struct_size = sizeof(msdk_video_producer), .init_capture = capture_init, .release_capture = capture_release,                   \
  .capture_settings = capture_settings, .enum_formats = capture_formats, .set_format = capture_set_format
static const msdk_video_producer pull_table = {
  PRODUCER_BASE, .flags = MSDK_PRODUCER_PULL, .start_capture = capture_start, .stop_capture = capture_stop,
  .produce_frame = capture_produce};
static const msdk_video_producer push_table = {PRODUCER_BASE, .start_capture = push_start, .stop_capture = push_stop};
static const msdk_video_producer filter_table = {PRODUCER_BASE, .start_capture = capture_start, .stop_capture = capture_stop};
#define RENDERER_BASE .struct_size = sizeof(msdk_video_renderer), .init_render = render_init, .release_render = render_release
static const msdk_video_renderer sink_table = {RENDERER_BASE, .accepts_format = render_accepts, .render_video_frame = render_frame,
                                               .snapshot_format = snapshot_format, .snapshot = snapshot};
static const msdk_video_renderer filter_in_table = {RENDERER_BASE, .render_video_frame = filter_frame};
static const msdk_video_renderer codec_table = {RENDERER_BASE, .render_video_frame = refuse_pictures, .accepts_codec = takes_vp8,
                                                .render_encoded_frame = render_encoded};

#define CREATOR(who)                                                                                                \
  static inline msdk_result create_##who(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {     \
    (void)type;                                                                                                                            \
    return self_create(#who, host, context, out);                                                                   \
  }
CREATOR(pull)
CREATOR(push)
CREATOR(sink)
CREATOR(filter)
CREATOR(codec)
CREATOR(needy)

#define CLASS_BASE(who, list)                                                                                               \
  .struct_size = sizeof(msdk_class), .id = "org.mediasdk.test." #who, .name = #who, .params = list,                         \
  .param_count = MSDK_COUNT(list), .create = create_##who, .destroy = self_destroy, \
  .set_param = self_set_param
static const msdk_class pull_class = {CLASS_BASE(pull, test_params), .kinds = MSDK_KIND_VIDEO_PRODUCER, .video_producer = &pull_table};
static const msdk_class push_class = {CLASS_BASE(push, test_params), .kinds = MSDK_KIND_VIDEO_PRODUCER, .video_producer = &push_table};
static const msdk_class sink_class = {CLASS_BASE(sink, test_params), .kinds = MSDK_KIND_VIDEO_RENDERER, .video_renderer = &sink_table};
static const msdk_class filter_class = {CLASS_BASE(filter, test_params), .kinds = MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_VIDEO_PRODUCER,
                                        .video_renderer = &filter_in_table, .video_producer = &filter_table};
static const msdk_class codec_class = {CLASS_BASE(codec, test_params), .kinds = MSDK_KIND_VIDEO_RENDERER, .video_renderer = &codec_table};
static const msdk_class needy_class = {CLASS_BASE(needy, needy_params), .kinds = MSDK_KIND_VIDEO_PRODUCER, .flags = MSDK_CLASS_SINGLETON,
                                       .video_producer = &pull_table};
static const msdk_class *const test_class_list[] = {&pull_class, &push_class, &sink_class, &filter_class, &codec_class, &needy_class};
static const msdk_module test_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .classes = test_class_list, .class_count = MSDK_COUNT(test_class_list)};

static inline msdk_instance *instance_of(msdk_engine *engine, const char *class_id) {
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, class_id, NULL, &instance));
  return instance;
}

static inline uint32_t state_of(msdk_instance *instance, uint32_t kind) {
  uint32_t state = UINT32_MAX;
  CHECK_OK(msdk_instance_get_state(instance, kind, &state));
  return state;
}

/* A call on a virtual clock, whose engine knows these classes. */
static inline call call_with_classes(uint32_t codec) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  record_clear();
  sight_sink = sight_filter = sight_codec = (class_sight){0};
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_engine_register_module(it.engine, &test_module));
  return it;
}

#endif
