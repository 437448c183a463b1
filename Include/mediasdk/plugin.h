/** @file
 * mediasdk/plugin.h - the contract between MediaSDK and a plugin's classes: producers, renderers, filters and codecs
 *
 * A plugin is a shared object that exports one function, msdk_plugin_entry_v1. It does not link the SDK: what it needs from the SDK
 * comes as function pointers in msdk_host. The same tables serve a program's own classes, which msdk_engine_register_module
 * registers.
 *
 * From file to frame. The host calls the entry, which returns the module's table. The table lists the module's classes. create()
 * makes an instance of a class. The instance's parameters are set. Then the host moves it through its states:
 *
 *       create        init          start
 *  (none) --> CREATED ----> READY -------> STARTED
 *     ^-------- | <-------- | <------------- |
 *       destroy    release        stop
 *
 * The host owns this state machine. It never calls out of order, and it takes every level down before destroy(). If init or start
 * fails, the instance keeps its state. Video renderers go from READY to STARTED without a call of their own.
 *
 * A module is loaded once in a process and never unloaded. The module's init is called once, before its first create. Several
 * engines may use a module at the same time. Its globals therefore need locks; it is better to have none.
 *
 * Tables. The host refuses a class whose table lacks a function that it needs (MSDK_E_ABI; the error text says what is missing). It
 * needs these; every other function may be NULL:
 *   msdk_class            create, destroy
 *   producers             init_capture, release_capture, start_capture, stop_capture, set_format; with MSDK_PRODUCER_PULL also
 *                         produce_frame, or produce_encoded_frame with MSDK_PRODUCER_ENCODED
 *   msdk_video_renderer   init_render, release_render, render_video_frame
 *   msdk_audio_renderer   init_render, release_render
 *   filters               init_filter, release_filter, filter_video_frame or filter_audio_frame; of an audio filter also set_format
 *   encoders              open_encoder, close_encoder, set_rate, encode
 *   decoders              open_decoder, close_decoder, decode, parse_header; of an audio decoder also conceal
 *
 * Terms in the comments
 *   [control]  Calls to one instance never overlap. The thread may differ from call to call; there is no "main" thread.
 *   [media]    Never at the same time as a [control] call or another [media] call to the instance. The thread may differ. Only the
 *              plugin's own threads, of a push producer or of a renderer that pulls, run beside these calls.
 *   [any]      Any thread, at any time from the entry of create() to the return of destroy().
 *   borrowed   Valid until the call returns. To keep it, copy it or take a reference.
 *
 * Rules for every plugin
 *   P1  The entry is cheap and has no side effects. create() opens no device, starts no thread, and calls only log and set_error.
 *   P2  When stop_capture returns, no thread of the plugin is inside, or will enter, a host call that delivers frames. When
 *       stop_render returns, none is inside, or will enter, read_render_data.
 *   P3  A frame that was delivered or received is read-only. Strides come from the frame, never from the width.
 *   P4  Every reference that was taken is given back. A renderer keeps at most four video frames (with several inputs four of each)
 *       and eight audio frames.
 *   P5  No C++ exception, longjmp or signal leaves the plugin.
 *   P6  A struct from the host is read with MSDK_HAS. A host function that is newer than min_host_minor is called after MSDK_CAN.
 *   P7  A pull producer never sleeps until its frame is due: the host paces it. It waits for less than half of a frame's duration
 *       in all. A renderer returns fast.
 *
 * Re-entrancy. A class that the program registered itself may call the functions of mediasdk.h from inside its own functions. No
 * lock is held there, but calls to one instance never overlap: a call that would need a second one on the same thread is refused.
 * Below, "inside X" means on a thread on which the host runs a function of the instance X. Callbacks that this function causes on
 * its thread are inside X too, for example the program's log callback inside log(). Thread-safe commands (MSDK_COMMAND_THREAD_SAFE)
 * are not.
 *   Other objects  All functions are allowed inside X. The exception is msdk_engine_advance_clock: MSDK_E_THREAD inside every
 *                  callback.
 *   Allowed for X  msdk_instance_get_state, msdk_instance_get_isolation, msdk_instance_next_event and
 *                  msdk_instance_set_event_callback. msdk_instance_call of a thread-safe command. msdk_instance_get_param if the
 *                  class has no get_param. msdk_instance_param_choice_at if the parameter has a fixed list of choices. Attaching X
 *                  as a producer to an outgoing stream. msdk_instance_read, _read_audio and stopping a pull. Changing the view
 *                  of X where it is attached. Detaching X from a stream or session, or removing it; the call does not wait for the
 *                  function that is running, and X keeps its state. A producer that is detached inside itself stays STARTED
 *                  until it is attached again or released; a MSDK_PLUGIN_EVENT_ERROR with MSDK_E_THREAD reports it.
 *   Deferred       msdk_instance_destroy ends the handle and detaches X at once. X is stopped, released and destroyed after its
 *                  function has returned. The same happens when the engine is destroyed. Destroying a stream or session detaches X;
 *                  X keeps its state.
 *   MSDK_E_THREAD  msdk_instance_set_param, _set_param_text, _get_param, _param_choice_at and _call, except as above.
 *                  msdk_instance_format_at, _get_audio_format, _start_pull, _start_pull_audio, _render, _render_audio and
 *                  _snapshot. Attaching X as a renderer or
 *                  adding it as a filter. msdk_instance_attach_renderer, on either side. msdk_session_start_video if the stream
 *                  takes its format from X (format_count 0). Two functions do their first half before they return MSDK_E_THREAD:
 *                  msdk_instance_release detaches X, which keeps its state; msdk_instance_detach_renderer detaches the last
 *                  renderer that X feeds, and X stays STARTED. Errors in arguments and states come first, for example
 *                  MSDK_E_NOT_FOUND, MSDK_E_RANGE, or MSDK_E_STATE for an instance that is already attached.
 *   Waiting        A call that needs an instance which is busy on another thread waits, for up to 10 seconds: MSDK_E_TIMEOUT. Two
 *                  instances that call each other wait for each other. A plugin's own thread that calls its own instance waits for
 *                  stop_capture or stop_render, while that waits for the thread (rule P2).
 *   Not at all     The entry and init of a module call no function of mediasdk.h. msdk_instance_create there, of a class of the
 *                  same module, returns MSDK_E_THREAD. create() keeps rule P1.
 *
 * A plugin that runs in a process of its own (instance.h) has no access to the program's objects.
 */
#ifndef MEDIASDK_PLUGIN_H
#define MEDIASDK_PLUGIN_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The major version is part of the entry's name. A module is loaded if its min_host_minor <= the host's minor. */
enum { MSDK_ABI_MAJOR = 1, MSDK_ABI_MINOR = 0 };
#define MSDK_ENTRY_SYMBOL "msdk_plugin_entry_v1"

typedef struct msdk_host_context msdk_host_context; /**< the host's side of one instance; opaque to the plugin */
typedef struct msdk_self msdk_self;                 /**< the plugin's side of one instance, which the plugin defines; opaque to the host */

/* -------------------------------------------------------------------------------------------------------------------- host */

