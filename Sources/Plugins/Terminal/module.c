#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdlib.h>
#include <string.h>

enum { FPS_DEFAULT = 15, FPS_MAX = 60 };

static const char *const colors[] = {"truecolor", "256", NULL};

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .name = "path",
   .summary = "the terminal, '/dev/pts/3' say, or a file that is replaced; empty: the terminal of the process",
   .def = {.type = MSDK_T_STRING, .u.str = ""}},
  {.struct_size = sizeof(msdk_param),
   .name = "columns",
   .summary = "how many are used, as far as there are; 0: all, even when the terminal is resized. A file needs a number",
   .def = {.type = MSDK_T_U32, .u.u32 = 0},
   .min = 0,
   .max = TM_COLUMNS_MAX},
  {.struct_size = sizeof(msdk_param),
   .name = "rows",
   .summary = "likewise; a row shows two lines of pixels",
   .def = {.type = MSDK_T_U32, .u.u32 = 0},
   .min = 0,
   .max = TM_ROWS_MAX},
  {.struct_size = sizeof(msdk_param),
   .name = "fps",
   .summary = "the most pictures a second",
   .def = {.type = MSDK_T_U32, .u.u32 = FPS_DEFAULT},
   .min = 1,
   .max = FPS_MAX},
  {.struct_size = sizeof(msdk_param),
   .name = "colors",
   .summary = "truecolor: as they are; 256: the nearest of the usual palette",
   .def = {.type = MSDK_T_STRING, .u.str = "truecolor"},
   .choices = colors},
  {.struct_size = sizeof(msdk_param),
   .name = "shared",
   .summary = "a new file is made with the rights that the umask leaves, for others to read; without it, for its owner alone (0600)",
   .def = {.type = MSDK_T_BOOL, .u.b = 0}},
};

static bool host_suffices(const msdk_host *host) {
  return MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, set_error) && MSDK_CAN(host, msdk_host, video_frame_ref) &&
         MSDK_CAN(host, msdk_host, video_frame_unref);
}

static msdk_result create(const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  if (!host_suffices(host)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (tm_report){.host = host, .context = context};
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
  if (copy == NULL) return tm_fail(&self->report, MSDK_E_NOMEM, "no memory for the parameter 'path'");
  free(self->path);
  self->path = copy;
  return MSDK_OK;
}

static msdk_result set_colors(msdk_self *self, const char *text) {
  bool true_colour = strcmp(text, colors[0]) == 0;
  if (!true_colour && strcmp(text, colors[1]) != 0) {
    return tm_fail(&self->report, MSDK_E_RANGE, "colors '%.40s' is neither truecolor nor 256", text);
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
    if (value->type != MSDK_T_U32) return tm_fail(&self->report, MSDK_E_TYPE, "%s takes a whole number (u32)", name);
    if (value->u.u32 < numbers[i].least || value->u.u32 > numbers[i].most) {
      return tm_fail(&self->report, MSDK_E_RANGE, "%s %u is outside %u..%u", name, value->u.u32, numbers[i].least, numbers[i].most);
    }
    *numbers[i].number = value->u.u32;
    return MSDK_OK;
  }
  return tm_fail(&self->report, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are path, columns, rows, fps, colors and shared", name);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (name == NULL || value == NULL) return tm_fail(&self->report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  bool path = strcmp(name, "path") == 0;
  if (strcmp(name, "shared") == 0) {
    if (value->type != MSDK_T_BOOL) return tm_fail(&self->report, MSDK_E_TYPE, "shared takes a truth value");
    self->shared = value->u.b != 0;
    return MSDK_OK;
  }
  if (!path && strcmp(name, "colors") != 0) return set_number(self, name, value);
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return tm_fail(&self->report, MSDK_E_TYPE, "%s takes a string", name);
  return path ? set_path(self, value->u.str) : set_colors(self, value->u.str);
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER,
  .id = "org.mediasdk.renderer.terminal",
  .name = "Terminal",
  .summary = "shows pictures in a terminal, two pixels to a character, and leaves the terminal as it was; what is typed is not read",
  .params = params,
  .param_count = sizeof params / sizeof params[0],
  .param_stride = sizeof params[0],
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_renderer = &tm_renderer,
};

static const msdk_class *const classes[] = {&class, NULL};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes,
};

MSDK_DEFINE_ENTRY(&module)
