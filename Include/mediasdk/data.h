/** @file
 * mediasdk/data.h - data that the participants of a room send each other beside streams: chat, positions, commands
 *
 *     msdk_session_send_data          to everybody in the room, or to some: reliable and in order, or lossy
 *     MSDK_EVENT_DATA_AVAILABLE       read with msdk_session_read_data, until it returns MSDK_E_AGAIN
 *
 * Rooms of "loopback:" and "livekit+wss:" have data. In a room that this library serves (serve.h) members of the process, sessions and
 * SDKs of LiveKit exchange it; there it is what those SDKs call data packets, with their topics. Who joins later does not get what was
 * sent before. A topic is a text of the program's, which its parts choose their data by. Pages of a served room get no data.
 *
 * The two ends of "webrtc:" have data channels instead (webrtc.h).
 */
#ifndef MEDIASDK_DATA_H
#define MEDIASDK_DATA_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_DATA_MAX = 15360,         /**< bytes that are sent at once. More may come from others: up to 65,536 */
  MSDK_DATA_TOPIC_MAX = 255,     /**< bytes of UTF-8, without the NUL */
  MSDK_DATA_RECIPIENTS_MAX = 100 /**< of what is sent to some */
};

enum {
  /** It may be lost in the network, and may overtake other data: for what the next one replaces, such as positions. Of more than about
   * 1,200 bytes several packets have to arrive. */
  MSDK_DATA_LOSSY = 1
};

typedef struct msdk_data_options {
  uint32_t struct_size;
  uint32_t flags;                /**< MSDK_DATA_*; 0: reliable, and in order with other reliable data of the session */
  const char *topic;             /**< up to MSDK_DATA_TOPIC_MAX bytes; NULL or "": none */
  const char *const *recipients; /**< user ids of participants whom it is for; NULL: everybody else */
  uint32_t recipient_count;      /**< 1..MSDK_DATA_RECIPIENTS_MAX (else MSDK_E_RANGE); with NULL 0 (else MSDK_E_INVALID) */
  uint32_t reserved0;            /**< 0 */
} msdk_data_options;

/** Sends data, which is copied: size 0..MSDK_DATA_MAX bytes (else MSDK_E_RANGE); data may be NULL with 0. options may be NULL: reliable, to
 * everybody, without a topic. It never waits.
 *   MSDK_E_AGAIN        there is no room. In a loopback room a megabyte, or 1,024 messages, have not been passed on yet; over a network
 *                       half a megabyte is not acknowledged yet, or 8,192 messages wait. MSDK_EVENT_DATA_WRITABLE comes when there is
 *                       room again, as a rule half of that. Lossy data is lost instead, and the call succeeds
 *   MSDK_E_STATE        the session is not connected
 *   MSDK_E_PERMISSION   without MSDK_MAY_SEND_DATA (room.h)
 *   MSDK_E_NOT_FOUND    a recipient is not another participant of the room; the data was sent to none
 *   MSDK_E_UNSUPPORTED  rooms of the session's url have no data, or unknown flags
 *   MSDK_E_INVALID      the topic or a user id is too long or not UTF-8
 *
 * Rate. In a room that another process serves (serve.h), the server takes from each session 1,000 messages at once, and then 500 a
 * second. All data of the session counts: messages, also lossy ones, streams of data (data_stream.h), and remote procedure calls with
 * their responses (rpc.h). A message counts once, and once more for each whole 4,096 bytes, its headers included. A message of 15,000
 * bytes thus counts four times: after the first 250 of them, 125 a second are taken, which is 1.9 MB/s. What is sent faster waits at the
 * sender, in order, until there is no room (MSDK_E_AGAIN). Small messages may wait for many seconds before that. A receiver that takes data
 * more slowly over the network slows its senders, by at most two seconds for each message. When 4 MiB wait for it, it is disconnected
 * with MSDK_E_LIMIT.
 *
 * Reconnecting. While a session over a network is MSDK_SESSION_RECONNECTING, calls still succeed: the data waits for the path, until
 * there is no room. If another session at the server has to take the place of this one (webrtc.h), all data that was not acknowledged is
 * lost. Calls then return MSDK_E_AGAIN until that session is in the room; with recipients they return MSDK_E_NOT_FOUND, because the
 * others are reported as having left until they are announced again. In a loopback room with a scripted network (network.h) calls return
 * MSDK_E_AGAIN as long as the session is reconnecting.
 *
 * Leaving. Data that was sent before the session leaves arrives, if the connection is there. Over a network the session stays in the room
 * until the server has acknowledged all reliable data, and a server of this SDK has passed it on, for up to five seconds.
 * msdk_session_destroy and msdk_engine_destroy wait for that, except inside a callback; msdk_session_disconnect does not. [any thread] */
MSDK_EXPORT msdk_result msdk_session_send_data(msdk_session *session, const msdk_data_options *options, const uint8_t *data,
                                               uint64_t size);

/** Data as it has come. */
typedef struct msdk_data_message {
  uint32_t struct_size;
  uint32_t flags;  /**< MSDK_DATA_* */
  uint64_t size;   /**< bytes */
  /** Messages that have come since the one that was read before, and were dropped as the program did not read in time. */
  uint64_t missed;
  char user_id[256]; /**< whose it is; "": the room's server sent it */
  char topic[256];   /**< "": none; a longer one of another program is cut */
} msdk_data_message;

/** Takes the oldest data that has come, with or without MSDK_MAY_RECEIVE. It is copied to buffer (size bytes; may be NULL with 0), and
 * *out describes it. MSDK_E_BUFFER_SMALL: it does not fit, and can still be read; *out describes it all the same. MSDK_E_AGAIN: there is
 * none; MSDK_EVENT_DATA_AVAILABLE comes when there is. A session keeps 4,096 messages, of 4 megabytes, for a program that does not read
 * them; then the oldest is dropped. What has come can be read in every state of the session. MSDK_E_UNSUPPORTED: rooms of the session's
 * url have no data. [any thread] */
MSDK_EXPORT msdk_result msdk_session_read_data(msdk_session *session, msdk_data_message *out, uint8_t *buffer, uint64_t size);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_DATA_H */
