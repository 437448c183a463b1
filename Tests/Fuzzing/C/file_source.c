/* Files of Y4M and IVF, as the file producer reads them: opened, looked ahead, skipped, read and read again from the beginning.
 * sources: FileProducer/source.c FileProducer/file.c FileProducer/ivf.c FileProducer/y4m.c FileProducer/vp8.c FileProducer/report.c
 * packages: vpx */
#include "file.h"

#include "../../../Sources/Plugins/FileProducer/source.h"

/* Every byte of a picture is the source's, until the next call. */
static uint32_t look(const fp_source *source, const fp_picture *picture) {
  uint32_t sum = 0;
  for (int plane = 0; plane < 3 && picture->plane[plane] != NULL; plane++) {
    uint32_t width = plane == 0 ? source->width : (source->width + 1) / 2, height = plane == 0 ? source->height : (source->height + 1) / 2;
    for (uint32_t row = 0; row < height; row++) {
      const uint8_t *line = picture->plane[plane] + (int64_t)row * picture->stride[plane];
      sum += line[0] + line[width - 1];
    }
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fp_source source = {.report = {.host = fuzzing_host()}, .file.fd = -1};
  if (fp_source_open(&source, fuzzing_file(bytes, size)) < 0) return 0;
  if (source.width == 0 || source.height == 0 || source.fps_num == 0 || source.fps_den == 0) abort();
  volatile uint32_t sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    (void)fp_source_ends_before(&source, 3);
    for (int count = 0; count < 4; count++) {
      fp_picture picture = {0};
      msdk_result result = count == 2 ? fp_source_skip(&source) : fp_source_read(&source, &picture);
      if (result == MSDK_OK && picture.plane[0] != NULL) sum += look(&source, &picture);
      if (result < 0 && result != MSDK_E_AGAIN) break;
    }
    fp_source_rewind(&source);
  }
  fp_source_close(&source);
  return 0;
}
