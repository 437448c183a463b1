#define _POSIX_C_SOURCE 200809L
#include "display.h"
#include "../monotonic.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/randr.h>
#include <xcb/shm.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>

static msdk_result cannot_connect(const plugin_report *report, const char *name, int error) {
  const char *variable = getenv("DISPLAY");
  if (name[0] == 0 && (variable == NULL || variable[0] == 0)) {
    return report_fail(report, MSDK_E_NOT_FOUND, "there is no display: the parameter 'display' is empty, and DISPLAY is not set");
  }
  const char *shown = name[0] != 0 ? name : variable;
  if (error == XCB_CONN_CLOSED_PARSE_ERR) {
    return report_fail(report, MSDK_E_INVALID, "'%.200s' is not a name of an X display; accepted: names such as ':0'", shown);
  }
  if (error == XCB_CONN_CLOSED_INVALID_SCREEN) return report_fail(report, MSDK_E_NOT_FOUND, "display '%.200s' has no such screen", shown);
  return report_fail(report, MSDK_E_IO, "there is no X server at display '%.200s', or it refuses this user", shown);
}

static uint8_t first_event(xcb_connection_t *link, xcb_extension_t *extension, bool *there) {
  const xcb_query_extension_reply_t *data = xcb_get_extension_data(link, extension);
  *there = data != NULL && data->present;
  return *there ? data->first_event : 0;
}

/* Memory is shared over a socket of this machine only: another machine would share memory of its own. */
static bool is_local(xcb_connection_t *link) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(xcb_get_file_descriptor(link), (struct sockaddr *)&address, &length) < 0) return false;
  return address.ss_family == AF_UNIX;
}

static void ask_shm(x11_display *display) {
  bool there;
  first_event(display->link, &xcb_shm_id, &there);
  if (!there || !is_local(display->link)) return;
  xcb_shm_query_version_reply_t *reply = xcb_shm_query_version_reply(display->link, xcb_shm_query_version(display->link), NULL);
  if (reply == NULL) return;
  display->shm = true;
  display->shm_by_descriptor = reply->major_version > 1 || reply->minor_version >= 2;
  display->shm_pixmaps = reply->shared_pixmaps && reply->pixmap_format == XCB_IMAGE_FORMAT_Z_PIXMAP;
  free(reply);
}

static void ask_xfixes_and_damage(x11_display *display) {
  xcb_connection_t *link = display->link;
  bool there;
  display->cursor_event = first_event(link, &xcb_xfixes_id, &there);
  if (!there) return;
  xcb_xfixes_query_version_reply_t *fixes = xcb_xfixes_query_version_reply(link, xcb_xfixes_query_version(link, 5, 0), NULL);
  display->cursor = fixes != NULL && fixes->major_version >= 2;
  free(fixes);
  if (!display->cursor) return;
  display->damage_event = first_event(link, &xcb_damage_id, &there);
  if (!there) return;
  xcb_damage_query_version_reply_t *damage = xcb_damage_query_version_reply(link, xcb_damage_query_version(link, 1, 1), NULL);
  display->damage = damage != NULL;
  free(damage);
}

static void ask_composite_and_randr(x11_display *display) {
  xcb_connection_t *link = display->link;
  bool there;
  first_event(link, &xcb_composite_id, &there);
  if (there) {
    xcb_composite_query_version_reply_t *reply = xcb_composite_query_version_reply(link, xcb_composite_query_version(link, 0, 4), NULL);
    display->composite = reply != NULL && (reply->major_version > 0 || reply->minor_version >= 2); /* names of pixmaps */
    free(reply);
  }
  display->randr_event = first_event(link, &xcb_randr_id, &there);
  if (there) {
    xcb_randr_query_version_reply_t *reply = xcb_randr_query_version_reply(link, xcb_randr_query_version(link, 1, 5), NULL);
    display->monitors = reply != NULL && (reply->major_version > 1 || reply->minor_version >= 5);
    free(reply);
  }
}

