/* mediasdk/instance.h - one created producer, renderer or filter
 *
 * An instance is made from a class (engine.h), given its parameters, and attached: a producer to an outgoing stream, a renderer to an
 * incoming one, to one's own outgoing one (preview), or to another instance that is both; a filter is added to a stream of either direction
 * (msdk_outgoing_video_add_filter and its twins). The core then drives its states; an attached instance is stopped, released and detached
 * when either side is destroyed. A renderer or filter that is detached stays as it is, STARTED if it was, and may be attached again;
 * msdk_instance_release takes it down. An instance that is of both media, a recorder say, is attached once for each: to one stream of video
 * and to one of sound.
 */
#ifndef MEDIASDK_INSTANCE_H
#define MEDIASDK_INSTANCE_H

#include "handles.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MSDK_INSTANCE_CREATED = 0, MSDK_INSTANCE_READY = 1, MSDK_INSTANCE_STARTED = 2 };

/* Makes an instance. MSDK_E_NOT_FOUND lists the classes there are. *out is the caller's to destroy. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_create(msdk_engine *engine, const char *class_id, msdk_instance **out);

/* Where the plugin's code runs. In a process of its own (msdk-plugin-host, found beside the library, in its ../libexec/mediasdk, or by
 * MSDK_PLUGIN_HOST) it cannot take the program along: not by a crash, abort, stack overflow, exit or corrupted memory, nor by a hang, which
 * ends at its deadline, a leak of memory or descriptors, which ends at its limits, or by what it sends, which is checked. Each instance has a
 * process of its own. Its pictures pass in common memory without a copy; a renderer's are copied once, a filter's on their way in and out.
 *
 * When the process ends, MSDK_PLUGIN_EVENT_DIED comes with MSDK_E_PLUGIN_DIED, the class id, the signal or exit code, what it was doing and
 * the end of what it wrote to its standard error. The stream goes on: a producer gives nothing meanwhile, so that the last picture stands;
 * what a renderer gets is not shown; what comes to a filter passes as it is; parameters that are set are remembered. The process is started
 * again at once, then after 100 ms, 400 ms and so on up to 10 s, from the beginning when it lived for 2 s; gets its parameters, except one that
 * it died of, and is brought to the state it was in; MSDK_PLUGIN_EVENT_RESTARTED says so. A call of the program or the core that it dies of is
 * made once more, and returns MSDK_E_PLUGIN_DIED when it dies of it again; not so a command, which may have had effects: that call returns
 * MSDK_E_PLUGIN_DIED. A filter that is given up (restarts_max) leaves its stream as one that fails does, with MSDK_E_CLOSED.
 *
 * What holds it, whatever the kernel: no new privileges, at most 256 descriptors, no core files, a session of its own, nothing inherited but the
 * environment and its sockets; memory (address space) and processor time as below. Whatever it started ends with it; it ends with the program.
 * What holds it where the kernel lets it, which msdk_instance_containment tells of each instance:
 *   MSDK_CONTAINED_CALLS      seccomp, on x86-64 and arm64: it can make no processes, threads excepted, and is refused ptrace, mount, chroot,
 *                             setns, unshare, bpf, perf, keyctl, kernel modules, kexec, the clock and their like
 *   MSDK_CONTAINED_USER       a user namespace: it cannot read or write other processes' memory, environment or descriptors in /proc, and has no
 *                             capabilities; of root's it keeps those over files
 *   MSDK_CONTAINED_PROCESSES  a process namespace: it can signal no process but its own (kill(-1) included), and getpid() has numbers of
 *                             their own; all it made ends with it at once, without a race
 *   MSDK_CONTAINED_IPC        a namespace of System V memory, queues and semaphores, and of POSIX message queues (a picture for an X server then
 *                             goes by a descriptor, or through the socket)
 *   MSDK_CONTAINED_NETWORK    no interfaces, not even the loopback, and no abstract sockets; only with MSDK_ISOLATED_NO_NETWORK, as cameras,
 *                             screens and sound servers are reached by these. A socket that is a file is a file
 *   MSDK_CONTAINED_FILES      Landlock: nothing is opened for writing, made, removed, renamed or linked, except that these can be written to in
 *                             /dev: null, zero, full, random, urandom, tty, ptmx, pts/, snd/, dri/, video0 to video63. So not /dev/shm,
 *                             disks, memory nor input devices; only with MSDK_ISOLATED_READ_ONLY. Modes, owners and times can still be
 *                             changed, and a device's ioctls are its own
 * The namespaces come together or not at all; containers and some systems refuse them. It goes on without, and a warning in the log says why,
 * once in a process. What a flag asked for is never left out: without it, or where it would run in this process, the instance is not made,
 * MSDK_E_UNSUPPORTED.
 *
 * What does not hold it: it reads every file that the program can read, and writes them without MSDK_ISOLATED_READ_ONLY; it has the network, without
 * MSDK_ISOLATED_NO_NETWORK; it can talk to whatever has a socket in the file system (the sound server, the display, the session's bus, which
 * may do much for it) and to devices; it sees which processes there are; and it has the kernel's other calls. Where namespaces are refused
 * it can signal the user's other processes. It contains accidents. It is no sandbox for code that means harm.
 *
 * Commands are listed, checked and answered as ever, thread-safe ones beside everything else, and have the control deadline: a process that does not
 * return from one is ended. A call waits so long for a process that is being started again: MSDK_E_PLUGIN_DIED when that does not come back.
 *
 * Producers, renderers, filters and codecs, of video and of sound, can be isolated. Not: classes that the program registered itself, and those
 * with MSDK_CLASS_NO_ISOLATION: MSDK_E_UNSUPPORTED. The instances of codecs, which streams make for themselves, are isolated
 * as MSDK_ISOLATION_DEFAULT says, with the defaults of the options below; the SDK's own never. What their processes die of comes to the
 * stream's session as MSDK_EVENT_PLUGIN, without an instance. A picture or packet that is in such a process then, or comes before it is back,
 * is lost: MSDK_SEND_FAILED with MSDK_E_PLUGIN_DIED, or a corrupt frame. An encoder comes back with its last settings and makes a key frame
 * first; for a decoder the stream asks for one. Headers of encoded data are read in the decoder's process; where there is no decoder
 * (msdk_encoded_frame_create), in this one, or in one of their own when the code is not in this one. */
