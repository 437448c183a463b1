/** @file
 * mediasdk/outgoing_video.h - video that this program sends: streams, limits, the frame sender, reports
 *
 * A stream is made from the list of formats that the program can make. When the stream is started on a session (session.h), it gets
 * a frame sender, which is bound to one of these formats. The SDK chooses the best format that the bandwidth estimate carries; the
 * order of the list has no effect. When the estimate falls below what the format needs, the stream changes to a lower format at
 * once. It changes to a better format only after the estimate has carried that format, with a quarter to spare, for five seconds.
 * Each change brings a new sender with MSDK_EVENT_FRAME_SENDER_CHANGED; the old sender refuses frames with MSDK_E_STALE. With VP8 a
 * format needs 0.03 bits a pixel (1280x720 at 30 frames a second: 830 kbit/s). Raw, it needs all of its bytes. Streams
 * share their session's estimate. The bitrate of audio is subtracted first, then the bitrate that keeps a screen share's size. The
 * rest is divided in proportion to what each stream would use without a limit. While more than 300 ms of packets wait to be sent,
 * frames are dropped before they are encoded (MSDK_DROP_NETWORK).
 *
 * Receivers prefer a size and a frame rate (msdk_incoming_video_set_preference). MSDK_EVENT_OUTGOING_VIDEO_WANTED and the stats report the
 * largest size and the highest rate that the present receivers prefer; one receiver without a preference wants everything. The SDK then
 * uses no format larger than the smallest declared one whose longer and shorter side are at least the wanted ones. Of several formats of
 * one size it uses the slowest that is at least as fast as wanted. Frames leave at the wanted rate. A program that declares small formats
 * therefore saves the work for what nobody shows. target_bitrate is for the best declared format: it decreases with the pixels a second.
 * When more is wanted, it is made at once, as far as the estimate carries it; when less is wanted, after two to four seconds. All of this
 * applies to raw streams too. With encoded_input the SDK changes nothing: the program gets the event, and follows it itself. Preferences
 * count while their receivers receive the stream. A stream that was just started, or published again with another codec, has none yet:
 * it is made in its best size and rate until preferences arrive.
 *
 * With MSDK_CODEC_AUTO, the default, a stream reaches every member. It is raw while all members of its room are in this process, and
 * VP8 otherwise, over a network from the start. When the first member from another process joins, the stream is withdrawn and
 * published again as VP8: receivers see one stream end and another begin, the sender stays the same, and MSDK_EVENT_CODEC_CHANGED
 * gives the codec. The stream is raw again only if it is stopped and started. While it is raw, its encoder's options have no effect and
 * it has no encoded frames.
 *
 * Layers. In a room whose server chooses for each receiver (loopback:, livekit+wss:, janus+https:), a virtual stream of MSDK_CODEC_VP8
 * is sent in up to three sizes at once: the format, and half and a quarter of its width and height (simulcast). A receiver with a
 * narrow network path, or with a small preference, gets a smaller one, and the others the whole. Only layers that somebody receives are
 * encoded, except over janus+https:, where that is not known: in a room whose members are all in this process, one for each size that
 * they prefer. All layers together take about 1.3 times the bitrate and 1.4 times the processor time of the largest. target_bitrate is
 * for the largest; max_bitrate is for all together. Within the estimate the smaller ones come first, and the format stays while the
 * estimate carries the smallest. Key frames are made in all layers together. In all layers but the largest every second frame is
 * MSDK_ENCODED_DROPPABLE (temporal layers): where all frames are too much for a network path, a server forwards only the others, and a
 * receiver that misses such a frame goes on with the next one. The same holds for the droppable frames of encoded input in VP8. Frames
 * that are read here (the tap, the encoded callback) are of the largest layer, which is then always encoded. most_layers 1 turns this
 * off. Screen shares, streams of other codecs and with encoded_input have one layer.
 *
 * A stream may have any pixel format with any codec. What the encoder does not accept is converted just before it, after the filters
 * and previews, which get the declared format; RGB becomes BT.601 in limited range. Raw frames are sent as declared.
 *
 * The frame rate of the format is enforced, by the time at which frames are sent: up to five frames may come at once, and two percent
 * more than the rate over time, so that the jitter of a camera costs nothing. A frame beyond that is reported as dropped with
 * MSDK_DROP_PACED; of a screen share it waits. Streams with MSDK_POLICY_WAIT send as fast as the encoder goes, or the program when
 * there is no codec, and encoded frames (encoded_input) cannot be dropped: these are not paced.
 *
 * Each frame that send accepts gets exactly one report: sent, encoded, replaced, dropped with the reason, or failed.
 *
 * Times. timestamp_ns is on the engine's clock, or on a clock of the program's own, for example a count from 0: a time before the
 * previous frame's, or more than ten seconds before or a minute after the time of the call, is resynchronised, so that this frame has
 * the time that it would have with timestamp_ns 0, and those that follow in all streams of the session keep their distance to it.
 * Receivers get times on the engine's clock. MSDK_TIME_ZERO is the time 0. A producer's frame, and a frame that is sent again without
 * a time, has the time of the call if its own would be resynchronised.
 *
 * A preview needs no session. While a renderer is attached (msdk_outgoing_video_attach_renderer), a stream that is not started has a
 * sender of its best format, too, unless it takes encoded_input. The producer runs while the stream has a sender: while it is started
 * or previewed. Without a producer the program sends to the sender that msdk_outgoing_video_get_sender returns. Frames of a stream
 * that is not started pass the filters on the sender's thread and are shown; their reports say dropped, MSDK_DROP_NOT_CONNECTED.
 * When the stream starts, or stops with a renderer attached, the sender stays if its format does, and the producer is not restarted.
 * A stream that failed has a preview again when it is started or a renderer is attached.
 *
 * A screen share (MSDK_VIDEO_SCREEN_SHARE; one at a time on a session) keeps its size and reduces its frame rate. It uses no
 * bandwidth while nothing changes:
 *   - The SDK uses the largest declared size as long as the estimate carries one frame a second of it. It changes to the next
 *     smaller size only after the estimate has carried less for ten seconds; until then it drops frames. Of the formats
 *     of that size the sender gets the slowest that is not slower than what the estimate carries. Frames leave at the rate that the
 *     estimate carries (paced_frames_per_second of the stats), and a pull producer is asked at that rate. This rate changes without
 *     a new sender.
 *   - A frame that comes early waits until it is due. If a newer frame replaces it meanwhile, it is dropped with MSDK_DROP_PACED.
 *   - A program need not send a frame that has not changed. The stream keeps a reference to the last frame until the next one comes
 *     or the sender changes. A receiver that subscribes or requests a key frame is sent that frame at once, at most ten times a
 *     second. If the queue, the encoder or the network dropped a frame, it is sent again shortly afterwards. With VP8 the last
 *     frame is sent again, four times a second and up to a hundred times, until text in it is sharp. Then nothing more is encoded
 *     or sent. These repetitions have the frame's sequence, the current time and no reports (frames_repeated of the stats).
 *   - The first frame after a new sender must be a whole frame, even if nothing has changed. With encoded_input no frame waits for
 *     the estimate and none is repeated: the program answers MSDK_EVENT_KEY_FRAME_REQUESTED.
 *   - VP8 is configured for text. The quantizer is at most 40 of 63; frames are dropped instead of being coarser. A key frame is
 *     made only on request. The exception is a frame that takes more than two seconds of the bandwidth estimate: it is sent as a
 *     key frame that is as coarse as necessary. If the coarsest quantizer is not enough, the upper part of the frame can be read,
 *     with blurred colours, and the rest is blurred. While the frame does not change, it becomes readable, then sharp and of the
 *     right colours, from the top down. 1280x720 of small text in many colours takes 95 kB to be readable: 6 s at 150 kbit/s, 2 s
 *     at 500. Plugins' encoders get the same bound (set_bytes_max, plugin.h). encoded_input has none of this.
 *   - With format_count 0 the stream has the format of the producer, which must be attached before the start. When the producer's
 *     size changes (MSDK_PLUGIN_EVENT_FORMAT_CHANGED, plugin.h), the stream follows it, at most four times a second. The new format
 *     is then the stream's only one until the stream is started again. The same applies to a producer that refuses the size of a
 *     list. If the size exceeds the limits, the stream fails with an event that names the limit. Under conference limits an odd
 *     size loses its last column or row.
 */
