/* The limit for VP8: a plain loop around libvpx, given NV12 as it is.
 *
 *   encode_vpx CLIP FRAMES ours|aiortc */
#include "clip.h"
#include "encode_meter.h"
#include "measure.h"
#include "vp8_settings.h"
#include "vpx_encoder.h"

int main(int argc, char **argv) {
  const struct vp8_settings *settings = argc == 4 ? vp8_settings_named(argv[3]) : NULL;
  if (settings == NULL) die("usage: encode_vpx CLIP FRAMES ours|aiortc");
  uint64_t frames = count_from(argv[2]);
  struct clip clip;
  clip_open(&clip, argv[1], CLIP_NV12);
  vpx_codec_ctx_t encoder;
  vpx_encoder_open(&encoder, clip.width, clip.height, settings);
  vpx_image_t image = vpx_nv12_image(clip.width, clip.height);
  struct encode_meter meter;
  encode_begin(&meter);
  for (uint64_t i = 0; i < frames; i++) {
    vpx_nv12_planes(&image, clip_picture(&clip, i));
    vpx_codec_pts_t at = (vpx_codec_pts_t)i * VPX_TICKS / VP8_FPS;
    if (vpx_codec_encode(&encoder, &image, at, VPX_TICKS / VP8_FPS, 0, VPX_DL_REALTIME) != VPX_CODEC_OK) {
      die("frame %llu: %s", (unsigned long long)i, vpx_codec_error(&encoder));
    }
    vpx_codec_iter_t iterator = NULL;
    for (const vpx_codec_cx_pkt_t *packet; (packet = vpx_codec_get_cx_data(&encoder, &iterator)) != NULL;) {
      if (packet->kind == VPX_CODEC_CX_FRAME_PKT) encode_add(&meter, packet->data.frame.sz);
    }
  }
  encode_report(&meter, frames);
  vpx_codec_destroy(&encoder);
  clip_close(&clip);
  return 0;
}
