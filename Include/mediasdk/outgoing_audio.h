/** @file
 * mediasdk/outgoing_audio.h - audio that this program sends
 *
 * A stream keeps one format for its lifetime: sample rate, channels, sample format and the duration of a buffer. The stream is
 * started on a session (session.h), or attached to one before it connects. The program then sends buffers of exactly
 * msdk_outgoing_audio_get_buffer_size bytes:
 *
 *     samples per channel = sample_rate * buffer_ms / 1000, rounded down
 *
 * This is a whole number for all rates and durations except 22,050 Hz with an odd multiple of 10 ms. There a buffer is slightly
 * shorter than its nominal duration: 220 samples, 9.977 ms, for 10 ms. Time is counted in samples, not in buffers, so nothing
 * drifts. A program that generates audio by the clock sends 22,050 samples a second, and has a buffer ready whenever 220 samples
 * are complete.
 *
 * Time. Each buffer carries the capture time of its first sample. With timestamp_ns 0 the SDK uses the time of the call minus the
 * buffer's duration, because a live buffer was captured while it was filled. From there on audio is continuous: each buffer begins
 * where the previous one ended. The SDK corrects this time by at most a thousandth to follow a source whose clock is off. Audio
 * that is sent ahead gets timestamps ahead. After a pause of more than 100 ms the time of the call is used again. The
 * exception is a live source that was delayed, and then sends within 20 ms as much audio as the pause lasted. That audio was captured
 * during the pause, and continues where the audio before it ended. An example: a source is blocked for 300 ms and then sends 15
 * buffers of 20 ms at once; their times are those of the 300 ms. To distinguish the two cases, the first buffer after a pause is held
 * for 20 ms. A pause longer than queue_ms is not recognised as a delay. A source that may be delayed for longer must pass the times.
 *
 * Clocks. timestamp_ns is on the engine's clock, or on a clock of the program's own, for example a count from 0: a time not after the
 * previous buffer's, or more than ten seconds before or a minute after the time of the call, is resynchronised, so that this buffer has
 * the time that it would have with timestamp_ns 0, and those that follow in all streams of the session keep their distance to it.
 * Receivers get times on the engine's clock. MSDK_TIME_ZERO is the time 0.
 *
 * Pace. Audio leaves in real time, however fast it is sent. Live audio is sent at once, on the caller's thread, or on the stream's
 * thread if it is encoded here. Audio that comes faster than real time, for example a file or synthetic speech, waits in a queue of
 * queue_ms. When the queue is full, send returns MSDK_E_AGAIN or waits for room: this is the backpressure. A clock that is fast by
 * less than a thousandth causes no delay, because the SDK follows it. A source that was delayed, and then sends what it captured
 * meanwhile, causes no delay either. If its audio continues where the audio before ended, and is late by ten seconds at most, it
 * leaves at once until it is in time again; caught_up_ns counts it. The first buffer, and one after a gap in the times, is in time
 * whenever it comes: what was captured before and follows at once waits in the queue. msdk_outgoing_audio_get_queued returns how much
 * is queued, msdk_outgoing_audio_flush drops it, and msdk_outgoing_audio_wait_played waits for its end.
 *
 * The end of encoded audio. An encoder keeps the samples that do not fill a packet. If no buffer follows, they are sent with silence up
 * to the end of a packet: at once if the last buffer was sent 100 ms or more ahead of its time, as from a file; otherwise after 180 ms,
 * because live audio may just be delayed. If the audio then continues where it ended, its beginning is shortened by that silence across
 * a fade, so that receivers do not fall behind.
 *
 * With MSDK_CODEC_AUTO, the default, a stream reaches every member: it is raw while all members of its room are in this process, and
 * Opus otherwise. It changes as a video stream does (outgoing_video.h), with MSDK_EVENT_CODEC_CHANGED. Until then it has no packets.
 *
 * A buffer that leaves while no member receives the stream is dropped (MSDK_DROP_NO_RECEIVER). Members subscribe a short time after
 * the stream was announced to them. A program that must not lose the beginning waits for MSDK_EVENT_RECEIVERS.
 *
 * Muting works on every stream. Gain works on all streams except those with encoded_input. Both change smoothly, within the next
 * buffer that leaves. After that nothing is sent while a stream is muted. Receivers are notified at once.
 *
 * Each buffer that send accepts gets exactly one report (report.h): sent, encoded, dropped with the reason, or failed.
 */