#ifndef MEDIASDK_OUTGOING_VIDEO_H
#define MEDIASDK_OUTGOING_VIDEO_H

#include "handles.h"
#include "report.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ limits */

enum {
  MSDK_LIMITS_CONFERENCE = 0, /**< what every receiver of a call can be expected to accept */
  MSDK_LIMITS_EXTENDED = 1    /**< any size up to 3840x2160, also odd sizes, up to 60 frames a second */
};

typedef struct msdk_video_limit {
  uint32_t struct_size;
  uint32_t width, height; /**< pixels; exact for a virtual stream under conference limits, else the maximum */
  uint32_t fps;           /**< frames a second, at most */
} msdk_video_limit;

/** Returns the limits by index, from 0. A format must be within one of them. MSDK_E_NOT_FOUND: the index is past the end of the
 * list.
 *   virtual, conference       exactly 1920x1080, 1280x720, 960x540, 858x480, 640x360 or 640x480, each up to 30 frames a second; or
 *                             480x270, 424x320, 352x240, 320x240, 320x180 or 212x160, up to 15
 *   virtual, extended         up to 3840x2160, up to 60
 *   screen share, conference  any even width and height from 16x16 up to 1920x1080, or in portrait up to 1080x1920; up to 30
 *   screen share, extended    up to 3840x2160, or in portrait up to 2160x3840, odd ones too; up to 60
 * [any thread] */
