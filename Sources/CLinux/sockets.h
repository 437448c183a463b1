/* What epoll(7), unix(7) and cmsg(3) have that Swift cannot import: packed structs, macros, GNU functions. */
#ifndef MEDIASDK_CLINUX_SOCKETS_H
#define MEDIASDK_CLINUX_SOCKETS_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Sockets that do not block and are not inherited. */
extern int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags);
static inline int msdk_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }
static inline int msdk_socket(int family) { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/* epoll_event is packed, which Swift does not import. */
typedef struct msdk_ready {
  uint64_t tag;
  uint32_t events;
  uint32_t reserved;
} msdk_ready;
static inline int msdk_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int msdk_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag) {
  struct epoll_event event = {.events = events, .data = {.u64 = tag}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}
static inline int msdk_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t tag) {
  struct epoll_event event = {.events = events, .data = {.u64 = tag}};
  return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}
static inline int msdk_epoll_remove(int epoll, int descriptor) { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL); }
/* A timeout below 0 is none. Its resolution is that of the clock (epoll_pwait2: Linux 5.11, glibc 2.35). Under an older kernel, and where a
 * filter of system calls or a debugger does not know the call, it is rounded up to milliseconds. */
static inline int msdk_epoll_wait(int epoll, msdk_ready *ready, int capacity, int64_t timeout_ns) {
  struct epoll_event events[32];
  struct timespec timeout = {timeout_ns / 1000000000, timeout_ns % 1000000000};
  int most = capacity < 32 ? capacity : 32;
  int count = epoll_pwait2(epoll, events, most, timeout_ns < 0 ? NULL : &timeout, NULL);
  if (count < 0 && (errno == ENOSYS || errno == EPERM)) {
    int64_t timeout_ms = timeout_ns / 1000000 + (timeout_ns % 1000000 > 0);
    count = epoll_wait(epoll, events, most, timeout_ns < 0 ? -1 : timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms);
  }
  for (int i = 0; i < count; i++) ready[i] = (msdk_ready){events[i].data.u64, events[i].events, 0};
  return count;
}
enum { MSDK_POLL_IN = EPOLLIN, MSDK_POLL_OUT = EPOLLOUT };
enum { MSDK_SOCKET_STREAM = SOCK_STREAM, MSDK_SOCKET_DATAGRAM = SOCK_DGRAM };

/* The effective user of the process at the other end of a Unix socket (SO_PEERCRED, unix(7)); -1 on failure. */
static inline int64_t msdk_peer_user(int socket) {
  struct { int32_t process; uint32_t user, group; } peer = {0, 0, 0};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (int64_t)peer.user : -1;
}

/* recvmsg with descriptors (cmsg(3) is macros): the bytes read, and in *count the descriptors that came, of which the first `capacity` are
 * in `descriptors` and the others are closed already. 16 fit; *lost says that there were more, which the kernel closed. */
static inline ssize_t msdk_receive(int socket, void *bytes, size_t size, int *descriptors, int capacity, int *count, int *lost) {
  union { char bytes[CMSG_SPACE(16 * sizeof(int))]; struct cmsghdr align; } control;
  struct iovec vector = {bytes, size};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  *count = 0;
  *lost = 0;
  ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return got;
  *lost = (message.msg_flags & MSG_CTRUNC) != 0;
  for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head != NULL; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    size_t some = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < some; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      if (*count < capacity) descriptors[*count] = descriptor; else close(descriptor);
      *count += 1;
    }
  }
  return got;
}

/* The seals of a memfd (fcntl(2), F_GET_SEALS); -1 for what is none. */
static inline int msdk_seals(int descriptor) { return fcntl(descriptor, 1034); }
enum { MSDK_SEAL_SHRINK = 2, MSDK_SEAL_GROW = 4 };

#endif
