#include "window.h"

#include <stdlib.h>
#include <string.h>

void wn_window_begin(wn_window *window, xcb_connection_t *connection, const xcb_screen_t *screen) {
  static const char *const names[WN_ATOMS] = {"WM_PROTOCOLS", "WM_DELETE_WINDOW", "_NET_WM_NAME", "UTF8_STRING", "_NET_WM_STATE",
                                              "_NET_WM_STATE_FULLSCREEN"};
  *window = (wn_window){.connection = connection, .screen = screen};
  xcb_intern_atom_cookie_t asked[WN_ATOMS];
  for (int i = 0; i < WN_ATOMS; i++) asked[i] = xcb_intern_atom(connection, 0, (uint16_t)strlen(names[i]), names[i]);
  for (int i = 0; i < WN_ATOMS; i++) {
    xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(connection, asked[i], NULL);
    if (reply != NULL) window->atoms[i] = reply->atom;
    free(reply);
  }
}

static void set_property(wn_window *window, xcb_atom_t property, xcb_atom_t type, uint8_t bits, size_t count, const void *data) {
  xcb_change_property(window->connection, XCB_PROP_MODE_REPLACE, window->id, property, type, bits, (uint32_t)count, data);
}

void wn_window_open(wn_window *window, const wn_visual *visual, const wn_place *place) {
  xcb_connection_t *connection = window->connection;
  window->width = place->width;
  window->height = place->height;
  window->id = xcb_generate_id(connection);
  window->gc = xcb_generate_id(connection);
  /* Border and colormap are not the parent's: that may be of another depth, for example with an alpha channel. No event of the mouse or
   * the keyboard is selected, so those go to the parent. */
  uint32_t values[] = {0, XCB_EVENT_MASK_EXPOSURE | XCB_EVENT_MASK_STRUCTURE_NOTIFY, window->screen->default_colormap};
  xcb_void_cookie_t created = xcb_create_window_checked(
    connection, visual->depth, window->id, window->parent != 0 ? window->parent : window->screen->root, (int16_t)place->x,
    (int16_t)place->y, (uint16_t)place->width, (uint16_t)place->height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, visual->id,
    XCB_CW_BORDER_PIXEL | XCB_CW_EVENT_MASK | XCB_CW_COLORMAP, values);
  xcb_generic_error_t *error = xcb_request_check(connection, created);
  window->closed = error != NULL;
  free(error);
  uint32_t silent[] = {0}; /* no event for every picture */
  if (!window->closed) xcb_create_gc(connection, window->gc, window->id, XCB_GC_GRAPHICS_EXPOSURES, silent);
}

void wn_window_describe(wn_window *window, const wn_place *place, bool at, bool size, bool fullscreen) {
  static const char class[] = "mediasdk\0MediaSDK"; /* instance and class, each with its NUL */
  enum { US_POSITION = 1, US_SIZE = 2, HINTS = 18 }; /* ICCCM 4.1.2.3 */
  set_property(window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8, sizeof class, class);
  set_property(window, window->atoms[WN_PROTOCOLS], XCB_ATOM_ATOM, 32, 1, &window->atoms[WN_DELETE]);
  if (fullscreen) set_property(window, window->atoms[WN_STATE], XCB_ATOM_ATOM, 32, 1, &window->atoms[WN_FULLSCREEN]);
  uint32_t hints[HINTS] = {(at ? US_POSITION : 0) | (size ? US_SIZE : 0), (uint32_t)place->x, (uint32_t)place->y, place->width,
                           place->height};
  if (hints[0] != 0) set_property(window, XCB_ATOM_WM_NORMAL_HINTS, XCB_ATOM_WM_SIZE_HINTS, 32, HINTS, hints);
}

void wn_window_resize(wn_window *window, uint32_t width, uint32_t height) {
  uint32_t values[] = {width, height};
  xcb_configure_window(window->connection, window->id, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
}

bool wn_window_is_orphaned(const wn_window *window) {
  if (window->parent == 0) return false;
  xcb_get_geometry_reply_t *reply = xcb_get_geometry_reply(window->connection, xcb_get_geometry(window->connection, window->parent), NULL);
  bool exists = reply != NULL;
  free(reply);
  return !exists && !xcb_connection_has_error(window->connection);
}

void wn_window_map(wn_window *window) {
  xcb_map_window(window->connection, window->id);
  window->mapped = true;
}

void wn_window_set_title(wn_window *window, const char *title) {
  set_property(window, XCB_ATOM_WM_NAME, window->atoms[WN_UTF8], 8, strlen(title), title);
  set_property(window, window->atoms[WN_NAME], window->atoms[WN_UTF8], 8, strlen(title), title);
}

void wn_window_set_background(wn_window *window, const wn_visual *visual, uint32_t colour) {
  uint32_t pixel[] = {wn_visual_pixel(visual, colour)};
  xcb_change_window_attributes(window->connection, window->id, XCB_CW_BACK_PIXEL, pixel);
}

/* A parent's own structure events come as well. */
static wn_change notice_size(wn_window *window, const xcb_configure_notify_event_t *now) {
  bool is_own = now->window == window->id;
  if (!is_own && now->window != window->parent) return WN_NOTHING;
  uint32_t *width = is_own ? &window->width : &window->parent_width, *height = is_own ? &window->height : &window->parent_height;
  if (now->width == *width && now->height == *height) return WN_NOTHING;
  *width = now->width;
  *height = now->height;
  return is_own ? WN_RESIZED : WN_PARENT_RESIZED;
}

wn_change wn_window_notice(wn_window *window, const xcb_generic_event_t *event) {
  switch (event->response_type & 0x7F) {
  case XCB_EXPOSE: return WN_EXPOSED;
  case XCB_DESTROY_NOTIFY: /* the server destroys a parent's children first */
    if (((const xcb_destroy_notify_event_t *)event)->window == window->id) window->closed = true;
    break;
  case XCB_CLIENT_MESSAGE: {
    const xcb_client_message_event_t *message = (const xcb_client_message_event_t *)event;
    bool is_delete = message->type == window->atoms[WN_PROTOCOLS] && message->data.data32[0] == window->atoms[WN_DELETE];
    if (is_delete && message->window == window->id) window->closed = true;
    break;
  }
  case XCB_CONFIGURE_NOTIFY: return notice_size(window, (const xcb_configure_notify_event_t *)event);
  default: break;
  }
  return WN_NOTHING;
}