MSDK_EXPORT msdk_result msdk_video_limit_at(uint32_t kind, uint32_t limits, uint32_t index, msdk_video_limit *out);

/** Checks whether a format would be accepted. MSDK_E_LIMIT: it would not; the error text names the limit that it exceeds.
 * MSDK_E_RANGE: its size or frame rate is 0. [any thread] */
MSDK_EXPORT msdk_result msdk_video_limit_check(uint32_t kind, uint32_t limits, const msdk_video_format *format);

/* ------------------------------------------------------------------------------------------------------------------ stream */

enum { /* how much time an encoder may use; in parentheses: libvpx's cpu-used for VP8 */
  MSDK_PRESET_REALTIME = 0,  /**< (-8) the default */
  MSDK_PRESET_FASTEST = 1,   /**< (-12) */
  MSDK_PRESET_BALANCED = 2,  /**< (-5) */
  MSDK_PRESET_QUALITY = 3    /**< (-3) */
};

typedef struct msdk_outgoing_video_options {
  uint32_t struct_size;
  uint32_t kind;   /**< MSDK_VIDEO_*; 0: virtual */
  uint32_t limits; /**< MSDK_LIMITS_* */
  /** MSDK_CODEC_AUTO: raw in a room of this process, VP8 as soon as a member is not in it; MSDK_CODEC_RAW: raw frames, which members
   * in other processes cannot receive (MSDK_EVENT_STREAM_UNREACHABLE); MSDK_CODEC_VP8, or a plugin's, for example _AV1. With
   * encoded_input it names the codec of the frames that are sent: _AUTO and _RAW are refused then, and so is codecs (MSDK_E_INVALID) */
  uint32_t codec;
  const msdk_video_format *formats; /**< borrowed; frame rates above 0 (MSDK_E_RANGE), within limits (msdk_video_limit_at) */
  uint32_t format_count; /**< 1..64; also 0 for a screen share with a producer */
  uint32_t preset;      /**< MSDK_PRESET_* */
  uint32_t queue_policy; /**< MSDK_POLICY_* when the encoder is late: DROP_OLDEST replaces the queued frame */
  uint32_t queue_capacity; /**< frames that may be queued for the encoder, 1..16; 0: 1 */
  uint32_t encoded_input; /**< 1: the program sends only encoded frames (msdk_frame_sender_send_encoded), and codec names their
                         * codec. The formats still need a pixel_format, for example MSDK_PIXEL_I420; it has no effect. */
  uint32_t encoder_threads; /**< 1..8; 0: 1 below 1920x1080, else 2 */
  uint64_t target_bitrate, /**< bits per second; 0: 0.08 bits a pixel */
           min_bitrate,    /**< bits per second; 0: 30,000 */
           max_bitrate;    /**< bits per second; 0: 20,000,000 */
  uint32_t key_frame_interval_ms; /**< the longest time between key frames; 0: 10,000, for a screen share only on request */
  uint32_t report_capacity; /**< reports that may be queued, 1..4,096; 0: 64; if full, the oldest is dropped */
  /** Used in place of codec: up to 16 codecs, the preferred one first. Codecs that this engine cannot encode are skipped. The stream
   * starts with the first codec that all members of the room decode. If there is none, it starts with the preferred one. If a
   * member joins who does not decode the current codec, and there is one that all members decode, the stream is withdrawn and
   * published again with that codec. Receivers then see one stream end and another begin; the sender stays the same. The stream
   * does not change back by itself. A member decodes the codecs that their engine's classes decoded when they connected. */
  const uint32_t *codecs;
  uint32_t codec_count;
  /** See Layers above. 1..3; 0: by the longer side of the largest declared format (with format_count 0: of the producer's), 3 from 960
   * pixels on, 2 from 640, else 1. The number is fixed when the stream is published. A smaller format later, for example because the
   * estimate falls, is sent in as many layers: itself, and half and a quarter of its own size. */
  uint32_t most_layers;
  uint32_t carries_metadata; /**< 1: each frame is sent with its msdk_frame_metadata (frame.h) to receivers that take it; 0: without */
  uint32_t reserved0;        /**< 0 */
} msdk_outgoing_video_options;