enum { MSDK_LOG_DEBUG = 0, MSDK_LOG_INFO = 1, MSDK_LOG_WARN = 2, MSDK_LOG_ERROR = 3, MSDK_LOG_NONE = 4 };

enum { /* what post_event reports */
  MSDK_PLUGIN_EVENT_ERROR = 1,
  /** The size of the producer's frames has changed. The host stops the producer, asks its capture_settings, sets that size with
   * set_format and starts it again, at most four times a second. Until then produce_frame returns MSDK_E_AGAIN instead of a frame of
   * another size. The first frame after the restart is a whole one. For a virtual stream the host asks capture_settings first. If
   * the stream does not accept that size, the agreed size stays: the producer continues to make it, scaled or with bars. */
  MSDK_PLUGIN_EVENT_FORMAT_CHANGED = 2,
  MSDK_PLUGIN_EVENT_ENDED = 3,          /**< no more frames will come */
  /** detail: the name of a parameter that the plugin changed by itself; the class needs get_param. The host itself reports the
   * parameters that programs set. A name that the class does not have causes a warning in the log and no event. */
  MSDK_PLUGIN_EVENT_PARAM_CHANGED = 4,
  /** Posted by the host, for an instance that runs in a process of its own (instance.h). Plugins do not post them. */
  MSDK_PLUGIN_EVENT_DIED = 5,           /**< its process ended: MSDK_E_PLUGIN_DIED, the text names the cause */
  MSDK_PLUGIN_EVENT_RESTARTED = 6,      /**< its process was restarted; parameters and state are restored */
  MSDK_PLUGIN_EVENT_SLOW = 7,           /**< from the host: a filter, or a pull producer, takes more than half of the time between frames */
  /** detail: the name of a parameter with MSDK_PARAM_DYNAMIC_CHOICES, whose list has changed: a camera was connected, for example. The
   * program lists it again (msdk_instance_param_choice_at). Another name causes a warning in the log and no event. */
  MSDK_PLUGIN_EVENT_CHOICES_CHANGED = 8,
  MSDK_PLUGIN_EVENT_USER = 0x10000      /**< from here on the plugin's own events; passed to the program unchanged */
};

typedef struct msdk_host {
  uint32_t struct_size;
  uint32_t abi_minor; /**< the host's; for information only, MSDK_CAN decides */
  const char *name, *version;

  /** Diagnostics. [any] Texts are copied; log keeps up to 4,096 bytes, set_error up to 1,024. set_error sets the text of the error
   * that the plugin is about to return. A negative result in post_event is the event's status; detail is copied as text. */
  void (*log)(msdk_host_context *, int32_t level, const char *text);
  void (*set_error)(msdk_host_context *, msdk_result, const char *text);
  void (*post_event)(msdk_host_context *, uint32_t event, msdk_result, const msdk_value *detail);

  /** Video frames. [any] A new frame has one reference, the caller's.
   *   acquire        memory from the instance's pool: 8 frames, or 96 for a class with a video filter, because its frames may wait
   *                  to be read. MSDK_E_AGAIN: all are in use after timeout_ms; drop the frame, do not wait longer
   *   wrap           memory of the plugin's own, without a copy; see msdk_external_frame
   *   make_writable  takes the caller's reference to `in`. Returns `in` itself if that was the only reference and the frame is from
   *                  a pool, else a copy from the instance's pool. MSDK_E_AGAIN: all frames of the pool are in use; the reference
   *                  stays the caller's */
  msdk_result (*video_frame_acquire)(msdk_host_context *, const msdk_video_format *, uint32_t timeout_ms, msdk_video_frame **out);
  msdk_result (*video_frame_wrap)(msdk_host_context *, const msdk_external_frame *, msdk_video_frame **out);
  void (*video_frame_ref)(const msdk_video_frame *);
  void (*video_frame_unref)(const msdk_video_frame *);
  msdk_result (*video_frame_make_writable)(msdk_host_context *, msdk_video_frame *in, msdk_video_frame **out);

  /** Encoded frames. [any] */
  void (*encoded_frame_ref)(const msdk_encoded_frame *);
  void (*encoded_frame_unref)(const msdk_encoded_frame *);

  /** Audio frames. [any] As for video frames. acquire returns a silent frame with sample_count samples per channel (1..192,000) from
   * the instance's pool of 16, or of 2,048 for a class with an audio filter. MSDK_E_AGAIN: all are in use. */
  msdk_result (*audio_frame_acquire)(msdk_host_context *, const msdk_audio_format *, uint32_t sample_count, msdk_audio_frame **out);
  void (*audio_frame_ref)(const msdk_audio_frame *);
  void (*audio_frame_unref)(const msdk_audio_frame *);

  /** Delivery by a push producer. [media] Takes the caller's reference, whatever it returns. A timestamp_ns of 0 is set to the
   * current time.
   *   MSDK_OK         accepted
   *   MSDK_E_AGAIN    faster than the agreed frame rate: this frame was dropped; wait until the next one is due
   *   MSDK_E_FORMAT   the frame does not have the format that set_format agreed on: dropped
   *   MSDK_E_CLOSED   capture is stopped or stopping: leave the capture loop
   *   MSDK_E_HANDLE, MSDK_E_INVALID   not a live frame, or its members were changed so that they contradict each other: dropped */
  msdk_result (*consume_video_frame)(msdk_host_context *, msdk_video_frame *);
  /** The same for audio, which is accepted in order and without gaps. MSDK_E_AGAIN: the stream's queue (queue_ms) is full, and
   * nothing of this buffer was accepted. A timestamp_ns of 0 means the end of the previous buffer. MSDK_E_INVALID: a sample is
   * infinite or not a number. MSDK_E_RANGE: the time is not later than that of the previous buffer. MSDK_E_THREAD: another thread
   * is delivering. */
  msdk_result (*consume_audio_frame)(msdk_host_context *, msdk_audio_frame *);
  /** For an audio renderer that pulls on a thread of its own. Fills sample_count samples per channel (0..192,000) in the format that
   * render_settings gave: the samples that are queued, then silence. Returns how many samples were queued, or a value below 0 when
   * rendering has stopped (MSDK_E_CLOSED). A renderer that is detached has not stopped; it gets silence only. Never waits. [media] */
  int32_t (*read_render_data)(msdk_host_context *, void *destination, uint32_t sample_count);

  int64_t (*now_ns)(msdk_host_context *); /**< the engine's clock [any] */
  /** Services of later versions, by id "msdk.host.noun/1". NULL: unknown. Valid until destroy() returns. [any] */
  const void *(*get_extension)(msdk_host_context *, const char *id);

  /** [any] audio_frame_make_writable is the same as video_frame_make_writable, for audio. encoded_frame_create makes an
   * encoded frame for an instance of an encoder: data and the other members are copied. The frame has one reference, the caller's.
   * MSDK_E_NOMEM: 256 video frames, or 8,192 audio packets, of this instance are in use. MSDK_E_INVALID: no data, or more than 16
   * MiB. MSDK_E_UNSUPPORTED: the class is not an encoder, nor a producer with MSDK_PRODUCER_ENCODED. */
  msdk_result (*audio_frame_make_writable)(msdk_host_context *, msdk_audio_frame *in, msdk_audio_frame **out);
  msdk_result (*encoded_frame_create)(msdk_host_context *, const msdk_encoded_frame *attributes, msdk_encoded_frame **out);
  /** consume_video_frame of a push producer with MSDK_PRODUCER_ENCODED. [media] All frames are accepted in order; none is dropped
   * to reach a rate. MSDK_E_FORMAT: a key frame of a size that the stream does not accept. MSDK_E_CORRUPT: the data is no frame of the
   * codec. */
  msdk_result (*consume_encoded_frame)(msdk_host_context *, msdk_encoded_frame *);
} msdk_host;

