#include "vp8enc.h"

void vp8enc_set(GstElement *encoder, const struct vp8_settings *s) {
  gst_util_set_object_arg(G_OBJECT(encoder), "end-usage", "cbr");
  gst_util_set_object_arg(G_OBJECT(encoder), "keyframe-mode", "auto");
  gst_util_set_object_arg(G_OBJECT(encoder), "error-resilient", s->error_resilient ? "default" : "none");
  g_object_set(encoder, "deadline", (gint64)1, "cpu-used", s->cpu_used, "threads", (gint)s->threads, "target-bitrate", (gint)VP8_BITRATE,
               "lag-in-frames", 0, "min-quantizer", (gint)s->min_quantizer, "max-quantizer", (gint)s->max_quantizer, "undershoot",
               (gint)s->undershoot, "overshoot", (gint)s->overshoot, "buffer-size", (gint)s->buffer, "buffer-initial-size",
               (gint)s->buffer_initial, "buffer-optimal-size", (gint)s->buffer_optimal, "dropframe-threshold", (gint)s->drop_threshold,
               "keyframe-max-dist", (gint)s->key_frame_distance, "token-partitions", (gint)s->partitions_log2, "noise-sensitivity",
               (gint)s->noise_sensitivity, "static-threshold", (gint)s->static_threshold, "max-intra-bitrate", (gint)s->max_intra_rate,
               "auto-alt-ref", FALSE, NULL);
}
