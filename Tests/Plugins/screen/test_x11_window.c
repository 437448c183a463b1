/* A window: covered, hidden, resized, closed, with alpha, and of real programs. What must hold is waited for, however slow all is. */
#define _XOPEN_SOURCE 700
#include "x11_capture.h"

static void test_no_window(void) {
  refused(display, "window", "window", "", MSDK_E_INVALID, "'window' is empty");
  refused(display, "window", "window", "0x3fffff1", MSDK_E_NOT_FOUND, "'0x3fffff1'");
  refused(display, "window", "window", "99999999999999999999", MSDK_E_NOT_FOUND, "number or the title");
  refused(display, "window", "window", "0", MSDK_E_NOT_FOUND, "'0'");
  refused(display, "window", "window", "no such title", MSDK_E_NOT_FOUND, "'no such title'");
  char name[32];
  snprintf(name, sizeof name, "%u", client.screen->root);
  refused(display, "window", "window", name, MSDK_E_INVALID, "is the root window");
  xcb_window_t input = xcb_generate_id(client.link);
  xcb_create_window(client.link, 0, input, client.screen->root, 0, 0, 50, 50, 0, XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, 0,
                    NULL);
  client_sync(&client);
  snprintf(name, sizeof name, "0x%X", input);
  refused(display, "window", "window", name, MSDK_E_UNSUPPORTED, "InputOnly");
  xcb_window_t small = client_window(&client, "small", 0, 0, 1, 30, 0, RED);
  refused(display, "window", "window", "small", MSDK_E_UNSUPPORTED, "0x30");
  xcb_destroy_window(client.link, input);
  xcb_destroy_window(client.link, small);
  client_sync(&client);
}

