/** @file
 * mediasdk/feeder.h - the feeder's side of a screen share: a library of its own, libmediasdk-feeder
 *
 * A feeder sends frames to a session of another process on the same machine. The session must listen for it (local ingest,
 * ingest.h). The library needs nothing of libmediasdk, and nothing but libc. Link with `pkg-config --libs mediasdk-feeder`, or put
 * libmediasdk-feeder.a into your program. Errors are the msdk_result codes of types.h; msdk_feeder_last_error returns the error text.
 *
 *     msdk_feeder_open                 connects; the session proves its token, then the feeder proves its own
 *     msdk_feeder_send                 a frame in any memory: copied, then sent by a thread of the feeder's
 *     msdk_feeder_acquire, _submit     over a Unix socket: a frame in memory shared by both processes, without a copy
 *     msdk_feeder_close
 *
 * One frame is sent at a time. A further frame meanwhile is dropped with MSDK_E_AGAIN: a slow session gets fewer frames, never
 * older ones.
 *
 * THE WIRE PROTOCOL, version 2, for those who write their own feeder
 *
 * The connection is TCP to 127.0.0.1, or a Unix stream socket. All numbers are little-endian, and unsigned unless stated. A message
 * is a header of 8 bytes and a body:
 *     u32 length of the body, u16 type, u16 0, body
 * Fields that must be 0 are refused if they are not. Messages to the session:
 *   1 HELLO       the first message: 8 bytes "MSDKFEED", u16 version (2), u16 0, u32 0, 32 random bytes, the feeder's nonce
 *   7 PROOF       the second message, after CHALLENGE, within 2 s of connecting: 32 bytes, the proof of the transmission token
 *   2 FRAME       a frame header (64 bytes, see below), then its payload
 *   3 SLOT        Unix socket only. u32 id (0..15), u32 0, u64 size in bytes. One descriptor comes with the bytes of this message,
 *                 by SCM_RIGHTS: a memfd of at least that size with the seals F_SEAL_SHRINK and F_SEAL_GROW. The session maps it
 *                 for reading
 *   4 SLOT_FRAME  u32 id, u32 0, a frame header. The payload is at the beginning of that slot. The slot is the session's until
 *                 RELEASE. Raw frames only
 *   5 FORGET      u32 id, u32 0. The slot, which must not be the session's at the moment, is unmapped; its id can be used again
 *   6 BYE         no body. The last message. The session then closes the connection; a feeder that waits for that before it closes its
 *                 socket knows that everything has been received
 * Messages to the feeder:
 *   20 CHALLENGE  the answer to HELLO: u16 version (2), u16 0, u32 0, 32 random bytes, the session's nonce, and 32 bytes, the proof
 *                 of the reception token. The feeder must check the proof before it sends anything else
 *   16 WELCOME    the answer to a correct PROOF: u16 version (2), u16 0, u32 number of slots (16; 0 over TCP), u64 largest payload
 *                 in bytes
 *   17 REFUSED    u32 reason (MSDK_FEED_*, types.h), u32 size of the text, the text in UTF-8. The session then closes the
 *                 connection
 *   18 RELEASE    u32 id, u32 0. The slot is the feeder's again
 *   19 KEY_FRAME  no body. For a feeder that sends VP8: the next frame should be a key frame
 *
 * Proofs. The tokens never leave the two processes. Neither side reveals anything about a token to a peer that does not know it
 * already. A proof is HMAC-SHA-256 (RFC 2104), with the token as the key, over these 104 bytes:
 *    0 16 bytes          who proves: "MSDKFEED session", or "MSDKFEED feeder" and a 0
 *   16 u16               version (2)
 *   18 u16               size of the token in bytes
 *   20 u32               transport: 1 TCP, 2 Unix socket. The next four fields are 0 for a Unix socket
 *   24 u32               address of the session, IPv4; 127.0.0.1 is 0x7F000001
 *   28 u32               address of the feeder
 *   32 u16               port of the session
 *   34 u16               port of the feeder
 *   36 u32               0
 *   40 32 bytes          the feeder's nonce
 *   72 32 bytes          the session's nonce
 *
 * Both sides compare in constant time, and use new random bytes for each connection. Addresses and ports are part of the proof, so
 * both sides refuse a TCP connection that somebody forwards, or whose addresses are rewritten. Version 1, in which the feeder sent
 * its token to whoever listened, is no longer accepted. A HELLO of another version is answered by REFUSED with MSDK_FEED_VERSION,
 * whatever follows in it. A feeder must not try again with version 1.
 *
 * Frame header, 64 bytes
 *    0 u32 format        MSDK_PIXEL_* (I420, NV12, BGRA, RGBA …), or MSDK_CODEC_VP8
 *    4 u32 width         pixels
 *    8 u32 height        pixels
 *   12 u32 flags         bit 0: a key frame, of VP8
 *   16 i64 timestamp     when the frame was captured, nanoseconds of CLOCK_MONOTONIC. 0, times in the future and times more than 10
 *                        s ago are read as the current time
 *   24 u32 orientation   MSDK_ROTATE_* | MSDK_MIRROR
 *   28 u32 planes        the number of planes of the pixel format; 0 for VP8
 *   32 u32 stride[4]     bytes from one row to the next, for each plane: a row's bytes, plus at most 4,096; 0 for planes that do
 *                        not exist
 *   48 u32 color_matrix        as in msdk_video_format
 *   52 u32 color_full_range    as in msdk_video_format
 *   56 u64 payload       bytes; for raw frames the sum of stride * rows of all planes, which follow each other without gaps
 * Rows and bytes of a row are those that msdk_frame_get_layout (frame.h) returns for alignment 1: chroma of odd sizes is rounded
 * up.
 *
 * A message that has begun must continue: after 5 s without a byte the session closes the connection. Between messages there is no
 * limit. The reasons for a refusal:
 *   NOT_ADMITTED  a proof is wrong or too late, without stating which; or a process of another user on the Unix socket
 *   BUSY          the proof was correct, but another feeder is connected
 *   VERSION       HELLO has another version
 *   CROWDED       too many connections that have not proved a token. A feeder may connect again; msdk_feeder_open does, until its
 *                 timeout
 *   MALFORMED     a message or header contradicts itself or these rules
 *   TOO_LARGE     a length is beyond the largest payload
 *   FORMAT        a frame is beyond the limits of the session, or has a format that the session does not accept
 *   SLOT          an id is not registered, or the slot is still the session's; a descriptor is missing, unsealed or too small, or
 *                 there are too many
 *   STALLED       the 5 s have passed, or the feeder does not read RELEASE messages
 *   CLOSED        the session stopped listening
 */
