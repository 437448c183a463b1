/** @file
 * mediasdk/instance.h - one created producer, renderer or filter
 *
 * An instance is made from a class (engine.h), gets its parameters, and is attached. A producer is attached to an outgoing stream, or
 * pulled. A renderer is attached to an incoming stream, to an outgoing one as a preview, to a whole session, or to another instance
 * that is both renderer and producer. A filter is added to a stream of either direction (msdk_outgoing_video_add_filter and the same
 * functions of other streams). The core then moves the instance through its states (plugin.h). When either side is destroyed, an
 * attached instance is stopped, released and detached. A renderer or filter that is only detached keeps its state, for example
 * STARTED, and may be attached again; msdk_instance_release releases it. An instance for both media, for example a recorder, is
 * attached once for each: to one video stream and to one audio stream.
 *
 * "Not in a callback of the same instance", in the brackets below: the function returns MSDK_E_THREAD if it is called inside a
 * function of the instance's own class, on the thread that runs it, because calls to one instance never overlap. plugin.h
 * ("Re-entrancy") lists all cases. All these functions wait while another thread keeps the instance busy, for up to 10 seconds:
 * MSDK_E_TIMEOUT. What stops a pull or detaches a producer, also by releasing or destroying it, waits until a function that makes a
 * frame or buffer has returned, however long that takes: a plugin that may hang belongs in a process of its own, where a hang ends at
 * its deadline.
 */
#ifndef MEDIASDK_INSTANCE_H
#define MEDIASDK_INSTANCE_H

#include "handles.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MSDK_INSTANCE_CREATED = 0x800, MSDK_INSTANCE_READY = 0x801, MSDK_INSTANCE_STARTED = 0x802 };

