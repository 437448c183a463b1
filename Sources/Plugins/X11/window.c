/* Finding a window by its number or title. */
#define _POSIX_C_SOURCE 200809L
#include "source.h"
#include "../window_number.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8, TITLE_MAX = 1024, WINDOWS_MAX = 65536 };

static bool exists(xcb_connection_t *link, xcb_window_t window) {
  xcb_get_window_attributes_reply_t *reply = xcb_get_window_attributes_reply(link, xcb_get_window_attributes(link, window), NULL);
  free(reply);
  return reply != NULL;
}

static bool holds(xcb_connection_t *link, xcb_get_property_cookie_t cookie, const char *title) {
  xcb_get_property_reply_t *reply = xcb_get_property_reply(link, cookie, NULL);
  if (reply == NULL) return false;
  size_t length = (size_t)xcb_get_property_value_length(reply);
  const char *text = xcb_get_property_value(reply);
  while (length > 0 && text[length - 1] == 0) length--;
  bool same = reply->format == 8 && length == strlen(title) && memcmp(text, title, length) == 0;
  free(reply);
  return same;
}

typedef struct search {
  xcb_connection_t *link;
  xcb_atom_t utf8_name;
  const char *title;
  xcb_window_t shown, hidden; /* found so far: the uppermost of each */
  uint32_t left;
} search;

static void look_at(search *search, xcb_window_t window) {
  xcb_connection_t *link = search->link;
  xcb_get_property_cookie_t utf8 = xcb_get_property(link, 0, window, search->utf8_name, XCB_GET_PROPERTY_TYPE_ANY, 0, TITLE_MAX);
  xcb_get_property_cookie_t old = xcb_get_property(link, 0, window, XCB_ATOM_WM_NAME, XCB_GET_PROPERTY_TYPE_ANY, 0, TITLE_MAX);
  xcb_get_window_attributes_cookie_t attributes = xcb_get_window_attributes(link, window);
  bool same = holds(link, utf8, search->title);
  same |= holds(link, old, search->title);
  xcb_get_window_attributes_reply_t *reply = xcb_get_window_attributes_reply(link, attributes, NULL);
  if (reply != NULL && same && reply->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT) {
    xcb_window_t *found = reply->map_state == XCB_MAP_STATE_VIEWABLE ? &search->shown : &search->hidden;
    if (*found == XCB_NONE) *found = window;
  }
  free(reply);
}

/* Children come from the lowest to the uppermost. */
static void look_into(search *search, xcb_window_t parent, int depth) {
  xcb_query_tree_reply_t *tree = xcb_query_tree_reply(search->link, xcb_query_tree(search->link, parent), NULL);
  if (tree == NULL) return;
  const xcb_window_t *children = xcb_query_tree_children(tree);
  for (int i = xcb_query_tree_children_length(tree); i-- > 0 && search->shown == XCB_NONE && search->left > 0; search->left--) {
    look_at(search, children[i]);
    if (depth < DEPTH_MAX) look_into(search, children[i], depth + 1);
  }
  free(tree);
}

static xcb_atom_t atom(xcb_connection_t *link, const char *name) {
  xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(link, xcb_intern_atom(link, 0, (uint16_t)strlen(name), name), NULL);
  xcb_atom_t made = reply != NULL ? reply->atom : (xcb_atom_t)XCB_ATOM_NONE;
  free(reply);
  return made;
}

msdk_result x11_find_window(const x11_display *display, const plugin_report *report, const char *name, xcb_window_t *out) {
  if (name[0] == 0) return report_fail(report, MSDK_E_INVALID, "the parameter 'window' is empty; accepted: a window's number or title");
  if (msdk_window_number(name, out) && exists(display->link, *out)) return MSDK_OK;
  search search = {.link = display->link, .utf8_name = atom(display->link, "_NET_WM_NAME"), .title = name, .left = WINDOWS_MAX};
  look_into(&search, display->screen->root, 0);
  *out = search.shown != XCB_NONE ? search.shown : search.hidden;
  if (*out != XCB_NONE) return MSDK_OK;
  if (!x11_display_alive(display)) return report_fail(report, MSDK_E_DEVICE_LOST, "the connection to the X server is lost");
  return report_fail(report, MSDK_E_NOT_FOUND, "no window has the number or the title '%.200s'", name);
}
