/* A module of filters of the test's own: one of pictures and one of sound, good or bad as their parameters say, which write down what they
 * were given. The picture's first byte, and every sample, becomes twice itself and `value`, so that the order in a chain shows. */
#ifndef FILTER_CLASSES_H
#define FILTER_CLASSES_H

#include "sending.h"
#include "shared.h"

typedef struct filter_sight {
  atomic_int inits, releases, formats, calls, flushes, inside, after; /* after: calls when it was told that none may come */
  atomic_int told; /* 1: none may come any more */
  atomic_int writable, in_place; /* of the last call */
  atomic_uint pixel_format, width, sample_format, sample_count;
  _Atomic(const void *) memory, given; /* of the last call: what came, what was given */
} filter_sight;

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  filter_sight *sight;
  char mode[16], takes[8], fail[12];
  int32_t value;
  msdk_video_format format;
  msdk_video_frame *kept;
  msdk_audio_frame *kept_sound;
};

/* Of instances in the order in which they are created. */
typedef struct filter_book {
  filter_sight sights[16];
  atomic_int created;
} filter_book;
static inline filter_book *filter_shared(void) {
  static filter_book own, *book;
  if (book == NULL) book = shared_memory(&own, sizeof own);
  return book;
}
#define filter_sights (filter_shared()->sights)
#define filter_created (filter_shared()->created)

static const char *const filter_modes[] = {"change", "make",  "pass",  "again", "fail",  "null", "dead", "garbage", "twice",
                                           "gone",   "small", "other", "slow",  "broken", "wrap", "keep", "nan"};
static const char *const filter_takes[] = {"any", "nv12", "bgra", "gray8", "none", "f32", "s16"};
static const char *const filter_fails[] = {"", "init", "set_format", "release"};
#define FILTER_PARAM(n, t) .struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = (n), .def.type = (t)
static const msdk_param filter_params[] = {
  {FILTER_PARAM("mode", MSDK_T_STRING), .def.u.str = "change", .choices = filter_modes, .choice_count = MSDK_COUNT(filter_modes)},
  {FILTER_PARAM("takes", MSDK_T_STRING), .def.u.str = "any", .choices = filter_takes, .choice_count = MSDK_COUNT(filter_takes)},
  {FILTER_PARAM("gives", MSDK_T_STRING), .def.u.str = "any", .choices = filter_takes, .choice_count = MSDK_COUNT(filter_takes)},
  {FILTER_PARAM("fail", MSDK_T_STRING), .def.u.str = "", .choices = filter_fails, .choice_count = MSDK_COUNT(filter_fails)},
  {FILTER_PARAM("value", MSDK_T_I32), .def.u.i32 = 1},
};

static inline msdk_result filter_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->sight = &filter_sights[atomic_fetch_add(&filter_created, 1) % 16];
  self->value = 1;
  snprintf(self->mode, sizeof self->mode, "change");
  snprintf(self->takes, sizeof self->takes, "any");
  *out = self;
  return MSDK_OK;
}
static inline void filter_drop_kept(msdk_self *self) {
  if (self->kept != NULL) self->host->video_frame_unref(self->kept);
  if (self->kept_sound != NULL) self->host->audio_frame_unref(self->kept_sound);
  self->kept = NULL;
  self->kept_sound = NULL;
}
static inline void filter_destroy(msdk_self *self) {
  filter_drop_kept(self);
  free(self);
}
static inline msdk_result filter_set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "mode") == 0) snprintf(self->mode, sizeof self->mode, "%s", value->u.str);
  if (strcmp(name, "takes") == 0) snprintf(self->takes, sizeof self->takes, "%s", value->u.str);
  if (strcmp(name, "fail") == 0) snprintf(self->fail, sizeof self->fail, "%s", value->u.str);
  if (strcmp(name, "value") == 0) self->value = value->u.i32;
  return MSDK_OK;
}
static inline int filter_is(const msdk_self *self, const char *mode) { return strcmp(self->mode, mode) == 0; }

