/** @file
 * mediasdk/incoming_audio.h - audio that this program receives: of each participant, and the mix of all
 *
 *                start                       stop
 *   AVAILABLE -----------> STARTED -----> STOPPING -----> STOPPED --> start again          NOT_AVAILABLE: the sender withdrew it
 *
 * One participant. MSDK_EVENT_INCOMING_AUDIO_ADDED announces a stream. Nothing is received or decoded until the stream or the mix
 * is started. Buffers (msdk_audio_frame) are delivered as they arrive, in the requested sample rate, channels, sample format and
 * duration.
 *   - Timestamps. A buffer's timestamp is the capture time of its first sample. It is on the same clock as the participant's video
 *     frames; msdk_audio_frame_get_position maps one to the other.
 *   - Loss. A lost packet is recovered by forward error correction if the next packet carries it. Otherwise the decoder conceals
 *     the loss, and the buffer has MSDK_FRAME_CORRUPT set. Both apply to up to 100 ms. A longer loss, and every loss of raw audio,
 *     leaves a gap; the next buffer has MSDK_FRAME_DISCONTINUITY set.
 *   - Retransmission. Over a network, a lost packet is requested again if it can still arrive in time. While packets are lost
 *     repeatedly, audio is delayed by a round trip, at most 200 ms, to leave time for this.
 *   - Silence. A sender that pauses, is muted or suppresses silence (DTX) sends nothing, and no buffers are delivered.
 *
 * The mix. msdk_session_get_mixed_audio returns a stream with the sum of all other participants, their microphones and their
 * screen shares. The engine's clock drives it: while the mix is started, it delivers a buffer every buffer_ms. The buffer is
 * silent if nobody is heard. A participant that is late, silent or gone does not delay the mix.
 *   - Delay. Each participant is delayed by the duration of their buffers and by a jitter margin slightly above their own jitter,
 *     10 to 300 ms. Excess delay is removed by skipping samples: during a quiet passage, or, if it exceeds 200 ms, in pieces of up
 *     to 15 ms across a fade. A participant whose audio was delayed once, and then arrives all at once, is in time again within
 *     three seconds. late_samples counts what is skipped. A drifting clock is followed by resampling, up to 1,000 parts per million.
 *   - Level. The sum is not changed while it is within full scale. Otherwise a limiter with 4 ms of look-ahead reduces the gain of
 *     the mix. The output never exceeds full scale, the distortion of a tone is below -60 dB, and the gain is restored within a
 *     second of the last peak.
 *   - Timestamps. A buffer's timestamp is the capture time of its loudest participant; it accounts for the limiter's 4 ms. During
 *     silence the timestamps continue. When the delay of what is heard changes, each buffer corrects the timestamp by at most a
 *     twentieth of its duration, so that timestamps do not jump. There are two exceptions: audio that is heard after silence has
 *     the correct timestamp at once, also if it is earlier, and skipped samples advance the timestamp by their duration.
 *
 * A stream delivers audio in four ways, which may be combined:
 *   read      pulls buffers from a bounded queue
 *   callback  is called on the stream's thread, or with MSDK_DELIVERY_DIRECT and no renderer on the thread that delivers the buffer
 *   renderer  an instance that gets the buffers on the stream's thread, in the format that it requests
 *   encoded   the packets as received, not decoded: msdk_incoming_audio_read_encoded, or a renderer that accepts the codec; not for the mix
 */
#ifndef MEDIASDK_INCOMING_AUDIO_H
#define MEDIASDK_INCOMING_AUDIO_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_incoming_audio_options {
  uint32_t struct_size;
  uint32_t sample_rate;   /**< requested: 16000, 22050, 24000, 32000, 44100, 48000 Hz; 0: as received (Opus and the mix: 48000) */
  uint32_t channels;      /**< requested: 1, 2; 0: as received (the mix: 2) */
  uint32_t sample_format; /**< requested, MSDK_SAMPLE_*; 0: as received (Opus and the mix: f32) */
  uint32_t buffer_ms;     /**< requested: 10, 20, 30 … 100, in samples as in outgoing_audio.h; 0: as received (the mix: 20) */
  uint32_t delivery;      /**< MSDK_DELIVERY_*; for the mix both use the mixer's thread */
  uint32_t output;        /**< MSDK_OUTPUT_* */
  uint32_t queue_ms;      /**< audio that may be queued for read: 20..60,000, at most 2,048 buffers; 0: 500 */
  uint32_t queue_policy;  /**< MSDK_POLICY_DROP_OLDEST or _DROP_NEWEST */
  uint32_t reserved0;     /**< 0 */
} msdk_incoming_audio_options;