#ifndef MEDIASDK_OUTGOING_AUDIO_H
#define MEDIASDK_OUTGOING_AUDIO_H

#include "handles.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { /* kind of stream; one session may send several, also of the same kind */
  MSDK_AUDIO_MICROPHONE = 1,  /**< the user's speech; active speakers are detected from it */
  MSDK_AUDIO_SCREEN_SHARE = 2 /**< the audio of what is shared */
};

enum { /* what the Opus encoder is optimised for (RFC 6716, section 2.1.1) */
  MSDK_OPUS_VOIP = 0,     /**< speech */
  MSDK_OPUS_AUDIO = 1,    /**< music and everything else */
  MSDK_OPUS_LOW_DELAY = 2 /**< 2.5 ms of look-ahead instead of 6.5; no in-band FEC */
};

typedef struct msdk_outgoing_audio_options {
  uint32_t struct_size;
  uint32_t kind;          /**< MSDK_AUDIO_*; 0: microphone */
  uint32_t sample_rate;   /**< 16000, 22050, 24000, 32000, 44100, 48000 Hz; 0: 48000 */
  uint32_t channels;      /**< 1, 2; 0: 1 */
  uint32_t sample_format; /**< MSDK_SAMPLE_*; 0: MSDK_SAMPLE_S16 */
  uint32_t buffer_ms;     /**< 10, 20, 30 … 100; 0: 20 */
  uint32_t queue_ms;      /**< audio that may be queued: buffer_ms..60,000 and at most 4,000 buffers; 0: 500 */
  uint32_t report_capacity; /**< reports that may be queued, 1..4,096; 0: 64; if full, the oldest is dropped */
  /** MSDK_CODEC_AUTO: raw in a room of this process, Opus as soon as a member is not in it (below); MSDK_CODEC_RAW; _OPUS; or one
   * of a plugin's */
  uint32_t codec;
  uint32_t encoded_input; /**< 1: the program sends Opus packets (msdk_outgoing_audio_send_encoded), no raw audio */
  /** Only for Opus that is encoded here: */
  uint32_t application;   /**< MSDK_OPUS_* */
  uint32_t complexity;    /**< 1..10, MSDK_ZERO; 0: 9 */
  uint32_t packet_ms;     /**< 10, 20, 40, 60; 0: 20, or 10 if buffer_ms is 10 */
  uint32_t fec;           /**< 1: in-band forward error correction: a packet also carries a smaller copy of the previous one */
  uint32_t expected_loss; /**< per cent, 1..100, MSDK_ZERO, controls FEC; 0: with fec 10, else none */
  uint32_t dtx;           /**< 1: discontinuous transmission: silence is not sent, except a packet every 400 ms */
  uint64_t bitrate;       /**< 6,000..510,000 bits per second; 0: 32,000 a channel */
} msdk_outgoing_audio_options;

/** Makes a stream. options may be NULL for the defaults. MSDK_E_RANGE, MSDK_E_INVALID and MSDK_E_UNSUPPORTED name the member, its
 * value and the accepted values in the error text. The caller destroys *out. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_create(msdk_engine *engine, const msdk_outgoing_audio_options *options,
                                                   msdk_outgoing_audio **out);

/** Stops the stream if it is started, and destroys it. Queued audio is reported as dropped. [any thread] [may wait for running
 * callbacks] */
MSDK_EXPORT void msdk_outgoing_audio_destroy(msdk_outgoing_audio *stream);

