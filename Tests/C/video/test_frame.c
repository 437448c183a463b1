/* frame.h: making, wrapping, references. */
#include "picture.h"

static atomic_int released;
static void release(void *opaque) { atomic_fetch_add((atomic_int *)opaque, 1); }

static void created_frames_are_writable_and_aligned(void) {
  for (int i = 0; i < PIXEL_FORMATS; i++) {
    msdk_video_format format = MSDK_INIT(msdk_video_format);
    format.pixel_format = pixel_formats[i];
    format.width = 33;
    format.height = 7;
    format.fps_num = 30000;
    format.fps_den = 1001;
    format.color_matrix = MSDK_MATRIX_BT709;
    msdk_video_frame *frame = NULL;
    CHECK_OK(msdk_video_frame_create(&format, &frame));
    NEED(frame != NULL);
    CHECK(frame->struct_size >= sizeof(msdk_video_frame));
    CHECK(frame->flags & MSDK_FRAME_WRITABLE);
    CHECK_EQ(frame->plane_count, planes_of(pixel_formats[i]));
    CHECK_EQ(frame->timestamp_ns, 0);
    CHECK_EQ(frame->orientation, 0);
    CHECK(frame->format != &format);
    CHECK_EQ(frame->format->pixel_format, pixel_formats[i]);
    CHECK_EQ(frame->format->width, 33);
    CHECK_EQ(frame->format->height, 7);
    CHECK_EQ(frame->format->fps_num, 30000);
    CHECK_EQ(frame->format->fps_den, 1001);
    CHECK_EQ(frame->format->color_matrix, MSDK_MATRIX_BT709);
    for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
      CHECK_EQ(frame->plane[plane].stride % 64, 0);
      CHECK(frame->plane[plane].stride >= (int32_t)row_bytes_of(pixel_formats[i], plane, 33));
      CHECK(frame->plane[plane].size >= (uint64_t)frame->plane[plane].stride * (rows_of(pixel_formats[i], plane, 7) - 1) +
                                          row_bytes_of(pixel_formats[i], plane, 33));
      memset(frame->plane[plane].data, 0x5A, frame->plane[plane].size);
    }
    CHECK_EQ(video_references(frame), 1);
    CHECK_OK(msdk_video_frame_unref(frame));
  }
}

static void references_count(void) {
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_NV12, 64, 64, 0);
  NEED(frame != NULL);
  CHECK_OK(msdk_video_frame_ref(frame));
  CHECK_OK(msdk_video_frame_ref(frame));
  CHECK_EQ(video_references(frame), 3);
  CHECK_OK(msdk_video_frame_unref(frame));
  CHECK_OK(msdk_video_frame_unref(frame));
  CHECK_EQ(video_references(frame), 1);
  CHECK_OK(msdk_video_frame_unref(frame));
  CHECK_EQ(video_references(frame), 0);
  CHECK_RESULT(msdk_video_frame_unref(frame), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_video_frame_ref(frame), MSDK_E_HANDLE);
  CHECK_OK(msdk_video_frame_unref(NULL));
  CHECK_RESULT(msdk_video_frame_ref(NULL), MSDK_E_HANDLE);
  CHECK_EQ(video_references(NULL), 0);
}

static void bad_formats_are_named(void) {
  msdk_video_frame *frame = NULL;
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_I420;
  format.width = 16;
  format.height = 16;
  msdk_video_format bad = format;
  CHECK_ERROR(msdk_video_frame_create(NULL, &frame), MSDK_E_INVALID, "format");
  CHECK_ERROR(msdk_video_frame_create(&format, NULL), MSDK_E_INVALID, "out");
  bad.width = 0;
  CHECK_ERROR(msdk_video_frame_create(&bad, &frame), MSDK_E_RANGE, "width");
  bad.width = 16385;
  CHECK_ERROR(msdk_video_frame_create(&bad, &frame), MSDK_E_RANGE, "16384");
  bad = format;
  bad.height = UINT32_MAX;
  CHECK_ERROR(msdk_video_frame_create(&bad, &frame), MSDK_E_RANGE, "height");
  bad = format;
  bad.pixel_format = 1;
  CHECK_ERROR(msdk_video_frame_create(&bad, &frame), MSDK_E_UNSUPPORTED, "pixel");
  bad = format;
  bad.reserved0 = 1;
  CHECK_ERROR(msdk_video_frame_create(&bad, &frame), MSDK_E_UNSUPPORTED, "reserved0");
  CHECK(frame == NULL);
}

static uint8_t memory[64 * 64 * 4];

static msdk_external_frame external_of(const msdk_video_format *format) {
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.format = format;
  external.plane_count = planes_of(format->pixel_format);
  uint8_t *at = memory;
  for (uint32_t plane = 0; plane < external.plane_count; plane++) {
    uint32_t stride = row_bytes_of(format->pixel_format, plane, format->width) + 3;
    external.plane[plane].data = at;
    external.plane[plane].stride = (int32_t)stride;
    external.plane[plane].size = (uint64_t)stride * rows_of(format->pixel_format, plane, format->height);
    at += external.plane[plane].size;
  }
  external.user = &released;
  external.release = release;
  return external;
}

