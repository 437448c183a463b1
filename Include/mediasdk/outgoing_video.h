/* mediasdk/outgoing_video.h - video that this program makes: streams, limits, the frame sender, reports
 *
 * A stream is made from the list of formats the program can make. Started on a session (session.h), it is given a frame sender, bound to
 * one of them: the best that the bandwidth estimate carries; the order of the list has no say. When the estimate falls below what the
 * format needs, the stream goes down at once; it goes up only after a better format has been affordable, with a quarter to spare, for
 * five seconds. Each time MSDK_EVENT_FRAME_SENDER_CHANGED brings a new sender, and the old one refuses frames with MSDK_E_STALE. What a
 * format needs is, for VP8, 0.03 bits a pixel (a 1280x720 picture at 30 a second: 830 kbit/s), and without a codec all of its bytes.
 * Streams share their session's estimate: what sound takes is taken off, then what keeps a shared screen's size; the rest is divided by
 * what each would take without a bound. While more than 300 ms of packets wait to leave, frames are dropped before they are encoded,
 * MSDK_DROP_NETWORK.
 *
 * Of every frame that send accepts exactly one report tells the truth: sent, encoded, replaced, dropped with the reason, or failed.
 *
 * A screen share (MSDK_VIDEO_SCREEN_SHARE; one at a time on a session) keeps its size and gives up frame rate, and costs nothing while
 * nothing changes:
 *   - Of the declared sizes the largest is made as long as the estimate carries one frame a second of it; only when it has carried less
 *     for ten seconds, frames given up meanwhile, the next smaller one. Of the formats of that size the sender is given the slowest that
 *     is not slower than what the estimate carries; frames leave at the rate that it carries (paced_frames_per_second of the stats), and
 *     a pull producer is asked at it. That rate changes without a new sender.
 *   - A frame that comes ahead of its time waits for it. MSDK_DROP_PACED is one that a newer one overtook meanwhile.
 *   - What has not changed need not be sent. The stream keeps a reference to the last frame until the next one comes or the sender
 *     changes. Whoever begins to receive or asks for a key frame is sent that picture at once, ten times a second at most. What the
 *     queue, the encoder or the network left out is made good a moment later. With VP8 it is sent again, four times a second and up to
 *     twenty times, until text in it is sharp. Then nothing more is encoded or sent. These repetitions have the picture's sequence and
 *     the time of now, and no reports (frames_repeated of the stats).
 *   - After a new sender the first frame must be a whole picture, changed or not. With encoded_input nothing waits for the estimate and
 *     nothing is repeated: answer MSDK_EVENT_KEY_FRAME_REQUESTED.
 *   - VP8 is set for text: no coarser than quantizer 40 of 63, frames are left out instead; no key frame that nobody asked for.
 *   - With format_count 0 the format is that of the producer, which must be attached before the start. Its size is followed when it changes
 *     (MSDK_PLUGIN_EVENT_FORMAT_CHANGED, plugin.h), at most four times a second, and is then the stream's only one, until it is started
 *     again; so it is when it refuses the size of a list. Beyond the limits the stream fails with an event that names the limit.
 *     Under conference limits an odd size loses its last column or row, and a pixel format that the codec does not take is converted.
 */
#ifndef MEDIASDK_OUTGOING_VIDEO_H
#define MEDIASDK_OUTGOING_VIDEO_H

#include "handles.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ limits */

enum {
  MSDK_LIMITS_CONFERENCE = 0, /* what every receiver of a call can be expected to take */
  MSDK_LIMITS_EXTENDED = 1    /* any size up to 3840x2160, odd ones too, up to 60 frames a second */
};

typedef struct msdk_video_limit {
  uint32_t struct_size;
  uint32_t width, height; /* of a virtual stream under conference limits exactly, else at most */
  uint32_t fps;           /* at most */
} msdk_video_limit;

