/* frame.h: how each pixel format lies in memory. The tables were computed by hand from types.h. */
#include "picture.h"

typedef struct expected_layout {
  uint32_t pixel_format, width, height, alignment, planes;
  uint32_t stride[3], row_bytes[3], rows[3];
  uint64_t offset[3], size;
} expected_layout;

static const expected_layout layouts[] = {
  {MSDK_PIXEL_I420, 640, 480, 1, 3, {640, 320, 320}, {640, 320, 320}, {480, 240, 240}, {0, 307200, 384000}, 460800},
  {MSDK_PIXEL_I420, 5, 3, 1, 3, {5, 3, 3}, {5, 3, 3}, {3, 2, 2}, {0, 15, 21}, 27},
  {MSDK_PIXEL_I420, 1, 1, 0, 3, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 2}, 3},
  {MSDK_PIXEL_I420, 1279, 719, 64, 3, {1280, 640, 640}, {1279, 640, 640}, {719, 360, 360}, {0, 920320, 1150720}, 1381120},
  {MSDK_PIXEL_NV12, 640, 480, 0, 2, {640, 640}, {640, 640}, {480, 240}, {0, 307200}, 460800},
  {MSDK_PIXEL_NV12, 5, 3, 1, 2, {5, 6}, {5, 6}, {3, 2}, {0, 15}, 27},
  {MSDK_PIXEL_NV12, 1, 1, 1, 2, {1, 2}, {1, 2}, {1, 1}, {0, 1}, 3},
  {MSDK_PIXEL_NV12, 65, 3, 64, 2, {128, 128}, {65, 66}, {3, 2}, {0, 384}, 640},
  {MSDK_PIXEL_NV12, 1280, 720, 4096, 2, {4096, 4096}, {1280, 1280}, {720, 360}, {0, 2949120}, 4423680},
  {MSDK_PIXEL_RGBA, 3, 2, 1, 1, {12}, {12}, {2}, {0}, 24},
  {MSDK_PIXEL_BGRA, 3, 2, 16, 1, {16}, {12}, {2}, {0}, 32},
  {MSDK_PIXEL_ARGB, 1920, 1080, 64, 1, {7680}, {7680}, {1080}, {0}, 8294400},
  {MSDK_PIXEL_ABGR, 17, 1, 64, 1, {128}, {68}, {1}, {0}, 128},
  {MSDK_PIXEL_RGB24, 5, 7, 1, 1, {15}, {15}, {7}, {0}, 105},
  {MSDK_PIXEL_BGR24, 5, 7, 4, 1, {16}, {15}, {7}, {0}, 112},
  {MSDK_PIXEL_GRAY8, 7, 5, 2, 1, {8}, {7}, {5}, {0}, 40},
  {MSDK_PIXEL_GRAY8, 16384, 16384, 1, 1, {16384}, {16384}, {16384}, {0}, 268435456},
  {MSDK_PIXEL_RGBA, 16384, 16384, 64, 1, {65536}, {65536}, {16384}, {0}, 1073741824},
};

static void hand_computed(void) {
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    const expected_layout *want = &layouts[i];
    msdk_frame_layout got = MSDK_INIT(msdk_frame_layout);
    int ok = CHECK_OK(msdk_frame_get_layout(want->pixel_format, want->width, want->height, want->alignment, &got));
    ok &= CHECK_EQ(got.plane_count, want->planes) & CHECK_EQ(got.size, want->size);
    for (uint32_t plane = 0; plane < want->planes; plane++) {
      ok &= CHECK_EQ(got.stride[plane], want->stride[plane]) & CHECK_EQ(got.row_bytes[plane], want->row_bytes[plane]) &
            CHECK_EQ(got.rows[plane], want->rows[plane]) & CHECK_EQ(got.offset[plane], want->offset[plane]) &
            CHECK_EQ(got.plane_size[plane], (uint64_t)want->stride[plane] * want->rows[plane]);
    }
    if (!ok) fprintf(stderr, "  in line %zu of the table\n", i);
  }
}

static void every_format_and_small_size(void) {
  for (int i = 0; i < PIXEL_FORMATS; i++) {
    for (uint32_t width = 1; width <= 9; width++) {
      for (uint32_t height = 1; height <= 5; height++) {
        msdk_frame_layout got = MSDK_INIT(msdk_frame_layout);
        CHECK_OK(msdk_frame_get_layout(pixel_formats[i], width, height, 1, &got));
        CHECK_EQ(got.plane_count, planes_of(pixel_formats[i]));
        for (uint32_t plane = 0; plane < got.plane_count && plane < 3; plane++) {
          CHECK_EQ(got.row_bytes[plane], row_bytes_of(pixel_formats[i], plane, width));
          CHECK_EQ(got.rows[plane], rows_of(pixel_formats[i], plane, height));
        }
      }
    }
  }
}

static void what_is_wrong_is_named(void) {
  msdk_frame_layout got = MSDK_INIT(msdk_frame_layout);
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, 0, 480, 1, &got), MSDK_E_RANGE, "width");
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, 640, 0, 1, &got), MSDK_E_RANGE, "height");
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, 16385, 480, 1, &got), MSDK_E_RANGE, "16384");
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, 640, UINT32_MAX, 1, &got), MSDK_E_RANGE, "height");
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, UINT32_MAX, UINT32_MAX, 4096, &got), MSDK_E_RANGE, "width");
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, 640, 480, 3, &got), MSDK_E_RANGE, "alignment");
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, 640, 480, 8192, &got), MSDK_E_RANGE, "alignment");
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, 640, 480, 0x80000000u, &got), MSDK_E_RANGE, "alignment");
  CHECK_ERROR(msdk_frame_get_layout(0, 640, 480, 1, &got), MSDK_E_UNSUPPORTED, "pixel");
  CHECK_ERROR(msdk_frame_get_layout(0x12345678, 640, 480, 1, &got), MSDK_E_UNSUPPORTED, "pixel");
  CHECK_ERROR(msdk_frame_get_layout(MSDK_PIXEL_NV12, 640, 480, 1, NULL), MSDK_E_INVALID, "out");
}

int main(int argc, char **argv) {
  RUN(hand_computed);
  RUN(every_format_and_small_size);
  RUN(what_is_wrong_is_named);
  return check_finish();
}
