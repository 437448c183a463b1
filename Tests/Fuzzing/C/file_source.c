/* Files of Y4M and IVF, as the file producer reads them: opened, planned ahead, skipped, read, placed in frames of the first one's size,
 * and read again from the beginning.
 * sources: FileProducer/source.c FileProducer/file.c FileProducer/ivf.c FileProducer/y4m.c FileProducer/vp8.c
 * sources: FileProducer/plan.c FileProducer/schedule.c FileProducer/deliver.c FileProducer/fit.c
 * packages: vpx */
#include "file.h"

#include "../../../Sources/Plugins/FileProducer/deliver.h"
#include "../../../Sources/Plugins/FileProducer/plan.h"

/* Every byte of a picture is the source's, until the next call. */
static uint32_t look(const fp_picture *picture) {
  uint32_t sum = 0;
  for (int plane = 0; plane < 3 && picture->plane[plane] != NULL; plane++) {
    uint32_t width = plane == 0 ? picture->width : (picture->width + 1) / 2;
    uint32_t height = plane == 0 ? picture->height : (picture->height + 1) / 2;
    for (uint32_t row = 0; row < height; row++) {
      const uint8_t *line = picture->plane[plane] + (int64_t)row * picture->stride[plane];
      sum += line[0] + line[width - 1];
    }
  }
  return sum;
}

enum { MOST_SAMPLES = 1 << 18 };

/* In a frame of the host: of the source's size, whatever the picture's, each plane in memory of its own, with rows longer than they need be. */
static uint32_t deliver(const fp_source *source, const fp_picture *picture, uint32_t pixel_format) {
  if ((uint64_t)source->width * source->height > MOST_SAMPLES || (uint64_t)picture->width * picture->height > MOST_SAMPLES) return 0;
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = source->width;
  format.height = source->height;
  format.color_full_range = source->full_range;
  msdk_video_frame frame = MSDK_INIT(msdk_video_frame);
  frame.format = &format;
  frame.plane_count = pixel_format == MSDK_PIXEL_I420 ? 3 : 2;
  uint32_t half_width = (format.width + 1) / 2, half_height = (format.height + 1) / 2, sum = 0;
  for (uint32_t i = 0; i < frame.plane_count; i++) {
    uint32_t bytes = i == 0 ? format.width : frame.plane_count == 3 ? half_width : 2 * half_width;
    frame.plane[i].stride = (int32_t)bytes + 3;
    /* The last row ends where it ends. */
    frame.plane[i].data = malloc((size_t)frame.plane[i].stride * ((i == 0 ? format.height : half_height) - 1) + bytes);
    if (frame.plane[i].data == NULL) abort();
  }
  fp_copy_picture(picture, &frame);
  for (uint32_t i = 0; i < frame.plane_count; i++) {
    sum += frame.plane[i].data[0];
    free(frame.plane[i].data);
  }
  return sum;
}

/* At the file's own rate and at a lower one: time goes on, and no frame waits longer than those that are skipped and a pause. */
static void plan_ahead(fp_source *source, bool loop, uint32_t slower) {
  fp_plan plan = {.fps_num = source->fps_num, .fps_den = source->fps_den};
  if (source->fps_den <= UINT32_MAX / slower) plan.fps_den *= slower;
  fp_plan_begin(&plan, source, loop);
  for (int count = 0; count < 8 && !plan.over; count++) {
    int64_t before = plan.next_ns;
    fp_plan_advance(&plan);
    if (plan.next_ns < before || plan.to_skip > FP_SKIP_MAX) abort();
    if (plan.next_ns - before > (int64_t)(plan.to_skip + 1) * (FP_PAUSE_MAX_NS + 1)) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fp_source source = {.report = {.host = fuzzing_host()}, .file.fd = -1};
  if (fp_source_open(&source, fuzzing_file(bytes, size)) < 0) return 0;
  if (source.width == 0 || source.height == 0 || source.fps_num == 0 || source.fps_den == 0) abort();
  volatile uint32_t sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    plan_ahead(&source, pass > 0, 1);
    plan_ahead(&source, pass > 0, 3);
    for (int count = 0; count < 4; count++) {
      fp_picture picture = {0};
      msdk_result result = count == 2 ? fp_source_skip(&source) : fp_source_read(&source, &picture);
      if (result == MSDK_OK && picture.plane[0] != NULL) {
        sum += look(&picture);
        sum += deliver(&source, &picture, count % 2 == 0 ? MSDK_PIXEL_NV12 : MSDK_PIXEL_I420);
      }
      if (result < 0 && result != MSDK_E_AGAIN) break;
    }
    fp_source_rewind(&source);
  }
  fp_source_close(&source);
  return 0;
}