#ifndef MEDIASDK_FEEDER_H
#define MEDIASDK_FEEDER_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_feeder msdk_feeder; /**< an address: unlike the handles of libmediasdk it is not checked */

typedef struct msdk_feeder_options {
  uint32_t struct_size;
  uint32_t port;           /**< on 127.0.0.1, 1..65535; 0: socket_path is used */
  const char *socket_path; /**< at most 107 bytes; NULL: port is used; exactly one of both is set */
  const void *transmission_token; /**< that the feeder proves; 16..255 bytes of any value; used only during msdk_feeder_open */
  const void *reception_token;    /**< that the session must prove first; likewise */
  uint32_t transmission_token_size, reception_token_size; /**< bytes */
  uint32_t timeout_ms; /**< for connecting and both proofs; 0: 5,000 */
  uint32_t slots;      /**< frames of shared memory, 2..16; 0: 4; made when they are first acquired */
} msdk_feeder_options;

/** Connects. The session proves that it knows the reception token, then the feeder proves the transmission token. A listener that
 * cannot prove the token gets 32 random bytes and nothing else. The caller closes *out. After a failure msdk_feeder_last_error()
 * returns the error text.
 *   MSDK_E_UNTRUSTED   the listener did not prove the reception token
 *   MSDK_E_PERMISSION  the session did not admit this feeder, or the socket's file may not be accessed
 *   MSDK_E_EXISTS      another feeder is connected
 *   MSDK_E_NOT_FOUND   nobody listens there
 *   MSDK_E_CORRUPT     the listener uses another protocol
 *   MSDK_E_ABI         the session uses another version of the protocol
 *   MSDK_E_TIMEOUT     no answer in time
 *   MSDK_E_INVALID, MSDK_E_RANGE   options
 *   MSDK_E_UNSUPPORTED options has something that this version does not know
 *   MSDK_E_FULL        the session had too many connections until the timeout (CROWDED)
 *   MSDK_E_NOMEM       no memory, descriptor or thread is left
 *   MSDK_E_IO          the connection failed
 *
 * [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_feeder_open(const msdk_feeder_options *options, msdk_feeder **out);

/** A frame. To send one from memory of its own, the caller sets everything but `slot`. To send one without a copy,
 * msdk_feeder_acquire sets the members. */
