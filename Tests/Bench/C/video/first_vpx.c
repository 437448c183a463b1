/* How long a plain libvpx program takes from its start to the first decoded picture: encoder, one flat 720p picture, decoder. */
#include "measure.h"
#include "vpx_encoder.h"

#include <stdlib.h>
#include <string.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>

enum { WIDTH = 1280, HEIGHT = 720, BYTES = WIDTH * HEIGHT * 3 / 2 };

int main(void) {
  uint8_t *picture = malloc(BYTES);
  if (picture == NULL) die("no memory");
  memset(picture, 128, BYTES);
  vpx_codec_ctx_t encoder, decoder;
  vpx_encoder_open(&encoder, WIDTH, HEIGHT, &vp8_ours);
  vpx_image_t image = vpx_nv12_image(WIDTH, HEIGHT);
  vpx_nv12_planes(&image, picture);
  if (vpx_codec_encode(&encoder, &image, 0, VPX_TICKS / VP8_FPS, 0, VPX_DL_REALTIME) != VPX_CODEC_OK) die("not encoded");
  vpx_codec_iter_t iterator = NULL;
  const vpx_codec_cx_pkt_t *packet = vpx_codec_get_cx_data(&encoder, &iterator);
  if (packet == NULL || packet->kind != VPX_CODEC_CX_FRAME_PKT) die("no encoded frame");
  if (vpx_codec_dec_init(&decoder, vpx_codec_vp8_dx(), NULL, 0) != VPX_CODEC_OK) die("no VP8 decoder");
  if (vpx_codec_decode(&decoder, packet->data.frame.buf, (unsigned)packet->data.frame.sz, NULL, 0) != VPX_CODEC_OK) die("not decoded");
  iterator = NULL;
  if (vpx_codec_get_frame(&decoder, &iterator) == NULL) die("no decoded picture");
  report("first_ms", (double)since_start_ns() / 1e6);
  vpx_codec_destroy(&decoder);
  vpx_codec_destroy(&encoder);
  free(picture);
  return 0;
}
