/* A window inside one that the test made, as a program's toolkit does: where it is, what is seen, resized, destroyed, refused; and the
 * position of a window of its own. */
#define _XOPEN_SOURCE 700
#include "window_view.h"

enum { EVENT_CLOSED = MSDK_PLUGIN_EVENT_USER + 1, EVENT_RESIZED = MSDK_PLUGIN_EVENT_USER + 2, SAND = 0xC0A060 };
enum { STRUCTURE = XCB_EVENT_MASK_STRUCTURE_NOTIFY, BUTTONS = XCB_EVENT_MASK_BUTTON_PRESS };

static msdk_result set_parent(host_instance *instance, const char *format, xcb_window_t parent) {
  char text[32];
  snprintf(text, sizeof text, format, parent);
  return host_set_string(instance, "parent", text);
}

/* ----------------------------------------------------------------------------------------------------------- the test's window */

static xcb_window_t new_parent(const viewer *view, uint32_t width, uint32_t height) {
  xcb_window_t parent = xcb_generate_id(view->connection);
  uint32_t values[] = {SAND, STRUCTURE | BUTTONS};
  xcb_create_window(view->connection, XCB_COPY_FROM_PARENT, parent, view->screen->root, 40, 30, (uint16_t)width, (uint16_t)height, 0,
                    XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values);
  xcb_map_window(view->connection, parent);
  free(xcb_get_input_focus_reply(view->connection, xcb_get_input_focus(view->connection), NULL)); /* another client sees it now */
  return parent;
}

static void destroy(const viewer *view, xcb_window_t window) {
  xcb_destroy_window(view->connection, window);
  xcb_flush(view->connection);
}

/* The only child; 0: there is none. */
static xcb_window_t child_of(const viewer *view, xcb_window_t parent) {
  xcb_query_tree_reply_t *tree = xcb_query_tree_reply(view->connection, xcb_query_tree(view->connection, parent), NULL);
  xcb_window_t child = tree != NULL && xcb_query_tree_children_length(tree) == 1 ? xcb_query_tree_children(tree)[0] : 0;
  free(tree);
  return child;
}

typedef struct place {
  int x, y;
  unsigned width, height, depth;
} place;

static place place_of(const viewer *view, xcb_window_t window) {
  place result = {0};
  xcb_get_geometry_reply_t *reply = xcb_get_geometry_reply(view->connection, xcb_get_geometry(view->connection, window), NULL);
  if (reply != NULL) result = (place){reply->x, reply->y, reply->width, reply->height, reply->depth};
  free(reply);
  return result;
}

static void await_place(const viewer *view, xcb_window_t parent, int x, int y, unsigned width, unsigned height) {
  int64_t until = deadline_ns();
  place is;
  do {
    is = place_of(view, child_of(view, parent));
    if (is.x == x && is.y == y && is.width == width && is.height == height) break;
    pause_ms(5);
  } while (host_monotonic_ns() < until);
  CHECK_EQ(is.x, x);
  CHECK_EQ(is.y, y);
  CHECK_EQ(is.width, width);
  CHECK_EQ(is.height, height);
}

static void embed(host_instance *instance, xcb_window_t parent) {
  make(instance);
  CHECK_EQ(host_set_string(instance, "background", "#204060"), MSDK_OK);
  CHECK_EQ(set_parent(instance, "0x%x", parent), MSDK_OK);
}

/* -------------------------------------------------------------------------------------------------------------------- embedded */

static xcb_get_window_attributes_reply_t *attributes(const viewer *view, xcb_window_t window) {
  return xcb_get_window_attributes_reply(view->connection, xcb_get_window_attributes(view->connection, window), NULL);
}

/* The parent's owner still gets its events, and those of mouse and keyboard too: nobody else has selected them. */
static void check_events(const viewer *view, xcb_window_t parent) {
  xcb_get_window_attributes_reply_t *outer = attributes(view, parent), *inner = attributes(view, child_of(view, parent));
  CHECK(outer != NULL && inner != NULL);
  if (outer != NULL && inner != NULL) {
    CHECK_EQ(outer->your_event_mask, STRUCTURE | BUTTONS);
    CHECK_EQ(outer->all_event_masks, STRUCTURE | BUTTONS);
    CHECK_EQ(inner->all_event_masks, STRUCTURE | XCB_EVENT_MASK_EXPOSURE);
    CHECK_EQ(inner->do_not_propagate_mask, 0);
  }
  free(outer);
  free(inner);
}