typedef struct msdk_feeder_frame {
  uint32_t struct_size;
  uint32_t pixel_format; /**< MSDK_PIXEL_* */
  uint32_t width, height; /**< pixels, 1..MSDK_DIMENSION_MAX */
  uint32_t orientation;  /**< MSDK_ROTATE_* | MSDK_MIRROR */
  uint32_t color_matrix, color_full_range; /**< as in msdk_video_format */
  uint32_t slot;         /**< set by msdk_feeder_acquire */
  int64_t timestamp_ns;  /**< CLOCK_MONOTONIC, when it was captured; 0: now */
  msdk_plane plane[MSDK_PLANES_MAX]; /**< data and stride; size is not read */
} msdk_feeder_frame;

/** Sends a frame, which is copied before the call returns. MSDK_E_AGAIN: the previous frame is still being sent; this one is
 * dropped. MSDK_E_CLOSED: the connection has ended; msdk_feeder_last_error returns the reason. MSDK_E_INVALID, MSDK_E_RANGE,
 * MSDK_E_UNSUPPORTED: the frame is not valid; nothing was sent. MSDK_E_NOMEM: no memory for the copy. Never waits. [any thread, one
 * at a time] */
MSDK_EXPORT msdk_result msdk_feeder_send(msdk_feeder *feeder, const msdk_feeder_frame *frame);

/** Returns a frame of shared memory with this format, to be filled and submitted, or discarded. Sets all members of frame; timestamp
 * and colour are set to 0. MSDK_E_STATE: the connection is not a Unix socket. MSDK_E_AGAIN: the session has all frames.
 * MSDK_E_RANGE, MSDK_E_UNSUPPORTED: size or pixel format. MSDK_E_NOMEM: no shared memory. MSDK_E_CLOSED: the connection has ended.
 * [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_acquire(msdk_feeder *feeder, uint32_t pixel_format, uint32_t width, uint32_t height,
                                            msdk_feeder_frame *frame);

/** Sends an acquired frame without a copy. From then on its memory is the session's. MSDK_E_AGAIN: the previous frame is still being
 * sent; this frame stays the caller's. MSDK_E_INVALID: frame->slot was not acquired. MSDK_E_UNSUPPORTED: the frame has something
 * that this version does not know. MSDK_E_CLOSED: the connection has ended. [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_submit(msdk_feeder *feeder, const msdk_feeder_frame *frame);

/** Gives back an acquired frame that is not sent. MSDK_E_INVALID: frame->slot was not acquired. [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_discard(msdk_feeder *feeder, const msdk_feeder_frame *frame);

/** Sends a VP8 frame. These members of the struct are read: codec, data, size, flags, width, height, orientation, timestamp_ns (0:
 * now), color_matrix and color_full_range. MSDK_E_AGAIN: the previous frame is still being sent; this one is dropped. The frames
 * after a dropped one cannot be decoded: make a key frame. MSDK_E_UNSUPPORTED: another codec, or something that this version does
 * not know. MSDK_E_RANGE, MSDK_E_INVALID,
 * MSDK_E_NOMEM, MSDK_E_CLOSED: as in msdk_feeder_send. [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_send_encoded(msdk_feeder *feeder, const msdk_encoded_frame *frame);

/** Sets *out to 1 if the session has requested a key frame since the last call, else to 0. [any thread] */
MSDK_EXPORT msdk_result msdk_feeder_take_key_frame_request(msdk_feeder *feeder, uint32_t *out);

/** Waits until the connection has taken the whole frame that was sent last. MSDK_E_TIMEOUT: it has not in time. MSDK_E_AGAIN:
 * timeout_ms is 0 and it has not. MSDK_E_CLOSED: the connection has ended. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_feeder_flush(msdk_feeder *feeder, uint32_t timeout_ms);

/** Returns why the session ended the connection, MSDK_FEED_*. MSDK_FEED_NONE: the connection is alive, or it broke off. [any thread] */
MSDK_EXPORT msdk_result msdk_feeder_get_reason(msdk_feeder *feeder, uint32_t *out);

/** Returns the error text of the calling thread's last failed call of a function of this header, "" if there was none. It is valid
 * until the thread's next failed call. Never returns NULL. [any thread] */
MSDK_EXPORT const char *msdk_feeder_last_error(void);

/** Sends the rest of a frame that is being sent, then BYE, ends the thread and frees everything, also acquired frames. Waits until the
 * session has received BYE and has closed the connection, for at most 2 s. What the session has not received by then may be lost.
 * feeder may be NULL. [any thread, the last call] [may wait] */
MSDK_EXPORT void msdk_feeder_close(msdk_feeder *feeder);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_FEEDER_H */
