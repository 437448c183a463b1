/** @file
 * mediasdk/mediasdk.h - includes every header that a program needs; the rules that all functions share
 *
 * With MediaSDK a program takes part in a call with media that it makes itself. The program joins a room and declares the formats
 * that it can make. The SDK notifies the program which of them to make. The program then sends frames, and receives the frames of
 * others. Producers, renderers, filters and codecs can be added as plugins, by the program or by third parties.
 *
 *     msdk_engine_create                         one per embedding
 *     msdk_session_create, _connect              join a room: "loopback:lobby", or over a network (rtp.h, serve.h, webrtc.h)
 *     msdk_outgoing_video_create                 declare what this program can make
 *     msdk_session_start_video                   offer it to the room
 *     msdk_session_next_event                    MSDK_EVENT_FRAME_SENDER_CHANGED: the format to make, and the sender for it
 *     msdk_frame_sender_acquire, _send           for each frame; then msdk_video_frame_unref, which returns it to the pool
 *     msdk_session_next_event                    MSDK_EVENT_INCOMING_VIDEO_ADDED: another participant's stream
 *     msdk_incoming_video_start, _read           for each frame; then msdk_video_frame_unref
 *
 * Audio is sent with msdk_outgoing_audio_create, msdk_session_start_audio and msdk_outgoing_audio_send. It is received with
 * msdk_incoming_audio_read, from one participant or from the mix of all others (msdk_session_get_mixed_audio).
 *
 * Another process can supply the frames of a screen share. ingest.h is the side of the program that sends the screen share.
 * feeder.h is the side of the other process, in a separate library.
 *
 * To compile a program: cc program.c $(pkg-config --cflags --libs mediasdk)
 *
 * Complete programs are in Examples/C of the source tree, and installed in share/doc/mediasdk/examples: send.c and receive.c for
 * video, tone.c, record.c and wav.c for audio, bot.c for received RGB, renderer.c for a class of the program's own, tap.c for what the
 * program itself sends and for the log, rtp.c for a call by RTP over a network. serve.c serves a room to other processes, or joins one.
 * access_token.c signs who may join a room of a LiveKit server. chat.c sends and receives data (data.h), files.c texts and files
 * (data_stream.h), rpc.c calls methods of others (rpc.h).
 *
 * Handles. Engines, sessions, streams, frame senders and instances are opaque pointers of distinct types. The value of a handle is
 * a token with a generation, not an address. Every function checks its handles. NULL, garbage, a destroyed handle and a handle of
 * another kind return MSDK_E_HANDLE. destroy(NULL) does nothing. Destroying a parent ends everything that it owns. The handles of
 * its children then return MSDK_E_HANDLE or MSDK_E_CLOSED, and may still be destroyed.
 *
 * Frames are not handles. msdk_video_frame, msdk_audio_frame and msdk_encoded_frame are reference-counted structs whose members
 * can be read. The SDK looks up each frame pointer in a table. Garbage and frames without references return MSDK_E_HANDLE. A
 * pointer that is used after its reference has been given back may refer to another frame by then.
 *
 * Threads. Every function may be called on any thread, concurrently with any other function, and inside any callback. The brackets
 * at the end of its comment state this and the exceptions:
 *   - [any thread]: the rule above.
 *   - [may wait]: the function can block. Functions without this tag do not wait for a running callback.
 *   - [not in a callback]: inside a callback the function returns MSDK_E_THREAD.
 *
 * The SDK makes its threads when they are first needed. It holds no lock while foreign code runs. The SDK's threads block signals,
 * so the program's own threads handle them. The exceptions are the signals that a thread's own fault raises: SIGSEGV, SIGBUS,
 * SIGFPE, SIGILL, SIGTRAP, SIGSYS and SIGABRT. They reach the program's handler from every callback, so crash reporters work, and
 * so do runtimes that recover from faults. No function raises SIGPIPE.
 *
 * Callbacks. The comment of each callback names the thread that calls it. A destroy call from outside a callback returns after the
 * running callbacks of the object have returned. A destroy call inside a callback returns at once; the rest is done when the
 * callback returns. No callback is called after that. The functions that set or remove a callback wait in the same way for the
 * callback that was set before. The caller of a function that waits for a running callback must hold no lock that the callback
 * takes: both would wait forever. Callbacks are optional: what a callback gets can also be pulled with a timeout, and a file
 * descriptor that poll() reports as readable announces it. This holds for the log, the events of sessions and instances, access
 * requests, reports, received media, and what the program's own streams send (their taps).
 *
 * Timeouts are milliseconds of real time. With 0 a function does not wait: it returns MSDK_E_AGAIN if nothing is available.
 * MSDK_WAIT_FOREVER waits without limit. With any other value a function returns MSDK_E_TIMEOUT after that time.
 *
 * Ownership. Arguments are borrowed for the call. The SDK copies what it needs for longer, unless the comment says that it takes a
 * reference. Results belong to the caller only where the comment says so.
 *
 * Text. Strings that are passed in are UTF-8 and end with NUL. They have at most MSDK_TEXT_MAX bytes unless stated otherwise. Any
 * other string is refused with MSDK_E_INVALID. Text that is returned is written to the caller's struct or buffer. In a struct,
 * text that is too long is truncated at the end of a character. Functions that fill a buffer return the size that is needed, and
 * MSDK_E_BUFFER_SMALL if the buffer is smaller.
 *
 * Errors. A function that fails returns a negative msdk_result from the list in types.h. msdk_last_error() then returns a text for
 * the calling thread: which argument was wrong, what it was, and what is accepted. A failure that happens later is reported by an
 * event with the same code and text.
 *
 * Bounds. Every queue is bounded. Its policy is set in the options, and the stats count what it dropped.
 *
 * Growth. From 1.0 on this ABI only grows; types.h has the rules for structs. New functions have new symbol versions. The soname changes
 * only if compatibility is broken. Include/CHANGES.md in the source tree lists the changes of each version.
 *
 * fork(). Once an engine was created, every function that returns an msdk_result returns MSDK_E_FORKED in the child process and does
 * nothing, except those of time.h; msdk_engine_now returns 0. msdk_version and the functions of error.h work. The child must exec or exit.
 * A process that has only loaded the library can fork, as a daemon does, and its child can use it.
 */
#ifndef MEDIASDK_H
#define MEDIASDK_H

#include "types.h"

#include "error.h"
#include "time.h"

#include "access.h"
#include "data.h"
#include "data_stream.h"
#include "rpc.h"
#include "encryption.h"
#include "engine.h"
#include "frame.h"
#include "incoming_audio.h"
#include "incoming_video.h"
#include "ingest.h"
#include "instance.h"
#include "network.h"
#include "outgoing_audio.h"
#include "outgoing_video.h"
#include "report.h"
#include "room.h"
#include "rtp.h"
#include "serve.h"
#include "session.h"
#include "view.h"
#include "webrtc.h"

#endif /* MEDIASDK_H */
