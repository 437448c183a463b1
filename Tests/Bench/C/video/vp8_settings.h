/* The encoder settings that all candidates of a comparison share, in libvpx's own terms.
 *
 * OURS is what MediaSDK's encoder sets for the preset MSDK_PRESET_REALTIME at 1 Mbit/s, 25 frames a second and one thread. AIORTC is what
 * aiortc 1.16 sets (through FFmpeg). Both are only numbers, written down here so that the bare loop and the peers can be given the same. */
#ifndef BENCH_VP8_SETTINGS_H
#define BENCH_VP8_SETTINGS_H

#include <string.h>

enum { VP8_BITRATE = 1000000, VP8_FPS = 25 };

struct vp8_settings {
  int cpu_used;
  unsigned threads, min_quantizer, max_quantizer;
  unsigned undershoot, overshoot;                 /* per cent */
  unsigned buffer, buffer_initial, buffer_optimal; /* milliseconds */
  unsigned drop_threshold;                         /* per cent of the buffer; 0: no frame is ever left out */
  unsigned error_resilient, key_frame_distance, partitions_log2, noise_sensitivity, static_threshold;
  unsigned max_intra_rate;                         /* per cent of a frame's share; 0: no bound */
};

static const struct vp8_settings vp8_ours = {
  .cpu_used = -8, .threads = 1, .min_quantizer = 2, .max_quantizer = 56, .undershoot = 100, .overshoot = 15,
  .buffer = 1000, .buffer_initial = 500, .buffer_optimal = 600, .drop_threshold = 30, .error_resilient = 0,
  .key_frame_distance = 250, .partitions_log2 = 0, .noise_sensitivity = 0, .static_threshold = 1, .max_intra_rate = 750,
};

static const struct vp8_settings vp8_aiortc = {
  .cpu_used = -6, .threads = 1, .min_quantizer = 2, .max_quantizer = 56, .undershoot = 100, .overshoot = 15,
  .buffer = 1000, .buffer_initial = 750, .buffer_optimal = 833, .drop_threshold = 0, .error_resilient = 0,
  .key_frame_distance = 3000, .partitions_log2 = 0, .noise_sensitivity = 4, .static_threshold = 1, .max_intra_rate = 0,
};

/* NULL for a name that is neither "ours" nor "aiortc". */
static inline const struct vp8_settings *vp8_settings_named(const char *name) {
  if (strcmp(name, "ours") == 0) return &vp8_ours;
  return strcmp(name, "aiortc") == 0 ? &vp8_aiortc : NULL;
}

#endif
