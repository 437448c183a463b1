/* mediasdk/plugin.h - the contract between MediaSDK and a class of producers or renderers
 *
 * A plugin is a shared object that exports one function, msdk_plugin_entry_v1, and links nothing of ours: what it needs from the SDK comes
 * as function pointers in msdk_host. The same tables serve a program's own classes, handed over with msdk_engine_register_module.
 *
 * From file to picture. The host calls the entry, which returns the module's table; the module lists its classes; create() makes an
 * instance of one; its parameters are set; then the core drives it through its states:
 *
 *        create        init          start
 *   (none) --> CREATED ----> READY -------> STARTED
 *      ^-------- | <-------- | <------------- |
 *        destroy    release        stop
 *
 * The core owns that machine: it never calls out of order, and takes every level down before destroy(). A failed init or start leaves the
 * instance where it was. Video renderers go from READY to STARTED without a call of their own.
 *
 * A module is loaded once in a process and never unloaded. init of the module is called once, before its first create; deinit is
 * declared and not called by this version: modules stay until the process ends. Several engines may use one at once, so its globals
 * need locks, or better, should not exist.
 *
 * Words in the comments
 *   [control]  calls for one instance never overlap; the thread may differ from call to call; there is no "main" thread
 *   [media]    never at the same time as [control] or another [media] call to the instance, the thread may differ; only what the own thread
 *              of a push producer, or of a renderer that pulls, does runs beside everything
 *   [any]      any thread, at any time between the entry of create() and the return of destroy()
 *   borrowed   valid until the call returns: copy it, or take a reference
 *
 * Rules that every plugin keeps
 *   P1  The entry is cheap and has no side effects. create() opens no device, starts no thread, and calls nothing but log and set_error.
 *   P2  When stop_capture returns, no thread of the plugin is, or will be, inside a host call that delivers frames; when stop_render
 *       returns, none in read_render_data.
 *   P3  A frame that was delivered, or was received, is read-only. Strides come from the frame, never from the width.
 *   P4  Every reference that was taken is given back. A renderer keeps no more than four frames of video (of several inputs four of each),
 *       eight of sound.
 *   P5  No C++ exception, longjmp or signal leaves the plugin.
 *   P6  A struct from the host is read with MSDK_HAS, and a host function is called after MSDK_CAN when it is newer than min_host_minor.
 *   P7  A pull producer never sleeps until its frame is due: the host paces. A renderer returns fast.
 */
#ifndef MEDIASDK_PLUGIN_H
#define MEDIASDK_PLUGIN_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The major version is part of the entry's name. A module loads when its min_host_minor <= the host's minor. */
enum { MSDK_ABI_MAJOR = 1, MSDK_ABI_MINOR = 3 }; /* 1.1: sound; 1.2: renderers of several streams at once; 1.3: commands are called, filters, codecs */
#define MSDK_ENTRY_SYMBOL "msdk_plugin_entry_v1"

typedef struct msdk_host_context msdk_host_context; /* the host's side of one instance; opaque to the plugin */
typedef struct msdk_self msdk_self;                 /* the plugin's side of one instance; opaque to the host */

/* -------------------------------------------------------------------------------------------------------------------- host */

enum { MSDK_LOG_DEBUG = 0, MSDK_LOG_INFO = 1, MSDK_LOG_WARN = 2, MSDK_LOG_ERROR = 3, MSDK_LOG_NONE = 4 };

enum { /* what post_event tells */
  MSDK_PLUGIN_EVENT_ERROR = 1,
  /* The producer's picture has another size now. On a screen share the host stops it, asks its capture_settings, agrees on that size
   * with set_format and starts it again, at most four times a second; until then MSDK_E_AGAIN, not a picture that does not fit, is the
   * answer to produce_frame, and the first picture afterwards is a whole one. On a virtual stream the program is told, and the size
   * agreed on stays: go on making it, scaled or framed. */
  MSDK_PLUGIN_EVENT_FORMAT_CHANGED = 2,
  MSDK_PLUGIN_EVENT_ENDED = 3,          /* nothing more will come */
  /* detail: the name of a parameter that the plugin changed by itself, for which it has get_param. What programs set, the host tells. A name
   * that the class does not have is a warning in the log, and no event. */
  MSDK_PLUGIN_EVENT_PARAM_CHANGED = 4,
  /* Since 1.3, the host's own, of an instance that runs in a process of its own (instance.h); plugins do not post them. */
  MSDK_PLUGIN_EVENT_DIED = 5,           /* its process ended: MSDK_E_PLUGIN_DIED, and the text says of what */
  MSDK_PLUGIN_EVENT_RESTARTED = 6,      /* it was started again, has its parameters, and is in the state in which it was */
  MSDK_PLUGIN_EVENT_SLOW = 7,           /* since 1.3, from the host: a filter takes more than half of the time from one frame to the next */
  MSDK_PLUGIN_EVENT_USER = 0x10000      /* from here on the plugin's own; passed to the program as they are */
};

