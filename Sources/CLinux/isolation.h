/* What a plugin's process needs of Linux and Swift cannot import: fork(2), posix_spawn(3) with GNU's additions, memfd_create(2), cmsg(3),
 * prctl(2), setrlimit(2), seccomp(2). */
#ifndef MEDIASDK_CLINUX_ISOLATION_H
#define MEDIASDK_CLINUX_ISOLATION_H

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------------------------------------- memory */

extern int memfd_create(const char *name, unsigned int flags);

/* Memory of a fixed size: sealed against shrinking, growing and further seals. -1 with errno. */
static inline int msdk_memfd(const char *name, uint64_t size) {
  int descriptor = memfd_create(name, 1 /* MFD_CLOEXEC */ | 2 /* MFD_ALLOW_SEALING */);
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, (off_t)size) == 0 && fcntl(descriptor, 1033 /* F_ADD_SEALS */, 1 | 2 | 4 /* SEAL, SHRINK, GROW */) == 0) {
    return descriptor;
  }
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

/* The same memory for reading only, as whoever gets the descriptor cannot map it otherwise. */
static inline int msdk_reopen_read_only(int descriptor) {
  char path[32] = "/proc/self/fd/";
  char digits[12];
  int count = 0, length = (int)strlen(path);
  do digits[count++] = (char)('0' + descriptor % 10); while ((descriptor /= 10) > 0);
  while (count > 0) path[length++] = digits[--count];
  path[length] = 0;
  return open(path, O_RDONLY | O_CLOEXEC);
}

/* ---------------------------------------------------------------------------------------------------------------- sockets */

static inline int msdk_packet_pair(int pair[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

/* A message, with a descriptor if that is not -1. Never SIGPIPE. */
static inline ssize_t msdk_send_packet(int socket, const void *bytes, size_t size, int descriptor, int flags) {
  union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control;
  struct iovec vector = {(void *)bytes, size};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL | flags); while (sent < 0 && errno == EINTR);
  return sent;
}

/* One message; *descriptor is the one that came with it, or -1. More than one, or a message that is cut, is -1 with EBADMSG. */
static inline ssize_t msdk_receive_packet(int socket, void *bytes, size_t size, int *descriptor, int flags) {
  union { char bytes[CMSG_SPACE(4 * sizeof(int))]; struct cmsghdr align; } control;
  struct iovec vector = {bytes, size};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  *descriptor = -1;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags); while (got < 0 && errno == EINTR);
  if (got < 0) return got;
  int bad = (message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) != 0;
  for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head != NULL; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int one;
      memcpy(&one, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      if (*descriptor < 0 && !bad) {
        *descriptor = one;
      } else {
        close(one);
        bad = 1;
      }
    }
  }
  if (!bad) return got;
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
  errno = EBADMSG;
  return -1;
}

/* -------------------------------------------------------------------------------------------------------------- processes */

/* Which Swift hides; for a process of one thread. */
static inline pid_t msdk_fork(void) { return fork(); }
static inline int msdk_pidfd(pid_t process) { return (int)syscall(434 /* pidfd_open */, process, 0); }
/* What writes to a pipe that nobody reads, or beyond the largest file, is to be told so, not killed. */
static inline void msdk_fail_writes(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

static inline int msdk_pidfd_kill(int descriptor) { return (int)syscall(424 /* pidfd_send_signal */, descriptor, SIGKILL, NULL, 0); }

static inline int msdk_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }
static inline int msdk_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
static inline int msdk_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
/* A limit that is already lower stays. */
static inline int msdk_limit(int which, uint64_t most) {
  struct rlimit limit;
  if (getrlimit((__rlimit_resource_t)which, &limit) != 0) return -1;
  if (limit.rlim_max > most) limit.rlim_max = most;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  if (limit.rlim_cur > most) limit.rlim_cur = most;
  return setrlimit((__rlimit_resource_t)which, &limit);
}
enum { MSDK_LIMIT_MEMORY = RLIMIT_AS, MSDK_LIMIT_CPU = RLIMIT_CPU, MSDK_LIMIT_FILES = RLIMIT_NOFILE };

/* Calls that nothing a plugin is for needs are refused with EPERM, new namespaces among them; with deny_processes also those that make
 * processes (EAGAIN, as when there are too many), while threads can be made. 0, or -1 where the kernel or the machine has no such filters. */
static inline int msdk_filter_calls(int deny_processes) {
#if defined(__x86_64__)
  const uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  const uint32_t machine = AUDIT_ARCH_AARCH64;
#else
  const uint32_t machine = 0;
#endif
  static const int denied[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_settimeofday,
    SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_quotactl, SYS_name_to_handle_at, SYS_open_by_handle_at,
    428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 432 /* fsmount */, 442 /* mount_setattr */, 438 /* pidfd_getfd */,
#if defined(__x86_64__)
    SYS_kexec_file_load, SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
  };
  enum { COUNT = sizeof denied / sizeof denied[0] };
  struct sock_filter program[COUNT * 2 + 32];
  int n = 0;
  if (machine == 0) return -1;
#define MSDK_EMIT(...) program[n++] = (struct sock_filter)__VA_ARGS__
#define MSDK_RETURN(value) MSDK_EMIT(BPF_STMT(BPF_RET | BPF_K, (value)))
#define MSDK_UNLESS(number) MSDK_EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 1))
  MSDK_EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
  MSDK_EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0));
  MSDK_RETURN(SECCOMP_RET_ERRNO | EPERM);
  MSDK_EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
#if defined(__x86_64__)
  MSDK_EMIT(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1)); /* the x32 numbers, which would pass below */
  MSDK_RETURN(SECCOMP_RET_ERRNO | EPERM);
#endif
  for (int i = 0; i < COUNT; i++) {
    MSDK_UNLESS(denied[i]);
    MSDK_RETURN(SECCOMP_RET_ERRNO | EPERM);
  }
  MSDK_UNLESS(435 /* clone3, whose flags a filter cannot see: the C library then uses clone */);
  MSDK_RETURN(SECCOMP_RET_ERRNO | ENOSYS);
  MSDK_EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)SYS_clone, 0, 4));
  MSDK_EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])));
  MSDK_EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x7E020000 /* CLONE_NEW* */, 0, 1));
  MSDK_RETURN(SECCOMP_RET_ERRNO | EPERM);
  MSDK_EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
  if (deny_processes) {
#if defined(__x86_64__)
    MSDK_UNLESS(SYS_fork);
    MSDK_RETURN(SECCOMP_RET_ERRNO | EAGAIN);
    MSDK_UNLESS(SYS_vfork);
    MSDK_RETURN(SECCOMP_RET_ERRNO | EAGAIN);
#endif
    MSDK_EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)SYS_clone, 0, 3));
    MSDK_EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])));
    MSDK_EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x10000 /* CLONE_THREAD */, 1, 0));
    MSDK_RETURN(SECCOMP_RET_ERRNO | EAGAIN);
  }
  MSDK_RETURN(SECCOMP_RET_ALLOW);
#undef MSDK_EMIT
#undef MSDK_RETURN
#undef MSDK_UNLESS
  struct sock_fprog filter = {(unsigned short)n, program};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

#endif
