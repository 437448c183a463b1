/* libaom, set for conversation: one pass, constant bit rate, no frame of delay. The tools that are switched off are those that cost a real-time
 * encoder more time than they save bits; it is the list that WebRTC's encoder has. */
#include "self.h"
#include "../formats.h"

#include <aom/aom_encoder.h>
#include <aom/aomcx.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS_PER_SECOND = 90000, KILOBITS_MAX = 2000000, SHARP_QUANTIZER = 20, COARSEST_QUANTIZER = 63, QUANTIZER_STEP = 5 };

/* MSDK_PRESET_* and kinds as they are in outgoing_video.h and types.h, of which a plugin sees the latter only. */
enum { PRESET_REALTIME, PRESET_FASTEST, PRESET_BALANCED, PRESET_QUALITY, PRESET_COUNT };

struct av1_encoder {
  aom_codec_ctx_t codec;
  aom_codec_enc_cfg_t config;
  bool is_screen;
  uint32_t fps_num, fps_den;
  int64_t last_ns;
  aom_codec_pts_t pts; /* of the next frame */
  bool has_begun;
  msdk_video_encoder_settings settings; /* that it was opened with */
  uint64_t bytes_max;                   /* of a screen's frame; 0: any */
  uint64_t shown;                       /* the number of what the last frame shows, while there is a bound */
  unsigned coarse;                      /* the quantizer of the last frame, beyond the rate control's; 0: its choice */
  unsigned min_quantizer, max_quantizer; /* the rate control's */
};

static msdk_result broken(const msdk_self *self, aom_codec_ctx_t *codec, aom_codec_err_t status, const char *doing) {
  const char *detail = codec != NULL ? aom_codec_error_detail(codec) : NULL;
  msdk_result result = status == AOM_CODEC_MEM_ERROR ? MSDK_E_NOMEM : status == AOM_CODEC_INVALID_PARAM ? MSDK_E_INVALID : MSDK_E_FAIL;
  return report_fail(&self->report, result, "%s: %s%s%s", doing, aom_codec_err_to_string(status), detail != NULL ? ", " : "",
                     detail != NULL ? detail : "");
}

static unsigned kilobits(uint64_t bits) {
  uint64_t rounded = bits / 1000 + (bits % 1000 >= 500);
  return (unsigned)(rounded < 1 ? 1 : rounded > KILOBITS_MAX ? KILOBITS_MAX : rounded);
}

static void keep_rate(av1_encoder *encoder, uint32_t fps_num, uint32_t fps_den) {
  bool known = fps_num > 0 && fps_den > 0 && fps_num / fps_den <= 1000;
  encoder->fps_num = known ? fps_num : 30;
  encoder->fps_den = known ? fps_den : 1;
}

static int64_t interval_ns(const av1_encoder *encoder) { return (int64_t)1000000000 * encoder->fps_den / encoder->fps_num; }

/* A key frame is at most half of what the buffer is meant to hold, and no less than three frames. */
static unsigned most_intra_percent(const av1_encoder *encoder) {
  double percent = 0.3 * encoder->fps_num / encoder->fps_den * 100;
  return percent < 300 ? 300 : percent > 10000 ? 10000 : (unsigned)percent;
}

static unsigned tile_columns(uint32_t threads, uint32_t width) {
  unsigned most = width >= 1280 ? 2 : width >= 640 ? 1 : 0, wanted = threads >= 4 ? 2 : threads >= 2 ? 1 : 0;
  return wanted < most ? wanted : most;
}