typedef struct msdk_host {
  uint32_t struct_size;
  uint32_t abi_minor; /* the host's; for information, MSDK_CAN decides */
  const char *name, *version;

  /* Diagnostics. [any] Texts are copied. set_error gives the words for the error about to be returned. */
  void (*log)(msdk_host_context *, int32_t level, const char *text);
  void (*set_error)(msdk_host_context *, msdk_result, const char *text);
  void (*post_event)(msdk_host_context *, uint32_t event, msdk_result, const msdk_value *detail);

  /* Video frames. [any] A frame is born with one reference, the caller's.
   *   acquire        memory from the instance's pool (8 frames; of a class that filters video 96, as what filters give may wait to be
   *                  read). MSDK_E_AGAIN when all are in use after timeout_ms: drop, do not wait more
   *   wrap           memory of the plugin's own, no copy; see msdk_external_frame
   *   make_writable  takes the caller's reference to `in`; gives `in` back if that was the only one and it is from a pool, else a copy */
  msdk_result (*video_frame_acquire)(msdk_host_context *, const msdk_video_format *, uint32_t timeout_ms, msdk_video_frame **out);
  msdk_result (*video_frame_wrap)(msdk_host_context *, const msdk_external_frame *, msdk_video_frame **out);
  void (*video_frame_ref)(const msdk_video_frame *);
  void (*video_frame_unref)(const msdk_video_frame *);
  msdk_result (*video_frame_make_writable)(msdk_host_context *, msdk_video_frame *in, msdk_video_frame **out);

  /* Encoded frames. [any] */
  void (*encoded_frame_ref)(const msdk_encoded_frame *);
  void (*encoded_frame_unref)(const msdk_encoded_frame *);

  /* Audio frames. [any] As video frames; acquire gives a silent one of sample_count samples per channel (1..192,000) from the instance's
   * pool of 16 (of a class that filters sound 2,048), or MSDK_E_AGAIN. Hosts of minor 0 answer MSDK_E_UNSUPPORTED to all that is sound. */
  msdk_result (*audio_frame_acquire)(msdk_host_context *, const msdk_audio_format *, uint32_t sample_count, msdk_audio_frame **out);
  void (*audio_frame_ref)(const msdk_audio_frame *);
  void (*audio_frame_unref)(const msdk_audio_frame *);

  /* Delivery by a push producer. [media] Takes the caller's reference whatever it returns.
   *   MSDK_OK         taken
   *   MSDK_E_AGAIN    ahead of the agreed frame rate: this frame was dropped, wait for the next one's time
   *   MSDK_E_FORMAT   not of the format that set_format agreed on: dropped
   *   MSDK_E_CLOSED   capture is stopped or stopping: leave the capture loop */
  msdk_result (*consume_video_frame)(msdk_host_context *, msdk_video_frame *);
  /* The same for sound, which is taken in its order without a gap: MSDK_E_AGAIN means that the stream's queue (queue_ms) is full, and
   * that nothing of this buffer was taken. A timestamp_ns of 0 stands for "where the buffer before ended". MSDK_E_INVALID: a sample that is
   * not a number or infinite; MSDK_E_RANGE: a time not later than that before; MSDK_E_THREAD: another thread is delivering. */
  msdk_result (*consume_audio_frame)(msdk_host_context *, msdk_audio_frame *);
  /* For an audio renderer that pulls, on a thread of its own: fills sample_count samples per channel in the format that render_settings
   * gave, what there is and the rest with silence; returns how many were there, below 0 when rendering has stopped. A renderer that is
   * detached has not stopped: there is nothing but silence then. Never waits. [media] */
  int32_t (*read_render_data)(msdk_host_context *, void *destination, uint32_t sample_count);

  int64_t (*now_ns)(msdk_host_context *); /* the engine's clock [any] */
  /* Services of later versions, "msdk.host.noun/1"; NULL for an unknown one; valid until destroy() returns. [any] */
  const void *(*get_extension)(msdk_host_context *, const char *id);

  /* Since 1.3. [any] As video_frame_make_writable, for sound; and an encoded frame, for an instance of an encoder: data and the other members
   * are copied. It is born with one reference, the caller's. MSDK_E_NOMEM: 256 of this instance's pictures, or 8,192 of its packets, are in use;
   * MSDK_E_INVALID: no data, or more than 16 MiB; MSDK_E_UNSUPPORTED: the class is no encoder. */
  msdk_result (*audio_frame_make_writable)(msdk_host_context *, msdk_audio_frame *in, msdk_audio_frame **out);
  msdk_result (*encoded_frame_create)(msdk_host_context *, const msdk_encoded_frame *attributes, msdk_encoded_frame **out);
} msdk_host;

/* ------------------------------------------------------------------------------------------------- parameters and commands */

