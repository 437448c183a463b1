#include "file.h"

#include <libavutil/mathematics.h>
#include <string.h>

#define CLUSTER_MS "500"
#define PAGE_US "500000"
/* How long a packet waits for those of the other track that belong before it. */
enum { INTERLEAVE_US = 700000 };

/* A block of Opus stands in WebM at the time of its first decoded sample plus what players leave out at the start (CodecDelay). The muxer
 * adds that since FFmpeg 6; before, it is to be added here. */
#if LIBAVFORMAT_VERSION_MAJOR >= 60
enum { MUXER_ADDS_DELAY = 1 };
#else
enum { MUXER_ADDS_DELAY = 0 };
#endif

static const AVRational nanoseconds = {1, 1000000000};

static msdk_result checked(rec_file *file, int error, const char *what) {
  if (file->output.error != 0) return rec_output_failed(&file->output);
  if (error < 0) return rec_fail_av(&file->report, error, what);
  rec_output_mark_good(&file->output);
  return MSDK_OK;
}

static void forget_muxer(rec_file *file) {
  if (file->muxer == NULL) return;
  file->muxer->pb = NULL; /* the output's */
  avformat_free_context(file->muxer);
  file->muxer = NULL;
  for (int i = 0; i < REC_TRACKS; i++) file->streams[i] = NULL;
}

static int add_streams(rec_file *file, AVCodecParameters *const parameters[REC_TRACKS]) {
  for (int i = 0; i < REC_TRACKS; i++) {
    if (parameters[i] == NULL) continue;
    AVStream *stream = avformat_new_stream(file->muxer, NULL);
    if (stream == NULL) return AVERROR(ENOMEM);
    int error = avcodec_parameters_copy(stream->codecpar, parameters[i]);
    if (error < 0) return error;
    stream->time_base = (AVRational){1, i == REC_AUDIO ? 48000 : 1000};
    file->streams[i] = stream;
    file->last[i] = INT64_MIN;
  }
  return 0;
}

msdk_result rec_file_begin(rec_file *file, const char *container, AVCodecParameters *const parameters[REC_TRACKS], int64_t base_ns) {
  msdk_result result = rec_output_begin(&file->output);
  if (result < 0) return result;
  file->base_ns = base_ns;
  file->is_webm = strcmp(container, "webm") == 0;
  int error = avformat_alloc_output_context2(&file->muxer, NULL, container, NULL);
  if (error < 0) return rec_fail_av(&file->report, error, "this FFmpeg has no muxer for the file");
  AVFormatContext *muxer = file->muxer;
  muxer->pb = file->output.io;
  muxer->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_FLUSH_PACKETS;
  muxer->max_interleave_delta = INTERLEAVE_US;
  muxer->avoid_negative_ts = 0; /* only Opus begins before 0, by what its decoder leaves out */
  error = add_streams(file, parameters);
  if (error >= 0) {
    AVDictionary *options = NULL;
    av_dict_set(&options, "cluster_time_limit", CLUSTER_MS, 0);
    av_dict_set(&options, "page_duration", PAGE_US, 0);
    error = avformat_write_header(muxer, &options);
    av_dict_free(&options);
  }
  if (error >= 0) avio_flush(muxer->pb);
  result = checked(file, error, "writing the file's header");
  if (result < 0) forget_muxer(file);
  return result;
}

msdk_result rec_file_write(rec_file *file, AVPacket *packet) {
  int track = packet->stream_index;
  AVStream *stream = file->muxer != NULL ? file->streams[track] : NULL;
  if (file->output.error != 0 || stream == NULL) {
    av_packet_free(&packet);
    return file->output.error != 0 ? rec_output_failed(&file->output) : MSDK_OK;
  }
  int64_t time_ns = packet->pts - file->base_ns;
  if (track == REC_AUDIO && file->is_webm && !MUXER_ADDS_DELAY) {
    time_ns += av_rescale_q(stream->codecpar->initial_padding, (AVRational){1, stream->codecpar->sample_rate}, nanoseconds);
  }
  int64_t stamp = av_rescale_q(time_ns, nanoseconds, stream->time_base);
  if (track == REC_VIDEO && stamp < 0) stamp = 0;
  if (stamp <= file->last[track]) stamp = file->last[track] + 1; /* players refuse one that does not rise */
  file->last[track] = stamp;
  packet->pts = packet->dts = stamp;
  packet->duration = av_rescale_q(packet->duration, nanoseconds, stream->time_base);
  packet->stream_index = stream->index;
  packet->pos = -1;
  int error = av_interleaved_write_frame(file->muxer, packet);
  av_packet_free(&packet);
  return checked(file, error, "writing a packet");
}

msdk_result rec_file_finish(rec_file *file) {
  msdk_result result = MSDK_OK;
  if (file->muxer != NULL && file->output.error == 0) {
    int error = av_write_trailer(file->muxer);
    avio_flush(file->output.io);
    result = checked(file, error, "completing the file");
  }
  forget_muxer(file);
  msdk_result closed = rec_output_close(&file->output);
  return result < 0 ? result : closed;
}
