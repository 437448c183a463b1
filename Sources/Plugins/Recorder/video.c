/* The track of pictures: VP8 as it came, or pictures that are encoded here. */
#include "self.h"
#include "../formats.h"

#include <string.h>

#define INTERVAL_UNKNOWN_NS INT64_C(33333333)
#define INTERVAL_MAX_NS INT64_C(1000000000)

static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  if (format == NULL || format->width == 0 || format->height == 0) return 0;
  if (format->width > REC_VP8_SIZE_MAX || format->height > REC_VP8_SIZE_MAX) return 0;
  return format->pixel_format == MSDK_PIXEL_I420 || format->pixel_format == MSDK_PIXEL_NV12;
}

static int32_t accepts_codec(msdk_self *self, uint32_t codec) {
  (void)self;
  return codec == MSDK_CODEC_VP8;
}

static msdk_result init_render(msdk_self *self) { return rec_attach(self, REC_VIDEO); }

static msdk_result release_render(msdk_self *self) {
  rec_video *video = &self->video;
  if (!self->timeline.tracks[REC_VIDEO].attached) return MSDK_OK;
  rec_vp8_close(&video->encoder);
  *video = (rec_video){.encoder = {.report = self->report}, .last_ns = video->last_ns};
  return rec_detach(self, REC_VIDEO);
}

/* ------------------------------------------------------------------------------------------------------------ both sources */

static void tell_orientation(msdk_self *self, uint32_t orientation) {
  if (orientation == 0 || self->video.told_orientation) return;
  self->video.told_orientation = true;
  report_log(&self->report, MSDK_LOG_WARN, "the frames have orientation %u, which the file cannot store; they are stored without it",
             orientation);
}

/* A frame that can be built on what came before, or needs nothing, goes on. */
static bool can_follow(msdk_self *self, int source, bool is_key) {
  rec_video *video = &self->video;
  rec_track *track = &self->timeline.tracks[REC_VIDEO];
  bool follows = video->source == source && !track->lost;
  if (follows || is_key) {
    video->source = source;
    track->lost = false;
    return true;
  }
  if (!video->told_key) report_log(&self->report, MSDK_LOG_INFO, "frames are dropped until a key frame arrives");
  video->told_key = true;
  return false;
}

static msdk_result check_time(msdk_self *self, int64_t timestamp_ns) {
  return rec_timeline_check(&self->timeline, timestamp_ns, self->video.source != REC_FROM_NOTHING ? self->video.last_ns : timestamp_ns);
}

typedef struct colour {
  uint32_t primaries, transfer, matrix;
  bool full_range;
} colour;

