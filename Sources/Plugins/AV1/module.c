#include "self.h"
#include "../module.h"
#include "../params.h"

static const msdk_param params[] = {
  PARAM_NUMBER(I32, "speed", 0, 0, 0, 11, "libaom's cpu-used, from 5 (slow) to 11 (fast); 0: according to the stream's preset"),
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, encoded_frame_create)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result == MSDK_OK) self->speed = value->u.i32;
  return result;
}

static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  if (strcmp(name, "speed") != 0) return param_unknown(&self->report, params, MSDK_COUNT(params), name);
  *out = (msdk_value){.type = MSDK_T_I32, .u.i32 = self->speed};
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER,
  .id = "org.mediasdk.av1",
  .name = "AV1",
  .summary = "AV1, encoded by libaom and decoded by dav1d",
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .get_param = get_param,
  .params = params,
  .param_count = MSDK_COUNT(params),
  .video_encoder = &av1_encoder_table,
  .video_decoder = &av1_decoder_table,
};

PLUGIN_MODULE(&class)