/** Makes a stream. Every format is checked against the limits and the codecs' sizes (MSDK_E_LIMIT); one invalid format makes the
 * call fail. MSDK_E_RANGE: a number of options or the frame rate of a format; the error text names it. MSDK_E_UNSUPPORTED: no
 * class of the engine encodes the codec or, with encoded_input, decodes it; the error text lists the available codecs. Or an
 * encoder accepts RGB only, and the format is YUV of a matrix other than BT.601, BT.709 and BT.2020. The caller destroys *out.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_create(msdk_engine *engine, const msdk_outgoing_video_options *options,
                                                   msdk_outgoing_video **out);

/** Stops the stream if it is started, and destroys it. Frames not yet encoded are reported as dropped. [any thread] [may wait for
 * running callbacks] */
MSDK_EXPORT void msdk_outgoing_video_destroy(msdk_outgoing_video *stream);

/** Returns the current state, MSDK_OUTGOING_*. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_get_state(msdk_outgoing_video *stream, uint32_t *out);

typedef struct msdk_outgoing_video_info {
  uint32_t struct_size;
  uint32_t state;           /**< MSDK_OUTGOING_* */
  uint32_t kind;            /**< MSDK_VIDEO_* */
  uint32_t limits;          /**< MSDK_LIMITS_* */
  uint32_t codec;           /**< MSDK_CODEC_*: the current codec, or the last one; _AUTO: never started */
  uint32_t encoded_input;   /**< 1: the program sends encoded frames */
  msdk_video_format format; /**< of the current sender; all 0 without one */
} msdk_outgoing_video_info;

