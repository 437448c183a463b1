#include "self.h"
#include "../module.h"
#include "../params.h"

#define PARAM_PLACE(NAME, SUMMARY) PARAM_NUMBER(I32, NAME, MSDK_PARAM_LIVE, 0, -OVERLAY_PLACE_MAX, OVERLAY_PLACE_MAX, SUMMARY)

static const msdk_param params[] = {
  PARAM_STRING("path", MSDK_PARAM_REQUIRED, "", "a PNG file, with or without transparency"),
  PARAM_PLACE("x", "of the image's left edge, in pixels from the frame's; the part left of the frame is cropped"),
  PARAM_PLACE("y", "of the image's upper edge, in pixels from the frame's; the part above the frame is cropped"),
  PARAM_NUMBER(F64, "opacity", MSDK_PARAM_LIVE, 1, 0, 1, "0: invisible; 1: as the image has it"),
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
  self->opacity = 256;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  free(self->rgba);
  free(self->yuva);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "path") == 0) {
    if (strlen(value->u.str) >= sizeof self->path) {
      return report_fail(&self->report, MSDK_E_RANGE, "path is longer than %zu bytes", sizeof self->path - 1);
    }
    strcpy(self->path, value->u.str);
  } else if (strcmp(name, "opacity") == 0) {
    self->opacity = (uint32_t)(value->u.f64 * 256 + 0.5);
  } else {
    *(strcmp(name, "x") == 0 ? &self->x : &self->y) = value->u.i32;
  }
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_FILTER,
  .id = "org.mediasdk.filter.overlay",
  .name = "Overlay",
  .summary = "draws a PNG image over frames",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_filter = &overlay_filter,
};

PLUGIN_MODULE(&class)