/** Returns the current state, MSDK_OUTGOING_*. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_get_state(msdk_outgoing_audio *stream, uint32_t *out);

typedef struct msdk_outgoing_audio_info {
  uint32_t struct_size;
  uint32_t state;           /**< MSDK_OUTGOING_* */
  uint32_t kind;            /**< MSDK_AUDIO_* */
  uint32_t codec;           /**< MSDK_CODEC_*: the current codec, or the last one; _AUTO: not chosen yet */
  uint32_t encoded_input;   /**< 1: the program sends packets */
  uint32_t is_muted;        /**< 1: by the program or by a moderator */
  msdk_audio_format format; /**< the format that it accepts; frames_per_buffer: the samples per channel in each buffer */
} msdk_outgoing_audio_info;

/** [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_get_info(msdk_outgoing_audio *stream, msdk_outgoing_audio_info *out);

/** Returns the bytes of each buffer. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_get_buffer_size(msdk_outgoing_audio *stream, uint64_t *out);

/* ------------------------------------------------------------------------------------------------------------------ sending */

/** Sends one buffer: `size` bytes of interleaved samples at `data`, of any alignment, copied before it returns.
 *
 * timestamp_ns: when its first sample was captured; 0: see above.
 * timeout_ms: how long to wait for room in the queue; 0: the call returns MSDK_E_AGAIN at once if it is full. MSDK_E_TIMEOUT: no
 * room after that time. completion (may be NULL) reports the outcome; without one, the report can be read.
 *
 * MSDK_E_INVALID: a size other than msdk_outgoing_audio_get_buffer_size returns, or an f32 sample that is not a number or infinite
 * (the error text names the first). MSDK_E_STATE: the stream is not started, or takes packets. [any thread] [may wait for timeout_ms] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_send(msdk_outgoing_audio *stream, const void *data, uint64_t size, int64_t timestamp_ns,
                                                 uint32_t timeout_ms, msdk_send_fn completion, void *user);

enum { MSDK_WRITE_END = 1 /**< the samples that are kept are sent, with silence up to a whole buffer */ };

/** Sends `size` bytes of interleaved samples, any number of whole samples, as one buffer after another. Samples that do not fill a
 * buffer are kept, and the next call continues with them. flags: MSDK_WRITE_END with the last samples, or afterwards with a size of 0
 * (data may be NULL then); or 0. timeout_ms: for the whole call: 5 s of audio fit into an empty queue of 500 ms after 4.5 s.
 * The buffers have no reports, and times as with a timestamp_ns of 0.
 *
 * *written, which may be NULL, is set to the number of bytes that were taken. MSDK_E_AGAIN, MSDK_E_TIMEOUT: there was no room
 * for the rest; call again with it. After any other error, and after msdk_outgoing_audio_flush, nothing is kept. MSDK_E_INVALID:
 * a size that is not of whole samples, or an f32 sample that is not a number or infinite. MSDK_E_STATE: the stream is not
 * started, or stopped meanwhile (an event of the session has the reason), or takes packets, or another thread is in this
 * function. [any thread] [may wait for timeout_ms] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_write(msdk_outgoing_audio *stream, const void *data, uint64_t size, uint32_t flags,
                                                  uint32_t timeout_ms, uint64_t *written);

/** Sends one Opus packet, which is copied, on a stream with encoded_input (else MSDK_E_STATE). timestamp_ns: 0: the packet's own if
 * set, else as above. Active speakers are detected from its level. MSDK_E_FORMAT: a packet of another codec. [any thread] [may wait
 * for timeout_ms] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_send_encoded(msdk_outgoing_audio *stream, const msdk_encoded_frame *packet,
                                                         int64_t timestamp_ns, uint32_t timeout_ms, msdk_send_fn completion, void *user);

/** Returns how much audio is queued, in nanoseconds. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_get_queued(msdk_outgoing_audio *stream, int64_t *out);

/** Drops all queued audio. It is reported as dropped, MSDK_DROP_FLUSHED. Audio that the encoder already has is still sent.
 * A msdk_outgoing_audio_write that waits meanwhile goes on with the rest of its samples. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_flush(msdk_outgoing_audio *stream);

/** Waits until all that was sent before the call has left and its time has passed, so that the last sample has been due; audio that
 * flush drops is not waited for. Receivers hear it later: by one buffer of this stream, by the delay of the
 * network path, and for a mix by another 10 to 300 ms (incoming_audio.h). A recorder of the mix reads for that much longer.
 * MSDK_E_TIMEOUT; MSDK_E_CLOSED when the stream stops meanwhile. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_wait_played(msdk_outgoing_audio *stream, uint32_t timeout_ms);

/** Dequeues the oldest report of a buffer sent without completion. A producer's buffers have no reports. MSDK_E_TIMEOUT,
 * MSDK_E_CLOSED. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_read_report(msdk_outgoing_audio *stream, uint32_t timeout_ms, msdk_frame_report *out);

/** Returns a descriptor that poll() reports as readable while reports are queued. The stream owns it: do not read, write or close
 * it. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_get_report_fd(msdk_outgoing_audio *stream, int32_t *out);

/* ----------------------------------------------------------------------------------------------------------------- steering */