static bool is_argb(const xcb_render_pictforminfo_t *info) {
  const xcb_render_directformat_t *direct = &info->direct;
  return info->type == XCB_RENDER_PICT_TYPE_DIRECT && info->depth == 32 && direct->alpha_mask == 0xFF && direct->alpha_shift == 24 &&
         direct->red_mask == 0xFF && direct->red_shift == 16 && direct->green_mask == 0xFF && direct->green_shift == 8 &&
         direct->blue_mask == 0xFF && direct->blue_shift == 0;
}

static xcb_render_query_pict_formats_reply_t *ask_formats(xcb_connection_t *link) {
  return xcb_render_query_pict_formats_reply(link, xcb_render_query_pict_formats(link), NULL);
}

static void ask_render(x11_display *display) {
  bool there;
  first_event(display->link, &xcb_render_id, &there);
  if (!there) return;
  free(xcb_render_query_version_reply(display->link, xcb_render_query_version(display->link, 0, 11), NULL));
  xcb_render_query_pict_formats_reply_t *formats = ask_formats(display->link);
  if (formats == NULL) return;
  for (xcb_render_pictforminfo_iterator_t i = xcb_render_query_pict_formats_formats_iterator(formats); i.rem > 0;
       xcb_render_pictforminfo_next(&i)) {
    if (display->argb == 0 && is_argb(i.data)) display->argb = i.data->id;
  }
  free(formats);
}

msdk_result x11_display_open(x11_display *display, const plugin_report *report, const char *name) {
  *display = (x11_display){0};
  int number = 0;
  xcb_connection_t *link = xcb_connect(name[0] != 0 ? name : NULL, &number);
  int error = xcb_connection_has_error(link);
  if (error != 0) {
    xcb_disconnect(link);
    return cannot_connect(report, name, error);
  }
  display->link = link;
  display->setup = xcb_get_setup(link);
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(display->setup);
  for (; screens.rem > 1 && number > 0; number--) xcb_screen_next(&screens);
  display->screen = screens.data;
  xcb_extension_t *extensions[] = {&xcb_shm_id, &xcb_xfixes_id, &xcb_damage_id, &xcb_composite_id, &xcb_randr_id, &xcb_render_id};
  for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) xcb_prefetch_extension_data(link, extensions[i]);
  ask_shm(display);
  ask_xfixes_and_damage(display);
  ask_composite_and_randr(display);
  ask_render(display);
  if (x11_display_alive(display)) return MSDK_OK;
  x11_display_close(display);
  return cannot_connect(report, name, XCB_CONN_ERROR);
}

enum { PATIENCE_MS = 2000 };

void *x11_display_reply(x11_display *display, unsigned request) {
  xcb_connection_t *link = display->link;
  void *reply = NULL;
  xcb_generic_error_t *error = NULL;
  if (display->is_silent) {
    xcb_discard_reply(link, request);
    return NULL;
  }
  xcb_flush(link);
  int64_t until = monotonic_ns() / 1000000 + PATIENCE_MS;
  while (!xcb_poll_for_reply(link, request, &reply, &error)) {
    int64_t left = until - monotonic_ns() / 1000000;
    if (left <= 0) {
      display->is_silent = true;
      display->missing = request;
      return NULL;
    }
    poll(&(struct pollfd){.fd = xcb_get_file_descriptor(link), .events = POLLIN}, 1, (int)left);
  }
  free(error);
  return reply;
}

bool x11_display_answers(x11_display *display) {
  void *reply = NULL;
  xcb_generic_error_t *error = NULL;
  if (!display->is_silent) return true;
  if (!xcb_poll_for_reply(display->link, display->missing, &reply, &error)) return false;
  free(reply);
  free(error);
  display->is_silent = false;
  return true;
}

void x11_display_close(x11_display *display) {
  if (display->link != NULL) xcb_disconnect(display->link);
  *display = (x11_display){0};
}
