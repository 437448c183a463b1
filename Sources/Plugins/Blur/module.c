#include "self.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RADIUS_DEFAULT = 8 };

msdk_result blur_fail(const msdk_self *self, msdk_result result, const char *text, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  self->host->set_error(self->context, result, line);
  return result;
}

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "radius",
   .summary = "in pixels: how far each pixel is spread; 0 leaves the frame unchanged",
   .def = MSDK_U32(RADIUS_DEFAULT),
   .min = MSDK_U32(0),
   .max = MSDK_U32(BLUR_RADIUS_MAX)},
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, video_frame_make_writable) ||
      !MSDK_CAN(host, msdk_host, video_frame_unref)) {
    return MSDK_E_ABI;
  }
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
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
  if (name == NULL || value == NULL) return blur_fail(self, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "radius") != 0) return blur_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there is radius", name);
  if (value->type != MSDK_T_U32) return blur_fail(self, MSDK_E_TYPE, "radius takes a whole number (u32)");
  if (value->u.u32 > BLUR_RADIUS_MAX) return blur_fail(self, MSDK_E_RANGE, "radius %u is outside 0..%d", value->u.u32, BLUR_RADIUS_MAX);
  self->radius = value->u.u32;
  return MSDK_OK;
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

static const msdk_class *const classes[] = {&class};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

MSDK_DEFINE_ENTRY(&module)