/** [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_get_info(msdk_outgoing_video *stream, msdk_outgoing_video_info *out);

/** Returns the current sender, the same handle as the event's. MSDK_E_STATE: the stream is neither started nor previewed.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_get_sender(msdk_outgoing_video *stream, msdk_frame_sender **out);

/** Changes the bitrates, in bits per second, in any state. The target is kept between min and max, and the encoder below the
 * estimate. 0 leaves a value unchanged. MSDK_E_RANGE unless 1,000 <= min <= target <= max <= 100,000,000. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_set_bitrate(msdk_outgoing_video *stream, uint64_t target, uint64_t min, uint64_t max);

/** Limits the frames sent per second. 0/0: the format's rate. MSDK_E_RANGE: more than the format's rate. Frames that come faster are
 * reported as dropped with MSDK_DROP_PACED; those of a screen share wait. A pull producer is asked at this rate, unless its frames
 * have their own times (MSDK_PRODUCER_TIMED). MSDK_E_UNSUPPORTED: the stream has encoded_input. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_set_frame_rate(msdk_outgoing_video *stream, uint32_t fps_num, uint32_t fps_den);

/** Makes the next encoded frame a key frame. A screen share sends its last frame again at once, as a key frame. Without a codec the
 * call succeeds. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_request_key_frame(msdk_outgoing_video *stream);

/** Attaches an instance that makes the frames. The library sets its format, starts it when the stream starts or is previewed, and paces
 * it. The instance must make the stream's size, except for a screen share; frames of another pixel format are converted to the
 * stream's. If the instance refuses, an event reports MSDK_E_FORMAT. When the instance reports another size
 * (MSDK_PLUGIN_EVENT_FORMAT_CHANGED, plugin.h), for example because a phone was rotated, a virtual stream follows it if a declared
 * format has this size, or if the limits are MSDK_LIMITS_EXTENDED and accept it. Declared formats of this size, or else the current
 * one in this size, are then the stream's only ones until it is started again. A size that the stream cannot follow is only reported:
 * the agreed size stays.
 *
 * A stream with encoded_input accepts only a producer of encoded frames (MSDK_PRODUCER_ENCODED of plugin.h) that has the stream's codec,
 * and no other stream accepts one: MSDK_E_UNSUPPORTED. Requests for key frames are passed on to it. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_attach_producer(msdk_outgoing_video *stream, msdk_instance *producer);
/** Stops, releases and detaches the producer. The call succeeds if there is none. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_video_detach_producer(msdk_outgoing_video *stream);

/** Attaches a preview, with or without a session. The renderer gets the frames as they are sent, on its own thread; a slow renderer
 * gets the newest. The frames pass through the view (view.h); with NULL they are unchanged. If the renderer is already attached
 * here, the view changes with the next frame. A stream has up to 8 renderers. [any thread] [not in a callback of the same
 * instance] */
MSDK_EXPORT msdk_result msdk_outgoing_video_attach_renderer(msdk_outgoing_video *stream, msdk_instance *renderer, const msdk_view *view);

/** Detaches a preview. When the call returns, the renderer is not being called, unless the call was made inside it.
 * MSDK_E_NOT_FOUND: the renderer is not attached to this stream. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_video_detach_renderer(msdk_outgoing_video *stream, msdk_instance *renderer);

/** Appends a filter (plugin.h), in any state, and initialises it. A stream has up to 8 filters (MSDK_E_FULL). Frames pass the
 * filters before the previews, the encoder and the transport. Filters run on the encoder's thread; for a stream without a codec
 * they run on the sender's thread, inside send. A filtered frame keeps its size. A pixel format that a filter does not accept, or
 * changes, is converted before the filter, and back after the last one. A frame is changed in place if it has no other holder and
 * its memory is the SDK's; else a filter that writes makes a copy. A frame that a filter drops (MSDK_E_AGAIN) is reported as
 * dropped, MSDK_DROP_FILTER. A filter that fails is reported by MSDK_EVENT_PLUGIN (MSDK_PLUGIN_EVENT_ERROR) and removed. A filter
 * whose mean time over a second, without its longest call, is more than half of the time between frames is reported with both times
 * (MSDK_PLUGIN_EVENT_SLOW), at most every 5 seconds. A screen share keeps the unfiltered frame. That frame passes the current
 * filters whenever it is sent again, and once after each change of the filters. MSDK_E_UNSUPPORTED: the class is not a video filter,
 * or the stream has encoded_input. MSDK_E_STATE: the instance is already attached. [any thread] [not in a callback of the same
 * instance] */
MSDK_EXPORT msdk_result msdk_outgoing_video_add_filter(msdk_outgoing_video *stream, msdk_instance *filter);
/** Removes a filter. When the call returns, no frame is in the filter, unless the call was made from inside it. The instance keeps
 * its state, for example STARTED, and may be added again; msdk_instance_release releases it. MSDK_E_NOT_FOUND: the filter is not on
 * this stream. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_video_remove_filter(msdk_outgoing_video *stream, msdk_instance *filter);

/* ------------------------------------------------------------------------------------------------------------ frame sender */