enum {
  MSDK_ISOLATION_DEFAULT = 0, /* isolated if MSDK_PLUGIN_ISOLATE names it (globs of class ids or file names, with commas between; not read in
                                 a set-user-id program, nor with ignore_environment; what it names and cannot be isolated runs in this process,
                                 with a warning), or if the class prefers it (plugin.h); else not */
  MSDK_ISOLATION_NONE = 1,    /* in this process */
  MSDK_ISOLATION_PROCESS = 2  /* in a process of its own, or MSDK_E_UNSUPPORTED, or MSDK_E_NOT_FOUND without msdk-plugin-host */
};
enum {
  MSDK_ISOLATED_MAY_FORK = 1,   /* the plugin may make processes */
  MSDK_ISOLATED_NO_NETWORK = 2, /* no network: a network namespace without interfaces */
  MSDK_ISOLATED_READ_ONLY = 4   /* files can be read and no more: by Landlock */
};

typedef struct msdk_instance_options {
  uint32_t struct_size;
  uint32_t isolation; /* MSDK_ISOLATION_* */
  uint32_t flags;     /* MSDK_ISOLATED_* */
  /* The rest is of isolated ones only; 0 is the default. */
  uint32_t control_deadline_ms; /* for a [control] call of plugin.h: 10..600,000; default 5,000 */
  uint32_t media_deadline_ms;   /* for a [media] call: 10..600,000; default 1,000 */
  uint32_t memory_max_mb;       /* address space in MiB: 256..1,048,576; default 2,048; UINT32_MAX: no limit */
  uint32_t cpu_max_s;           /* seconds of processor time in a life: 1..86,400; default: no limit */
  uint32_t restarts_max;        /* so many deaths in a row, each within 2 s, and it is given up, with MSDK_PLUGIN_EVENT_ERROR: default: never */
} msdk_instance_options;

/* As msdk_instance_create; options may be NULL for the defaults. MSDK_E_INVALID, MSDK_E_RANGE. [any thread] [may wait for a process] */
MSDK_EXPORT msdk_result msdk_instance_create_with(msdk_engine *engine, const char *class_id, const msdk_instance_options *options,
                                                  msdk_instance **out);