/* ------------------------------------------------------------------------------------------------- parameters and commands */

enum {
  MSDK_PARAM_LIVE = 1,     /**< may be set while STARTED */
  MSDK_PARAM_READONLY = 2, /**< can be read, not set */
  /** Never logged and never shown; it can be set, not read. The host removes the values that were set, and the default, from the
   * plugin's log lines, error texts and events, where they appear unchanged. It does not find values that the plugin encodes,
   * splits or writes elsewhere. */
  MSDK_PARAM_SECRET = 4,
  MSDK_PARAM_REQUIRED = 8, /**< must be set before init; not together with READONLY */
  /** A string without `choices`; param_choice lists the values that are accepted at the moment, for example cameras. The
   * host asks for the list whenever the parameter is set. A default that programs may also set must be in the list. */
  MSDK_PARAM_DYNAMIC_CHOICES = 16
};

typedef struct msdk_param {
  uint32_t struct_size;
  uint32_t flags;      /**< MSDK_PARAM_* */
  const char *name;    /**< [a-z][a-z0-9_]*, at most 63 bytes; never changes */
  const char *summary; /**< one line for people; NULL: none */
  msdk_value def;      /**< the default; its type is the parameter's type */
  msdk_value min, max; /**< of numbers, both inclusive, of the same type as the number; type MSDK_T_VOID: no bound */
  const char *const *choices; /**< of a string: all accepted values; NULL: any */
  uint32_t choice_count;      /**< up to 1,024 */
  uint32_t reserved0;         /**< 0 */
} msdk_param;

/** One of the values that a string parameter accepts, and its name for people. label NULL: the value itself. */
typedef struct msdk_choice {
  uint32_t struct_size;
  uint32_t reserved0; /**< 0 */
  const char *value, *label;
} msdk_choice;

enum { MSDK_ARGS_MAX = 8 };
enum { MSDK_COMMAND_THREAD_SAFE = 1 /**< [any] instead of [control] */, MSDK_COMMAND_CONST = 2 };

typedef struct msdk_arg { /* frozen, 16 bytes */
  const char *name;
  msdk_type type;
  uint32_t flags; /**< 0 */
} msdk_arg;

/** What an argument accepts beyond its type. The host checks it before every call; programs can list it. */
typedef struct msdk_arg_limits {
  uint32_t struct_size;
  uint32_t flags;      /**< 0 */
  const char *summary; /**< one line for people; NULL: none */
  msdk_value min, max; /**< of numbers, both inclusive, of the same type as the number; type MSDK_T_VOID: no bound */
  const char *const *choices; /**< of a string: all accepted values; NULL: any */
  uint32_t choice_count;      /**< up to 1,024 */
  uint32_t reserved0;         /**< 0 */
  const msdk_value *def;      /**< used if the argument is omitted; NULL: required. All arguments after one with a default have one */
} msdk_arg_limits;

/** A function that programs call by name (msdk_instance_call). Before the plugin is called, the host checks the number, types,
 * ranges and choices of the arguments, and refuses NULL, numbers that are not finite, and malformed UTF-8. It fills in the
 * arguments that were omitted. `invoke` and `native` therefore always get arg_count values of the declared types. Texts and bytes
 * among them are borrowed. A text has up to 65,536 bytes, and bytes have up to 16 MiB. Exactly one of the two functions is set:
 *   invoke  One signature for all commands. It sets *result, which comes zeroed, to a value of the declared type. A negative return
 *           value is the program's error, with the text of set_error.
 *   native  An ordinary function R fn(msdk_self *, A1, ... An), declared with MSDK_COMMANDn, which makes the compiler check that
 *           the types fit. If R is STATUS, a negative result is the program's error.
 *
 * A returned STRING or BYTES stays the plugin's. It is valid until the next call on the instance or, from a thread-safe command,
 * until that thread's next call. NULL is an error: that of set_error, or MSDK_E_FAIL. The host refuses a result that is not of the
 * declared type, is not UTF-8, is a BOOL other than 0 and 1, or is longer than arguments may be; the program gets MSDK_E_FAIL.
 *
 * Commands are called in any state [control], one at a time. With MSDK_COMMAND_THREAD_SAFE a command also runs beside all other
 * calls [any]; then set_error sets its text only if it is called on the command's own thread. MSDK_COMMAND_CONST states that the
 * command changes nothing; this is information for people. */
typedef struct msdk_command {
  uint32_t struct_size;
  uint32_t flags;      /**< MSDK_COMMAND_* */
  const char *name;    /**< [a-z][a-z0-9_]*, at most 63 bytes, unique in the class; names of arguments likewise, unique in the command */
  const char *summary; /**< one line for people; NULL: none */
  msdk_type result;    /**< MSDK_T_VOID: none; MSDK_T_STATUS with `native` only */
  uint32_t arg_count;  /**< up to MSDK_ARGS_MAX */
  msdk_arg args[MSDK_ARGS_MAX];
  msdk_result (*invoke)(msdk_self *, const msdk_value *args, uint32_t arg_count, msdk_value *result);
  void (*native)(void);
  const msdk_arg_limits *limits; /**< NULL, or arg_count elements */
} msdk_command;

/* ------------------------------------------------------------------------------------------------------------------ tables */

enum {
  MSDK_PRODUCER_PULL = 1, /**< the host paces and calls produce_frame; without it the plugin delivers with consume_video_frame */
  MSDK_PRODUCER_LIVE = 2, /**< frames are of the moment: a late one has no value */
  /** A pull producer of video whose frames have their own times, as those of a file have. If a frame has a duration_ns,
   * the next one is asked for that long after due_ns, not at the next time of the frame rate. The least distance is one
   * millisecond. */
  MSDK_PRODUCER_TIMED = 4,
  /** A producer of video whose frames are encoded already: a camera that makes H.264, a file. It sets codec, and delivers encoded frames:
   * with produce_encoded_frame, or with consume_encoded_frame. Only an outgoing stream with encoded_input and that codec accepts it. */
  MSDK_PRODUCER_ENCODED = 8
};