static msdk_result set_controls(msdk_self *self, av1_encoder *encoder, const msdk_video_encoder_settings *settings) {
  static const int speeds[PRESET_COUNT] = {[PRESET_REALTIME] = 9, [PRESET_FASTEST] = 10, [PRESET_BALANCED] = 8, [PRESET_QUALITY] = 7};
  int screen = encoder->is_screen;
  const struct {
    int control, value;
  } controls[] = {
    {AOME_SET_CPUUSED, self->speed > 0 ? self->speed : speeds[settings->preset]},
    {AV1E_SET_TUNE_CONTENT, screen ? AOM_CONTENT_SCREEN : AOM_CONTENT_DEFAULT},
    {AV1E_SET_ENABLE_PALETTE, screen},
    {AV1E_SET_ENABLE_INTRABC, 0},
    {AV1E_SET_AQ_MODE, screen ? 0 : 3},
    {AV1E_SET_ROW_MT, settings->threads > 1},
    {AV1E_SET_TILE_COLUMNS, (int)tile_columns(settings->threads, settings->width)},
    {AOME_SET_MAX_INTRA_BITRATE_PCT, (int)most_intra_percent(encoder)},
    {AV1E_SET_CDF_UPDATE_MODE, 1},
    {AV1E_SET_ENABLE_ORDER_HINT, 0},
    {AV1E_SET_ENABLE_TPL_MODEL, 0},
    {AV1E_SET_DELTAQ_MODE, 0},
    {AV1E_SET_ENABLE_OBMC, 0},
    {AV1E_SET_ENABLE_WARPED_MOTION, 0},
    {AV1E_SET_ENABLE_GLOBAL_MOTION, 0},
    {AV1E_SET_ENABLE_REF_FRAME_MVS, 0},
    {AV1E_SET_ENABLE_CFL_INTRA, 0},
    {AV1E_SET_ENABLE_SMOOTH_INTRA, 0},
    {AV1E_SET_ENABLE_ANGLE_DELTA, 0},
    {AV1E_SET_ENABLE_FILTER_INTRA, 0},
    {AV1E_SET_INTRA_DEFAULT_TX_ONLY, 1},
    {AV1E_SET_COEFF_COST_UPD_FREQ, 3},
    {AV1E_SET_MODE_COST_UPD_FREQ, 3},
    {AV1E_SET_MV_COST_UPD_FREQ, 3},
  };
  for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
    aom_codec_err_t status = aom_codec_control(&encoder->codec, controls[i].control, controls[i].value);
    if (status == AOM_CODEC_OK) continue;
    return report_fail(&self->report, MSDK_E_FAIL, "setting control %d of libaom to %d: %s", controls[i].control, controls[i].value,
                       aom_codec_err_to_string(status));
  }
  return MSDK_OK;
}

static void configure(aom_codec_enc_cfg_t *config, const msdk_video_encoder_settings *settings, bool is_screen) {
  config->g_w = settings->width;
  config->g_h = settings->height;
  config->g_threads = settings->threads;
  config->g_timebase = (aom_rational_t){.num = 1, .den = TICKS_PER_SECOND};
  config->g_error_resilient = 0;
  config->g_pass = AOM_RC_ONE_PASS;
  config->g_lag_in_frames = 0;
  config->rc_end_usage = AOM_CBR;
  config->rc_target_bitrate = kilobits(settings->target_bitrate);
  config->rc_dropframe_thresh = settings->drop_threshold;
  /* Text is hard to read above 48; finer than 12 nobody sees, and a screen that stands still would go on costing bits. */
  config->rc_min_quantizer = is_screen ? 12 : 10;
  config->rc_max_quantizer = is_screen ? 48 : 56;
  config->rc_undershoot_pct = 50;
  config->rc_overshoot_pct = 50;
  config->rc_buf_sz = 1000;
  config->rc_buf_initial_sz = 600;
  config->rc_buf_optimal_sz = 600;
  config->kf_mode = AOM_KF_AUTO;
  config->kf_min_dist = 0;
  config->kf_max_dist = 9999; /* the host asks for key frames */
}

static msdk_result check(const msdk_self *self, const msdk_video_encoder_settings *settings) {
  if (!MSDK_HAS(settings, msdk_video_encoder_settings, drop_threshold))
    return report_fail(&self->report, MSDK_E_INVALID, "settings is NULL or its struct_size is too small");
  if (settings->width < 16 || settings->height < 16 || settings->width > 8192 || settings->height > 8192) {
    return report_fail(&self->report, MSDK_E_RANGE, "the size is %ux%u; accepted: 16x16 to 8192x8192", settings->width, settings->height);
  }
  if (settings->threads < 1 || settings->threads > 8) {
    return report_fail(&self->report, MSDK_E_RANGE, "threads is %u; accepted: 1..8", settings->threads);
  }
  if (settings->preset >= PRESET_COUNT) return report_fail(&self->report, MSDK_E_RANGE, "preset is %u; accepted: 0..3", settings->preset);
  if (settings->drop_threshold > 100) {
    return report_fail(&self->report, MSDK_E_RANGE, "drop_threshold is %u; accepted: 0..100 per cent", settings->drop_threshold);
  }
  return MSDK_OK;
}