static int configured(const viewer *view, xcb_window_t parent, uint32_t width) {
  int found = 0;
  for (xcb_generic_event_t *event; (event = xcb_poll_for_event(view->connection)) != NULL; free(event)) {
    const xcb_configure_notify_event_t *now = (const xcb_configure_notify_event_t *)event;
    if ((event->response_type & 0x7F) == XCB_CONFIGURE_NOTIFY && now->window == parent && now->width == width) found = 1;
  }
  return found;
}

/* It fills the parent, whatever size that has, and is gone from it with the instance. */
static void test_embedded(const char *id) {
  viewer view = look();
  host_instance instance;
  xcb_window_t parent = new_parent(&view, 200, 100);
  await_points(&view, 200, 100, (point[]){{1, 1, SAND}}, 1, "the parent");
  embed(&instance, parent);
  CHECK_EQ(set_parent(&instance, id, parent), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "title", "not seen"), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  await_points(&view, 200, 100, (point[]){{0, 0, SEA}, {199, 99, SEA}}, 2, "before a frame");
  CHECK_EQ(render(&instance, quarters(&instance, 64, 32)), MSDK_OK);
  await_points(&view, 200, 100, (point[]){{2, 2, RED}, {197, 2, GREEN}, {2, 97, BLUE}, {197, 97, WHITE}}, 4, "embedded");
  await_place(&view, parent, 0, 0, 200, 100);
  check_events(&view, parent);
  xcb_window_t child = child_of(&view, parent);
  xcb_list_properties_reply_t *listed = xcb_list_properties_reply(view.connection, xcb_list_properties(view.connection, child), NULL);
  CHECK(listed != NULL && listed->atoms_len == 0);
  free(listed);

  CHECK(!configured(&view, parent, 320));
  resize(&view, parent, 320, 240);
  await_place(&view, parent, 0, 0, 320, 240);
  await_points(&view, 320, 240, (point[]){{160, 20, SEA}, {2, 42, RED}, {317, 197, WHITE}, {160, 220, SEA}}, 4, "the parent is larger");
  await_event(&instance, EVENT_RESIZED, MSDK_OK, 1);
  CHECK_TEXT(instance.context.event_log[0].detail, "320x240");
  CHECK(configured(&view, parent, 320));
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(renderer->snapshot_format(instance.self, &format), MSDK_OK);
  CHECK_EQ(format.width, 320);
  for (uint32_t i = 0; i < 100; i++) resize(&view, parent, 1 + i * 37 % 320, 1 + i * 91 % 240);
  resize(&view, parent, 80, 40);
  await_place(&view, parent, 0, 0, 80, 40);
  await_points(&view, 80, 40, (point[]){{2, 2, RED}, {77, 37, WHITE}}, 2, "after many sizes");
  CHECK_EQ(child_of(&view, parent), child);

  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  await_points(&view, 80, 40, (point[]){{0, 0, SAND}, {79, 39, SAND}}, 2, "released");
  CHECK_EQ(child_of(&view, parent), 0);
  close_window(&instance);
  xcb_disconnect(view.connection);
}