typedef struct msdk_video_producer {
  uint32_t struct_size;
  uint32_t flags; /**< MSDK_PRODUCER_* */
  msdk_result (*init_capture)(msdk_self *);    /**< [control] CREATED to READY: opens the device or file */
  msdk_result (*release_capture)(msdk_self *); /**< [control] READY to CREATED */
  msdk_result (*start_capture)(msdk_self *);   /**< [control] READY to STARTED; may return before the first frame */
  msdk_result (*stop_capture)(msdk_self *);    /**< [control] STARTED to READY, synchronous: rule P2 */
  int32_t (*is_capture_started)(const msdk_self *);                            /**< [any] 0 or 1; NULL: the host answers */
  /** [control] READY, STARTED: the current or preferred format */
  msdk_result (*capture_settings)(msdk_self *, msdk_video_format *out);
  msdk_result (*enum_formats)(msdk_self *, uint32_t index, msdk_video_format *out); /**< [control] READY; MSDK_E_NOT_FOUND ends the list */
  /** [control] READY only. MSDK_E_FORMAT: the producer cannot make this format. For a screen share the host then asks
   * capture_settings, and converts. */
  msdk_result (*set_format)(msdk_self *, const msdk_video_format *);
  /** [media] Of a pull producer: returns one frame, with a reference that becomes the host's. due_ns: when the frame will be sent.
   * MSDK_E_AGAIN: no frame this time, or an unchanged one. MSDK_E_CLOSED: no more frames will come; instead, the last frame may
   * carry MSDK_FRAME_END. Any other error ends the producer with an event. A timestamp_ns of 0 is set to due_ns. If the producer is
   * more than a second late, its schedule restarts at the current time. */
  msdk_result (*produce_frame)(msdk_self *, int64_t due_ns, msdk_video_frame **out);
  /** Of a producer with MSDK_PRODUCER_ENCODED. Its formats state size, frame rate and colour; their pixel format is of no meaning, and
   * set_format accepts every one. The first frame after start_capture is a key frame. Frames are made with encoded_frame_create: the
   * producer sets data, flags (MSDK_ENCODED_KEY, _DROPPABLE, _DISCONTINUITY), timestamp_ns, duration_ns and orientation. The host sets
   * codec and size, and MSDK_ENCODED_KEY again, as the data has them. Sizes follow the key frames, within what the stream declares.
   *   codec                  fourcc, MSDK_CODEC_* or another that a decoder among the engine's classes decodes
   *   produce_encoded_frame  [media] in place of produce_frame, with the same results; there is no MSDK_FRAME_END. MSDK_PRODUCER_TIMED:
   *                          duration_ns says when the next frame is due
   *   request_key_frame      [media] STARTED: makes one of the next 30 frames a key frame; a receiver needs it. NULL, or
   *                          MSDK_E_UNSUPPORTED: the producer cannot; receivers wait for the next one */
  uint32_t codec;
  uint32_t reserved0; /**< 0 */
  msdk_result (*produce_encoded_frame)(msdk_self *, int64_t due_ns, msdk_encoded_frame **out);
  msdk_result (*request_key_frame)(msdk_self *);
} msdk_video_producer;

/** Audio. set_format is called with the stream's format. If the producer cannot make it, it returns MSDK_E_FORMAT; then the host
 * asks capture_settings, sets that format, and converts. Buffers may have any length; the host cuts them to the stream's. */
typedef struct msdk_audio_producer {
  uint32_t struct_size;
  uint32_t flags; /**< MSDK_PRODUCER_* */
  msdk_result (*init_capture)(msdk_self *);    /**< [control] CREATED to READY: opens the device or file */
  msdk_result (*release_capture)(msdk_self *); /**< [control] READY to CREATED */
  msdk_result (*start_capture)(msdk_self *);   /**< [control] READY to STARTED; may return before the first buffer */
  msdk_result (*stop_capture)(msdk_self *);    /**< [control] STARTED to READY, synchronous: rule P2 */
  int32_t (*is_capture_started)(const msdk_self *);                      /**< [any] 0 or 1; NULL: the host answers */
  msdk_result (*capture_settings)(msdk_self *, msdk_audio_format *out);  /**< [control] READY, STARTED: the current or preferred format */
  msdk_result (*set_format)(msdk_self *, const msdk_audio_format *);     /**< [control] READY only; MSDK_E_FORMAT: cannot make it */
  /** [media] Of a pull producer: returns the next buffer, with a reference that becomes the host's. due_ns: when its first sample is
   * due. The next buffer is asked for at the end of this one. MSDK_E_AGAIN: nothing now; the host asks again after 10 ms.
   * MSDK_E_CLOSED: no more buffers will come; instead, the last buffer may carry MSDK_FRAME_END. Any other error ends the producer
   * with an event. A timestamp_ns of 0 is set to due_ns. */
  msdk_result (*produce_frame)(msdk_self *, int64_t due_ns, msdk_audio_frame **out);
} msdk_audio_producer;

/** One of the streams that a renderer shows at the same time, and who sends it: a participant of a call, or a participant's screen
 * share. Texts are borrowed, UTF-8 of 1 to 255 bytes. */
typedef struct msdk_input {
  uint32_t struct_size;
  uint32_t kind; /**< MSDK_VIDEO_*: a participant's video (virtual), or a screen share, which is an input of its own */
  const char *user_id, *display_name;
  uint32_t is_local;  /**< 1: the program's own */
  uint32_t has_video; /**< 1: video is being sent, though no frame may have come yet; 0: what was shown before has ended */
  uint32_t is_speaking; /**< 1: an active speaker */
  uint32_t is_muted;    /**< 1: sends audio, all of it muted */
} msdk_input;

typedef struct msdk_video_renderer {
  uint32_t struct_size;
  uint32_t flags;        /**< 0 */
  msdk_result (*init_render)(msdk_self *);    /**< [control] CREATED to READY: opens the window or file */
  msdk_result (*release_render)(msdk_self *); /**< [control] READY to CREATED: what was written is complete when it returns */
  /** [control] Called before the first frame and at every change of format or size. 1: accepted. 0: the host offers other pixel
   * formats, in the order NV12, I420, BGRA, RGBA, then the others, and converts to the first one that is accepted. NULL: everything
   * is accepted. */
  int32_t (*accepts_format)(msdk_self *, const msdk_video_format *);
  /** [media] Renders a frame, which is borrowed; video_frame_ref to keep it (rule P4). For calls to the program's side see
   * "Re-entrancy" above. */
  msdk_result (*render_video_frame)(msdk_self *, const msdk_video_frame *);
  msdk_result (*flush)(msdk_self *); /**< [media] releases kept frames; NULL: keeps none */
  /** [control] Optional, both or neither: what is on screen now. snapshot fills a writable frame of the format that snapshot_format
   * returned. MSDK_E_AGAIN: no frame was rendered yet. */
  msdk_result (*snapshot_format)(msdk_self *, msdk_video_format *out);
  msdk_result (*snapshot)(msdk_self *, msdk_video_frame *into);
  /** Both or neither, for a renderer that accepts encoded frames, for example a recorder. accepts_codec [control] returns 1 if the
   * renderer gets frames of that codec as they arrive, not decoded, instead of raw frames. render_encoded_frame [media]: the frame
   * is borrowed. The first frame after the start or after a loss is a key frame, which the host requests; the renderer cannot
   * request another one. */
  int32_t (*accepts_codec)(msdk_self *, uint32_t codec);
  msdk_result (*render_encoded_frame)(msdk_self *, const msdk_encoded_frame *);
  /** All three or none, for a renderer of several streams at the same time (msdk_session_attach_renderer).
   * render_video_frame is still needed, for when the renderer is attached to one stream.
   *   update_input        an input is new, or one of its members has changed
   *   remove_input        the input has ended: release its frames
   *   render_input_frame  a frame of it, as in render_video_frame; accepts_format is called for each input separately
   *
   * The host assigns the numbers of inputs, from 1, and never reuses one. update_input comes before the input's first frame.
   * release_render ends all inputs, without remove_input for each. */
  msdk_result (*update_input)(msdk_self *, uint32_t input, const msdk_input *); /**< [media] borrowed */
  msdk_result (*remove_input)(msdk_self *, uint32_t input);                     /**< [media] */
  msdk_result (*render_input_frame)(msdk_self *, uint32_t input, const msdk_video_frame *); /**< [media] */
} msdk_video_renderer;

