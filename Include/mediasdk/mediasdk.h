/* mediasdk/mediasdk.h - the whole of the program's side of MediaSDK
 *
 * MediaSDK lets a program take part in a call with media it makes itself. It joins a session, declares the formats it can make, is told
 * which one to make, sends frames, receives the frames of others, and plugs in producers and renderers, its own or third parties'.
 *
 *     msdk_engine_create                         one per embedding
 *     msdk_session_create, _connect              a membership of a room, "loopback:lobby", or over a network: rtp.h, hub.h
 *     msdk_outgoing_video_create                 what this program can make
 *     msdk_session_start_video                   ... offered to the room
 *     msdk_session_next_event                    MSDK_EVENT_FRAME_SENDER_CHANGED: what to make now, and the sender to give it to
 *     msdk_frame_sender_acquire, _send           frame by frame
 *     msdk_session_next_event                    MSDK_EVENT_INCOMING_VIDEO_ADDED: somebody else's stream
 *     msdk_incoming_video_start, _read           frame by frame
 *
 * Sound goes the same way with msdk_outgoing_audio_create, msdk_session_start_audio and msdk_outgoing_audio_send, and comes out of
 * msdk_incoming_audio_read, from one participant or, by msdk_session_mixed_audio, from all of them mixed.
 *
 * A screen share can be fed by another process: ingest.h. Its side is feeder.h, of a library of its own.
 *
 * A complete program of each side is Examples/C/send.c and Examples/C/receive.c, of sound Examples/C/tone.c and Examples/C/record.c.
 * Over a network, by RTP, goes Examples/C/rtp.c; Examples/C/hub.c hosts a room for other processes, and joins one.
 *
 * Handles. Engine, session, streams, senders and instances are opaque pointers of distinct types. Their value is a token that carries a
 * generation, not an address: every function checks it, and NULL, garbage, a destroyed handle or one of another kind gives
 * MSDK_E_HANDLE. destroy(NULL) does nothing. Destroying a parent ends all that it owns; the children's handles then give MSDK_E_HANDLE
 * or MSDK_E_CLOSED, and may still be destroyed. Frames are the exception: msdk_video_frame, msdk_audio_frame and msdk_encoded_frame are
 * structs to look into, counted by reference, and checked by their place in a table of the SDK's: garbage and frames given back get
 * MSDK_E_HANDLE, but a pointer kept beyond its reference may have become another frame.
 *
 * Threads. Every function may be called from any thread, at the same time as any other, and inside any callback, unless its comment says
 * otherwise in brackets: [any thread] is the rule, [may wait] marks the functions that can block, [not in a callback] the few that
 * refuse with MSDK_E_THREAD. The SDK makes its threads when they are first needed, and holds no lock while foreign code runs. Signals are for
 * the program's own threads and blocked in the SDK's, except those that a thread's own fault raises: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
 * SIGSYS and SIGABRT reach the program's handler from every callback, so that crash reporters and runtimes that recover from faults work. No
 * function raises SIGPIPE.
 *
 * Callbacks. Each is named with the thread that calls it. destroy from outside returns after running callbacks of the object have
 * returned; from inside a callback it returns at once and the rest happens when the callback is left. No callback comes after that.
 * Nobody needs callbacks: events, frames, encoded frames and reports can all be pulled with a timeout, and file descriptors that poll()
 * finds readable announce events and what is received.
 *
 * Timeouts are milliseconds of real time: 0 looks and returns, MSDK_WAIT_FOREVER waits.
 *
 * Ownership. What a caller passes is borrowed for the call and copied if needed longer, except where the comment says that a reference
 * is taken. What comes out belongs to the caller only where the comment says so.
 *
 * Text. Strings in are UTF-8 with NUL, at most MSDK_TEXT_MAX bytes unless stated, and refused with MSDK_E_INVALID otherwise. Text out
 * goes into the caller's struct or buffer and is cut at a character's border when too long; functions that fill a buffer tell the size
 * needed.
 *
 * Errors. A negative msdk_result from the list in types.h. msdk_last_error() has, for the calling thread, the words: which argument,
 * what it was, what is accepted. What fails later arrives as an event with the same code and words.
 *
 * Bounds. Every queue is bounded, its policy is in the options, and what it dropped is in the stats.
 *
 * Growth. This ABI only grows: see types.h for the rules of structs. New functions carry new symbol versions; the soname changes only if
 * a promise is broken. Include/CHANGES.md in the sources lists what came when.
 *
 * fork(). In the child every call returns MSDK_E_FORKED and does nothing; the child must exec or exit.
 */
#ifndef MEDIASDK_H
#define MEDIASDK_H

#include "types.h"

#include "error.h"
#include "time.h"

#include "engine.h"
#include "frame.h"
#include "hub.h"
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
#include "session.h"
#include "view.h"

#endif /* MEDIASDK_H */