/* A position and a size in the parent: what is not given goes to the parent's edge, also when that moves. */
static void test_place_in_parent(void) {
  viewer view = look();
  static const struct {
    int32_t x, y;
    uint32_t width, height;
    place at, later; /* in 200x100, then in 300x60 */
  } cases[] = {
    {20, 10, 60, 40, {20, 10, 60, 40, 0}, {20, 10, 60, 40, 0}},
    {20, 10, 0, 0, {20, 10, 180, 90, 0}, {20, 10, 280, 50, 0}},
    {INT32_MIN, 30, 50, 0, {0, 30, 50, 70, 0}, {0, 30, 50, 30, 0}},
    {-15, INT32_MIN, 0, 20, {-15, 0, 215, 20, 0}, {-15, 0, 315, 20, 0}},
    {250, 80, 0, 0, {250, 80, 1, 20, 0}, {250, 80, 50, 1, 0}}, /* outside, so that nothing is seen */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    host_instance instance;
    xcb_window_t parent = new_parent(&view, 200, 100);
    embed(&instance, parent);
    if (cases[i].x != INT32_MIN) CHECK_EQ(host_set_i32(&instance, "x", cases[i].x), MSDK_OK);
    if (cases[i].y != INT32_MIN) CHECK_EQ(host_set_i32(&instance, "y", cases[i].y), MSDK_OK);
    CHECK_EQ(host_set_u32(&instance, "width", cases[i].width), MSDK_OK);
    CHECK_EQ(host_set_u32(&instance, "height", cases[i].height), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    CHECK_EQ(render(&instance, plain(&instance, 60, 40, RED)), MSDK_OK);
    place at = cases[i].at, later = cases[i].later;
    await_place(&view, parent, at.x, at.y, at.width, at.height);
    if (i == 0) {
      const point points[] = {{19, 30, SAND}, {20, 10, RED}, {79, 49, RED}, {80, 30, SAND}, {40, 9, SAND}, {40, 50, SAND}};
      await_points(&view, 200, 100, points, 6, "in the parent");
    }
    resize(&view, parent, 300, 60);
    await_place(&view, parent, later.x, later.y, later.width, later.height);
    close_window(&instance);
    destroy(&view, parent);
    await_gone(&view);
  }
  xcb_disconnect(view.connection);
}

/* A toolkit's window may have an alpha channel, which the screen has not. */
static void test_deep_parent(void) {
  viewer view = look();
  xcb_visualid_t visual = 0;
  xcb_depth_iterator_t depths = xcb_screen_allowed_depths_iterator(view.screen);
  for (; depths.rem > 0; xcb_depth_next(&depths)) {
    if (depths.data->depth == 32 && xcb_depth_visuals_length(depths.data) > 0) visual = xcb_depth_visuals(depths.data)[0].visual_id;
  }
  CHECK(visual != 0);
  xcb_colormap_t colormap = xcb_generate_id(view.connection);
  xcb_create_colormap(view.connection, XCB_COLORMAP_ALLOC_NONE, colormap, view.screen->root, visual);
  xcb_window_t parent = xcb_generate_id(view.connection);
  uint32_t values[] = {0xFF000000 | SAND, 0, colormap};
  xcb_create_window(view.connection, 32, parent, view.screen->root, 0, 0, 120, 80, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, visual,
                    XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_COLORMAP, values);
  xcb_map_window(view.connection, parent);
  free(xcb_get_input_focus_reply(view.connection, xcb_get_input_focus(view.connection), NULL));
  CHECK_EQ(place_of(&view, parent).depth, 32);
  host_instance instance;
  embed(&instance, parent);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, plain(&instance, 120, 80, GREEN)), MSDK_OK);
  await_place(&view, parent, 0, 0, 120, 80);
  int64_t until = deadline_ns();
  uint32_t pixel = 0;
  do { /* on the screen: an image of the parent has no pixels of another depth */
    xcb_get_image_cookie_t asked = xcb_get_image(view.connection, XCB_IMAGE_FORMAT_Z_PIXMAP, view.screen->root, 60, 40, 1, 1, UINT32_MAX);
    xcb_get_image_reply_t *image = xcb_get_image_reply(view.connection, asked, NULL);
    if (image != NULL) memcpy(&pixel, xcb_get_image_data(image), sizeof pixel);
    free(image);
    if ((pixel & 0xFFFFFF) != GREEN) pause_ms(10);
  } while ((pixel & 0xFFFFFF) != GREEN && host_monotonic_ns() < until);
  CHECK_EQ(pixel & 0xFFFFFF, GREEN);
  close_window(&instance);
  xcb_disconnect(view.connection);
}

/* --------------------------------------------------------------------------------------------------------------------- its end */

/* A picture of 80x60 in a parent of that size, all red. */
static void embed_red(viewer *view, host_instance *instance, xcb_window_t parent) {
  embed(instance, parent);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
  CHECK_EQ(render(instance, plain(instance, 80, 60, RED)), MSDK_OK);
  await_points(view, 80, 60, (point[]){{1, 1, RED}}, 1, "embedded");
}

