#include "vpx_encoder.h"

#include "measure.h"

static void set(vpx_codec_ctx_t *encoder, const struct vp8_settings *s) {
  int failed = vpx_codec_control(encoder, VP8E_SET_CPUUSED, s->cpu_used) ||
               vpx_codec_control(encoder, VP8E_SET_TOKEN_PARTITIONS, (int)s->partitions_log2) ||
               vpx_codec_control(encoder, VP8E_SET_NOISE_SENSITIVITY, s->noise_sensitivity) ||
               vpx_codec_control(encoder, VP8E_SET_STATIC_THRESHOLD, s->static_threshold) ||
               vpx_codec_control(encoder, VP8E_SET_MAX_INTRA_BITRATE_PCT, s->max_intra_rate);
  if (failed) die("a control was refused: %s", vpx_codec_error(encoder));
}

void vpx_encoder_open(vpx_codec_ctx_t *encoder, uint32_t width, uint32_t height, const struct vp8_settings *s) {
  vpx_codec_enc_cfg_t config;
  if (vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &config, 0) != VPX_CODEC_OK) die("no VP8 encoder");
  config.g_w = width;
  config.g_h = height;
  config.g_timebase = (vpx_rational_t){1, VPX_TICKS};
  config.g_threads = s->threads;
  config.g_lag_in_frames = 0;
  config.g_error_resilient = s->error_resilient;
  config.rc_end_usage = VPX_CBR;
  config.rc_target_bitrate = VP8_BITRATE / 1000;
  config.rc_min_quantizer = s->min_quantizer;
  config.rc_max_quantizer = s->max_quantizer;
  config.rc_undershoot_pct = s->undershoot;
  config.rc_overshoot_pct = s->overshoot;
  config.rc_buf_sz = s->buffer;
  config.rc_buf_initial_sz = s->buffer_initial;
  config.rc_buf_optimal_sz = s->buffer_optimal;
  config.rc_dropframe_thresh = s->drop_threshold;
  config.kf_mode = VPX_KF_AUTO;
  config.kf_max_dist = s->key_frame_distance;
  if (vpx_codec_enc_init(encoder, vpx_codec_vp8_cx(), &config, 0) != VPX_CODEC_OK) die("no encoder: %s", vpx_codec_error(encoder));
  set(encoder, s);
}

vpx_image_t vpx_nv12_image(uint32_t width, uint32_t height) {
  vpx_image_t image = {.fmt = VPX_IMG_FMT_NV12, .w = width, .h = height, .d_w = width, .d_h = height,
                       .x_chroma_shift = 1, .y_chroma_shift = 1, .bit_depth = 8, .bps = 12};
  for (int plane = 0; plane < 3; plane++) image.stride[plane] = (int)width;
  return image;
}

void vpx_nv12_planes(vpx_image_t *image, uint8_t *picture) {
  image->planes[VPX_PLANE_Y] = picture;
  image->planes[VPX_PLANE_U] = picture + (size_t)image->w * image->h;
  image->planes[VPX_PLANE_V] = image->planes[VPX_PLANE_U] + 1;
}
