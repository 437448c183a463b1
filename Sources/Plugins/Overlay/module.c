#include "self.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

msdk_result overlay_fail(const msdk_self *self, msdk_result result, const char *text, ...) {
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
   .flags = MSDK_PARAM_REQUIRED,
   .name = "path",
   .summary = "a PNG file, with or without transparency",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "x",
   .summary = "of the image's left edge, in pixels from the frame's; the part left of the frame is cropped",
   .def = {.type = MSDK_T_I32},
   .min = MSDK_I32(-OVERLAY_PLACE_MAX),
   .max = MSDK_I32(OVERLAY_PLACE_MAX)},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "y",
   .summary = "of the image's upper edge, in pixels from the frame's; the part above the frame is cropped",
   .def = {.type = MSDK_T_I32},
   .min = MSDK_I32(-OVERLAY_PLACE_MAX),
   .max = MSDK_I32(OVERLAY_PLACE_MAX)},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "opacity",
   .summary = "0: invisible; 1: as the image has it",
   .def = MSDK_F64(1),
   .min = MSDK_F64(0),
   .max = MSDK_F64(1)},
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
  if (name == NULL || value == NULL) return overlay_fail(self, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "path") == 0) {
    if (value->type != MSDK_T_STRING || value->u.str == NULL) return overlay_fail(self, MSDK_E_TYPE, "path takes a string");
    if (strlen(value->u.str) >= sizeof self->path) {
      return overlay_fail(self, MSDK_E_RANGE, "path is longer than %zu bytes", sizeof self->path - 1);
    }
    strcpy(self->path, value->u.str);
    return MSDK_OK;
  }
  if (strcmp(name, "opacity") == 0) {
    if (value->type != MSDK_T_F64) return overlay_fail(self, MSDK_E_TYPE, "opacity takes a number (f64)");
    double opacity = value->u.f64;
    if (!(opacity >= 0 && opacity <= 1)) return overlay_fail(self, MSDK_E_RANGE, "opacity %g is outside 0..1", opacity);
    self->opacity = (uint32_t)(opacity * 256 + 0.5);
    return MSDK_OK;
  }
  int is_x = strcmp(name, "x") == 0;
  if (!is_x && strcmp(name, "y") != 0) {
    return overlay_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are path, x, y and opacity", name);
  }
  if (value->type != MSDK_T_I32) return overlay_fail(self, MSDK_E_TYPE, "%s takes a whole number (i32)", name);
  int32_t place = value->u.i32;
  if (place < -OVERLAY_PLACE_MAX || place > OVERLAY_PLACE_MAX) {
    return overlay_fail(self, MSDK_E_RANGE, "%s %d is outside %d..%d", name, place, -OVERLAY_PLACE_MAX, OVERLAY_PLACE_MAX);
  }
  *(is_x ? &self->x : &self->y) = place;
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
