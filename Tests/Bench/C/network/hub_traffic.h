/* What a hub is given to forward: members who all send pictures at real pace and all take those of all others. The hub and its members
 * are two processes, so that the processor time of the hub is its own. */
#ifndef BENCH_HUB_TRAFFIC_H
#define BENCH_HUB_TRAFFIC_H

#include <stdint.h>

enum { HUB_MEMBERS = 32, HUB_FPS = 25, HUB_PACKETS = 5, HUB_PICTURE = 5000, HUB_SECONDS_BEFORE = 10 };

struct hub_pipes {
  int to_members, from_hub; /* where to connect */
  int to_hub, from_members; /* one byte when all is warm, then how many packets came, 8 bytes */
};

/* To be called before there are threads: 1 in the process of the members, 0 in that of the hub. */
int hub_fork(struct hub_pipes *pipes);

/* In the hub's process: waits for the warm-up and for the end, and reports how many packets one processor forwards in a second, and the
 * time of one. */
void hub_measure(struct hub_pipes *pipes, double (*cpu)(void));

/* In the members' process: when all is warm, and when all has been sent. */
void hub_warm(struct hub_pipes *pipes);
_Noreturn void hub_done(struct hub_pipes *pipes, uint64_t packets);

#endif
