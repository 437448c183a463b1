/* Opus there and back through FFmpeg's libopus (libavcodec). Its frames are counted buffers, because libavcodec copies others before it
 * encodes them.
 *
 *   opus_ffmpeg speech|WAV COMPLEXITY PACKETS */
#include "measure.h"
#include "opus_input.h"

#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <string.h>

static AVCodecContext *context_of(const AVCodec *codec, const struct opus_input *input) {
  AVCodecContext *context = codec == NULL ? NULL : avcodec_alloc_context3(codec);
  if (context == NULL) die("this FFmpeg has no libopus");
  context->sample_rate = OPUS_INPUT_RATE;
  context->time_base = (AVRational){1, OPUS_INPUT_RATE};
  av_channel_layout_default(&context->ch_layout, (int)input->channels);
  return context;
}

static AVCodecContext *encoder_open(const struct opus_input *input) {
  const AVCodec *codec = avcodec_find_encoder_by_name("libopus");
  AVCodecContext *encoder = context_of(codec, input);
  encoder->sample_fmt = AV_SAMPLE_FMT_FLT;
  encoder->bit_rate = input->bitrate;
  encoder->compression_level = (int)input->complexity;
  if (av_opt_set(encoder->priv_data, "vbr", "constrained", 0) < 0 ||
      av_opt_set(encoder->priv_data, "application", input->is_speech ? "voip" : "audio", 0) < 0 ||
      av_opt_set(encoder->priv_data, "frame_duration", "20", 0) < 0) {
    die("FFmpeg's libopus does not know a setting");
  }
  if (avcodec_open2(encoder, codec, NULL) < 0 || encoder->frame_size != OPUS_INPUT_SAMPLES) die("FFmpeg's libopus does not open");
  return encoder;
}

static AVCodecContext *decoder_open(const struct opus_input *input, const AVCodecContext *encoder) {
  const AVCodec *codec = avcodec_find_decoder_by_name("libopus");
  AVCodecContext *decoder = context_of(codec, input);
  decoder->request_sample_fmt = AV_SAMPLE_FMT_FLT;
  decoder->extradata = av_mallocz((size_t)encoder->extradata_size + AV_INPUT_BUFFER_PADDING_SIZE);
  if (decoder->extradata == NULL) die("no memory");
  memcpy(decoder->extradata, encoder->extradata, (size_t)encoder->extradata_size);
  decoder->extradata_size = encoder->extradata_size;
  if (avcodec_open2(decoder, codec, NULL) < 0) die("FFmpeg's libopus decoder does not open");
  return decoder;
}

static void keep(void *opaque, uint8_t *data) { (void)opaque, (void)data; } /* the memory is the input's */

static void put(AVCodecContext *encoder, AVFrame *frame, const struct opus_input *input, uint64_t i) {
  size_t size = OPUS_INPUT_SAMPLES * input->channels * sizeof(float);
  frame->buf[0] = av_buffer_create((uint8_t *)opus_input_f32(input, i), size, keep, NULL, AV_BUFFER_FLAG_READONLY);
  if (frame->buf[0] == NULL || av_channel_layout_copy(&frame->ch_layout, &encoder->ch_layout) < 0) die("no memory");
  frame->format = AV_SAMPLE_FMT_FLT;
  frame->sample_rate = OPUS_INPUT_RATE;
  frame->nb_samples = OPUS_INPUT_SAMPLES;
  frame->data[0] = frame->buf[0]->data;
  frame->extended_data = frame->data;
  frame->pts = (int64_t)i * OPUS_INPUT_SAMPLES;
  if (avcodec_send_frame(encoder, frame) < 0) die("FFmpeg refused packet %llu", (unsigned long long)i);
  av_frame_unref(frame);
}

/* Decodes all that was encoded; its bytes. */
static uint64_t pass_on(AVCodecContext *encoder, AVCodecContext *decoder, AVPacket *packet, AVFrame *decoded) {
  uint64_t bytes = 0;
  while (avcodec_receive_packet(encoder, packet) == 0) {
    bytes += (uint64_t)packet->size;
    if (avcodec_send_packet(decoder, packet) < 0) die("FFmpeg did not decode a packet");
    while (avcodec_receive_frame(decoder, decoded) == 0) av_frame_unref(decoded);
    av_packet_unref(packet);
  }
  return bytes;
}

int main(int argc, char **argv) {
  if (argc != 4) die("usage: opus_ffmpeg speech|WAV COMPLEXITY PACKETS");
  struct opus_input input;
  opus_input_open(&input, argv + 1);
  av_log_set_level(AV_LOG_ERROR);
  AVCodecContext *encoder = encoder_open(&input), *decoder = decoder_open(&input, encoder);
  AVFrame *frame = av_frame_alloc(), *decoded = av_frame_alloc();
  AVPacket *packet = av_packet_alloc();
  if (frame == NULL || decoded == NULL || packet == NULL) die("no memory");
  double cpu = 0;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < input.count + OPUS_INPUT_WARM_UP; i++) {
    if (i == OPUS_INPUT_WARM_UP) {
      bytes = 0;
      cpu = cpu_seconds();
    }
    put(encoder, frame, &input, i);
    bytes += pass_on(encoder, decoder, packet, decoded);
  }
  opus_input_report(&input, cpu_seconds() - cpu, bytes);
  av_packet_free(&packet);
  av_frame_free(&frame);
  av_frame_free(&decoded);
  avcodec_free_context(&encoder);
  avcodec_free_context(&decoder);
  opus_input_close(&input);
  return 0;
}
