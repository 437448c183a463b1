#include "image.h"
#include "self.h"
#include "window.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TITLE_ROOM = 1025, PIXELS_MAX = 1 << 26 };

typedef struct state {
  msdk_self *self;
  wn_window window;
  wn_image image;
  wn_memory scratch, canvas;
  bool stale;     /* what is in the window is not what should be */
  bool told_size; /* that the window is too large */
} state;

/* What there is to do, as it was told by others. */
typedef struct orders {
  bool quit;
  bool retitled, restyled;
  char title[TITLE_ROOM]; /* if retitled */
  wn_view view;
  const msdk_video_frame *frame; /* what is to be seen; with a reference, or NULL */
} orders;

static orders take_orders(state *state) {
  msdk_self *self = state->self;
  const msdk_host *host = self->report.host;
  const msdk_video_frame *former = NULL;
  orders taken = {.quit = false};
  pthread_mutex_lock(&self->lock);
  if (self->newest != NULL) {
    former = self->shown;
    self->shown = self->newest;
    self->newest = NULL;
    state->stale = true;
  }
  taken.quit = self->quit;
  taken.view = self->view;
  taken.frame = self->shown;
  if (taken.frame != NULL) host->video_frame_ref(taken.frame);
  if (state->window.id != 0) {
    taken.retitled = self->retitled;
    taken.restyled = self->restyled;
    self->retitled = self->restyled = false;
    if (taken.retitled) snprintf(taken.title, sizeof taken.title, "%s", self->title);
  }
  pthread_mutex_unlock(&self->lock);
  if (former != NULL) host->video_frame_unref(former);
  return taken;
}

static void note_size(msdk_self *self, uint32_t width, uint32_t height) {
  pthread_mutex_lock(&self->lock);
  self->shown_width = width;
  self->shown_height = height;
  pthread_mutex_unlock(&self->lock);
}

/* ------------------------------------------------------------------------------------------------------------------ drawing */

static uint32_t scaled(uint32_t value, double factor) {
  double result = value * factor + 0.5;
  return result < 1 ? 1 : result > MSDK_DIMENSION_MAX ? MSDK_DIMENSION_MAX : (uint32_t)result;
}

/* A size that was not given follows the first picture, and is cut down to the screen. */
static bool choose_size(const msdk_self *self, const msdk_video_frame *frame, wn_place *place) {
  uint32_t *width = &place->width, *height = &place->height;
  if (*width != 0 && *height != 0) return true;
  if (frame == NULL) return false;
  uint32_t wide, high;
  wn_upright_size(frame, &wide, &high);
  double across = (double)(*width != 0 ? *width : self->screen->width_in_pixels) / wide;
  double down = (double)(*height != 0 ? *height : self->screen->height_in_pixels) / high;
  double factor = *width != 0 ? across : *height != 0 ? down : 1;
  if (factor > across) factor = across;
  if (factor > down) factor = down;
  if (*width == 0) *width = scaled(wide, factor);
  if (*height == 0) *height = scaled(high, factor);
  return true;
}

static uint32_t up_to(uint32_t edge, int32_t from) {
  int64_t length = (int64_t)edge - from;
  return length < 1 ? 1 : length > UINT16_MAX ? UINT16_MAX : (uint32_t)length;
}

/* With 0 for a size that follows the first picture. */
static wn_place wanted_place(const state *state) {
  const wn_wish *wanted = &state->self->wanted;
  const wn_window *window = &state->window;
  wn_place place = {.width = wanted->width, .height = wanted->height};
  if (wanted->x != WN_NOT_GIVEN) place.x = wanted->x;
  if (wanted->y != WN_NOT_GIVEN) place.y = wanted->y;
  if (window->parent != 0 && place.width == 0) place.width = up_to(window->parent_width, place.x);
  if (window->parent != 0 && place.height == 0) place.height = up_to(window->parent_height, place.y);
  return place;
}

static void open_window(state *state, const orders *orders) {
  msdk_self *self = state->self;
  const wn_wish *wanted = &self->wanted;
  wn_window *window = &state->window;
  wn_place place = wanted_place(state);
  if (!choose_size(self, orders->frame, &place)) return;
  wn_window_open(window, &self->visual, &place);
  if (window->closed) return;
  if (window->parent == 0) {
    bool at = wanted->x != WN_NOT_GIVEN || wanted->y != WN_NOT_GIVEN, size = wanted->width != 0 && wanted->height != 0;
    wn_window_describe(window, &place, at, size, wanted->fullscreen);
  }
  note_size(self, place.width, place.height);
}

static void follow_parent(state *state) {
  wn_place place = wanted_place(state);
  wn_window_resize(&state->window, place.width, place.height);
}

static bool compose(state *state, const orders *orders, uint8_t *memory) {
  const wn_visual *visual = &state->self->visual;
  const wn_window *window = &state->window;
  wn_canvas canvas = {.pixels = memory, .stride = (int)window->width * 4, .width = window->width, .height = window->height};
  if (!visual->direct) {
    if (!wn_memory_reserve(&state->canvas, (uint64_t)window->width * window->height * 4)) return false;
    canvas.pixels = state->canvas.bytes;
  }
  if (!wn_compose(&orders->view, orders->frame, &state->scratch, &canvas)) return false;
  if (visual->direct) return true;
  uint64_t stride = wn_visual_stride(visual, canvas.width);
  for (uint32_t row = 0; row < canvas.height; row++) {
    wn_visual_pack(visual, canvas.pixels + (ptrdiff_t)row * canvas.stride, memory + row * stride, canvas.width);
  }
  return true;
}