/** Where the plugin's code runs: by default in this process, or isolated in a process of its own. Each isolated instance has its own
 * process, msdk-plugin-host. engine.h says where it is looked for (MSDK_PLUGIN_HOST). An isolated plugin cannot take the
 * program down. A crash, abort, stack overflow, exit or corrupted memory ends only its process. A hang ends at its deadline. A leak of
 * memory or descriptors ends at its limits. What the process sends is checked. Its frames pass in shared memory without a copy; those
 * of a renderer are copied once, those of a filter before it and after it.
 *
 * When the process ends, MSDK_PLUGIN_EVENT_DIED reports MSDK_E_PLUGIN_DIED, the class id, the signal or exit code, what the process
 * was doing, and the end of what it wrote to its standard error. The stream goes on:
 *   - A producer delivers nothing meanwhile, so receivers keep the last frame.
 *   - Frames for a renderer are not shown. Frames for a filter pass unchanged.
 *   - Parameters that are set are remembered.
 *   - The process is restarted at once, then after 100 ms, 400 ms and so on up to 10 s. Once a process has run for 2 s, the delays
 *     start from the beginning. The new process gets the parameters, except one whose setting ended the process, and is moved to the former
 *     state. MSDK_PLUGIN_EVENT_RESTARTED reports it.
 *   - A call of the program or the core during which the process ends is repeated once. If the process ends again, the call returns
 *     MSDK_E_PLUGIN_DIED. A command is not repeated, because it may have had effects: that call returns MSDK_E_PLUGIN_DIED.
 *   - A filter that is not restarted any more (restarts_max) is removed from its stream like one that fails, with MSDK_E_CLOSED.
 *
 * Limits that hold with every kernel: no new privileges, at most 256 descriptors, no core files, a session of its own, nothing
 * inherited but the environment and its sockets; memory (address space) and processor time as set below. Processes that it started
 * end with it, and it ends with the program.
 *
 * Limits that hold if the kernel allows them. msdk_instance_get_isolation returns those of an instance:
 *   MSDK_CONTAINED_CALLS      seccomp, on x86-64 and arm64: the process can start threads but no processes. It is refused ptrace,
 *                             mount, chroot, setns, unshare, bpf, perf, keyctl, kernel modules, kexec, setting the clock and the
 *                             like
 *   MSDK_CONTAINED_USER       a user namespace: the process cannot read or write other processes' memory, environment or
 *                             descriptors in /proc. It has no capabilities; if it runs as root it keeps those over files
 *   MSDK_CONTAINED_PROCESSES  a process namespace: the process can signal only its own processes (also with kill(-1)), and getpid()
 *                             returns numbers of the namespace. All processes that it made end with it at once, without a race
 *   MSDK_CONTAINED_IPC        a namespace of System V memory, queues and semaphores, and of POSIX message queues. A frame for an X
 *                             server is then passed by a descriptor, or through the socket
 *   MSDK_CONTAINED_NETWORK    no network interfaces, not even the loopback, and no abstract sockets. Only with
 *                             MSDK_ISOLATED_NO_NETWORK, because cameras, screens and sound servers are reached through these.
 *                             Sockets in the file system remain
 *   MSDK_CONTAINED_FILES      Landlock: no file is opened for writing, made, removed, renamed or linked. In /dev the process can
 *                             still write to null, zero, full, random, urandom, tty, ptmx, pts/, snd/, dri/ and video0 to video63;
 *                             not to /dev/shm, disks, memory or input devices. Only with MSDK_ISOLATED_READ_ONLY. Modes, owners and
 *                             times can still be changed, and a device's ioctls still work
 *
 * The namespaces are available together or not at all; containers and some systems refuse them. The process then runs without them,
 * and a warning in the log gives the reason, once in a process. Limits that a flag asks for are never skipped: if they are not
 * available, or the instance would run in this process, the instance is not made (MSDK_E_UNSUPPORTED).
 *
 * What isolation does not prevent. The process reads every file that the program can read, and without MSDK_ISOLATED_READ_ONLY
 * writes them. Without MSDK_ISOLATED_NO_NETWORK it uses the network. It can talk to everything that has a socket in the file system
 * (the sound server, the display, the session's bus, which may do much on its behalf) and to devices. It sees which processes
 * exist. It can make the kernel's other calls. Where namespaces are refused, it can signal the user's other processes. Isolation
 * contains accidents. It is not a sandbox for malicious code.
 *
 * Commands are listed, checked and answered as usual, thread-safe ones beside all other calls. They have the control deadline: a
 * process that does not return from a command in time is ended. A call waits that long for a process that is being restarted;
 * MSDK_E_PLUGIN_DIED if it does not come back.
 *
 * Producers, renderers, filters and codecs of both media can be isolated. Classes that the program registered itself, and those
 * with MSDK_CLASS_NO_ISOLATION, cannot: MSDK_E_UNSUPPORTED. Streams make the instances of codecs. These are isolated as
 * MSDK_ISOLATION_DEFAULT describes, with the defaults of the options below; the SDK's own codecs never are. If the process of a
 * codec ends, the stream's session gets MSDK_EVENT_PLUGIN without an instance. A frame or packet that was in the process then, or
 * that comes before the restart, is lost: MSDK_OUTCOME_FAILED with MSDK_E_PLUGIN_DIED, or a corrupt frame. A restarted encoder gets
 * its last settings and makes a key frame first. For a restarted decoder the stream requests a key frame. Headers of encoded data
 * are parsed in the decoder's process. Where there is no decoder (msdk_encoded_frame_create), they are parsed in this process, or
 * in a process of their own if the code is not loaded in this one. */
enum {
  /** The default: isolated if MSDK_PLUGIN_ISOLATE names the class, or if the class prefers it (plugin.h); else not.
   * MSDK_PLUGIN_ISOLATE is a list of globs of class ids or file names, separated by commas. It is not read in a set-user-id
   * program, nor with ignore_environment. A class that it names and that cannot be isolated runs in this process, with a warning. */
  MSDK_ISOLATION_DEFAULT = 0,
  MSDK_ISOLATION_NONE = 1,    /**< in this process */
  MSDK_ISOLATION_PROCESS = 2  /**< in a process of its own; else MSDK_E_UNSUPPORTED, or MSDK_E_NOT_FOUND without msdk-plugin-host */
};
enum {
  MSDK_ISOLATED_MAY_FORK = 1,   /**< the plugin may start processes */
  MSDK_ISOLATED_NO_NETWORK = 2, /**< no network: a network namespace without interfaces */
  MSDK_ISOLATED_READ_ONLY = 4   /**< files can only be read: Landlock */
};