static void wrapped_memory_is_not_copied_and_released_once(void) {
  for (int i = 0; i < PIXEL_FORMATS; i++) {
    msdk_video_format format = MSDK_INIT(msdk_video_format);
    format.pixel_format = pixel_formats[i];
    format.width = 31;
    format.height = 17;
    msdk_external_frame external = external_of(&format);
    external.timestamp_ns = 77;
    external.orientation = MSDK_ROTATE_90 | MSDK_MIRROR;
    msdk_video_frame *frame = NULL;
    atomic_store(&released, 0);
    CHECK_OK(msdk_video_frame_wrap(&external, &frame));
    NEED(frame != NULL);
    for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
      CHECK(frame->plane[plane].data == external.plane[plane].data);
      CHECK_EQ(frame->plane[plane].stride, external.plane[plane].stride);
    }
    CHECK_EQ(frame->timestamp_ns, 77);
    CHECK_EQ(frame->orientation, MSDK_ROTATE_90 | MSDK_MIRROR);
    CHECK_OK(msdk_video_frame_ref(frame));
    CHECK_OK(msdk_video_frame_unref(frame));
    CHECK_EQ(atomic_load(&released), 0);
    CHECK_OK(msdk_video_frame_unref(frame));
    CHECK_EQ(atomic_load(&released), 1);
    CHECK_RESULT(msdk_video_frame_unref(frame), MSDK_E_HANDLE);
    CHECK_EQ(atomic_load(&released), 1);
  }
}

static void every_plane_is_checked(void) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_I420;
  format.width = 31;
  format.height = 17;
  atomic_store(&released, 0);
  for (uint32_t plane = 0; plane < 3; plane++) {
    uint32_t row = row_bytes_of(MSDK_PIXEL_I420, plane, 31), rows = rows_of(MSDK_PIXEL_I420, plane, 17);
    msdk_video_frame *frame = NULL;
    msdk_external_frame external = external_of(&format);
    char name[32];
    snprintf(name, sizeof name, "plane[%" PRIu32 "]", plane);
    external.plane[plane].data = NULL;
    CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, name);
    external = external_of(&format);
    external.plane[plane].stride = (int32_t)row - 1;
    CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "stride");
    external.plane[plane].stride = 0;
    CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "stride");
    external.plane[plane].stride = -(int32_t)row;
    CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "stride");
    external.plane[plane].stride = INT32_MIN;
    CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "stride");
    external.plane[plane].stride = INT32_MAX;
    CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "size");
    external = external_of(&format);
    external.plane[plane].size = (uint64_t)external.plane[plane].stride * (rows - 1) + row;
    CHECK_OK(msdk_video_frame_wrap(&external, &frame)); /* the padding of the last row need not be there */
    msdk_video_frame_unref(frame);
    atomic_store(&released, 0);
    frame = NULL;
    external.plane[plane].size--;
    CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "size");
    external.plane[plane].size = 0;
    CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, name);
    CHECK(frame == NULL);
  }
  CHECK_EQ(atomic_load(&released), 0);
}

static void wrap_checks_the_rest(void) {
  msdk_video_format format = MSDK_INIT(msdk_video_format), bad;
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = 32;
  format.height = 32;
  msdk_video_frame *frame = NULL;
  msdk_external_frame external = external_of(&format);
  atomic_store(&released, 0);
  CHECK_ERROR(msdk_video_frame_wrap(NULL, &frame), MSDK_E_INVALID, "external");
  CHECK_ERROR(msdk_video_frame_wrap(&external, NULL), MSDK_E_INVALID, "out");
  external.plane_count = 3;
  CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "plane");
  external.plane_count = 1;
  CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "plane");
  external.plane_count = UINT32_MAX;
  CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "plane");
  external = external_of(&format);
  external.reserved0 = 1;
  CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_UNSUPPORTED, "reserved0");
  external = external_of(&format);
  external.plane[0].reserved1 = 1;
  CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_UNSUPPORTED, "plane[0].reserved");
  external = external_of(&format);
  external.orientation = 8;
  CHECK(msdk_video_frame_wrap(&external, &frame) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "orientation");
  external = external_of(&format);
  external.format = NULL;
  CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_INVALID, "format");
  bad = format;
  bad.height = 0;
  external = external_of(&format);
  external.format = &bad;
  CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_RANGE, "height");
  bad.height = 40000;
  CHECK_ERROR(msdk_video_frame_wrap(&external, &frame), MSDK_E_RANGE, "height");
  CHECK_EQ(atomic_load(&released), 0);
  CHECK(frame == NULL);
  external = external_of(&format);
  external.release = NULL;
  CHECK_OK(msdk_video_frame_wrap(&external, &frame));
  CHECK_EQ(video_references(frame), 1);
  CHECK_OK(msdk_video_frame_unref(frame));
}

static void the_process_counts_live_frames(void) {
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(NULL, &engine));
  msdk_engine_stats stats = MSDK_INIT(msdk_engine_stats);
  CHECK_OK(msdk_engine_get_stats(engine, &stats));
  uint32_t before = stats.frames;
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_GRAY8, 8, 8, 0);
  CHECK_OK(msdk_engine_get_stats(engine, &stats));
  CHECK_EQ(stats.frames, before + 1);
  msdk_video_frame_unref(frame);
  CHECK_OK(msdk_engine_get_stats(engine, &stats));
  CHECK_EQ(stats.frames, before);
  CHECK_EQ(stats.frames, 0); /* all that this program made is given back */
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(created_frames_are_writable_and_aligned);
  RUN(references_count);
  RUN(bad_formats_are_named);
  RUN(wrapped_memory_is_not_copied_and_released_once);
  RUN(every_plane_is_checked);
  RUN(wrap_checks_the_rest);
  RUN(the_process_counts_live_frames);
  return check_finish();
}