static void test_window(void) {
  xcb_window_t window = client_window(&client, "to be captured", 50, 60, 201, 103, 5, BLUE);
  xcb_window_t child = xcb_generate_id(client.link);
  uint32_t green = GREEN;
  xcb_create_window(client.link, XCB_COPY_FROM_PARENT, child, window, 30, 30, 20, 20, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                    XCB_COPY_FROM_PARENT, XCB_CW_BACK_PIXEL, &green);
  xcb_map_window(client.link, child);
  client_sync(&client);
  const char *names[] = {"%u", "0x%x", "to be captured"};
  for (int i = 0; i < 3; i++) {
    capture capture;
    use_window(&capture, window, names[i]);
    if (open_capture(&capture)) {
      CHECK_EQ(capture.format.width, 200);
      CHECK_EQ(capture.format.height, 102);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      client_paint(&client, window, 201, 103, (uint32_t)i);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      CHECK(becomes_still(&capture));
      client_fill(&client, child, RED, 3, 3, 5, 5);
      client_sync(&client);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      client_configure(&client, window, XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y, 500, 400); /* half of it leaves the display */
      client_fill(&client, window, RED, 190, 90, 20, 20);
      client_sync(&client);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      client_configure(&client, window, XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y, 50, 60);
      client_configure(&client, window, XCB_CONFIG_WINDOW_BORDER_WIDTH, 9 + (uint32_t)i, 0);
      client_paint(&client, window, 201, 103, 44);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      CHECK_EQ(changes_told(&capture), 0);
    }
    close_capture(&capture);
  }
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void test_covered(void) {
  xcb_window_t window = client_window(&client, "below", 50, 60, 200, 100, 0, BLUE);
  capture capture;
  use_window(&capture, window, "%u");
  CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
  client_pointer(&client, 0, 0);
  if (open_capture(&capture)) {
    xcb_window_t cover = client_window(&client, "above", 40, 50, 150, 200, 0, RED);
    client_fill(&client, window, GREEN, 10, 10, 100, 50);
    client_sync(&client);
    x11_image wanted = one_colour(200, 100, BLUE);
    for (int y = 10; y < 60; y++) {
      for (int x = 10; x < 110; x++) memcpy(wanted.bytes + 4 * (y * 200 + x), "\x00\xFF\x00\xFF", 4);
    }
    CHECK(becomes(&capture, wanted));
    x11_image seen = client_image(&client, client.screen->root, 50, 60, 2, 2);
    CHECK_EQ(seen.bytes[2], 0xFF); /* it is covered indeed */
    free(seen.bytes);
    CHECK(becomes_still(&capture));
    client_fill(&client, cover, GREY, 0, 0, 150, 200);
    client_sync(&client);
    CHECK(becomes_still(&capture));
    xcb_destroy_window(client.link, cover);
    client_sync(&client);
  }
  close_capture(&capture);
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void test_hidden(void) {
  xcb_window_t window = client_window(&client, "hidden", 50, 60, 200, 100, 0, BLUE);
  capture capture;
  use_window(&capture, window, "%u");
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, one_colour(200, 100, BLUE)));
    msdk_video_frame *last = NULL;
    for (int i = 0; i < 3; i++) {
      xcb_unmap_window(client.link, window);
      client_sync(&client);
      CHECK(becomes_still(&capture));
      uint32_t back = i % 2 == 0 ? RED : GREEN;
      CHECK_EQ(host_set_bool(&capture.host, "skip_unchanged", 0), MSDK_OK);
      CHECK_EQ(produce(&capture, &last), MSDK_OK); /* the last picture is kept */
      if (last != NULL) host_unref(last);
      CHECK_EQ(host_set_bool(&capture.host, "skip_unchanged", 1), MSDK_OK);
      xcb_change_window_attributes(client.link, window, XCB_CW_BACK_PIXEL, &back);
      xcb_map_window(client.link, window);
      client_sync(&client);
      CHECK(becomes(&capture, one_colour(200, 100, back)));
    }
    CHECK_EQ(changes_told(&capture), 0);
  }
  close_capture(&capture);
  xcb_unmap_window(client.link, window);
  client_sync(&client);
  use_window(&capture, window, "%u"); /* not there yet */
  if (open_capture(&capture)) {
    CHECK(becomes_still(&capture));
    CHECK_EQ(capture.host.context.wrapped, 0);
    xcb_map_window(client.link, window);
    client_sync(&client);
    CHECK(becomes(&capture, one_colour(200, 100, RED)));
  }
  close_capture(&capture);
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void test_resized(void) {
  xcb_window_t window = client_window(&client, "resized", 10, 10, 200, 100, 2, BLUE);
  capture capture;
  use_window(&capture, window, "%u");
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, one_colour(200, 100, BLUE)));
    msdk_video_format before = capture.format;
    client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, 301, 55);
    client_sync(&client);
    CHECK(follow_change(&capture));
    CHECK_EQ(capture.format.width, 300);
    CHECK_EQ(capture.format.height, 54);
    CHECK_EQ(changes_told(&capture), 1);
    CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
    CHECK_EQ(producer->set_format(capture.host.self, &before), MSDK_E_FORMAT);
    CHECK_TEXT(capture.host.context.error_text, "the captured area is 300x54");
    begin_capture(&capture);
    CHECK(becomes(&capture, one_colour(300, 54, BLUE)));
    client_paint(&client, window, 301, 55, 3);
    CHECK(becomes(&capture, client_image(&client, window, 0, 0, 300, 54)));
    /* Too small for a picture, and back. */
    client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, 1, 1);
    client_sync(&client);
    CHECK(becomes_still(&capture));
    client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, 300, 54);
    client_sync(&client);
    CHECK(becomes(&capture, one_colour(300, 54, BLUE)));
    CHECK_EQ(changes_told(&capture), 1);
  }
  close_capture(&capture);

  /* Between any two requests of ours: whatever comes is of one size and one colour. */
  client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, 200, 100);
  use_window(&capture, window, "%u");
  client_sync(&client);
  uint32_t frames = 0, random = 5;
  if (open_capture(&capture)) {
    /* A plugin in another process may need longer for one picture than for a thousand changes: then it is left alone until one comes. */
    for (int i = 0; i < 1000 || (i < 3000 && frames == 0); i++) {
      if (i >= 1000) pause_ms(10);
      random = random * 1664525 + 1013904223;
      uint32_t width = 20 + (random >> 8) % 300, height = 20 + (random >> 17) % 300;
      /* Left alone for a while now and then, so that pictures come however slow this is. */
      if (i < 1000 && i % 3 == 0 && i % 100 < 80) client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, width, height);
      msdk_video_frame *frame;
      CHECK(produce(&capture, &frame) == (frame != NULL ? MSDK_OK : MSDK_E_AGAIN));
      if (frame != NULL) {
        x11_image wanted = one_colour(capture.format.width, capture.format.height, BLUE);
        CHECK(same(frame, &wanted));
        free(wanted.bytes);
        host_unref(frame);
        frames++;
      }
      /* A change is told once for each start, and may be told between two looks. */
      if (changes_told(&capture) == 0 && capture.host.context.events <= HOST_EVENTS) continue;
      capture.host.context.events = 0; /* its log is short */
      CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
      begin_capture(&capture);
    }
  }
  CHECK(frames > 0);
  close_capture(&capture);
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void test_closed(void) {
  xcb_window_t window = client_window(&client, "closed", 10, 10, 200, 100, 2, BLUE);
  capture capture;
  use_window(&capture, window, "%u");
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, one_colour(200, 100, BLUE)));
    client_fill(&client, window, RED, 0, 0, 10, 10);
    xcb_destroy_window(client.link, window);
    client_sync(&client);
    lost_once(&capture, "the window was closed");
  }
  CHECK_EQ(producer->init_capture(capture.host.self), MSDK_E_NOT_FOUND);
  host_destroy(&capture.host);
}

