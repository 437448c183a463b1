#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdlib.h>
#include <string.h>

enum { FPS_DEFAULT = 15, FPS_MAX = 60 };

static const char *const colors[] = {"truecolor", "256"};

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .name = "path",
   .summary = "the terminal, for example '/dev/pts/3', or a file that is replaced; empty: the terminal of the process",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .name = "columns",
   .summary = "the number of columns to use, at most those of the terminal; 0: all, also after it is resized. A file needs a number",
   .def = MSDK_U32(0),
   .min = MSDK_U32(0),
   .max = MSDK_U32(TM_COLUMNS_MAX)},
  {.struct_size = sizeof(msdk_param),
   .name = "rows",
   .summary = "the number of rows to use, at most those of the terminal; 0: all. A row shows two lines of pixels",
   .def = MSDK_U32(0),
   .min = MSDK_U32(0),
   .max = MSDK_U32(TM_ROWS_MAX)},
  {.struct_size = sizeof(msdk_param),
   .name = "fps",
   .summary = "the maximum frames a second",
   .def = MSDK_U32(FPS_DEFAULT),
   .min = MSDK_U32(1),
   .max = MSDK_U32(FPS_MAX)},
  {.struct_size = sizeof(msdk_param),
   .name = "colors",
   .summary = "truecolor: 24-bit colours; 256: the nearest colours of the xterm palette",
   .def = MSDK_STRING("truecolor"),
   .choices = colors, .choice_count = MSDK_COUNT(colors)},
  {.struct_size = sizeof(msdk_param),
   .name = "shared",
   .summary = "true: a new file has the permissions that the umask allows, so that others may read it; false: only its owner may (0600)",
   .def = MSDK_BOOL(0)},
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

static msdk_result set_path(msdk_self *self, const char *text) {
  char *copy = strdup(text);
  if (copy == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the parameter 'path'");
  free(self->path);
  self->path = copy;
  return MSDK_OK;
}

static msdk_result set_colors(msdk_self *self, const char *text) {
  bool true_colour = strcmp(text, colors[0]) == 0;
  if (!true_colour && strcmp(text, colors[1]) != 0) {
    return report_fail(&self->report, MSDK_E_RANGE, "colors '%.40s' is neither truecolor nor 256", text);
  }
  self->settings.true_colour = true_colour;
  return MSDK_OK;
}

static msdk_result set_number(msdk_self *self, const char *name, const msdk_value *value) {
  struct {
    const char *name;
    uint32_t *number, least, most;
  } numbers[] = {{"columns", &self->settings.columns, 0, TM_COLUMNS_MAX},
                 {"rows", &self->settings.rows, 0, TM_ROWS_MAX},
                 {"fps", &self->settings.fps, 1, FPS_MAX}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (strcmp(numbers[i].name, name) != 0) continue;
    if (value->type != MSDK_T_U32) return report_fail(&self->report, MSDK_E_TYPE, "%s takes a whole number (u32)", name);
    if (value->u.u32 < numbers[i].least || value->u.u32 > numbers[i].most) {
      return report_fail(&self->report, MSDK_E_RANGE, "%s %u is outside %u..%u", name, value->u.u32, numbers[i].least, numbers[i].most);
    }
    *numbers[i].number = value->u.u32;
    return MSDK_OK;
  }
  return report_fail(&self->report, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are path, columns, rows, fps, colors and shared", name);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (name == NULL || value == NULL) return report_fail(&self->report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  bool path = strcmp(name, "path") == 0;
  if (strcmp(name, "shared") == 0) {
    if (value->type != MSDK_T_BOOL) return report_fail(&self->report, MSDK_E_TYPE, "shared takes a bool");
    self->shared = value->u.b != 0;
    return MSDK_OK;
  }
  if (!path && strcmp(name, "colors") != 0) return set_number(self, name, value);
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return report_fail(&self->report, MSDK_E_TYPE, "%s takes a string", name);
  return path ? set_path(self, value->u.str) : set_colors(self, value->u.str);
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