/* The limits, one by one; a format must keep one of them. MSDK_E_NOT_FOUND ends the list.
 *   virtual, conference       exactly 1920x1080, 1280x720, 960x540, 858x480, 640x360 or 640x480, each up to 30 frames a second; or 480x270,
 *                             424x320, 352x240, 320x240, 320x180 or 212x160, up to 15
 *   virtual, extended         up to 3840x2160, up to 60
 *   screen share, conference  any even width and height from 16x16 up to 1920x1080, or in portrait up to 1080x1920; up to 30
 *   screen share, extended    up to 3840x2160, or in portrait up to 2160x3840, odd ones too; up to 60
 * [any thread] */
MSDK_EXPORT msdk_result msdk_video_limit_at(uint32_t kind, uint32_t limits, uint32_t index, msdk_video_limit *out);

/* Whether a format would be accepted; MSDK_E_LIMIT with a text that names the limit it breaks. [any thread] */
MSDK_EXPORT msdk_result msdk_video_limit_check(uint32_t kind, uint32_t limits, const msdk_video_format *format);

/* ------------------------------------------------------------------------------------------------------------------ stream */

enum { /* how much time an encoder may take; in parentheses libvpx's cpu-used for VP8 */
  MSDK_PRESET_REALTIME = 0,  /* (-8) the default */
  MSDK_PRESET_FASTEST = 1,   /* (-12) */
  MSDK_PRESET_BALANCED = 2,  /* (-5) */
  MSDK_PRESET_QUALITY = 3    /* (-3) */
};

typedef struct msdk_outgoing_video_options {
  uint32_t struct_size;
  uint32_t kind;   /* MSDK_VIDEO_*; 0: virtual */
  uint32_t limits; /* MSDK_LIMITS_* */
  uint32_t codec;  /* MSDK_CODEC_NONE: raw frames pass as they are; MSDK_CODEC_VP8 (NV12 and I420 only), or one of a plugin's, _AV1 say */
  const msdk_video_format *formats; /* borrowed; 1..64, of a screen share with a producer also 0; each of a frame rate above 0 */
  uint32_t format_count;
  uint32_t preset;      /* MSDK_PRESET_* */
  uint32_t queue_policy; /* MSDK_POLICY_* when the encoder is behind: DROP_OLDEST replaces the frame that waits */
  uint32_t queue_capacity; /* frames that may wait for the encoder, 1..16; 0: 1 */
  uint32_t encoded_input; /* 1: the program sends encoded frames (msdk_frame_sender_send_encoded), no raw ones */
  uint32_t encoder_threads; /* 1..8; 0: 1, or 2 from 1920x1080 on */
  uint64_t target_bitrate, min_bitrate, max_bitrate; /* bits per second; 0: 0.08 bits a pixel, 0: 30,000, 0: 20,000,000 */
  uint32_t key_frame_interval_ms; /* at the latest; 0: 10,000, of a screen share only when asked for */
  uint32_t report_capacity; /* reports that may wait to be read, 1..4,096; 0: 64; the oldest is dropped */
  /* In place of codec: up to 16, the preferred one first. Those that this engine cannot encode are passed over. The stream is started with the
   * first that all members of the room decode, or, where there is none, with the preferred one. When somebody comes who does not decode it,
   * and there is one that all do, the stream is withdrawn and published anew with that: receivers see one stream go and another come, the
   * sender stays. It does not go back by itself. What a member decodes is what his engine's classes did when he connected. */
  const uint32_t *codecs;
  uint32_t codec_count;
  uint32_t reserved0; /* 0 */
} msdk_outgoing_video_options;

/* Makes a stream. Every format is checked against the limits (MSDK_E_LIMIT) and the codecs (MSDK_E_UNSUPPORTED); one bad format refuses the
 * whole. A codec that no class of the engine encodes, or, with encoded_input, none decodes, is MSDK_E_UNSUPPORTED, in words that list those
 * there are. *out is the caller's to destroy. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_create(msdk_engine *engine, const msdk_outgoing_video_options *options,
                                                   msdk_outgoing_video **out);

/* Stops it if need be; frames not yet encoded are reported as dropped. [any thread] [may wait for running callbacks] */
MSDK_EXPORT void msdk_outgoing_video_destroy(msdk_outgoing_video *stream);

