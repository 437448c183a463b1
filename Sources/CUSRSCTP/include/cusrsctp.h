/* SCTP by libusrsctp, over packets that are handed in and out: no socket of the kernel, no thread.
 *
 * libusrsctp has one stack in a process, with one clock and one list of timers. Here each association has a context with its own time,
 * timers and random bytes (timers.c, clock.c, environment.c, in place of those of the library). Whatever enters the library does so in a
 * context, between cusrsctp_enter and cusrsctp_leave, and under one lock, which is the caller's. */
#ifndef CUSRSCTP_H
#define CUSRSCTP_H

#include <stddef.h>
#include <stdint.h>

typedef struct cusrsctp_context cusrsctp_context;
typedef struct socket cusrsctp_socket;

/* What the library calls while a thread is in a context: with its owner, and a packet that is to be sent, borrowed. */
typedef void (*cusrsctp_output)(void *owner, const void *packet, size_t size);
/* The same for memory that is to be filled with random bytes. */
typedef void (*cusrsctp_random)(void *owner, void *memory, size_t size);

/* Once in a process, before anything else. Outside of a context random bytes are the system's. */
void cusrsctp_start(cusrsctp_output output, cusrsctp_random random);

/* `owner` is borrowed until the end. NULL: no memory. */
cusrsctp_context *cusrsctp_context_new(void *owner);
/* Runs the timers that are left, which free what their association has left, and frees the context. 0: some were left nevertheless, and the
 * context with them. The caller has entered it, and has left it after that. */
int cusrsctp_context_end(cusrsctp_context *context);
/* `now`: nanoseconds of any clock, at least 0, never less than before. */
void cusrsctp_enter(cusrsctp_context *context, int64_t now);
void cusrsctp_leave(void);
/* When a timer is due; INT64_MAX: none. Rounded up to a millisecond. */
int64_t cusrsctp_next_timer(const cusrsctp_context *context);
/* Runs those that are due. The caller has entered the context. */
void cusrsctp_run_timers(cusrsctp_context *context);

/* An association is one socket. All of these are called in its context. */
typedef struct cusrsctp_settings {
  uint16_t own_port, peer_port;
  uint16_t streams;                    /* of each direction */
  uint32_t packet_size;                /* with the common header */
  uint32_t send_buffer, receive_buffer; /* bytes */
  uint32_t first_timeout, least_timeout, longest_timeout; /* ms */
  uint32_t heartbeat_interval;         /* ms */
  uint32_t acknowledgement_delay;      /* ms */
  uint16_t most_retransmissions;
} cusrsctp_settings;

/* A number below the highest of all that are in use must not be used twice at a time; it stands for the address of both ends. */
void cusrsctp_register_address(uint32_t address);
/* A socket that is bound; NULL, and *error is what errno was. */
cusrsctp_socket *cusrsctp_open(uint32_t address, const cusrsctp_settings *settings, int *error);
/* Sends INIT. 0, or errno. */
int cusrsctp_connect(cusrsctp_socket *association, uint32_t address, uint16_t peer_port);
/* A packet that came. */
void cusrsctp_input(uint32_t address, const void *packet, size_t size);
/* With an ABORT if it is there. The socket is gone after that. */
void cusrsctp_close(cusrsctp_socket *association);

/* How long a message is sent again: without end, `value` times, for `value` ms (RFC 7496, section 4). */
enum { CUSRSCTP_RELIABLE, CUSRSCTP_RETRANSMISSIONS, CUSRSCTP_LIFETIME };
/* A whole message. 0: taken. EWOULDBLOCK: there is no room; otherwise another errno. */
int cusrsctp_send(
  cusrsctp_socket *association, const void *bytes, size_t size, uint16_t stream, uint32_t protocol, int is_unordered, int policy,
  uint32_t value);
/* Bytes of messages that were taken and not acknowledged. */
uint32_t cusrsctp_unacknowledged(cusrsctp_socket *association);
/* Resets an outgoing stream when what was sent on it is acknowledged (RFC 6525). 0, or errno. */
int cusrsctp_reset(cusrsctp_socket *association, uint16_t stream);

enum {
  CUSRSCTP_NOTHING,  /* there is nothing more for now */
  CUSRSCTP_DATA,     /* `size` bytes of a message of `stream`; `is_end`: its last ones */
  CUSRSCTP_UP,       /* `outgoing` and `incoming`: streams */
  CUSRSCTP_RESTART,  /* the other end has begun again */
  CUSRSCTP_LOST,     /* `error`: errno, or a code of an ABORT */
  CUSRSCTP_SHUTDOWN, /* the other end has ended it */
  CUSRSCTP_RESET,    /* `flags`, and `size` / 2 streams in the memory, of the byte order of the host; none: all */
  CUSRSCTP_CUT,      /* the rest of a message of `stream` does not come */
  CUSRSCTP_OTHER
};
enum { CUSRSCTP_RESET_INCOMING = 1, CUSRSCTP_RESET_OUTGOING = 2, CUSRSCTP_RESET_DENIED = 4, CUSRSCTP_RESET_FAILED = 8 };
typedef struct cusrsctp_news {
  int kind;
  size_t size;
  uint32_t protocol;
  uint16_t stream, outgoing, incoming, error, flags;
  int is_end;
} cusrsctp_news;
/* What came next, in order. */
cusrsctp_news cusrsctp_read(cusrsctp_socket *association, void *memory, size_t size);

#endif
