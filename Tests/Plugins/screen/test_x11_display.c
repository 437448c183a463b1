/* A display whole: what is refused, what is read of it, on servers of other depths too, and on those that lack something. What must hold is
 * waited for, however slow all is. */
#define _XOPEN_SOURCE 700
#include "x11_capture.h"

static void test_no_display(void) {
  int descriptors = host_open_descriptors();
  refused(":4711", "display", NULL, NULL, MSDK_E_IO, "no X server at display ':4711'");
  refused("nonsense", "display", NULL, NULL, MSDK_E_INVALID, "'nonsense' is not a name of an X display");
  unsetenv("DISPLAY");
  refused("", "display", NULL, NULL, MSDK_E_NOT_FOUND, "DISPLAY is not set");
  CHECK_EQ(host_open_descriptors(), descriptors);
}

static void test_params(void) {
  host_instance instance;
  host_create(&instance, class);
  host_check_params(&instance);
  CHECK_EQ(host_set_string(&instance, "source", "desktop"), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "'desktop'");
  CHECK_EQ(host_set_u32(&instance, "fps", 0), MSDK_E_RANGE);
  CHECK_EQ(host_set_u32(&instance, "fps", 61), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "61");
  CHECK_EQ(host_set_u32(&instance, "width", MSDK_DIMENSION_MAX + 1), MSDK_E_RANGE);
  CHECK_EQ(host_set_bool(&instance, "fps", 1), MSDK_E_TYPE);
  CHECK_EQ(host_set_u32(&instance, "cursor", 1), MSDK_E_TYPE);
  msdk_video_frame *frame = NULL;
  CHECK_EQ(producer->produce_frame(instance.self, 1, &frame), MSDK_E_STATE);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  host_destroy(&instance);
  CHECK_EQ(producer->flags, MSDK_PRODUCER_PULL | MSDK_PRODUCER_LIVE);
  msdk_host old = host_table;
  old.struct_size = offsetof(msdk_host, video_frame_wrap);
  msdk_self *self = NULL;
  CHECK_EQ(class->create(class, &old, NULL, &self), MSDK_E_ABI);
}

/* --------------------------------------------------------------------------------------------------------------- the display */

static void test_formats(void) {
  capture capture;
  make(&capture, "display");
  CHECK_EQ(host_set_u32(&capture.host, "fps", 24), MSDK_OK);
  msdk_self *self = capture.host.self;
  CHECK_EQ(producer->init_capture(self), MSDK_OK);
  msdk_video_format format = MSDK_INIT(msdk_video_format), bad[5];
  CHECK_EQ(producer->enum_formats(self, 0, &format), MSDK_OK);
  CHECK_EQ(format.pixel_format, MSDK_PIXEL_BGRA);
  CHECK_EQ(format.width, client.screen->width_in_pixels & ~1u);
  CHECK_EQ(format.height, client.screen->height_in_pixels & ~1u);
  CHECK_EQ(format.fps_num, 24);
  CHECK_EQ(format.fps_den, 1);
  CHECK_EQ(producer->enum_formats(self, 1, &format), MSDK_E_NOT_FOUND);
  CHECK_EQ(producer->set_format(self, NULL), MSDK_E_INVALID);
  for (int i = 0; i < 5; i++) bad[i] = format;
  bad[0].pixel_format = MSDK_PIXEL_NV12;
  bad[1].width -= 2;
  bad[2].height += 1;
  bad[3].fps_den = 0;
  bad[4].fps_num = 61;
  for (int i = 0; i < 5; i++) CHECK_EQ(producer->set_format(self, &bad[i]), MSDK_E_FORMAT);
  format.fps_num = 60;
  CHECK_EQ(producer->set_format(self, &format), MSDK_OK);
  CHECK_EQ(producer->capture_settings(self, &format), MSDK_OK);
  CHECK_EQ(format.fps_num, 60);
  CHECK_EQ(producer->is_capture_started(self), 0);
  CHECK_EQ(producer->release_capture(self), MSDK_OK);
  host_destroy(&capture.host);
}

static void test_display(void) {
  int descriptors = host_open_descriptors();
  capture capture;
  make(&capture, "display");
  client_paint(&client, client.screen->root, client.screen->width_in_pixels, client.screen->height_in_pixels, 1);
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, root_image()));
    for (uint32_t i = 0; i < 20; i++) {
      client_paint(&client, client.screen->root, client.screen->width_in_pixels, client.screen->height_in_pixels, 7 * i);
      CHECK(becomes(&capture, root_image()));
    }
    CHECK(becomes_still(&capture));
    for (int i = 0; i < 5; i++) { /* again and again */
      CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
      begin_capture(&capture);
      CHECK(becomes(&capture, root_image()));
    }
  }
  close_capture(&capture);
  CHECK_EQ(host_open_descriptors(), descriptors);
}

/* What was not drawn on is not read: a mark that is left in the memory, once the frame was given back, stays. */
static void test_parts(void) {
  capture capture;
  make(&capture, "display");
  client_fill(&client, client.screen->root, GREY, 0, 0, 2000, 2000);
  client_sync(&client);
  if (open_capture(&capture)) {
    CHECK(becomes_still(&capture));
    client_fill(&client, client.screen->root, RED, 8, 8, 16, 16);
    client_sync(&client);
    msdk_video_frame *frame = next_frame(&capture);
    if (frame != NULL) {
      uint8_t *memory = frame->plane[0].data;
      size_t stride = (size_t)frame->plane[0].stride;
      host_unref(frame);
      CHECK(becomes_still(&capture));
      memory[200 * stride + 4 * 300] ^= 0x55;
      client_fill(&client, client.screen->root, GREEN, 40, 100, 17, 5);
      client_fill(&client, client.screen->root, BLUE, 400, 300, 3, 50);
      client_sync(&client);
      x11_image wanted = root_image();
      wanted.bytes[4 * (200 * wanted.width + 300)] ^= 0x55;
      CHECK(becomes(&capture, wanted));
      client_fill(&client, client.screen->root, BLUE, 300, 200, 1, 1);
      client_sync(&client);
      CHECK(becomes(&capture, root_image()));
    }
  }
  close_capture(&capture);
}

