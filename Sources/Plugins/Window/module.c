#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../window_number.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TITLE_MAX_BYTES = 1024, POSITION_MIN = INT16_MIN, POSITION_MAX = INT16_MAX /* those of the X protocol */ };

static const char *const scales[] = {"fit", "fill", "stretch"}; /* in the order of WN_* */

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .name = "display",
   .summary = "the X display, for example ':0'; empty: the one in DISPLAY",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .name = "parent",
   .summary = "embeds the video in this X11 window, as a child window: its id, decimal or hexadecimal with 0x; empty: a top-level window",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "title",
   .summary = "the title of a top-level window",
   .def = MSDK_STRING("MediaSDK")},
  {.struct_size = sizeof(msdk_param),
   .name = "x",
   .summary = "of the window's left edge on the screen or in the parent, in pixels, -32768..32767; default: the window manager "
              "chooses it; in a parent, or if only y is given: 0",
   .def = MSDK_I32(WN_NOT_GIVEN)},
  {.struct_size = sizeof(msdk_param),
   .name = "y",
   .summary = "of the window's upper edge, as x",
   .def = MSDK_I32(WN_NOT_GIVEN)},
  {.struct_size = sizeof(msdk_param),
   .name = "width",
   .summary = "of the window when it opens, in pixels; 0: the width of the first frame; in a parent: always up to its right edge",
   .def = MSDK_U32(0),
   .min = MSDK_U32(0),
   .max = MSDK_U32(MSDK_DIMENSION_MAX)},
  {.struct_size = sizeof(msdk_param),
   .name = "height",
   .summary = "of the window when it opens, in pixels; 0: the height of the first frame; in a parent: always down to its lower edge",
   .def = MSDK_U32(0),
   .min = MSDK_U32(0),
   .max = MSDK_U32(MSDK_DIMENSION_MAX)},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "scale",
   .summary = "fit: the whole frame; fill: its middle, over the whole window; stretch: the whole frame over the whole window",
   .def = MSDK_STRING("fit"),
   .choices = scales, .choice_count = MSDK_COUNT(scales)},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "background",
   .summary = "the colour around the frame, as #rrggbb",
   .def = MSDK_STRING("#000000")},
  {.struct_size = sizeof(msdk_param),
   .name = "fullscreen",
   .summary = "asks the window manager for a full-screen window; not with a parent",
   .def = MSDK_BOOL(0)},
};

static bool host_suffices(const msdk_host *host) {
  return MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, set_error) && MSDK_CAN(host, msdk_host, post_event) &&
         MSDK_CAN(host, msdk_host, video_frame_ref) && MSDK_CAN(host, msdk_host, video_frame_unref);
}

static bool make_lock(msdk_self *self) {
  pthread_condattr_t attributes;
  if (pthread_mutex_init(&self->lock, NULL) != 0) return false;
  bool good = pthread_condattr_init(&attributes) == 0;
  if (good) {
    good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&self->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
  }
  if (!good) pthread_mutex_destroy(&self->lock);
  return good;
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!host_suffices(host)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->wish.x = self->wish.y = WN_NOT_GIVEN;
  self->display = strdup("");
  self->title = strdup("MediaSDK");
  if (self->display != NULL && self->title != NULL && make_lock(self)) {
    *out = self;
    return MSDK_OK;
  }
  free(self->display);
  free(self->title);
  free(self);
  return MSDK_E_NOMEM;
}

static void destroy(msdk_self *self) {
  wn_renderer.release_render(self);
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->lock);
  free(self->display);
  free(self->title);
  free(self);
}

/* --------------------------------------------------------------------------------------------------------------- parameters */