static msdk_result announce(msdk_self *self, uint32_t width, uint32_t height, colour colour, int64_t first_ns) {
  if (self->timeline.begun || self->timeline.tracks[REC_VIDEO].parameters != NULL) return MSDK_OK;
  AVCodecParameters *parameters = avcodec_parameters_alloc();
  if (parameters == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the video track");
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  parameters->codec_id = AV_CODEC_ID_VP8;
  parameters->width = (int)width;
  parameters->height = (int)height;
  parameters->format = AV_PIX_FMT_YUV420P;
  parameters->sample_aspect_ratio = (AVRational){1, 1};
  /* FFmpeg's numbers are those of H.273. The range is always known: what is not full is limited. */
  parameters->color_range = colour.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  if (colour.matrix != 0) parameters->color_space = (enum AVColorSpace)colour.matrix;
  if (colour.primaries != 0) parameters->color_primaries = (enum AVColorPrimaries)colour.primaries;
  if (colour.transfer != 0) parameters->color_trc = (enum AVColorTransferCharacteristic)colour.transfer;
  rec_timeline_announce(&self->timeline, REC_VIDEO, parameters, first_ns);
  return MSDK_OK;
}

static msdk_result put(msdk_self *self, AVPacket *packet, int64_t timestamp_ns, int64_t duration_ns) {
  rec_video *video = &self->video;
  int64_t since = timestamp_ns - video->last_ns;
  packet->pts = packet->dts = timestamp_ns;
  packet->duration = duration_ns > 0 ? duration_ns : since > 0 && since <= INTERVAL_MAX_NS ? since : INTERVAL_UNKNOWN_NS;
  packet->stream_index = REC_VIDEO;
  video->last_ns = timestamp_ns;
  msdk_result result = rec_timeline_put(&self->timeline, packet);
  if (result >= 0) result = rec_timeline_seen(&self->timeline, REC_VIDEO, timestamp_ns);
  return result < 0 ? result : rec_audio_follow(self, timestamp_ns);
}

/* ---------------------------------------------------------------------------------------------------------------- pictures */

static msdk_result check_picture(msdk_self *self, const msdk_video_frame *frame) {
  if (!self->timeline.tracks[REC_VIDEO].attached) return report_fail(&self->report, MSDK_E_STATE, "no file is open for video");
  if (frame == NULL || frame->format == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the frame has no format");
  const msdk_video_format *format = frame->format;
  if (!accepts_format(self, format)) {
    return report_fail(&self->report, MSDK_E_FORMAT, "the frame is %ux%u in pixel format %s; accepted: I420 and NV12 of up to %d per side",
                       format->width, format->height, msdk_pixel_name(format->pixel_format), REC_VP8_SIZE_MAX);
  }
  uint32_t planes = format_planes(format->pixel_format);
  if (frame->plane_count >= planes) return check_time(self, frame->timestamp_ns);
  return report_fail(&self->report, MSDK_E_INVALID, "the frame has %u planes; its format has %u", frame->plane_count, planes);
}

static msdk_result render_video_frame(msdk_self *self, const msdk_video_frame *frame) {
  msdk_result result = check_picture(self, frame);
  if (result < 0 || !rec_timeline_wants(&self->timeline, REC_VIDEO)) return result;
  tell_orientation(self, frame->orientation);
  rec_track *track = &self->timeline.tracks[REC_VIDEO];
  bool force_key = self->video.source != REC_FROM_RAW || track->lost;
  AVPacket *packet;
  result = rec_vp8_encode(&self->video.encoder, frame, self->video_bitrate, force_key, &packet);
  if (result < 0 || packet == NULL) return result;
  if (!can_follow(self, REC_FROM_RAW, (packet->flags & AV_PKT_FLAG_KEY) != 0)) {
    av_packet_free(&packet);
    return MSDK_OK;
  }
  const msdk_video_format *format = frame->format;
  colour colour = {format->color_primaries, format->color_transfer, format->color_matrix, format->color_full_range == 1};
  result = announce(self, format->width, format->height, colour, frame->timestamp_ns);
  if (result >= 0) return put(self, packet, frame->timestamp_ns, frame->duration_ns);
  av_packet_free(&packet);
  return result;
}

/* --------------------------------------------------------------------------------------------------------------------- VP8 */

static msdk_result check_encoded(msdk_self *self, const msdk_encoded_frame *frame) {
  if (!self->timeline.tracks[REC_VIDEO].attached) return report_fail(&self->report, MSDK_E_STATE, "no file is open for video");
  if (frame == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the frame is NULL");
  if (frame->codec != MSDK_CODEC_VP8) {
    return report_fail(&self->report, MSDK_E_FORMAT, "the frame's codec is 0x%08X; accepted: VP8", frame->codec);
  }
  bool sized = frame->width >= 1 && frame->width <= REC_VP8_SIZE_MAX && frame->height >= 1 && frame->height <= REC_VP8_SIZE_MAX;
  if (frame->data != NULL && frame->size > 0 && frame->size <= INT32_MAX / 2 && sized) return check_time(self, frame->timestamp_ns);
  return report_fail(&self->report, MSDK_E_INVALID, "the frame has %llu bytes for %ux%u pixels", (unsigned long long)frame->size,
                     frame->width, frame->height);
}

static msdk_result render_encoded_frame(msdk_self *self, const msdk_encoded_frame *frame) {
  msdk_result result = check_encoded(self, frame);
  if (result < 0 || !rec_timeline_wants(&self->timeline, REC_VIDEO)) return result;
  tell_orientation(self, frame->orientation);
  bool is_key = (frame->flags & MSDK_ENCODED_KEY) != 0;
  if (!can_follow(self, REC_FROM_PACKETS, is_key)) return rec_timeline_seen(&self->timeline, REC_VIDEO, frame->timestamp_ns);
  colour colour = {frame->color_primaries, frame->color_transfer, frame->color_matrix, frame->color_full_range == 1};
  result = announce(self, frame->width, frame->height, colour, frame->timestamp_ns);
  if (result < 0) return result;
  AVPacket *packet = av_packet_alloc();
  if (packet == NULL || av_new_packet(packet, (int)frame->size) < 0) {
    av_packet_free(&packet);
    return report_fail(&self->report, MSDK_E_NOMEM, "no memory for a frame of %llu bytes", (unsigned long long)frame->size);
  }
  memcpy(packet->data, frame->data, (size_t)frame->size);
  packet->flags = is_key ? AV_PKT_FLAG_KEY : 0;
  return put(self, packet, frame->timestamp_ns, frame->duration_ns);
}

const msdk_video_renderer rec_video_renderer = {
  .struct_size = sizeof(msdk_video_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .accepts_format = accepts_format,
  .render_video_frame = render_video_frame,
  .accepts_codec = accepts_codec,
  .render_encoded_frame = render_encoded_frame,
};