/** Audio. The host converts to the rate, channels and sample format that render_settings returns, and to buffers of
 * frames_per_buffer samples if that is not 0. It starts the renderer with the first buffer. It stops the renderer before
 * release_render. It also stops it, asks render_settings and starts it again when other audio arrives: another rate, number of
 * channels or sample format, or packets. */
typedef struct msdk_audio_renderer {
  uint32_t struct_size;
  uint32_t flags;                             /**< 0 */
  msdk_result (*init_render)(msdk_self *);    /**< [control] CREATED to READY: opens the device or file */
  msdk_result (*release_render)(msdk_self *); /**< [control] READY to CREATED: what was written is complete when it returns */
  msdk_result (*start_render)(msdk_self *);   /**< [control] READY to STARTED, before the first buffer; NULL: nothing to do */
  /** [control] STARTED to READY, synchronous: no read_render_data afterwards (rule P2); NULL: nothing to do */
  msdk_result (*stop_render)(msdk_self *);
  int32_t (*is_render_started)(const msdk_self *); /**< [any] 0 or 1; NULL: the host answers */
  /** [control] READY: sets *out to the format that the renderer wants. *out holds the format that will arrive; unchanged, it is
   * accepted. NULL: every format is accepted. */
  msdk_result (*render_settings)(msdk_self *, msdk_audio_format *out);
  /** [media] Renders a buffer, which is borrowed; audio_frame_ref to keep it (rule P4). MSDK_E_AGAIN: busy, this buffer is dropped.
   * Any other error: the renderer is detached, with an event. NULL: the renderer pulls with read_render_data, from a queue of 200
   * ms that drops the oldest audio when it is full. */
  msdk_result (*render_audio_frame)(msdk_self *, const msdk_audio_frame *);
  int64_t (*render_delay_ns)(const msdk_self *); /**< [any] nanoseconds from rendering to being heard; NULL: 0 */
  /** Both or neither, for a renderer that accepts packets. accepts_codec [control] returns 1 if the renderer gets packets
   * of that codec as they arrive, instead of samples. render_encoded_frame [media]: the packet is borrowed. */
  int32_t (*accepts_codec)(msdk_self *, uint32_t codec);
  msdk_result (*render_encoded_frame)(msdk_self *, const msdk_encoded_frame *);
} msdk_audio_renderer;

/** A class that processes the frames of a stream: msdk_outgoing_video_add_filter and the same functions of other streams.
 * A stream has up to 8 filters; frames pass them in the order in which they were added. The first frame moves a filter from READY
 * to STARTED. */
typedef struct msdk_video_filter {
  uint32_t struct_size;
  uint32_t flags; /**< 0 */
  msdk_result (*init_filter)(msdk_self *);    /**< [control] CREATED to READY */
  msdk_result (*release_filter)(msdk_self *); /**< [control] READY, STARTED to CREATED */
  /** [control] READY, STARTED: called before the first frame and at every change of format. *out holds `in`; a filter that changes
   * the size or pixel format sets it there. MSDK_E_FORMAT: the filter does not accept `in`. The host then offers the same frames in
   * the order NV12, I420, BGRA, RGBA, then the others, and converts before the filter. On an outgoing stream the size must stay,
   * and the host converts back to the stream's pixel format after the last filter. On an incoming stream, receivers get what the
   * last filter returns. Any other error has the effect of one from filter_video_frame. NULL: accepts every format and changes
   * none. */
  msdk_result (*set_format)(msdk_self *, const msdk_video_format *in, msdk_video_format *out);
  /** [media] Takes a reference to `in`, whatever it returns, and returns a reference at *out:
   *   `in` itself    unchanged; or changed in place, if it carries MSDK_FRAME_WRITABLE
   *   another frame  of the agreed format, never returned before: from video_frame_make_writable (which returns `in` where it may
   *                  be changed, else a copy), video_frame_acquire or video_frame_wrap. The host sets its time, sequence,
   *                  orientation and the flags _DISCONTINUITY, _CORRUPT and _END
   *
   * Frames are upright: the host rotates those that are not, and after the filters of an outgoing stream rotates them back.
   * MSDK_E_AGAIN: this frame is dropped. Any other error, and a success that breaks one of these rules, removes the filter from the
   * stream with an event (MSDK_PLUGIN_EVENT_ERROR); the frame passes, with what the filter has already changed in place. Earlier
   * frames that the filter keeps count as those of a renderer (P4). */
  msdk_result (*filter_video_frame)(msdk_self *, msdk_video_frame *in, msdk_video_frame **out);
  msdk_result (*flush)(msdk_self *); /**< [media] forgets earlier frames: there was a gap; NULL: keeps nothing */
} msdk_video_filter;

typedef struct msdk_audio_filter {
  uint32_t struct_size;
  uint32_t flags; /**< 0 */
  msdk_result (*init_filter)(msdk_self *);    /**< [control] CREATED to READY */
  msdk_result (*release_filter)(msdk_self *); /**< [control] READY, STARTED to CREATED */
  /** [control] As above, but rate and channels always stay. MSDK_E_FORMAT: the host offers the other sample format, and converts
   * before and after the filter. Buffers have any length: frames_per_buffer is 0. */
  msdk_result (*set_format)(msdk_self *, const msdk_audio_format *in);
  /** [media] As above, with audio_frame_make_writable and audio_frame_acquire; there is no wrap. *out has the format of `in` and as
   * many samples, all of them finite. The host sets time, sequence, level and flags. If the filter fails, the buffer passes as it
   * was before the call. */
  msdk_result (*filter_audio_frame)(msdk_self *, msdk_audio_frame *in, msdk_audio_frame **out);
  int64_t (*delay_ns)(const msdk_self *); /**< [any] how much older the filter's output is than its input; NULL: 0 */
  msdk_result (*flush)(msdk_self *);       /**< [media] as above */
} msdk_audio_filter;

