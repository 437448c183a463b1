/** @file
 * mediasdk/incoming_video.h - video that this program receives
 *
 *                start                       stop
 *   AVAILABLE -----------> STARTED -----> STOPPING -----> STOPPED --> start again          NOT_AVAILABLE: the sender withdrew it
 *
 * MSDK_EVENT_INCOMING_VIDEO_ADDED announces a stream. Nothing is received or decoded until the stream is started. With
 * MSDK_OUTPUT_ENCODED frames are decoded only for a callback or a renderer that takes decoded frames, and otherwise always, as the
 * program may read them. They are converted only if another pixel format or size is requested. A stream delivers frames in four ways, which may be combined:
 *   read      pulls frames from a bounded queue
 *   callback  is called on the stream's thread, or with MSDK_DELIVERY_DIRECT on the thread that delivers the frame
 *   renderer  an instance that gets the frames on the stream's thread
 *   encoded   the frames as received, not decoded, from the first key frame on: msdk_incoming_video_read_encoded, or a renderer
 *             that accepts the codec
 *
 * A receiver that does not read, or that keeps its frames, slows nobody. The frames that it holds do not count against the
 * sender's pool. A stream may hold the frames that are queued for read, as many frames that are queued for the stream's thread,
 * and 32 more received frames that the program has read or that callbacks and renderers keep. Further frames are dropped and
 * counted in frames_dropped.
 *
 * Some raw frames are in memory that the sender owns (msdk_video_frame_wrap, a feeder's slots). All receivers together hold up to
 * two such frames of a stream without a copy, or up to eight if all of them came within the last 20 ms. Of further frames they get
 * copies.
 *
 * A participant's stream may be replaced during the call, for example by one of another codec (outgoing_video.h): one ends, with
 * MSDK_EVENT_INCOMING_VIDEO_REMOVED, and another is added. A participant is identified by the user id, not by a stream.
 *
 * After an encoded frame is lost or damaged, no frame is shown until the next key frame, which the stream requests from the
 * sender. The frame decoded from it has MSDK_FRAME_DISCONTINUITY set.
 *
 * A receiver says with msdk_incoming_video_set_preference in which size and at which rate it shows a stream. The sender makes no more
 * than its most demanding receiver prefers, and a receiver without a preference wants everything.
 */
#ifndef MEDIASDK_INCOMING_VIDEO_H
#define MEDIASDK_INCOMING_VIDEO_H

#include "handles.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_incoming_video_options {
  uint32_t struct_size;
  uint32_t pixel_format;  /**< the requested MSDK_PIXEL_*, made as by msdk_video_frame_convert; 0: as received (I420 from VP8) */
  uint32_t width, height; /**< the requested size in pixels; both 0: as received */
  uint32_t delivery;      /**< MSDK_DELIVERY_* */
  uint32_t output;        /**< MSDK_OUTPUT_* */
  uint32_t queue_capacity; /**< raw frames that may be queued for read, 1..64; 0: 3 */
  uint32_t encoded_queue_capacity; /**< encoded frames that may be queued for read, 1..1,024; 0: 60 */
  uint32_t queue_policy;  /**< MSDK_POLICY_DROP_OLDEST or _DROP_NEWEST */
  uint32_t reserved0;     /**< 0 */
} msdk_incoming_video_options;

/** Starts to receive. options may be NULL for the defaults. MSDK_E_STATE: the stream is neither available nor stopped.
 * MSDK_E_CLOSED: the stream is no longer available. MSDK_E_PERMISSION: the room does not permit the session to receive.
 * MSDK_E_UNSUPPORTED: encoded frames are requested of a raw stream, or raw frames of a codec that no class of the engine decodes.
 * MSDK_E_RANGE, MSDK_E_INVALID and MSDK_E_UNSUPPORTED name the member of options in the error text. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_start(msdk_incoming_video *stream, const msdk_incoming_video_options *options);

/** Stops receiving. Queued frames are released, and readers get MSDK_E_CLOSED. The call succeeds if the stream is not started.
 * [any thread] [may wait for running callbacks] */
MSDK_EXPORT msdk_result msdk_incoming_video_stop(msdk_incoming_video *stream);

