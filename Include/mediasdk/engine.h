/** @file
 * mediasdk/engine.h - the engine: clock, log, plugins
 *
 * A program usually makes one engine. All other objects are made from an engine and end with it. A process may have several
 * engines, for example one for each library that embeds MediaSDK. Engines share only loopback rooms and loaded plugin files.
 *
 * Plugins. A module is loaded from a file, found in a directory, or registered by the program as a table. Its classes are then
 * listed, and instances of them can be made (instance.h). Modules are never unloaded. The error text of a refused file states the
 * reason.
 *
 * Scanning. Loading a plugin file runs its code. Each file of a directory is therefore first loaded by a separate process, which
 * runs the program msdk-plugin-host:
 *   - A file that this process cannot load is refused and is not loaded here. The same applies to a file that crashes the process,
 *     ends it or blocks it for 10 s. The error text states the reason.
 *   - The process has none of this program's descriptors and signal handlers. This program's own child processes and signal
 *     handlers are not affected.
 *   - The process searches for libraries as a separate program does. A library that is found only because this program has already
 *     loaded it is not found there.
 *   - The results are cached in $XDG_CACHE_HOME/mediasdk/plugins, by default ~/.cache/mediasdk/plugins. A result is valid while
 *     the file's modification time, size and build-id are unchanged. A crash or a timeout is also forgotten after a day.
 *   - If a class of the file prefers isolation (MSDK_CLASS_PREFERS_ISOLATION), a separate process describes the file's classes.
 *     The file is loaded here only when an instance of one of its classes is made in this process.
 *   - If msdk-plugin-host is not found or cannot be started, files are loaded without scanning.
 *   - Scanning detects faults. It does not protect against malicious plugins.
 *
 * Trust. A plugin file is loaded only if it and every directory above it belong to root or to the effective user of the process,
 * and nobody else may write to them. They must not be writable by everybody; sticky directories, such as /tmp, are accepted. They
 * must not be writable by a group, except the user's own: a group with the user's name and no other members. Any other file is
 * refused with MSDK_E_PERMISSION, and the error text names the file or directory at fault. With MSDK_PLUGIN_ALLOW_WRITABLE only
 * the file itself is checked, for its owner and for write permission of everybody.
 *
 * Environment variables. They are not read in a set-user-id program. With ignore_environment only MSDK_PLUGIN_ALLOW_WRITABLE is
 * read. They do not affect modules that the program registers.
 *   MSDK_PLUGIN_PATH, MSDK_PLUGIN_SYSTEM_PATH   directories to search: see msdk_engine_load_default_plugins
 *   MSDK_PLUGIN_DISABLE         globs (fnmatch) of file names or class ids to skip, separated by commas or colons
 *   MSDK_PLUGIN_SAFE_MODE       1: load only files in INSTALLED/plugins-1, and of these only classes org.mediasdk.*
 *   MSDK_PLUGIN_ISOLATE         globs of file names or class ids to run in processes of their own: see instance.h
 *   MSDK_PLUGIN_ALLOW_WRITABLE  1: for development, see Trust above
 *   MSDK_PLUGIN_HOST            the path of msdk-plugin-host; default: the one in INSTALLED, or else the one beside the library
 *                               INSTALLED is mediasdk/ in the library's directory, and seen from there in ../lib, ../lib64 and, on
 *                               Debian, ../lib/ARCHITECTURE
 *   MSDK_LOG                    debug, info, warn or error: messages of that level and above are also written to stderr; read once
 *   HTTPS_PROXY                 the proxy for the signalling of sessions over TLS (whip+https, whep+https, janus+https, janus+wss,
 *                               livekit+wss) and for relays over TLS (turns:), as HOST:PORT or USER:PASSWORD@HOST:PORT, each with "http:" and two
 *                               slashes before it or without. It is asked with CONNECT (RFC 9110, section 9.3.6). Read for each
 *                               connection. MSDK_E_PERMISSION: it wants another password
 *   NO_PROXY                    names and addresses that are reached without it, separated by commas; a name stands for those below
 *                               it too, * for all. This machine always is. Both are also read, and first, in small letters
 *   XDG_CACHE_HOME, HOME        the location of the cache; if they are not read, results are kept in memory for this process only
 */
#ifndef MEDIASDK_ENGINE_H
#define MEDIASDK_ENGINE_H

#include "handles.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_CLOCK_SYSTEM = 0, /**< CLOCK_MONOTONIC; the SDK's threads do the work */
  /** For tests. The clock starts at one second and advances only in msdk_engine_advance_clock. The engine makes no threads: all
   * work is done inside that call, including callbacks, in an order that depends only on the calls made. */
  MSDK_CLOCK_VIRTUAL = 1
};

typedef struct msdk_engine_options {
  uint32_t struct_size;
  uint32_t clock;             /**< MSDK_CLOCK_* */
  uint32_t ignore_environment; /**< 1: the environment variables above are not read, except MSDK_PLUGIN_ALLOW_WRITABLE */
  uint32_t reserved0;          /**< 0 */
} msdk_engine_options;

