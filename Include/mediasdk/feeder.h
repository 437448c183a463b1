/* mediasdk/feeder.h - the feeder's side of a screen share: a library of its own, libmediasdk-feeder
 *
 * A feeder sends pictures into the session of another process of the same machine, which has opened a door for it (ingest.h). This
 * needs nothing of libmediasdk and nothing but libc: link with `pkg-config --libs mediasdk-feeder`, or put libmediasdk-feeder.a into your program.
 * Errors are the msdk_result of types.h, the words are in msdk_feeder_error.
 *
 *     msdk_feeder_open                 connects; the session proves its token, then the feeder
 *     msdk_feeder_send                 a frame of any memory: copied, sent by a thread of the feeder's
 *     msdk_feeder_acquire, _submit     by Unix socket: a frame in memory that both processes see, no copy
 *     msdk_feeder_close
 *
 * One frame is on its way at a time. While it is, sending another one gives MSDK_E_AGAIN and drops that: a slow session gets fewer frames,
 * never older ones.
 *
 * THE WIRE, version 2, for those who write a feeder of their own
 *
 * By TCP to 127.0.0.1, or by Unix stream socket. All numbers are little-endian and unsigned unless said otherwise. A message is a head of
 * 8 bytes and a body:
 *     u32 length of the body, u16 type, u16 0, body
 * What must be 0 is refused when it is not. To the session:
 *   1 HELLO       the first message: 8 bytes "MSDKFEED", u16 version (2), u16 0, u32 0, 32 random bytes, the feeder's nonce
 *   7 PROOF       the second one, after CHALLENGE, within 2 s of connecting: 32 bytes, the proof of the transmission token
 *   2 FRAME       a frame header (64 bytes, see below), then its payload
 *   3 SLOT        Unix socket only. u32 id (0..15), u32 0, u64 size in bytes. With the bytes of this message comes one descriptor by
 *                 SCM_RIGHTS: a memfd of at least that size with the seals F_SEAL_SHRINK and F_SEAL_GROW, which is mapped for reading
 *   4 SLOT_FRAME  u32 id, u32 0, a frame header. The payload lies at the beginning of that slot, which is the session's until RELEASE.
 *                 Raw frames only
 *   5 FORGET      u32 id, u32 0. The slot, which is not the session's, is unmapped, and its id free for another
 *   6 BYE         no body. The last message
 * and to the feeder:
 *   20 CHALLENGE  the answer to HELLO: u16 version (2), u16 0, u32 0, 32 random bytes, the session's nonce, and 32 bytes, the proof of the
 *                 reception token, which the feeder must check before it sends anything else
 *   16 WELCOME    the answer to a right PROOF: u16 version (2), u16 0, u32 number of slots (16; 0 by TCP), u64 largest payload
 *   17 REFUSED    u32 reason (MSDK_FEED_*, types.h), u32 size of the text, the text in UTF-8. The connection is closed after it
 *   18 RELEASE    u32 id, u32 0. The slot is the feeder's again
 *   19 KEY_FRAME  no body. To a feeder of VP8: the next frame should be a key frame
 *
 * Proofs. The tokens do not leave the two processes; neither side learns anything of a token from one who does not know it already. A proof
 * is HMAC-SHA-256 (RFC 2104), the token its key, over these 104 bytes:
 *    0 16 bytes          who proves: "MSDKFEED session", or "MSDKFEED feeder" and a 0
 *   16 u16 version (2), 18 u16 size of the token in bytes
 *   20 u32 transport     1 TCP, 2 Unix socket. The next four are 0 by Unix socket
 *   24 u32 address of the session, 28 u32 address of the feeder   IPv4, 127.0.0.1 is 0x7F000001
 *   32 u16 port of the session, 34 u16 port of the feeder, 36 u32 0
 *   40 32 bytes          the feeder's nonce
 *   72 32 bytes          the session's nonce
 * Both compare in constant time, and use fresh random bytes for each connection. As addresses and ports are part of it, a connection by TCP
 * that somebody forwards, or whose addresses are rewritten, is refused by both sides. The first version, in which the feeder showed its
 * token to whoever listened, is not spoken any more: a HELLO of another version is answered by REFUSED with MSDK_FEED_VERSION, whatever
 * follows in it, and a feeder must not try again with the first.
 *
 * Frame header, 64 bytes
 *    0 u32 format        MSDK_PIXEL_* (I420, NV12, BGRA, RGBA …), or MSDK_CODEC_VP8
 *    4 u32 width, 8 u32 height
 *   12 u32 flags         bit 0: a key frame, of VP8
 *   16 i64 timestamp     nanoseconds of CLOCK_MONOTONIC, when the picture was captured; 0, the future and what is more than 10 s old
 *                        are read as now
 *   24 u32 orientation   MSDK_ROTATE_* | MSDK_MIRROR
 *   28 u32 planes        as many as the pixel format has; 0 of VP8
 *   32 u32 stride[4]     bytes from row to row of each plane: a row's bytes to 4,096 more; 0 of planes that are not
 *   48 u32 color_matrix, 52 u32 color_full_range   as in msdk_video_format
 *   56 u64 payload       bytes: of raw frames the sum of stride * rows of the planes, which follow one another without gaps
 * Planes have the rows and bytes of a row that msdk_frame_layout_get (frame.h) gives for alignment 1: chroma of odd sizes is rounded up.
 *
 * A message that has begun must go on: after 5 s without a byte the connection is closed. Between messages there is no limit.
 * Reasons: a proof that is wrong or too late is MSDK_FEED_NOT_ADMITTED, without saying which, as is another user's process on the Unix
 * socket. BUSY: the proof was right but another feeder is there. VERSION: of HELLO. CROWDED: too many connections that have not proved a
 * token; a feeder may come again, and msdk_feeder_open does until its time has gone by. MALFORMED: a message or header that contradicts
 * itself or these rules. TOO_LARGE: a length beyond the largest payload. FORMAT: a frame beyond the limits of the session, or a format it
 * does not take. SLOT: an id that is not registered, or still the session's, a descriptor missing, too many, unsealed or too small.
 * STALLED: the 5 s, or RELEASEs that are not read. CLOSED: the session closed its door.
 */
