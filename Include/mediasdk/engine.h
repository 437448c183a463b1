/* mediasdk/engine.h - the engine: clock, log, plugins
 *
 * One engine per embedding; several in one process are legal and share nothing but loopback rooms and loaded plugin files. Everything else
 * is made from an engine and ends with it.
 *
 * Plugins. A module is loaded by path, found in a directory, or handed over as a table that the program itself defines; from then on its
 * classes are listed and instances can be created (instance.h). Modules are never unloaded. A refused file names its reason.
 *
 * Scanning. Loading a file runs code of it. Where the program msdk-plugin-host is found, every file of a directory is therefore loaded by
 * a process of that program first, which has no descriptor and no signal handler of this one; a file that this process could not load, or
 * that crashed, ended or held it up (10 s), is refused in words that say so, and never loaded here. The program's own children and signal
 * handlers are left alone. What was found out is kept in $XDG_CACHE_HOME/mediasdk/plugins (~/.cache by default) and holds while a file's
 * time, size and build-id do; a crash or hang is forgotten after a day, too. A file with a class that prefers isolation
 * (MSDK_CLASS_PREFERS_ISOLATION) is described by a process and not loaded here, until one of its classes is wanted in this process. A
 * child looks for libraries as a program of its own does: what only this program has loaded already is not found there. Without
 * msdk-plugin-host, or when it cannot be started, files are loaded unseen. Scanning finds accidents; it is no protection from a plugin
 * that means harm.
 *
 * Trust. A plugin file and every directory above it belong to root or to the user of the process, and nobody else may write them: not everybody,
 * unless a directory is sticky as /tmp is, and no group but the user's own (one of the user's name without other members). Else the file is
 * refused with MSDK_E_PERMISSION and the place that is at fault. With MSDK_PLUGIN_ALLOW_WRITABLE only files are looked at, that they are not
 * another user's nor everybody's to write.
 *
 * The environment, which is not read in a set-user-id program nor with ignore_environment:
 *   MSDK_PLUGIN_PATH, MSDK_PLUGIN_SYSTEM_PATH   where to look, see msdk_engine_load_default_plugins
 *   MSDK_PLUGIN_DISABLE    globs (fnmatch) of file names or class ids, separated by commas: what of any file is left out
 *   MSDK_PLUGIN_SAFE_MODE  1: of files only those of mediasdk/plugins-1 beside the library, and of their classes only org.mediasdk.*
 *   MSDK_PLUGIN_ALLOW_WRITABLE  1: for development, see Trust below. Read with ignore_environment as well
 *   MSDK_PLUGIN_HOST       the path of msdk-plugin-host; without it, ../libexec/mediasdk/ from the library, or the library's directory
 *   XDG_CACHE_HOME, HOME   where the cache is; when they are not read, what was found out is kept for this process only
 * Modules that the program registers are not concerned by any of it.
 */
#ifndef MEDIASDK_ENGINE_H
#define MEDIASDK_ENGINE_H

#include "handles.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_CLOCK_SYSTEM = 0, /* CLOCK_MONOTONIC; work is done by the SDK's threads */
  MSDK_CLOCK_VIRTUAL = 1 /* starts at one second, moves only in msdk_engine_advance_clock; no thread is made: all work, callbacks included,
                            is done inside that call, in an order that depends on nothing but the calls made. For tests. */
};

typedef struct msdk_engine_options {
  uint32_t struct_size;
  uint32_t clock;             /* MSDK_CLOCK_* */
  uint32_t ignore_environment; /* 1: MSDK_PLUGIN_PATH and its like are not read */
  uint32_t log_level;         /* MSDK_LOG_*: the least level that reaches the callback */
} msdk_engine_options;

/* Makes an engine. options may be NULL for the defaults. *out is the caller's to destroy. MSDK_E_NOMEM beyond 256 engines. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_create(const msdk_engine_options *options, msdk_engine **out);

/* Disconnects its sessions, ends its streams and instances, and stops its threads. [any thread] [may wait for running callbacks] */
MSDK_EXPORT void msdk_engine_destroy(msdk_engine *engine);

/* Now, on the engine's clock. 0 for a bad handle. [any thread] */
MSDK_EXPORT int64_t msdk_engine_now(msdk_engine *engine);

/* Moves a virtual clock on by `nanoseconds` (0..24 h), doing on the way, on this thread, all that falls due. MSDK_E_STATE for a system
 * clock; MSDK_E_THREAD inside a callback. [any thread, one at a time] [not in a callback] */
MSDK_EXPORT msdk_result msdk_engine_advance_clock(msdk_engine *engine, int64_t nanoseconds);

/* -------------------------------------------------------------------------------------------------------------------- log */

/* text is valid during the call. Called on the thread that logs, never two at a time for an engine; must not log itself. */
typedef void (*msdk_log_fn)(void *user, int32_t level, const char *text);

/* Sets (or with NULL removes) the callback, and the least level that reaches it. When it returns, the former callback is not running any
 * more, unless the call came from inside it. Without a callback, warnings and errors go nowhere: the SDK never writes to stderr.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_engine_set_log_callback(msdk_engine *engine, int32_t level, msdk_log_fn callback, void *user);

/* ---------------------------------------------------------------------------------------------------------------- plugins */

