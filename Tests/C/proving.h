/* The numbers of the feeder's wire, its first message, and what both ends prove their tokens over: feeder.h describes it. */
#ifndef PROVING_H
#define PROVING_H

#include "../../Sources/Feeder/sha256.c"

#include <netinet/in.h>
#include <sys/socket.h>

static inline uint8_t *raw16(uint8_t *at, uint32_t value) { return at[0] = (uint8_t)value, at[1] = (uint8_t)(value >> 8), at + 2; }
static inline uint8_t *raw32(uint8_t *at, uint32_t value) { return raw16(raw16(at, value & 0xFFFF), value >> 16); }
static inline uint8_t *raw64(uint8_t *at, uint64_t value) { return raw32(raw32(at, (uint32_t)value), (uint32_t)(value >> 32)); }
static inline uint32_t raw_get(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24; }
static inline uint8_t *raw_head(uint8_t *at, uint32_t size, uint32_t type) { return raw32(raw32(at, size), type); }

/* A HELLO; of version 1 the token stood where the nonce stands now. */
static inline size_t raw_hello(uint8_t *at, uint32_t version, const void *nonce, uint32_t size) {
  uint8_t *end = raw_head(at, 16 + size, 1);
  memcpy(end, "MSDKFEED", 8);
  end = raw32(raw32(end + 8, version), 0);
  if (size > 0) memcpy(end, nonce, size);
  return (size_t)(end - at) + size;
}

typedef struct exchange {
  uint32_t transport, session_address, feeder_address, session_port, feeder_port;
  uint8_t feeder_nonce[32], session_nonce[32];
} exchange;

/* What one of the ends knows at the beginning, with a nonce for it. */
static inline exchange exchange_of(int fd, int by_path, int is_feeder) {
  static uint32_t count;
  exchange it = {.transport = by_path ? 2 : 1};
  raw32(is_feeder ? it.feeder_nonce : it.session_nonce, ++count);
  if (by_path) return it;
  struct sockaddr_in own = {0}, other = {0};
  socklen_t sizes[2] = {sizeof own, sizeof other};
  getsockname(fd, (struct sockaddr *)&own, &sizes[0]);
  getpeername(fd, (struct sockaddr *)&other, &sizes[1]);
  const struct sockaddr_in *session = is_feeder ? &other : &own, *feeder = is_feeder ? &own : &other;
  it.session_address = ntohl(session->sin_addr.s_addr);
  it.session_port = ntohs(session->sin_port);
  it.feeder_address = ntohl(feeder->sin_addr.s_addr);
  it.feeder_port = ntohs(feeder->sin_port);
  return it;
}

static inline void exchange_prove(const exchange *it, const char *role, const void *token, uint32_t size, uint8_t proof[32]) {
  uint8_t bytes[104] = {0}, *at = bytes + 16;
  memcpy(bytes, role, strlen(role));
  at = raw32(raw16(raw16(at, 2), size), it->transport);
  at = raw32(raw32(at, it->session_address), it->feeder_address);
  at = raw32(raw16(raw16(at, it->session_port), it->feeder_port), 0);
  memcpy(at, it->feeder_nonce, 32);
  memcpy(at + 32, it->session_nonce, 32);
  hmac_sha256(token, size, bytes, sizeof bytes, proof);
}

#endif
