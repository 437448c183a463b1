#include "forward_traffic.h"

#include "measure.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t members;

int forward_fork(struct forward_pipes *pipes) {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) die("no pipes");
  *pipes = (struct forward_pipes){.from_server = there[0], .to_members = there[1], .from_members = back[0], .to_server = back[1]};
  members = fork();
  if (members < 0) die("no process");
  if (members > 0) {
    close(pipes->to_server);
    close(pipes->from_server);
    return 0;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(pipes->to_members);
  close(pipes->from_members);
  return 1;
}

void forward_measure(struct forward_pipes *pipes, double (*cpu)(void)) {
  char warm;
  uint64_t packets = 0;
  if (read(pipes->from_members, &warm, 1) != 1) die("the members failed");
  double before = cpu();
  if (read(pipes->from_members, &packets, sizeof packets) != sizeof packets) die("the members failed on their way");
  double taken = cpu() - before;
  waitpid(members, NULL, 0);
  if (packets == 0 || taken <= 0) die("nothing was forwarded");
  report("packets_per_s", (double)packets / taken);
  report("packet_us", taken * 1e6 / (double)packets);
  report("packets", (double)packets);
}

void forward_warm(struct forward_pipes *pipes) {
  if (write(pipes->to_server, "w", 1) != 1) die("the server is gone");
}

void forward_done(struct forward_pipes *pipes, uint64_t packets) {
  if (write(pipes->to_server, &packets, sizeof packets) != sizeof packets) die("the server is gone");
  _exit(0);
}