/** Makes an engine. options may be NULL for the defaults. The caller destroys *out. MSDK_E_FULL: the process has 256 engines
 * already. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_create(const msdk_engine_options *options, msdk_engine **out);

/** Destroys an engine. Its sessions are disconnected, its streams and instances end, and its threads stop. [any thread] [may wait
 * for running callbacks] */
MSDK_EXPORT void msdk_engine_destroy(msdk_engine *engine);

/** Returns the current time of the engine's clock in nanoseconds, or 0 for an invalid handle. [any thread] */
MSDK_EXPORT int64_t msdk_engine_now(msdk_engine *engine);

/** Advances a virtual clock by `nanoseconds` (0..24 h). All work that becomes due is done on this thread, at its time.
 * MSDK_E_UNSUPPORTED: the engine has the system clock. MSDK_E_RANGE: the value is outside the range. MSDK_E_STATE: another thread
 * is advancing the clock. MSDK_E_THREAD: the call was made inside a callback. [any thread, one at a time] [not in a callback] */
MSDK_EXPORT msdk_result msdk_engine_advance_clock(msdk_engine *engine, int64_t nanoseconds);

/* -------------------------------------------------------------------------------------------------------------------- log */

/** The log of an engine is a queue of records, up to 256; when it is full, the oldest is dropped. Records are made of the messages of
 * one level and above. By default the level is MSDK_LOG_NONE, and there are none. A program either pulls the records
 * (msdk_engine_set_log_level, msdk_engine_next_log_record) or sets a callback. The SDK writes to stderr only if MSDK_LOG requests it,
 * regardless of both. */
typedef struct msdk_log_record {
  uint32_t struct_size;
  int32_t level;        /**< MSDK_LOG_* (plugin.h) */
  int64_t timestamp_ns; /**< when it was logged, on the engine's clock */
  uint64_t dropped;     /**< records that were dropped between the one before and this one */
  /** The part of the SDK: "session", "room", "video", "audio", "network" or "plugin" (also codecs). Later versions may have others. */
  char category[32];
  char text[4096];      /**< a longer text is cut */
} msdk_log_record;

/** Sets the lowest level of the messages of which records are made, MSDK_LOG_*. MSDK_LOG_NONE: of none. MSDK_E_UNSUPPORTED: the level
 * does not exist. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_set_log_level(msdk_engine *engine, int32_t level);

/** Dequeues the oldest record. MSDK_E_TIMEOUT: none came in time. MSDK_E_AGAIN: timeout_ms is 0 and there is none. MSDK_E_CLOSED: the
 * engine was destroyed meanwhile. MSDK_E_STATE: a log callback is set. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_engine_next_log_record(msdk_engine *engine, uint32_t timeout_ms, msdk_log_record *out);

/** Returns a descriptor that poll() reports as readable while records are queued. The engine owns it: do not read, write or close it.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_engine_get_log_fd(msdk_engine *engine, int32_t *out);

/** Gets one record, which is valid during the call. It is called on a thread that logs, one call at a time for an engine. Records that
 * come meanwhile are queued. The callback must not cause messages itself. */
typedef void (*msdk_log_fn)(void *user, const msdk_log_record *record);

/** Sets the log callback, and the level as msdk_engine_set_log_level does. NULL removes the callback; records can then be pulled. Records
 * that are queued when a callback is set come first, with the next record. When the call returns, the previous callback is not running,
 * unless the call was made inside a callback. MSDK_E_UNSUPPORTED: the level does not exist. [any thread] [may wait for the running
 * callback] */
MSDK_EXPORT msdk_result msdk_engine_set_log_callback(msdk_engine *engine, int32_t level, msdk_log_fn callback, void *user);

/* ---------------------------------------------------------------------------------------------------------------- plugins */

/** Loads one plugin file into this process, without scanning it, even if its classes prefer isolation. The exception is a file
 * whose classes are all named by MSDK_PLUGIN_ISOLATE. path is absolute or relative to the working directory, up to 4,095 bytes.
 * Loading a file again succeeds and changes nothing. MSDK_E_NOT_FOUND: there is no such file. MSDK_E_PERMISSION: the file cannot
 * be read, is not trusted, or is skipped because of the environment. MSDK_E_ABI: the file is not a plugin, or breaks a rule that
 * the error text names. MSDK_E_EXISTS: a class id is taken. [any thread] [may wait for the dynamic linker] */
MSDK_EXPORT msdk_result msdk_engine_load_plugin(msdk_engine *engine, const char *path);

/** Scans and loads every *.so of a directory, in the order of their names. *loaded, if not NULL, receives the number of its files
 * that are now loaded or described. A refused file does not make the call fail; a warning with the reason is logged.
 * MSDK_E_NOT_FOUND and MSDK_E_PERMISSION: the directory cannot be opened. [any thread] [may wait for scanning processes] */
MSDK_EXPORT msdk_result msdk_engine_add_plugin_dir(msdk_engine *engine, const char *path, uint32_t *loaded);