/* By its owner, or because its owner ends. One event says so, and nothing is kept. */
static void test_parent_destroyed(int with_owner) {
  viewer view = look(), owner = look();
  host_instance instance;
  xcb_window_t parent = new_parent(&owner, 80, 60);
  embed_red(&view, &instance, parent);
  if (with_owner) xcb_disconnect(owner.connection);
  else destroy(&owner, parent);
  msdk_result result = MSDK_OK;
  for (int64_t until = deadline_ns(); result == MSDK_OK && host_monotonic_ns() < until;) {
    result = render(&instance, plain(&instance, 80, 60, GREEN));
    pause_ms(2);
  }
  CHECK_EQ(result, MSDK_E_CLOSED);
  char words[64];
  snprintf(words, sizeof words, "the parent window 0x%x was destroyed", parent);
  CHECK_TEXT(instance.context.error_text, words);
  await_event(&instance, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST, 1);
  CHECK_TEXT(instance.context.event_log[0].detail, words);
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, GREEN)), MSDK_E_CLOSED);
  CHECK_EQ(outstanding(&instance), 0);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_NOT_FOUND);
  CHECK_EQ(instance.context.events, 1);
  /* In another parent it is there again. */
  parent = new_parent(&view, 90, 70);
  CHECK_EQ(set_parent(&instance, "%u", parent), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, BLUE)), MSDK_OK);
  await_points(&view, 90, 70, (point[]){{45, 35, BLUE}}, 1, "in another");
  close_window(&instance);
  if (!with_owner) xcb_disconnect(owner.connection);
  xcb_disconnect(view.connection);
}

/* Whenever that is: before the window is made, while it is made, while a frame is shown. */
static void test_parent_destroyed_early(void) {
  viewer view = look();
  for (int i = 0; i < 40; i++) {
    host_instance instance;
    xcb_window_t parent = new_parent(&view, 80, 60);
    embed(&instance, parent);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    if (i % 2 == 0) render(&instance, plain(&instance, 80, 60, RED));
    if (i % 4 >= 2) pause_ms(i / 4);
    destroy(&view, parent);
    await_event(&instance, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST, 1);
    CHECK_EQ(render(&instance, plain(&instance, 80, 60, RED)), MSDK_E_CLOSED);
    CHECK_EQ(instance.context.events, 1);
    close_window(&instance);
  }
  xcb_disconnect(view.connection);
}

/* A message to the parent, also one to all who select its structure events, is the parent's owner's. */
static void test_message_to_parent(void) {
  viewer view = look();
  host_instance instance;
  xcb_window_t parent = new_parent(&view, 80, 60);
  embed_red(&view, &instance, parent);
  xcb_client_message_event_t message = {.response_type = XCB_CLIENT_MESSAGE, .format = 32, .window = parent};
  message.type = atom(&view, "WM_PROTOCOLS");
  message.data.data32[0] = atom(&view, "WM_DELETE_WINDOW");
  xcb_send_event(view.connection, 0, parent, STRUCTURE, (const char *)&message);
  resize(&view, parent, 100, 60); /* seen after the message */
  await_event(&instance, EVENT_RESIZED, MSDK_OK, 1);
  CHECK_EQ(render(&instance, plain(&instance, 100, 60, GREEN)), MSDK_OK);
  await_points(&view, 100, 60, (point[]){{99, 59, GREEN}}, 1, "still embedded");
  CHECK_EQ(instance.context.events, 1);
  close_window(&instance);
  xcb_disconnect(view.connection);
}

/* Only the video's window is destroyed: as when a user closes one. */
static void test_child_destroyed(void) {
  viewer view = look();
  host_instance instance;
  xcb_window_t parent = new_parent(&view, 80, 60);
  embed_red(&view, &instance, parent);
  destroy(&view, child_of(&view, parent));
  await_event(&instance, EVENT_CLOSED, MSDK_OK, 1);
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, RED)), MSDK_E_CLOSED);
  CHECK_TEXT(instance.context.error_text, "the window was closed");
  CHECK_EQ(instance.context.events, 1);
  close_window(&instance);
  xcb_disconnect(view.connection);
}

