/** @file
 * mediasdk/room.h - the loopback room: who may enter, and its network emulator
 *
 * "loopback:NAME" is a room inside the process. The room exists from its first member to its last. By default it accepts 1,000
 * members and requires no access token. Its network is perfect by default: raw frames are passed by reference, without delay.
 * serve.h opens it to other processes and machines.
 *
 * Options set the capacity of the room, what happens when a user id is taken, the permissions of members, and a verifier of access
 * tokens.
 *
 * A script emulates a network. Everything that a member sends then waits for bandwidth in a bounded queue, and is delayed,
 * jittered and lost packet by packet. All random values come from the seed.
 *   - VP8 and Opus are sent as RTP packets between the member and the room, with the protocol of a real network (rtp.h). Missing
 *     packets are requested again; if that does not help, a key frame is requested. Feedback returns under the same script on a
 *     path of its own. The bandwidth estimate is measured, network.h has the stats of the streams, and received media pass a
 *     jitter buffer. A video stream that started before the script is sent in packets from its next key frame, which is requested
 *     after half a second.
 *   - Raw streams and other codecs use the same queue. A frame is sent as a whole, and is lost if any of its packets of 1,200
 *     bytes is lost.
 *   - Before a member sends packets, the estimate is the bandwidth of the current step. The measured estimate starts from this
 *     value.
 *
 * Packets that are in transit when the script is removed do not arrive.
 */
#ifndef MEDIASDK_ROOM_H
#define MEDIASDK_ROOM_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ access */

/** Permissions of a member, a mask. Where permissions are passed, 0 selects the default. MSDK_MAY_NOTHING, without other bits, stands
 * for no permission; a member's permissions are never read as 0. */
enum {
  MSDK_MAY_NOTHING = 0x40000000,
  MSDK_MAY_PUBLISH_VIDEO = 1,
  MSDK_MAY_PUBLISH_AUDIO = 2,
  MSDK_MAY_SHARE_SCREEN = 4, /**< publish a screen share and its audio */
  MSDK_MAY_RECEIVE = 8,      /**< start incoming streams and the mix */
  MSDK_MAY_MODERATE = 16,    /**< remove and mute other members: session.h */
  MSDK_MAY_SEND_DATA = 32    /**< send data to other members: data.h */
};

enum {
  MSDK_DUPLICATE_REFUSE = 0, /**< a newcomer whose user id is in the room is refused with MSDK_E_EXISTS */
  MSDK_DUPLICATE_REPLACE = 1 /**< the previous member is removed: disconnected with MSDK_E_REMOVED */
};

/** A flag of a request: a member of the room renews their access (msdk_session_set_access_token). They keep what they have until the
 * answer, and if it is refused. */
enum { MSDK_ACCESS_RENEWAL = 1 };

/** A request to enter a room, or of a member to renew their access. Only the verifier gets the token. It is not logged and is not part
 * of any text. */
typedef struct msdk_access_request {
  uint32_t struct_size;
  uint32_t permissions; /**< the permissions of the room's options, MSDK_MAY_* */
  uint64_t id;          /**< for msdk_room_answer */
  uint32_t flags;       /**< MSDK_ACCESS_* */
  uint32_t reserved0;   /**< 0 */
  char room[256];       /**< the NAME in its URL */
  char user_id[256], display_name[256];
  char access_token[4096]; /**< "": none */
} msdk_access_request;

/** What is granted with an accepted request, or why a request is refused. */
typedef struct msdk_access_grant {
  uint32_t struct_size;
  uint32_t permissions; /**< MSDK_MAY_*; 0: those of the options */
  /** How long the access lasts, on the engine's clock: 1 s..365 days; 0: without a limit. When it ends, the member is disconnected with
   * MSDK_E_PERMISSION, unless the access was renewed meanwhile. Before that the member gets MSDK_EVENT_ACCESS_EXPIRING. */
  int64_t lifetime_ns;
  const char *reason; /**< of a refusal: NULL, or up to MSDK_NAME_MAX bytes, which are added to the error text; copied */
} msdk_access_grant;

/** Decides on a request, which is valid during the call. It returns:
 *   - MSDK_OK to accept the request, with *grant. *grant has the permissions of the options and no limit, which the verifier may change;
 *     a grant that is not accepted refuses the request.
 *   - MSDK_E_AGAIN to decide later with msdk_room_answer.
 *   - any other error to refuse the request. A value above 0 refuses it, too: it is not a boolean. grant->reason has to be valid until
 *     the function has returned; a reason that is too long or not UTF-8 is ignored.
 * The newcomer gets MSDK_E_PERMISSION, whatever the error is; its text names the error and has the reason. A member who renews their
 * access gets MSDK_EVENT_ACCESS_RENEWED. Permissions that were granted anew are those of the participant from then on. Streams that are
 * not permitted any more end: outgoing streams are MSDK_OUTGOING_FAILED with MSDK_E_PERMISSION, incoming streams and the mix
 * MSDK_INCOMING_STOPPED with MSDK_E_PERMISSION. Attached streams that have become permitted start.
 *
 * The verifier is called on a thread of the room, "msdk-verify", or with a virtual clock inside msdk_engine_advance_clock. It is
 * called for one request at a time; further requests wait while it runs. It may call any function, also to destroy sessions and
 * the engine. A session that leaves while the verifier runs does not enter. */
typedef msdk_result (*msdk_verify_fn)(void *user, const msdk_access_request *request, msdk_access_grant *grant);

