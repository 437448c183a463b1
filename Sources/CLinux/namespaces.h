/* What of the system a process has to itself: namespaces(7), capabilities(7) and landlock(7), which the C library has no functions for. */
#ifndef MEDIASDK_CLINUX_NAMESPACES_H
#define MEDIASDK_CLINUX_NAMESPACES_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum {
  MSDK_NEW_IPC = 0x08000000,
  MSDK_NEW_USER = 0x10000000,
  MSDK_NEW_PROCESSES = 0x20000000, /* the child is the first of them, number 1: they end with it */
  MSDK_NEW_NETWORK = 0x40000000
};

/* As fork(2), into new namespaces; for a process of one thread. Not by unshare(2), after which a process cannot read its own /proc. */
static inline pid_t msdk_fork_into(unsigned namespaces) { return (pid_t)syscall(SYS_clone, (unsigned long)(namespaces | SIGCHLD), 0, 0, 0, 0); }

/* Keeps no capability but these, a bit for each of the first 32. */
static inline int msdk_keep_capabilities(uint32_t kept) {
  struct { uint32_t version; int process; } header = {0x20080522 /* _LINUX_CAPABILITY_VERSION_3 */, 0};
  struct { uint32_t effective, permitted, inheritable; } sets[2] = {{kept, kept, 0}, {0, 0, 0}};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return (int)syscall(SYS_capset, &header, sets);
}
/* What root may do to files: CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER and CAP_FSETID. */
enum { MSDK_CAPABILITIES_OF_FILES = 0x1F };

/* Files can be read from now on and nothing more: not written, made, removed, renamed or linked, but for the devices of media and terminals and
 * those that swallow all. Not /dev/shm, where other processes' memory lies, nor raw devices: disks, memory, input. Descriptors that are open stay
 * as they are. 0, or -1 with errno where the kernel has no Landlock. For a process with no_new_privs. */
static inline int msdk_read_files_only(void) {
  enum { WRITE_FILE = 1 << 1, REMOVE_DIR = 1 << 4, LAST_OF_FIRST = 1 << 12, REFER = 1 << 13, TRUNCATE = 1 << 14, IOCTL_DEV = 1 << 15 };
  /* Everything that makes or removes, bits 4 to 12. */
  uint64_t refused = WRITE_FILE | ((uint64_t)LAST_OF_FIRST * 2 - REMOVE_DIR);
  long version = syscall(444 /* landlock_create_ruleset */, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
  if (version < 1) return -1;
  if (version >= 2) refused |= REFER;
  if (version >= 3) refused |= TRUNCATE;
  long rules = syscall(444, &refused, sizeof refused, 0);
  if (rules < 0) return -1;
  static const char *const places[] = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "snd", "dri"};
  enum { PLACES = sizeof places / sizeof places[0], CAMERAS = 64 };
  struct { uint64_t allowed; int32_t parent; } __attribute__((packed)) device = {WRITE_FILE | (version >= 3 ? TRUNCATE : 0), -1};
  int result = 0;
  for (int i = 0; i < PLACES + CAMERAS && result == 0; i++) {
    char path[32];
    if (i < PLACES) snprintf(path, sizeof path, "/dev/%s", places[i]);
    else snprintf(path, sizeof path, "/dev/video%d", i - PLACES);
    device.parent = open(path, 0x200000 /* O_PATH, which Swift does not see */ | O_NOFOLLOW | O_CLOEXEC);
    if (device.parent < 0) continue; /* there is none */
    result = (int)syscall(445 /* landlock_add_rule */, (int)rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &device, 0);
    close(device.parent);
  }
  if (result == 0) result = (int)syscall(446 /* landlock_restrict_self */, (int)rules, 0);
  int error = errno;
  close((int)rules);
  errno = error;
  return result;
}

#endif