static msdk_result set_display(msdk_self *self, const char *text) {
  char *copy = strdup(text);
  if (copy == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the parameter 'display'");
  free(self->display);
  self->display = copy;
  return MSDK_OK;
}

static msdk_result set_parent(msdk_self *self, const char *text) {
  uint32_t parent = 0;
  if (text[0] != 0 && (!msdk_window_number(text, &parent) || parent == 0)) {
    return report_fail(&self->report, MSDK_E_INVALID,
                   "parent '%.40s' is not a window id; accepted: 1 to 4294967295, decimal or hexadecimal with 0x, and '' for none", text);
  }
  self->wish.parent = parent;
  return MSDK_OK;
}

static msdk_result set_title(msdk_self *self, const char *text) {
  if (strlen(text) > TITLE_MAX_BYTES) {
    return report_fail(&self->report, MSDK_E_RANGE, "title has %zu bytes; accepted: at most %d", strlen(text), TITLE_MAX_BYTES);
  }
  char *copy = strdup(text);
  if (copy == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the parameter 'title'");
  pthread_mutex_lock(&self->lock);
  char *former = self->title;
  self->title = copy;
  self->retitled = true;
  pthread_mutex_unlock(&self->lock);
  free(former);
  if (self->open) wn_wake(self);
  return MSDK_OK;
}

static msdk_result set_view(msdk_self *self, const wn_view *view) {
  pthread_mutex_lock(&self->lock);
  self->view = *view;
  self->restyled = true;
  pthread_mutex_unlock(&self->lock);
  if (self->open) wn_wake(self);
  return MSDK_OK;
}

static msdk_result set_scale(msdk_self *self, const char *text) {
  wn_view view = self->view; /* only control calls change it */
  for (uint32_t i = 0; i < MSDK_COUNT(scales); i++) {
    view.scale = (int)i;
    if (strcmp(scales[i], text) == 0) return set_view(self, &view);
  }
  return report_fail(&self->report, MSDK_E_RANGE, "scale '%.40s' is not one of fit, fill, stretch", text);
}

static msdk_result set_background(msdk_self *self, const char *text) {
  static const char digits[] = "0123456789abcdefABCDEF";
  wn_view view = self->view;
  if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, digits) != 6) {
    return report_fail(&self->report, MSDK_E_INVALID, "background '%.40s' is not a colour; accepted: '#rrggbb' with hexadecimal digits", text);
  }
  view.background = (uint32_t)strtoul(text + 1, NULL, 16);
  return set_view(self, &view);
}

static msdk_result set_size(msdk_self *self, const char *name, uint32_t *size, const msdk_value *value) {
  if (value->type != MSDK_T_U32) return report_fail(&self->report, MSDK_E_TYPE, "%s takes a whole number (u32)", name);
  if (value->u.u32 > MSDK_DIMENSION_MAX) {
    return report_fail(&self->report, MSDK_E_RANGE, "%s %u is outside 0..%d", name, value->u.u32, MSDK_DIMENSION_MAX);
  }
  *size = value->u.u32;
  return MSDK_OK;
}

static msdk_result set_position(msdk_self *self, const char *name, int32_t *position, const msdk_value *value) {
  if (value->type != MSDK_T_I32) return report_fail(&self->report, MSDK_E_TYPE, "%s takes a whole number (i32)", name);
  int32_t number = value->u.i32;
  if (number != WN_NOT_GIVEN && (number < POSITION_MIN || number > POSITION_MAX)) {
    return report_fail(&self->report, MSDK_E_RANGE, "%s %d is outside %d..%d; %d is accepted too: not given", name, number, POSITION_MIN,
                   POSITION_MAX, WN_NOT_GIVEN);
  }
  *position = number;
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  static const struct {
    const char *name;
    msdk_result (*set)(msdk_self *, const char *);
  } texts[] = {{"display", set_display}, {"parent", set_parent}, {"title", set_title}, {"scale", set_scale},
               {"background", set_background}};
  const plugin_report *report = &self->report;
  if (name == NULL || value == NULL) return report_fail(report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strcmp(texts[i].name, name) != 0) continue;
    if (value->type != MSDK_T_STRING || value->u.str == NULL) return report_fail(report, MSDK_E_TYPE, "%s takes a string", name);
    return texts[i].set(self, value->u.str);
  }
  if (strcmp(name, "x") == 0) return set_position(self, name, &self->wish.x, value);
  if (strcmp(name, "y") == 0) return set_position(self, name, &self->wish.y, value);
  if (strcmp(name, "width") == 0) return set_size(self, name, &self->wish.width, value);
  if (strcmp(name, "height") == 0) return set_size(self, name, &self->wish.height, value);
  if (strcmp(name, "fullscreen") != 0) {
    return report_fail(report, MSDK_E_NOT_FOUND,
                   "no parameter '%.63s'; there are display, parent, title, x, y, width, height, scale, background and fullscreen", name);
  }
  if (value->type != MSDK_T_BOOL) return report_fail(report, MSDK_E_TYPE, "fullscreen takes a bool");
  self->wish.fullscreen = value->u.b != 0;
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER,
  .id = "org.mediasdk.renderer.window",
  .name = "X11 window",
  .summary = "shows frames in a window; posts MSDK_PLUGIN_EVENT_USER + 1 when its user closes it, after which it returns "
             "MSDK_E_CLOSED, and MSDK_PLUGIN_EVENT_USER + 2 with a text such as '640x360' when its size changes; posts "
             "MSDK_PLUGIN_EVENT_ERROR with MSDK_E_DEVICE_LOST when its parent is destroyed, after which it returns MSDK_E_CLOSED",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_renderer = &wn_renderer,
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