static inline msdk_result filter_control(msdk_self *self, atomic_int *count, const char *function) {
  atomic_fetch_add(count, 1);
  if (strcmp(self->fail, function) != 0) return MSDK_OK;
  self->host->set_error(self->context, MSDK_E_DEVICE_LOST, "the test lets it fail");
  return MSDK_E_DEVICE_LOST;
}
static inline msdk_result filter_init(msdk_self *self) { return filter_control(self, &self->sight->inits, "init"); }
static inline msdk_result filter_release(msdk_self *self) {
  filter_drop_kept(self);
  return filter_control(self, &self->sight->releases, "release");
}
static inline msdk_result filter_flush(msdk_self *self) {
  filter_drop_kept(self);
  atomic_fetch_add(&self->sight->flushes, 1);
  return MSDK_OK;
}

static inline msdk_result filter_set_format(msdk_self *self, const msdk_video_format *in, msdk_video_format *out) {
  msdk_result result = filter_control(self, &self->sight->formats, "set_format");
  if (result < 0) return result;
  CHECK(out->width == in->width && out->pixel_format == in->pixel_format); /* *out holds `in` */
  if (strcmp(self->takes, "none") == 0) return MSDK_E_FORMAT;
  if (strcmp(self->takes, "nv12") == 0 && in->pixel_format != MSDK_PIXEL_NV12) return MSDK_E_FORMAT;
  if (strcmp(self->takes, "bgra") == 0 && in->pixel_format != MSDK_PIXEL_BGRA) return MSDK_E_FORMAT;
  if (strcmp(self->takes, "gray8") == 0 && in->pixel_format != MSDK_PIXEL_GRAY8) return MSDK_E_FORMAT;
  if (filter_is(self, "small")) out->width = in->width / 2;
  if (filter_is(self, "other")) out->pixel_format = MSDK_PIXEL_BGRA;
  if (filter_is(self, "broken")) out->width = 0;
  self->format = *out;
  return MSDK_OK;
}

static inline void filter_note(msdk_self *self, const void *memory, uint32_t flags) {
  filter_sight *sight = self->sight;
  CHECK_EQ(atomic_fetch_add(&sight->inside, 1), 0);
  if (atomic_load(&sight->told)) atomic_fetch_add(&sight->after, 1);
  atomic_store(&sight->writable, (flags & MSDK_FRAME_WRITABLE) != 0);
  atomic_store(&sight->memory, memory);
  atomic_fetch_add(&sight->calls, 1);
}

static inline msdk_result filter_picture(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
  const msdk_host *host = self->host;
  filter_note(self, in->plane[0].data, in->flags);
  atomic_store(&self->sight->pixel_format, in->format->pixel_format);
  atomic_store(&self->sight->width, in->format->width);
  uint8_t first = (uint8_t)(row_of(in, 0, 0)[0] * 2 + self->value);
  msdk_result result = MSDK_OK;
  msdk_video_frame *made = NULL;
  if (filter_is(self, "change") || filter_is(self, "slow") || filter_is(self, "keep")) {
    if (filter_is(self, "slow")) sleep_ms(30);
    result = host->video_frame_make_writable(self->context, in, &made);
    if (result < 0) host->video_frame_unref(in);
    else row_of(made, 0, 0)[0] = first;
    if (result >= 0 && filter_is(self, "keep")) {
      filter_drop_kept(self);
      host->video_frame_ref(made);
      self->kept = made;
    }
  } else if (filter_is(self, "make") || filter_is(self, "small") || filter_is(self, "other") || filter_is(self, "wrap")) {
    result = host->video_frame_acquire(self->context, &self->format, 0, &made);
    if (result >= 0) picture_fill(made, first);
    if (result >= 0 && filter_is(self, "wrap")) {
      msdk_video_frame *inner = made;
      msdk_external_frame external = MSDK_INIT(msdk_external_frame);
      external.format = inner->format;
      external.plane_count = inner->plane_count;
      memcpy(external.plane, inner->plane, sizeof external.plane);
      external.user = inner;
      external.release = (void (*)(void *))(void (*)(void))host->video_frame_unref;
      made = NULL;
      result = host->video_frame_wrap(self->context, &external, &made);
    }
    host->video_frame_unref(in);
  } else if (filter_is(self, "again")) {
    host->video_frame_unref(in);
    result = MSDK_E_AGAIN;
  } else if (filter_is(self, "fail")) {
    host->video_frame_unref(in);
    host->set_error(self->context, MSDK_E_DEVICE_LOST, "the test lets it fail");
    result = MSDK_E_DEVICE_LOST;
  } else if (filter_is(self, "null")) {
    host->video_frame_unref(in);
  } else if (filter_is(self, "gone")) { /* gives a reference that it gave back before */
    host->video_frame_unref(in);
    made = in;
  } else if (filter_is(self, "garbage")) {
    static char garbage[512];
    host->video_frame_unref(in);
    made = (msdk_video_frame *)(void *)garbage;
  } else if (filter_is(self, "dead")) {
    if (host->video_frame_acquire(self->context, in->format, 0, &made) >= 0) host->video_frame_unref(made);
    host->video_frame_unref(in);
  } else if (filter_is(self, "twice")) { /* the first one again and again, with one reference */
    host->video_frame_unref(in);
    if (self->kept == NULL && host->video_frame_acquire(self->context, &self->format, 0, &self->kept) >= 0) {
      picture_fill(self->kept, first);
    }
    made = self->kept;
  } else if (filter_is(self, "nan")) { /* a size of its own, without having said so */
    msdk_video_format format = self->format;
    format.height /= 2;
    result = host->video_frame_acquire(self->context, &format, 0, &made);
    host->video_frame_unref(in);
  } else {
    made = in;
  }
  if (filter_is(self, "twice") && self->kept != NULL && atomic_load(&self->sight->calls) > 1) self->kept = NULL;
  atomic_store(&self->sight->given, made != NULL && result >= 0 && !filter_is(self, "garbage") ? (const void *)made->plane[0].data : NULL);
  atomic_store(&self->sight->in_place, made == in);
  *out = made;
  atomic_fetch_sub(&self->sight->inside, 1);
  return result;
}

