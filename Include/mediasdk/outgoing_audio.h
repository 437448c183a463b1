/* mediasdk/outgoing_audio.h - sound that this program makes
 *
 * A stream has one format from its making to its end: sample rate, channels, sample format, and the duration of a buffer. Started on a
 * session (session.h), or attached to one before it connects, it is given buffer after buffer, each of exactly
 * msdk_outgoing_audio_expected_buffer_size bytes:
 *
 *     samples per channel = sample_rate * buffer_ms / 1000, rounded down
 *
 * which is a whole number for all rates and durations but one: 22,050 Hz with an odd multiple of 10 ms. There a buffer is a little shorter
 * than its name, 220 samples, 9.977 ms, for 10 ms. Time is counted in samples, never in buffers, so nothing drifts: a program that makes
 * sound by the clock sends 22,050 samples a second, and has a buffer ready when 220 of them have come together.
 *
 * Time. The first sample's capture time goes with each buffer. Left to the SDK (timestamp_ns 0), sound that is sent at the rate it is made
 * is continuous: each buffer begins where the one before ended, drawn by a thousandth at most after a source whose clock is off; after a
 * pause of more than 100 ms it begins now.
 *
 * Pace. Sound leaves in real time, however fast it is sent. What is made live passes at once, on the caller's thread, or on the stream's
 * where it is encoded here; what comes faster than it plays, a file or synthetic speech, waits in a queue of queue_ms, and when that is
 * full send refuses it with MSDK_E_AGAIN or waits for room: that is the backpressure. A clock that is fast by less than a thousandth builds
 * up no delay: it is followed. Nor does a source that was held up and then sends what it captured meanwhile, with the times of its capture:
 * what goes on where the sound before ended leaves at once until it is in time again, if it is late by ten seconds at most; caught_up_ns
 * counts it. msdk_outgoing_audio_queued tells how much waits, _flush throws it away, and _wait_played waits for its end.
 *
 * Muting works on every stream, gain on all but those with encoded_input. Both change smoothly, within the next buffer that leaves; then
 * nothing is sent while a stream is muted. Receivers are told at once.
 *
 * Of every buffer that send accepts exactly one report tells the truth (report.h): sent; encoded; dropped with the reason; failed.
 */
#ifndef MEDIASDK_OUTGOING_AUDIO_H
#define MEDIASDK_OUTGOING_AUDIO_H

#include "handles.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { /* kind of stream; one session may send several, of the same kind too */
  MSDK_AUDIO_MICROPHONE = 1,  /* what the user says; tells of active speakers */
  MSDK_AUDIO_SCREEN_SHARE = 2 /* the sound of what is shown */
};

enum { /* what the Opus encoder is made for (RFC 6716, section 2.1.1) */
  MSDK_OPUS_VOIP = 0,     /* speech */
  MSDK_OPUS_AUDIO = 1,    /* music and everything else */
  MSDK_OPUS_LOW_DELAY = 2 /* 2.5 ms of look-ahead in place of 6.5; no in-band FEC */
};

typedef struct msdk_outgoing_audio_options {
  uint32_t struct_size;
  uint32_t kind;          /* MSDK_AUDIO_*; 0: microphone */
  uint32_t sample_rate;   /* 16000, 22050, 24000, 32000, 44100, 48000 Hz; 0: 48000 */
  uint32_t channels;      /* 1, 2; 0: 1 */
  uint32_t sample_format; /* MSDK_SAMPLE_*; 0: MSDK_SAMPLE_S16 */
  uint32_t buffer_ms;     /* 10, 20, 30 … 100; 0: 20 */
  uint32_t queue_ms;      /* how much sound may wait to be sent: buffer_ms..60,000, and 4,096 buffers (MSDK_E_NOMEM); 0: 500 */
  uint32_t report_capacity; /* reports that may wait to be read, 1..4,096; 0: 64; the oldest is dropped */
  uint32_t codec;         /* MSDK_CODEC_NONE: raw sound passes as it is; MSDK_CODEC_OPUS, or one of a plugin's */
  uint32_t encoded_input; /* 1: the program sends Opus packets (msdk_outgoing_audio_send_encoded), no raw sound */
  /* Of Opus, with an encoder here: */
  uint32_t application;   /* MSDK_OPUS_* */
  uint32_t bitrate;       /* 6,000..510,000 bits per second; 0: 32,000 a channel */
  uint32_t complexity;    /* 1..10; 0: 9 */
  uint32_t packet_ms;     /* 10, 20, 40, 60; 0: 20, or 10 when buffers are of 10 ms */
  uint32_t fec;           /* 1: in-band forward error correction: a packet carries the one before it again, smaller */
  uint32_t expected_loss; /* per cent, 0..100, which steers FEC; 0 with fec: 10 */
  uint32_t dtx;           /* 1: discontinuous transmission: silence is not sent, but for a packet every 400 ms */
  uint32_t reserved0;     /* 0 */
} msdk_outgoing_audio_options;