typedef struct msdk_room_options {
  uint32_t struct_size;
  uint32_t capacity;    /**< members, 1..100,000; 0: 1,000. A lower value removes nobody */
  uint32_t duplicates;  /**< MSDK_DUPLICATE_* */
  uint32_t permissions; /**< MSDK_MAY_* of members who enter; 0: all except MSDK_MAY_MODERATE */
  uint32_t pulled;      /**< 1: msdk_room_next_request returns the requests; 0: verify decides, or if it is NULL, everybody may enter */
  uint32_t reserved0;   /**< 0 */
  msdk_verify_fn verify; /**< the verifier, or NULL; requires pulled to be 0 */
  void *user;            /**< passed to verify */
} msdk_room_options;

/** Sets the options of a room, whether it has members or not. They replace the options that any engine set before; NULL restores
 * the defaults. room_url is "loopback:NAME". Members stay in the room and keep their permissions. When the call returns, the
 * previous verifier is not running, unless the call was made inside it. Requests that have not been answered are made again, to
 * the new verifier. A lifetime that was granted goes on.
 *
 * A session that may not enter gets MSDK_EVENT_SESSION_STATE, disconnected, with one of these errors, checked in this order:
 * MSDK_E_PERMISSION (refused by the verifier), MSDK_E_EXISTS (user id taken), MSDK_E_FULL. A session that replaces a member may
 * enter even if the room is full.
 *
 * After the engine is destroyed, a room with a verifier of that engine refuses all newcomers. It is forgotten when it is empty.
 *
 * MSDK_E_RANGE, MSDK_E_INVALID and MSDK_E_UNSUPPORTED: the error text names the argument or the member of options.
 * MSDK_E_UNSUPPORTED is also returned if another engine runs the room and one of the two has a virtual clock. [any thread] [may
 * wait for the running verifier] */
MSDK_EXPORT msdk_result msdk_room_configure(msdk_engine *engine, const char *room_url, const msdk_room_options *options);

/** Dequeues the oldest request of a room that this engine configured with `pulled`. The program answers it with msdk_room_answer.
 * MSDK_E_TIMEOUT: none came in time. MSDK_E_CLOSED: the options were set again meanwhile. MSDK_E_STATE: this engine did not
 * configure the room with `pulled`. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_room_next_request(msdk_engine *engine, const char *room_url, uint32_t timeout_ms, msdk_access_request *out);

/** Returns a descriptor that poll() reports as readable while requests are queued. It belongs to the room's current options and is closed
 * when the options are set again or the engine is destroyed. Do not read, write or close it. MSDK_E_STATE: this engine did not configure
 * the room with `pulled`. [any thread] */
MSDK_EXPORT msdk_result msdk_room_get_request_fd(msdk_engine *engine, const char *room_url, int32_t *out);

/** Answers a request of a room that this engine configured. result is MSDK_OK to accept the request, or an error to refuse it. grant may be
 * NULL for the permissions of the options, no limit and no reason. MSDK_E_NOT_FOUND: the session left meanwhile or set another token, or
 * the request was already answered or made again. MSDK_E_INVALID: result is MSDK_E_AGAIN or above 0, or grant->reason is not accepted.
 * MSDK_E_UNSUPPORTED: grant->permissions has unknown bits. MSDK_E_RANGE: grant->lifetime_ns. [any thread] */
MSDK_EXPORT msdk_result msdk_room_answer(msdk_engine *engine, const char *room_url, uint64_t id, msdk_result result,
                                         const msdk_access_grant *grant);

/* ----------------------------------------------------------------------------------------------------------------- network */

/** A flag of a step: the network is down. Members are reconnecting; after 30 s they are disconnected with MSDK_E_TIMEOUT. */
enum { MSDK_NETWORK_DISCONNECTED = 1 };

typedef struct msdk_network_step {
  uint32_t struct_size;
  uint32_t flags;         /**< MSDK_NETWORK_* */
  int64_t at_ns;          /**< start of the step, since the call; steps are in ascending order (else MSDK_E_INVALID) */
  uint64_t bandwidth_bps; /**< bits per second that a member can send, at least 1,000; 0: unlimited */
  int64_t delay_ns;       /**< one-way delay, 0..10 s */
  int64_t jitter_ns;      /**< 0..10 s: each packet or whole frame gets a uniform extra delay of 0..jitter_ns; the order is kept */
  uint32_t loss_ppm;      /**< lost packets per million, 0..1,000,000 */
  uint32_t reserved0;     /**< 0 */
  int64_t queue_ns;       /**< the length of the sending queue; 0: 300 ms; what does not fit is lost */
} msdk_network_step;

typedef struct msdk_network_script {
  uint32_t struct_size;
  uint32_t step_count;            /**< 1..1,024; 0: removes the script, and the network is perfect again */
  const msdk_network_step *steps; /**< borrowed */
  uint64_t seed;       /**< of all random values */
  const char *user_id; /**< the script applies to what this member sends; NULL: to all members without a script of their own */
} msdk_network_script;

/** Sets the script of a room, whether it has members or not. room_url is "loopback:NAME". After the engine is destroyed, the room
 * forgets its script when it is empty. MSDK_E_RANGE, MSDK_E_INVALID and MSDK_E_UNSUPPORTED: the error text names the argument or
 * the member. MSDK_E_UNSUPPORTED is also returned if another engine runs the room and one of the two has a virtual clock.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_room_script_network(msdk_engine *engine, const char *room_url, const msdk_network_script *script);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ROOM_H */