/** 1 mutes, 0 unmutes, in any state. The first buffer that leaves then fades out; the others are accepted and, when they are
 * dequeued, reported as dropped, MSDK_DROP_MUTED. Packets of a stream with encoded_input cannot fade. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_muted(msdk_outgoing_audio *stream, uint32_t muted);

/** Sets the factor by which samples are multiplied: 0..8; default 1. MSDK_E_UNSUPPORTED with encoded_input. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_gain(msdk_outgoing_audio *stream, double gain);

/** Change the Opus encoder while it runs: bits per second, 0 leaves it unchanged; per cent of packets lost on the network path,
 * 0..100. MSDK_E_UNSUPPORTED: the stream has no encoder here. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_bitrate(msdk_outgoing_audio *stream, uint64_t bitrate);
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_expected_loss(msdk_outgoing_audio *stream, uint32_t percent);

/** Attaches an instance that makes the audio. The library starts it with the stream, and asks it for audio in real time or holds it
 * to real time. Audio in another format is converted. MSDK_E_UNSUPPORTED: it makes no audio, or the stream takes packets;
 * MSDK_E_STATE: the stream has a producer, or the instance a stream, already. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_attach_producer(msdk_outgoing_audio *stream, msdk_instance *producer);
/** Stops, releases and detaches the producer. The call succeeds if there is none. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_detach_producer(msdk_outgoing_audio *stream);

/** Appends a filter (plugin.h), in any state, and initialises it. A stream has up to 8 filters (MSDK_E_FULL). Buffers pass the
 * filters when they are due, before gain and muting. Filters run on the stream's thread; for a live source without a codec they run
 * on the sender's thread, inside send. Buffers that are muted and faded out do not pass the filters. A sample format that a filter
 * does not accept is converted before and after it. A buffer that a filter drops (MSDK_E_AGAIN) is reported as dropped,
 * MSDK_DROP_FILTER. A filter that fails is reported by MSDK_EVENT_PLUGIN (MSDK_PLUGIN_EVENT_ERROR) and removed; one whose mean time
 * over a second, without its longest call, is more than half of a buffer's length is reported with both times
 * (MSDK_PLUGIN_EVENT_SLOW), at most every 5 seconds. MSDK_E_UNSUPPORTED for a class that is not an audio filter,
 * and for a stream with encoded_input; MSDK_E_STATE for an instance that is already attached. [any thread] [not in a callback of the
 * same instance] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_add_filter(msdk_outgoing_audio *stream, msdk_instance *filter);
/** Removes a filter. When the call returns, no buffer is in the filter, unless the call was made from inside it. The instance keeps
 * its state, for example STARTED, and may be added again; msdk_instance_release releases it. MSDK_E_NOT_FOUND: the filter is not on
 * this stream. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_remove_filter(msdk_outgoing_audio *stream, msdk_instance *filter);

/** Sets the callback that gets the encoder's packets; NULL removes it. While it is set, audio is encoded even without receivers. When
 * the call returns, the previous callback is not running, unless the call was made inside a callback. MSDK_E_UNSUPPORTED: the
 * stream has no encoder here. [any thread] [may wait for the running callback] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_set_encoded_callback(msdk_outgoing_audio *stream, msdk_encoded_fn callback, void *user);

/* --------------------------------------------------------------------------------------------------------------------- tap */

