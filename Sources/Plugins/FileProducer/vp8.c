#include "vp8.h"

#include <stdlib.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>

/* RFC 6386, section 9.1: three bytes of tag, whose lowest bit is 0 in a key frame; then, in a key frame, a start code and two sizes of 14
 * bits. Every macroblock of a key frame costs more than one and a half bits for its modes alone: section 11 fixes their probabilities, of
 * which the largest are 145/256 for luma (0.82 bits) and 142/256 for chroma (0.85). A frame with fewer bits is lying about its size, and
 * must not make the decoder allocate for it. */
fp_vp8_info fp_vp8_peek(const uint8_t *bytes, uint64_t size) {
  fp_vp8_info info = {0};
  if (size < 3) return info;
  info.key = (bytes[0] & 1) == 0;
  if (!info.key || size < FP_VP8_KEY_HEADER) return info;
  info.width = (uint32_t)(bytes[6] | (bytes[7] & 0x3F) << 8);
  info.height = (uint32_t)(bytes[8] | (bytes[9] & 0x3F) << 8);
  uint64_t macroblocks = (uint64_t)((info.width + 15) / 16) * ((info.height + 15) / 16);
  info.plausible = bytes[3] == 0x9D && bytes[4] == 0x01 && bytes[5] == 0x2A && macroblocks > 0 && size >= macroblocks * 3 / 16;
  return info;
}

bool fp_vp8_is_shown(uint8_t first) { return (first & 0x10) != 0; }

msdk_result fp_vp8_open(fp_source *source) {
  vpx_codec_ctx_t *codec = calloc(1, sizeof *codec);
  if (codec == NULL) return report_fail(&source->report, MSDK_E_NOMEM, "no memory for the VP8 decoder");
  vpx_codec_dec_cfg_t configuration = {.threads = 1};
  vpx_codec_err_t error = vpx_codec_dec_init(codec, vpx_codec_vp8_dx(), &configuration, 0);
  if (error != VPX_CODEC_OK) {
    free(codec);
    return report_fail(&source->report, MSDK_E_FAIL, "the VP8 decoder cannot be opened: %s", vpx_codec_err_to_string(error));
  }
  source->codec = codec;
  return MSDK_OK;
}

void fp_vp8_close(fp_source *source) {
  if (source->codec == NULL) return;
  vpx_codec_destroy(source->codec);
  free(source->codec);
  source->codec = NULL;
}

static msdk_result lost(fp_source *source, const char *why) {
  report_log(&source->report, MSDK_LOG_WARN, "frame %llu, which ends at byte %llu, is skipped: %s", (unsigned long long)source->at.index,
         (unsigned long long)source->at.next, why);
  return MSDK_E_CORRUPT;
}

msdk_result fp_vp8_decode(fp_source *source, const uint8_t *bytes, uint64_t size, fp_picture *out) {
  if (size < 3) return lost(source, "it has fewer than 3 bytes, the least of a VP8 frame");
  if (size > UINT32_MAX / 2) return lost(source, "it is larger than the decoder accepts");
  fp_vp8_info info = fp_vp8_peek(bytes, size);
  if (info.key && !info.plausible) return lost(source, "its key frame header is damaged");
  vpx_codec_ctx_t *codec = source->codec;
  if (vpx_codec_decode(codec, bytes, (unsigned int)size, NULL, 0) != VPX_CODEC_OK) {
    const char *detail = vpx_codec_error_detail(codec);
    return lost(source, detail != NULL ? detail : vpx_codec_error(codec));
  }
  vpx_codec_iter_t iterator = NULL;
  const vpx_image_t *image = vpx_codec_get_frame(codec, &iterator);
  if (image == NULL) return MSDK_E_AGAIN;
  if (image->fmt != VPX_IMG_FMT_I420 || image->d_w == 0 || image->d_h == 0) return lost(source, "the decoder returned no 4:2:0 frame");
  int damaged = 0;
  *out = (fp_picture){.width = image->d_w, .height = image->d_h};
  for (int i = 0; i < 3; i++) {
    out->plane[i] = image->planes[i];
    out->stride[i] = image->stride[i];
  }
  if (vpx_codec_control(codec, VP8D_GET_FRAME_CORRUPTED, &damaged) == VPX_CODEC_OK && damaged) {
    report_log(&source->report, MSDK_LOG_WARN, "frame %llu is damaged", (unsigned long long)source->at.index);
    out->flags = MSDK_FRAME_CORRUPT;
  }
  return MSDK_OK;
}
