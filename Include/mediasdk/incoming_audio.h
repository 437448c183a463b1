/* mediasdk/incoming_audio.h - the sound of others, one by one and mixed
 *
 *                start                       stop
 *   AVAILABLE -----------> STARTED -----> STOPPING -----> STOPPED --> start again          NOT_AVAILABLE: the sender withdrew it
 *
 * One participant. A stream comes with MSDK_EVENT_INCOMING_AUDIO_ADDED. Nothing is received or decoded until it, or the mix, is started.
 * Buffers come as they arrive, in the rate, channels, sample format and duration that are wanted; the timestamp is when the first sample
 * was captured, on the same clock as the pictures of that participant (msdk_audio_frame_position tells what belongs to what). A packet
 * that was lost is made good with forward error correction where its successor carries it, else with the decoder's concealment, marked
 * MSDK_FRAME_CORRUPT, both for up to 100 ms; what is lost beyond that, and raw sound that was lost, leaves a gap, and
 * MSDK_FRAME_DISCONTINUITY on the buffer after it. A sender who pauses, is muted or saves silence (DTX) sends nothing, and nothing comes.
 *
 * The mix. msdk_session_mixed_audio gives the sum of all participants but oneself, microphones and shared sound alike. It is driven by the
 * engine's clock: while it is started, a buffer comes every buffer_ms, silent if nobody is heard, and no participant, late, silent or gone,
 * holds it up. Each participant is kept back by the length of his buffers and a little more than his own jitter, 10 to 300 ms; what turns
 * out to be too much is left out in a quiet moment, more than 200 ms at any moment, and a clock that drifts is followed by resampling, up
 * to 1,000 parts per million. The sum passes as it is while it stays within full scale. Where it does not, a limiter that looks 4 ms ahead makes
 * the mix quieter, without bending it: it never leaves the scale, a tone stays a tone (distortion below -60 dB), and it is as loud as before
 * about half a second after the last peak. The limiter makes the mix 4 ms late, which its timestamps heed. A mixed buffer's timestamp is when
 * the loudest of what is in it was captured. It goes on in silence, and follows what changes by at most a twentieth of the buffer each time,
 * so that it does not jump; but where the first sound of a mix is heard it is right at once.
 *
 * There are four ways to take sound; any may be combined:
 *   read      pulls from a bounded queue
 *   callback  is called on the stream's thread, or with MSDK_DELIVERY_DIRECT and no renderer on the thread that brings the buffer
 *   renderer  an instance, fed on the stream's thread, in the format it asks for
 *   encoded   the packets as they come, undecoded: read_encoded, or a renderer that accepts the codec; not of the mix
 */
#ifndef MEDIASDK_INCOMING_AUDIO_H
#define MEDIASDK_INCOMING_AUDIO_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_incoming_audio_options {
  uint32_t struct_size;
  uint32_t sample_rate;   /* wanted: 16000, 22050, 24000, 32000, 44100, 48000 Hz; 0: as it comes (48000 from Opus and of the mix) */
  uint32_t channels;      /* wanted: 1, 2; 0: as it comes (of the mix: 2) */
  uint32_t sample_format; /* wanted, MSDK_SAMPLE_*; 0: as it comes (f32 from Opus and of the mix) */
  uint32_t buffer_ms;     /* wanted: 10, 20, 30 … 100, samples as outgoing_audio.h has it; 0: as it comes (of the mix: 20) */
  uint32_t delivery;      /* MSDK_DELIVERY_*; of the mix both are the mixer's thread */
  uint32_t output;        /* MSDK_OUTPUT_* */
  uint32_t queue_ms;      /* how much may wait to be read, 20..60,000, and 2,048 buffers; 0: 500 */
  uint32_t queue_policy;  /* MSDK_POLICY_DROP_OLDEST or _DROP_NEWEST */
  uint32_t reserved0;     /* 0 */
} msdk_incoming_audio_options;

/* Begins to receive. options may be NULL. MSDK_E_STATE unless available or stopped; MSDK_E_CLOSED when not available any more;
 * MSDK_E_UNSUPPORTED for packets of what is sent raw, or of the mix; MSDK_E_PERMISSION when the room does not let the session receive.
 * MSDK_E_RANGE, MSDK_E_INVALID and MSDK_E_UNSUPPORTED name the member. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_start(msdk_incoming_audio *stream, const msdk_incoming_audio_options *options);

/* Ends receiving, but for the mix; buffers that wait are gone, readers get MSDK_E_CLOSED. Renderers stay attached, as they are. A success
 * when it is not started. [any thread] [may wait for running callbacks] */
MSDK_EXPORT msdk_result msdk_incoming_audio_stop(msdk_incoming_audio *stream);

