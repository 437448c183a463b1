/* Files of WAVE, as the plugin for sound reads them: whole, and once more from the beginning.
 * sources: Wav/source.c
 * packages: sndfile */
#include "file.h"

#include "../../../Sources/Plugins/Wav/source.h"

#include <math.h>

enum { AT_ONCE = 480, MOST = 100000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  wav_source source = {.report = {.host = fuzzing_host()}, .fd = -1};
  if (wav_source_open(&source, fuzzing_file(bytes, size)) < 0) return 0;
  if (source.channels < 1 || source.channels > 2 || source.sample_rate < WAV_RATE_MIN || source.sample_rate > WAV_RATE_MAX) abort();
  /* On the heap, in its right size, so that one sample more is noticed. */
  void *samples = malloc((size_t)AT_ONCE * wav_source_width(&source));
  if (samples == NULL) abort();
  for (int pass = 0; pass < 2; pass++) {
    uint32_t all = 0, count;
    while (all < MOST && (count = wav_source_read(&source, samples, AT_ONCE)) > 0) {
      if (count > AT_ONCE) abort();
      const float *values = samples;
      for (uint32_t i = 0; source.sample_format == MSDK_SAMPLE_F32 && i < count * source.channels; i++) {
        if (!isfinite(values[i])) abort();
      }
      all += count;
    }
    if (!wav_source_rewind(&source)) break;
  }
  free(samples);
  wav_source_close(&source);
  return 0;
}
