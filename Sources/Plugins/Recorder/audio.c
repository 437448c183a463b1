/* The track of sound: Opus as it came, or samples that are encoded here. */
#include "audio.h"

#include <libavutil/mathematics.h>
#include <string.h>

enum {
  CHANNELS_PASSED = 2, /* in the head for packets that pass: they may change between mono and stereo as they like (RFC 7845) */
  PATIENCE = 2 * REC_OPUS_RATE, /* sound that is so far behind the pictures is not waited for */
  BRIDGED = REC_OPUS_RATE / 10 /* the longest gap between packets that decoders are to bridge; a longer one is silent */
};
#define FOLLOWED_MAX (INT64_C(24) * 3600 * REC_OPUS_RATE)

int64_t rec_position(const rec_sound *sound, int64_t timestamp_ns) {
  return av_rescale(timestamp_ns - sound->origin_ns, REC_OPUS_RATE, 1000000000);
}

static int64_t time_of(int64_t samples) { return av_rescale(samples, 1000000000, REC_OPUS_RATE); }

msdk_result rec_sound_put(msdk_self *self, AVPacket *packet) {
  rec_sound *sound = &self->sound;
  int64_t samples = packet->duration, ends = sound->end + samples;
  packet->pts = packet->dts = sound->origin_ns + time_of(sound->end);
  packet->duration = time_of(samples);
  packet->stream_index = REC_AUDIO;
  packet->flags |= AV_PKT_FLAG_KEY;
  sound->end = ends;
  return rec_timeline_put(&self->timeline, packet);
}

