#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../module.h"
#include "../monotonic.h"
#include "../params.h"

enum { FPS_MAX = 60 };
static const char *const background_default = "#101216";
static const char *const scales[] = {"fill", "fit"};

static const msdk_param params[] = {
  PARAM_NUMBER(U32, "width", 0, GRID_WIDTH_DEFAULT, GRID_SIDE_MIN, GRID_SIDE_MAX, "of the frame; an even number"),
  PARAM_NUMBER(U32, "height", 0, GRID_HEIGHT_DEFAULT, GRID_SIDE_MIN, GRID_SIDE_MAX, "of the frame; an even number"),
  PARAM_NUMBER(U32, "fps", 0, GRID_FPS_DEFAULT, 1, FPS_MAX, "the maximum frames a second; none is made while nothing changes"),
  PARAM_STRING("background", MSDK_PARAM_LIVE, "#101216", "the colour around the tiles, \"#rrggbb\""),
  PARAM_BOOL("names", MSDK_PARAM_LIVE, 1, "whether the participants' names are shown"),
  PARAM_CHOICE("scale", MSDK_PARAM_LIVE, "fill", scales,
               "fill: a frame fills its tile and its edges are cropped; fit: the whole frame is shown. Screen shares always use fit"),
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
  self->report = (plugin_report){.host = host, .context = context};
  self->width = GRID_WIDTH_DEFAULT;
  self->height = GRID_HEIGHT_DEFAULT;
  self->fps = GRID_FPS_DEFAULT;
  self->settings = (grid_settings){.names = true, .fills = true};
  read_colour(background_default, &self->settings.background);
  self->output = grid_output_of_params(self);
  if (!monotonic_lock_make(&self->lock, &self->changed)) {
    free(self);
    return MSDK_E_NOMEM;
  }
  pthread_mutex_init(&self->drawing, NULL); /* glibc's never fails */
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
  if (value % 2 != 0) return report_fail(&self->report, MSDK_E_RANGE, "%s is %u; accepted: an even number", name, value);
  *side = value;
  return MSDK_OK;
}

static msdk_result set_look(msdk_self *self, const char *name, const msdk_value *value) {
  grid_settings settings = self->settings; /* written by [control] calls only */
  if (strcmp(name, "names") == 0) settings.names = value->u.b != 0;
  else if (strcmp(name, "scale") == 0) settings.fills = strcmp(value->u.str, "fill") == 0;
  else if (!read_colour(value->u.str, &settings.background)) {
    return report_fail(&self->report, MSDK_E_RANGE, "background '%.40s' is not of the form #rrggbb", value->u.str);
  }
  settings.version++;
  pthread_mutex_lock(&self->lock);
  self->settings = settings;
  grid_touch(self);
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "width") == 0) result = set_side(self, name, &self->width, value->u.u32);
  else if (strcmp(name, "height") == 0) result = set_side(self, name, &self->height, value->u.u32);
  else if (strcmp(name, "fps") == 0) self->fps = value->u.u32;
  else return set_look(self, name, value);
  if (result < 0) return result;
  pthread_mutex_lock(&self->lock);
  self->output = grid_output_of_params(self);
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
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

PLUGIN_MODULE(&class)