#ifndef MEDIASDK_FEEDER_H
#define MEDIASDK_FEEDER_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_feeder msdk_feeder; /* an address: unlike the handles of libmediasdk it is not checked */

typedef struct msdk_feeder_options {
  uint32_t struct_size;
  uint32_t port;           /* of 127.0.0.1; 0: socket_path is used */
  const char *socket_path; /* NULL: port is used; one of both */
  const void *transmission_token; /* what the feeder proves; 16..255 bytes, any; used while msdk_feeder_open runs only */
  const void *reception_token;    /* what the session must prove first; likewise */
  uint32_t transmission_token_size, reception_token_size;
  uint32_t timeout_ms; /* for connecting and both proofs; 0: 5,000 */
  uint32_t slots;      /* frames of common memory, 2..16; 0: 4; made when they are first acquired */
} msdk_feeder_options;

/* Connects; the session proves that it knows the reception token, then the feeder proves the transmission token. Whoever listens there and
 * cannot prove it gets 32 random bytes and nothing else. *out is the caller's to close. MSDK_E_PERMISSION: what listens did not prove the
 * reception token, or the session did not admit this feeder: the words say which; MSDK_E_EXISTS: another feeder is there;
 * MSDK_E_NOT_FOUND: nobody listens there; MSDK_E_CORRUPT: what answers speaks something else; MSDK_E_ABI: it speaks another version;
 * MSDK_E_TIMEOUT, MSDK_E_INVALID, MSDK_E_RANGE, MSDK_E_NOMEM, MSDK_E_IO. After a failure msdk_feeder_error(NULL) has the words.
 * [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_feeder_open(const msdk_feeder_options *options, msdk_feeder **out);

/* A picture. To send one of memory of its own the caller fills everything but `slot`; to send without a copy, acquire fills it. */
typedef struct msdk_feeder_frame {
  uint32_t struct_size;
  uint32_t pixel_format; /* MSDK_PIXEL_* */
  uint32_t width, height;
  uint32_t orientation;  /* MSDK_ROTATE_* | MSDK_MIRROR */
  uint32_t color_matrix, color_full_range; /* as in msdk_video_format */
  uint32_t slot;         /* of acquire */
  int64_t timestamp_ns;  /* CLOCK_MONOTONIC, when it was captured; 0: now */
  msdk_plane plane[MSDK_PLANES_MAX]; /* data and stride; size and fd are not looked at */
} msdk_feeder_frame;

/* Sends a frame: it is copied before this returns. MSDK_E_AGAIN: the one before is still on its way, this one is dropped. MSDK_E_CLOSED:
 * the connection has ended, msdk_feeder_error says why. MSDK_E_INVALID, MSDK_E_RANGE, MSDK_E_UNSUPPORTED: the frame is not one; nothing
 * was sent. Never waits. [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_send(msdk_feeder *feeder, const msdk_feeder_frame *frame);

/* A frame of common memory of that format, to be filled and submitted, or discarded. Connections by Unix socket only (MSDK_E_STATE).
 * MSDK_E_AGAIN: all are with the session. Fills frame but for its timestamp and colour, which it clears. [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_acquire(msdk_feeder *feeder, uint32_t pixel_format, uint32_t width, uint32_t height,
                                            msdk_feeder_frame *frame);

/* Sends what was acquired, no copy; from now on its memory is the session's. On MSDK_E_AGAIN it is still the caller's. MSDK_E_INVALID:
 * frame->slot was not acquired. [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_submit(msdk_feeder *feeder, const msdk_feeder_frame *frame);

/* Gives back what was acquired and is not to be sent. [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_discard(msdk_feeder *feeder, const msdk_feeder_frame *frame);

/* Sends a VP8 frame: codec, data, size, flags, width, height, orientation, timestamp_ns (0: now), color_matrix and color_full_range of the
 * struct. Of frames that are dropped the next ones cannot be decoded: after MSDK_E_AGAIN make a key frame. [any thread, one at a time] */
MSDK_EXPORT msdk_result msdk_feeder_send_encoded(msdk_feeder *feeder, const msdk_encoded_frame *frame);

/* 1 once each time the session asked for a key frame, else 0. [any thread] */
MSDK_EXPORT uint32_t msdk_feeder_wants_key_frame(msdk_feeder *feeder);

/* Waits until what was sent is on its way whole. MSDK_E_TIMEOUT, MSDK_E_CLOSED. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_feeder_flush(msdk_feeder *feeder, uint32_t timeout_ms);

/* MSDK_FEED_*: why the session ended the connection; MSDK_FEED_NONE while it is alive and when it broke off. [any thread] */
MSDK_EXPORT uint32_t msdk_feeder_reason(msdk_feeder *feeder);

/* The words of the calling thread's last failed call with any feeder; "" when there was none. Valid until its next failing call. feeder is
 * not looked at and may be NULL. Never NULL. [any thread] */
MSDK_EXPORT const char *msdk_feeder_error(msdk_feeder *feeder);

/* Says goodbye, ends the thread, frees everything; frames that were acquired too. What is not yet on its way whole is lost: flush
 * first. NULL is fine. [any thread, the last call] [may wait for a moment] */
MSDK_EXPORT void msdk_feeder_close(msdk_feeder *feeder);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_FEEDER_H */
