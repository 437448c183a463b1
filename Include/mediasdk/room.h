/* mediasdk/room.h - the loopback room's network, scripted
 *
 * "loopback:NAME" is a room inside the process. It comes into being with its first member and ends with its last. By itself it is
 * perfect and immediate: raw frames pass by reference. A script gives it a network: what each member sends then waits for bandwidth in a
 * bounded queue, is delayed, jittered and lost packet by packet (1,200 bytes of payload each), and the estimate that negotiation works
 * from is the bandwidth of the step in force. Everything random comes from the seed.
 */
#ifndef MEDIASDK_ROOM_H
#define MEDIASDK_ROOM_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MSDK_NETWORK_DISCONNECTED = 1 }; /* flags of a step: nothing passes; members are reconnecting, after 30 s disconnected */

typedef struct msdk_network_step {
  uint32_t struct_size;
  uint32_t flags;
  int64_t at_ns;          /* from the call on; steps in ascending order */
  uint64_t bandwidth_bps; /* bits per second out of a member; 0: unlimited; otherwise at least 1,000 */
  int64_t delay_ns;       /* one way, 0..10 s */
  int64_t jitter_ns;      /* each frame is later by 0..jitter_ns, evenly spread; order is kept; 0..10 s */
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

/* Sets the script of a room that this engine's clock drives, whether it has members yet or not. An empty room forgets its script when
 * the engine goes. room_url: "loopback:NAME". [any thread] */
MSDK_EXPORT msdk_result msdk_room_script_network(msdk_engine *engine, const char *room_url, const msdk_network_script *script);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ROOM_H */
