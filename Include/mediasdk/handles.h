/* mediasdk/handles.h - the typed handles of the program's side, and bounds that several headers share */
#ifndef MEDIASDK_HANDLES_H
#define MEDIASDK_HANDLES_H

#include "types.h"

typedef struct msdk_engine msdk_engine;
typedef struct msdk_session msdk_session;
typedef struct msdk_outgoing_video msdk_outgoing_video;
typedef struct msdk_frame_sender msdk_frame_sender;
typedef struct msdk_incoming_video msdk_incoming_video;
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

#endif /* MEDIASDK_HANDLES_H */