/** Codecs. An engine finds them among its classes by their fourcc, in the order in which the classes were added. The
 * first class that encodes a codec encodes it; the first that decodes it decodes it. The SDK's own VP8 and Opus have these same
 * tables (org.mediasdk.vp8 and org.mediasdk.opus). They come first, so a plugin cannot replace them. An outgoing stream has the
 * codecs that its engine knew when the stream was made; a received stream has those of when it was announced.
 *
 * One instance encodes, or decodes, one start of one stream, in the program's process or isolated (instance.h). The host makes it
 * with the parameters' defaults and the values of msdk_engine_set_codec_param, and closes and destroys it. An instance that a
 * program makes is not used. [control] and [media] mean the same as for renderers. The events that it posts go to the stream's
 * session. When the process of an isolated instance was restarted, the host opens the instance again, an encoder with the last
 * rate; then an encoder is asked for a key frame first, and a decoder is given one first.
 *
 * Errors concern the stream. An error of encode makes that frame's report MSDK_OUTCOME_FAILED, and the next frame a key frame. An
 * error of open_encoder fails the stream, with the text of set_error in its event. An error of decode counts as a corrupt frame;
 * the host requests a key frame and waits for it. These are such errors too: a success without a frame, a frame that is not a live
 * one, and a frame that is larger than was allowed. */
typedef struct msdk_video_encoder_settings {
  uint32_t struct_size;
  uint32_t width, height;      /**< pixels */
  uint32_t fps_num, fps_den;   /**< expected frame rate, for the bit budget of the first frames */
  uint32_t threads;            /**< 1..8 */
  uint32_t preset;             /**< MSDK_PRESET_* of outgoing_video.h */
  uint32_t kind;               /**< MSDK_VIDEO_*; for a screen share text should be sharp, and unchanged frames should cost nothing */
  uint64_t target_bitrate;     /**< bits per second */
  uint32_t drop_threshold;     /**< drop frames while the rate control's buffer is below this percentage of its target; 0: never */
  uint32_t temporal_layers;    /**< 2: make every second frame MSDK_ENCODED_DROPPABLE, if the codec can; 0 or 1: do not */
} msdk_video_encoder_settings;

enum { MSDK_ENCODE_KEY = 1 /**< make a key frame */ };

typedef struct msdk_video_encoder {
  uint32_t struct_size;
  uint32_t flags;         /**< 0 */
  uint32_t codec;         /**< fourcc, MSDK_CODEC_* or another */
  uint32_t dimension_max; /**< the largest width and height; 0: MSDK_DIMENSION_MAX */
  const uint32_t *pixel_formats; /**< that it accepts, the best first */
  uint32_t pixel_format_count;   /**< 1..16 */
  uint32_t reserved0;            /**< 0 */
  msdk_result (*open_encoder)(msdk_self *, const msdk_video_encoder_settings *);             /**< [control] CREATED to READY */
  msdk_result (*close_encoder)(msdk_self *);                                                 /**< [control] READY to CREATED */
  msdk_result (*set_rate)(msdk_self *, uint64_t target_bitrate, uint32_t fps_num, uint32_t fps_den); /**< [media] from the next frame on */
  /** [media] Encodes a frame, which is borrowed. It has the size that open_encoder got and one of pixel_formats. Its timestamp_ns
   * need not advance evenly. flags: MSDK_ENCODE_*, with KEY also for the first frame. Returns a reference to a frame made with
   * encoded_frame_create. The encoder sets data and flags: MSDK_ENCODED_KEY, _DROPPABLE, and for a screen share _COARSE, which
   * makes the host have the same frame encoded again until text is sharp. The host sets codec, size, times, sequence, orientation
   * and colour. MSDK_E_AGAIN: the rate control dropped the frame; a requested key frame must not be dropped. */
  msdk_result (*encode)(msdk_self *, const msdk_video_frame *, uint32_t flags, msdk_encoded_frame **out);
  /** [media] Of a screen share, from the next frame on: the most bytes that a frame may have to leave before it expires; 0: no bound,
   * as after open_encoder. The host calls it when the bound changes, which may be before every frame. A frame that would be longer
   * is made coarser, with MSDK_ENCODED_COARSE, and refers to no frame that was not returned. If the coarsest frame is longer too,
   * encode returns it. NULL: the encoder cannot do this. The host then encodes a longer frame again, once, as a key frame and at a
   * bit rate that is lower in proportion, because a frame that expires is lost together with all frames that refer to it. */
  msdk_result (*set_bytes_max)(msdk_self *, uint64_t bytes_max);
} msdk_video_encoder;

typedef struct msdk_video_decoder_settings {
  uint32_t struct_size;
  uint32_t threads;        /**< 1..8 */
  uint64_t pixels_max;     /**< of a frame: data that needs more is MSDK_E_CORRUPT */
} msdk_video_decoder_settings;

typedef struct msdk_encoded_header { /* what the first bytes of an encoded frame contain */
  uint32_t struct_size;
  uint32_t flags;         /**< MSDK_ENCODED_KEY */
  uint32_t width, height; /**< pixels; 0 where only key frames contain them */
  uint32_t is_shown;      /**< 1: decoding gives a frame to show */
  uint32_t reserved0; /**< 0 */
} msdk_encoded_header;

typedef struct msdk_video_decoder {
  uint32_t struct_size;
  uint32_t flags; /**< 0 */
  uint32_t codec; /**< fourcc, as in msdk_video_encoder */
  uint32_t reserved0; /**< 0 */
  msdk_result (*open_decoder)(msdk_self *, const msdk_video_decoder_settings *); /**< [control] CREATED to READY */
  msdk_result (*close_decoder)(msdk_self *);                                     /**< [control] READY to CREATED */
  /** [media] Decodes a frame, which is borrowed. Returns a reference to a frame made with video_frame_acquire or video_frame_wrap,
   * or NULL for data that shows none. MSDK_E_CORRUPT: the data is damaged; the host waits for a key frame. MSDK_E_STATE: the
   * decoder needs a key frame first. The returned frame may have any size and pixel format; the host converts or copies it to what
   * the receiver wants. The host has finished with it before the next call to the instance, so wrapped memory of the decoder need
   * not live longer. The host sets times, sequence and orientation, and the colour if the frame's format has
   * MSDK_COLOR_UNSPECIFIED. */
  msdk_result (*decode)(msdk_self *, const msdk_encoded_frame *, msdk_video_frame **out);
  /** [any] Called without an instance. Reads the header of `size` bytes at `data`, which may be anything. MSDK_E_CORRUPT: no frame
   * begins with these bytes. */
  msdk_result (*parse_header)(const void *data, uint64_t size, msdk_encoded_header *out);
} msdk_video_decoder;

typedef struct msdk_audio_encoder_settings {
  uint32_t struct_size;
  uint32_t sample_rate, channels; /**< sample_rate in Hz, one of the encoder's sample_rates */
  uint32_t application;   /**< MSDK_OPUS_* of outgoing_audio.h */
  uint64_t bitrate;       /**< bits per second */
  uint32_t complexity;    /**< 0..10: more processor time for better quality */
  uint32_t fec;           /**< 1: when losses are expected, a packet repeats the previous one at a lower bitrate */
  uint32_t expected_loss; /**< percentage of packets */
  uint32_t dtx;           /**< 1: silence is not sent */
} msdk_audio_encoder_settings;

