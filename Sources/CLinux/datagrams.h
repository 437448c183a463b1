/* Datagrams by the batch: recvmmsg(2) and sendmmsg(2), which glibc hides from Swift, and UDP_SEGMENT and UDP_GRO (udp(7)), by which the kernel
 * cuts one large message into many packets of a size, and leaves together those that came as a row. */
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
#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif

struct msdk_mmsghdr { struct msghdr message; unsigned int size; };
struct mmsghdr;
extern int recvmmsg(int socket, struct mmsghdr *messages, unsigned int count, int flags, struct timespec *timeout);
extern int sendmmsg(int socket, struct mmsghdr *messages, unsigned int count, int flags);

enum { MSDK_DATAGRAMS = 64, MSDK_SEGMENTS = 60, MSDK_ROWS = 16, MSDK_ROW_SIZE = 65536 };

/* Where datagrams are sent from. */
typedef struct msdk_datagrams {
  struct msdk_mmsghdr headers[MSDK_DATAGRAMS];
  struct iovec vectors[MSDK_DATAGRAMS];
  struct sockaddr_storage addresses[MSDK_DATAGRAMS];
  union { char bytes[CMSG_SPACE(sizeof(uint16_t))]; struct cmsghdr align; } controls[MSDK_DATAGRAMS];
  int count;
} msdk_datagrams;

/* Never blocks. Where the kernel knows how (Linux 5.0), neighbours of one size that came together are received as one row. */
static inline int msdk_datagram_socket(int family) {
  int result = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  if (result >= 0) setsockopt(result, SOL_UDP, UDP_GRO, &yes, sizeof yes);
  return result;
}

/* Where rows of datagrams are received to. */
typedef struct msdk_rows {
  struct msdk_mmsghdr headers[MSDK_ROWS];
  struct iovec vectors[MSDK_ROWS];
  struct sockaddr_storage addresses[MSDK_ROWS];
  union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } controls[MSDK_ROWS];
} msdk_rows;

/* Receives up to 16 rows into as much memory; their number, or -1 with errno. */
static inline int msdk_rows_receive(int socket, msdk_rows *rows, void *memory) {
  for (int i = 0; i < MSDK_ROWS; i++) {
    rows->vectors[i] = (struct iovec){(char *)memory + (size_t)i * MSDK_ROW_SIZE, MSDK_ROW_SIZE};
    rows->headers[i].message = (struct msghdr){
        .msg_name = &rows->addresses[i], .msg_namelen = sizeof rows->addresses[i], .msg_iov = &rows->vectors[i], .msg_iovlen = 1,
        .msg_control = rows->controls[i].bytes, .msg_controllen = sizeof rows->controls[i].bytes};
  }
  return recvmmsg(socket, (struct mmsghdr *)rows->headers, MSDK_ROWS, MSG_DONTWAIT, NULL);
}
/* A row of one datagram, by other means than a socket; its bytes are at its place in the memory already. */
static inline void msdk_rows_put(msdk_rows *rows, int index, size_t size, const struct sockaddr_storage *address) {
  rows->headers[index].message = (struct msghdr){.msg_controllen = 0};
  rows->headers[index].size = (unsigned int)size;
  rows->addresses[index] = *address;
}
static inline size_t msdk_rows_size(const msdk_rows *rows, int index) { return rows->headers[index].size; }
/* Of each datagram of a row, of which the last may be shorter. */
static inline size_t msdk_rows_segment(msdk_rows *rows, int index) {
  struct msghdr *message = &rows->headers[index].message;
  for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control != NULL; control = CMSG_NXTHDR(message, control)) {
    if (control->cmsg_level != SOL_UDP || control->cmsg_type != UDP_GRO) continue;
    int size = 0;
    memcpy(&size, CMSG_DATA(control), sizeof size);
    if (size > 0) return (size_t)size;
  }
  return rows->headers[index].size;
}
static inline const struct sockaddr_storage *msdk_rows_address(const msdk_rows *rows, int index) { return &rows->addresses[index]; }

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

static inline struct iovec msdk_datagrams_vector(const msdk_datagrams *batch, int index) { return batch->vectors[index]; }
static inline const struct sockaddr_storage *msdk_datagrams_address(const msdk_datagrams *batch, int index) { return &batch->addresses[index]; }

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