/* Makes a stream. options may be NULL for the defaults. MSDK_E_RANGE, MSDK_E_INVALID and MSDK_E_UNSUPPORTED name the member, what it was
 * and what is accepted. *out is the caller's to destroy. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_create(msdk_engine *engine, const msdk_outgoing_audio_options *options,
                                                   msdk_outgoing_audio **out);

/* Stops it if need be; what waits to be sent is reported as dropped. [any thread] [may wait for running callbacks] */
MSDK_EXPORT void msdk_outgoing_audio_destroy(msdk_outgoing_audio *stream);

/* MSDK_OUTGOING_* now. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_state(msdk_outgoing_audio *stream, uint32_t *out);

/* The format; frames_per_buffer is the samples per channel in each buffer. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_format(msdk_outgoing_audio *stream, msdk_audio_format *out);

/* The bytes of each buffer. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_expected_buffer_size(msdk_outgoing_audio *stream, uint64_t *out);

/* ------------------------------------------------------------------------------------------------------------------ sending */

/* Sends one buffer: `size` bytes of interleaved samples at `data`, of any alignment, copied before it returns.
 *
 * timestamp_ns: when its first sample was captured; 0: see above. It must be later than that of the buffer before (MSDK_E_RANGE).
 * timeout_ms: how long to wait for room in the queue; 0: MSDK_E_AGAIN at once when it is full. MSDK_E_TIMEOUT after the wait.
 * completion (may be NULL) tells what became of it; without one, the report can be read.
 *
 * MSDK_E_INVALID: a size other than expected_buffer_size, or an f32 sample that is not a number or infinite (the text names the first).
 * MSDK_E_STATE: the stream is not started, or takes packets. [any thread] [may wait for timeout_ms] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_send(msdk_outgoing_audio *stream, const void *data, uint64_t size, int64_t timestamp_ns,
                                                 uint32_t timeout_ms, msdk_send_fn completion, void *user);

/* The same for one Opus packet, copied too, on a stream with encoded_input (else MSDK_E_STATE). timestamp_ns: 0: the packet's own if set,
 * else as above. Its level tells of active speakers. MSDK_E_FORMAT: a packet of another codec. [any thread] [may wait for timeout_ms] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_send_encoded(msdk_outgoing_audio *stream, const msdk_encoded_frame *packet,
                                                         int64_t timestamp_ns, uint32_t timeout_ms, msdk_send_fn completion, void *user);

/* How much sound waits to be sent, in nanoseconds. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_queued(msdk_outgoing_audio *stream, int64_t *out);

/* Throws away what waits: reported as dropped, MSDK_DROP_FLUSHED. What the encoder has been given still leaves. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_flush(msdk_outgoing_audio *stream);

/* Waits until all that was sent before the call has left and its time has passed, so that the last sample has been due; what is thrown
 * away by flush is not waited for. MSDK_E_TIMEOUT; MSDK_E_CLOSED when the stream stops meanwhile. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_wait_played(msdk_outgoing_audio *stream, uint32_t timeout_ms);

/* Takes the oldest report of a buffer sent without completion; what a producer makes has none. MSDK_E_TIMEOUT, MSDK_E_CLOSED. [any thread]
 * [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_read_report(msdk_outgoing_audio *stream, uint32_t timeout_ms, msdk_frame_report *out);

/* ----------------------------------------------------------------------------------------------------------------- steering */