/** Returns the current state, MSDK_INCOMING_*. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_get_state(msdk_incoming_video *stream, uint32_t *out);

typedef struct msdk_incoming_video_info {
  uint32_t struct_size;
  uint32_t state;           /**< MSDK_INCOMING_* */
  uint32_t kind;            /**< MSDK_VIDEO_* */
  uint32_t codec;           /**< MSDK_CODEC_* */
  char user_id[256];        /**< of the sender */
  msdk_video_format format; /**< as in the event */
  uint32_t is_encrypted;    /**< 1: from end to end; receiving it needs a key (encryption.h) */
  uint32_t carries_metadata; /**< 1: frames may have msdk_frame_metadata (frame.h) */
} msdk_incoming_video_info;

/** Returns the values of MSDK_EVENT_INCOMING_VIDEO_ADDED, and the current state. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_get_info(msdk_incoming_video *stream, msdk_incoming_video_info *out);

/** Dequeue the oldest frame. *out has one reference, which the caller releases. MSDK_E_TIMEOUT: none came in time. MSDK_E_STATE:
 * the stream has not been started. MSDK_E_CLOSED: the stream is stopped, or has ended and all frames were read. MSDK_E_NOMEM: the
 * frame needs a conversion, and 32 converted frames of the stream are in use. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_video_read(msdk_incoming_video *stream, uint32_t timeout_ms, msdk_video_frame **out);
MSDK_EXPORT msdk_result msdk_incoming_video_read_encoded(msdk_incoming_video *stream, uint32_t timeout_ms, msdk_encoded_frame **out);

/** Returns a descriptor that poll() reports as readable while raw or encoded frames are queued, and after the stream has stopped or
 * ended. The stream owns it: do not read, write or close it. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_get_fd(msdk_incoming_video *stream, int32_t *out);

/** Gets one frame. It is borrowed; msdk_video_frame_ref keeps it. Calls for one stream do not overlap. */
typedef void (*msdk_video_frame_fn)(void *user, const msdk_video_frame *frame);

/** Sets the frame callback, in any state; NULL removes it. While it is set, raw frames are not queued for read. When the call
 * returns, the previous callback is not running, unless the call was made inside a callback. [any thread] [may wait for the
 * running callback] */
MSDK_EXPORT msdk_result msdk_incoming_video_set_frame_callback(msdk_incoming_video *stream, msdk_video_frame_fn callback, void *user);

/** Attaches a renderer, in any state, and initialises it. It gets frames while the stream is started (msdk_incoming_video_start),
 * which attaching does not do. It gets the frames through the view (view.h); with NULL they are unchanged. If the renderer is
 * already attached here, the view changes with the next frame. A renderer that accepts the codec gets encoded frames if it has
 * no view. They begin with a key frame, which is requested from the sender. A stream has up to 8 renderers (MSDK_E_FULL). A
 * renderer that fails is reported once by MSDK_EVENT_PLUGIN and detached. While a renderer is attached, frames that are not read
 * are dropped by the queue's policy and not counted. MSDK_E_STATE: the instance is already attached elsewhere. [any thread] [not
 * in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_incoming_video_attach_renderer(msdk_incoming_video *stream, msdk_instance *renderer, const msdk_view *view);
/** Detaches a renderer. When the call returns, the renderer is not being called, unless the call was made inside it.
 * MSDK_E_NOT_FOUND: the renderer is not attached to this stream. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_video_detach_renderer(msdk_incoming_video *stream, msdk_instance *renderer);

/** Appends a filter (plugin.h), in any state, and initialises it. A stream has up to 8 filters (MSDK_E_FULL). Decoded and raw
 * frames pass the filters before the callback, the queue, the stream's renderers and the renderers of the call (session.h).
 * Encoded frames that are delivered encoded do not pass them. Filters run on the stream's thread. The exception is a raw stream
 * with MSDK_DELIVERY_DIRECT and a callback: there they run on the thread that delivers the frame. The last filter's output counts
 * as the received frame: it is converted if another format is requested. In-place changes, failures and slow filters are handled
 * as in msdk_outgoing_video_add_filter. A frame that a filter drops (MSDK_E_AGAIN) is counted in frames_dropped.
 * MSDK_E_UNSUPPORTED: the class is not a video filter. MSDK_E_STATE: the instance is already attached. [any thread] [not in a
 * callback of the same instance] */
