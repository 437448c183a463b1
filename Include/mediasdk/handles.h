/* mediasdk/handles.h - the typed handles of the program's side, and bounds that several headers share */
#ifndef MEDIASDK_HANDLES_H
#define MEDIASDK_HANDLES_H

#include "types.h"

typedef struct msdk_engine msdk_engine;
typedef struct msdk_session msdk_session;
typedef struct msdk_outgoing_video msdk_outgoing_video;
typedef struct msdk_frame_sender msdk_frame_sender;
typedef struct msdk_incoming_video msdk_incoming_video;
typedef struct msdk_outgoing_audio msdk_outgoing_audio;
typedef struct msdk_incoming_audio msdk_incoming_audio;
typedef struct msdk_instance msdk_instance;

enum {
  MSDK_TEXT_MAX = 1024, /* bytes of a string passed in, without its NUL, unless stated otherwise */
  MSDK_NAME_MAX = 255   /* bytes of a user id, a display name, a room name */
};

#define MSDK_WAIT_FOREVER UINT32_MAX /* a timeout_ms */

/* What a full queue does with one more. */
enum {
  MSDK_POLICY_DROP_OLDEST = 0, /* the newest matter: live video */
  MSDK_POLICY_DROP_NEWEST = 1,
  MSDK_POLICY_WAIT = 2 /* the caller of send waits for room: files */
};

/* States of outgoing streams, of either medium. */
enum { MSDK_OUTGOING_NONE = 0, MSDK_OUTGOING_STARTED = 1, MSDK_OUTGOING_STOPPED = 2, MSDK_OUTGOING_FAILED = 3 };

/* States of incoming streams. */
enum {
  MSDK_INCOMING_AVAILABLE = 0,
  MSDK_INCOMING_STARTED = 1,
  MSDK_INCOMING_STOPPING = 2,
  MSDK_INCOMING_STOPPED = 3,
  MSDK_INCOMING_NOT_AVAILABLE = 4
};

enum {
  MSDK_DELIVERY_QUEUED = 0, /* callback on the stream's thread */
  /* Callback on the thread that brings the frame: the sender's own for a raw loopback stream (of sound that waited to be sent, the sending
   * stream's), the decoder's otherwise. The fastest; whoever blocks in it blocks the sender. */
  MSDK_DELIVERY_DIRECT = 1
};

enum { MSDK_OUTPUT_RAW = 0, MSDK_OUTPUT_ENCODED = 1, MSDK_OUTPUT_BOTH = 2 }; /* which of the two queues are filled */

#endif /* MEDIASDK_HANDLES_H */
