/** @file
 * mediasdk/rpc.h - remote procedure calls: methods of a participant that the others in the room call
 *
 *     msdk_session_rpc_register        others may call a method of this session's
 *     msdk_session_rpc_call            calls one of another participant
 *     MSDK_EVENT_RPC_AVAILABLE         a request or a result has come: msdk_session_rpc_read, until it returns MSDK_E_AGAIN
 *     msdk_session_rpc_respond, _fail  end a request: what the method returned, or why it did not succeed
 *
 * Rooms of "loopback:" and "livekit+wss:" have calls. In a room that this library serves (serve.h) members of the process, sessions and
 * SDKs of LiveKit call each other: it is what those SDKs call RPC. Calls are reliable data (data.h), so both sides need
 * MSDK_MAY_SEND_DATA (room.h). Payloads are UTF-8, such as JSON.
 *
 * A request, its acknowledgement and its response wait in the same queue as the other data of their sender, and count for the rate of a
 * served room (msdk_session_send_data). A call may therefore end with MSDK_RPC_ERROR_NOT_ACKNOWLEDGED although the other program
 * registered the method: after much data, while one of the sessions is reconnecting, or if the other one had no room for its
 * acknowledgement.
 */
#ifndef MEDIASDK_RPC_H
#define MEDIASDK_RPC_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_RPC_PAYLOAD_MAX = 15360, /**< bytes of a payload, without the NUL */
  MSDK_RPC_METHOD_MAX = 64      /**< bytes of a method's name, without the NUL */
};

/** Of msdk_rpc_message. */
enum {
  MSDK_RPC_REQUEST = 0xA00,  /**< another participant calls a method of this session: msdk_session_rpc_respond, or msdk_session_rpc_fail */
  MSDK_RPC_RESPONSE = 0xA01, /**< what a method of the other participant returned */
  MSDK_RPC_FAILURE = 0xA02   /**< a call of this session did not succeed: code, text */
};

/** Codes of failures, as LiveKit's SDKs have them. LiveKit reserves 1,001..1,999, so a program chooses its own codes outside of that
 * range. This is not checked: msdk_session_rpc_fail sends any code, and the caller cannot distinguish one of these numbers from the
 * library's. An SDK of LiveKit at the other end gives others of that range, too, for example 1504 for a response that is too long. */
enum {
  MSDK_RPC_ERROR_METHOD_NOT_REGISTERED = 1400,
  MSDK_RPC_ERROR_REQUEST_TOO_LONG = 1402,
  MSDK_RPC_ERROR_VERSION_NOT_SUPPORTED = 1404,
  /** the method failed without a code of its own, too many requests wait for a response, or the payload is not UTF-8: text says which */
  MSDK_RPC_ERROR_NOT_ACCEPTED = 1500,
  MSDK_RPC_ERROR_NOT_ACKNOWLEDGED = 1501, /**< the other end did not acknowledge the call in 7 s */
  MSDK_RPC_ERROR_NO_RESPONSE = 1502,      /**< there was none in time */
  MSDK_RPC_ERROR_PARTICIPANT_LEFT = 1503  /**< the other participant has left the room, or this session */
};

/** Calls a method of another participant, and returns at once: *out is the number of the call, which the result has. method: 1 to
 * MSDK_RPC_METHOD_MAX bytes; payload: up to MSDK_RPC_PAYLOAD_MAX bytes, NULL: "". timeout_ms: the time for the response,
 * 1..3,600,000 (else MSDK_E_RANGE), or 0: 15,000. Each call that succeeds has one result.
 *
 * MSDK_E_AGAIN: as msdk_session_send_data, or 256 calls wait for their results or have results that were not read. MSDK_E_NOT_FOUND: no other
 * participant of the room has that user id. MSDK_E_STATE: the session is not connected. MSDK_E_PERMISSION: without MSDK_MAY_SEND_DATA.
 * MSDK_E_UNSUPPORTED: rooms of the session's url have no data. MSDK_E_INVALID: a text is too long, or not UTF-8. [any thread] */
MSDK_EXPORT msdk_result msdk_session_rpc_call(msdk_session *session, const char *user_id, const char *method, const char *payload,
                                                 uint32_t timeout_ms, uint64_t *out);

/** Others may call that method from now on, in every room that the session joins. Without it their calls fail with
 * MSDK_RPC_ERROR_METHOD_NOT_REGISTERED. MSDK_E_EXISTS: it is registered. MSDK_E_LIMIT: 256 methods are. [any thread] */
MSDK_EXPORT msdk_result msdk_session_rpc_register(msdk_session *session, const char *method);

/** Ends that. Requests that have come can still be responded to. MSDK_E_NOT_FOUND: it is not registered. [any thread] */
MSDK_EXPORT msdk_result msdk_session_rpc_unregister(msdk_session *session, const char *method);

/** A request or a result, as it has come. */
typedef struct msdk_rpc_message {
  uint32_t struct_size;
  uint32_t kind;       /**< MSDK_RPC_REQUEST, _RESPONSE or _FAILURE */
  uint64_t call;       /**< the number of the call */
  uint64_t size;       /**< bytes of the payload, without the NUL */
  uint32_t timeout_ms; /**< of a request: the time for the response, from when it came; else 0 */
  uint32_t code;       /**< of a failure: MSDK_RPC_ERROR_*, or the other program's; else 0 */
  char user_id[256];   /**< of the other participant */
  char method[72];     /**< of a request; else "" */
  char text[256];      /**< of a failure, for people; else "". A longer one is cut */
} msdk_rpc_message;

/** Takes the oldest request or result that has come. The payload and a NUL are copied to buffer (size bytes; may be NULL with 0), and
 * *out describes it. MSDK_E_BUFFER_SMALL: size is not above out->size; the message can still be read. MSDK_E_AGAIN: there is none;
 * MSDK_EVENT_RPC_AVAILABLE comes when there is. Requests whose time is over are not returned. A session keeps 256 requests of others, and
 * 64 of one of them, until they are responded to. Further requests are not returned here: their caller gets at once an MSDK_RPC_FAILURE
 * with MSDK_RPC_ERROR_NOT_ACCEPTED and the text "too many requests wait for a response". MSDK_E_UNSUPPORTED: rooms of the session's url
 * have no data. [any thread] */
MSDK_EXPORT msdk_result msdk_session_rpc_read(msdk_session *session, msdk_rpc_message *out, char *buffer, uint64_t size);

/** Ends a request: its caller gets the payload as the response. NULL: "". MSDK_E_NOT_FOUND: no request of that number waits for a
 * response; its time is over, or its caller has left. MSDK_E_AGAIN: as msdk_session_send_data; the request still waits. Other errors as
 * msdk_session_rpc_call. [any thread] */
MSDK_EXPORT msdk_result msdk_session_rpc_respond(msdk_session *session, uint64_t call, const char *payload);

/** Ends a request: its caller gets a failure with that code (any number: see MSDK_RPC_ERROR_*) and text (up to 255 bytes; NULL: "").
 * payload: more about it; NULL: "". Errors as msdk_session_rpc_respond. [any thread] */
MSDK_EXPORT msdk_result msdk_session_rpc_fail(msdk_session *session, uint64_t call, uint32_t code, const char *text, const char *payload);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_RPC_H */
