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

void wn_window_open(wn_window *window, const wn_visual *visual, uint32_t width, uint32_t height, bool fullscreen) {
  static const char class[] = "mediasdk\0MediaSDK"; /* instance and class, each with its NUL */
  xcb_connection_t *connection = window->connection;
  window->width = width;
  window->height = height;
  window->id = xcb_generate_id(connection);
  window->gc = xcb_generate_id(connection);
  uint32_t events[] = {XCB_EVENT_MASK_EXPOSURE | XCB_EVENT_MASK_STRUCTURE_NOTIFY};
  xcb_create_window(connection, visual->depth, window->id, window->screen->root, 0, 0, (uint16_t)width, (uint16_t)height, 0,
                    XCB_WINDOW_CLASS_INPUT_OUTPUT, visual->id, XCB_CW_EVENT_MASK, events);
  uint32_t silent[] = {0}; /* no event for every picture */
  xcb_create_gc(connection, window->gc, window->id, XCB_GC_GRAPHICS_EXPOSURES, silent);
  set_property(window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8, sizeof class, class);
  set_property(window, window->atoms[WN_PROTOCOLS], XCB_ATOM_ATOM, 32, 1, &window->atoms[WN_DELETE]);
  if (fullscreen) set_property(window, window->atoms[WN_STATE], XCB_ATOM_ATOM, 32, 1, &window->atoms[WN_FULLSCREEN]);
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

wn_change wn_window_notice(wn_window *window, const xcb_generic_event_t *event) {
  switch (event->response_type & 0x7F) {
  case XCB_EXPOSE: return WN_EXPOSED;
  case XCB_DESTROY_NOTIFY: window->closed = true; break;
  case XCB_CLIENT_MESSAGE: {
    const xcb_client_message_event_t *message = (const xcb_client_message_event_t *)event;
    if (message->type == window->atoms[WN_PROTOCOLS] && message->data.data32[0] == window->atoms[WN_DELETE]) window->closed = true;
    break;
  }
  case XCB_CONFIGURE_NOTIFY: {
    const xcb_configure_notify_event_t *now = (const xcb_configure_notify_event_t *)event;
    if (now->width == window->width && now->height == window->height) break;
    window->width = now->width;
    window->height = now->height;
    return WN_RESIZED;
  }
  default: break;
  }
  return WN_NOTHING;
}
