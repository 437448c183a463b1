/* A plain libvpx VP8 encoder with the settings of vp8_settings.h, fed with NV12. */
#ifndef BENCH_VPX_ENCODER_H
#define BENCH_VPX_ENCODER_H

#include "vp8_settings.h"

#include <stdint.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

enum { VPX_TICKS = 1000000 }; /* a second, in the encoder's time base */

/* Ends the program when libvpx refuses something. */
void vpx_encoder_open(vpx_codec_ctx_t *encoder, uint32_t width, uint32_t height, const struct vp8_settings *settings);

/* An image whose planes are still to be set. */
vpx_image_t vpx_nv12_image(uint32_t width, uint32_t height);

/* Points the image at a picture whose planes are packed tight. */
void vpx_nv12_planes(vpx_image_t *image, uint8_t *picture);

#endif