static void test_repeated(void) {
  capture capture;
  make(&capture, "display");
  CHECK_EQ(host_set_bool(&capture.host, "skip_unchanged", 0), MSDK_OK);
  if (open_capture(&capture)) {
    msdk_video_frame *first = next_frame(&capture), *frame = NULL;
    while (first != NULL && becomes(&capture, root_image()) == 0) continue;
    host_unref(first);
    first = next_frame(&capture);
    int is_copied = host_leaves_out("x11-memory");
    for (int i = 0; first != NULL && i < 10; i++) {
      CHECK_EQ(produce(&capture, &frame), MSDK_OK);
      if (frame == NULL) break;
      CHECK(is_copied || frame->plane[0].data == first->plane[0].data); /* the same memory, while the first is still looked at */
      host_unref(frame);
    }
    if (first != NULL) host_unref(first);
    CHECK_EQ(host_set_bool(&capture.host, "skip_unchanged", 1), MSDK_OK);
    CHECK(becomes_still(&capture));
  }
  close_capture(&capture);
}

/* A host that keeps its frames finds them as they were, and gets no more than eight; it may give them back when all is over. */
static void test_kept(void) {
  capture capture;
  make(&capture, "display");
  msdk_video_frame *kept[9] = {0};
  x11_image images[9] = {0};
  if (open_capture(&capture)) {
    for (int i = 0; i < 8; i++) {
      client_paint(&client, client.screen->root, 640, 480, (uint32_t)i * 31);
      images[i] = root_image();
      kept[i] = next_frame(&capture);
      while (kept[i] != NULL && !same(kept[i], &images[i])) {
        host_unref(kept[i]);
        kept[i] = next_frame(&capture);
      }
    }
    client_paint(&client, client.screen->root, 640, 480, 4711);
    CHECK(becomes_still(&capture));
    for (int i = 0; i < 8; i++) CHECK(kept[i] != NULL && same(kept[i], &images[i]));
    for (int i = 0; i < 4; i++) host_unref(kept[i]);
    CHECK(becomes(&capture, root_image()));
  }
  CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
  CHECK_EQ(producer->release_capture(capture.host.self), MSDK_OK);
  for (int i = 4; i < 8; i++) {
    CHECK(kept[i] != NULL && same(kept[i], &images[i]));
    if (kept[i] != NULL) host_unref(kept[i]);
  }
  for (int i = 0; i < 8; i++) free(images[i].bytes);
  host_destroy(&capture.host);
}

/* ----------------------------------------------------------------------------------------------------- other kinds of server */

static void test_depths(void) {
  static const int depths[] = {16, 30};
  for (int i = 0; i < 2; i++) {
    char screen[40];
    snprintf(screen, sizeof screen, "-screen 0 641x481x%d", depths[i]);
    if (!begin(screen)) return;
    test_display();
    xcb_window_t window = client_window(&client, "a window", 11, 13, 151, 77, 3, 0x1234);
    capture capture;
    use_window(&capture, window, "%u");
    if (open_capture(&capture)) {
      client_paint(&client, window, 151, 77, 8);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 150, 76)));
    }
    close_capture(&capture);
    end();
  }
  if (!begin("-screen 0 640x480x8")) return;
  refused(display, "display", NULL, NULL, MSDK_E_UNSUPPORTED, "depth of 8 bits");
  end();
}

/* Servers that lack something give the same pictures by other ways. */
static void test_lacking(void) {
  static const char *const lacking[] = {"MIT-SHM", "RENDER", "DAMAGE", "XFIXES", "RANDR", "Composite"};
  for (size_t i = 0; i < sizeof lacking / sizeof lacking[0]; i++) {
    char arguments[80];
    snprintf(arguments, sizeof arguments, "-screen 0 640x480x24 -extension %s", lacking[i]);
    if (!begin(arguments)) return;
    capture capture;
    make(&capture, "display");
    if (open_capture(&capture)) {
      for (uint32_t k = 0; k < 5; k++) {
        client_paint(&client, client.screen->root, 640, 480, k);
        CHECK(becomes(&capture, root_image()));
      }
      if (strcmp(lacking[i], "DAMAGE") != 0 && strcmp(lacking[i], "XFIXES") != 0) CHECK(becomes_still(&capture));
    }
    close_capture(&capture);
    if (strcmp(lacking[i], "MIT-SHM") == 0 && !host_leaves_out("x11-parts")) test_parts();
    if (strcmp(lacking[i], "RANDR") == 0) refused(display, "monitor", NULL, NULL, MSDK_E_UNSUPPORTED, "RandR");
    if (strcmp(lacking[i], "Composite") == 0) {
      client_window(&client, "any", 0, 0, 50, 50, 0, RED);
      refused(display, "window", "window", "any", MSDK_E_UNSUPPORTED, "Composite");
    }
    end();
  }
}

int main(int argc, char **argv) {
  load_producer(argc, argv);
  test_no_display();
  test_params();
  if (!has_servers()) return check_done();
  if (begin("-screen 0 640x480x24")) {
    test_formats();
    test_display();
    if (!host_leaves_out("x11-parts")) test_parts();
    test_repeated();
    test_kept();
    end();
  }
  test_depths();
  test_lacking();
  return check_done();
}
