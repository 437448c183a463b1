/* GStreamer's vp8enc with the settings of vp8_settings.h. */
#ifndef BENCH_VP8ENC_H
#define BENCH_VP8ENC_H

#include "vp8_settings.h"

#include <gst/gst.h>

void vp8enc_set(GstElement *encoder, const struct vp8_settings *settings);

#endif
