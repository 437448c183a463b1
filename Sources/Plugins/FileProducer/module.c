#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdlib.h>
#include <string.h>

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_REQUIRED,
   .name = "path",
   .summary = "the file to play: YUV4MPEG2 (4:2:0 or mono, 8 bits) or IVF with VP8; recognised by its content, not by its name",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .name = "loop",
   .summary = "at the end, start again from the beginning",
   .def = MSDK_BOOL(0)},
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, log) || !MSDK_CAN(host, msdk_host, video_frame_acquire) ||
      !MSDK_CAN(host, msdk_host, video_frame_unref)) {
    return MSDK_E_ABI;
  }
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->source = (fp_source){.report = {.host = host, .context = context}, .file.fd = -1};
  *out = self;
  return MSDK_OK;
}

static msdk_result create_packets(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  if (!MSDK_CAN(host, msdk_host, encoded_frame_create)) return MSDK_E_ABI;
  return create(type, host, context, out);
}

static void destroy(msdk_self *self) {
  fp_source_close(&self->source);
  free(self->path);
  free(self);
}

static msdk_result set_path(msdk_self *self, const msdk_value *value) {
  const plugin_report *report = &self->source.report;
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return report_fail(report, MSDK_E_TYPE, "path takes a string");
  if (value->u.str[0] == 0) return report_fail(report, MSDK_E_INVALID, "path is empty; accepted: the name of a file");
  char *copy = strdup(value->u.str);
  if (copy == NULL) return report_fail(report, MSDK_E_NOMEM, "no memory for the path");
  free(self->path);
  self->path = copy;
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const plugin_report *report = &self->source.report;
  if (name == NULL || value == NULL) return report_fail(report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "path") == 0) return set_path(self, value);
  if (strcmp(name, "loop") != 0) return report_fail(report, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are path and loop", name);
  if (value->type != MSDK_T_BOOL) return report_fail(report, MSDK_E_TYPE, "loop takes a bool");
  self->loop = value->u.b != 0;
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.producer.file",
  .name = "File",
  .summary = "plays a YUV4MPEG2 file, or an IVF file with VP8",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_producer = &fp_producer,
};

static const msdk_class packets_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.producer.packets",
  .name = "File, encoded",
  .summary = "passes the VP8 of an IVF file through as it is, to a stream that takes encoded frames",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create_packets,
  .destroy = destroy,
  .set_param = set_param,
  .video_producer = &fp_packets,
};

static const msdk_class *const classes[] = {&class, &packets_class};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

MSDK_DEFINE_ENTRY(&module)
