#include "self.h"
#include "../module.h"
#include "../params.h"

enum { RADIUS_DEFAULT = 8 };

static const msdk_param params[] = {
  PARAM_NUMBER(U32, "radius", MSDK_PARAM_LIVE, RADIUS_DEFAULT, 0, BLUR_RADIUS_MAX,
               "in pixels: how far each pixel is spread; 0 leaves the frame unchanged"),
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, video_frame_make_writable) ||
      !MSDK_CAN(host, msdk_host, video_frame_unref)) {
    return MSDK_E_ABI;
  }
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->radius = RADIUS_DEFAULT;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  free(self->plane);
  free(self->sums);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result == MSDK_OK) self->radius = value->u.u32;
  return result;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_FILTER,
  .id = "org.mediasdk.filter.blur",
  .name = "Blur",
  .summary = "blurs frames",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_filter = &blur_filter,
};

PLUGIN_MODULE(&class)
