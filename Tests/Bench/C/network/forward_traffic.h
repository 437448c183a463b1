/* What a server is given to forward: members who all send pictures at real pace and all take those of all others. The server and its members
 * are two processes, so that the processor time of the server is its own. */
#ifndef BENCH_FORWARD_TRAFFIC_H
#define BENCH_FORWARD_TRAFFIC_H

#include <stdint.h>

enum { FORWARD_MEMBERS = 32, FORWARD_FPS = 25, FORWARD_PACKETS = 5, FORWARD_PICTURE = 5000, FORWARD_SECONDS_BEFORE = 10 };

struct forward_pipes {
  int to_members, from_server; /* where to connect */
  int to_server, from_members; /* one byte when all is warm, then how many packets came, 8 bytes */
};

/* To be called before there are threads: 1 in the process of the members, 0 in that of the server. */
int forward_fork(struct forward_pipes *pipes);

/* In the server's process: waits for the warm-up and for the end, and reports how many packets one processor forwards in a second, and the
 * time of one. */
void forward_measure(struct forward_pipes *pipes, double (*cpu)(void));

/* In the members' process: when all is warm, and when all has been sent. */
void forward_warm(struct forward_pipes *pipes);
_Noreturn void forward_done(struct forward_pipes *pipes, uint64_t packets);

#endif