typedef struct msdk_instance_options {
  uint32_t struct_size;
  uint32_t isolation; /**< MSDK_ISOLATION_* */
  uint32_t flags;     /**< MSDK_ISOLATED_* */
  /** The members below apply to isolated instances only; 0 is the default. */
  uint32_t control_deadline_ms; /**< for a [control] call of plugin.h: 10..600,000; default 5,000 */
  uint32_t media_deadline_ms;   /**< for a [media] call: 10..600,000; default 1,000 */
  uint32_t memory_max_mb;       /**< address space in MiB: 256..1,048,576; default 2,048; UINT32_MAX: no limit */
  uint32_t cpu_max_s;           /**< seconds of processor time of one process: 1..86,400; default: no limit */
  uint32_t restarts_max;        /**< restarts in a row, each after less than 2 s of life; at the next end there is no other, but
                                   MSDK_PLUGIN_EVENT_ERROR: 1..1,000,000; default: no limit */
} msdk_instance_options;

/** Makes an instance. options NULL: the defaults. MSDK_E_NOT_FOUND: no such class; the error text lists the classes. MSDK_E_INVALID,
 * MSDK_E_RANGE, MSDK_E_UNSUPPORTED: options. MSDK_E_PLUGIN_DIED: its process ended in create or did not return in time, see the error
 * text. MSDK_E_THREAD: called inside the init of the class's module. Others: what the class's create returned. The caller destroys *out.
 * [any thread] [may wait for a process] */
MSDK_EXPORT msdk_result msdk_instance_create(msdk_engine *engine, const char *class_id, const msdk_instance_options *options,
                                             msdk_instance **out);

enum {
  MSDK_CONTAINED_CALLS = 1,
  MSDK_CONTAINED_USER = 2,
  MSDK_CONTAINED_PROCESSES = 4,
  MSDK_CONTAINED_IPC = 8,
  MSDK_CONTAINED_NETWORK = 16,
  MSDK_CONTAINED_FILES = 32
};

typedef struct msdk_instance_isolation {
  uint32_t struct_size;
  uint32_t is_isolated; /**< 1: the plugin's code runs in a process of its own */
  uint32_t containment; /**< mask of the MSDK_CONTAINED_* limits that hold for the process; later versions may add bits; 0: not isolated */
  uint32_t reserved0;   /**< 0 */
} msdk_instance_isolation;

/** Returns how the instance runs. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_get_isolation(msdk_instance *instance, msdk_instance_isolation *out);

/** Detaches the instance, takes it down level by level, and destroys it. In a callback of the same instance it is taken down and
 * destroyed after the callback has returned. [any thread] [may wait] */
MSDK_EXPORT void msdk_instance_destroy(msdk_instance *instance);

/** Sets a parameter. The name (MSDK_E_NOT_FOUND), the type (MSDK_E_TYPE; integers of other widths are accepted if the number fits),
 * the range and the choices (MSDK_E_RANGE; the error text lists them) are checked before the plugin is called. A text has up to 65,536
 * bytes, and bytes have up to 16 MiB. Dynamic choices are those of this moment: the plugin is asked, and if it cannot list them, the
 * call returns its error. MSDK_E_STATE: the parameter is not live and the instance is started. MSDK_E_PERMISSION: the parameter is
 * read-only. A success is reported as MSDK_PLUGIN_EVENT_PARAM_CHANGED. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_set_param(msdk_instance *instance, const char *name, const msdk_value *value);

/** The same from text, which is read as the parameter's type: "true" or "false", a decimal number, or the text itself. [any thread]
 * [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_set_param_text(msdk_instance *instance, const char *name, const char *text);

/** Returns a parameter. MSDK_E_NOT_FOUND: no such parameter. MSDK_E_PERMISSION: it is secret; it can be set, not read. Text and
 * bytes are copied to buffer (size bytes; may be NULL with 0), and *out points there. *needed, if not NULL, is set to the size, of
 * text with the NUL. MSDK_E_BUFFER_SMALL: it does not fit. If the class has no get_param, the function is allowed in every
 * callback. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_get_param(msdk_instance *instance, const char *name, msdk_value *out, void *buffer, uint64_t size,
                                                uint64_t *needed);

/** Returns the choices of a string parameter by index, with their names for people: those of the class or, with
 * MSDK_PARAM_DYNAMIC_CHOICES, those that the plugin finds. Index 0 asks the plugin; the other indexes return what it answered then.
 * value and label are copied to buffer (size bytes; may be NULL with 0), and *out points there; neither is NULL. *needed, if not
 * NULL, is set to the size of both with NULs. MSDK_E_BUFFER_SMALL: they do not fit. MSDK_E_UNSUPPORTED: the parameter has no
 * choices. MSDK_E_NOT_FOUND: no such parameter, or the index is past the end of the list. If the plugin cannot list its choices,
 * the call returns its error. A fixed list is available in every callback. [any thread] [may wait] [not in a callback of the same
 * instance] */