/** Returns the format that this sender accepts. [any thread] */
MSDK_EXPORT msdk_result msdk_frame_sender_get_format(msdk_frame_sender *sender, msdk_video_format *out);

/** Returns a writable frame of that format from the sender's pool of 8. Frames that receivers hold do not count. MSDK_E_TIMEOUT: all
 * frames are still in use. *out has one reference, the caller's. A sender that was replaced, or whose stream has stopped, still gives
 * frames; msdk_frame_sender_send refuses them. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_frame_sender_acquire(msdk_frame_sender *sender, uint32_t timeout_ms, msdk_video_frame **out);

/** Sends a frame. The SDK takes its own reference and the caller keeps theirs. From now on the caller writes neither to the frame's
 * memory nor to its struct. timestamp_ns: when the frame was captured (see Times above); 0: the frame's own timestamp if set, else
 * now. completion (may be NULL) reports the outcome; without one, the report can be read. MSDK_E_FORMAT: pixel format or size
 * differ from the sender's. MSDK_E_STALE: the sender has been replaced. MSDK_E_STATE: the stream has no sender. MSDK_E_TIMEOUT:
 * with MSDK_POLICY_WAIT, there was no room for 5 s. [any thread] [waits only with MSDK_POLICY_WAIT] */
MSDK_EXPORT msdk_result msdk_frame_sender_send(msdk_frame_sender *sender, const msdk_video_frame *frame, int64_t timestamp_ns,
                                               msdk_send_fn completion, void *user);

/** Sends an encoded frame, for a stream with encoded_input. The first frame, and the first after MSDK_EVENT_KEY_FRAME_REQUESTED,
 * should be a key frame. A key frame may have the size of any declared format, and under MSDK_LIMITS_EXTENDED any size that these
 * limits accept. A key frame of another size is refused (MSDK_E_FORMAT). The frames that follow have the size of the key frame;
 * their width and height are ignored. Colour that is unspecified is the declared one; color_full_range goes with color_matrix.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_frame_sender_send_encoded(msdk_frame_sender *sender, const msdk_encoded_frame *frame, int64_t timestamp_ns,
                                                       msdk_send_fn completion, void *user);

/** Dequeues the oldest report of a frame sent without completion. MSDK_E_TIMEOUT, MSDK_E_CLOSED. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_video_read_report(msdk_outgoing_video *stream, uint32_t timeout_ms, msdk_frame_report *out);

/** Returns a descriptor that poll() reports as readable while reports are queued. The stream owns it: do not read, write or close
 * it. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_get_report_fd(msdk_outgoing_video *stream, int32_t *out);

/* ----------------------------------------------------------------------------------------------------------- encoded output */

/** Sets the callback that gets the encoded frames; NULL removes it. While it is set, frames are encoded even without receivers. When
 * the call returns, the previous callback is not running, unless the call was made inside a callback. MSDK_E_UNSUPPORTED: the
 * stream has no encoder here. [any thread] [may wait for the running callback] */
MSDK_EXPORT msdk_result msdk_outgoing_video_set_encoded_callback(msdk_outgoing_video *stream, msdk_encoded_fn callback, void *user);

/* --------------------------------------------------------------------------------------------------------------------- tap */

/** A tap returns to the program what its own stream sends, for example to record it. It has the queues of an incoming stream:
 *   raw      the frames that a preview gets: after the filters, before the encoder, whether anybody receives them or not. Frames that were
 *            dropped or replaced before are not among them; repeated frames of a screen share are not either
 *   encoded  the frames that the encoded callback gets, beginning with a key frame. Frames are then encoded even without receivers. If the
 *            queue drops one, those up to the next key frame cannot be decoded
 *
 * While the stream is not started, there are none, even if it is previewed.
 *
 * A program that does not read, or that keeps the frames, slows nobody. The frames that it holds do not count against the sender's pool. It
 * may hold the frames that are queued and 32 more, of raw and of encoded frames each; further ones are dropped and counted in
 * tap_frames_dropped. For frames in memory that the program owns the rule of incoming_video.h applies, with the tap as one receiver. */
