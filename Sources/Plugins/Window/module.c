#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../module.h"
#include "../monotonic.h"
#include "../params.h"
#include "../window_number.h"

enum { TITLE_MAX_BYTES = 1024, POSITION_MIN = INT16_MIN, POSITION_MAX = INT16_MAX /* those of the X protocol */ };

static const char *const scales[] = {"fit", "fill", "stretch"}; /* in the order of WN_* */

#define PARAM_SIDE(NAME, SUMMARY) PARAM_NUMBER(U32, NAME, 0, 0, 0, MSDK_DIMENSION_MAX, SUMMARY)
/* Its default is outside of what else is accepted, so set_position has the limits. */
#define PARAM_POSITION(NAME, SUMMARY) {.struct_size = sizeof(msdk_param), .name = NAME, .summary = SUMMARY, .def = MSDK_I32(WN_NOT_GIVEN)}

static const msdk_param params[] = {
  PARAM_STRING("display", 0, "", "the X display, for example ':0'; empty: the one in DISPLAY"),
  PARAM_STRING("parent", 0, "",
               "embeds the video in this X11 window, as a child window: its id, decimal or hexadecimal with 0x; empty: a top-level window"),
  PARAM_STRING("title", MSDK_PARAM_LIVE, "MediaSDK", "the title of a top-level window"),
  PARAM_POSITION("x", "of the window's left edge on the screen or in the parent, in pixels, -32768..32767; default: the window manager "
                      "chooses it; in a parent, or if only y is given: 0"),
  PARAM_POSITION("y", "of the window's upper edge, as x"),
  PARAM_SIDE("width", "of the window when it opens, in pixels; 0: the width of the first frame; in a parent: always up to its right edge"),
  PARAM_SIDE("height",
             "of the window when it opens, in pixels; 0: the height of the first frame; in a parent: always down to its lower edge"),
  PARAM_CHOICE("scale", MSDK_PARAM_LIVE, "fit", scales,
               "fit: the whole frame; fill: its middle, over the whole window; stretch: the whole frame over the whole window"),
  PARAM_STRING("background", MSDK_PARAM_LIVE, "#000000", "the colour around the frame, as #rrggbb"),
  PARAM_BOOL("fullscreen", 0, 0, "asks the window manager for a full-screen window; not with a parent"),
};

static bool host_suffices(const msdk_host *host) {
  return MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, set_error) && MSDK_CAN(host, msdk_host, post_event) &&
         MSDK_CAN(host, msdk_host, video_frame_ref) && MSDK_CAN(host, msdk_host, video_frame_unref);
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
  if (self->display != NULL && self->title != NULL && monotonic_lock_make(&self->lock, &self->changed)) {
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

static msdk_result set_parent(msdk_self *self, const char *text) {
  uint32_t parent = 0;
  if (text[0] != 0 && (!msdk_window_number(text, &parent) || parent == 0)) {
    return report_fail(&self->report, MSDK_E_INVALID,
                       "parent '%.40s' is not a window id; accepted: 1 to 4294967295, decimal or hexadecimal with 0x, and '' for none",
                       text);
  }
  self->wish.parent = parent;
  return MSDK_OK;
}

static msdk_result set_title(msdk_self *self, const msdk_value *value) {
  size_t bytes = strlen(value->u.str);
  if (bytes > TITLE_MAX_BYTES) {
    return report_fail(&self->report, MSDK_E_RANGE, "title has %zu bytes; accepted: at most %d", bytes, TITLE_MAX_BYTES);
  }
  char *kept = NULL;
  msdk_result result = param_keep(&self->report, &kept, "title", value);
  if (result < 0) return result;
  pthread_mutex_lock(&self->lock);
  char *former = self->title;
  self->title = kept;
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

static msdk_result set_background(msdk_self *self, const char *text) {
  static const char digits[] = "0123456789abcdefABCDEF";
  wn_view view = self->view;
  if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, digits) != 6) {
    return report_fail(&self->report, MSDK_E_INVALID, "background '%.40s' is not a colour; accepted: '#rrggbb' with hexadecimal digits",
                       text);
  }
  view.background = (uint32_t)strtoul(text + 1, NULL, 16);
  return set_view(self, &view);
}

static msdk_result set_position(msdk_self *self, const char *name, int32_t *position, int32_t number) {
  if (number != WN_NOT_GIVEN && (number < POSITION_MIN || number > POSITION_MAX)) {
    return report_fail(&self->report, MSDK_E_RANGE, "%s %d is outside %d..%d; %d is accepted too: not given", name, number, POSITION_MIN,
                       POSITION_MAX, WN_NOT_GIVEN);
  }
  *position = number;
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "display") == 0) return param_keep(&self->report, &self->display, name, value);
  if (strcmp(name, "parent") == 0) return set_parent(self, value->u.str);
  if (strcmp(name, "title") == 0) return set_title(self, value);
  if (strcmp(name, "background") == 0) return set_background(self, value->u.str);
  if (strcmp(name, "x") == 0) return set_position(self, name, &self->wish.x, value->u.i32);
  if (strcmp(name, "y") == 0) return set_position(self, name, &self->wish.y, value->u.i32);
  if (strcmp(name, "scale") == 0) {
    wn_view view = self->view; /* only control calls change it */
    view.scale = (int)param_choice_index(scales, value->u.str);
    return set_view(self, &view);
  }
  if (strcmp(name, "width") == 0) self->wish.width = value->u.u32;
  else if (strcmp(name, "height") == 0) self->wish.height = value->u.u32;
  else self->wish.fullscreen = value->u.b != 0;
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

PLUGIN_MODULE(&class)