MSDK_EXPORT msdk_result msdk_instance_param_choice_at(msdk_instance *instance, const char *name, uint32_t index, msdk_choice *out,
                                                      void *buffer, uint64_t size, uint64_t *needed);

/* ---------------------------------------------------------------------------------------------------------------- commands */

/** Calls a command of the instance's class by name (msdk_engine_class_command_at lists them) with arg_count values at args, which
 * may be NULL with 0, and waits until it returns. These are checked before the plugin is called:
 *   MSDK_E_NOT_FOUND  no such command; the error text lists the commands
 *   MSDK_E_INVALID    too many arguments, or an omitted one that has no default (only the last ones can be omitted); args or a text
 *                     is NULL; a text is not UTF-8 or is longer than 65,536 bytes
 *   MSDK_E_TYPE       a value of another type; integers of other widths are accepted if the number fits, and integers for
 *                     MSDK_T_F64
 *   MSDK_E_RANGE      a number that does not fit, is out of bounds or not finite; a text that is none of the choices; a bool other
 *                     than 0 and 1; more than 16 MiB of bytes
 *
 * Then the call returns the plugin's own error and error text, or one of these:
 *   MSDK_E_FAIL         the plugin's result is not what the command declares
 *   MSDK_E_CLOSED       the instance was destroyed meanwhile
 *   MSDK_E_THREAD       called in a callback of the same instance; not for thread-safe commands
 *   MSDK_E_TIMEOUT      the instance was busy for 10 s; not for thread-safe commands
 *   MSDK_E_PLUGIN_DIED  the process of an isolated instance has ended, or ended during the call
 *
 * *result, which may be NULL, is set to what the command returned, MSDK_T_VOID for nothing. After an error it is unchanged. Text
 * (with NUL) and bytes in it are the SDK's. They are valid until this thread calls msdk_instance_call again, for any instance, or
 * ends; copy them to keep them longer. [any thread] [may wait] [not in a callback of the same instance, unless thread-safe] */
MSDK_EXPORT msdk_result msdk_instance_call(msdk_instance *instance, const char *name, const msdk_value *args, uint32_t arg_count,
                                           msdk_value *result);

/* ------------------------------------------------------------------------------------------------------------------ events */

/** An event of an instance, which may be attached or not. The events of an attached instance also go to its session, as
 * MSDK_EVENT_PLUGIN. No event contains the value of a secret parameter. */
typedef struct msdk_instance_event {
  uint32_t struct_size;
  uint32_t event;       /**< MSDK_PLUGIN_EVENT_* */
  msdk_result status;   /**< MSDK_OK, or the error */
  uint32_t flags;       /**< MSDK_EVENT_FLAG_LOST (session.h): events before this one were dropped */
  int64_t timestamp_ns; /**< when it happened, on the engine's clock */
  msdk_instance *instance; /**< the receiver does not destroy it */
  char text[512];       /**< of MSDK_PLUGIN_EVENT_PARAM_CHANGED: the parameter's name, for msdk_instance_get_param */
} msdk_instance_event;

/** Takes the oldest event. From the instance's creation on the newest 64 events are kept. MSDK_E_TIMEOUT: none came in time.
 * MSDK_E_AGAIN: timeout_ms is 0 and there is none. MSDK_E_CLOSED: the instance was destroyed meanwhile. MSDK_E_STATE: a callback is
 * set. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_instance_next_event(msdk_instance *instance, uint32_t timeout_ms, msdk_instance_event *out);

/** Returns a descriptor that poll() reports as readable while events are queued. The instance owns it: do not read, write or close
 * it. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_get_event_fd(msdk_instance *instance, int32_t *out);

/** event is valid during the call. Called on a thread of the instance's own, one event at a time, in order; with a virtual clock
 * inside msdk_engine_advance_clock. All functions may be called in it, except msdk_engine_advance_clock. */
