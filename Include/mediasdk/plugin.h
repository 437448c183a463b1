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
enum { MSDK_ABI_MAJOR = 1, MSDK_ABI_MINOR = 2 }; /* 1.1: sound; 1.2: renderers of several streams at once */
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
  MSDK_PLUGIN_EVENT_PARAM_CHANGED = 4,  /* detail: the parameter's name */
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
   *   acquire        memory from the instance's pool (8 frames). MSDK_E_AGAIN when all are in use after timeout_ms: drop, do not wait more
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
   * pool of 16, or MSDK_E_AGAIN. Hosts of minor 0 answer MSDK_E_UNSUPPORTED to all that is sound. */
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
} msdk_host;

/* ------------------------------------------------------------------------------------------------- parameters and commands */

enum {
  MSDK_PARAM_LIVE = 1,     /* may be set while STARTED */
  MSDK_PARAM_READONLY = 2, /* for reading only */
  MSDK_PARAM_SECRET = 4,   /* never logged, never shown */
  MSDK_PARAM_REQUIRED = 8  /* must be set before init */
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

enum { MSDK_ARGS_MAX = 8 };
enum { MSDK_COMMAND_THREAD_SAFE = 1 /* [any] instead of [control] */, MSDK_COMMAND_CONST = 2 };

typedef struct msdk_arg { /* frozen */
  const char *name;
  msdk_type type;
  uint32_t flags; /* 0 */
} msdk_arg;

/* A function that programs call by name. Declared; this version lists commands and does not call them. Exactly one of `invoke` and
 * `native` is set:
 *   invoke  one signature for all; the arguments were checked against `args`
 *   native  an ordinary function R fn(msdk_self *, A1, ... An), written with MSDK_COMMANDn, which proves that the tags fit it.
 *           A returned STRING or BYTES stays the plugin's, valid until the next call on the instance. */
typedef struct msdk_command {
  uint32_t struct_size;
  uint32_t flags;
  const char *name; /* [a-z][a-z0-9_]* */
  const char *summary;
  msdk_type result;
  uint32_t arg_count;
  msdk_arg args[MSDK_ARGS_MAX];
  msdk_result (*invoke)(msdk_self *, const msdk_value *args, uint32_t arg_count, msdk_value *result);
  void (*native)(void);
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

/* ------------------------------------------------------------------------------------------------------------- descriptors */

enum {
  MSDK_KIND_VIDEO_PRODUCER = 1,
  MSDK_KIND_AUDIO_PRODUCER = 2,
  MSDK_KIND_VIDEO_RENDERER = 4,
  MSDK_KIND_AUDIO_RENDERER = 8
};
enum {
  MSDK_CLASS_SINGLETON = 1,        /* one instance at a time in an engine */
  MSDK_CLASS_NO_ISOLATION = 2,     /* cannot run in a process of its own */
  MSDK_CLASS_PREFERS_ISOLATION = 4 /* would rather */
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
/* `fn` as a generic function pointer; does not compile unless fn has type T. */
#if defined(__cplusplus)
#define MSDK_FN_AS(T, fn) (reinterpret_cast<void (*)(void)>(static_cast<T>(fn)))
#else
#define MSDK_FN_AS(T, fn) _Generic((fn), T: (void (*)(void))(fn))
#endif
#define MSDK_COMMAND0(name, fn, R, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 0, {{0, 0, 0}}, 0, MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *), fn) }
#define MSDK_COMMAND1(name, fn, R, A1, n1, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 1, {{n1, MSDK_T_##A1, 0}}, 0, \
    MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1), fn) }
#define MSDK_COMMAND2(name, fn, R, A1, n1, A2, n2, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 2, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}}, 0, \
    MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2), fn) }
#define MSDK_COMMAND3(name, fn, R, A1, n1, A2, n2, A3, n3, doc) \
  { sizeof(msdk_command), 0, name, doc, MSDK_T_##R, 3, {{n1, MSDK_T_##A1, 0}, {n2, MSDK_T_##A2, 0}, {n3, MSDK_T_##A3, 0}}, 0, \
    MSDK_FN_AS(MSDK_C_##R (*)(msdk_self *, MSDK_C_##A1, MSDK_C_##A2, MSDK_C_##A3), fn) }

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_PLUGIN_H */