typedef struct msdk_video_tap_options {
  uint32_t struct_size;
  uint32_t output;                 /**< MSDK_OUTPUT_* */
  uint32_t queue_capacity;         /**< raw frames that may be queued for read, 1..64; 0: 3 */
  uint32_t encoded_queue_capacity; /**< encoded frames that may be queued for read, 1..1,024; 0: 60 */
  uint32_t queue_policy;           /**< MSDK_POLICY_DROP_OLDEST or _DROP_NEWEST */
  uint32_t reserved0;              /**< 0 */
} msdk_video_tap_options;

/** Starts the tap, in any state of the stream; it continues when the stream stops and starts again. options may be NULL for the defaults.
 * MSDK_E_STATE: the tap is started. MSDK_E_UNSUPPORTED: the stream has encoded_input, or encoded frames are requested of a stream without
 * an encoder here. MSDK_E_RANGE and MSDK_E_UNSUPPORTED name the member of options in the error text. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_start_tap(msdk_outgoing_video *stream, const msdk_video_tap_options *options);

/** Stops the tap. Queued frames are released, and readers get MSDK_E_CLOSED. The call succeeds if the tap is not started. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_stop_tap(msdk_outgoing_video *stream);

/** Dequeue the oldest frame of the tap. *out has one reference, which the caller releases. MSDK_E_TIMEOUT: none came in time. MSDK_E_STATE:
 * the tap has not been started. MSDK_E_CLOSED: it is stopped. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_outgoing_video_read(msdk_outgoing_video *stream, uint32_t timeout_ms, msdk_video_frame **out);
MSDK_EXPORT msdk_result msdk_outgoing_video_read_encoded(msdk_outgoing_video *stream, uint32_t timeout_ms, msdk_encoded_frame **out);

/** Returns a descriptor that poll() reports as readable while the tap has raw or encoded frames queued, and after it was stopped. The
 * stream owns it: do not read, write or close it. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_get_fd(msdk_outgoing_video *stream, int32_t *out);

/* ------------------------------------------------------------------------------------------------------------------- stats */

typedef struct msdk_outgoing_video_stats { /* the names of W3C webrtc-stats where there is one */
  uint32_t struct_size;
  uint32_t state;
  uint32_t width, height; /**< of the current sender, in pixels; 0 without one */
  double frames_per_second; /**< sent or encoded, over the last second */
  uint64_t frames_offered;  /**< accepted by send */
  /** outcomes; their sum is frames_offered when all frames have been reported. frames_encoded counts frames that were encoded here.
   * frames_sent counts those that were not: raw ones, and those that the program encoded (encoded_input). */
  uint64_t frames_sent, frames_encoded, frames_replaced, frames_dropped, frames_failed;
  uint64_t key_frames_encoded; /**< key frames that left, also those that the program encoded */
  uint64_t bytes_sent;
  uint64_t target_bitrate; /**< bits per second, the encoder's current target */
  int64_t total_encode_time_ns; /**< in the encoder and in the conversions for it */
  uint32_t format_changes;
  uint32_t key_frame_requests; /**< from receivers */
  uint64_t reports_dropped;
  uint32_t receivers; /**< subscribed at present */
  uint32_t layers;    /**< in which the stream is published, 1..3 */
  double paced_frames_per_second; /**< the current maximum rate: see above and set_frame_rate; 0: not started, or not paced */
  uint64_t frames_repeated; /**< frames of a screen share sent again; only bytes and key frames count them too */
  uint32_t codec;     /**< MSDK_CODEC_* or another: the current codec, or the last one; _AUTO: never started */
  uint32_t active_layers; /**< in which the last frame was encoded; 0: none was */
  int64_t total_filter_time_ns; /**< in the filters and in the conversions for them */
  uint64_t tap_frames_dropped; /**< raw and encoded frames that the tap's queues had no place for */
  uint32_t wanted_width, wanted_height; /**< by the receivers together, in pixels; 0: any */
  double wanted_frames_per_second; /**< by the receivers together; 0: any */
} msdk_outgoing_video_stats;

/** Returns the stats since the stream was made. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_get_stats(msdk_outgoing_video *stream, msdk_outgoing_video_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_OUTGOING_VIDEO_H */