typedef void (*msdk_instance_event_fn)(void *user, const msdk_instance_event *event);

/** Sets the callback, instead of pulling. Queued events come first. NULL: back to pulling. When the call returns, the former
 * callback is no longer running, unless the call was made inside a callback. The same is true of msdk_instance_destroy, after which
 * no callback begins. [any thread] [may wait for the running callback] */
MSDK_EXPORT msdk_result msdk_instance_set_event_callback(msdk_instance *instance, msdk_instance_event_fn callback, void *user);

/* ------------------------------------------------------------------------------------------------------------------ states */

/** Returns the state, MSDK_INSTANCE_*, for one of the instance's kinds: kind is exactly one MSDK_KIND_*. MSDK_E_UNSUPPORTED: the
 * class is not of this kind. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_get_state(msdk_instance *instance, uint32_t kind, uint32_t *out);

/** Returns the formats that a video producer can make, by index. Initialises the producer if necessary. MSDK_E_NOT_FOUND: the index
 * is past the end of the list. MSDK_E_UNSUPPORTED: not a video producer. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_format_at(msdk_instance *producer, uint32_t index, msdk_video_format *out);

/** Returns the format that an audio producer makes, or prefers. Initialises the producer if necessary. MSDK_E_UNSUPPORTED: the class
 * does not state it, or is not an audio producer. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_get_audio_format(msdk_instance *producer, msdk_audio_format *out);

/** Attaches a renderer to an instance that is both a renderer and a producer of video. The renderer gets the frames that the
 * instance makes, in addition to its stream. An instance has up to 8 renderers (MSDK_E_FULL). MSDK_E_UNSUPPORTED: `filter` is not
 * both. MSDK_E_INVALID: frames would go round in a circle. MSDK_E_STATE: the renderer is already attached. MSDK_E_NOT_FOUND, of
 * detach: it is not attached here. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_attach_renderer(msdk_instance *filter, msdk_instance *renderer);
MSDK_EXPORT msdk_result msdk_instance_detach_renderer(msdk_instance *filter, msdk_instance *renderer);

/** Renders a frame with a renderer that is not attached, on the calling thread. The frame is converted if necessary; the renderer is
 * initialised if necessary. MSDK_E_STATE: the renderer is attached. MSDK_E_UNSUPPORTED: not a video renderer. [any thread] [not in
 * a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_render(msdk_instance *renderer, const msdk_video_frame *frame);

/** The same for audio. MSDK_E_UNSUPPORTED: not an audio renderer, or one that pulls (plugin.h). MSDK_E_INVALID: a sample is infinite
 * or not a number. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_render_audio(msdk_instance *renderer, const msdk_audio_frame *frame);

/* ---------------------------------------------------------------------------------------------------------------- pulling */

/** A program can read what a producer makes without a stream: it starts a pull, reads frames or buffers, and stops it. A pull attaches
 * the instance, one pull for each medium; video and audio of one instance are pulled independently. MSDK_E_STATE: the instance is
 * attached elsewhere, or is pulled already. A pulled instance is refused elsewhere with the same code. Its producer runs as for a
 * started stream: one with MSDK_PRODUCER_PULL is asked for each frame when it is due on the engine's clock, another one delivers. The
 * frames do not wait for the reader. Isolated instances are pulled in the same manner.
 *
 * A full queue drops the oldest frame, or the newest if queue_policy says so. sequence counts from 1 what the producer made, so a gap is
 * the number of frames dropped. The program may hold 32 video frames and 2,048 audio buffers beside those that are queued; further ones
 * are dropped. A program that does not read, or that keeps frames, does not slow the producer.
 *
 * A producer that ends or fails posts MSDK_PLUGIN_EVENT_ENDED or _ERROR. What is queued can still be read; then read returns
 * MSDK_E_CLOSED. The instance stays attached until the pull is stopped, and may be pulled again then. msdk_instance_release,
 * msdk_instance_destroy and the destruction of the engine stop the pull. */
typedef struct msdk_video_pull_options {
  uint32_t struct_size;
  uint32_t queue_capacity; /**< frames that may be queued for read, 1..64; 0: 3 */
  uint32_t queue_policy;   /**< MSDK_POLICY_DROP_OLDEST or _DROP_NEWEST */
  uint32_t reserved0;      /**< 0 */
} msdk_video_pull_options;

