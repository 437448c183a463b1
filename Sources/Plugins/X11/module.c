#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdlib.h>
#include <string.h>

enum { FPS_DEFAULT = 15, FPS_MAX = 60 };

static const char *const sources[] = {"display", "monitor", "window", "rectangle"};

#define NUMBER(NAME, WORDS, DEFAULT, LEAST, MOST) \
  {.struct_size = sizeof(msdk_param), .name = NAME, .summary = WORDS, .def = MSDK_U32(DEFAULT), .min = MSDK_U32(LEAST), \
   .max = MSDK_U32(MOST)}
#define TEXT(NAME, WORDS) {.struct_size = sizeof(msdk_param), .name = NAME, .summary = WORDS, .def = MSDK_STRING("")}
#define TRUTH(NAME, WORDS) \
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = NAME, .summary = WORDS, .def = MSDK_BOOL(1)}

static const msdk_param params[] = {
  TEXT("display", "the X display, for example \":0\"; empty: $DISPLAY"),
  {.struct_size = sizeof(msdk_param),
   .name = "source",
   .summary = "what is captured: the whole display, one monitor, one window even if others cover it, or a rectangle",
   .def = MSDK_STRING("display"),
   .choices = sources, .choice_count = MSDK_COUNT(sources)},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_DYNAMIC_CHOICES,
   .name = "monitor",
   .summary = "of source monitor: its name, as in xrandr --listmonitors, on the display set before; empty: the primary monitor",
   .def = MSDK_STRING("")},
  TEXT("window", "of source window: its number, decimal or hexadecimal with 0x, or its exact title"),
  NUMBER("x", "of source rectangle: its left edge", 0, 0, MSDK_DIMENSION_MAX),
  NUMBER("y", "of source rectangle: its upper edge", 0, 0, MSDK_DIMENSION_MAX),
  NUMBER("width", "of source rectangle; 0: to the display's right edge", 0, 0, MSDK_DIMENSION_MAX),
  NUMBER("height", "of source rectangle; 0: to the display's lower edge", 0, 0, MSDK_DIMENSION_MAX),
  TRUTH("cursor", "the mouse cursor is drawn, and its movements make frames"),
  NUMBER("fps", "the frames a second that are offered", FPS_DEFAULT, 1, FPS_MAX),
  TRUTH("skip_unchanged", "true: no frame while nothing changes; false: the same frame again, without a copy"),
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

static msdk_result set_text(msdk_self *self, char **text, const char *name, const msdk_value *value) {
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return report_fail(&self->report, MSDK_E_TYPE, "%s takes a string", name);
  if (text == &self->options.source) {
    uint32_t i = 0;
    while (i < MSDK_COUNT(sources) && strcmp(sources[i], value->u.str) != 0) i++;
    if (i == MSDK_COUNT(sources)) {
      return report_fail(&self->report, MSDK_E_RANGE, "source '%.63s' is not one of display, monitor, window, rectangle", value->u.str);
    }
  }
  char *copy = strdup(value->u.str);
  if (copy == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for %s", name);
  free(*text);
  *text = copy;
  return MSDK_OK;
}

static msdk_result set_number(msdk_self *self, uint32_t *number, const char *name, const msdk_value *value) {
  uint32_t least = number == &self->options.fps ? 1 : 0, most = number == &self->options.fps ? FPS_MAX : MSDK_DIMENSION_MAX;
  if (value->type != MSDK_T_U32) return report_fail(&self->report, MSDK_E_TYPE, "%s takes a whole number (u32)", name);
  if (value->u.u32 < least || value->u.u32 > most) {
    return report_fail(&self->report, MSDK_E_RANGE, "%s %u is outside %u..%u", name, value->u.u32, least, most);
  }
  *number = value->u.u32;
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const plugin_report *report = &self->report;
  x11_options *options = &self->options;
  if (name == NULL || value == NULL) return report_fail(report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  const struct {
    const char *name;
    char **text;
    uint32_t *number;
    bool *truth;
  } all[] = {
    {"display", &options->display, NULL, NULL}, {"source", &options->source, NULL, NULL},  {"monitor", &options->monitor, NULL, NULL},
    {"window", &options->window, NULL, NULL},   {"x", NULL, &options->x, NULL},            {"y", NULL, &options->y, NULL},
    {"width", NULL, &options->width, NULL},     {"height", NULL, &options->height, NULL},  {"fps", NULL, &options->fps, NULL},
    {"cursor", NULL, NULL, &options->cursor},   {"skip_unchanged", NULL, NULL, &options->skip_unchanged},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (strcmp(all[i].name, name) != 0) continue;
    if (all[i].text != NULL) return set_text(self, all[i].text, name, value);
    if (all[i].number != NULL) return set_number(self, all[i].number, name, value);
    if (value->type != MSDK_T_BOOL) return report_fail(report, MSDK_E_TYPE, "%s takes a bool", name);
    *all[i].truth = value->u.b != 0;
    return MSDK_OK;
  }
  return report_fail(report, MSDK_E_NOT_FOUND,
                  "no parameter '%.63s'; there are display, source, monitor, window, x, y, width, height, cursor, fps and skip_unchanged",
                  name);
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
