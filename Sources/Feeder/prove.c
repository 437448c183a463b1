#include "self.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static msdk_result name_of(int socket, int (*get)(int, struct sockaddr *restrict, socklen_t *restrict), struct sockaddr_in *out) {
  socklen_t size = sizeof *out;
  if (get(socket, (struct sockaddr *)out, &size) == 0) return MSDK_OK;
  return fail(MSDK_E_IO, "the session closed the connection during the handshake: %s", strerror(errno));
}

msdk_result exchange_begin(const msdk_feeder *feeder, exchange *it) {
  memset(it, 0, sizeof *it);
  msdk_result result = random_bytes(it->feeder_nonce, NONCE_SIZE);
  it->transport = feeder->is_unix ? 2 : 1;
  if (result < 0 || feeder->is_unix) return result;
  struct sockaddr_in session = {0}, own = {0};
  if ((result = name_of(feeder->socket, getpeername, &session)) < 0) return result;
  if ((result = name_of(feeder->socket, getsockname, &own)) < 0) return result;
  it->session_address = ntohl(session.sin_addr.s_addr);
  it->session_port = ntohs(session.sin_port);
  it->feeder_address = ntohl(own.sin_addr.s_addr);
  it->feeder_port = ntohs(own.sin_port);
  return MSDK_OK;
}

void prove(const exchange *it, const char role[ROLE_SIZE], const void *token, uint32_t size, uint8_t proof[SHA256_SIZE]) {
  uint8_t transcript[TRANSCRIPT_SIZE], *at = transcript;
  memcpy(at, role, ROLE_SIZE);
  at = put32(put16(put16(at + ROLE_SIZE, WIRE_VERSION), (uint16_t)size), it->transport);
  at = put32(put32(at, it->session_address), it->feeder_address);
  at = put32(put16(put16(at, it->session_port), it->feeder_port), 0);
  memcpy(at, it->feeder_nonce, NONCE_SIZE);
  memcpy(at + NONCE_SIZE, it->session_nonce, NONCE_SIZE);
  hmac_sha256(token, size, transcript, sizeof transcript, proof);
}
