#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../module.h"
#include "../params.h"

enum { FPS_DEFAULT = 15, FPS_MAX = 60 };

static const char *const sources[] = {"display", "monitor", "window", "rectangle"};

#define PARAM_SIDE(NAME, SUMMARY) PARAM_NUMBER(U32, NAME, 0, 0, 0, MSDK_DIMENSION_MAX, SUMMARY)

static const msdk_param params[] = {
  PARAM_STRING("display", 0, "", "the X display, for example \":0\"; empty: $DISPLAY"),
  PARAM_CHOICE("source", 0, "display", sources,
               "what is captured: the whole display, one monitor, one window even if others cover it, or a rectangle"),
  PARAM_STRING("monitor", MSDK_PARAM_DYNAMIC_CHOICES, "",
               "of source monitor: its name, as in xrandr --listmonitors, on the display set before; empty: the primary monitor"),
  PARAM_STRING("window", 0, "", "of source window: its number, decimal or hexadecimal with 0x, or its exact title"),
  PARAM_SIDE("x", "of source rectangle: its left edge"),
  PARAM_SIDE("y", "of source rectangle: its upper edge"),
  PARAM_SIDE("width", "of source rectangle; 0: to the display's right edge"),
  PARAM_SIDE("height", "of source rectangle; 0: to the display's lower edge"),
  PARAM_BOOL("cursor", MSDK_PARAM_LIVE, 1, "the mouse cursor is drawn, and its movements make frames"),
  PARAM_NUMBER(U32, "fps", 0, FPS_DEFAULT, 1, FPS_MAX, "the frames a second that are offered"),
  PARAM_BOOL("skip_unchanged", MSDK_PARAM_LIVE, 1,
             "true: no frame while nothing changes; false: the same frame again, without a copy"),
};

static void drop(msdk_self *self) {
  x11_monitors_forget(&self->monitors);
  free(self->options.display);
  free(self->options.source);
  free(self->options.monitor);
  free(self->options.window);
  free(self);
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, log) || !MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, post_event) ||
      !MSDK_CAN(host, msdk_host, video_frame_wrap)) {
    return MSDK_E_ABI;
  }
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  x11_options *options = &self->options;
  *options = (x11_options){.display = strdup(""), .source = strdup("display"), .monitor = strdup(""), .window = strdup("")};
  options->fps = FPS_DEFAULT;
  options->cursor = options->skip_unchanged = true;
  if (options->display == NULL || options->source == NULL || options->monitor == NULL || options->window == NULL) {
    drop(self);
    return MSDK_E_NOMEM;
  }
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  x11_producer.release_capture(self);
  drop(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  x11_options *options = &self->options;
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "display") == 0) return param_keep(&self->report, &options->display, name, value);
  if (strcmp(name, "source") == 0) return param_keep(&self->report, &options->source, name, value);
  if (strcmp(name, "monitor") == 0) return param_keep(&self->report, &options->monitor, name, value);
  if (strcmp(name, "window") == 0) return param_keep(&self->report, &options->window, name, value);
  if (strcmp(name, "x") == 0) options->x = value->u.u32;
  else if (strcmp(name, "y") == 0) options->y = value->u.u32;
  else if (strcmp(name, "width") == 0) options->width = value->u.u32;
  else if (strcmp(name, "height") == 0) options->height = value->u.u32;
  else if (strcmp(name, "fps") == 0) options->fps = value->u.u32;
  else if (strcmp(name, "cursor") == 0) options->cursor = value->u.b != 0;
  else options->skip_unchanged = value->u.b != 0;
  return MSDK_OK;
}

static msdk_result param_choice(msdk_self *self, const char *name, uint32_t index, msdk_choice *out) {
  const plugin_report *report = &self->report;
  if (name == NULL || out == NULL) return report_fail(report, MSDK_E_INVALID, "param_choice needs a name and a choice to fill, not NULL");
  if (strcmp(name, "monitor") != 0)
    return report_fail(report, MSDK_E_NOT_FOUND, "parameter '%.63s' has no list of choices; accepted: monitor", name);
  if (index == 0 || self->monitors.list == NULL) {
    msdk_result result = x11_monitors_find(&self->monitors, report, self->options.display);
    if (result < 0) return result == MSDK_E_NOT_FOUND ? MSDK_E_IO : result; /* which would be the end of the list */
  }
  if (index >= self->monitors.count) return MSDK_E_NOT_FOUND;
  out->value = self->monitors.list[index].name;
  if (MSDK_HAS(out, msdk_choice, label)) out->label = self->monitors.list[index].label;
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.producer.x11",
  .name = "X11 screen",
  .summary = "captures a display, a monitor, a window or a rectangle of an X server, as BGRA of that size",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_producer = &x11_producer,
  .param_choice = param_choice,
};

PLUGIN_MODULE(&class)