/* libaom's encoder of the configuration of now. */
static msdk_result begin(msdk_self *self, av1_encoder *encoder) {
  aom_codec_err_t status = aom_codec_enc_init(&encoder->codec, aom_codec_av1_cx(), &encoder->config, 0);
  if (status != AOM_CODEC_OK) return broken(self, &encoder->codec, status, "making an AV1 encoder");
  msdk_result result = set_controls(self, encoder, &encoder->settings);
  if (result < 0) aom_codec_destroy(&encoder->codec);
  return result;
}

static msdk_result open_encoder(msdk_self *self, const msdk_video_encoder_settings *settings) {
  msdk_result result = check(self, settings);
  if (result < 0) return result;
  av1_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return MSDK_E_NOMEM;
  encoder->is_screen = settings->kind == MSDK_VIDEO_SCREEN_SHARE;
  keep_rate(encoder, settings->fps_num, settings->fps_den);
  memcpy(&encoder->settings, settings, sizeof encoder->settings < settings->struct_size ? sizeof encoder->settings : settings->struct_size);
  aom_codec_err_t status = aom_codec_enc_config_default(aom_codec_av1_cx(), &encoder->config, AOM_USAGE_REALTIME);
  if (status == AOM_CODEC_OK) {
    configure(&encoder->config, settings, encoder->is_screen);
    encoder->min_quantizer = encoder->config.rc_min_quantizer;
    encoder->max_quantizer = encoder->config.rc_max_quantizer;
    result = begin(self, encoder);
  } else {
    result = broken(self, NULL, status, "reading libaom's defaults");
  }
  if (result < 0) {
    free(encoder);
    return result;
  }
  self->encoder = encoder;
  return MSDK_OK;
}

static msdk_result close_encoder(msdk_self *self) {
  if (self->encoder == NULL) return MSDK_OK;
  aom_codec_destroy(&self->encoder->codec);
  free(self->encoder);
  self->encoder = NULL;
  return MSDK_OK;
}

static msdk_result set_rate(msdk_self *self, uint64_t target_bitrate, uint32_t fps_num, uint32_t fps_den) {
  av1_encoder *encoder = self->encoder;
  if (encoder == NULL) return MSDK_E_STATE;
  keep_rate(encoder, fps_num, fps_den);
  aom_codec_control(&encoder->codec, AOME_SET_MAX_INTRA_BITRATE_PCT, most_intra_percent(encoder));
  if (kilobits(target_bitrate) == encoder->config.rc_target_bitrate) return MSDK_OK;
  encoder->config.rc_target_bitrate = kilobits(target_bitrate);
  aom_codec_err_t status = aom_codec_enc_config_set(&encoder->codec, &encoder->config);
  return status == AOM_CODEC_OK ? MSDK_OK : broken(self, &encoder->codec, status, "setting the bit rate");
}

/* Times of frames steer the rate control only: it must see them grow, and not by hours. */
static int64_t advance(av1_encoder *encoder, int64_t timestamp_ns) {
  int64_t most = 10 * (int64_t)1000000000, span;
  if (!encoder->has_begun || __builtin_sub_overflow(timestamp_ns, encoder->last_ns, &span) || span <= 0) span = interval_ns(encoder);
  if (span > most) span = most;
  if (encoder->has_begun) encoder->pts += span * TICKS_PER_SECOND / 1000000000 > 0 ? span * TICKS_PER_SECOND / 1000000000 : 1;
  encoder->has_begun = true;
  encoder->last_ns = timestamp_ns;
  int64_t ticks = interval_ns(encoder) * TICKS_PER_SECOND / 1000000000;
  return ticks > 0 ? ticks : 1;
}

