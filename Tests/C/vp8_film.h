/* A film through the encoder and back: the pictures sent are remembered by timestamp, those received are compared with them. */
#ifndef VP8_FILM_H
#define VP8_FILM_H

#include "sending.h"

enum { FILM_FPS = 30, FILM_KEPT = 1024 };

typedef struct film {
  uint32_t width, height;
  uint32_t sent, received;
  int64_t stamp_of[FILM_KEPT]; /* by number of the picture */
  double worst_psnr, sum_psnr;
  uint32_t unknown, key_frames, discontinuities;
  uint64_t hash;
  int64_t last_stamp;
} film;

static inline film film_of(uint32_t width, uint32_t height) {
  return (film){.width = width, .height = height, .worst_psnr = 100, .hash = HASH_START};
}

static inline call film_call(film *it, uint64_t target_bitrate) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, it->width, it->height, FILM_FPS);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.target_bitrate = target_bitrate;
  return call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
}

/* Compares whatever has arrived with what was sent at that time. */
static inline void film_read(film *it, call *through) {
  msdk_video_frame *frame = NULL;
  while (msdk_incoming_video_read(through->incoming, 0, &frame) >= 0) {
    uint32_t number = 0;
    while (number < it->sent && it->stamp_of[number % FILM_KEPT] != frame->timestamp_ns) number++;
    if (number == it->sent) {
      it->unknown++;
    } else {
      msdk_video_frame *original = picture_new(MSDK_PIXEL_I420, it->width, it->height, number);
      double psnr = original != NULL ? picture_psnr(original, frame) : 0;
      if (psnr < it->worst_psnr) it->worst_psnr = psnr;
      it->sum_psnr += psnr;
      msdk_video_frame_unref(original);
    }
    it->discontinuities += (frame->flags & MSDK_FRAME_DISCONTINUITY) != 0;
    CHECK((frame->flags & MSDK_FRAME_CORRUPT) == 0);
    it->hash = picture_hash(it->hash, frame);
    it->hash = hash_bytes(it->hash, &frame->timestamp_ns, sizeof frame->timestamp_ns);
    it->last_stamp = frame->timestamp_ns;
    it->received++;
    msdk_video_frame_unref(frame);
  }
}

static inline void film_play(film *it, call *through, uint32_t count, outcomes *counted) {
  for (uint32_t i = 0; i < count && it->sent < FILM_KEPT; i++) {
    int64_t stamp = msdk_engine_now(through->engine) - 3 * MS;
    it->stamp_of[it->sent] = stamp;
    CHECK_OK(send_picture(through->sender, it->sent++, stamp, counted));
    run_for(through->engine, SECOND / FILM_FPS);
    film_read(it, through);
  }
}

#endif
