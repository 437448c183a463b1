/* mediasdk/incoming_video.h - somebody else's video, received
 *
 *                start                       stop
 *   AVAILABLE -----------> STARTED -----> STOPPING -----> STOPPED --> start again          NOT_AVAILABLE: the sender withdrew it
 *
 * A stream comes with MSDK_EVENT_INCOMING_VIDEO_ADDED. Nothing is received, decoded or paid for until it is started. Frames are
 * converted only when another pixel format or size is wanted, and decoded only when somebody takes pictures. There are four ways to take
 * them; any may be combined:
 *   read      pulls from a bounded queue
 *   callback  is called on the stream's thread, or with MSDK_DELIVERY_DIRECT on the thread that brings the frame
 *   renderer  an instance, fed on the stream's thread
 *   encoded   the frames as they come, undecoded: read_encoded, or a renderer that accepts the codec
 *
 * Nobody is slowed by a receiver that does not read, or that keeps what it reads: frames that it holds are not counted against the sender's pool.
 * It may hold those that wait (the queue, and as many for the stream's thread) and 32 more as they came, read or kept in callbacks and renderers;
 * what arrives beyond that is dropped, and counted in frames_dropped. Raw frames of memory that is the sender's own (msdk_video_frame_wrap, a
 * feeder's slots) are shown as they are while receivers hold two of a stream, or eight that all came within the last 20 ms; of more they get
 * copies.
 *
 * A lost or damaged VP8 frame is never shown: the stream asks the sender for a key frame and resumes with it, with
 * MSDK_FRAME_DISCONTINUITY set.
 */
#ifndef MEDIASDK_INCOMING_VIDEO_H
#define MEDIASDK_INCOMING_VIDEO_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_incoming_video_options {
  uint32_t struct_size;
  uint32_t pixel_format;  /* wanted, MSDK_PIXEL_*; 0: as it comes (I420 from VP8) */
  uint32_t width, height; /* wanted; both 0: as it comes */
  uint32_t delivery;      /* MSDK_DELIVERY_* */
  uint32_t output;        /* MSDK_OUTPUT_* */
  uint32_t queue_capacity; /* frames that may wait to be read, 1..64; 0: 3; for encoded frames, 1..1,024 and 0: 60 */
  uint32_t queue_policy;  /* MSDK_POLICY_DROP_OLDEST or _DROP_NEWEST */
} msdk_incoming_video_options;

/* Begins to receive. options may be NULL. MSDK_E_STATE unless available or stopped; MSDK_E_CLOSED when not available any more;
 * MSDK_E_PERMISSION when the room does not let the session receive. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_start(msdk_incoming_video *stream, const msdk_incoming_video_options *options);

/* Ends receiving; frames that wait are gone, readers get MSDK_E_CLOSED. A success when it is not started. [any thread] [may wait for
 * running callbacks] */
MSDK_EXPORT msdk_result msdk_incoming_video_stop(msdk_incoming_video *stream);

/* MSDK_INCOMING_* now. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_state(msdk_incoming_video *stream, uint32_t *out);

/* Takes the oldest frame that waits. *out has one reference, the caller's to unref. MSDK_E_TIMEOUT; MSDK_E_STATE when not started;
 * MSDK_E_CLOSED when the stream stops meanwhile, or has ended and all was read. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_video_read(msdk_incoming_video *stream, uint32_t timeout_ms, msdk_video_frame **out);
MSDK_EXPORT msdk_result msdk_incoming_video_read_encoded(msdk_incoming_video *stream, uint32_t timeout_ms, msdk_encoded_frame **out);

/* A descriptor that poll() finds readable while frames of either kind wait, or the stream has ended. Owned by the stream: do not read,
 * write or close it. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_fd(msdk_incoming_video *stream, int32_t *out);

/* frame is borrowed: msdk_video_frame_ref to keep it. One call at a time. */
typedef void (*msdk_frame_fn)(void *user, const msdk_video_frame *frame);

/* Sets (NULL: removes) the callback, in any state. While one is set, frames do not go into the queue of read. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_set_frame_callback(msdk_incoming_video *stream, msdk_frame_fn callback, void *user);

/* Feeds a renderer, in any state. Up to 8. A renderer that fails is reported once by MSDK_EVENT_PLUGIN and detached. While there is one,
 * frames that nobody reads are dropped as the queue's policy says. One that takes encoded frames begins with a key frame, which the sender
 * is asked for. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_attach_renderer(msdk_incoming_video *stream, msdk_instance *renderer);
/* When it returns, the renderer is not being called any more. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_video_detach_renderer(msdk_incoming_video *stream, msdk_instance *renderer);

/* Puts a filter (plugin.h) behind those that are here, in any state; up to 8 (MSDK_E_NOMEM). Initialises it. Pictures pass the filters
 * decoded, before the callback, the queue, the renderers and the call's renderers, on the stream's thread; with MSDK_DELIVERY_DIRECT and a
 * callback raw ones do on the thread that brings them. Encoded frames that are taken as such stay as they are. What the last filter gives is
 * what came: it is converted where another format is wanted. Writing in place or to a copy, what fails, and what is slow, is as with
 * msdk_outgoing_video_add_filter; one that is left out (MSDK_E_AGAIN) counts as dropped. MSDK_E_UNSUPPORTED for a class that is no filter of
 * video; MSDK_E_STATE for an instance that is attached to something. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_add_filter(msdk_incoming_video *stream, msdk_instance *filter);
/* When it returns, no frame is in the filter any more, unless the call came from inside it. It stays as it is, STARTED if it was, and may be
 * added again; msdk_instance_release takes it down. MSDK_E_NOT_FOUND when it is not here. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_video_remove_filter(msdk_incoming_video *stream, msdk_instance *filter);

/* Asks the sender for a key frame. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_request_key_frame(msdk_incoming_video *stream);

typedef struct msdk_incoming_video_stats { /* the names of W3C webrtc-stats where there is one */
  uint32_t struct_size;
  uint32_t state;
  uint32_t width, height; /* as they come */
  double frames_per_second; /* received, over the last second */
  uint64_t frames_received; /* arrived whole */
  uint64_t frames_lost;     /* sent, and lost on the way */
  uint64_t frames_decoded;
  uint64_t key_frames_decoded;
  uint64_t frames_corrupt;  /* refused by the decoder */
  uint64_t frames_skipped;  /* not decoded, waiting for a key frame */
  uint64_t frames_delivered; /* read or called back, raw or encoded */
  uint64_t frames_dropped;  /* neither delivered nor rendered: by the full queue, a filter, or because the program was slow */
  uint64_t bytes_received;
  uint64_t key_frames_requested;
  uint64_t total_decode_time_ns;
  uint64_t freeze_count; /* times the picture stood still, waiting for a key frame */
  uint64_t frames_rendered; /* by at least one renderer */
  uint64_t total_filter_time_ns; /* in the filters, conversions for them included */
} msdk_incoming_video_stats;

/* Since the stream came. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_stats_get(msdk_incoming_video *stream, msdk_incoming_video_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INCOMING_VIDEO_H */