MSDK_EXPORT msdk_result msdk_incoming_video_add_filter(msdk_incoming_video *stream, msdk_instance *filter);
/** Removes a filter. When the call returns, no frame is in the filter, unless the call was made from inside it. The instance keeps
 * its state, for example STARTED, and may be added again; msdk_instance_release releases it. MSDK_E_NOT_FOUND: the filter is not
 * on this stream. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_incoming_video_remove_filter(msdk_incoming_video *stream, msdk_instance *filter);

/** Requests a key frame from the sender. The call succeeds and does nothing if the stream is not started. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_request_key_frame(msdk_incoming_video *stream);

/** How much a stream matters beside the others that the program receives. */
enum {
  MSDK_PRIORITY_MEDIUM = 0, /**< the default */
  MSDK_PRIORITY_HIGH = 1,
  MSDK_PRIORITY_LOW = 2,
  MSDK_PRIORITY_VERY_LOW = 3
};

typedef struct msdk_video_preference {
  uint32_t struct_size;
  uint32_t width, height;    /**< of the video as it is shown, without bars, in pixels, 1..16,384; 0/0: any size */
  uint32_t fps_num, fps_den; /**< frames a second, at least 1/10; 0/0: any frame rate */
  uint32_t priority;         /**< MSDK_PRIORITY_* */
} msdk_video_preference;

/** Sets in which size and at which rate the program shows the stream, in any state; NULL or zeros remove the preference, which is kept
 * when the stream is stopped and started. The sender takes the largest size and the highest rate that its receivers prefer at present
 * (outgoing_video.h). Of a stream in layers this receiver gets the smallest that is not smaller than it prefers, whatever others get,
 * and over livekit+wss: without the frames that can be dropped if it prefers at most 15 frames a second. Where the path from the server has
 * no room for everything, a stream of a higher priority gets its best layer before others get more than their smallest, and is the last
 * to be paused; of one priority screens come first. The priority has an effect over livekit+wss: only.
 * Sizes compare by their longer and shorter side, so a rotated phone changes nothing. A preference does not promise anything: frames
 * may have another size and rate, and msdk_incoming_video_options converts them. To prefer more has an effect at once, to prefer less
 * after two to four seconds; between layers a change takes the time to the next key frame, which is requested. In a room of Janus the
 * sender is not notified.
 *
 * All layers of a frame are sent one after the other, and the first frame in another layer is a key frame. At a change between layers the
 * same frame may therefore come once more in the other size, with the same timestamp and metadata, and in a loopback room with the same
 * sequence. A single frame may also be smaller than preferred.
 *
 * MSDK_E_RANGE: a size or a rate is not accepted. MSDK_E_UNSUPPORTED: an unknown priority; over rtp:, webrtc: and WHEP, which do not
 * carry preferences. MSDK_E_CLOSED: the stream is no longer available. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_set_preference(msdk_incoming_video *stream, const msdk_video_preference *preference);

typedef struct msdk_incoming_video_stats { /* the names of W3C webrtc-stats where there is one */
  uint32_t struct_size;
  uint32_t state;         /**< MSDK_INCOMING_* */
  uint32_t width, height; /**< of the newest frame as received, in pixels */
  double frames_per_second; /**< received, over the last second */
  uint64_t frames_received; /**< received as a whole */
  uint64_t frames_lost;     /**< lost on the network path */
  uint64_t frames_decoded;
  uint64_t key_frames_decoded;
  uint64_t frames_corrupt;  /**< refused by the decoder */
  uint64_t frames_skipped;  /**< not decoded, or not delivered encoded, because a key frame was missing */
  uint64_t frames_delivered; /**< read, or passed to the callback; raw or encoded */
  /** neither delivered nor rendered: the queue was full, a filter dropped them, the program was slow, or they were not decrypted or not
   * encrypted as the session demands (encryption.h) */
  uint64_t frames_dropped;
  uint64_t bytes_received;
  uint64_t key_frames_requested;
  int64_t total_decode_time_ns; /**< in the decoder and in the conversion to the requested format */
  uint64_t freeze_count; /**< number of times the video froze until the next key frame */
  uint64_t frames_rendered; /**< by at least one renderer */
  int64_t total_filter_time_ns; /**< in the filters and in the conversions for them */
} msdk_incoming_video_stats;

/** Returns the stats since the stream was added. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_get_stats(msdk_incoming_video *stream, msdk_incoming_video_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INCOMING_VIDEO_H */