/* 1 mutes, 0 unmutes, in any state. The first buffer that leaves then fades out; the others are accepted and, when their turn comes,
 * reported as dropped, MSDK_DROP_MUTED. Packets of a stream with encoded_input cannot fade. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_muted(msdk_outgoing_audio *stream, uint32_t muted);

/* Multiplies what is sent: 0..8, 1 from the start. MSDK_E_UNSUPPORTED with encoded_input. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_gain(msdk_outgoing_audio *stream, double gain);

/* Of the Opus encoder, live: bits per second, 0 leaves it; per cent of packets that are lost on the way, 0..100. MSDK_E_UNSUPPORTED without
 * an encoder here. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_bitrate(msdk_outgoing_audio *stream, uint32_t bitrate);
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_expected_loss(msdk_outgoing_audio *stream, uint32_t percent);

/* Lets an instance make the sound: the core starts it with the stream and asks it, or holds it, to real time. What it makes in another
 * format is converted. NULL stops, releases and detaches it. MSDK_E_UNSUPPORTED: it makes no sound, or the stream takes packets;
 * MSDK_E_STATE: the stream has a producer, or the instance a stream, already. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_attach_producer(msdk_outgoing_audio *stream, msdk_instance *producer);

/* Puts a filter (plugin.h) behind those that are here, in any state; up to 8 (MSDK_E_NOMEM). Initialises it. Buffers pass the filters when
 * their time has come, before gain and muting, on the thread that takes them on: the stream's, or for a live source without a codec the
 * sender's, inside send. What is muted and has faded out does not pass them. A sample format that a filter does not take is converted before
 * and behind it. A buffer that is left out (MSDK_E_AGAIN) is reported as dropped, MSDK_DROP_FILTER. A filter that fails is reported by
 * MSDK_EVENT_PLUGIN (MSDK_PLUGIN_EVENT_ERROR) and taken out; one whose mean time over a second is more than half of a buffer's length is
 * reported with both (MSDK_PLUGIN_EVENT_SLOW), every 5 seconds at most. MSDK_E_UNSUPPORTED for a class that is no filter of sound, and for a
 * stream with encoded_input; MSDK_E_STATE for an instance that is attached to something. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_add_filter(msdk_outgoing_audio *stream, msdk_instance *filter);
/* When it returns, no buffer is in the filter any more, unless the call came from inside it. It stays as it is, STARTED if it was, and may
 * be added again; msdk_instance_release takes it down. MSDK_E_NOT_FOUND when it is not here. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_remove_filter(msdk_outgoing_audio *stream, msdk_instance *filter);

/* Sets (NULL: removes) who is given the packets that the encoder makes. Then sound is encoded though nobody receives it. MSDK_E_STATE
 * without an encoder here. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_encoded_callback(msdk_outgoing_audio *stream, msdk_encoded_fn callback, void *user);

/* ------------------------------------------------------------------------------------------------------------------- stats */

typedef struct msdk_outgoing_audio_stats { /* the names of W3C webrtc-stats where there is one */
  uint32_t struct_size;
  uint32_t state;
  uint64_t buffers_offered; /* accepted by send, or from the producer */
  /* outcomes; they add up to offered when all is done */
  uint64_t buffers_sent, buffers_encoded, buffers_dropped, buffers_failed;
  uint64_t packets_sent; /* encoded here or sent encoded, and handed over, whether somebody took them or not */
  uint64_t bytes_sent;
  int64_t queued_ns;     /* waits now */
  uint64_t total_encode_time_ns;
  uint32_t level;        /* of the last buffer, as in msdk_audio_frame */
  uint32_t muted;
  uint32_t receivers;    /* subscribed now */
  uint32_t bitrate;      /* of the encoder, bits per second; 0 without one */
  uint64_t reports_dropped;
  double gain;
  uint64_t total_filter_time_ns; /* in the filters, conversions for them included */
  int64_t caught_up_ns;  /* sound that left faster than in real time, as its source had been held up */
} msdk_outgoing_audio_stats;

/* Since the stream was made. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_stats_get(msdk_outgoing_audio *stream, msdk_outgoing_audio_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_OUTGOING_AUDIO_H */