/* 1 when the plugin's code runs in a process of its own. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_is_isolated(msdk_instance *instance, uint32_t *out);

enum {
  MSDK_CONTAINED_CALLS = 1,
  MSDK_CONTAINED_USER = 2,
  MSDK_CONTAINED_PROCESSES = 4,
  MSDK_CONTAINED_IPC = 8,
  MSDK_CONTAINED_NETWORK = 16,
  MSDK_CONTAINED_FILES = 32
};

/* What holds the instance's process beyond its being one, as far as the kernel may refuse it: a sum of MSDK_CONTAINED_*, of which others may come;
 * 0 for an instance in this process. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_containment(msdk_instance *instance, uint32_t *out);

/* Detaches it, takes it down level by level and destroys it. [any thread] [may wait] */
MSDK_EXPORT void msdk_instance_destroy(msdk_instance *instance);

/* Sets a parameter. Name, type (MSDK_E_TYPE; integers of other widths are accepted when the number fits), range and choices
 * (MSDK_E_RANGE, in words that list them) are checked before the plugin sees it. Choices found at run time are those of this moment: the
 * plugin is asked, and its error is the call's when it cannot tell. MSDK_E_STATE when it is not live and the instance is started;
 * MSDK_E_PERMISSION when it is read-only. A success is told as MSDK_PLUGIN_EVENT_PARAM_CHANGED. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_set_param(msdk_instance *instance, const char *name, const msdk_value *value);

/* The same from text, which is read as the parameter's type: "true"/"false", decimal numbers, or the text itself. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_set_param_text(msdk_instance *instance, const char *name, const char *text);

/* Reads a parameter. MSDK_E_PERMISSION for a secret one, which can be set and not read. Text and bytes go into buffer (size bytes; may be
 * NULL with 0) and out points there; *needed, if not NULL, receives the size with NUL, and MSDK_E_BUFFER_SMALL is returned when it does not
 * fit. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_get_param(msdk_instance *instance, const char *name, msdk_value *out, void *buffer, uint64_t size,
                                                uint64_t *needed);

/* The choices of a string parameter, with what people call them: those of the class, or with MSDK_PARAM_DYNAMIC_CHOICES what the plugin
 * finds. Index 0 asks the plugin, the others tell of what it answered then. value and label, never NULL, go into buffer (size bytes; may be
 * NULL with 0), where out points; *needed, if not NULL, receives the size of both with NULs, and MSDK_E_BUFFER_SMALL is returned when they do
 * not fit. MSDK_E_UNSUPPORTED: the parameter has no choices. MSDK_E_NOT_FOUND: no such parameter, or the end of the list; or the plugin's own
 * error when it cannot tell. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_instance_param_choice_at(msdk_instance *instance, const char *name, uint32_t index, msdk_choice *out,
                                                      void *buffer, uint64_t size, uint64_t *needed);

/* ---------------------------------------------------------------------------------------------------------------- commands */

/* Calls a command of its class by name (msdk_engine_class_command_at lists them) with arg_count values at args, which may be NULL with 0,
 * and waits for its end. Everything is checked before the plugin is called:
 *   MSDK_E_NOT_FOUND  no such command; the last-error text lists those there are
 *   MSDK_E_INVALID    too many arguments, or one left out that has no default (only the last ones can be); args or a text is NULL; a text
 *                     is no UTF-8 or longer than 65,536 bytes
 *   MSDK_E_TYPE       of another type; integers of other widths are accepted when the number fits, and integers for MSDK_T_F64
 *   MSDK_E_RANGE      a number that does not fit, is out of bounds or not finite; a text that is none of the choices; a bool but 0 and 1;
 *                     more than 16 MiB of bytes
 * Then the result is the plugin's own where it fails, in its words; MSDK_E_FAIL when it answers something else than it declared;
 * MSDK_E_CLOSED when the instance was destroyed meanwhile; MSDK_E_THREAD from inside a call to the instance and MSDK_E_TIMEOUT when it was
 * busy for 10 s, unless the command is thread-safe; MSDK_E_PLUGIN_DIED when the process of an isolated instance is gone, or ended in the call.
 * *result, which may be NULL, receives what the command returned, MSDK_T_VOID for nothing, and is untouched after an error. Text (with NUL)
 * and bytes in it are the SDK's, and valid until this thread calls msdk_instance_call again, for whichever instance, or ends: copy what is
 * to last longer. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_instance_call(msdk_instance *instance, const char *name, const msdk_value *args, uint32_t arg_count,
                                           msdk_value *result);

/* ------------------------------------------------------------------------------------------------------------------ events */

