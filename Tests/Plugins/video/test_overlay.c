#define _XOPEN_SOURCE 700
#include "filtering.h"

#include <png.h>
#include <stdlib.h>
#include <sys/stat.h>

static const msdk_class *class;
enum { SIDE = 6 };

/* Red, opaque on the left and half so on the right. */
static const char *red_image(void) {
  static uint8_t pixels[SIDE][SIDE][4];
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++) memcpy(pixels[y][x], (uint8_t[]){255, 0, 0, x < SIDE / 2 ? 255 : 128}, 4);
  }
  png_image image = {.version = PNG_IMAGE_VERSION, .width = SIDE, .height = SIDE, .format = PNG_FORMAT_RGBA};
  const char *path = host_path("red.png");
  CHECK(png_image_write_to_file(&image, path, 0, pixels, 0, NULL));
  return path;
}

static int near(int value, int expected) { return abs(value - expected) <= 1; }

/* Every luma and chroma sample: red of BT.601 limited is 81, 90, 240. */
static uint32_t wrong_samples(const msdk_video_frame *out, const msdk_video_frame *source, int left, int top, double opacity) {
  uint32_t wrong = 0, width = source->format->width, height = source->format->height;
  double *alpha = calloc((size_t)width * height, sizeof *alpha);
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++) {
      int at_x = left + x, at_y = top + y;
      if (at_x < 0 || at_y < 0 || at_x >= (int)width || at_y >= (int)height) continue;
      alpha[at_y * (int)width + at_x] = opacity * (x < SIDE / 2 ? 1 : 128.0 / 255);
    }
  }
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) {
      double a = alpha[y * width + x], was = source->plane[0].data[(ptrdiff_t)y * source->plane[0].stride + x];
      wrong += !near(out->plane[0].data[(ptrdiff_t)y * out->plane[0].stride + x], (int)(was * (1 - a) + 81 * a + 0.5));
    }
  }
  int planar = source->plane_count == 3;
  for (uint32_t y = 0; y < (height + 1) / 2; y++) {
    for (uint32_t x = 0; x < (width + 1) / 2; x++) {
      double sum = 0, count = 0;
      for (uint32_t part = 0; part < 4; part++) {
        uint32_t at_x = x * 2 + part % 2, at_y = y * 2 + part / 2;
        if (at_x >= width || at_y >= height) continue;
        sum += alpha[at_y * width + at_x];
        count++;
      }
      double a = sum / count;
      for (uint32_t i = 0; i < 2; i++) {
        uint32_t plane = planar ? 1 + i : 1, column = planar ? x : x * 2 + i;
        double was = source->plane[plane].data[(ptrdiff_t)y * source->plane[plane].stride + column];
        int got = out->plane[plane].data[(ptrdiff_t)y * out->plane[plane].stride + column];
        wrong += !near(got, (int)(was * (1 - a) + (i == 0 ? 90 : 240) * a + 0.5));
      }
    }
  }
  free(alpha);
  return wrong;
}

static void every_place(void) {
  static const int places[][2] = {{4, 4}, {5, 3}, {-2, -3}, {30, 14}, {27, 11}, {-5, 8}};
  const char *path = red_image();
  for (int i = 0; i < 2 * 6 * 2 * 2; i++) {
    host_instance instance;
    host_create(&instance, class);
    CHECK_EQ(host_set_string(&instance, "path", path), MSDK_OK);
    CHECK_EQ(class->video_filter->init_filter(instance.self), MSDK_OK);
    msdk_video_format format = host_format(i % 2 ? MSDK_PIXEL_I420 : MSDK_PIXEL_NV12, 33, 17);
    CHECK_EQ(filtering_format(&instance, &format), MSDK_OK);
    const int *place = places[i / 2 % 6];
    double opacity = i / 12 % 2 ? 0.5 : 1;
    CHECK_EQ(host_set_i32(&instance, "x", place[0]), MSDK_OK);
    CHECK_EQ(host_set_i32(&instance, "y", place[1]), MSDK_OK);
    CHECK_EQ(host_set_f64(&instance, "opacity", opacity), MSDK_OK);
    int writable = i / 24;
    msdk_video_frame *in = host_frame(&instance, &format), *source = host_frame(&instance, &format);
    host_paint(in, (uint32_t)i);
    host_paint(source, (uint32_t)i);
    msdk_video_frame *out = filtering_pass(&instance, in, writable);
    CHECK_EQ(wrong_samples(out, source, place[0], place[1], opacity), 0);
    if (!writable) {
      CHECK(host_same(in, source));
      host_unref(in);
    }
    host_unref(out);
    host_unref(source);
    filtering_starves(&instance, &format);
    CHECK_EQ(class->video_filter->release_filter(instance.self), MSDK_OK);
    host_destroy(&instance);
  }
}

/* Beside the picture, or not to be seen: what comes passes as it is. */
static void nothing_to_do(void) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "path", red_image()), MSDK_OK);
  CHECK_EQ(class->video_filter->init_filter(instance.self), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 16, 16);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(host_set_i32(&instance, "x", i == 0 ? -SIDE : i == 1 ? 16 : 0), MSDK_OK);
    CHECK_EQ(host_set_f64(&instance, "opacity", i == 2 ? 0 : 1), MSDK_OK);
    msdk_video_frame *in = host_frame(&instance, &format), *out = NULL;
    in->flags = 0;
    CHECK_EQ(class->video_filter->filter_video_frame(instance.self, in, &out), MSDK_OK);
    CHECK(out == in);
    host_unref(out);
  }
  CHECK_EQ(class->video_filter->release_filter(instance.self), MSDK_OK);
  host_destroy(&instance);
}

static void files_that_are_none(void) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "path", "/no/such/file.png"), MSDK_OK);
  CHECK_EQ(class->video_filter->init_filter(instance.self), MSDK_E_IO);
  CHECK_TEXT(instance.context.error_text, "/no/such/file.png");
  const char *fifo = host_path("fifo.png");
  CHECK_EQ(mkfifo(fifo, 0600), 0);
  CHECK_EQ(host_set_string(&instance, "path", fifo), MSDK_OK);
  CHECK_EQ(class->video_filter->init_filter(instance.self), MSDK_E_IO);
  CHECK_TEXT(instance.context.error_text, "not a regular file");
  const char *path = host_path("cut.png");
  FILE *whole = fopen(red_image(), "rb"), *cut = fopen(path, "wb");
  CHECK(whole != NULL && cut != NULL);
  for (int i = 0; i < 50; i++) fputc(fgetc(whole), cut);
  fclose(whole);
  fclose(cut);
  CHECK_EQ(host_set_string(&instance, "path", path), MSDK_OK);
  CHECK(class->video_filter->init_filter(instance.self) < 0);
  CHECK_TEXT(instance.context.error_text, "cut.png");
  host_check_params(&instance);
  CHECK_EQ(host_set_i32(&instance, "x", 16385), MSDK_E_RANGE);
  CHECK_EQ(host_set_f64(&instance, "opacity", 1.5), MSDK_E_RANGE);
  msdk_video_format rgb = host_format(MSDK_PIXEL_BGRA, 16, 16);
  CHECK_EQ(filtering_format(&instance, &rgb), MSDK_E_FORMAT);
  host_destroy(&instance);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "overlay.so", "org.mediasdk.filter.overlay");
  every_place();
  nothing_to_do();
  files_that_are_none();
  return check_done();
}
