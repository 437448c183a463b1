#include "self.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READS_MAX = 32 };

static void poke(msdk_feeder *feeder) {
  uint64_t one = 1;
  ssize_t written = write(feeder->wake, &one, sizeof one);
  (void)written; /* a full counter wakes it too */
}

void link_end(msdk_feeder *feeder, msdk_result result, uint32_t reason, const char *why) {
  if (feeder->ended != MSDK_OK) return;
  feeder->ended = result;
  feeder->reason = reason;
  snprintf(feeder->why, sizeof feeder->why, "%s", why);
  feeder->out_size = feeder->out_sent = 0;
  pthread_cond_broadcast(&feeder->changed);
  poke(feeder);
}

/* Sends what the socket takes now. */
static void flush(msdk_feeder *feeder) {
  while (feeder->ended == MSDK_OK && feeder->out_sent < feeder->out_size) {
    bool is_passing = feeder->pass >= 0 && feeder->out_sent == feeder->pass_at;
    size_t end = feeder->pass >= 0 && feeder->out_sent < feeder->pass_at ? feeder->pass_at : feeder->out_size;
    struct iovec bytes = {feeder->out + feeder->out_sent, end - feeder->out_sent};
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (is_passing) {
      message.msg_control = control.bytes;
      message.msg_controllen = sizeof control.bytes;
      struct cmsghdr *head = CMSG_FIRSTHDR(&message);
      *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
      memcpy(CMSG_DATA(head), &feeder->pass, sizeof(int));
    }
    ssize_t sent = sendmsg(feeder->socket, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      /* Why it ended may wait to be read. */
      if (errno != EAGAIN) {
        link_read(feeder);
        link_end(feeder, MSDK_E_IO, MSDK_FEED_NONE, "the session closed the connection");
      }
      return;
    }
    if (is_passing) feeder->pass = -1;
    feeder->out_sent += (size_t)sent;
  }
  if (feeder->out_sent == feeder->out_size) pthread_cond_broadcast(&feeder->changed);
}

msdk_result link_check(msdk_feeder *feeder) {
  link_read(feeder);
  if (feeder->ended != MSDK_OK) return fail(MSDK_E_CLOSED, "%s", feeder->why);
  flush(feeder);
  /* Bytes that the session's socket has not taken are on their way too. */
  int waiting = 0;
  if (feeder->out_sent < feeder->out_size || (ioctl(feeder->socket, SIOCOUTQ, &waiting) == 0 && waiting > 0)) {
    return fail(MSDK_E_AGAIN, "the previous frame is still in flight");
  }
  return feeder->ended == MSDK_OK ? MSDK_OK : fail(MSDK_E_CLOSED, "%s", feeder->why);
}

uint8_t *link_reserve(msdk_feeder *feeder, size_t size) {
  if (size > feeder->out_capacity) {
    size_t capacity = (size + 4095) / 4096 * 4096;
    uint8_t *memory = aligned_alloc(4096, capacity);
    if (memory == NULL) return NULL;
    free(feeder->out);
    feeder->out = memory;
    feeder->out_capacity = capacity;
  }
  return feeder->out;
}

void link_send(msdk_feeder *feeder, size_t size, int descriptor, size_t descriptor_at) {
  feeder->out_size = size;
  feeder->out_sent = 0;
  feeder->pass = descriptor;
  feeder->pass_at = descriptor_at;
  flush(feeder);
  if (feeder->out_sent < feeder->out_size) poke(feeder);
}

static void hear(msdk_feeder *feeder, uint32_t type, const uint8_t *body, uint32_t size) {
  if (type == HEAR_RELEASE && size == 8) {
    uint32_t id = get32(body);
    if (id < SLOTS_MAX && feeder->slots[id].state == SLOT_SENT) feeder->slots[id].state = SLOT_FREE;
    pthread_cond_broadcast(&feeder->changed);
  } else if (type == HEAR_KEY_FRAME && size == 0) {
    feeder->wants_key_frame = true;
  } else if (type == HEAR_REFUSED && size >= 8) {
    char why[512], text[REFUSAL_MAX];
    snprintf(why, sizeof why, "the session ended the connection: %s", refusal_text(body, size, text));
    link_end(feeder, MSDK_E_CLOSED, get32(body), why);
  } else {
    link_end(feeder, MSDK_E_CORRUPT, MSDK_FEED_NONE, "the session sent an invalid message");
  }
}