/* MSDK_INCOMING_* now. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_state(msdk_incoming_audio *stream, uint32_t *out);

/* Takes the oldest buffer that waits. *out has one reference, the caller's to unref. MSDK_E_TIMEOUT; MSDK_E_STATE before the first start;
 * MSDK_E_CLOSED when the stream is or gets stopped, or has ended and all was read. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_audio_read(msdk_incoming_audio *stream, uint32_t timeout_ms, msdk_audio_frame **out);
MSDK_EXPORT msdk_result msdk_incoming_audio_read_encoded(msdk_incoming_audio *stream, uint32_t timeout_ms, msdk_encoded_frame **out);

/* A descriptor that poll() finds readable while buffers or packets wait, or the stream has stopped or ended. Owned by the stream: do not
 * read, write or close it. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_fd(msdk_incoming_audio *stream, int32_t *out);

/* frame is borrowed: msdk_audio_frame_ref to keep it. One call at a time. */
typedef void (*msdk_audio_frame_fn)(void *user, const msdk_audio_frame *frame);

/* Sets (NULL: removes) the callback, in any state. While one is set, buffers do not go into the queue of read. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_set_frame_callback(msdk_incoming_audio *stream, msdk_audio_frame_fn callback, void *user);

/* Initialises a renderer and feeds it, in any state. Up to 8 (MSDK_E_NOMEM). A renderer that fails is reported once by MSDK_EVENT_PLUGIN
 * and detached. While there is one, buffers that nobody reads are dropped as the queue's policy says, and not counted. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_attach_renderer(msdk_incoming_audio *stream, msdk_instance *renderer);
/* When it returns, the renderer is not being fed any more. It stays STARTED, and one that pulls goes on reading, silence, until
 * msdk_instance_release. MSDK_E_NOT_FOUND when it is not attached here. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_audio_detach_renderer(msdk_incoming_audio *stream, msdk_instance *renderer);

/* Puts a filter (plugin.h) behind those that are here, in any state; up to 8 (MSDK_E_NOMEM). Initialises it. Sound passes the filters
 * decoded, before the gain: of a participant, in his own stream and in the mix, on whichever of the stream's threads brings it; of the mix,
 * what is mixed, on the mixer's. Packets that are taken undecoded stay as they are. What fails, and what is slow, is as with
 * msdk_outgoing_audio_add_filter; a buffer that is left out (MSDK_E_AGAIN) counts as dropped. MSDK_E_UNSUPPORTED for a class that is no
 * filter of sound; MSDK_E_STATE for an instance that is attached to something. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_add_filter(msdk_incoming_audio *stream, msdk_instance *filter);
/* When it returns, no buffer is in the filter any more, unless the call came from inside it. It stays as it is, STARTED if it was, and may
 * be added again; msdk_instance_release takes it down. MSDK_E_NOT_FOUND when it is not here. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_audio_remove_filter(msdk_incoming_audio *stream, msdk_instance *filter);

/* Multiplies this participant's sound, in his own stream and in the mix, or the mix as a whole: 0..8, 1 from the start. A change is smooth,
 * within one buffer; packets that are taken undecoded stay as they are. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_set_gain(msdk_incoming_audio *stream, double gain);

typedef struct msdk_incoming_audio_stats { /* the names of W3C webrtc-stats where there is one */
  uint32_t struct_size;
  uint32_t state;
  /* Of a participant's stream; of the mix, which receives nothing itself, all 0 up to total_samples_received: */
  uint64_t packets_received; /* units that arrived, raw or encoded */
  uint64_t packets_lost;
  uint64_t packets_corrupt;  /* refused by the decoder */
  uint64_t bytes_received;
  uint64_t fec_packets_recovered;    /* of the lost ones, by forward error correction */
  uint64_t concealed_samples;        /* per channel, made up by concealment */
  uint64_t total_samples_received;   /* per channel, decoded or raw, concealed ones included */
  /* Packets, too: */
  uint64_t buffers_delivered;        /* read or called back */
  uint64_t buffers_dropped;          /* neither delivered nor rendered */
  uint64_t buffers_rendered;         /* by at least one renderer */
  uint64_t total_decode_time_ns;     /* of the mix 0 */
  /* As a part of the mix, or of the mix the sum over its parts; since the mix was started, 0 while it is not: */
  int64_t jitter_buffer_ns;          /* kept back now; of the mix, the longest */
  uint64_t underruns;                /* times that nothing was there while the sender had not stopped */
  uint64_t late_samples;             /* left out, as they came too late or too many */
  int32_t drift_ppm;                 /* by how much the sender's clock is followed now; above 0: his is fast; of the mix 0 */
  uint32_t level;                    /* of the last buffer, as in msdk_audio_frame */
  uint32_t sources;                  /* of the mix: participants' streams heard in the last buffer */
  uint32_t reserved0;
  uint64_t total_filter_time_ns;     /* in the filters, conversions for them included */
} msdk_incoming_audio_stats;

/* Since the stream came, where nothing else is said. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_audio_stats_get(msdk_incoming_audio *stream, msdk_incoming_audio_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INCOMING_AUDIO_H */