enum {
  MSDK_PARAM_LIVE = 1,     /* may be set while STARTED */
  MSDK_PARAM_READONLY = 2, /* for reading only */
  /* Never logged, never shown, for writing only: the host takes what was set, and the default, out of the plugin's log, error texts and
   * events where they stand in them as they are. Nothing finds what the plugin encodes, splits or writes elsewhere itself. */
  MSDK_PARAM_SECRET = 4,
  MSDK_PARAM_REQUIRED = 8, /* must be set before init; not together with READONLY */
  /* Since 1.3: a string without `choices`, of which param_choice tells what is accepted now, cameras say. It is asked whenever the parameter
   * is set. A default that programs may set, too, stands in the list. */
  MSDK_PARAM_DYNAMIC_CHOICES = 16
};

typedef struct msdk_param {
  uint32_t struct_size;
  uint32_t flags;
  const char *name;    /* [a-z][a-z0-9_]*, at most 63 bytes, the same for ever */
  const char *summary; /* a line for people; NULL is none */
  msdk_value def;      /* the default; its type is the parameter's type */
  double min, max;     /* of numbers, both included; min == max: no bounds */
  const char *const *choices; /* of a string: NULL, or a NULL-terminated list of all that is accepted */
} msdk_param;

/* One of the values that a string parameter accepts, and what people call it; label NULL: the value itself. */
typedef struct msdk_choice {
  uint32_t struct_size;
  uint32_t reserved0; /* 0 */
  const char *value, *label;
} msdk_choice;

enum { MSDK_ARGS_MAX = 8 };
enum { MSDK_COMMAND_THREAD_SAFE = 1 /* [any] instead of [control] */, MSDK_COMMAND_CONST = 2 };

typedef struct msdk_arg { /* frozen */
  const char *name;
  msdk_type type;
  uint32_t flags; /* 0 */
} msdk_arg;

/* What an argument accepts beyond its type, for people and for the check that comes before every call. */
typedef struct msdk_arg_limits { /* since 1.3 */
  uint32_t struct_size;
  uint32_t flags;      /* 0 */
  const char *summary; /* a line for people; NULL is none */
  double min, max;     /* of numbers, both included; min == max: no bounds */
  const char *const *choices; /* of a string: NULL, or a NULL-terminated list of all that is accepted */
  const msdk_value *def;      /* for a call that leaves the argument out; NULL: it must be given. All after one with a default have one */
} msdk_arg_limits;

/* A function that programs call by name (msdk_instance_call). Number, types, ranges and choices of the arguments, NULL, numbers that are
 * not finite and malformed UTF-8 are checked before the plugin is called, and arguments that were left out are filled in: `invoke` and
 * `native` always get arg_count values of the types declared. Texts and bytes among them are borrowed; there are up to 65,536 bytes of
 * text and 16 MiB of bytes. Exactly one of the two is set:
 *   invoke  one signature for all. It sets *result, which comes zeroed, of the type declared; a negative return is the program's error, in
 *           the words of set_error
 *   native  an ordinary function R fn(msdk_self *, A1, ... An), written with MSDK_COMMANDn, which proves that the tags fit it. Where R is
 *           STATUS, a negative result is the program's error
 * A returned STRING or BYTES stays the plugin's, valid until the next call on the instance; of a thread-safe command, until that thread's
 * next. NULL is an error: what set_error said, or MSDK_E_FAIL. A result that is not of the type declared, no UTF-8, a BOOL but 0 and 1, or
 * longer than arguments may be, is never passed on: the program gets MSDK_E_FAIL.
 * Commands are called in any state [control], one at a time; with MSDK_COMMAND_THREAD_SAFE also beside everything else [any], and then
 * set_error gives the words only when it is called on the command's own thread. A command with MSDK_COMMAND_CONST says that it changes
 * nothing: for people. */
typedef struct msdk_command {
  uint32_t struct_size;
  uint32_t flags;
  const char *name;    /* [a-z][a-z0-9_]*, at most 63 bytes, once in the class; so are the names of arguments, once in the command */
  const char *summary; /* a line for people; NULL is none */
  msdk_type result;    /* MSDK_T_VOID: none; MSDK_T_STATUS with `native` only */
  uint32_t arg_count;  /* up to MSDK_ARGS_MAX */
  msdk_arg args[MSDK_ARGS_MAX];
  msdk_result (*invoke)(msdk_self *, const msdk_value *args, uint32_t arg_count, msdk_value *result);
  void (*native)(void);
  const msdk_arg_limits *limits; /* since 1.3: NULL, or arg_count of them */
} msdk_command;

/* ------------------------------------------------------------------------------------------------------------------ tables */

enum {
  MSDK_PRODUCER_PULL = 1, /* the host paces and calls produce_frame; without it the plugin delivers with consume_video_frame */
  MSDK_PRODUCER_LIVE = 2  /* frames are of the moment: a late one is worth nothing */
};