static const msdk_video_filter filter_table = {
  .struct_size = sizeof(msdk_video_filter), .init_filter = filter_init, .release_filter = filter_release,
  .set_format = filter_set_format, .filter_video_frame = filter_picture, .flush = filter_flush};

/* ------------------------------------------------------------------------------------------------------------------ sound */

static inline msdk_result filter_set_sound(msdk_self *self, const msdk_audio_format *in) {
  msdk_result result = filter_control(self, &self->sight->formats, "set_format");
  if (result < 0) return result;
  CHECK_EQ(in->frames_per_buffer, 0);
  if (strcmp(self->takes, "none") == 0) return MSDK_E_FORMAT;
  if (strcmp(self->takes, "f32") == 0 && in->sample_format != MSDK_SAMPLE_F32) return MSDK_E_FORMAT;
  if (strcmp(self->takes, "s16") == 0 && in->sample_format != MSDK_SAMPLE_S16) return MSDK_E_FORMAT;
  return MSDK_OK;
}

static inline void filter_write(msdk_self *self, msdk_audio_frame *frame) {
  uint32_t count = frame->sample_count * frame->format->channels;
  for (uint32_t i = 0; i < count; i++) {
    if (frame->format->sample_format == MSDK_SAMPLE_F32) {
      float *samples = (float *)(void *)frame->planes[0];
      samples[i] = filter_is(self, "nan") ? 0.0f / (float)(i * 0) : samples[i] * 2 + (float)self->value / 32768;
    } else {
      int16_t *samples = (int16_t *)(void *)frame->planes[0];
      samples[i] = (int16_t)(samples[i] * 2 + self->value);
    }
  }
}

