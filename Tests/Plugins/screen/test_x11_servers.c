/* X servers that are silent, or go away. What must hold is waited for, however slow all is. */
#define _XOPEN_SOURCE 700
#include "x11_capture.h"

/* A server that is halted, or grabbed by a program, does not hold its capturer: nothing is new meanwhile, and stopping is possible. */
static void test_silent(void) {
  client_use_cursor(&client, client.screen->root, 68);
  for (int i = 0; i < 2; i++) {
    capture capture;
    make(&capture, "display");
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
    x11_client other;
    if (open_capture(&capture) && client_open(&other, display)) {
      client_pointer(&client, 100, 100);
      CHECK(becomes_still(&capture));
      xcb_grab_server(other.link);
      client_fill(&other, client.screen->root, i == 0 ? RED : BLUE, 0, 0, 640, 480);
      client_sync(&other);
      CHECK(becomes_still(&capture)); /* in time, while nobody but the grabber is served */
      if (i == 0) {
        xcb_ungrab_server(other.link);
        client_sync(&other);
        CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
        CHECK(becomes_still(&capture));
      }
      CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
      if (i == 1) {
        begin_capture(&capture);
        CHECK(becomes_still(&capture));
        CHECK_TEXT(capture.host.context.error_text, "does not answer");
        xcb_ungrab_server(other.link);
        client_sync(&other);
        CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
      }
      client_close(&other);
    }
    close_capture(&capture);
  }
}

static void test_server_dies(void) {
  static const char *const kinds[] = {"display", "window"};
  for (int i = 0; i < 2; i++) {
    if (!begin("-screen 0 640x480x24")) return;
    client_window(&client, "on a server", 10, 10, 100, 80, 0, BLUE);
    capture capture;
    make(&capture, kinds[i]);
    CHECK_EQ(host_set_string(&capture.host, "window", "on a server"), MSDK_OK);
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
    msdk_video_frame *kept = NULL;
    if (open_capture(&capture)) {
      kept = next_frame(&capture);
      server_kill();
      client_close(&client);
      lost_once(&capture, "the connection to the X server is lost");
      msdk_result result = producer->init_capture(capture.host.self); /* by now another program's server may have that number */
      CHECK(result == MSDK_E_IO || result == MSDK_E_NOT_FOUND || result == MSDK_OK);
      if (result == MSDK_OK) CHECK_EQ(producer->release_capture(capture.host.self), MSDK_OK);
    }
    /* Another one, which may have another number. */
    if (!begin("-screen 0 320x200x24")) return;
    client_window(&client, "on a server", 10, 10, 60, 40, 0, RED);
    CHECK_EQ(host_set_string(&capture.host, "display", display), MSDK_OK);
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 0), MSDK_OK);
    if (open_capture(&capture)) CHECK(becomes(&capture, i == 0 ? root_image() : one_colour(60, 40, RED)));
    if (kept != NULL) host_unref(kept);
    close_capture(&capture);
    end();
  }
}

/* It dies at any moment, which is between two requests, or within. */
static void test_server_dies_at_work(void) {
  for (int i = 0; i < 4; i++) {
    if (!begin("-screen 0 1280x1024x24")) return;
    capture capture;
    make(&capture, "display");
    if (open_capture(&capture)) {
      char command[400];
      snprintf(command, sizeof command, "(sleep 0.%d; kill -KILL $(cat '%s/pid')) > /dev/null 2>&1 &", i, server_folder);
      CHECK_EQ(system(command), 0);
      msdk_video_frame *frame;
      msdk_result result;
      int64_t until = deadline_ns();
      do {
        client_fill(&client, client.screen->root, (uint32_t)host_monotonic_ns() & 0xFFFFFF, 0, 0, 1280, 1024);
        xcb_flush(client.link);
        result = produce(&capture, &frame);
        if (frame != NULL) host_unref(frame);
      } while ((result == MSDK_OK || result == MSDK_E_AGAIN) && host_monotonic_ns() < until);
      CHECK_EQ(result, MSDK_E_DEVICE_LOST);
      CHECK_EQ(produce(&capture, &frame), MSDK_E_CLOSED);
    }
    close_capture(&capture);
    end();
  }
}

int main(int argc, char **argv) {
  load_producer(argc, argv);
  if (!has_servers()) return 0;
  if (begin("-screen 0 640x480x24")) {
    test_silent();
    end();
  }
  test_server_dies();
  test_server_dies_at_work();
  return check_done();
}