static bool show(const msdk_video_frame *frame, aom_image_t *image) {
  const msdk_video_format *format = frame->format;
  bool nv12 = format->pixel_format == MSDK_PIXEL_NV12;
  memset(image, 0, sizeof *image);
  image->fmt = nv12 ? AOM_IMG_FMT_NV12 : AOM_IMG_FMT_I420;
  image->bit_depth = 8;
  image->bps = 12;
  image->w = image->d_w = format->width;
  image->h = image->d_h = format->height;
  image->x_chroma_shift = image->y_chroma_shift = 1;
  image->cp = AOM_CICP_CP_UNSPECIFIED;
  image->tc = AOM_CICP_TC_UNSPECIFIED;
  image->mc = AOM_CICP_MC_UNSPECIFIED;
  image->range = AOM_CR_STUDIO_RANGE;
  image->planes[0] = frame->plane[0].data;
  image->planes[1] = frame->plane[1].data;
  image->planes[2] = nv12 ? NULL : frame->plane[2].data;
  image->stride[0] = frame->plane[0].stride;
  image->stride[1] = frame->plane[1].stride;
  image->stride[2] = nv12 ? 0 : frame->plane[2].stride;
  return nv12 || format->pixel_format == MSDK_PIXEL_I420;
}

static uint32_t flags_of(av1_encoder *encoder, const aom_codec_cx_pkt_t *packet) {
  uint32_t flags = packet->data.frame.flags & AOM_FRAME_IS_KEY ? MSDK_ENCODED_KEY : 0;
  if (packet->data.frame.flags & AOM_FRAME_IS_DROPPABLE) flags |= MSDK_ENCODED_DROPPABLE;
  int quantizer = 0;
  if (encoder->is_screen && aom_codec_control(&encoder->codec, AOME_GET_LAST_QUANTIZER_64, &quantizer) == AOM_CODEC_OK &&
      quantizer > SHARP_QUANTIZER) {
    flags |= MSDK_ENCODED_COARSE;
  }
  return flags;
}

/* The packet of a frame, valid until the next call; *out is NULL when the rate control dropped it. */
static msdk_result encode_once(msdk_self *self, av1_encoder *encoder, const aom_image_t *image, int64_t length, bool is_key,
                               const aom_codec_cx_pkt_t **out) {
  *out = NULL;
  aom_codec_err_t status =
    aom_codec_encode(&encoder->codec, image, encoder->pts, (unsigned long)length, is_key ? AOM_EFLAG_FORCE_KF : 0);
  if (status != AOM_CODEC_OK) return broken(self, &encoder->codec, status, "encoding");
  aom_codec_iter_t iterator = NULL;
  const aom_codec_cx_pkt_t *packet;
  while ((packet = aom_codec_get_cx_data(&encoder->codec, &iterator)) != NULL) {
    if (packet->kind != AOM_CODEC_CX_FRAME_PKT || packet->data.frame.sz == 0) continue;
    *out = packet;
    break;
  }
  return MSDK_OK;
}

/* What it shows, as a number, by which it is known again (FNV-1a of eight bytes at a time). */
static uint64_t number_of(const aom_image_t *image) {
  uint64_t hash = 0xcbf29ce484222325;
  for (int plane = 0; plane < 3 && image->planes[plane] != NULL; plane++) {
    uint32_t rows = plane == 0 ? image->d_h : (image->d_h + 1) / 2;
    uint32_t bytes = plane == 0 ? image->d_w : (image->d_w + 1) / 2 * (image->fmt == AOM_IMG_FMT_NV12 ? 2 : 1);
    for (uint32_t row = 0; row < rows; row++) {
      const uint8_t *at = image->planes[plane] + (ptrdiff_t)row * image->stride[plane];
      for (uint32_t i = 0; i < bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, at + i, bytes - i < 8 ? bytes - i : 8);
        hash = (hash ^ word) * 0x100000001b3;
        hash ^= hash >> 29;
      }
    }
  }
  return hash;
}

/* Those of the next frame. After a coarse one the same picture becomes finer step by step, as all at once would be too long again. */
static msdk_result set_quantizers(msdk_self *self, av1_encoder *encoder, bool is_new) {
  aom_codec_enc_cfg_t *config = &encoder->config;
  if (encoder->coarse == 0) return MSDK_OK;
  unsigned finer = encoder->coarse - QUANTIZER_STEP;
  encoder->coarse = is_new || finer <= encoder->max_quantizer ? 0 : finer;
  config->rc_min_quantizer = encoder->coarse > 0 ? encoder->coarse : encoder->min_quantizer;
  config->rc_max_quantizer = encoder->coarse > 0 ? encoder->coarse : encoder->max_quantizer;
  aom_codec_err_t status = aom_codec_enc_config_set(&encoder->codec, config);
  return status == AOM_CODEC_OK ? MSDK_OK : broken(self, &encoder->codec, status, "setting the quantizers");
}