msdk_result rec_sound_put_silence(msdk_self *self, int64_t count) {
  msdk_result result = MSDK_OK;
  for (int64_t i = 0; i < count && result >= 0; i++) {
    AVPacket *packet = rec_opus_silence(self->sound.channels);
    if (packet == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for a packet of silence");
    result = rec_sound_put(self, packet);
  }
  return result;
}

msdk_result rec_audio_follow(msdk_self *self, int64_t timestamp_ns) {
  rec_sound *sound = &self->sound;
  const rec_timeline *timeline = &self->timeline;
  if (!sound->started || !timeline->tracks[REC_AUDIO].attached || !timeline->begun) return MSDK_OK;
  int64_t end = sound->source == REC_FROM_RAW ? rec_samples_end(&sound->samples) : sound->end;
  int64_t missing = rec_position(sound, timestamp_ns) - PATIENCE - end;
  if (missing < REC_OPUS_FRAME || missing > FOLLOWED_MAX) return MSDK_OK;
  return sound->source == REC_FROM_RAW ? rec_pcm_fill(self, missing) : rec_sound_put_silence(self, missing / REC_OPUS_FRAME);
}

/* ----------------------------------------------------------------------------------------------------------- the host calls */

static msdk_result init_render(msdk_self *self) { return rec_attach(self, REC_AUDIO); }

static msdk_result release_render(msdk_self *self) {
  if (!self->timeline.tracks[REC_AUDIO].attached) return MSDK_OK;
  bool told = self->timeline.file.output.error != 0;
  msdk_result result = rec_pcm_finish(self);
  self->sound.source = REC_FROM_NOTHING;
  msdk_result detached = rec_detach(self, REC_AUDIO);
  return told || detached < 0 ? detached : result;
}

static msdk_result render_settings(msdk_self *self, msdk_audio_format *out) {
  if (out == NULL) return report_fail(&self->report, MSDK_E_INVALID, "render_settings needs a format to fill, not NULL");
  out->sample_format = MSDK_SAMPLE_F32;
  out->sample_rate = REC_OPUS_RATE;
  if (out->channels < 1 || out->channels > 2) out->channels = 2;
  out->planar = 0;
  out->frames_per_buffer = REC_OPUS_FRAME;
  return MSDK_OK;
}

static int32_t accepts_codec(msdk_self *self, uint32_t codec) {
  (void)self;
  return codec == MSDK_CODEC_OPUS;
}

/* The first sound of the file sets what time 0 of the count is. */
static msdk_result start(msdk_self *self, uint32_t channels, int64_t timestamp_ns) {
  rec_sound *sound = &self->sound;
  rec_track *track = &self->timeline.tracks[REC_AUDIO];
  if (!sound->started) {
    sound->started = true;
    sound->channels = channels;
    sound->origin_ns = timestamp_ns;
  }
  track->lost = false;
  if (track->parameters != NULL || self->timeline.begun) return MSDK_OK;
  AVCodecParameters *parameters = rec_opus_parameters(sound->channels, REC_OPUS_SKIP);
  if (parameters == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the audio track");
  rec_timeline_announce(&self->timeline, REC_AUDIO, parameters, timestamp_ns);
  return MSDK_OK;
}

static msdk_result check_time(msdk_self *self, int64_t timestamp_ns) {
  const rec_sound *sound = &self->sound;
  return rec_timeline_check(&self->timeline, timestamp_ns, sound->started ? sound->origin_ns + time_of(sound->end) : timestamp_ns);
}

/* ----------------------------------------------------------------------------------------------------------------- samples */

static msdk_result check_samples(msdk_self *self, const msdk_audio_frame *frame) {
  if (!self->timeline.tracks[REC_AUDIO].attached) return report_fail(&self->report, MSDK_E_STATE, "no file is open for audio");
  if (frame == NULL || frame->format == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the buffer has no format");
  const msdk_audio_format *format = frame->format;
  bool fits = format->sample_format == MSDK_SAMPLE_F32 && format->sample_rate == REC_OPUS_RATE && format->planar == 0;
  if (!fits || format->channels < 1 || format->channels > 2) {
    return report_fail(&self->report, MSDK_E_FORMAT, "audio of %u Hz, %u channels, sample format %u; accepted: %d Hz, 1 or 2 channels, f32",
                    format->sample_rate, format->channels, format->sample_format, REC_OPUS_RATE);
  }
  if (frame->sample_count >= 1 && frame->sample_count <= 192000 && frame->plane_count >= 1 && frame->planes != NULL) {
    return check_time(self, frame->timestamp_ns);
  }
  return report_fail(&self->report, MSDK_E_INVALID, "the buffer of %u samples has %u planes", frame->sample_count, frame->plane_count);
}

static msdk_result begin_samples(msdk_self *self, const msdk_audio_frame *frame) {
  rec_sound *sound = &self->sound;
  msdk_result result = start(self, frame->format->channels, frame->timestamp_ns);
  if (result < 0 || sound->source == REC_FROM_RAW) return result;
  result = rec_opus_open(&sound->encoder, sound->channels, self->audio_bitrate);
  if (result < 0) return result;
  /* A packet's first decoded sample is REC_OPUS_SKIP older than the first that went into it. */
  int64_t at = sound->end > 0 ? sound->end + REC_OPUS_SKIP : 0;
  sound->end = at - REC_OPUS_SKIP;
  sound->samples.channels = sound->channels;
  sound->samples.start = at;
  sound->source = REC_FROM_RAW;
  return MSDK_OK;
}

static msdk_result render_audio_frame(msdk_self *self, const msdk_audio_frame *frame) {
  msdk_result result = check_samples(self, frame);
  if (result < 0 || !rec_timeline_wants(&self->timeline, REC_AUDIO)) return result;
  result = begin_samples(self, frame);
  if (result >= 0) result = rec_timeline_seen(&self->timeline, REC_AUDIO, frame->timestamp_ns);
  return result < 0 ? result : rec_pcm_take(self, frame);
}

/* ----------------------------------------------------------------------------------------------------------------- packets */

static msdk_result check_packet(msdk_self *self, const msdk_encoded_frame *frame) {
  if (!self->timeline.tracks[REC_AUDIO].attached) return report_fail(&self->report, MSDK_E_STATE, "no file is open for audio");
  if (frame == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the packet is NULL");
  if (frame->codec != MSDK_CODEC_OPUS) {
    return report_fail(&self->report, MSDK_E_FORMAT, "the packet's codec is 0x%08X; accepted: Opus", frame->codec);
  }
  if (frame->size <= INT32_MAX / 2 && rec_opus_duration(frame->data, frame->size) > 0) return check_time(self, frame->timestamp_ns);
  return report_fail(&self->report, MSDK_E_INVALID, "the %llu bytes are not an Opus packet", (unsigned long long)frame->size);
}

static msdk_result begin_packets(msdk_self *self, const msdk_encoded_frame *frame) {
  msdk_result result = start(self, CHANNELS_PASSED, frame->timestamp_ns);
  if (result >= 0 && self->sound.source == REC_FROM_RAW) result = rec_pcm_finish(self);
  self->sound.source = REC_FROM_PACKETS;
  return result;
}

/* Fills a gap before a packet with as many others as come nearest to it. */
static msdk_result fill_gap(msdk_self *self, int64_t samples) {
  uint32_t each = rec_opus_duration(&(uint8_t){self->sound.toc & 0xFC}, 1);
  uint32_t half = (each < REC_OPUS_FRAME ? each : REC_OPUS_FRAME) / 2;
  msdk_result result = MSDK_OK;
  bool bridged = samples < BRIDGED + REC_OPUS_FRAME;
  for (; bridged && samples + half >= each && result >= 0; samples -= each) {
    AVPacket *packet = rec_opus_lost(self->sound.toc);
    if (packet == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for a packet that fills a gap");
    result = rec_sound_put(self, packet);
  }
  return result < 0 ? result : rec_sound_put_silence(self, (samples + REC_OPUS_FRAME / 2) / REC_OPUS_FRAME);
}

static msdk_result render_encoded_frame(msdk_self *self, const msdk_encoded_frame *frame) {
  msdk_result result = check_packet(self, frame);
  if (result < 0 || !rec_timeline_wants(&self->timeline, REC_AUDIO)) return result;
  result = begin_packets(self, frame);
  if (result >= 0) result = rec_timeline_seen(&self->timeline, REC_AUDIO, frame->timestamp_ns);
  if (result < 0) return result;
  int64_t ahead = rec_position(&self->sound, frame->timestamp_ns) - self->sound.end;
  int64_t lasts = rec_opus_duration(frame->data, frame->size);
  /* Less than half a frame is jitter of the timestamps. */
  if (2 * ahead <= -(lasts > REC_OPUS_FRAME ? lasts : REC_OPUS_FRAME)) return MSDK_OK; /* there is sound for its time already */
  if (2 * ahead >= REC_OPUS_FRAME) result = fill_gap(self, ahead);
  if (result < 0) return result;
  AVPacket *packet = av_packet_alloc();
  if (packet == NULL || av_new_packet(packet, (int)frame->size) < 0) {
    av_packet_free(&packet);
    return report_fail(&self->report, MSDK_E_NOMEM, "no memory for a packet of %llu bytes", (unsigned long long)frame->size);
  }
  memcpy(packet->data, frame->data, (size_t)frame->size);
  packet->duration = lasts;
  self->sound.toc = frame->data[0];
  return rec_sound_put(self, packet);
}

const msdk_audio_renderer rec_audio_renderer = {
  .struct_size = sizeof(msdk_audio_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .render_settings = render_settings,
  .render_audio_frame = render_audio_frame,
  .accepts_codec = accepts_codec,
  .render_encoded_frame = render_encoded_frame,
};