static void draw(state *state, const orders *orders) {
  const wn_visual *visual = &state->self->visual;
  wn_window *window = &state->window;
  state->stale = false;
  uint8_t *memory = NULL;
  bool small = (uint64_t)window->width * window->height <= PIXELS_MAX;
  if (small) memory = wn_image_memory(&state->image, wn_visual_stride(visual, window->width) * window->height);
  if (memory != NULL && compose(state, orders, memory)) {
    wn_image_put(&state->image, visual, window->id, window->gc, window->width, window->height);
  } else if (!state->told_size) {
    state->told_size = true;
    report_log(&state->self->report, MSDK_LOG_WARN, "a window of %ux%u is too large to be drawn", window->width, window->height);
  }
}

static void serve(state *state, const orders *orders) {
  wn_window *window = &state->window;
  if (window->id == 0) {
    open_window(state, orders);
    return;
  }
  if (orders->retitled && window->parent == 0) wn_window_set_title(window, orders->title);
  if (orders->restyled) {
    wn_window_set_background(window, &state->self->visual, orders->view.background);
    if (orders->frame == NULL) xcb_clear_area(window->connection, 0, window->id, 0, 0, 0, 0);
    state->stale = true;
  }
  if (!window->mapped) wn_window_map(window);
  if (state->stale && orders->frame != NULL && !state->image.busy) draw(state, orders);
}

/* ------------------------------------------------------------------------------------------------------------------- events */

/* False when there was none. */
static bool take_events(state *state) {
  wn_window *window = &state->window;
  xcb_generic_event_t *event;
  bool any = false, resized = false, parent_resized = false;
  while ((event = xcb_poll_for_event(window->connection)) != NULL) {
    any = true;
    if (wn_image_notice(&state->image, event)) state->stale = true;
    wn_change change = wn_window_notice(window, event);
    if (change == WN_EXPOSED || change == WN_RESIZED) state->stale = true;
    if (change == WN_RESIZED) resized = true;
    if (change == WN_PARENT_RESIZED) parent_resized = true;
    free(event);
  }
  if (parent_resized && !window->closed) follow_parent(state);
  if (!resized || window->closed) return any;
  state->told_size = false;
  note_size(state->self, window->width, window->height);
  char size[32];
  snprintf(size, sizeof size, "%ux%u", window->width, window->height);
  report_event(&state->self->report, WN_EVENT_RESIZED, MSDK_OK, size);
  return any;
}

static void rest(const state *state) {
  struct pollfd files[] = {{.fd = xcb_get_file_descriptor(state->window.connection), .events = POLLIN},
                           {.fd = state->self->wake_fd, .events = POLLIN}};
  if (poll(files, 2, -1) < 0) return;
  uint64_t count;
  if ((files[1].revents & POLLIN) != 0 && read(state->self->wake_fd, &count, sizeof count) < 0) return;
}

/* Returns when there is no window any more, or none is wanted. */
static msdk_result live(state *state) {
  xcb_connection_t *connection = state->window.connection;
  for (;;) {
    orders orders = take_orders(state);
    bool opened = !orders.quit && state->window.id == 0;
    if (!orders.quit) serve(state, &orders);
    opened = opened && state->window.id != 0;
    if (orders.frame != NULL) state->self->report.host->video_frame_unref(orders.frame);
    if (orders.quit) return MSDK_OK;
    xcb_flush(connection);
    /* Waiting for a reply may have brought events along, which poll does not see. */
    bool any = take_events(state);
    if (xcb_connection_has_error(connection)) return MSDK_E_DEVICE_LOST;
    if (state->window.closed) return MSDK_E_CLOSED;
    if (!any && !opened) rest(state);
  }
}

void *wn_thread(void *pointer) {
  msdk_self *self = pointer;
  xcb_connection_t *connection = self->connection;
  state state = {.self = self};
  wn_window_begin(&state.window, connection, self->screen);
  state.window.parent = self->parent.id;
  state.window.parent_width = self->parent.width;
  state.window.parent_height = self->parent.height;
  wn_image_open(&state.image, connection);
  msdk_result result = live(&state);
  bool orphaned = result == MSDK_E_CLOSED && wn_window_is_orphaned(&state.window);
  wn_image_close(&state.image);
  wn_memory_free(&state.scratch);
  wn_memory_free(&state.canvas);

  pthread_mutex_lock(&self->lock);
  if (!self->quit) {
    self->ended = result;
    self->orphaned = orphaned;
  }
  msdk_result ended = self->ended;
  self->connection = NULL;
  self->running = false;
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->lock);
  xcb_disconnect(connection);
  if (ended == MSDK_OK) return NULL;
  wn_drop_pictures(self);
  if (orphaned) {
    char words[64];
    snprintf(words, sizeof words, "the parent window 0x%x was destroyed", self->parent.id);
    report_event(&self->report, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST, words);
  } else if (ended == MSDK_E_CLOSED) {
    report_event(&self->report, WN_EVENT_CLOSED, MSDK_OK, "closed");
  } else {
    report_log(&self->report, MSDK_LOG_WARN, "the connection to the X server is lost, and the window with it");
  }
  return NULL;
}