typedef struct msdk_video_producer {
  uint32_t struct_size;
  uint32_t flags; /* MSDK_PRODUCER_* */
  msdk_result (*init_capture)(msdk_self *);    /* [control] CREATED to READY: opens the device or file */
  msdk_result (*release_capture)(msdk_self *); /* [control] READY to CREATED */
  msdk_result (*start_capture)(msdk_self *);   /* [control] READY to STARTED; may return before the first frame */
  msdk_result (*stop_capture)(msdk_self *);    /* [control] STARTED to READY, synchronous: rule P2 */
  int32_t (*is_capture_started)(const msdk_self *);                            /* [any] 0 or 1; NULL: the host answers */
  /* [control] READY, STARTED: the current or preferred format */
  msdk_result (*capture_settings)(msdk_self *, msdk_video_format *out);
  msdk_result (*enum_formats)(msdk_self *, uint32_t index, msdk_video_format *out); /* [control] READY; MSDK_E_NOT_FOUND ends the list */
  /* [control] READY only; MSDK_E_FORMAT when it cannot make it: on a screen share the host then asks capture_settings, and converts */
  msdk_result (*set_format)(msdk_self *, const msdk_video_format *);
  /* [media] Of a pull producer: one frame, whose reference goes to the host. due_ns: when it will be sent. MSDK_E_AGAIN: nothing this
   * time, or unchanged; MSDK_E_CLOSED: no more, ever; the last frame may instead carry MSDK_FRAME_END. Another error ends the stream with
   * an event. A timestamp_ns of 0 is filled in by the host with due_ns. */
  msdk_result (*produce_frame)(msdk_self *, int64_t due_ns, msdk_video_frame **out);
} msdk_video_producer;

/* Sound. set_format is called with the stream's format; a producer that cannot make it answers MSDK_E_FORMAT, is asked for its
 * capture_settings, is given those, and the host converts. Buffers may be of any length: the host cuts them to the stream's. */
typedef struct msdk_audio_producer {
  uint32_t struct_size;
  uint32_t flags; /* MSDK_PRODUCER_* */
  msdk_result (*init_capture)(msdk_self *);    /* [control] CREATED to READY: opens the device or file */
  msdk_result (*release_capture)(msdk_self *); /* [control] READY to CREATED */
  msdk_result (*start_capture)(msdk_self *);   /* [control] READY to STARTED; may return before the first buffer */
  msdk_result (*stop_capture)(msdk_self *);    /* [control] STARTED to READY, synchronous: rule P2 */
  int32_t (*is_capture_started)(const msdk_self *);                      /* [any] 0 or 1; NULL: the host answers */
  msdk_result (*capture_settings)(msdk_self *, msdk_audio_format *out);  /* [control] READY, STARTED: the current or preferred format */
  msdk_result (*set_format)(msdk_self *, const msdk_audio_format *);     /* [control] READY only; MSDK_E_FORMAT when it cannot make it */
  /* [media] Of a pull producer: the next buffer, whose reference goes to the host. due_ns: when its first sample is due. MSDK_E_AGAIN:
   * nothing for 10 ms, after which it is asked again; MSDK_E_CLOSED: no more, ever; the last buffer may instead carry MSDK_FRAME_END.
   * Another error ends the producer with an event. A timestamp_ns of 0 is filled in by the host with due_ns. The next buffer is asked for
   * when this one is over. */
  msdk_result (*produce_frame)(msdk_self *, int64_t due_ns, msdk_audio_frame **out);
} msdk_audio_producer;

/* One of the streams that a renderer shows at once, and whose it is: a participant of a call, or the screen that one shares. Texts are
 * borrowed, UTF-8 of 1 to 255 bytes. */
typedef struct msdk_input {
  uint32_t struct_size;
  uint32_t kind; /* MSDK_VIDEO_*: a participant's picture (virtual), or a screen share, which is an input of its own */
  const char *user_id, *display_name;
  uint32_t is_local;  /* 1: the program's own */
  uint32_t has_video; /* 1: pictures are sent, though none may have come yet; 0: whatever was shown is over */
  uint32_t is_speaking; /* 1: an active speaker */
  uint32_t is_muted;    /* 1: sends sound, all of which is muted */
} msdk_input;

