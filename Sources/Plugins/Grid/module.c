#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

msdk_result grid_fail(const msdk_self *self, msdk_result result, const char *text, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  self->host->set_error(self->context, result, line);
  return result;
}

enum { FPS_MAX = 60 };
static const char *const background_default = "#101216";
static const char *const scales[] = {"fill", "fit"};

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .name = "width", .summary = "of the frame; an even number",
   .def = MSDK_U32(GRID_WIDTH_DEFAULT), .min = MSDK_U32(GRID_SIDE_MIN), .max = MSDK_U32(GRID_SIDE_MAX)},
  {.struct_size = sizeof(msdk_param), .name = "height", .summary = "of the frame; an even number",
   .def = MSDK_U32(GRID_HEIGHT_DEFAULT), .min = MSDK_U32(GRID_SIDE_MIN), .max = MSDK_U32(GRID_SIDE_MAX)},
  {.struct_size = sizeof(msdk_param), .name = "fps", .summary = "the maximum frames a second; none is made while nothing changes",
   .def = MSDK_U32(GRID_FPS_DEFAULT), .min = MSDK_U32(1), .max = MSDK_U32(FPS_MAX)},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "background", .summary = "the colour around the tiles, \"#rrggbb\"",
   .def = MSDK_STRING("#101216")},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "names", .summary = "whether the participants' names are shown",
   .def = MSDK_BOOL(1)},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "scale",
   .summary = "fill: a frame fills its tile and its edges are cropped; fit: the whole frame is shown. Screen shares always use fit",
   .def = MSDK_STRING("fill"), .choices = scales, .choice_count = MSDK_COUNT(scales)},
};

static bool host_suffices(const msdk_host *host) {
  return MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, set_error) && MSDK_CAN(host, msdk_host, video_frame_acquire) &&
         MSDK_CAN(host, msdk_host, video_frame_ref) && MSDK_CAN(host, msdk_host, video_frame_unref) &&
         MSDK_CAN(host, msdk_host, consume_video_frame) && MSDK_CAN(host, msdk_host, now_ns);
}

static bool read_colour(const char *text, uint32_t *rgb) {
  if (strlen(text) != 7 || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6) return false;
  *rgb = (uint32_t)strtoul(text + 1, NULL, 16);
  return true;
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!host_suffices(host)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->width = GRID_WIDTH_DEFAULT;
  self->height = GRID_HEIGHT_DEFAULT;
  self->fps = GRID_FPS_DEFAULT;
  self->settings = (grid_settings){.names = true, .fills = true};
  read_colour(background_default, &self->settings.background);
  self->output = grid_output_of_params(self);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  int failed = pthread_mutex_init(&self->lock, NULL) | pthread_mutex_init(&self->drawing, NULL) |
               pthread_cond_init(&self->changed, &monotonic); /* glibc's never fail */
  pthread_condattr_destroy(&monotonic);
  if (failed) {
    free(self);
    return MSDK_E_NOMEM;
  }
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  compose_free(&self->composer);
  free(self->inputs.list); /* release_render gave the frames back */
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->drawing);
  pthread_mutex_destroy(&self->lock);
  free(self);
}

/* ------------------------------------------------------------------------------------------------------------- parameters */

static msdk_result set_side(msdk_self *self, const char *name, uint32_t *side, uint32_t value) {
  if (value < GRID_SIDE_MIN || value > GRID_SIDE_MAX || value % 2 != 0) {
    return grid_fail(self, MSDK_E_RANGE, "%s %u is not an even number of %d..%d", name, value, GRID_SIDE_MIN, GRID_SIDE_MAX);
  }
  *side = value;
  return MSDK_OK;
}

static msdk_result set_number(msdk_self *self, const char *name, const msdk_value *value) {
  if (value->type != MSDK_T_U32) return grid_fail(self, MSDK_E_TYPE, "%s takes a whole number (u32)", name);
  msdk_result result = MSDK_OK;
  if (strcmp(name, "width") == 0) result = set_side(self, name, &self->width, value->u.u32);
  else if (strcmp(name, "height") == 0) result = set_side(self, name, &self->height, value->u.u32);
  else if (value->u.u32 >= 1 && value->u.u32 <= FPS_MAX) self->fps = value->u.u32;
  else result = grid_fail(self, MSDK_E_RANGE, "fps %u is outside 1..%d", value->u.u32, FPS_MAX);
  if (result < 0) return result;
  pthread_mutex_lock(&self->lock);
  self->output = grid_output_of_params(self);
  pthread_mutex_unlock(&self->lock);
  return result;
}

static msdk_result set_look(msdk_self *self, const char *name, const msdk_value *value) {
  bool is_names = strcmp(name, "names") == 0;
  if (is_names && value->type != MSDK_T_BOOL) return grid_fail(self, MSDK_E_TYPE, "names takes true or false (bool)");
  if (!is_names && (value->type != MSDK_T_STRING || value->u.str == NULL)) return grid_fail(self, MSDK_E_TYPE, "%s takes a string", name);
  grid_settings settings = self->settings; /* written by [control] calls only */
  if (is_names) {
    settings.names = value->u.b != 0;
  } else if (strcmp(name, "background") == 0) {
    if (!read_colour(value->u.str, &settings.background)) {
      return grid_fail(self, MSDK_E_RANGE, "background '%.40s' is not of the form #rrggbb", value->u.str);
    }
  } else {
    settings.fills = strcmp(value->u.str, "fill") == 0;
    if (!settings.fills && strcmp(value->u.str, "fit") != 0) {
      return grid_fail(self, MSDK_E_RANGE, "scale '%.40s' is neither fill nor fit", value->u.str);
    }
  }
  settings.version++;
  pthread_mutex_lock(&self->lock);
  self->settings = settings;
  grid_touch(self);
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (name == NULL || value == NULL) return grid_fail(self, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "width") == 0 || strcmp(name, "height") == 0 || strcmp(name, "fps") == 0) return set_number(self, name, value);
  if (strcmp(name, "background") == 0 || strcmp(name, "names") == 0 || strcmp(name, "scale") == 0) return set_look(self, name, value);
  return grid_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are width, height, fps, background, names and scale", name);
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.renderer.grid",
  .name = "Grid",
  .summary = "composes the participants of a call into one frame, and passes it on",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_producer = &grid_producer,
  .video_renderer = &grid_renderer,
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