/** Starts to receive. options may be NULL for the defaults. MSDK_E_STATE: the stream is neither available nor stopped.
 * MSDK_E_CLOSED: the stream is no longer available. MSDK_E_PERMISSION: the room does not permit the session to receive.
 * MSDK_E_UNSUPPORTED: packets are requested of a raw stream or of the mix, or audio of a codec that no class of the engine
 * decodes. MSDK_E_RANGE, MSDK_E_INVALID and MSDK_E_UNSUPPORTED name the member of options in the error text. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_start(msdk_incoming_audio *stream, const msdk_incoming_audio_options *options);

/** Stops receiving. If the mix is started, the stream still takes part in it. Queued buffers are released, and readers get
 * MSDK_E_CLOSED. Renderers stay attached and keep their state. The call succeeds if the stream is not started. [any thread] [may
 * wait for running callbacks] */
MSDK_EXPORT msdk_result msdk_incoming_audio_stop(msdk_incoming_audio *stream);

/** Returns the current state, MSDK_INCOMING_*. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_get_state(msdk_incoming_audio *stream, uint32_t *out);

typedef struct msdk_incoming_audio_info {
  uint32_t struct_size;
  uint32_t state;           /**< MSDK_INCOMING_* */
  uint32_t kind;            /**< MSDK_AUDIO_*; 0 for the mix */
  uint32_t codec;           /**< MSDK_CODEC_*; _RAW: raw, or the mix */
  uint32_t is_muted;        /**< 1: its sender muted it */
  uint32_t is_encrypted;    /**< 1: from end to end; receiving it needs a key (encryption.h) */
  char user_id[256];        /**< of the sender; "" for the mix */
  msdk_audio_format format; /**< as sent; for the mix, its format without options */
} msdk_incoming_audio_info;

/** Returns the values of MSDK_EVENT_INCOMING_AUDIO_ADDED, and the current state and muting. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_get_info(msdk_incoming_audio *stream, msdk_incoming_audio_info *out);

/** Dequeue the oldest buffer or packet. *out has one reference, which the caller releases. MSDK_E_TIMEOUT: none came in time.
 * MSDK_E_STATE: the stream has not been started. MSDK_E_CLOSED: the stream is stopped, or has ended and everything was read.
 * [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_audio_read(msdk_incoming_audio *stream, uint32_t timeout_ms, msdk_audio_frame **out);
MSDK_EXPORT msdk_result msdk_incoming_audio_read_encoded(msdk_incoming_audio *stream, uint32_t timeout_ms, msdk_encoded_frame **out);

/** Returns a descriptor that poll() reports as readable while buffers or packets are queued, and after the stream has stopped or
 * ended. The stream owns it: do not read, write or close it. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_get_fd(msdk_incoming_audio *stream, int32_t *out);

/** Gets one buffer. It is borrowed; msdk_audio_frame_ref keeps it. Calls for one stream do not overlap. */
typedef void (*msdk_audio_frame_fn)(void *user, const msdk_audio_frame *frame);

/** Sets the frame callback, in any state; NULL removes it. While it is set, buffers are not queued for read. When the call returns,
 * the previous callback is not running, unless the call was made inside a callback. [any thread] [may wait for the running
 * callback] */
MSDK_EXPORT msdk_result msdk_incoming_audio_set_frame_callback(msdk_incoming_audio *stream, msdk_audio_frame_fn callback, void *user);