/** A tap returns to the program what its own stream sends, for example to record it. It has the queues of an incoming stream:
 *   raw      the buffers as they leave the queue: after the filters, gain and muting, before the encoder, whether anybody receives them or
 *            not. While the stream is muted there are none
 *   encoded  the packets that the encoded callback gets. Audio is then encoded even without receivers
 *
 * A program that does not read, or that keeps the buffers, slows nobody. It may hold the buffers that are queued and 2,048 more, and as
 * many packets; further ones are dropped and counted in tap_buffers_dropped. */
typedef struct msdk_audio_tap_options {
  uint32_t struct_size;
  uint32_t output;       /**< MSDK_OUTPUT_* */
  uint32_t queue_ms;     /**< audio that may be queued for read: 20..60,000, of buffers and of packets each; 0: 500 */
  uint32_t queue_policy; /**< MSDK_POLICY_DROP_OLDEST or _DROP_NEWEST */
} msdk_audio_tap_options;

/** Starts the tap, in any state of the stream; it continues when the stream stops and starts again. options may be NULL for the defaults.
 * MSDK_E_STATE: the tap is started. MSDK_E_UNSUPPORTED: the stream has encoded_input, or packets are requested of a stream without an
 * encoder here. MSDK_E_RANGE and MSDK_E_UNSUPPORTED name the member of options in the error text. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_start_tap(msdk_outgoing_audio *stream, const msdk_audio_tap_options *options);

/** Stops the tap. Queued buffers are released, and readers get MSDK_E_CLOSED. The call succeeds if the tap is not started. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_stop_tap(msdk_outgoing_audio *stream);

/** Dequeue the oldest buffer or packet of the tap. *out has one reference, which the caller releases. MSDK_E_TIMEOUT: none came in time.
 * MSDK_E_STATE: the tap has not been started. MSDK_E_CLOSED: it is stopped. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_read(msdk_outgoing_audio *stream, uint32_t timeout_ms, msdk_audio_frame **out);
MSDK_EXPORT msdk_result msdk_outgoing_audio_read_encoded(msdk_outgoing_audio *stream, uint32_t timeout_ms, msdk_encoded_frame **out);

/** Returns a descriptor that poll() reports as readable while the tap has buffers or packets queued, and after it was stopped. The stream
 * owns it: do not read, write or close it. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_get_fd(msdk_outgoing_audio *stream, int32_t *out);

/* ------------------------------------------------------------------------------------------------------------------- stats */

typedef struct msdk_outgoing_audio_stats { /* the names of W3C webrtc-stats where there is one */
  uint32_t struct_size;
  uint32_t state;
  uint64_t buffers_offered; /**< accepted by send, or from the producer */
  /** outcomes; their sum is buffers_offered when all buffers have been reported */
  uint64_t buffers_sent, buffers_encoded, buffers_dropped, buffers_failed;
  uint64_t packets_sent; /**< encoded here or sent encoded, and handed over, with or without receivers */
  uint64_t bytes_sent;
  int64_t queued_ns;     /**< queued at present */
  int64_t total_encode_time_ns; /**< in the encoder and in the conversions for it */
  uint32_t level;        /**< of the last buffer, as in msdk_audio_frame */
  uint32_t is_muted;
  uint32_t receivers;    /**< subscribed at present */
  uint32_t reserved0;
  uint64_t bitrate;      /**< of the encoder, bits per second, also before it is made; 0 without one: raw, or with encoded_input */
  uint64_t reports_dropped;
  double gain;
  int64_t total_filter_time_ns; /**< in the filters and in the conversions for them */
  int64_t caught_up_ns;  /**< audio sent faster than real time because its source had been delayed */
  uint64_t tap_buffers_dropped; /**< buffers and packets that the tap's queues had no place for */
} msdk_outgoing_audio_stats;

/** Returns the stats since the stream was made. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_audio_get_stats(msdk_outgoing_audio *stream, msdk_outgoing_audio_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_OUTGOING_AUDIO_H */