/* A frame that was too long once more, by an encoder that knows nothing of it: nothing may refer to it, and the rate control is not to
 * answer for it. First as much coarser as its size asks for, then at the coarsest quantizer, which is sent whatever its size. */
static msdk_result encode_coarsely(msdk_self *self, av1_encoder *encoder, const aom_image_t *image, int64_t length,
                                   const aom_codec_cx_pkt_t **out) {
  bool is_near = (*out)->data.frame.sz / 2 < encoder->bytes_max;
  unsigned quantizer = is_near ? (encoder->max_quantizer + COARSEST_QUANTIZER) / 2 : COARSEST_QUANTIZER;
  for (;; quantizer = COARSEST_QUANTIZER) {
    aom_codec_destroy(&encoder->codec);
    encoder->coarse = encoder->config.rc_min_quantizer = encoder->config.rc_max_quantizer = quantizer;
    msdk_result result = begin(self, encoder);
    if (result >= 0) result = encode_once(self, encoder, image, length, true, out);
    if (result < 0 || quantizer == COARSEST_QUANTIZER || *out == NULL || (*out)->data.frame.sz <= encoder->bytes_max) return result;
  }
}

static msdk_result encode(msdk_self *self, const msdk_video_frame *frame, uint32_t flags, msdk_encoded_frame **out) {
  av1_encoder *encoder = self->encoder;
  if (encoder == NULL) return MSDK_E_STATE;
  aom_image_t image;
  if (!show(frame, &image)) {
    return report_fail(&self->report, MSDK_E_FORMAT, "pixel format %s; accepted: NV12, I420", msdk_pixel_name(frame->format->pixel_format));
  }
  if (image.w != encoder->config.g_w || image.h != encoder->config.g_h) {
    return report_fail(&self->report, MSDK_E_FORMAT, "the frame is %ux%u; this encoder was opened for %ux%u", image.w, image.h,
                       encoder->config.g_w, encoder->config.g_h);
  }
  int64_t length = advance(encoder, frame->timestamp_ns);
  uint64_t shown = encoder->bytes_max > 0 ? number_of(&image) : 0;
  bool is_new = shown != encoder->shown;
  const aom_codec_cx_pkt_t *packet;
  msdk_result result = set_quantizers(self, encoder, is_new);
  if (result < 0) return result;
  result = encode_once(self, encoder, &image, length, (flags & MSDK_ENCODE_KEY) != 0, &packet);
  if (result >= 0 && packet != NULL && encoder->bytes_max > 0 && packet->data.frame.sz > encoder->bytes_max &&
      (packet->data.frame.flags & AOM_FRAME_IS_KEY || is_new)) {
    result = encode_coarsely(self, encoder, &image, length, &packet);
  }
  if (result < 0) return result;
  if (packet == NULL) return MSDK_E_AGAIN;
  encoder->shown = shown;
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame);
  attributes.flags = flags_of(encoder, packet);
  attributes.data = packet->data.frame.buf;
  attributes.size = packet->data.frame.sz;
  return self->report.host->encoded_frame_create(self->report.context, &attributes, out);
}

static msdk_result set_bytes_max(msdk_self *self, uint64_t bytes_max) {
  if (self->encoder == NULL) return MSDK_E_STATE;
  self->encoder->bytes_max = self->encoder->is_screen ? bytes_max : 0;
  return MSDK_OK;
}

static const uint32_t pixel_formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420};

const msdk_video_encoder av1_encoder_table = {
  .struct_size = sizeof(msdk_video_encoder),
  .codec = MSDK_CODEC_AV1,
  .dimension_max = 8192,
  .pixel_formats = pixel_formats, .pixel_format_count = MSDK_COUNT(pixel_formats),
  .open_encoder = open_encoder,
  .close_encoder = close_encoder,
  .set_rate = set_rate,
  .encode = encode,
  .set_bytes_max = set_bytes_max,
};
