#include "self.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

msdk_result av1_fail(const msdk_self *self, msdk_result result, const char *text, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  self->host->set_error(self->context, result, line);
  return result;
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, encoded_frame_create)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "speed") != 0) return av1_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there is speed", name);
  self->speed = value->u.i32;
  return MSDK_OK;
}

static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  if (strcmp(name, "speed") != 0) return av1_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there is speed", name);
  *out = (msdk_value){.type = MSDK_T_I32, .u.i32 = self->speed};
  return MSDK_OK;
}

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .name = "speed", .def = {.type = MSDK_T_I32}, .min = MSDK_I32(0), .max = MSDK_I32(11),
   .summary = "libaom's cpu-used, from 5 (slow) to 11 (fast); 0: according to the stream's preset"},
};

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