typedef struct msdk_audio_pull_options {
  uint32_t struct_size;
  uint32_t queue_ms;     /**< audio that may be queued for read: 20..60,000; 0: 500 */
  uint32_t queue_policy; /**< MSDK_POLICY_DROP_OLDEST or _DROP_NEWEST */
  uint32_t reserved0;    /**< 0 */
} msdk_audio_pull_options;

/** Starts a video producer. It is opened before the call returns, and started soon after. options may be NULL for the defaults.
 *
 * format NULL: the format that the producer prefers (capture_settings of plugin.h), else the first one of its list; if the size changes
 * (MSDK_PLUGIN_EVENT_FORMAT_CHANGED), the frames follow. Otherwise all frames have this format: the size must be one that the producer
 * makes, another pixel format is converted. A frame rate of 0/0 does not hold a push producer to a rate, and asks a pull producer for 15
 * frames per second.
 *
 * A producer of encoded frames (MSDK_PRODUCER_ENCODED of plugin.h) cannot be pulled. Attach it to an outgoing stream with encoded_input and
 * its codec. A session of this process that receives the stream with MSDK_OUTPUT_ENCODED, for example in a loopback room, reads the frames
 * unchanged.
 *
 * MSDK_E_UNSUPPORTED: not a video producer; a producer of encoded frames; format NULL and a producer without a format. MSDK_E_FORMAT:
 * the producer cannot make the format. The producer's own error if it cannot be opened. MSDK_E_RANGE and MSDK_E_UNSUPPORTED name the
 * member of options in the error text. [any thread] [may wait] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_start_pull(msdk_instance *producer, const msdk_video_format *format,
                                                 const msdk_video_pull_options *options);

/** The same for an audio producer. format NULL: the format that it makes or prefers (msdk_instance_get_audio_format), else s16 at 48,000
 * Hz in stereo. Otherwise all buffers have this format, converted if necessary; buffers have any length if frames_per_buffer is 0.
 * [any thread] [may wait] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_start_pull_audio(msdk_instance *producer, const msdk_audio_format *format,
                                                       const msdk_audio_pull_options *options);

/** Stop the pull: stop, release and detach the producer, and release what is queued. Readers get MSDK_E_CLOSED. The calls succeed if the
 * instance is not pulled. In a callback of the same instance it is only detached, and stays STARTED (plugin.h, "Re-entrancy"). [any
 * thread] [may wait] */
MSDK_EXPORT msdk_result msdk_instance_stop_pull(msdk_instance *producer);
MSDK_EXPORT msdk_result msdk_instance_stop_pull_audio(msdk_instance *producer);

/** Dequeue the oldest frame or buffer. *out has one reference, which the caller releases; it is read-only. MSDK_E_TIMEOUT: none came in
 * time. MSDK_E_AGAIN: timeout_ms is 0 and there is none. MSDK_E_STATE: no pull was started. MSDK_E_CLOSED: the pull is stopped, or the
 * producer has ended and all was read. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_instance_read(msdk_instance *producer, uint32_t timeout_ms, msdk_video_frame **out);
MSDK_EXPORT msdk_result msdk_instance_read_audio(msdk_instance *producer, uint32_t timeout_ms, msdk_audio_frame **out);

/** Return a descriptor that poll() reports as readable while frames, or buffers, are queued, and when no more will come. The instance owns
 * it: do not read, write or close it. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_get_fd(msdk_instance *producer, int32_t *out);
MSDK_EXPORT msdk_result msdk_instance_get_fd_audio(msdk_instance *producer, int32_t *out);

/** Ends rendering and producing, of both media: detaches the instance, then stops and releases it, so that what it writes is
 * complete. In a callback of the same instance it is only detached, and MSDK_E_THREAD returned. [any thread] [may wait] [not in a
 * callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_release(msdk_instance *instance);

/** Returns what a renderer shows now, as a new frame with one reference, the caller's. MSDK_E_UNSUPPORTED: the class has no
 * snapshot. MSDK_E_AGAIN: nothing was rendered yet. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_instance_snapshot(msdk_instance *renderer, msdk_video_frame **out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INSTANCE_H */
