/** @file
 * mediasdk/handles.h - the types of handles, and the limits, policies and states that several headers share */
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
  MSDK_TEXT_MAX = 1024, /**< bytes of a string that is passed in, without its NUL, unless stated otherwise */
  MSDK_NAME_MAX = 255,  /**< bytes of a user id, a display name or a room name, without the NUL */
  MSDK_ACCESS_TOKEN_MAX = 4095 /**< bytes of an access token, without the NUL */
};

/** An attribute of a list that a function takes. */
typedef struct msdk_key_value { /* frozen, 16 bytes */
  /** 1..MSDK_ATTRIBUTE_KEY_MAX bytes (session.h); no two of a list are the same. Streams of data (data_stream.h) carry any UTF-8. Of an
   * access token (access.h) it should have the characters of msdk_session_set_attribute: others are accepted, but sessions of this SDK do
   * not get them. */
  const char *key;
  const char *value; /**< up to MSDK_ATTRIBUTE_VALUE_MAX bytes */
} msdk_key_value;

#define MSDK_WAIT_FOREVER UINT32_MAX /**< a timeout_ms: wait without limit */

/** What a full queue does when one more entry comes. */
enum {
  MSDK_POLICY_DROP_OLDEST = 0, /**< keeps the newest, for live media */
  MSDK_POLICY_DROP_NEWEST = 1, /**< drops the new entry */
  MSDK_POLICY_WAIT = 2 /**< the caller of send waits for room, for media from files */
};

/** States. Each kind of object has its own range of values, so that states of different kinds are never confused. 0 is not a state;
 * events whose type has no state carry it.
 *
 *   0x100  sessions (session.h)          0x500  the local ingest (ingest.h)
 *   0x200  outgoing streams              0x600  network quality (network.h)
 *   0x300  incoming streams              0x700  speakers (session.h)
 *   0x400  screen shares (session.h)     0x800  instances (instance.h)
 *   0x900  the encryption of streams (encryption.h)
 */

/** States of outgoing video and audio streams. */
enum { MSDK_OUTGOING_NONE = 0x200, MSDK_OUTGOING_STARTED = 0x201, MSDK_OUTGOING_STOPPED = 0x202, MSDK_OUTGOING_FAILED = 0x203 };

/** States of incoming video and audio streams. */
enum {
  MSDK_INCOMING_AVAILABLE = 0x300,
  MSDK_INCOMING_STARTED = 0x301,
  MSDK_INCOMING_STOPPING = 0x302,
  MSDK_INCOMING_STOPPED = 0x303,
  MSDK_INCOMING_NOT_AVAILABLE = 0x304
};

enum {
  MSDK_DELIVERY_QUEUED = 0, /**< the callback is called on the stream's thread */
  /** The callback is called on the thread that delivers the frame. For a raw stream in a loopback room this is the sender's thread,
   * or the sending stream's thread for audio that was queued for sending. For other streams it is the thread that decodes. This
   * delivery has the lowest latency. A callback that blocks also blocks the sender. */
  MSDK_DELIVERY_DIRECT = 1
};

/** Which queues of an incoming stream, or of the tap of an outgoing one, are filled: that of raw frames, of encoded frames, or both. */
enum { MSDK_OUTPUT_RAW = 0, MSDK_OUTPUT_ENCODED = 1, MSDK_OUTPUT_BOTH = 2 };

#endif /* MEDIASDK_HANDLES_H */