/* Loads one plugin file, unseen by a child, whatever its classes prefer, unless MSDK_PLUGIN_ISOLATE names them all. path: absolute, or
 * relative to the working directory; up to 4,095 bytes. Loading a file again is a success and changes nothing. MSDK_E_NOT_FOUND,
 * MSDK_E_PERMISSION (also when the environment leaves it out), MSDK_E_ABI (no plugin, or one that does not fit: the last-error text says
 * which rule it breaks), MSDK_E_EXISTS (a class id is taken). [any thread] [may wait for the dynamic linker] */
MSDK_EXPORT msdk_result msdk_engine_load_plugin(msdk_engine *engine, const char *path);

/* Loads every *.so of a directory, by name, that a child could load (see above). *loaded, if not NULL, receives the number that are loaded now
 * from there. Files that are refused are logged as warnings with the reason and do not fail the call. [any thread] [may wait for children] */
MSDK_EXPORT msdk_result msdk_engine_add_plugin_dir(msdk_engine *engine, const char *path, uint32_t *loaded);

/* Loads from the standard places, in this order: MSDK_PLUGIN_PATH (colon-separated), then MSDK_PLUGIN_SYSTEM_PATH or, if that is unset,
 * $XDG_DATA_HOME/mediasdk/plugins-1 (~/.local/share by default), mediasdk/plugins-1 beside the library,
 * /usr/local/lib/mediasdk/plugins-1, /usr/lib/mediasdk/plugins-1. A class id that was seen before is skipped with a warning. The
 * environment is not read in a set-user-id program, nor with ignore_environment. *loaded as above. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_load_default_plugins(msdk_engine *engine, uint32_t *loaded);

/* Makes a table of the program's own a module of this engine. module and all that it points to must live as long as the engine.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_engine_register_module(msdk_engine *engine, const msdk_module *module);

/* One class. The strings belong to the engine and live as long as it does. */
typedef struct msdk_class_info {
  uint32_t struct_size;
  uint32_t kinds; /* MSDK_KIND_* mask */
  uint32_t flags; /* MSDK_CLASS_* */
  uint32_t param_count;
  const char *id, *name, *summary;                       /* never NULL, "" for none */
  const char *module_path;                                /* "" for a registered module, and for the SDK's own codecs */
  const char *module_vendor, *module_version, *module_license, *module_url;
} msdk_class_info;

/* The classes, in the order they came, and behind them the SDK's own codecs. MSDK_E_NOT_FOUND ends the list. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_class_at(msdk_engine *engine, uint32_t index, msdk_class_info *out);

/* The parameters of a class. MSDK_E_NOT_FOUND for an unknown class and at the end. Strings as above. The default of a secret one is not told:
 * it is empty, of its type. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_class_param_at(msdk_engine *engine, const char *class_id, uint32_t index, msdk_param *out);

/* The commands of a class, in its order, as checked when it was loaded: `result` is never MSDK_T_STATUS, `invoke` and `native` are NULL,
 * names and summaries are not (summaries "" for none), nor are `limits` when there are arguments: arg_count of them, with the defaults in
 * the arguments' own types. MSDK_E_NOT_FOUND for an unknown class and at the end. All that it points to belongs to the engine and lives as
 * long as it does. Called by msdk_instance_call. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_class_command_at(msdk_engine *engine, const char *class_id, uint32_t index, msdk_command *out);

/* Sets a parameter for codecs, whose instances streams make for themselves (plugin.h): each that is made of the class from then on, with the
 * start of a stream, another format or another codec, gets what was set, in that order, before it is opened. Those that there are keep what
 * they have. NULL for value or text: the class's default again. Checked as by msdk_instance_set_param: MSDK_E_NOT_FOUND for an unknown class
 * or parameter, MSDK_E_TYPE, MSDK_E_RANGE, MSDK_E_PERMISSION for one that is read-only; MSDK_E_UNSUPPORTED: the class is no codec. What can
 * be told then only, as the plugin refuses a value or finds its choices at run time, fails as open_encoder or decode would. The values are
 * copied. [any thread] */
MSDK_EXPORT msdk_result msdk_engine_set_codec_param(msdk_engine *engine, const char *class_id, const char *name, const msdk_value *value);
MSDK_EXPORT msdk_result msdk_engine_set_codec_param_text(msdk_engine *engine, const char *class_id, const char *name, const char *text);

/* ------------------------------------------------------------------------------------------------------------------ stats */

typedef struct msdk_engine_stats {
  uint32_t struct_size;
  uint32_t sessions, outgoing_videos, incoming_videos, instances; /* alive in this engine */
  uint32_t threads;         /* of this engine, running */
  uint32_t frames;          /* video frames with a reference, in the process */
  uint32_t encoded_frames;  /* likewise */
  uint64_t log_dropped;     /* messages that came while one was being logged by the same thread */
  uint32_t outgoing_audios, incoming_audios; /* alive in this engine; the mixed streams are counted when they were asked for */
  uint32_t audio_frames;    /* buffers of sound with a reference, in the process */
  uint32_t reserved0;
} msdk_engine_stats;

/* [any thread] */
MSDK_EXPORT msdk_result msdk_engine_stats_get(msdk_engine *engine, msdk_engine_stats *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ENGINE_H */