/* What an instance tells, whether it is attached or not. The events of an attached one come to the session, too, as MSDK_EVENT_PLUGIN.
 * Secret parameters' values are in none. */
typedef struct msdk_instance_event {
  uint32_t struct_size;
  uint32_t event;       /* MSDK_PLUGIN_EVENT_* */
  msdk_result status;   /* MSDK_OK, or why */
  uint32_t flags;       /* MSDK_EVENT_LOST (session.h): events before this one were dropped */
  int64_t timestamp_ns; /* when it happened, on the engine's clock */
  msdk_instance *instance; /* not the receiver's to destroy */
  char text[512];       /* of MSDK_PLUGIN_EVENT_PARAM_CHANGED: the parameter's name, which msdk_instance_get_param takes */
} msdk_instance_event;

/* Takes the oldest event. The last 64 are kept from the instance's creation on. MSDK_E_TIMEOUT when none came in time, MSDK_E_CLOSED when the
 * instance ends meanwhile, MSDK_E_STATE while a callback is set. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_instance_next_event(msdk_instance *instance, uint32_t timeout_ms, msdk_instance_event *out);

/* event is valid during the call. Called on a thread of the instance's own, one event at a time, in order; with a virtual clock inside
 * msdk_engine_advance_clock. Any function may be called in it. */
typedef void (*msdk_instance_event_fn)(void *user, const msdk_instance_event *event);

/* Sets the callback, in place of pulling; events that wait come first. NULL goes back to pulling. When it returns, the former callback is not
 * running any more, unless the call came from inside a callback; the same holds for msdk_instance_destroy, after which none begins.
 * [any thread] [may wait for a running callback] */
MSDK_EXPORT msdk_result msdk_instance_set_event_callback(msdk_instance *instance, msdk_instance_event_fn callback, void *user);

/* ------------------------------------------------------------------------------------------------------------------ states */

/* The state as one of its kinds, exactly one MSDK_KIND_*: MSDK_INSTANCE_*. MSDK_E_UNSUPPORTED for a kind that the class is not of.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_instance_state(msdk_instance *instance, uint32_t kind, uint32_t *out);

/* The formats a producer can make: initialises it if need be. MSDK_E_NOT_FOUND ends the list. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_format_at(msdk_instance *producer, uint32_t index, msdk_video_format *out);

/* The format a producer of sound makes, or prefers: initialises it if need be. MSDK_E_UNSUPPORTED when it does not say, or makes no sound.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_instance_audio_format(msdk_instance *producer, msdk_audio_format *out);

/* Passes what an instance that is a renderer and a producer of video makes on to a renderer, beside the streams. Up to 8. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_attach_renderer(msdk_instance *filter, msdk_instance *renderer);
MSDK_EXPORT msdk_result msdk_instance_detach_renderer(msdk_instance *filter, msdk_instance *renderer);

/* Hands a frame to a renderer that is attached to nothing, on this thread, converting it if need be. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_render(msdk_instance *renderer, const msdk_video_frame *frame);

/* The same for sound. A renderer that pulls (plugin.h) cannot be fed like this: MSDK_E_UNSUPPORTED. MSDK_E_INVALID: a sample that is not a
 * number or infinite. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_render_audio(msdk_instance *renderer, const msdk_audio_frame *frame);

/* Ends rendering, or producing, of both media: detaches the instance, and stops and releases it, so that what it writes is complete.
 * [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_instance_release(msdk_instance *instance);

/* What a renderer would show now, as a new frame with one reference, the caller's. MSDK_E_UNSUPPORTED, MSDK_E_AGAIN. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_snapshot(msdk_instance *renderer, msdk_video_frame **out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INSTANCE_H */
