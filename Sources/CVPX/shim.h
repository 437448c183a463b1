/* What Swift cannot reach in libvpx by itself: macros with casts and ABI version arguments, and one variadic function. */
#ifndef CVPX_SHIM_H
#define CVPX_SHIM_H

#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

/* vpx_codec_enc_init is a macro that adds the version of the headers compiled against, by which libvpx refuses a mismatch. */
static inline vpx_codec_err_t cvpx_vp8_encoder_init(vpx_codec_ctx_t *context, const vpx_codec_enc_cfg_t *config) {
  return vpx_codec_enc_init(context, vpx_codec_vp8_cx(), config, 0);
}

/* The same for vpx_codec_dec_init. */
static inline vpx_codec_err_t cvpx_vp8_decoder_init(vpx_codec_ctx_t *context, const vpx_codec_dec_cfg_t *config) {
  return vpx_codec_dec_init(context, vpx_codec_vp8_dx(), config, 0);
}

/* vpx_codec_control_ is variadic. Its argument is an int or unsigned int for the controls that set, which are passed alike. */
static inline vpx_codec_err_t cvpx_set(vpx_codec_ctx_t *context, int control, int value) {
  return vpx_codec_control_(context, control, value);
}

/* Of which macroblocks something is coded, one byte each, row by row; NULL: of all. The others stay as they were. */
static inline vpx_codec_err_t cvpx_set_active(vpx_codec_ctx_t *context, unsigned char *map, unsigned int rows, unsigned int columns) {
  vpx_active_map_t active = {map, rows, columns};
  return vpx_codec_control_(context, VP8E_SET_ACTIVEMAP, &active);
}

/* ...and a pointer to int for the controls that get. */
static inline vpx_codec_err_t cvpx_get(vpx_codec_ctx_t *context, int control, int *value) {
  return vpx_codec_control_(context, control, value);
}

#endif