typedef struct msdk_video_renderer {
  uint32_t struct_size;
  uint32_t flags;        /* 0 */
  uint32_t memory_kinds; /* MSDK_MEMORY_* it can take; 0 is read as MSDK_MEMORY_CPU */
  uint32_t reserved0;    /* 0 */
  msdk_result (*init_render)(msdk_self *);    /* [control] CREATED to READY: opens the window or file */
  msdk_result (*release_render)(msdk_self *); /* [control] READY to CREATED: what was written is complete when it returns */
  /* [control] Is asked before the first frame and at every change of format or size. 0: the host looks for a pixel format that is accepted,
   * in the order NV12, I420, BGRA, RGBA, then the others, and converts. NULL: everything is accepted. */
  int32_t (*accepts_format)(msdk_self *, const msdk_video_format *);
  /* [media] Borrowed; video_frame_ref to keep it (rule P4). No function of the SDK's program side may be called from here. */
  msdk_result (*render_video_frame)(msdk_self *, const msdk_video_frame *);
  msdk_result (*flush)(msdk_self *); /* [media] drop kept frames; NULL: keeps none */
  /* [control] Optional, both or neither: what would be on screen now. snapshot fills a writable frame of the format that snapshot_format
   * gave; MSDK_E_AGAIN while there is no picture. */
  msdk_result (*snapshot_format)(msdk_self *, msdk_video_format *out);
  msdk_result (*snapshot)(msdk_self *, msdk_video_frame *into);
  /* A renderer that takes encoded frames, a recorder say. accepts_codec [control]: 1 to be given frames of that codec as they arrive,
   * undecoded, in place of pictures. render_encoded_frame [media]: borrowed; the first one after the start or a loss is a key frame, which
   * the host asks for; the renderer itself cannot ask for another. Both or neither. */
  int32_t (*accepts_codec)(msdk_self *, uint32_t codec);
  msdk_result (*render_encoded_frame)(msdk_self *, const msdk_encoded_frame *);
  /* Since ABI 1.2: a renderer of several streams at once, for msdk_session_attach_renderer. All three or none; render_video_frame is still
   * there, for when it is attached to one stream.
   *   update_input        an input is new, or something that is told of it has changed
   *   remove_input        it is gone: give its frames back
   *   render_input_frame  a picture of it, as in render_video_frame; accepts_format is asked for each input by itself
   * The numbers are the host's, from 1, and are not used again. An input is known before its first picture. release_render ends all inputs,
   * which are then not removed one by one. */
  msdk_result (*update_input)(msdk_self *, uint32_t input, const msdk_input *); /* [media] borrowed */
  msdk_result (*remove_input)(msdk_self *, uint32_t input);                     /* [media] */
  msdk_result (*render_input_frame)(msdk_self *, uint32_t input, const msdk_video_frame *); /* [media] */
} msdk_video_renderer;

/* Sound. The host converts to the format that render_settings gives: rate, channels and sample format, and buffers of frames_per_buffer
 * samples if that is not 0. It starts the renderer with the first buffer, and stops it to be released, or to be asked and started anew when
 * other sound arrives (another rate, number of channels or sample format; packets). */
typedef struct msdk_audio_renderer {
  uint32_t struct_size;
  uint32_t flags;                             /* 0 */
  msdk_result (*init_render)(msdk_self *);    /* [control] CREATED to READY: opens the device or file */
  msdk_result (*release_render)(msdk_self *); /* [control] READY to CREATED: what was written is complete when it returns */
  msdk_result (*start_render)(msdk_self *);   /* [control] READY to STARTED, before the first buffer; NULL: nothing to do */
  /* [control] STARTED to READY, synchronous: no read_render_data any more; NULL: nothing to do */
  msdk_result (*stop_render)(msdk_self *);
  int32_t (*is_render_started)(const msdk_self *); /* [any] 0 or 1; NULL: the host answers */
  /* [control] READY: the format it takes. *out holds what will come: leave it to take that. NULL: whatever comes. */
  msdk_result (*render_settings)(msdk_self *, msdk_audio_format *out);
  /* [media] Borrowed; audio_frame_ref to keep it (rule P4). MSDK_E_AGAIN: busy, this buffer is left out; another error: it is detached,
   * with an event. NULL: the renderer pulls with read_render_data, from a queue of 200 ms in which the oldest makes room. */
  msdk_result (*render_audio_frame)(msdk_self *, const msdk_audio_frame *);
  int32_t (*render_delay_ms)(const msdk_self *); /* [any] what was rendered now is heard so much later; NULL: 0 */
  /* Since 1.1. A renderer that takes packets: accepts_codec [control] 1 to be given packets of that codec as they arrive, in place of
   * samples. render_encoded_frame [media]: borrowed. Both or neither. */
  int32_t (*accepts_codec)(msdk_self *, uint32_t codec);
  msdk_result (*render_encoded_frame)(msdk_self *, const msdk_encoded_frame *);
} msdk_audio_renderer;

/* Since 1.3: a class that stands in a stream and changes what passes: msdk_outgoing_video_add_filter and its twins. Up to 8 stand behind each
 * other, in the order in which they were added. The first frame makes READY to STARTED. */
