/* mediasdk/ingest.h - a screen share that another process feeds
 *
 * A program that may not capture the screen itself, or would rather not, opens a door on its session: a port, a Unix socket, or both, and
 * two tokens. Another process on the same machine, the feeder (feeder.h, or mediasdk.feeder of the Python binding), connects, has
 * the reception token proved to it, proves the transmission token, and from then on sends frames. Sharing starts by itself at the first frame, as a
 * stream of kind MSDK_VIDEO_SCREEN_SHARE that the session owns, and ends when the feeder goes.
 *
 * The port is open to every user of the machine, so the tokens are what protects it: make them of random bytes, anew for each door, and
 * hand them over by a way that others cannot read (a pipe, a file of mode 0600; not a command line). Neither is ever sent: both sides
 * prove that they know them, the session first, by answering a challenge that is new for each connection (feeder.h). So another user's
 * process that took the port before the session did learns nothing and gets no frame, and what it recorded or forwards admits nobody.
 * Whoever connects gets a proof to guess the reception token by, so both tokens must be more than anybody can guess. Nothing is
 * encrypted: the bytes do not leave the machine. The Unix socket is of mode 0600, and processes of other users are refused there.
 *
 * There is one feeder at a time. At most 32 connections by TCP that have not proved their token are kept, and 32 by Unix socket: for one
 * more that is dropped which has said nothing yet, else the oldest. Each has 2 seconds; a feeder that was dropped so comes again. Whatever
 * is wrong with what a connection sends ends that connection, with a reason, and nothing else.
 *
 * A feeder may change size and format from frame to frame: for each a stream of its own is started and the former one is stopped. With a
 * codec the session converts what is not NV12 or I420 to NV12, and only the size makes a new stream. VP8 of the feeder's is passed on as it
 * is whatever the codec here; receivers who need a key frame make the session ask the feeder for one.
 */
#ifndef MEDIASDK_INGEST_H
#define MEDIASDK_INGEST_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_INGEST_ANY_PORT = 65536, /* one that is free: msdk_session_ingest_port tells which */
  MSDK_INGEST_TOKEN_MIN = 16,   /* bytes */
  MSDK_INGEST_TOKEN_MAX = 255
};

typedef struct msdk_ingest_options {
  uint32_t struct_size;
  uint32_t port;           /* 1..65535 on 127.0.0.1, MSDK_INGEST_ANY_PORT; 0: none */
  const char *socket_path; /* of the Unix socket, at most 107 bytes; NULL: none */
  const void *transmission_token; /* what the feeder must prove; any bytes, also 0; copied */
  const void *reception_token;    /* what is proved to it; must differ from the other; copied */
  uint32_t transmission_token_size, reception_token_size; /* MSDK_INGEST_TOKEN_MIN..MSDK_INGEST_TOKEN_MAX */
  uint32_t limits; /* MSDK_LIMITS_* of a screen share; a frame beyond them ends the connection */
  uint32_t codec;  /* MSDK_CODEC_NONE: raw frames pass as they are; MSDK_CODEC_VP8 */
  uint32_t fps;    /* frames a second at most, up to the limits' rate; 0: 15. Frames beyond that are left out */
  uint32_t preset; /* MSDK_PRESET_*, as in msdk_outgoing_video_options */
  uint64_t target_bitrate; /* likewise, bits per second; 0: by size and rate */
} msdk_ingest_options;

/* Opens the door, on a session in any state; frames that come while it is not connected, or while the program shares a screen itself,
 * are left out. When there is a door already, it is closed first, its feeder told and the share ended. NULL only closes. Needs an engine
 * with the system clock (MSDK_E_STATE). MSDK_E_EXISTS when the port is taken, or the socket belongs to somebody alive: the text names it;
 * a socket that nobody listens on any more is replaced, a file that is no socket is not. MSDK_E_INVALID, MSDK_E_RANGE,
 * MSDK_E_PERMISSION, MSDK_E_IO: no door is open then. [any thread] [may wait for running callbacks of the share] */
MSDK_EXPORT msdk_result msdk_session_set_ingest(msdk_session *session, const msdk_ingest_options *options);

/* The port of the open door; 0 when it has only a socket. MSDK_E_STATE without a door. [any thread] */
MSDK_EXPORT msdk_result msdk_session_ingest_port(msdk_session *session, uint32_t *out);

/* States of MSDK_EVENT_INGEST. In value stands MSDK_FEED_* (types.h), in status and text the same as a result and in words. */
enum {
  MSDK_INGEST_FEEDER_CONNECTED = 1,    /* text: by which way */
  MSDK_INGEST_FEEDER_DISCONNECTED = 2, /* status MSDK_OK: it said goodbye; MSDK_E_IO: it broke off; else why it was closed */
  /* A connection that did not become the feeder. Of many in a short time some are not told of, and the next text says how many. */
  MSDK_INGEST_FEEDER_REFUSED = 3,
  /* The share began, or began anew in another format: outgoing_video, format, codec. The stream is the session's: its events come as those
   * of any, but no MSDK_EVENT_FRAME_SENDER_CHANGED. It ends with the feeder, and its handle is NULL in an event that is read
   * after that. A program that stops or destroys it keeps the share ended until the feeder changes its format or another one comes. */
  MSDK_INGEST_SHARING = 4
};

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INGEST_H */
