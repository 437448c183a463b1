#include "self.h"
#include "../module.h"
#include "../params.h"

static const msdk_param params[] = {
  PARAM_STRING("path", MSDK_PARAM_REQUIRED, "",
               "the file to play: YUV4MPEG2 (4:2:0 or mono, 8 bits) or IVF with VP8; recognised by its content, not by its name"),
  PARAM_BOOL("loop", 0, 0, "at the end, start again from the beginning"),
  PARAM_START,
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

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const plugin_report *report = &self->source.report;
  msdk_result result = param_check(report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "path") == 0) return param_keep_path(report, &self->path, name, value);
  if (strcmp(name, "loop") == 0) self->loop = value->u.b != 0;
  else self->start_ns = (int64_t)value->u.u64;
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

PLUGIN_MODULE(&class, &packets_class)
