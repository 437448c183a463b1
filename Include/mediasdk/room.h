/* mediasdk/room.h - the loopback room: who may enter, and its network, scripted
 *
 * "loopback:NAME" is a room inside the process. It comes into being with its first member and ends with its last. By itself it is open to
 * 1,000 members, perfect and immediate: raw frames pass by reference. hub.h opens it to other processes and machines.
 *
 * Options set how many it takes, what becomes of a user id that is taken, what members may do, and who looks at the access tokens of those
 * who come. A script gives it a network: what each member sends then waits for bandwidth in a bounded queue, is delayed, jittered and lost
 * packet by packet. Everything random comes from the seed.
 *   - VP8 and Opus pass in packets of RTP between the member and the room, by the same protocol as over a real network (rtp.h): packets that
 *     are missing are asked for again, key frames where that does not help, and feedback comes back by the same script, on a way of its own.
 *     The estimate is what is measured, network.h tells of the streams, and pictures and sound arrive by a jitter buffer. A stream of
 *     pictures that began before the script passes in packets from its next key frame on; one is asked for after half a second.
 *   - Raw streams and other codecs take the same queue in one piece, which is lost with any of its packets of 1,200 bytes.
 *   - For a member who has sent nothing in packets yet the estimate is the bandwidth of the step in force; the measured one begins with it.
 * What is under way in packets when the script is taken away does not arrive.
 */
#ifndef MEDIASDK_ROOM_H
#define MEDIASDK_ROOM_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ access */

enum { /* what a member may do, as a mask */
  MSDK_MAY_PUBLISH_VIDEO = 1,
  MSDK_MAY_PUBLISH_AUDIO = 2,
  MSDK_MAY_SHARE_SCREEN = 4, /* publish a screen share, and its sound */
  MSDK_MAY_RECEIVE = 8,      /* start incoming streams and the mix */
  MSDK_MAY_MODERATE = 16     /* take others out of the room, mute them: session.h */
};

enum {
  MSDK_DUPLICATE_REFUSE = 0, /* who comes with a user id that is in the room is refused, MSDK_E_EXISTS */
  MSDK_DUPLICATE_REPLACE = 1 /* the former leaves the room: disconnected, MSDK_E_REMOVED */
};

enum { MSDK_ACCESS_TOKEN_MAX = 4095 }; /* bytes, without the NUL */

/* Somebody who wants to enter. A token is shown to the verifier and to nobody else: it is neither logged nor part of any text. */
typedef struct msdk_access_request {
  uint32_t struct_size;
  uint32_t permissions; /* what the room's options give, MSDK_MAY_* */
  uint64_t id;          /* for msdk_room_answer */
  char room[256];       /* NAME of its URL */
  char user_id[256], display_name[256];
  char access_token[4096]; /* "" for none */
} msdk_access_request;

/* Decides on a request, which is valid during the call. MSDK_OK lets it in, with *permissions, which is what the options give until it is
 * changed; MSDK_E_AGAIN leaves it to msdk_room_answer; any other error refuses it, and so do permissions that do not exist. Called on a
 * thread of the room's own ("msdk-verify"; on a virtual clock inside msdk_engine_advance_clock), one request at a time: it may take its
 * time, for which the others wait, and may call anything, destroying sessions and the engine included. Who left while it ran is not let
 * in. */
typedef msdk_result (*msdk_verify_fn)(void *user, const msdk_access_request *request, uint32_t *permissions);

typedef struct msdk_room_options {
  uint32_t struct_size;
  uint32_t capacity;    /* members, 1..100,000; 0: 1,000. Those who are in stay when it is lowered */
  uint32_t duplicates;  /* MSDK_DUPLICATE_* */
  uint32_t permissions; /* MSDK_MAY_* of those who enter; 0: all but MSDK_MAY_MODERATE */
  uint32_t pulled;      /* 1: requests wait for msdk_room_next_request; 0: for verify, or without that, nobody asks for tokens */
  uint32_t reserved0;
  msdk_verify_fn verify; /* NULL, or the verifier; then pulled is 0 */
  void *user;
} msdk_room_options;

/* Sets the options of a room that this engine's clock drives, whether it has members yet or not, in place of what any engine set before;
 * NULL opens it again. When it returns, the former verifier is not running any more, unless the call came from inside it; requests that
 * were not answered are made again, to the new one. Members stay, with the permissions they have. When the engine goes, a room that it
 * guards with a verifier refuses newcomers, and is forgotten once it is empty.
 * Who is not let in gets MSDK_EVENT_SESSION_STATE, disconnected, with MSDK_E_PERMISSION (refused by the verifier), MSDK_E_EXISTS (user id
 * taken) or MSDK_E_FULL, checked in this order; who replaces a member takes his place, however full the room is.
 * [any thread] [may wait for the running verifier] */
MSDK_EXPORT msdk_result msdk_room_configure(msdk_engine *engine, const char *room_url, const msdk_room_options *options);

/* Takes the oldest request of a room that this engine configured as `pulled`; it is to be answered. MSDK_E_TIMEOUT when none came in time,
 * MSDK_E_CLOSED when the options are set anew meanwhile, MSDK_E_STATE when the room is not pulled from here. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_room_next_request(msdk_engine *engine, const char *room_url, uint32_t timeout_ms, msdk_access_request *out);

/* Answers a request of a room that this engine configured: MSDK_OK lets it in, with these permissions; an error refuses it.
 * MSDK_E_NOT_FOUND when nobody waits for this answer: left meanwhile, answered already, asked anew. [any thread] */
MSDK_EXPORT msdk_result msdk_room_answer(msdk_engine *engine, const char *room_url, uint64_t id, msdk_result result, uint32_t permissions);

/* ----------------------------------------------------------------------------------------------------------------- network */

enum { MSDK_NETWORK_DISCONNECTED = 1 }; /* flags of a step: nothing passes; members are reconnecting, after 30 s disconnected */

typedef struct msdk_network_step {
  uint32_t struct_size;
  uint32_t flags;
  int64_t at_ns;          /* from the call on; steps in ascending order */
  uint64_t bandwidth_bps; /* bits per second out of a member; 0: unlimited; otherwise at least 1,000 */
  int64_t delay_ns;       /* one way, 0..10 s */
  int64_t jitter_ns;      /* each packet, or frame in one piece, is later by 0..jitter_ns, evenly spread; order is kept; 0..10 s */
  uint32_t loss_ppm;      /* packets lost out of a million */
  uint32_t queue_ms;      /* the sending queue, in time; 0: 300; what does not fit is lost */
} msdk_network_step;

typedef struct msdk_network_script {
  uint32_t struct_size;
  uint32_t step_count;            /* up to 1,024; 0: back to the perfect network */
  const msdk_network_step *steps; /* borrowed */
  uint64_t seed;
  const char *user_id; /* NULL: every member, else what this one sends */
} msdk_network_script;

/* Sets the script of a room that this engine's clock drives, whether it has members yet or not. Once the engine is gone, an empty room
 * forgets its script. room_url: "loopback:NAME". [any thread] */
MSDK_EXPORT msdk_result msdk_room_script_network(msdk_engine *engine, const char *room_url, const msdk_network_script *script);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ROOM_H */