typedef struct msdk_audio_encoder {
  uint32_t struct_size;
  uint32_t flags; /**< 0 */
  uint32_t codec; /**< fourcc, MSDK_CODEC_* or another */
  uint32_t sample_rate_count; /**< 1..16 */
  const uint32_t *sample_rates; /**< in Hz that it accepts, multiples of 400; a stream of another rate is resampled to the highest */
  msdk_result (*open_encoder)(msdk_self *, const msdk_audio_encoder_settings *); /**< [control] CREATED to READY */
  msdk_result (*close_encoder)(msdk_self *);                                     /**< [control] READY to CREATED */
  uint32_t (*lookahead)(const msdk_self *); /**< [any] delay of the decoded audio in samples per channel; NULL: 0 */
  msdk_result (*set_rate)(msdk_self *, uint64_t bitrate, uint32_t expected_loss); /**< [media] from the next packet on */
  /** [media] Encodes interleaved f32 samples, sample_count per channel, which is 10, 20, 40 or 60 ms. Returns a reference to a
   * packet of up to 61,440 bytes made with encoded_frame_create; the host sets everything but the data. MSDK_E_AGAIN: nothing is
   * audible, and no packet is made. */
  msdk_result (*encode)(msdk_self *, const float *samples, uint32_t sample_count, msdk_encoded_frame **out);
} msdk_audio_encoder;

typedef struct msdk_packet_header { /* what an audio packet contains without being decoded */
  uint32_t struct_size;
  uint32_t sample_count; /**< per channel at 48,000 Hz, 1..5,760 */
  uint32_t channels;     /**< 1 or 2 */
  uint32_t has_redundancy; /**< 1: it repeats part of the previous packet */
} msdk_packet_header;

/** Makes interleaved f32 samples at 48,000 Hz, with the channels that open_decoder got, whatever the packets have. Counts are in
 * samples per channel; results below 0 are errors. `into` holds `capacity` samples per channel, for conceal and recover
 * sample_count. These are errors: more samples than that, no sample from decode, and a sample that is not a number. If conceal or
 * recover return less than sample_count, the host adds silence. */
typedef struct msdk_audio_decoder {
  uint32_t struct_size;
  uint32_t flags; /**< 0 */
  uint32_t codec; /**< fourcc, as in msdk_audio_encoder */
  uint32_t reserved0; /**< 0 */
  msdk_result (*open_decoder)(msdk_self *, uint32_t channels); /**< [control] CREATED to READY */
  msdk_result (*close_decoder)(msdk_self *);                   /**< [control] READY to CREATED */
  int32_t (*decode)(msdk_self *, const void *packet, uint64_t size, float *into, uint32_t capacity); /**< [media] */
  int32_t (*conceal)(msdk_self *, uint32_t sample_count, float *into); /**< [media] conceals a loss: a multiple of 120, up to 5,760 */
  /** [media] Recovers a lost packet from what the packet after the loss repeats of it, before that packet is decoded. 0: the packet
   * repeats nothing of it. NULL: the codec cannot do this. */
  int32_t (*recover)(msdk_self *, uint32_t sample_count, const void *next, uint64_t size, float *into);
  msdk_result (*parse_header)(const void *data, uint64_t size, msdk_packet_header *out); /**< [any] called without an instance */
} msdk_audio_decoder;

/* ------------------------------------------------------------------------------------------------------------- descriptors */

enum {
  MSDK_KIND_VIDEO_PRODUCER = 1,
  MSDK_KIND_AUDIO_PRODUCER = 2,
  MSDK_KIND_VIDEO_RENDERER = 4,
  MSDK_KIND_AUDIO_RENDERER = 8,
  MSDK_KIND_VIDEO_FILTER = 16,
  MSDK_KIND_AUDIO_FILTER = 32,
  MSDK_KIND_VIDEO_ENCODER = 64,
  MSDK_KIND_VIDEO_DECODER = 128,
  MSDK_KIND_AUDIO_ENCODER = 256,
  MSDK_KIND_AUDIO_DECODER = 512
};
enum {
  MSDK_CLASS_SINGLETON = 1,        /**< one instance at a time in an engine */
  MSDK_CLASS_NO_ISOLATION = 2,     /**< cannot run in a process of its own */
  MSDK_CLASS_PREFERS_ISOLATION = 4, /**< runs isolated by default; a file in a plugin directory is then not loaded into the program */
  /** The class's video renderer gets upright frames, with orientation 0; the host rotates them. Of an encoded stream it
   * gets decoded frames, if it accepts their format, from the first frame on that must be rotated. */
  MSDK_CLASS_UPRIGHT = 8
};

/** What instances are made of: constant, and in memory for as long as an engine has it (of a plugin file: static). id, kinds, create,
 * destroy and the tables of its kinds are required; set_param and param_choice are, if it has parameters that need them. */
typedef struct msdk_class {
  uint32_t struct_size;
  uint32_t kinds; /**< MSDK_KIND_* mask, at least one; for each kind its table is set below */
  uint32_t flags; /**< MSDK_CLASS_* */
  uint32_t reserved0;  /**< 0 */
  const char *id;      /**< reverse DNS, [a-z0-9._-], at most 127 bytes, unique in an engine: "org.example.testpattern" */
  const char *name;    /**< for people; NULL: none */
  const char *summary; /**< one line for people; NULL: none */
  const msdk_param *params; /**< NULL: none */
  const msdk_command *commands; /**< NULL: none */
  uint32_t param_count, command_count; /**< up to 256 each */

  /** The module's own: create gets it with its class. A program's own class reaches the program's objects through it, without globals. */
  void *user;

  /** [control] Rule P1. The class is the one that the module listed. The host and its context live until destroy returns. */
  msdk_result (*create)(const struct msdk_class *, const msdk_host *, msdk_host_context *, msdk_self **out);
  void (*destroy)(msdk_self *);                                                   /**< [control] in CREATED */
  /** [control] After checks of type, range and choices. NULL: no parameter can be set. */
  msdk_result (*set_param)(msdk_self *, const char *name, const msdk_value *);
  /** [control] Texts stay the plugin's, valid until the next call. NULL: the host returns the value that was set last. */
  msdk_result (*get_param)(msdk_self *, const char *name, msdk_value *out);

  const msdk_video_producer *video_producer;
  const msdk_audio_producer *audio_producer;
  const msdk_video_renderer *video_renderer;
  const msdk_audio_renderer *audio_renderer;
  const void *(*get_extension)(msdk_self *, const char *id); /**< [any] "vendor.noun/1"; NULL for an unknown id; may itself be NULL */

  /** [control] Lists the values that a string parameter with MSDK_PARAM_DYNAMIC_CHOICES accepts at the moment, one by one from index
   * 0, in any state. At index 0 the plugin looks for them again. Texts have up to 1,024 bytes; they stay the plugin's, valid until
   * the next call. MSDK_E_NOT_FOUND ends the list; the host takes at most 1,024 values. Any other error means that the values
   * cannot be listed now; the program gets it. */
  msdk_result (*param_choice)(msdk_self *, const char *name, uint32_t index, msdk_choice *out);
  const msdk_video_filter *video_filter;
  const msdk_audio_filter *audio_filter;
  const msdk_video_encoder *video_encoder;
  const msdk_video_decoder *video_decoder;
  const msdk_audio_encoder *audio_encoder;
  const msdk_audio_decoder *audio_decoder;
} msdk_class;