/* --------------------------------------------------------------------------------------------------------------------- refused */

static void refused_parent(const char *text, msdk_result wanted, const char *words) {
  host_instance instance;
  make(&instance);
  CHECK_EQ(host_set_string(&instance, "parent", text), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  CHECK_TEXT(instance.context.error_text, "accepted");
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
}

static void test_params(void) {
  static const char *const wrong[] = {"0", "0x", "0x0", "-1", "abc", "12g", "0x12g", " 12", "12 ", "+12", "4294967296", "0x100000000"};
  host_instance instance;
  make(&instance);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "parent '%s'", wrong[i]);
    CHECK_EQ(host_set_string(&instance, "parent", wrong[i]), MSDK_E_INVALID);
    CHECK_TEXT(instance.context.error_text, quoted);
    CHECK_TEXT(instance.context.error_text, "accepted: 1 to 4294967295");
  }
  CHECK_EQ(host_set_string(&instance, "parent", "0X3a00007"), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "parent", "60817415"), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "parent", ""), MSDK_OK);
  const char *const names[] = {"x", "y"};
  const int32_t far[] = {-32769, 32768, INT32_MAX, INT32_MIN + 1};
  for (int i = 0; i < 8; i++) {
    char words[64];
    snprintf(words, sizeof words, "%s %d is outside -32768..32767", names[i / 4], far[i % 4]);
    CHECK_EQ(host_set_i32(&instance, names[i / 4], far[i % 4]), MSDK_E_RANGE);
    CHECK_TEXT(instance.context.error_text, words);
  }
  CHECK_EQ(host_set_i32(&instance, "x", -32768), MSDK_OK);
  CHECK_EQ(host_set_i32(&instance, "y", 32767), MSDK_OK);
  CHECK_EQ(host_set_i32(&instance, "y", INT32_MIN), MSDK_OK);
  CHECK_EQ(host_set_u32(&instance, "x", 1), MSDK_E_TYPE);
  host_destroy(&instance);
}

static void test_bad_parent(void) {
  viewer view = look();
  char id[32], words[64];
  refused_parent("0x1fffffff", MSDK_E_NOT_FOUND, "parent 0x1fffffff is not a window");
  xcb_pixmap_t pixmap = xcb_generate_id(view.connection);
  xcb_create_pixmap(view.connection, view.screen->root_depth, pixmap, view.screen->root, 20, 20);
  xcb_window_t unseen = xcb_generate_id(view.connection);
  xcb_create_window(view.connection, 0, unseen, view.screen->root, 0, 0, 20, 20, 0, XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, 0,
                    NULL);
  free(xcb_get_input_focus_reply(view.connection, xcb_get_input_focus(view.connection), NULL));
  snprintf(id, sizeof id, "%u", pixmap);
  snprintf(words, sizeof words, "parent 0x%x is not a window", pixmap);
  refused_parent(id, MSDK_E_NOT_FOUND, words);
  snprintf(id, sizeof id, "%u", unseen);
  snprintf(words, sizeof words, "parent 0x%x shows nothing", unseen);
  refused_parent(id, MSDK_E_UNSUPPORTED, words);
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(view.connection));
  CHECK_EQ(screens.rem, 2);
  for (; screens.rem > 0; xcb_screen_next(&screens)) {
    snprintf(id, sizeof id, "%u", screens.data->root);
    snprintf(words, sizeof words, "parent 0x%x is a root window", screens.data->root);
    refused_parent(id, MSDK_E_INVALID, words);
  }
  host_instance instance;
  xcb_window_t parent = new_parent(&view, 80, 60);
  embed(&instance, parent);
  CHECK_EQ(host_set_bool(&instance, "fullscreen", 1), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, "fullscreen is true and parent is 0x");
  CHECK_EQ(host_set_bool(&instance, "fullscreen", 0), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  await_place(&view, parent, 0, 0, 80, 60);
  close_window(&instance);
  xcb_disconnect(view.connection);
}