void link_read(msdk_feeder *feeder) {
  /* A session that says more than can be heard must not keep the lock: what is left is read the next time. */
  for (int rounds = 0; rounds < READS_MAX && feeder->ended == MSDK_OK; rounds++) {
    ssize_t got = recv(feeder->socket, feeder->in + feeder->in_size, sizeof feeder->in - feeder->in_size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      link_end(feeder, MSDK_E_IO, MSDK_FEED_NONE, "the session closed the connection");
      return;
    }
    feeder->in_size += (size_t)got;
    size_t at = 0;
    while (feeder->ended == MSDK_OK && feeder->in_size - at >= HEAD_SIZE) {
      uint32_t size = get32(feeder->in + at);
      if (size > sizeof feeder->in - HEAD_SIZE) {
        link_end(feeder, MSDK_E_CORRUPT, MSDK_FEED_NONE, "the session sent an invalid message");
        return;
      }
      if (feeder->in_size - at < HEAD_SIZE + size) break;
      hear(feeder, get32(feeder->in + at + 4), feeder->in + at + HEAD_SIZE, size);
      at += HEAD_SIZE + size;
    }
    memmove(feeder->in, feeder->in + at, feeder->in_size - at);
    feeder->in_size -= at;
  }
}

void *link_run(void *argument) {
  msdk_feeder *feeder = argument;
  for (;;) {
    pthread_mutex_lock(&feeder->lock);
    link_read(feeder);
    flush(feeder);
    bool is_over = feeder->is_stopping, is_alive = feeder->ended == MSDK_OK, is_sending = feeder->out_sent < feeder->out_size;
    pthread_mutex_unlock(&feeder->lock);
    if (is_over) return NULL;
    struct pollfd both[2] = {{feeder->wake, POLLIN, 0}, {is_alive ? feeder->socket : -1, POLLIN, 0}};
    if (is_sending) both[1].events |= POLLOUT;
    poll(both, 2, -1);
    uint64_t count;
    ssize_t taken = read(feeder->wake, &count, sizeof count);
    (void)taken;
  }
}

static bool is_ready(const msdk_feeder *feeder, short events, int64_t deadline) {
  int64_t left = deadline - now_ns();
  struct pollfd one = {feeder->socket, events, 0};
  return left > 0 && poll(&one, 1, (int)((left + 999999) / 1000000)) != 0;
}

/* Whether everything has left. What the session says meanwhile is read, also why it ends the connection. */
static bool flush_until(msdk_feeder *feeder, int64_t deadline) {
  for (;;) {
    link_read(feeder);
    flush(feeder);
    if (feeder->ended != MSDK_OK) return false;
    if (feeder->out_sent == feeder->out_size) return true;
    if (!is_ready(feeder, POLLIN | POLLOUT, deadline)) return false;
  }
}

/* The frame on its way goes first, since BYE cannot be in the middle of it, and BYE waits for room as any message does. The session closes
 * the connection when it has BYE. A socket that is closed before, in which a message of the session's is unread, or arrives late, resets the
 * connection, and TCP forgets what the session has not received. */
void link_leave(msdk_feeder *feeder, int64_t deadline) {
  if (!flush_until(feeder, deadline)) return;
  uint8_t *at = link_reserve(feeder, HEAD_SIZE);
  if (at == NULL) return;
  put_head(at, 0, SAY_BYE);
  link_send(feeder, HEAD_SIZE, -1, 0);
  if (!flush_until(feeder, deadline)) return;
  shutdown(feeder->socket, SHUT_WR);
  while (feeder->ended == MSDK_OK && is_ready(feeder, POLLIN, deadline)) link_read(feeder);
}