typedef struct msdk_video_filter {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  msdk_result (*init_filter)(msdk_self *);    /* [control] CREATED to READY */
  msdk_result (*release_filter)(msdk_self *); /* [control] READY, STARTED to CREATED */
  /* [control] READY, STARTED: before the first frame and at every change. *out holds `in`; a filter that changes size or pixel format says so
   * there. MSDK_E_FORMAT when it does not take `in`: the host offers the same picture in the order NV12, I420, BGRA, RGBA, then the others,
   * and converts before the filter. On an outgoing stream the size must stay, and the host converts back to the stream's pixel format behind
   * the last filter; on an incoming one what the last filter gives is what came. Another error is as one of filter_video_frame. NULL: takes
   * all, changes none. */
  msdk_result (*set_format)(msdk_self *, const msdk_video_format *in, msdk_video_format *out);
  /* [media] Takes a reference to `in` whatever it returns, and gives one at *out:
   *   `in` itself    left as it was; or changed in place, if it carries MSDK_FRAME_WRITABLE
   *   another frame  of the format agreed on, never given before: from video_frame_make_writable (which gives `in` back where it may be
   *                  changed, and a copy where not), video_frame_acquire or video_frame_wrap. Time, sequence, orientation and the flags
   *                  _DISCONTINUITY and _CORRUPT are the host's to fill in
   * MSDK_E_AGAIN: this frame is left out. Another error, and a success that breaks one of these rules, takes the filter out of the stream
   * with an event (MSDK_PLUGIN_EVENT_ERROR), and the frame passes as it is. What it keeps of earlier frames counts as a renderer's do (P4). */
  msdk_result (*filter_video_frame)(msdk_self *, msdk_video_frame *in, msdk_video_frame **out);
  msdk_result (*flush)(msdk_self *); /* [media] forget what was before: there was a gap; NULL: keeps nothing */
} msdk_video_filter;

typedef struct msdk_audio_filter {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  msdk_result (*init_filter)(msdk_self *);    /* [control] CREATED to READY */
  msdk_result (*release_filter)(msdk_self *); /* [control] READY, STARTED to CREATED */
  /* [control] As above; rate and channels stay, and MSDK_E_FORMAT makes the host offer the other sample format, and convert before and
   * behind the filter. Buffers are of any length: frames_per_buffer is 0. */
  msdk_result (*set_format)(msdk_self *, const msdk_audio_format *in);
  /* [media] As above, with audio_frame_make_writable, _acquire and no _wrap; *out is of the same format and has as many samples as `in`, all
   * of them finite. The host fills in time, sequence, level and flags. When the filter fails, the buffer passes as it was before the call. */
  msdk_result (*filter_audio_frame)(msdk_self *, msdk_audio_frame *in, msdk_audio_frame **out);
  uint32_t (*delay_ns)(const msdk_self *); /* [any] what comes out is so much older than what goes in; NULL: 0 */
  msdk_result (*flush)(msdk_self *);       /* [media] as above */
} msdk_audio_filter;

/* Since 1.3: codecs. An engine finds them by their fourcc among its classes, in the order in which they came: the first that encodes a codec
 * encodes it, the first that decodes it decodes it. VP8 and Opus, which are the SDK's own, stand behind these same tables (org.mediasdk.vp8 and
 * org.mediasdk.opus) and are looked at first, so that no plugin takes their place. A stream has the codecs that its engine knew when the stream was
 * made, a received one those of when it was announced.
 *
 * One instance encodes, or decodes, one start of one stream, in the program's process or isolated (instance.h). The host makes it, with the
 * parameters' defaults and what msdk_engine_set_codec_param set, closes and destroys it; one that a program makes has nothing to do. [control]
 * and [media] hold as for renderers. What it posts comes to the stream's session. An isolated one whose process was started again is opened
 * anew, an encoder with the rate that it was told last, and is asked for, or given, a key frame first.
 *
 * What goes wrong is the stream's: an error of encode makes that frame's report MSDK_SEND_FAILED, and the next frame a key frame; one of
 * open_encoder fails the stream, with the words of set_error in its event; one of decode counts as a corrupt frame, and the host waits for a
 * key frame, which it asks for. A success without a frame, a frame that is not alive, and a picture that is larger than was allowed
 * are such errors. */
typedef struct msdk_video_encoder_settings {
  uint32_t struct_size;
  uint32_t width, height;
  uint32_t fps_num, fps_den;   /* expected, for the budget of the first frames */
  uint32_t threads;            /* 1..8 */
  uint32_t preset;             /* MSDK_PRESET_* of outgoing_video.h */
  uint32_t kind;               /* MSDK_VIDEO_*: text is to be sharp on a screen share, and what stands still is to cost nothing */
  uint64_t target_bitrate;     /* bits per second */
  uint32_t key_frame_interval; /* frames from one key frame to the next at the latest */
  uint32_t drop_threshold;     /* frames are left out when the rate control's buffer holds less than this per cent of its aim; 0: never */
} msdk_video_encoder_settings;

enum { MSDK_ENCODE_KEY = 1 /* make a key frame */ };

typedef struct msdk_video_encoder {
  uint32_t struct_size;
  uint32_t flags;         /* 0 */
  uint32_t codec;         /* fourcc, MSDK_CODEC_* or another */
  uint32_t dimension_max; /* the largest width and height; 0: MSDK_DIMENSION_MAX */
  const uint32_t *pixel_formats; /* what it takes, the best first; ends with 0 */
  msdk_result (*open_encoder)(msdk_self *, const msdk_video_encoder_settings *);             /* [control] CREATED to READY */
  msdk_result (*close_encoder)(msdk_self *);                                                 /* [control] READY to CREATED */
  msdk_result (*set_rate)(msdk_self *, uint64_t target_bitrate, uint32_t fps_num, uint32_t fps_den); /* [media] from the next frame on */
  /* [media] Borrowed, of the size that open_encoder got and one of pixel_formats; its timestamp_ns need not be even. flags: MSDK_ENCODE_*, KEY
   * for the first frame too. Gives a reference to a frame made with encoded_frame_create, of which the encoder sets data and flags
   * (MSDK_ENCODED_KEY, _DROPPABLE, and on a screen share _COARSE: then the host has the same picture encoded again, until text is sharp);
   * the host fills in codec, size, times, sequence, orientation and colour. MSDK_E_AGAIN: left out by the rate control, which a key frame
   * that was asked for must not be. */
  msdk_result (*encode)(msdk_self *, const msdk_video_frame *, uint32_t flags, msdk_encoded_frame **out);
} msdk_video_encoder;

