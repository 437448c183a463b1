/* A producer that is asked for a picture and gives one at once: what is measured is the way, not the painting. */
#define _GNU_SOURCE
#include <mediasdk/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  msdk_video_format format;
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  *out = calloc(1, sizeof **out);
  if (*out == NULL) return MSDK_E_NOMEM;
  (*out)->host = host;
  (*out)->context = context;
  return MSDK_OK;
}
static void destroy(msdk_self *self) { free(self); }
static msdk_result nothing(msdk_self *self) { return (void)self, MSDK_OK; }
static msdk_result set_format(msdk_self *self, const msdk_video_format *format) { return self->format = *format, MSDK_OK; }
static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) { return (void)self, (void)name, (void)value, MSDK_OK; }
static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  (void)self, (void)name;
  /* Its number outside, as getpid() has one of the plugin's own. */
  char text[32] = "";
  if (readlink("/proc/self", text, sizeof text - 1) < 0) return MSDK_E_IO;
  *out = (msdk_value){.type = MSDK_T_I32, .u.i32 = (int32_t)atoi(text)};
  return MSDK_OK;
}
static msdk_result produce(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  (void)due_ns; /* the host fills it in */
  return self->host->video_frame_acquire(self->context, &self->format, 0, out);
}

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_READONLY, .name = "pid", .def = {.type = MSDK_T_I32}},
};
static const msdk_video_producer producer = {
  .struct_size = sizeof(msdk_video_producer), .flags = MSDK_PRODUCER_PULL, .init_capture = nothing, .release_capture = nothing,
  .start_capture = nothing, .stop_capture = nothing, .set_format = set_format, .produce_frame = produce,
};
static const msdk_class class = {
  .struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_PRODUCER, .id = "org.mediasdk.bench.blank", .name = "blank", .params = params,
  .param_count = 1, .create = create, .destroy = destroy, .set_param = set_param, .get_param = get_param,
  .video_producer = &producer,
};
static const msdk_class *const classes[] = {&class};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = classes, .class_count = MSDK_COUNT(classes)};

MSDK_DEFINE_ENTRY(&module)
