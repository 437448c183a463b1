#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../module.h"
#include "../params.h"

enum { FPS_DEFAULT = 15, FPS_MAX = 60 };

static const char *const colors[] = {"truecolor", "256"};

static const msdk_param params[] = {
  PARAM_STRING("path", 0, "", "the terminal, for example '/dev/pts/3', or a file that is replaced; empty: the terminal of the process"),
  PARAM_NUMBER(U32, "columns", 0, 0, 0, TM_COLUMNS_MAX,
               "the number of columns to use, at most those of the terminal; 0: all, also after it is resized. A file needs a number"),
  PARAM_NUMBER(U32, "rows", 0, 0, 0, TM_ROWS_MAX,
               "the number of rows to use, at most those of the terminal; 0: all. A row shows two lines of pixels"),
  PARAM_NUMBER(U32, "fps", 0, FPS_DEFAULT, 1, FPS_MAX, "the maximum frames a second"),
  PARAM_CHOICE("colors", 0, "truecolor", colors, "truecolor: 24-bit colours; 256: the nearest colours of the xterm palette"),
  PARAM_SHARED_FILE,
};

static bool host_suffices(const msdk_host *host) {
  return MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, set_error) && MSDK_CAN(host, msdk_host, video_frame_ref) &&
         MSDK_CAN(host, msdk_host, video_frame_unref);
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!host_suffices(host)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->settings = (tm_settings){.fps = FPS_DEFAULT, .true_colour = true};
  self->path = strdup("");
  if (self->path != NULL && pthread_mutex_init(&self->lock, NULL) == 0) {
    *out = self;
    return MSDK_OK;
  }
  free(self->path);
  free(self);
  return MSDK_E_NOMEM;
}

static void destroy(msdk_self *self) {
  tm_renderer.release_render(self);
  pthread_mutex_destroy(&self->lock);
  free(self->path);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  tm_settings *settings = &self->settings;
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "path") == 0) return param_keep(&self->report, &self->path, name, value);
  if (strcmp(name, "columns") == 0) settings->columns = value->u.u32;
  else if (strcmp(name, "rows") == 0) settings->rows = value->u.u32;
  else if (strcmp(name, "fps") == 0) settings->fps = value->u.u32;
  else if (strcmp(name, "colors") == 0) settings->true_colour = param_choice_index(colors, value->u.str) == 0;
  else self->shared = value->u.b != 0;
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER,
  .id = "org.mediasdk.renderer.terminal",
  .name = "Terminal",
  .summary = "shows frames in a terminal, two pixels to a character, and restores the terminal afterwards; the keyboard is not read",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_renderer = &tm_renderer,
};

PLUGIN_MODULE(&class)
