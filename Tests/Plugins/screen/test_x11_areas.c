/* The pointer, parts of a display, and displays that get another size. What must hold is waited for, however slow all is. */
#define _XOPEN_SOURCE 700
#include "x11_capture.h"

static void run(const char *what) {
  char command[400];
  snprintf(command, sizeof command, "DISPLAY=%s %s", display, what);
  CHECK_EQ(system(command), 0);
}

/* --------------------------------------------------------------------------------------------------------------- the pointer */

static void set_rectangle(capture *capture, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  CHECK_EQ(host_set_u32(&capture->host, "x", x), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture->host, "y", y), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture->host, "width", width), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture->host, "height", height), MSDK_OK);
}

static void test_cursor(void) {
  client_paint(&client, client.screen->root, 640, 480, 99);
  client_use_cursor(&client, client.screen->root, 68);
  client_pointer(&client, 100, 100);
  capture capture;
  make(&capture, "display");
  CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    CHECK(becomes_still(&capture));
    const int places[][2] = {{105, 103}, {300, 200}, {0, 0}, {639, 479}, {639, 0}, {20, 20}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) { /* the pointer moves, and nothing else */
      client_pointer(&client, places[i][0], places[i][1]);
      CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
      CHECK(becomes_still(&capture));
    }
    for (int i = 0; i < 12; i++) CHECK(becomes_still(&capture)); /* after a long rest too */
    client_pointer(&client, 320, 240);
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    client_use_cursor(&client, client.screen->root, 52); /* it looks otherwise */
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    client_fill(&client, client.screen->root, GREEN, 10, 10, 30, 30); /* below it */
    client_sync(&client);
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    msdk_video_frame *kept = NULL;
    client_pointer(&client, 50, 50);
    kept = next_frame(&capture);
    client_pointer(&client, 60, 60); /* into another picture, while the last is kept */
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    if (kept != NULL) host_unref(kept);
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 0), MSDK_OK);
    CHECK(becomes(&capture, root_image()));
    client_pointer(&client, 70, 70);
    CHECK(becomes_still(&capture));
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
  }
  close_capture(&capture);

  make(&capture, "rectangle");
  CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
  set_rectangle(&capture, 200, 100, 64, 48);
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, image_with_cursor(200, 100, 64, 48, 0)));
    client_pointer(&client, 263, 120); /* half of it inside */
    CHECK(becomes(&capture, image_with_cursor(200, 100, 64, 48, 1)));
    client_pointer(&client, 400, 400);
    CHECK(becomes(&capture, image_with_cursor(200, 100, 64, 48, 0)));
    client_pointer(&client, 410, 410);
    CHECK(becomes_still(&capture));
  }
  close_capture(&capture);
}

/* ------------------------------------------------------------------------------------------------------ parts of the display */

static void test_rectangle(void) {
  capture capture;
  make(&capture, "rectangle");
  const uint32_t outside[][4] = {{640, 0, 2, 2}, {0, 480, 2, 2}, {600, 0, 41, 2}, {0, 479, 2, 2}, {0, 0, 641, 0}, {16384, 16384, 9, 9}};
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
    set_rectangle(&capture, outside[i][0], outside[i][1], outside[i][2], outside[i][3]);
    CHECK_EQ(producer->init_capture(capture.host.self), MSDK_E_RANGE);
    CHECK_TEXT(capture.host.context.error_text, "is not inside the display, which is 640x480");
  }
  set_rectangle(&capture, 639, 0, 1, 10);
  CHECK_EQ(producer->init_capture(capture.host.self), MSDK_E_UNSUPPORTED);
  CHECK_TEXT(capture.host.context.error_text, "0x10");
  client_paint(&client, client.screen->root, 640, 480, 5);
  set_rectangle(&capture, 101, 33, 151, 77);
  if (open_capture(&capture)) {
    CHECK_EQ(capture.format.width, 150);
    CHECK_EQ(capture.format.height, 76);
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 101, 33, 150, 76)));
    CHECK(becomes_still(&capture));
    client_fill(&client, client.screen->root, RED, 0, 0, 101, 480); /* beside it */
    client_sync(&client);
    CHECK(becomes_still(&capture));
    uint32_t before = capture.host.context.wrapped;
    client_fill(&client, client.screen->root, BLUE, 251, 0, 100, 480);
    client_sync(&client);
    CHECK(becomes_still(&capture));
    CHECK_EQ(capture.host.context.wrapped, before);
    client_fill(&client, client.screen->root, GREEN, 90, 30, 30, 30);
    client_sync(&client);
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 101, 33, 150, 76)));
  }
  close_capture(&capture);
  make(&capture, "rectangle");
  set_rectangle(&capture, 600, 440, 0, 0); /* to the edges */
  if (open_capture(&capture)) {
    CHECK_EQ(capture.format.width, 40);
    CHECK_EQ(capture.format.height, 40);
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 600, 440, 40, 40)));
  }
  close_capture(&capture);
}

