/* What Swift cannot reach in libopus by itself: variadic functions, whose argument is an opus_int32 or a pointer to one. */
#ifndef COPUS_SHIM_H
#define COPUS_SHIM_H

#include <opus.h>

static inline int copus_encoder_set(OpusEncoder *encoder, int request, opus_int32 value) {
  return opus_encoder_ctl(encoder, request, value);
}

static inline int copus_encoder_get(OpusEncoder *encoder, int request, opus_int32 *value) {
  return opus_encoder_ctl(encoder, request, value);
}

static inline int copus_decoder_reset(OpusDecoder *decoder) { return opus_decoder_ctl(decoder, OPUS_RESET_STATE); }

#endif