/* MSDK_OUTGOING_* now. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_state(msdk_outgoing_video *stream, uint32_t *out);

/* The current sender; MSDK_E_STATE when the stream is not started. The same handle as the event's. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_sender(msdk_outgoing_video *stream, msdk_frame_sender **out);

/* Live steering, in any state. The target is kept between min and max, and the encoder below the estimate. MSDK_E_RANGE: min 1,000 <=
 * min <= target <= max <= 100,000,000; 0 leaves a value as it is. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_set_bitrate(msdk_outgoing_video *stream, uint64_t target, uint64_t min, uint64_t max);

/* Sends at most this many frames a second, at most the format's own (MSDK_E_RANGE); 0/0: the format's own. Frames that come faster are
 * reported as dropped with MSDK_DROP_PACED, those of a screen share wait; a pull producer is asked at this rate. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_set_frame_rate(msdk_outgoing_video *stream, uint32_t fps_num, uint32_t fps_den);

/* The next frame encoded will be a key frame. A screen share sends what stands at once, as one. A success without a codec.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_request_key_frame(msdk_outgoing_video *stream);

/* Lets an instance make the frames: the core sets its format, starts it with the stream and paces it. NULL detaches.
 * The instance's own formats must include the stream's, unless it is a screen share; MSDK_E_FORMAT comes as an event when it refuses one.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_attach_producer(msdk_outgoing_video *stream, msdk_instance *producer);

/* Preview: the renderer is given the frames as they are sent, on a thread of its own, the newest if it is slow. Up to 8. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_attach_renderer(msdk_outgoing_video *stream, msdk_instance *renderer);
MSDK_EXPORT msdk_result msdk_outgoing_video_detach_renderer(msdk_outgoing_video *stream, msdk_instance *renderer);

/* Puts a filter (plugin.h) behind those that are here, in any state; up to 8 (MSDK_E_NOMEM). Initialises it. Frames pass the filters before
 * the previews, the encoder and the transport, on the thread that takes a frame on: the encoder's, or for a stream without a codec the
 * sender's, inside send. What passes keeps its size; a pixel format that a filter does not take, or changes, is converted before it, and back
 * behind the last one. A frame is changed in place when nobody else holds it and its memory is the SDK's, else a filter that writes makes a
 * copy. One that is left out (MSDK_E_AGAIN) is reported as dropped, MSDK_DROP_FILTER. A filter that fails is reported by MSDK_EVENT_PLUGIN
 * (MSDK_PLUGIN_EVENT_ERROR) and taken out; one whose mean time over a second is more than half of the time from one frame to the next is
 * reported with both (MSDK_PLUGIN_EVENT_SLOW), every 5 seconds at most. Of a screen share the unfiltered picture is what is kept: it passes
 * the filters as they then are whenever it is sent again, and once after each change of the filters. MSDK_E_UNSUPPORTED for a class that is
 * no filter of video, and for a stream with encoded_input; MSDK_E_STATE for an instance that is attached to something. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_add_filter(msdk_outgoing_video *stream, msdk_instance *filter);
/* When it returns, no frame is in the filter any more, unless the call came from inside it. It stays as it is, STARTED if it was, and may be
 * added again; msdk_instance_release takes it down. MSDK_E_NOT_FOUND when it is not here. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_video_remove_filter(msdk_outgoing_video *stream, msdk_instance *filter);

/* ------------------------------------------------------------------------------------------------------------ frame sender */

/* The format this sender takes. [any thread] */
MSDK_EXPORT msdk_result msdk_frame_sender_format(msdk_frame_sender *sender, msdk_video_format *out);