typedef struct msdk_video_decoder_settings {
  uint32_t struct_size;
  uint32_t threads;        /* 1..8 */
  uint64_t pixels_max;     /* of a picture: data that asks for more is MSDK_E_CORRUPT */
} msdk_video_decoder_settings;

typedef struct msdk_encoded_header { /* what the first bytes of an encoded picture tell */
  uint32_t struct_size;
  uint32_t flags;         /* MSDK_ENCODED_KEY */
  uint32_t width, height; /* 0 where only key frames tell */
  uint32_t is_shown;
  uint32_t reserved0; /* 0 */
} msdk_encoded_header;

typedef struct msdk_video_decoder {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  uint32_t codec;
  uint32_t reserved0; /* 0 */
  msdk_result (*open_decoder)(msdk_self *, const msdk_video_decoder_settings *); /* [control] CREATED to READY */
  msdk_result (*close_decoder)(msdk_self *);                                     /* [control] READY to CREATED */
  /* [media] Borrowed. Gives a reference to a picture made with video_frame_acquire or _wrap; NULL for data that shows none. MSDK_E_CORRUPT:
   * damaged, the host waits for a key frame; MSDK_E_STATE: it needs a key frame first. Of any size and pixel format: the host converts or
   * copies the picture into what the receiver wants, and is done with it before the next call to the instance, so that wrapped memory of the
   * decoder's own need not outlive that. The host fills in times, sequence, orientation, and colour where the picture's format says
   * MSDK_COLOR_UNSPECIFIED. */
  msdk_result (*decode)(msdk_self *, const msdk_encoded_frame *, msdk_video_frame **out);
  /* [any] without an instance: of `size` bytes at `data`, which may be anything. MSDK_E_CORRUPT when they begin no frame. */
  msdk_result (*parse_header)(const void *data, uint64_t size, msdk_encoded_header *out);
} msdk_video_decoder;

typedef struct msdk_audio_encoder_settings {
  uint32_t struct_size;
  uint32_t sample_rate, channels;
  uint32_t application;   /* MSDK_OPUS_* of outgoing_audio.h */
  uint32_t bitrate;       /* bits per second */
  uint32_t complexity;    /* 0..10: time for quality */
  uint32_t fec;           /* 1: a packet carries the one before it again, smaller, when losses are expected */
  uint32_t expected_loss; /* per cent of packets */
  uint32_t dtx;           /* 1: silence is left out */
  uint32_t reserved0;     /* 0 */
} msdk_audio_encoder_settings;

typedef struct msdk_audio_encoder {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  uint32_t codec;
  uint32_t sample_rates_count;
  const uint32_t *sample_rates; /* what it takes, multiples of 400: a stream of another rate is resampled to the highest */
  msdk_result (*open_encoder)(msdk_self *, const msdk_audio_encoder_settings *); /* [control] CREATED to READY */
  msdk_result (*close_encoder)(msdk_self *);                                     /* [control] READY to CREATED */
  uint32_t (*lookahead)(const msdk_self *); /* [any] samples per channel by which the decoded sound is late; NULL: 0 */
  msdk_result (*set_rate)(msdk_self *, uint32_t bitrate, uint32_t expected_loss); /* [media] from the next packet on */
  /* [media] Interleaved f32, sample_count per channel: packets of 10, 20, 40 or 60 ms. Gives a reference to a packet of up to 61,440 bytes made
   * with encoded_frame_create; the host fills in all but the data. MSDK_E_AGAIN: left out, nothing is to be heard. */
  msdk_result (*encode)(msdk_self *, const float *samples, uint32_t sample_count, msdk_encoded_frame **out);
} msdk_audio_encoder;

typedef struct msdk_packet_header { /* what a packet of sound tells without being decoded */
  uint32_t struct_size;
  uint32_t sample_count; /* per channel at 48,000 Hz, 1..5,760 */
  uint32_t channels;     /* 1 or 2 */
  uint32_t has_redundancy; /* 1: it carries something of the packet before it */
} msdk_packet_header;

/* Makes interleaved f32 at 48,000 Hz, of the channels that open_decoder got, whatever the packets have. Counts are samples per channel, results
 * below 0 errors; `capacity` is what `into` holds, of conceal and recover sample_count. More than that, nothing at all from decode, and a sample
 * that is not a number are errors; what conceal or recover leave out of sample_count becomes silence. */
