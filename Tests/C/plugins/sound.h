/* A sound little producer, from which each bad plugin differs in one thing. Before including it a file may define
 *   SOUND_PARAMS   the class's parameters, SOUND_CLASS   more designated members of the class, overriding those here
 *   SOUND_MODULE   likewise of the module,  SOUND_PRODUCER likewise of the producer's table,  SOUND_ID the class id */
#ifndef SOUND_H
#define SOUND_H

#include <mediasdk/plugin.h>

#include <stdlib.h>

#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif

#ifndef SOUND_ID
#define SOUND_ID "org.mediasdk.test.sound"
#endif
#ifndef SOUND_CLASS
#define SOUND_CLASS .reserved0 = 0
#endif
#ifndef SOUND_MODULE
#define SOUND_MODULE .min_host_minor = 0
#endif
#ifndef SOUND_PRODUCER
#define SOUND_PRODUCER .flags = MSDK_PRODUCER_PULL
#endif
#ifndef SOUND_PARAMS
#define SOUND_PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = MSDK_T_I32}, .min = MSDK_I32(0), .max = MSDK_I32(9)}
#endif

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }
static msdk_result succeed(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  return self != NULL && name != NULL && value != NULL ? MSDK_OK : MSDK_E_INVALID;
}

static msdk_result settings(msdk_self *self, msdk_video_format *out) {
  (void)self;
  *out = MSDK_INIT(msdk_video_format);
  out->pixel_format = MSDK_PIXEL_GRAY8;
  out->width = 16;
  out->height = 16;
  out->fps_num = 15;
  out->fps_den = 1;
  return MSDK_OK;
}

static msdk_result formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  return index == 0 ? settings(self, out) : MSDK_E_NOT_FOUND;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  return self != NULL && format != NULL ? MSDK_OK : MSDK_E_FORMAT;
}

static msdk_result produce(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  (void)due_ns;
  msdk_video_format format;
  settings(self, &format);
  return self->host->video_frame_acquire(self->context, &format, 0, out);
}

static const msdk_video_producer sound_producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL,
  .init_capture = succeed,
  .release_capture = succeed,
  .start_capture = succeed,
  .stop_capture = succeed,
  .capture_settings = settings,
  .enum_formats = formats,
  .set_format = set_format,
  .produce_frame = produce,
  SOUND_PRODUCER,
};

static const msdk_param sound_params[] = {SOUND_PARAMS};

static const msdk_class sound_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = SOUND_ID,
  .name = "Sound",
  .params = sound_params,
  .param_count = MSDK_COUNT(sound_params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_producer = &sound_producer,
  SOUND_CLASS,
};

static const msdk_class *const sound_classes[] = {&sound_class};

static const msdk_module sound_module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .classes = sound_classes, .class_count = MSDK_COUNT(sound_classes),
  SOUND_MODULE,
};

#endif