/* The parent's screen counts, and its pixels, not those of the display's first screen. */
static void test_second_screen(void) {
  viewer view = look(), second = look();
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(second.connection));
  xcb_screen_next(&screens);
  second.screen = screens.data;
  second.red_mask = 0xF800;
  second.green_mask = 0x7E0;
  second.blue_mask = 0x1F;
  CHECK_EQ(second.screen->root_depth, 16);
  host_instance instance;
  xcb_window_t parent = new_parent(&second, 100, 50);
  embed(&instance, parent);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, quarters(&instance, 100, 50)), MSDK_OK);
  await_points(&second, 100, 50, (point[]){{2, 2, RED}, {97, 2, GREEN}, {2, 47, BLUE}, {97, 47, WHITE}}, 4, "on the second screen");
  CHECK_EQ(place_of(&second, child_of(&second, parent)).depth, 16);
  CHECK_EQ(the_window(&view), 0);
  close_window(&instance);
  xcb_disconnect(second.connection);
  xcb_disconnect(view.connection);
}

/* ---------------------------------------------------------------------------------------------------------- a window of its own */

/* flags, x, y, width, height of WM_NORMAL_HINTS; all 0 when there are none. */
static void size_hints(const viewer *view, uint32_t hints[5]) {
  xcb_get_property_cookie_t asked =
    xcb_get_property(view->connection, 0, the_window(view), XCB_ATOM_WM_NORMAL_HINTS, XCB_ATOM_WM_SIZE_HINTS, 0, 18);
  xcb_get_property_reply_t *reply = xcb_get_property_reply(view->connection, asked, NULL);
  memset(hints, 0, 5 * sizeof *hints);
  if (reply != NULL && xcb_get_property_value_length(reply) == 72) memcpy(hints, xcb_get_property_value(reply), 5 * sizeof *hints);
  free(reply);
}

static void test_position(void) {
  enum { NONE = INT32_MIN, US_POSITION = 1, US_SIZE = 2 };
  static const struct {
    int32_t x, y;
    uint32_t size, flags;
    int at_x, at_y;
  } cases[] = {{NONE, NONE, 0, 0, 0, 0},          {0, 0, 0, US_POSITION, 0, 0},
               {120, 70, 0, US_POSITION, 120, 70}, {NONE, 33, 50, US_POSITION | US_SIZE, 0, 33},
               {44, NONE, 0, US_POSITION, 44, 0},  {-20, -10, 50, US_POSITION | US_SIZE, -20, -10},
               {NONE, NONE, 50, US_SIZE, 0, 0}};
  viewer view = look();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    host_instance instance;
    uint32_t hints[5];
    await_gone(&view);
    make(&instance);
    if (cases[i].x != NONE) CHECK_EQ(host_set_i32(&instance, "x", cases[i].x), MSDK_OK);
    if (cases[i].y != NONE) CHECK_EQ(host_set_i32(&instance, "y", cases[i].y), MSDK_OK);
    CHECK_EQ(host_set_u32(&instance, "width", cases[i].size), MSDK_OK);
    CHECK_EQ(host_set_u32(&instance, "height", cases[i].size), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    CHECK_EQ(render(&instance, plain(&instance, 50, 50, RED)), MSDK_OK);
    int64_t until = deadline_ns();
    while (the_window(&view) == 0 && host_monotonic_ns() < until) pause_ms(5);
    await_place(&view, view.screen->root, cases[i].at_x, cases[i].at_y, 50, 50);
    size_hints(&view, hints);
    CHECK_EQ(hints[0], cases[i].flags);
    if (cases[i].flags != 0) {
      CHECK_EQ((int32_t)hints[1], cases[i].at_x);
      CHECK_EQ((int32_t)hints[2], cases[i].at_y);
      CHECK_EQ(hints[3], 50);
      CHECK_EQ(hints[4], 50);
    }
    close_window(&instance);
  }
  xcb_disconnect(view.connection);
}

int main(int argc, char **argv) {
  load_window(argc, argv);
  start_server("-screen 0 640x480x24 -screen 1 320x240x16");
  test_params();
  test_embedded("0x%x");
  test_embedded("%u");
  test_place_in_parent();
  test_deep_parent();
  test_parent_destroyed(0);
  test_parent_destroyed(1);
  test_parent_destroyed_early();
  test_message_to_parent();
  test_child_destroyed();
  test_bad_parent();
  test_second_screen();
  test_position();
  server_stop();
  return check_done();
}
