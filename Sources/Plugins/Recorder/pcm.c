/* Samples into packets. They are kept back for a third of a second before they are encoded: the mix of a session stamps its silence with
 * the time of mixing and speech with that of its capture, which is earlier; so silence that was put where speech belongs is taken back
 * instead of cutting the first syllable. */
#include "audio.h"

#include <math.h>

enum {
  KEPT_BACK = 16 * REC_OPUS_FRAME,
  TOLERATED = REC_OPUS_RATE / 50, /* 20 ms: jitter up to here, beyond it sound is missing or there twice */
  DRIFT = 24,                     /* half a millisecond: from here on buffers are stretched by one sample in 20 ms */
  FILLED = REC_OPUS_RATE          /* silence that is encoded, before it becomes ready-made packets */
};
#define SMOOTHING 50.0 /* buffers of 20 ms */

static msdk_result no_memory(msdk_self *self) { return report_fail(&self->report, MSDK_E_NOMEM, "no memory for queued audio"); }

static msdk_result encode(msdk_self *self, uint32_t kept_back) {
  rec_sound *sound = &self->sound;
  msdk_result result = MSDK_OK;
  uint32_t done = 0;
  const rec_samples *samples = &sound->samples;
  while (result >= 0 && samples->count - done >= kept_back + REC_OPUS_FRAME) {
    AVPacket *packet;
    result = rec_opus_encode(&sound->encoder, samples->data + (size_t)done * samples->channels, REC_OPUS_FRAME, &packet);
    done += REC_OPUS_FRAME;
    if (result >= 0 && packet != NULL) result = rec_sound_put(self, packet);
  }
  if (done > 0) rec_samples_drop(&sound->samples, done);
  return result;
}

msdk_result rec_pcm_fill(msdk_self *self, int64_t count) {
  rec_sound *sound = &self->sound;
  int64_t encoded = count < FILLED ? count : FILLED;
  if (!rec_samples_add_silence(&sound->samples, (uint32_t)encoded)) return no_memory(self);
  msdk_result result = encode(self, KEPT_BACK);
  int64_t left = count - encoded;
  if (result < 0 || left == 0) return result;
  /* All that waits is silent now, and all that is in the encoder: whole packets of silence can go in between. */
  int64_t packets = left / REC_OPUS_FRAME;
  result = rec_sound_put_silence(self, packets);
  sound->samples.start += packets * REC_OPUS_FRAME;
  if (!rec_samples_add_silence(&sound->samples, (uint32_t)(left % REC_OPUS_FRAME))) return no_memory(self);
  return result;
}

/* Small differences between timestamps and count are jitter; what stays of them when they are smoothed is a clock that drifts. Returns how
 * many samples the buffer should become. */
static uint32_t follow_clock(rec_sound *sound, double ahead, uint32_t count) {
  double weight = count / (SMOOTHING * REC_OPUS_FRAME);
  sound->lag += (ahead - sound->lag) * (weight < 1 ? weight : 1);
  if (fabs(sound->lag) < DRIFT || count < REC_OPUS_FRAME / 4) return count;
  uint32_t change = count / REC_OPUS_FRAME > 0 ? count / REC_OPUS_FRAME : 1;
  if (change > DRIFT) change = DRIFT;
  double moved = sound->lag > 0 ? (double)change : -(double)change;
  sound->lag -= moved;
  return moved > 0 ? count + change : count - change;
}

msdk_result rec_pcm_take(msdk_self *self, const msdk_audio_frame *frame) {
  rec_sound *sound = &self->sound;
  const float *from = (const float *)(const void *)frame->planes[0];
  uint32_t count = frame->sample_count, channels = frame->format->channels;
  int64_t ahead = rec_position(sound, frame->timestamp_ns) - rec_samples_end(&sound->samples);
  msdk_result result = MSDK_OK;
  /* What is left of an overlap is none of the jitter's. */
  bool overlaps = sound->left_out && ahead < 0;
  sound->left_out = false;
  if (ahead >= -TOLERATED && ahead <= TOLERATED && !overlaps) {
    uint32_t into = follow_clock(sound, (double)ahead, count);
    bool added = into == count ? rec_samples_add(&sound->samples, from, channels, count)
                               : rec_samples_add_stretched(&sound->samples, from, channels, count, into);
    return added ? encode(self, KEPT_BACK) : no_memory(self);
  }
  sound->lag = 0;
  if (ahead > 0) {
    result = rec_pcm_fill(self, ahead);
  } else {
    uint32_t twice = -ahead < UINT32_MAX ? (uint32_t)-ahead : UINT32_MAX;
    twice -= rec_samples_take_back_silence(&sound->samples, twice);
    if (twice > count) twice = count;
    sound->left_out = twice == count;
    if (twice > 0 && !sound->told_overlap) {
      report_log(&self->report, MSDK_LOG_INFO, "audio arrived for a time that already has audio; %u samples of it are dropped", twice);
      sound->told_overlap = true;
    }
    from += (size_t)twice * channels;
    count -= twice;
  }
  if (result >= 0 && !rec_samples_add(&sound->samples, from, channels, count)) result = no_memory(self);
  return result < 0 ? result : encode(self, KEPT_BACK);
}

msdk_result rec_pcm_finish(msdk_self *self) {
  rec_sound *sound = &self->sound;
  if (sound->encoder.context == NULL) return MSDK_OK;
  msdk_result result = encode(self, 0);
  AVPacket *packet = NULL;
  if (result >= 0 && sound->samples.count > 0) {
    result = rec_opus_encode(&sound->encoder, sound->samples.data, sound->samples.count, &packet);
    rec_samples_drop(&sound->samples, sound->samples.count);
    if (result >= 0 && packet != NULL) result = rec_sound_put(self, packet);
  }
  do {
    packet = NULL;
    if (result >= 0) result = rec_opus_encode(&sound->encoder, NULL, 0, &packet);
    if (result >= 0 && packet != NULL) result = rec_sound_put(self, packet);
  } while (result >= 0 && packet != NULL);
  rec_opus_close(&sound->encoder);
  return result;
}