typedef struct msdk_module {
  uint32_t struct_size;
  uint32_t abi_minor;      /**< MSDK_ABI_MINOR of the header that it was built with */
  uint32_t min_host_minor; /**< the oldest host that it works with */
  uint32_t class_count;    /**< 1..256 */
  const char *vendor, *version, *license, *url; /**< for people; NULL: none */
  const msdk_class *const *classes;
  msdk_result (*init)(const char *module_path);  /**< may be NULL; module_path is NULL for a registered module */
} msdk_module;

/** The one symbol that a plugin exports. It returns NULL if the plugin does not run on this host. */
typedef const msdk_module *(*msdk_plugin_entry_fn)(uint32_t host_abi_minor);
#define MSDK_DEFINE_ENTRY(module_pointer)                                       \
  MSDK_EXPORT const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor); \
  const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor) {            \
    (void)host_abi_minor;                                                       \
    return (module_pointer);                                                    \
  }

/* -------------------------------------------------------------------------------------- native commands, proved by the compiler */

#define MSDK_C_VOID void
#define MSDK_C_BOOL uint8_t
#define MSDK_C_I32 int32_t
#define MSDK_C_I64 int64_t
#define MSDK_C_U32 uint32_t
#define MSDK_C_U64 uint64_t
#define MSDK_C_F64 double
#define MSDK_C_STRING const char *
#define MSDK_C_BYTES const msdk_bytes *
#define MSDK_C_STATUS msdk_result
/** `fn` as a generic function pointer; does not compile unless fn has type T. */
#if defined(__cplusplus)
#define MSDK_FN_AS(T, fn) (reinterpret_cast<void (*)(void)>(static_cast<T>(fn)))
#else
#define MSDK_FN_AS(T, fn) _Generic((fn), T: (void (*)(void))(fn))
#endif
#define MSDK_COMMAND0(name, fn, R, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 0, {{0, 0, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *), fn), 0 }
#define MSDK_COMMAND1(name, fn, R, A1, n1, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 1, {{n1, MSDK_T_##A1, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1), \
    fn), 0 }
#define MSDK_COMMAND2(name, fn, R, A1, n1, A2, n2, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 2, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}}, 0, MSDK_FN_AS(MSDK_C_##R \
    (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2), fn), 0 }
#define MSDK_COMMAND3(name, fn, R, A1, n1, A2, n2, A3, n3, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 3, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}}, 0, \
    MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3), fn), 0 }
#define MSDK_COMMAND4(name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 4, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3, MSDK_C_##A4), fn), 0 }
#define MSDK_COMMAND5(name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, A5, n5, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 5, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}, {n5, MSDK_T_##A5, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3, \
    MSDK_C_##A4, MSDK_C_##A5), fn), 0 }
#define MSDK_COMMAND6(name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, A5, n5, A6, n6, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 6, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}, {n5, MSDK_T_##A5, 0}, {n6, MSDK_T_##A6, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, \
    MSDK_C_##A2, MSDK_C_##A3, MSDK_C_##A4, MSDK_C_##A5, MSDK_C_##A6), fn), 0 }
#define MSDK_COMMAND7(name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, A5, n5, A6, n6, A7, n7, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 7, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}, {n5, MSDK_T_##A5, 0}, {n6, MSDK_T_##A6, 0}, {n7, MSDK_T_##A7, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, \
    MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3, MSDK_C_##A4, MSDK_C_##A5, MSDK_C_##A6, MSDK_C_##A7), fn), 0 }
#define MSDK_COMMAND8(name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, A5, n5, A6, n6, A7, n7, A8, n8, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 8, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}, {n5, MSDK_T_##A5, 0}, {n6, MSDK_T_##A6, 0}, {n7, MSDK_T_##A7, 0}, {n8, MSDK_T_##A8, 0}}, 0, \
    MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3, MSDK_C_##A4, MSDK_C_##A5, MSDK_C_##A6, MSDK_C_##A7, \
    MSDK_C_##A8), fn), 0 }
/** The same with MSDK_COMMAND_* flags and the limits of the arguments: NULL, or one msdk_arg_limits for each. */
#define MSDK_COMMAND0_WITH(flags, limits, name, fn, R, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 0, {{0, 0, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *), fn), limits }
#define MSDK_COMMAND1_WITH(flags, limits, name, fn, R, A1, n1, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 1, {{n1, MSDK_T_##A1, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, \
    MSDK_C_##A1), fn), limits }
#define MSDK_COMMAND2_WITH(flags, limits, name, fn, R, A1, n1, A2, n2, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 2, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}}, 0, MSDK_FN_AS(MSDK_C_##R \
    (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2), fn), limits }
#define MSDK_COMMAND3_WITH(flags, limits, name, fn, R, A1, n1, A2, n2, A3, n3, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 3, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}}, 0, \
    MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3), fn), limits }
#define MSDK_COMMAND4_WITH(flags, limits, name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 4, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3, MSDK_C_##A4), fn), limits }
#define MSDK_COMMAND5_WITH(flags, limits, name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, A5, n5, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 5, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}, {n5, MSDK_T_##A5, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3, \
    MSDK_C_##A4, MSDK_C_##A5), fn), limits }
#define MSDK_COMMAND6_WITH(flags, limits, name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, A5, n5, A6, n6, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 6, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}, {n5, MSDK_T_##A5, 0}, {n6, MSDK_T_##A6, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, \
    MSDK_C_##A2, MSDK_C_##A3, MSDK_C_##A4, MSDK_C_##A5, MSDK_C_##A6), fn), limits }
#define MSDK_COMMAND7_WITH(flags, limits, name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, A5, n5, A6, n6, A7, n7, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 7, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}, {n5, MSDK_T_##A5, 0}, {n6, MSDK_T_##A6, 0}, {n7, MSDK_T_##A7, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, \
    MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3, MSDK_C_##A4, MSDK_C_##A5, MSDK_C_##A6, MSDK_C_##A7), fn), limits }
#define MSDK_COMMAND8_WITH(flags, limits, name, fn, R, A1, n1, A2, n2, A3, n3, A4, n4, A5, n5, A6, n6, A7, n7, A8, n8, doc) \
  { sizeof(msdk_command), flags, name, doc, MSDK_T_##R, 8, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}, \
    {n4, MSDK_T_##A4, 0}, {n5, MSDK_T_##A5, 0}, {n6, MSDK_T_##A6, 0}, {n7, MSDK_T_##A7, 0}, {n8, MSDK_T_##A8, 0}}, 0, \
    MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3, MSDK_C_##A4, MSDK_C_##A5, MSDK_C_##A6, MSDK_C_##A7, \
    MSDK_C_##A8), fn), limits }

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_PLUGIN_H */
