/* Opus: samples into packets, by libopus through libavcodec, on the caller's thread, and what there is to know of packets. */
#ifndef RECORDER_OPUS_H
#define RECORDER_OPUS_H

#include "av_error.h"

#include <libavcodec/avcodec.h>

enum { REC_OPUS_RATE = 48000, REC_OPUS_FRAME = 960, REC_OPUS_SKIP = 312 /* what libopus' decoded sound is late by at 48 kHz */ };

typedef struct rec_opus {
  plugin_report report;
  AVCodecContext *context; /* NULL: closed */
  AVFrame *frame;
} rec_opus;

msdk_result rec_opus_open(rec_opus *encoder, uint32_t channels, uint32_t bitrate);
void rec_opus_close(rec_opus *encoder);
/* Up to REC_OPUS_FRAME samples per channel; fewer only at the very end. NULL: gives what is still inside. *out may be NULL. */
msdk_result rec_opus_encode(rec_opus *encoder, const float *samples, uint32_t count, AVPacket **out);

/* What the head of a file says of a track: NULL when there is no memory. `skip`: samples that a player leaves out at the start. */
AVCodecParameters *rec_opus_parameters(uint32_t channels, uint32_t skip);

/* How long the packet is, in samples at 48 kHz; 0 when that is no Opus packet (RFC 6716, section 3.4). */
uint32_t rec_opus_duration(const uint8_t *data, uint64_t size);

/* REC_OPUS_FRAME samples of digital silence; NULL when there is no memory. */
AVPacket *rec_opus_silence(uint32_t channels);

/* Stands for a packet that was lost, after one that began with the byte `toc`, and makes the decoder bridge it. */
AVPacket *rec_opus_lost(uint8_t toc);

#endif
