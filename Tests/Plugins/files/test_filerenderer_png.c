/* PNG files, read back with libpng: every size and format, and which frame is written. */
#define _XOPEN_SOURCE 700
#include "filerenderer_write.h"

#include <png.h>
#include <unistd.h>

/* Reads the PNG back with libpng and compares it with the frame that host_paint makes of `seed`. */
static void check_png(const char *path, const msdk_video_format *format, uint32_t seed) {
  host_instance helper;
  host_create(&helper, class);
  msdk_video_frame *expected = host_frame(&helper, format);
  host_paint(expected, seed);
  png_image image = {.version = PNG_IMAGE_VERSION};
  CHECK_EQ(png_image_begin_read_from_file(&image, path), 1);
  CHECK_EQ(image.width, format->width);
  CHECK_EQ(image.height, format->height);
  int grey = format->pixel_format == MSDK_PIXEL_GRAY8;
  uint32_t wanted = grey ? PNG_FORMAT_GRAY : format->pixel_format == MSDK_PIXEL_RGBA ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  CHECK_EQ(image.format, wanted);
  image.format = wanted;
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
  CHECK_EQ(png_image_finish_read(&image, NULL, pixels, 0, NULL), 1);
  uint32_t wrong = 0, row_bytes = host_row_bytes(format, 0);
  for (uint32_t y = 0; y < format->height; y++) {
    for (uint32_t x = 0; x < row_bytes; x++) {
      uint8_t value = expected->plane[0].data[(ptrdiff_t)y * expected->plane[0].stride + x];
      if (grey && format->color_full_range != 1) {
        double spread = (value - 16) * 255.0 / 219;
        value = (uint8_t)(spread < 0 ? 0 : spread > 255 ? 255 : spread + 0.5);
      }
      wrong += pixels[(size_t)y * row_bytes + x] != value;
    }
  }
  CHECK_EQ(wrong, 0);
  free(pixels);
  png_image_free(&image);
  host_unref(expected);
  host_destroy(&helper);
}

static void test_png(void) {
  static const uint32_t sizes[][2] = {{1, 1}, {3, 5}, {17, 9}, {1279, 719}};
  static const uint32_t formats[] = {MSDK_PIXEL_RGB24, MSDK_PIXEL_RGBA, MSDK_PIXEL_GRAY8};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t f = 0; f < 3; f++) {
      msdk_video_format format = host_format(formats[f], sizes[s][0], sizes[s][1]);
      format.color_full_range = s % 2;
      host_instance instance;
      open_file(&instance, host_path("p.png"));
      CHECK_EQ(renderer->accepts_format(instance.self, &format), 1);
      CHECK_EQ(render(&instance, &format, 4), MSDK_OK);
      check_png(host_path("p.png"), &format, 4); /* is there at once */
      CHECK_EQ(render(&instance, &format, 5), MSDK_OK);
      close_file(&instance);
      check_png(host_path("p.png"), &format, 4);
    }
  }
}

static void test_png_choice(void) {
  msdk_video_format rgba = host_format(MSDK_PIXEL_RGBA, 20, 10), rgb = host_format(MSDK_PIXEL_RGB24, 30, 8);
  struct { uint64_t frame, max_frames; uint32_t sent, shown; } table[] = {
    {1, 0, 4, 1}, {3, 0, 5, 3}, {3, 0, 3, 3}, {10, 0, 4, 4}, {10, 2, 4, 2}, {9007199254740992u, 0, 1, 1}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    host_instance instance;
    host_create(&instance, class);
    CHECK_EQ(host_set_string(&instance, "path", host_path("choice")), MSDK_OK);
    CHECK_EQ(host_set_string(&instance, "format", "png"), MSDK_OK);
    CHECK_EQ(host_set_u64(&instance, "frame", table[i].frame), MSDK_OK);
    CHECK_EQ(host_set_u64(&instance, "max_frames", table[i].max_frames), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    /* The size may change on the way: a PNG shows one frame only. */
    for (uint32_t n = 1; n <= table[i].sent; n++) CHECK_EQ(render(&instance, n % 2 ? &rgba : &rgb, n), MSDK_OK);
    CHECK_EQ(instance.context.outstanding, 0);
    close_file(&instance);
    check_png(host_path("choice"), table[i].shown % 2 ? &rgba : &rgb, table[i].shown);
  }
  /* A stream that never came: an old picture stays, and no empty one is made. */
  host_instance instance;
  open_file(&instance, host_path("never.png"));
  close_file(&instance);
  CHECK_EQ(access(host_path("never.png"), F_OK), -1);
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "path", host_path("choice")), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "format", "png"), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  msdk_video_format nv12 = host_format(MSDK_PIXEL_NV12, 6, 4);
  CHECK_EQ(renderer->accepts_format(instance.self, &nv12), 0);
  CHECK_EQ(render(&instance, &nv12, 0), MSDK_E_FORMAT);
  close_file(&instance);
  check_png(host_path("choice"), &rgba, 1);
}

int main(int argc, char **argv) {
  load_renderer(argc, argv);
  test_png();
  test_png_choice();
  return check_done();
}
