/* What the files of the feeder share. */
#ifndef FEEDER_SELF_H
#define FEEDER_SELF_H

#define _GNU_SOURCE
#include "sha256.h"

#include <mediasdk/feeder.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SLOTS_MAX = 16, TOKEN_MIN = 16, TOKEN_MAX = 255, HEAD_SIZE = 8, FRAME_HEADER_SIZE = 64 };
#define LEAVE_MAX 2000000000LL /* ns that close waits for the session to receive the last messages */
enum { WIRE_VERSION = 2, NONCE_SIZE = 32, ROLE_SIZE = 16, TRANSCRIPT_SIZE = 104, REFUSAL_MAX = 448 };
enum { SAY_HELLO = 1, SAY_FRAME = 2, SAY_SLOT = 3, SAY_SLOT_FRAME = 4, SAY_FORGET = 5, SAY_BYE = 6, SAY_PROOF = 7 };
enum { HEAR_WELCOME = 16, HEAR_REFUSED = 17, HEAR_RELEASE = 18, HEAR_KEY_FRAME = 19, HEAR_CHALLENGE = 20 };

typedef enum { SLOT_NONE, SLOT_FREE, SLOT_ACQUIRED, SLOT_SENT } slot_state;

typedef struct {
  slot_state state;
  int memfd;
  uint8_t *memory;
  size_t size;
  bool is_registered;  /* the session has this memory */
  bool needs_forget;   /* the session has other memory by this id */
} slot;

struct msdk_feeder {
  int socket, wake; /* wake: an eventfd for the thread */
  bool is_unix;
  uint64_t largest;   /* payload that the session takes */
  uint32_t slot_count;
  pthread_t thread;
  pthread_mutex_t lock; /* for all that follows */
  pthread_cond_t changed;
  bool is_stopping;
  bool wants_key_frame;
  msdk_result ended; /* MSDK_OK while the connection is alive */
  uint32_t reason;
  char why[512];
  /* What is on its way: bytes, how many have left, and the descriptor that goes with the byte at pass_at. */
  uint8_t *out;
  size_t out_capacity, out_size, out_sent, pass_at;
  int pass;
  uint8_t in[2048];
  size_t in_size;
  slot slots[SLOTS_MAX];
};

/* sized.c: copies what the caller's struct has, the missing members are zero; refuses unknown members that are not 0. */
msdk_result take_struct(const void *given, void *into, size_t known, size_t least, const char *name);
msdk_result check_choices(uint32_t orientation, uint32_t color_full_range); /* of a frame */

/* send.c: a frame of the caller's, checked as far as it can be without a slot. */
msdk_result take_frame(const msdk_feeder_frame *given, msdk_feeder_frame *frame);

/* words.c: notes the words of this thread's failure, and gives the result back. */
msdk_result fail(msdk_result result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text of a REFUSED of at least 8 bytes. Anybody may have written it: it is cut off, and what a terminal would obey becomes spaces. */
const char *refusal_text(const uint8_t *body, uint32_t size, char out[REFUSAL_MAX]);

/* wire.c: numbers, little-endian, and what the frame header needs. */
typedef struct {
  uint32_t format, width, height, flags, orientation, planes, stride[MSDK_PLANES_MAX], color_matrix, color_full_range;
  int64_t timestamp_ns;
  uint64_t payload;
} wire_frame;
uint8_t *put16(uint8_t *at, uint16_t value);
uint8_t *put32(uint8_t *at, uint32_t value);
uint8_t *put64(uint8_t *at, uint64_t value);
uint32_t get32(const uint8_t *at);
uint64_t get64(const uint8_t *at);
uint8_t *put_head(uint8_t *at, uint32_t body, uint16_t type);
uint8_t *put_frame_header(uint8_t *at, const wire_frame *frame);

/* layout.c: the planes of a raw frame, its strides aligned to `alignment`; checks format and size. */
typedef struct {
  uint32_t planes, row_bytes[MSDK_PLANES_MAX], rows[MSDK_PLANES_MAX], stride[MSDK_PLANES_MAX];
  uint64_t size;
} layout;
msdk_result layout_of(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t alignment, layout *out);
wire_frame describe(const msdk_feeder_frame *frame, const layout *planes);

/* link.c: the connection. With the lock held. */
msdk_result link_check(msdk_feeder *feeder);               /* alive and nothing on its way, or the error to return */
uint8_t *link_reserve(msdk_feeder *feeder, size_t size);   /* memory for what is to leave next; NULL: there is none */
void link_send(msdk_feeder *feeder, size_t size, int descriptor, size_t descriptor_at);
void link_read(msdk_feeder *feeder);
void link_end(msdk_feeder *feeder, msdk_result result, uint32_t reason, const char *why);
void *link_run(void *feeder); /* the thread */
void link_leave(msdk_feeder *feeder, int64_t deadline); /* after the thread: what is on its way and BYE, until the session has them */

/* connect.c */
msdk_result connect_to(const msdk_feeder_options *options, int64_t deadline, msdk_feeder *feeder);
msdk_result wait_for(int socket, short events, int64_t deadline);
int64_t now_ns(void);

/* random.c: bytes that nobody can guess. */
msdk_result random_bytes(uint8_t *bytes, size_t size);

/* prove.c: what both ends prove their tokens over, which feeder.h describes. */
typedef struct {
  uint32_t transport, session_address, feeder_address;
  uint16_t session_port, feeder_port;
  uint8_t feeder_nonce[NONCE_SIZE], session_nonce[NONCE_SIZE];
} exchange;
#define ROLE_SESSION "MSDKFEED session" /* ROLE_SIZE bytes, without the NUL that C puts behind it; the other with it */
#define ROLE_FEEDER "MSDKFEED feeder"
msdk_result exchange_begin(const msdk_feeder *feeder, exchange *it); /* all but the session's nonce */
void prove(const exchange *it, const char role[ROLE_SIZE], const void *token, uint32_t size, uint8_t proof[SHA256_SIZE]);

/* greet.c: both sides prove their tokens, on a connected socket, before the thread begins. */
msdk_result greet(const msdk_feeder_options *options, int64_t deadline, msdk_feeder *feeder);

/* slots.c */
void slots_free(msdk_feeder *feeder);

#endif
