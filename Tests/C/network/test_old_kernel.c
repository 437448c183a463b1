/* A call over a network works where the kernel, a filter of system calls or a debugger does not know epoll_pwait2 (Linux 5.11). */
#include "hosting.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* For all threads that this one starts. */
static void without_epoll_pwait2(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  CHECK(syscall(SYS_epoll_pwait2, -1, NULL, 0, NULL, NULL) == -1 && errno == ENOSYS);
}

static void a_call_in_a_served_room(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", "");
  show film = show_start(it.away, &bob, &alice);
  CHECK(show_play(&film, 3));
  show_end(&film);
  house_close(&it);
}

int main(int argc, char **argv) {
  without_epoll_pwait2();
  RUN(a_call_in_a_served_room);
  return check_finish();
}
