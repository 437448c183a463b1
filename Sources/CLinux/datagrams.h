/* Datagrams by the batch: recvmmsg(2) and sendmmsg(2), which glibc hides from Swift, and UDP_SEGMENT (udp(7)), by which the kernel cuts one
 * large message into many packets of a size. */
#ifndef MEDIASDK_CLINUX_DATAGRAMS_H
#define MEDIASDK_CLINUX_DATAGRAMS_H

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif

struct msdk_mmsghdr { struct msghdr message; unsigned int size; };
struct mmsghdr;
extern int recvmmsg(int socket, struct mmsghdr *messages, unsigned int count, int flags, struct timespec *timeout);
extern int sendmmsg(int socket, struct mmsghdr *messages, unsigned int count, int flags);

enum { MSDK_DATAGRAMS = 64, MSDK_SEGMENTS = 60 };

/* Where datagrams are received to, or sent from. */
typedef struct msdk_datagrams {
  struct msdk_mmsghdr headers[MSDK_DATAGRAMS];
  struct iovec vectors[MSDK_DATAGRAMS];
  struct sockaddr_storage addresses[MSDK_DATAGRAMS];
  union { char bytes[CMSG_SPACE(sizeof(uint16_t))]; struct cmsghdr align; } controls[MSDK_DATAGRAMS];
  int count;
} msdk_datagrams;

static inline int msdk_datagram_socket(int family) { return socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/* Receives up to 64 datagrams into slots of one piece of memory; their number, or -1 with errno. */
static inline int msdk_datagrams_receive(int socket, msdk_datagrams *batch, void *memory, size_t slot, int slots) {
  int count = slots < MSDK_DATAGRAMS ? slots : MSDK_DATAGRAMS;
  for (int i = 0; i < count; i++) {
    batch->vectors[i] = (struct iovec){(char *)memory + (size_t)i * slot, slot};
    struct msghdr *message = &batch->headers[i].message;
    memset(message, 0, sizeof *message);
    message->msg_name = &batch->addresses[i];
    message->msg_namelen = sizeof batch->addresses[i];
    message->msg_iov = &batch->vectors[i];
    message->msg_iovlen = 1;
  }
  int got = recvmmsg(socket, (struct mmsghdr *)batch->headers, (unsigned int)count, MSG_DONTWAIT, NULL);
  batch->count = got < 0 ? 0 : got;
  return got;
}
static inline size_t msdk_datagrams_size(const msdk_datagrams *batch, int index) { return batch->headers[index].size; }
/* Longer than its slot. */
static inline int msdk_datagrams_is_cut(const msdk_datagrams *batch, int index) {
  return (batch->headers[index].message.msg_flags & MSG_TRUNC) != 0;
}
static inline const struct sockaddr_storage *msdk_datagrams_address(const msdk_datagrams *batch, int index) { return &batch->addresses[index]; }

static inline void msdk_datagrams_begin(msdk_datagrams *batch) { batch->count = 0; }

/* Adds one; 0 when the batch is full. The memory and the address stay as they are until the batch was sent. */
static inline int msdk_datagrams_add(msdk_datagrams *batch, const void *data, size_t size, const struct sockaddr_storage *address, socklen_t length) {
  if (batch->count >= MSDK_DATAGRAMS) return 0;
  int i = batch->count++;
  batch->vectors[i] = (struct iovec){(void *)data, size};
  memcpy(&batch->addresses[i], address, length);
  struct msghdr *message = &batch->headers[i].message;
  memset(message, 0, sizeof *message);
  message->msg_name = &batch->addresses[i];
  message->msg_namelen = length;
  message->msg_iov = &batch->vectors[i];
  message->msg_iovlen = 1;
  return 1;
}

/* Sends from the datagram `from` on; how many went, or -1 with errno when the first did not. With `segments`, neighbours of the same size to
 * the same address (the last of a run may be shorter) go as one message that the kernel cuts. */
static inline int msdk_datagrams_send(int socket, msdk_datagrams *batch, int from, int segments) {
  struct msdk_mmsghdr messages[MSDK_DATAGRAMS];
  int first[MSDK_DATAGRAMS + 1], count = 0;
  for (int i = from; i < batch->count;) {
    struct msghdr *head = &batch->headers[i].message;
    size_t size = batch->vectors[i].iov_len, total = size;
    int run = 1;
    while (segments && size > 0 && i + run < batch->count && run < MSDK_SEGMENTS) {
      const struct msghdr *next = &batch->headers[i + run].message;
      size_t length = batch->vectors[i + run].iov_len;
      if (batch->vectors[i + run - 1].iov_len != size || length > size || length == 0 || total + length > 65000) break;
      if (next->msg_namelen != head->msg_namelen || memcmp(next->msg_name, head->msg_name, head->msg_namelen) != 0) break;
      total += length;
      run++;
    }
    messages[count].message = *head;
    messages[count].message.msg_iovlen = (size_t)run;
    messages[count].size = 0;
    if (run > 1) {
      struct msghdr *message = &messages[count].message;
      message->msg_control = batch->controls[i].bytes;
      message->msg_controllen = sizeof batch->controls[i].bytes;
      struct cmsghdr *control = CMSG_FIRSTHDR(message);
      control->cmsg_level = SOL_UDP;
      control->cmsg_type = UDP_SEGMENT;
      control->cmsg_len = CMSG_LEN(sizeof(uint16_t));
      uint16_t segment = (uint16_t)size;
      memcpy(CMSG_DATA(control), &segment, sizeof segment);
    }
    first[count++] = i;
    i += run;
  }
  first[count] = batch->count;
  if (count == 0) return 0;
  int sent = sendmmsg(socket, (struct mmsghdr *)messages, (unsigned int)count, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 ? -1 : first[sent] - from;
}

/* Whether the kernel knows UDP_SEGMENT (Linux 4.18). */
static inline int msdk_datagrams_can_segment(int socket) {
  int size = 0;
  return setsockopt(socket, SOL_UDP, UDP_SEGMENT, &size, sizeof size) == 0;
}

static inline int msdk_join_multicast(int socket, const struct sockaddr_storage *group, unsigned int interface_index) {
  struct group_req request;
  memset(&request, 0, sizeof request);
  request.gr_interface = interface_index;
  memcpy(&request.gr_group, group, sizeof *group);
  return setsockopt(socket, group->ss_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP, MCAST_JOIN_GROUP, &request, sizeof request);
}

#endif
