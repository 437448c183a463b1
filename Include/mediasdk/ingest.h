/** @file
 * mediasdk/ingest.h - local ingest: a screen share whose frames another process sends
 *
 * A program that may not capture the screen itself, or does not want to, listens on its session: on a port, a Unix socket, or both,
 * with two tokens. Another process on the same machine, the feeder, connects (feeder.h, or mediasdk.feeder of the Python binding).
 * The session proves the reception token to it. The feeder proves the transmission token. From then on the feeder sends frames. The
 * share starts by itself with the first frame, as a stream of kind MSDK_VIDEO_SCREEN_SHARE that the session owns. It ends when the
 * feeder disconnects.
 *
 * The port is open to every user of the machine, so only the tokens protect it. Make them of random bytes, new ones each time, and
 * pass them on by a channel that others cannot read: a pipe or a file of mode 0600, not a command line. Neither token is ever sent.
 * Both sides prove that they know them, the session first, by answering a challenge that is new for each connection (feeder.h). If
 * another user's process took the port before the session did, it learns nothing and gets no frame, and what it records or forwards
 * is not accepted. Everybody who connects gets a proof, against which guesses of the reception token can be tested offline; so
 * neither token may be one that can be guessed. Nothing is encrypted, because the bytes do not leave the machine. The Unix socket
 * has mode 0600, and processes of other users are refused there.
 *
 * One feeder is connected at a time. Of connections that have not proved their token, at most 32 over TCP and 32 over the Unix
 * socket are kept. One more takes the place of the oldest that has sent nothing, or else of the oldest. Each has 2 seconds. A
 * feeder that was closed in this way connects again. Whatever is wrong with the bytes of a connection ends that connection only,
 * with a reason.
 *
 * A feeder may change size and format from frame to frame. For each change the session starts a new stream and stops the former
 * one. With MSDK_CODEC_VP8 or a plugin's codec the session converts other formats than NV12 and I420 to NV12, so only a new size
 * makes a new stream. VP8 frames of the feeder are passed on unchanged, whatever codec is set here. When a receiver needs a key frame,
 * the session requests it from the feeder.
 */
#ifndef MEDIASDK_INGEST_H
#define MEDIASDK_INGEST_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_INGEST_TOKEN_MIN = 16,   /**< bytes */
  MSDK_INGEST_TOKEN_MAX = 255
};

typedef struct msdk_ingest_options {
  uint32_t struct_size;
  uint32_t port;           /**< 1..65535 on 127.0.0.1, or MSDK_PORT_ANY; 0: none */
  const char *socket_path; /**< of the Unix socket, at most 107 bytes; NULL: none */
  const void *transmission_token; /**< that the feeder must prove; bytes of any value, also 0; copied */
  const void *reception_token;    /**< that the session proves to the feeder; must differ from the other; copied */
  uint32_t transmission_token_size, reception_token_size; /**< bytes, MSDK_INGEST_TOKEN_MIN..MSDK_INGEST_TOKEN_MAX */
  uint32_t limits; /**< MSDK_LIMITS_* of a screen share; a frame beyond them ends the connection */
  uint32_t codec;  /**< of raw frames, as in outgoing_video.h: MSDK_CODEC_AUTO, MSDK_CODEC_RAW, MSDK_CODEC_VP8, or a plugin's */
  uint32_t fps;    /**< frames a second, up to the limits' rate; 0: 15; frames beyond that are dropped */
  uint32_t preset; /**< MSDK_PRESET_*, as in msdk_outgoing_video_options */
  uint64_t target_bitrate; /**< bits per second, as in msdk_outgoing_video_options; 0: by size and rate */
} msdk_ingest_options;

/** Starts listening for a feeder, on a session in any state. Frames that come while the session is not connected, or while the
 * program shares a screen itself, are dropped. Afterwards the share begins with the next frame: a feeder whose screen may stand still
 * repeats the last one every few seconds. If the session listens already, that ends first: its feeder gets the reason
 * MSDK_FEED_CLOSED, and its share ends. options NULL: listening only ends. After an error the session does not listen; only if the
 * options or the clock are refused, the former listener stays.
 *   MSDK_E_UNSUPPORTED  the engine does not have the system clock, or no class encodes the codec
 *   MSDK_E_EXISTS       the port is taken, somebody listens on the socket, or socket_path is a file that is not a socket of this
 *                       user; the error text names it. A socket on which nobody listens any more is replaced
 *   MSDK_E_INVALID, MSDK_E_RANGE   options
 *   MSDK_E_PERMISSION, MSDK_E_NOT_FOUND, MSDK_E_NOMEM, MSDK_E_IO   the system refuses the port or the socket; there is no such
 *                                                                  directory; no descriptor is left; anything else
 *   MSDK_E_STATE        another thread started listening meanwhile
 *
 * [any thread] [may wait for running callbacks of the share] */
MSDK_EXPORT msdk_result msdk_session_set_ingest(msdk_session *session, const msdk_ingest_options *options);

/** Returns the port on which the session listens; 0: only a socket. MSDK_E_STATE: it does not listen. [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_ingest_port(msdk_session *session, uint32_t *out);

/** States of MSDK_EVENT_INGEST. The event's value is an MSDK_FEED_* reason (types.h); status and text are the same as a result and
 * as text. */
enum {
  MSDK_INGEST_FEEDER_CONNECTED = 0x501, /**< text: over which transport */
  /** status MSDK_OK: the feeder sent BYE; MSDK_E_IO: the connection broke off; else: why the session closed it */
  MSDK_INGEST_FEEDER_DISCONNECTED = 0x502,
  /** A connection that did not become the feeder. If many come in a short time, some have no event; the next event's text states how
   * many. */
  MSDK_INGEST_FEEDER_REFUSED = 0x503,
  /** The share began, or began again in another format: outgoing_video, format and codec are set. The stream is the session's. Its
   * events come as those of any stream, but without MSDK_EVENT_FRAME_SENDER_CHANGED. It ends with the feeder. An event that is read
   * after that has its handle, which every function refuses (MSDK_E_HANDLE), as session.h says of all events. If the program stops
   * or destroys the stream, the share stays ended until the feeder changes its format or another feeder connects. */
  MSDK_INGEST_SHARING = 0x504
};

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INGEST_H */
