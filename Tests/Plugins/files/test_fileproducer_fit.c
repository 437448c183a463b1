/* Pictures fitted into frames of another size. */
#include "../../../Sources/Plugins/FileProducer/fit.c"

#include "check.h"

#include <stdlib.h>

enum { SIDE_MAX = 70, ROOM = SIDE_MAX * SIDE_MAX };

static uint8_t from[3][ROOM], to[3][2 * ROOM];

static fp_picture picture_of(uint32_t width, uint32_t height) {
  fp_picture picture = {.width = width, .height = height};
  for (int i = 0; i < 3; i++) picture.plane[i] = from[i], picture.stride[i] = SIDE_MAX;
  return picture;
}

static void fit(const fp_picture *picture, uint32_t pixel_format, uint32_t width, uint32_t height) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = width;
  format.height = height;
  msdk_video_frame frame = MSDK_INIT(msdk_video_frame);
  frame.format = &format;
  frame.plane_count = pixel_format == MSDK_PIXEL_I420 ? 3 : 2;
  memset(to, 99, sizeof to); /* is left where no sample lies */
  for (uint32_t i = 0; i < frame.plane_count; i++) {
    frame.plane[i] = (msdk_plane){.data = to[i], .size = sizeof to[i], .stride = 2 * SIDE_MAX};
  }
  fp_fit_picture(picture, &frame);
}

static uint32_t count(uint32_t plane, uint8_t value) {
  uint32_t found = 0;
  for (size_t i = 0; i < sizeof to[plane]; i++) found += to[plane][i] == value;
  return found;
}

/* A picture of one colour stays so, with black around it, and nothing is written beside the frame. */
static void test_uniform(void) {
  static const uint32_t sides[] = {1, 2, 3, 16, 17, 31, 64, 69};
  enum { SIDES = sizeof sides / sizeof sides[0] };
  for (int i = 0; i < 3; i++) memset(from[i], 200 + i, sizeof from[i]);
  for (int n = 0; n < SIDES * SIDES * SIDES * SIDES; n++) {
    fp_picture picture = picture_of(sides[n % SIDES], sides[n / SIDES % SIDES]);
    uint32_t width = sides[n / SIDES / SIDES % SIDES], height = sides[n / SIDES / SIDES / SIDES];
    uint32_t half = ((width + 1) / 2) * ((height + 1) / 2);
    fit(&picture, MSDK_PIXEL_I420, width, height);
    CHECK(count(0, 200) > 0);
    CHECK_EQ(count(0, 200) + count(0, 16), width * height);
    CHECK(count(1, 201) > 0 && count(2, 202) == count(1, 201));
    CHECK_EQ(count(1, 201) + count(1, 128), half);
    fit(&picture, MSDK_PIXEL_NV12, width, height);
    CHECK(count(1, 201) > 0 && count(1, 202) == count(1, 201));
    CHECK_EQ(count(1, 201) + count(1, 202) + count(1, 128), 2 * half);
  }
}

/* As large as it fits in, in the middle, on even places. */
static void test_places(void) {
  static const struct { uint32_t width, height, into_width, into_height; rect place; } table[] = {
    {32, 18, 64, 36, {0, 0, 64, 36}}, {36, 64, 64, 36, {22, 0, 20, 36}}, {64, 36, 36, 64, {0, 22, 36, 20}},
    {426, 240, 1280, 720, {0, 0, 1280, 720}}, {640, 480, 1280, 720, {160, 0, 960, 720}}, {16383, 1, 640, 360, {0, 178, 640, 2}},
    {1, 16383, 640, 360, {318, 0, 2, 360}}, {16383, 16383, 1, 1, {0, 0, 1, 1}},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    rect got = place(table[i].width, table[i].height, table[i].into_width, table[i].into_height), wanted = table[i].place;
    CHECK_EQ(got.x, wanted.x);
    CHECK_EQ(got.y, wanted.y);
    CHECK_EQ(got.width, wanted.width);
    CHECK_EQ(got.height, wanted.height);
  }
}

/* A slope stays the same slope, wherever it is sampled: centres lie upon centres. */
static void test_slope(void) {
  for (uint32_t y = 0; y < 32; y++) {
    for (uint32_t x = 0; x < 32; x++) from[0][y * SIDE_MAX + x] = (uint8_t)(4 * x + 3 * y);
  }
  fp_picture picture = picture_of(32, 32);
  for (uint32_t size = 20; size <= 64; size++) {
    fit(&picture, MSDK_PIXEL_I420, size, size);
    for (uint32_t y = 2; y < size - 2; y++) {
      for (uint32_t x = 2; x < size - 2; x++) {
        double wanted = 4 * ((x + 0.5) * 32 / size - 0.5) + 3 * ((y + 0.5) * 32 / size - 0.5);
        double off = to[0][y * 2 * SIDE_MAX + x] - wanted;
        CHECK(off < 0.6 && off > -0.6);
      }
    }
  }
}

int main(void) {
  test_uniform();
  test_places();
  test_slope();
  return check_done();
}
