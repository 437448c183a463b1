#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

msdk_result bw_fail(const msdk_self *self, msdk_result result, const char *text, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  self->host->set_error(self->context, result, line);
  return result;
}

enum { LEVEL_DEFAULT = 128, LEVEL_MAX = 255 };

static const char *const modes[] = {"gray", "threshold"}; /* in the order of BW_* */

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "mode",
   .summary = "gray: all shades of grey; threshold: only black and white",
   .def = MSDK_STRING("gray"),
   .choices = modes, .choice_count = MSDK_COUNT(modes)},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "level",
   .summary = "in mode threshold, the darkest grey that becomes white",
   .def = MSDK_U32(LEVEL_DEFAULT),
   .min = MSDK_U32(0),
   .max = MSDK_U32(LEVEL_MAX)},
};

static bool host_suffices(const msdk_host *host) {
  return MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, set_error) && MSDK_CAN(host, msdk_host, post_event) &&
         MSDK_CAN(host, msdk_host, video_frame_acquire) && MSDK_CAN(host, msdk_host, consume_video_frame) &&
         MSDK_CAN(host, msdk_host, now_ns) && MSDK_CAN(host, msdk_host, video_frame_make_writable) &&
         MSDK_CAN(host, msdk_host, video_frame_unref);
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!host_suffices(host)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->mode = BW_GRAY;
  self->level = LEVEL_DEFAULT;
  if (pthread_mutex_init(&self->lock, NULL) != 0) {
    free(self);
    return MSDK_E_NOMEM;
  }
  if (pthread_cond_init(&self->delivered, NULL) != 0) {
    pthread_mutex_destroy(&self->lock);
    free(self);
    return MSDK_E_NOMEM;
  }
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  pthread_cond_destroy(&self->delivered);
  pthread_mutex_destroy(&self->lock);
  free(self->picture.data);
  free(self);
}

static msdk_result set_mode(msdk_self *self, const msdk_value *value) {
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return bw_fail(self, MSDK_E_TYPE, "mode takes a string");
  for (uint32_t i = 0; i < MSDK_COUNT(modes); i++) {
    if (strcmp(modes[i], value->u.str) == 0) {
      self->mode = i;
      return MSDK_OK;
    }
  }
  return bw_fail(self, MSDK_E_RANGE, "mode '%.40s' is neither gray nor threshold", value->u.str);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (name == NULL || value == NULL) return bw_fail(self, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "mode") == 0) return set_mode(self, value);
  if (strcmp(name, "level") != 0) return bw_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are mode and level", name);
  if (value->type != MSDK_T_U32) return bw_fail(self, MSDK_E_TYPE, "level takes a whole number (u32)");
  if (value->u.u32 > LEVEL_MAX) return bw_fail(self, MSDK_E_RANGE, "level %u is outside 0..%d", value->u.u32, LEVEL_MAX);
  self->level = value->u.u32;
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.renderer.bw",
  .name = "Black and white",
  .summary = "converts frames to black and white, and passes them on",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_producer = &bw_producer,
  .video_renderer = &bw_renderer,
};

/* A class of its own, as what it does in a stream has nothing to do with what it passes on beside one. */
static const msdk_class filter = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_FILTER,
  .id = "org.mediasdk.filter.bw",
  .name = "Black and white",
  .summary = "converts frames to black and white",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_filter = &bw_filter,
};

static const msdk_class *const classes[] = {&class, &filter};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

MSDK_DEFINE_ENTRY(&module)
