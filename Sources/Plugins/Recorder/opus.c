#include "opus.h"

#include <libavutil/channel_layout.h>
#include <libavutil/mem.h>
#include <string.h>

enum { QUIET = 24 /* libavcodec's log levels: what is no error is not printed */, HEAD_BYTES = 19, SEEK_PREROLL = 3840 };

/* FFmpeg 5.1 counts channels in another way than the ones before it. */
#define HAS_LAYOUTS (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 37, 100))

void rec_opus_close(rec_opus *encoder) {
  avcodec_free_context(&encoder->context);
  av_frame_free(&encoder->frame);
}

msdk_result rec_opus_open(rec_opus *encoder, uint32_t channels, uint32_t bitrate) {
  const AVCodec *codec = avcodec_find_encoder_by_name("libopus");
  if (codec == NULL) return report_fail(&encoder->report, MSDK_E_UNSUPPORTED, "this FFmpeg has no libopus, so audio cannot be encoded");
  AVCodecContext *context = encoder->context = avcodec_alloc_context3(codec);
  AVFrame *frame = encoder->frame = av_frame_alloc();
  if (context == NULL || frame == NULL) {
    rec_opus_close(encoder);
    return report_fail(&encoder->report, MSDK_E_NOMEM, "no memory for the Opus encoder");
  }
  context->sample_fmt = AV_SAMPLE_FMT_FLT;
  context->sample_rate = REC_OPUS_RATE;
  context->time_base = (AVRational){1, REC_OPUS_RATE};
  context->bit_rate = bitrate;
  context->log_level_offset = QUIET;
  context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
#if HAS_LAYOUTS
  av_channel_layout_default(&context->ch_layout, (int)channels);
#else
  context->channels = (int)channels;
  context->channel_layout = (uint64_t)av_get_default_channel_layout((int)channels);
#endif
  int error = avcodec_open2(context, codec, NULL);
  if (error >= 0 && context->frame_size != REC_OPUS_FRAME) error = AVERROR(EINVAL);
  if (error < 0) rec_opus_close(encoder);
  return error < 0 ? rec_fail_av(&encoder->report, error, "opening the Opus encoder") : MSDK_OK;
}

static int fill(rec_opus *encoder, const float *samples, uint32_t count) {
  AVCodecContext *context = encoder->context;
  AVFrame *frame = encoder->frame;
  frame->format = context->sample_fmt;
  frame->sample_rate = context->sample_rate;
  frame->nb_samples = (int)count;
#if HAS_LAYOUTS
  int error = av_channel_layout_copy(&frame->ch_layout, &context->ch_layout), channels = context->ch_layout.nb_channels;
#else
  int error = 0, channels = frame->channels = context->channels;
  frame->channel_layout = context->channel_layout;
#endif
  if (error >= 0) error = av_frame_get_buffer(frame, 0);
  if (error >= 0) memcpy(frame->data[0], samples, (size_t)count * (size_t)channels * sizeof *samples);
  return error;
}

msdk_result rec_opus_encode(rec_opus *encoder, const float *samples, uint32_t count, AVPacket **out) {
  AVPacket *packet = av_packet_alloc();
  int error = packet == NULL ? AVERROR(ENOMEM) : samples != NULL ? fill(encoder, samples, count) : 0;
  if (error >= 0) error = avcodec_send_frame(encoder->context, samples != NULL ? encoder->frame : NULL);
  if (samples == NULL && error == AVERROR_EOF) error = 0; /* asked for again */
  av_frame_unref(encoder->frame);
  if (error >= 0) error = avcodec_receive_packet(encoder->context, packet);
  if (error < 0) av_packet_free(&packet);
  *out = packet;
  if (error >= 0 || error == AVERROR(EAGAIN) || error == AVERROR_EOF) return MSDK_OK;
  return rec_fail_av(&encoder->report, error, "encoding audio as Opus");
}

/* The identification header of RFC 7845, section 5.1. */
AVCodecParameters *rec_opus_parameters(uint32_t channels, uint32_t skip) {
  AVCodecParameters *parameters = avcodec_parameters_alloc();
  uint8_t *head = av_mallocz(HEAD_BYTES + AV_INPUT_BUFFER_PADDING_SIZE);
  if (parameters == NULL || head == NULL) {
    avcodec_parameters_free(&parameters);
    av_free(head);
    return NULL;
  }
  memcpy(head, "OpusHead", 8);
  head[8] = 1;
  head[9] = (uint8_t)channels;
  head[10] = (uint8_t)skip;
  head[11] = (uint8_t)(skip >> 8);
  head[12] = (uint8_t)REC_OPUS_RATE;
  head[13] = (uint8_t)(REC_OPUS_RATE >> 8);
  parameters->extradata = head;
  parameters->extradata_size = HEAD_BYTES;
  parameters->codec_type = AVMEDIA_TYPE_AUDIO;
  parameters->codec_id = AV_CODEC_ID_OPUS;
  parameters->format = AV_SAMPLE_FMT_FLT;
  parameters->sample_rate = REC_OPUS_RATE;
  parameters->frame_size = REC_OPUS_FRAME;
  parameters->initial_padding = (int)skip;
  parameters->seek_preroll = SEEK_PREROLL;
#if HAS_LAYOUTS
  av_channel_layout_default(&parameters->ch_layout, (int)channels);
#else
  parameters->channels = (int)channels;
  parameters->channel_layout = (uint64_t)av_get_default_channel_layout((int)channels);
#endif
  return parameters;
}

uint32_t rec_opus_duration(const uint8_t *data, uint64_t size) {
  static const uint16_t silk[] = {480, 960, 1920, 2880}, hybrid[] = {480, 960}, celt[] = {120, 240, 480, 960};
  if (data == NULL || size == 0) return 0;
  uint32_t config = data[0] >> 3, code = data[0] & 3;
  if (code == 3 && size < 2) return 0;
  uint32_t frames = code == 0 ? 1 : code < 3 ? 2 : data[1] & 63;
  uint32_t each = config < 12 ? silk[config & 3] : config < 16 ? hybrid[config & 1] : celt[config & 3];
  return frames * each <= 5760 ? frames * each : 0;
}

static AVPacket *packet_of(const uint8_t *bytes, int count) {
  AVPacket *packet = av_packet_alloc();
  if (packet == NULL || av_new_packet(packet, count) < 0) {
    av_packet_free(&packet);
    return NULL;
  }
  memcpy(packet->data, bytes, (size_t)count);
  packet->duration = rec_opus_duration(bytes, (uint64_t)count);
  return packet;
}

/* One frame of CELT over the full band whose first bit says that it is silent (RFC 6716, section 4.3). */
AVPacket *rec_opus_silence(uint32_t channels) {
  const uint8_t bytes[] = {channels == 2 ? 0xFC : 0xF8, 0xFF, 0xFE};
  return packet_of(bytes, sizeof bytes);
}

/* One frame of no bytes (RFC 7845, section 4.1). */
AVPacket *rec_opus_lost(uint8_t toc) {
  const uint8_t byte = toc & 0xFC;
  return packet_of(&byte, 1);
}