/** Loads the plugins of the standard directories, each as msdk_engine_add_plugin_dir does. The directories of MSDK_PLUGIN_PATH come
 * first, then those of MSDK_PLUGIN_SYSTEM_PATH; both are lists of absolute paths, separated by colons. If MSDK_PLUGIN_SYSTEM_PATH
 * is unset, these directories take its place, in this order:
 *   $XDG_DATA_HOME/mediasdk/plugins-1, by default ~/.local/share/mediasdk/plugins-1
 *   mediasdk/plugins-1 beside the library
 *   /usr/local/lib/mediasdk/plugins-1
 *   /usr/lib/x86_64-linux-gnu/mediasdk/plugins-1, or Debian's directory of another architecture
 *   /usr/lib/mediasdk/plugins-1
 * Directories that do not exist are skipped. A file with a class id that is taken is refused, and a warning is logged. *loaded is
 * as above. The ids of the SDK's own classes begin with "org.mediasdk."; msdk_engine_class_at and the command `msdk inspect` list them.
 * [any thread] [may wait for scanning processes] */
MSDK_EXPORT msdk_result msdk_engine_load_default_plugins(msdk_engine *engine, uint32_t *loaded);

/** Registers a table that the program defines as a module of this engine. module and everything that it points to must live as long
 * as the engine. MSDK_E_ABI: the table breaks a rule that the error text names. MSDK_E_EXISTS: a class id is taken. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_register_module(msdk_engine *engine, const msdk_module *module);

/** One class. The strings belong to the engine and are valid as long as it exists. */
typedef struct msdk_class_info {
  uint32_t struct_size;
  uint32_t kinds; /**< MSDK_KIND_* mask */
  uint32_t flags; /**< MSDK_CLASS_* */
  uint32_t param_count;
  const char *id, *name, *summary;                       /**< never NULL; "" if there is none */
  const char *module_path;                                /**< "" for registered modules and the SDK's own codecs */
  const char *module_vendor, *module_version, *module_license, *module_url;
} msdk_class_info;

/** Returns the classes by index, from 0: first those of modules, in the order in which they were added, then the SDK's own codecs.
 * MSDK_E_NOT_FOUND: the index is past the end of the list. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_class_at(msdk_engine *engine, uint32_t index, msdk_class_info *out);

/** Returns the parameters of a class by index, from 0. The strings belong to the engine. The default of a secret parameter is not
 * returned: it is an empty value of the parameter's type. MSDK_E_NOT_FOUND: the class is unknown, or the index is past the end of
 * the list. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_class_param_at(msdk_engine *engine, const char *class_id, uint32_t index, msdk_param *out);

/** Returns the commands of a class by index, from 0, in the order of the class. msdk_instance_call (instance.h) calls them. The
 * struct describes a command as it was checked at loading:
 *   - `result` is never MSDK_T_STATUS. `invoke` and `native` are NULL.
 *   - Names and summaries are never NULL; a missing summary is "".
 *   - If the command has arguments, `limits` has arg_count elements, with defaults of the arguments' own types. Without arguments
 *     it is NULL.
 *
 * Everything that the struct points to belongs to the engine and is valid as long as the engine exists. MSDK_E_NOT_FOUND: the
 * class is unknown, or the index is past the end of the list. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_class_command_at(msdk_engine *engine, const char *class_id, uint32_t index, msdk_command *out);

/** Sets a parameter of a codec class. Streams make the instances of codecs themselves (plugin.h): when a stream starts, and when
 * its format or codec changes. Each new instance of the class gets the parameters that were set, in the order in which they were
 * set, before it is opened. Existing instances keep their values. NULL for value or text restores the class's default. The value
 * is copied. It is checked as in msdk_instance_set_param. MSDK_E_NOT_FOUND: the class or the parameter is unknown. MSDK_E_TYPE and
 * MSDK_E_RANGE: the value is not accepted. MSDK_E_PERMISSION: the parameter is read-only. MSDK_E_UNSUPPORTED: the class is not a
 * codec. Some values can only be checked by the instance, because the plugin refuses them or determines its choices at run time.
 * Such a value fails later, as an error of open_encoder or decode does. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_set_codec_param(msdk_engine *engine, const char *class_id, const char *name, const msdk_value *value);
MSDK_EXPORT msdk_result msdk_engine_set_codec_param_text(msdk_engine *engine, const char *class_id, const char *name, const char *text);

/* ------------------------------------------------------------------------------------------------------------------ stats */

typedef struct msdk_engine_stats {
  uint32_t struct_size;
  uint32_t sessions, outgoing_videos, incoming_videos, instances; /**< alive in this engine */
  uint32_t threads;         /**< running threads of this engine */
  uint32_t frames;          /**< video frames with a reference, in the whole process */
  uint32_t encoded_frames;  /**< encoded frames with a reference, in the whole process */
  uint64_t log_dropped;     /**< log records dropped because 256 were queued */
  uint32_t outgoing_audios, incoming_audios; /**< alive in this engine; a session's mix counts once it has been requested */
  uint32_t audio_frames;    /**< audio frames with a reference, in the whole process */
  uint32_t reserved0;
} msdk_engine_stats;

/** Returns the current stats of the engine. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_get_stats(msdk_engine *engine, msdk_engine_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ENGINE_H */