/* The monitor of that number in the list; NULL at its end. */
static const char *monitor_at(capture *capture, uint32_t index, const char **label) {
  msdk_choice choice = MSDK_INIT(msdk_choice);
  msdk_result result = class->param_choice(capture->host.self, "monitor", index, &choice);
  CHECK(result == MSDK_OK || result == MSDK_E_NOT_FOUND);
  *label = choice.label != NULL ? choice.label : "";
  return result == MSDK_OK ? choice.value : NULL;
}

/* They come and go while somebody chooses; a list that was begun stays as it was. */
static void test_monitors_to_choose_from(void) {
  capture capture;
  const char *label;
  make(&capture, "monitor");
  CHECK(strcmp(monitor_at(&capture, 0, &label), "") == 0);
  CHECK(strstr(label, "primary") != NULL);
  CHECK(strcmp(monitor_at(&capture, 1, &label), "screen") == 0);
  CHECK(strstr(label, "640x480 at 0,0") != NULL);
  CHECK(monitor_at(&capture, 2, &label) == NULL);
  run("xrandr --setmonitor LEFT 320/80x301/100+11+7 none");
  CHECK(monitor_at(&capture, 2, &label) == NULL);
  int found = 0;
  const char *name;
  for (uint32_t i = 0; (name = monitor_at(&capture, i, &label)) != NULL; i++) {
    found += strcmp(name, "LEFT") == 0 && strcmp(label, "LEFT: 320x301 at 11,7") == 0;
  }
  CHECK_EQ(found, 1);
  run("xrandr --delmonitor LEFT");
  msdk_choice choice = MSDK_INIT(msdk_choice);
  CHECK_EQ(class->param_choice(capture.host.self, "window", 0, &choice), MSDK_E_NOT_FOUND);
  CHECK_EQ(host_set_string(&capture.host, "display", ":nonsense"), MSDK_OK);
  CHECK_EQ(class->param_choice(capture.host.self, "monitor", 0, &choice), MSDK_E_INVALID);
  CHECK(strstr(capture.host.context.error_text, ":nonsense") != NULL);
  CHECK(class->param_choice(capture.host.self, "monitor", 1, &choice) < 0);
  close_capture(&capture);
}

static void test_monitors(void) {
  capture capture;
  refused(display, "monitor", "monitor", "NOWHERE", MSDK_E_NOT_FOUND, "there is no monitor 'NOWHERE'; there is screen");
  client_paint(&client, client.screen->root, 640, 480, 21);
  make(&capture, "monitor");
  if (open_capture(&capture)) CHECK(becomes(&capture, root_image()));
  close_capture(&capture);
  run("xrandr --setmonitor LEFT 320/80x301/100+11+7 none");
  make(&capture, "monitor");
  CHECK_EQ(host_set_string(&capture.host, "monitor", "LEFT"), MSDK_OK);
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 11, 7, 320, 300)));
    client_paint(&client, client.screen->root, 640, 480, 22);
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 11, 7, 320, 300)));
  }
  close_capture(&capture);
  run("xrandr --delmonitor LEFT");
}

/* --------------------------------------------------------------------------------------------------------------- other sizes */

static void test_other_size(void) {
  run("xrandr --newmode small 25 400 410 420 430 300 310 311 320");
  run("xrandr --addmode screen small");
  const char *sources[] = {"display", "monitor"};
  for (int i = 0; i < 2; i++) {
    capture capture;
    make(&capture, sources[i]);
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
    client_pointer(&client, 350, 250);
    if (open_capture(&capture)) {
      msdk_video_frame *kept = next_frame(&capture);
      run("xrandr --output screen --mode small");
      CHECK(follow_change(&capture));
      CHECK_EQ(capture.format.width, 400);
      CHECK_EQ(capture.format.height, 300);
      client_paint(&client, client.screen->root, 400, 300, 3);
      CHECK(becomes(&capture, image_with_cursor(0, 0, 400, 300, 1)));
      run("xrandr --output screen --mode 640x480");
      CHECK(follow_change(&capture));
      client_paint(&client, client.screen->root, 640, 480, 4);
      CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
      CHECK_EQ(changes_told(&capture), 2);
      CHECK(host_count_events(&capture.host, MSDK_PLUGIN_EVENT_CHOICES_CHANGED, MSDK_OK) >= 2);
      if (kept != NULL) host_unref(kept);
    }
    close_capture(&capture);
  }
  capture capture;
  make(&capture, "rectangle");
  set_rectangle(&capture, 300, 200, 200, 200);
  if (open_capture(&capture)) {
    run("xrandr --output screen --mode small");
    lost_once(&capture, "the rectangle of 200x200 at 300,200 is not inside the display, which is 400x300");
  }
  host_destroy(&capture.host);
  run("xrandr --output screen --mode 640x480");
}

int main(int argc, char **argv) {
  load_producer(argc, argv);
  if (!has_servers()) return 0;
  if (begin("-screen 0 640x480x24")) {
    test_cursor();
    test_rectangle();
    test_monitors_to_choose_from();
    test_monitors();
    test_other_size();
    end();
  }
  return check_done();
}