typedef struct msdk_audio_decoder {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  uint32_t codec;
  uint32_t reserved0; /* 0 */
  msdk_result (*open_decoder)(msdk_self *, uint32_t channels); /* [control] CREATED to READY */
  msdk_result (*close_decoder)(msdk_self *);                   /* [control] READY to CREATED */
  int32_t (*decode)(msdk_self *, const void *packet, uint64_t size, float *into, uint32_t capacity); /* [media] */
  int32_t (*conceal)(msdk_self *, uint32_t sample_count, float *into); /* [media] makes up what was lost: a multiple of 120, up to 5,760 */
  /* [media] The same from what the packet after the loss carries of it, before that is decoded; 0: it carries nothing of it. NULL: never. */
  int32_t (*recover)(msdk_self *, uint32_t sample_count, const void *next, uint64_t size, float *into);
  msdk_result (*parse_header)(const void *data, uint64_t size, msdk_packet_header *out); /* [any] without an instance */
} msdk_audio_decoder;

/* ------------------------------------------------------------------------------------------------------------- descriptors */

enum {
  MSDK_KIND_VIDEO_PRODUCER = 1,
  MSDK_KIND_AUDIO_PRODUCER = 2,
  MSDK_KIND_VIDEO_RENDERER = 4,
  MSDK_KIND_AUDIO_RENDERER = 8,
  /* Since 1.3 */
  MSDK_KIND_VIDEO_FILTER = 16,
  MSDK_KIND_AUDIO_FILTER = 32,
  MSDK_KIND_VIDEO_ENCODER = 64,
  MSDK_KIND_VIDEO_DECODER = 128,
  MSDK_KIND_AUDIO_ENCODER = 256,
  MSDK_KIND_AUDIO_DECODER = 512
};
enum {
  MSDK_CLASS_SINGLETON = 1,        /* one instance at a time in an engine */
  MSDK_CLASS_NO_ISOLATION = 2,     /* cannot run in a process of its own */
  MSDK_CLASS_PREFERS_ISOLATION = 4 /* would rather; a file of a directory is then not even loaded into the program to be listed */
};

typedef struct msdk_class { /* one creatable thing; constant, of static lifetime */
  uint32_t struct_size;
  uint32_t kinds; /* MSDK_KIND_* mask, at least one; the table of each is set below */
  uint32_t flags; /* MSDK_CLASS_* */
  uint32_t reserved0;
  const char *id;      /* reverse DNS, [a-z0-9._-], at most 127 bytes, unique in an engine: "org.example.testpattern" */
  const char *name;    /* for people */
  const char *summary; /* a line for people; NULL is none */
  const msdk_param *params; /* param_count of them, param_stride bytes apart */
  uint64_t param_count, param_stride;
  const msdk_command *commands; /* likewise */
  uint64_t command_count, command_stride;

  /* [control] rule P1; both pointers live until destroy returns */
  msdk_result (*create)(const msdk_host *, msdk_host_context *, msdk_self **out);
  void (*destroy)(msdk_self *);                                                   /* [control] in CREATED */
  msdk_result (*set_param)(msdk_self *, const char *name, const msdk_value *);       /* [control] type, range and choice were checked */
  /* [control] text stays the plugin's until the next call; NULL: the host remembers what was set */
  msdk_result (*get_param)(msdk_self *, const char *name, msdk_value *out);

  const msdk_video_producer *video_producer;
  const msdk_audio_producer *audio_producer;
  const msdk_video_renderer *video_renderer;
  const msdk_audio_renderer *audio_renderer;
  const void *(*get_extension)(msdk_self *, const char *id); /* [any] "vendor.noun/1"; NULL for an unknown one; may itself be NULL */

  /* Since 1.3 */
  /* [control] Of a string parameter with MSDK_PARAM_DYNAMIC_CHOICES: what is accepted now, one by one from index 0, in any state; index 0 is
   * the time to look anew. Texts of up to 1,024 bytes stay the plugin's until the next call. MSDK_E_NOT_FOUND ends the list, of which the
   * host takes 1,024; another error says that what there is cannot be told now, and is the program's. */
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
  uint32_t abi_minor;      /* MSDK_ABI_MINOR of the header it was built with */
  uint32_t min_host_minor; /* the oldest host it can live with */
  uint32_t reserved0;
  const char *vendor, *version, *license, *url; /* for people; NULL is none */
  const msdk_class *const *classes;              /* NULL-terminated; at least one */
  msdk_result (*init)(const char *module_path);  /* may be NULL; NULL path for a registered module */
  void (*deinit)(void);                          /* may be NULL; not called by this version */
} msdk_module;

/* The one symbol that a plugin exports. NULL: declines to run on this host. */
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
/* `fn` as a generic function pointer; does not compile unless fn has type T. */
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
/* The same with MSDK_COMMAND_* flags and the limits of the arguments: NULL, or one msdk_arg_limits for each. */
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