static inline msdk_result filter_sound(msdk_self *self, msdk_audio_frame *in, msdk_audio_frame **out) {
  const msdk_host *host = self->host;
  filter_note(self, in->planes[0], in->flags);
  atomic_store(&self->sight->sample_format, in->format->sample_format);
  atomic_store(&self->sight->sample_count, in->sample_count);
  msdk_result result = MSDK_OK;
  msdk_audio_frame *made = NULL;
  if (filter_is(self, "change") || filter_is(self, "slow") || filter_is(self, "nan")) {
    if (filter_is(self, "slow")) sleep_ms(15);
    result = host->audio_frame_make_writable(self->context, in, &made);
    if (result < 0) host->audio_frame_unref(in);
    else filter_write(self, made);
  } else if (filter_is(self, "make") || filter_is(self, "small")) {
    result = host->audio_frame_acquire(self->context, in->format, in->sample_count / (filter_is(self, "small") ? 2 : 1), &made);
    if (result >= 0 && filter_is(self, "make")) {
      memcpy(made->planes[0], in->planes[0], (size_t)in->sample_count * in->format->channels * (in->format->sample_format == MSDK_SAMPLE_F32 ? 4 : 2));
      filter_write(self, made);
    }
    host->audio_frame_unref(in);
  } else if (filter_is(self, "again") || filter_is(self, "null")) {
    host->audio_frame_unref(in);
    result = filter_is(self, "again") ? MSDK_E_AGAIN : MSDK_OK;
  } else if (filter_is(self, "fail")) { /* having written to what it may write to */
    result = host->audio_frame_make_writable(self->context, in, &made);
    if (result >= 0) {
      filter_write(self, made);
      host->audio_frame_unref(made);
    }
    result = MSDK_E_DEVICE_LOST;
  } else if (filter_is(self, "gone")) {
    host->audio_frame_unref(in);
    made = in;
  } else if (filter_is(self, "garbage")) {
    static char garbage[512];
    host->audio_frame_unref(in);
    made = (msdk_audio_frame *)(void *)garbage;
  } else if (filter_is(self, "dead")) {
    if (host->audio_frame_acquire(self->context, in->format, in->sample_count, &made) >= 0) host->audio_frame_unref(made);
    host->audio_frame_unref(in);
  } else {
    made = in;
  }
  atomic_store(&self->sight->in_place, made == in);
  *out = made;
  atomic_fetch_sub(&self->sight->inside, 1);
  return result;
}

static inline int64_t filter_delay(const msdk_self *self) { return filter_is(self, "keep") ? 5000000 : 0; }

static const msdk_audio_filter sound_filter_table = {
  .struct_size = sizeof(msdk_audio_filter), .init_filter = filter_init, .release_filter = filter_release,
  .set_format = filter_set_sound, .filter_audio_frame = filter_sound, .delay_ns = filter_delay, .flush = filter_flush};

#define FILTER_CLASS(n)                                                                                                           \
  .struct_size = sizeof(msdk_class), .id = "org.mediasdk.test." n, .name = (n), .params = filter_params,                          \
  .param_count = MSDK_COUNT(filter_params), .create = filter_create, \
  .destroy = filter_destroy, .set_param = filter_set_param
static const msdk_class picture_filter_class = {FILTER_CLASS("tint"), .kinds = MSDK_KIND_VIDEO_FILTER, .video_filter = &filter_table};
static const msdk_class sound_filter_class = {FILTER_CLASS("louder"), .kinds = MSDK_KIND_AUDIO_FILTER, .audio_filter = &sound_filter_table};
static const msdk_class *const filter_class_list[] = {&picture_filter_class, &sound_filter_class};
static const msdk_module filter_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .classes = filter_class_list, .class_count = MSDK_COUNT(filter_class_list)};

/* The first one that is created afterwards has filter_sights[0]. */
static inline void filters_begin(msdk_engine *engine) {
  memset(filter_shared(), 0, sizeof(filter_book));
  if (tests_isolated()) SHARED_PLUGIN(engine, "filters");
  else CHECK_OK(msdk_engine_register_module(engine, &filter_module));
}

static inline msdk_instance *filter_new(msdk_engine *engine, const char *name, const char *mode, int32_t value) {
  char id[64];
  snprintf(id, sizeof id, "org.mediasdk.test.%s", name);
  msdk_instance *filter = NULL;
  if (!CHECK_OK(msdk_instance_create(engine, id, NULL, &filter))) return NULL;
  CHECK_OK(msdk_instance_set_param_text(filter, "mode", mode));
  CHECK_OK(msdk_instance_set_param(filter, "value", &(msdk_value){.type = MSDK_T_I32, .u.i32 = value}));
  return filter;
}

static inline uint32_t filter_state(msdk_instance *filter, uint32_t kind) {
  uint32_t state = UINT32_MAX;
  CHECK_OK(msdk_instance_get_state(filter, kind, &state));
  return state;
}

#endif