/** Attaches a renderer, in any state, and initialises it. It gets buffers while the stream is started. A stream has up to 8
 * renderers (MSDK_E_FULL). A renderer that fails is reported once by MSDK_EVENT_PLUGIN and detached. While a renderer is
 * attached, buffers that are not read are dropped by the queue's policy and not counted. MSDK_E_STATE: the instance is already
 * attached. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_incoming_audio_attach_renderer(msdk_incoming_audio *stream, msdk_instance *renderer);
/** Detaches a renderer. When the call returns, the renderer gets no more buffers. Its instance stays STARTED; a renderer that pulls
 * audio reads silence until msdk_instance_release. MSDK_E_NOT_FOUND: the renderer is not attached to this stream. [any thread]
 * [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_audio_detach_renderer(msdk_incoming_audio *stream, msdk_instance *renderer);

/** Appends a filter (plugin.h), in any state, and initialises it. A stream has up to 8 filters (MSDK_E_FULL). Decoded and raw audio
 * passes the filters before the gain. A filter of a participant's stream applies to that stream and to its part of the mix; it
 * runs on the thread that delivers the buffer. A filter of the mix applies to the sum; it runs on the mixer's thread. Packets that
 * are delivered encoded do not pass the filters. Failures and slow filters are handled as in msdk_outgoing_audio_add_filter. A
 * buffer that a filter drops (MSDK_E_AGAIN) is counted in buffers_dropped. MSDK_E_UNSUPPORTED: the class is not an audio filter.
 * MSDK_E_STATE: the instance is already attached. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_incoming_audio_add_filter(msdk_incoming_audio *stream, msdk_instance *filter);
/** Removes a filter. When the call returns, no buffer is in the filter, unless the call was made from inside it. The instance keeps
 * its state, for example STARTED, and may be added again; msdk_instance_release releases it. MSDK_E_NOT_FOUND: the filter is not
 * on this stream. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_audio_remove_filter(msdk_incoming_audio *stream, msdk_instance *filter);

/** Sets the factor by which samples are multiplied: 0..8 (else MSDK_E_RANGE); default 1. The gain of a participant's stream applies
 * to that stream and to its part of the mix. The gain of the mix applies to the sum. A change is smooth, within one buffer.
 * Packets that are delivered encoded are not changed. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_set_gain(msdk_incoming_audio *stream, double gain);

typedef struct msdk_incoming_audio_stats { /* the names of W3C webrtc-stats where there is one */
  uint32_t struct_size;
  uint32_t state; /**< MSDK_INCOMING_* */
  /** Of a participant's stream. For the mix, which itself receives nothing, these are 0 up to total_samples_received. */
  uint64_t packets_received; /**< encoded packets or raw buffers */
  uint64_t packets_lost;
  uint64_t packets_corrupt;  /**< refused by the decoder */
  uint64_t bytes_received;
  uint64_t fec_packets_recovered;    /**< lost packets that forward error correction recovered */
  uint64_t concealed_samples;        /**< per channel, generated by loss concealment */
  uint64_t total_samples_received;   /**< per channel, decoded or raw, including concealed samples */
  /** Of all streams, in buffers; packets that are delivered encoded count as buffers. */
  uint64_t buffers_delivered;        /**< read, or passed to the callback */
  uint64_t buffers_dropped;          /**< neither delivered nor rendered; also packets that were not decrypted (encryption.h) */
  uint64_t buffers_rendered;         /**< by at least one renderer */
  int64_t total_decode_time_ns;     /**< in the decoder, loss concealment included; 0 for the mix */
  /** Of the stream's part in the mix; for the mix, the sum of its parts. They count since the mix was started, and are 0 while it
   * is stopped. */
  int64_t jitter_buffer_ns;          /**< the current delay; for the mix, the longest of its parts */
  uint64_t underruns;                /**< number of times that no audio was available although the sender had not stopped */
  uint64_t late_samples;             /**< per channel, skipped because they came late or the delay was too long */
  int32_t drift_ppm;                 /**< correction for the sender's clock at present; above 0: the clock is fast; 0 for the mix */
  uint32_t level;                    /**< of the last buffer, as in msdk_audio_frame */
  uint32_t sources;                  /**< of the mix: streams that are heard in the last buffer */
  uint32_t reserved0;                /**< 0 */
  int64_t total_filter_time_ns;     /**< in the filters and in the conversions for them */
} msdk_incoming_audio_stats;

/** Returns the stats since the stream was added, unless stated otherwise. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_get_stats(msdk_incoming_audio *stream, msdk_incoming_audio_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INCOMING_AUDIO_H */
