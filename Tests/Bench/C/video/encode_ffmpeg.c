/* The same clip through FFmpeg's libvpx wrapper (libavcodec). It takes I420 only, so it is given I420: no conversion is charged. The
 * pictures are counted buffers, because libavcodec copies others before it encodes them.
 *
 *   encode_ffmpeg CLIP FRAMES */
#include "clip.h"
#include "encode_meter.h"
#include "measure.h"
#include "vp8_settings.h"

#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>

static void option(AVCodecContext *encoder, const char *name, int64_t value) {
  if (av_opt_set_int(encoder->priv_data, name, value, 0) < 0) die("FFmpeg's libvpx does not know '%s'", name);
}

static AVCodecContext *encoder_open(const struct clip *clip, const struct vp8_settings *s) {
  const AVCodec *codec = avcodec_find_encoder_by_name("libvpx");
  AVCodecContext *encoder = codec == NULL ? NULL : avcodec_alloc_context3(codec);
  if (encoder == NULL) die("this FFmpeg has no libvpx");
  encoder->width = (int)clip->width;
  encoder->height = (int)clip->height;
  encoder->pix_fmt = AV_PIX_FMT_YUV420P;
  encoder->time_base = (AVRational){1, 90000};
  encoder->framerate = (AVRational){VP8_FPS, 1};
  encoder->bit_rate = encoder->rc_max_rate = encoder->rc_min_rate = VP8_BITRATE; /* all three alike: constant bit rate */
  encoder->rc_buffer_size = (int)((int64_t)VP8_BITRATE * s->buffer / 1000);
  encoder->rc_initial_buffer_occupancy = (int)((int64_t)VP8_BITRATE * s->buffer_initial / 1000);
  encoder->qmin = (int)s->min_quantizer;
  encoder->qmax = (int)s->max_quantizer;
  encoder->gop_size = (int)s->key_frame_distance;
  encoder->thread_count = (int)s->threads;
  encoder->slices = 1 << s->partitions_log2;
  option(encoder, "deadline", 1);
  option(encoder, "cpu-used", s->cpu_used);
  option(encoder, "lag-in-frames", 0);
  option(encoder, "error-resilient", s->error_resilient);
  option(encoder, "undershoot-pct", s->undershoot);
  option(encoder, "overshoot-pct", s->overshoot);
  option(encoder, "drop-threshold", s->drop_threshold);
  option(encoder, "noise-sensitivity", s->noise_sensitivity);
  option(encoder, "static-thresh", s->static_threshold);
  option(encoder, "max-intra-rate", s->max_intra_rate);
  if (avcodec_open2(encoder, codec, NULL) < 0) die("FFmpeg's libvpx does not open");
  return encoder;
}

static void keep(void *opaque, uint8_t *data) { (void)opaque, (void)data; } /* the memory is the clip's */

static void drain(AVCodecContext *encoder, AVPacket *packet, struct encode_meter *meter) {
  while (avcodec_receive_packet(encoder, packet) == 0) {
    encode_add(meter, (uint64_t)packet->size);
    av_packet_unref(packet);
  }
}

static void put(AVCodecContext *encoder, AVFrame *frame, const struct clip *clip, uint64_t i) {
  frame->buf[0] = av_buffer_create(clip_picture(clip, i), clip->frame_size, keep, NULL, AV_BUFFER_FLAG_READONLY);
  if (frame->buf[0] == NULL) die("no memory");
  frame->format = AV_PIX_FMT_YUV420P;
  frame->width = (int)clip->width;
  frame->height = (int)clip->height;
  frame->data[0] = frame->buf[0]->data;
  frame->data[1] = frame->data[0] + (size_t)clip->width * clip->height;
  frame->data[2] = frame->data[1] + (size_t)clip->width * clip->height / 4;
  frame->linesize[0] = (int)clip->width;
  frame->linesize[1] = frame->linesize[2] = (int)clip->width / 2;
  frame->pts = (int64_t)i * 90000 / VP8_FPS;
  if (avcodec_send_frame(encoder, frame) < 0) die("FFmpeg refused frame %llu", (unsigned long long)i);
  av_frame_unref(frame);
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: encode_ffmpeg CLIP FRAMES");
  uint64_t frames = count_from(argv[2]);
  av_log_set_level(AV_LOG_ERROR);
  struct clip clip;
  clip_open(&clip, argv[1], CLIP_I420);
  AVCodecContext *encoder = encoder_open(&clip, &vp8_ours);
  AVFrame *frame = av_frame_alloc();
  AVPacket *packet = av_packet_alloc();
  if (frame == NULL || packet == NULL) die("no memory");
  struct encode_meter meter;
  encode_begin(&meter);
  for (uint64_t i = 0; i < frames; i++) {
    put(encoder, frame, &clip, i);
    drain(encoder, packet, &meter);
  }
  avcodec_send_frame(encoder, NULL);
  drain(encoder, packet, &meter);
  encode_report(&meter, frames);
  av_packet_free(&packet);
  av_frame_free(&frame);
  avcodec_free_context(&encoder);
  clip_close(&clip);
  return 0;
}