/* A writable frame of that format from the sender's pool of 8, in which those that receivers hold do not count. MSDK_E_TIMEOUT when all are
 * still in use. *out has one reference, the caller's. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_frame_sender_acquire(msdk_frame_sender *sender, uint32_t timeout_ms, msdk_video_frame **out);

/* Sends a frame. The SDK takes a reference of its own; the caller keeps his, and from now on writes to neither memory nor struct until
 * he has a new frame. timestamp_ns: when it was captured; 0: the frame's own if set, else now. completion (may be NULL) tells what
 * became of it; without one, the report can be read. Pixel format and size must be the sender's (MSDK_E_FORMAT); MSDK_E_STALE after a
 * change, MSDK_E_STATE when the stream is not started, MSDK_E_TIMEOUT with MSDK_POLICY_WAIT when there was no room for 5 s. [any thread]
 * [waits only with MSDK_POLICY_WAIT] */
MSDK_EXPORT msdk_result msdk_frame_sender_send(msdk_frame_sender *sender, const msdk_video_frame *frame, int64_t timestamp_ns,
                                               msdk_send_fn completion, void *user);

/* The same for a stream with encoded_input. The first frame, and the first after MSDK_EVENT_KEY_FRAME_REQUESTED, should be a key
 * frame. A key frame may have the size of any format that was declared, under MSDK_LIMITS_EXTENDED any that these accept; of another one
 * it is refused (MSDK_E_FORMAT). The frames that follow it are of its size: what their width and height say is ignored. [any thread] */
MSDK_EXPORT msdk_result msdk_frame_sender_send_encoded(msdk_frame_sender *sender, const msdk_encoded_frame *frame, int64_t timestamp_ns,
                                                       msdk_send_fn completion, void *user);

/* Takes the oldest report of a frame sent without completion. MSDK_E_TIMEOUT, MSDK_E_CLOSED. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_video_read_report(msdk_outgoing_video *stream, uint32_t timeout_ms, msdk_frame_report *out);

/* ----------------------------------------------------------------------------------------------------------- encoded output */

/* Sets (NULL: removes) who is given what the encoder makes. Then frames are encoded though nobody receives them. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_set_encoded_callback(msdk_outgoing_video *stream, msdk_encoded_fn callback, void *user);

/* ------------------------------------------------------------------------------------------------------------------- stats */

typedef struct msdk_outgoing_video_stats { /* the names of W3C webrtc-stats where there is one */
  uint32_t struct_size;
  uint32_t state;
  uint32_t width, height; /* agreed on now; 0 when not started */
  double frames_per_second; /* sent or encoded, over the last second */
  uint64_t frames_offered;  /* accepted by send */
  /* outcomes; they add up to offered when all is done */
  uint64_t frames_sent, frames_encoded, frames_replaced, frames_dropped, frames_failed;
  uint64_t key_frames_encoded;
  uint64_t bytes_sent;
  uint64_t target_bitrate; /* bits per second, of the encoder now */
  uint64_t total_encode_time_ns;
  uint32_t format_changes;
  uint32_t key_frame_requests; /* from receivers */
  uint64_t reports_dropped;
  uint32_t receivers; /* subscribed now */
  uint32_t reserved0;
  double paced_frames_per_second; /* the most that leave now: see screen shares above, and set_frame_rate; 0 when not started */
  uint64_t frames_repeated; /* pictures of a screen share that were sent again; in none of the other numbers but bytes and key frames */
  uint32_t codec;     /* MSDK_CODEC_* or another: with which it is sent, or was last; 0: raw, or never started */
  uint32_t reserved1; /* 0 */
  uint64_t total_filter_time_ns; /* in the filters, conversions for them included */
} msdk_outgoing_video_stats;

/* Since the stream was made. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_stats_get(msdk_outgoing_video *stream, msdk_outgoing_video_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_OUTGOING_VIDEO_H */