/* A window with alpha: what is transparent comes out as over black, and the fourth byte as 255. */
static void test_alpha(void) {
  xcb_visualid_t visual = 0;
  for (xcb_depth_iterator_t i = xcb_screen_allowed_depths_iterator(client.screen); i.rem > 0; xcb_depth_next(&i)) {
    if (i.data->depth == 32 && xcb_depth_visuals_length(i.data) > 0) visual = xcb_depth_visuals(i.data)->visual_id;
  }
  if (visual == 0) {
    printf("SKIPPED: this server has no windows of depth 32\n");
    return;
  }
  xcb_window_t window = xcb_generate_id(client.link);
  xcb_colormap_t colours = xcb_generate_id(client.link);
  xcb_create_colormap(client.link, XCB_COLORMAP_ALLOC_NONE, colours, client.screen->root, visual);
  uint32_t values[] = {0x80402010, 0, 1, colours};
  xcb_create_window(client.link, 32, window, client.screen->root, 20, 20, 100, 80, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, visual,
                    XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_COLORMAP, values);
  xcb_map_window(client.link, window);
  client_sync(&client);
  capture capture;
  use_window(&capture, window, "%u");
  if (open_capture(&capture)) CHECK(becomes(&capture, one_colour(100, 80, 0x402010)));
  close_capture(&capture);
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void test_programs(void) {
  char command[400];
  snprintf(command, sizeof command,
           "(DISPLAY=%s xterm -title 'a terminal' -geometry 40x10+20+20 -e sh -c 'echo some text; sleep 600' & echo $!; "
           "DISPLAY=%s xclock -title 'a clock' -update 3600 -geometry 120x120+400+20 & echo $!) > '%s' 2>/dev/null",
           display, display, host_path("programs"));
  CHECK_EQ(system(command), 0);
  static const char *const titles[] = {"a terminal", "a clock"};
  for (int i = 0; i < 2; i++) {
    capture capture;
    make(&capture, "window");
    CHECK_EQ(host_set_string(&capture.host, "window", titles[i]), MSDK_OK);
    int64_t until = deadline_ns();
    while (producer->init_capture(capture.host.self) != MSDK_OK && host_monotonic_ns() < until) pause_ms(50);
    begin_capture(&capture);
    int good = 0;
    uint32_t told = 0;
    for (; !good && host_monotonic_ns() < until; pause_ms(2)) { /* it may not have drawn all yet, nor have its last size */
      msdk_video_frame *frame;
      CHECK(produce(&capture, &frame) == (frame != NULL ? MSDK_OK : MSDK_E_AGAIN));
      if (changes_told(&capture) > told) {
        told = changes_told(&capture);
        CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
        begin_capture(&capture);
      }
      if (frame == NULL) continue;
      x11_image image = client_image(&client, client.screen->root, i == 0 ? 21 : 401, 21, 100, 60);
      int colours = 0;
      for (size_t k = 1; k < (size_t)100 * 60; k++) colours += memcmp(image.bytes, image.bytes + 4 * k, 4) != 0;
      good = colours > 20;
      for (uint32_t y = 0; good && y < 60; y++) {
        for (uint32_t x = 0; good && x < 100; x++) {
          good = memcmp(frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride + 4 * x, image.bytes + 4 * (y * 100 + x), 4) == 0;
        }
      }
      free(image.bytes);
      host_unref(frame);
    }
    CHECK(good);
    close_capture(&capture);
  }
  snprintf(command, sizeof command, "kill $(cat '%s')", host_path("programs"));
  CHECK_EQ(system(command), 0);
}

int main(int argc, char **argv) {
  load_producer(argc, argv);
  if (!has_servers()) return 0;
  if (begin("-screen 0 640x480x24")) {
    test_no_window();
    test_window();
    test_covered();
    test_hidden();
    test_resized();
    test_closed();
    test_alpha();
    if (system("command -v xterm > /dev/null && command -v xclock > /dev/null") == 0) test_programs();
    else printf("SKIPPED: there are no programs to capture; install the packages xterm and x11-apps\n");
    end();
  }
  if (begin("-screen 0 640x480x24 -extension MIT-SHM")) { /* by another way */
    test_window();
    test_resized();
    end();
  }
  return check_done();
}
