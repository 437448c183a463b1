/* SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), as the feeder links nothing but libc. */
#ifndef FEEDER_SHA256_H
#define FEEDER_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

typedef struct {
  uint32_t state[8];
  uint64_t size; /* bytes so far */
  uint8_t block[SHA256_BLOCK];
} sha256;

void sha256_begin(sha256 *hash);
void sha256_add(sha256 *hash, const void *bytes, size_t size);
void sha256_end(sha256 *hash, uint8_t digest[SHA256_SIZE]); /* clears the hash */

/* Nothing that depends on the key is left behind on the stack. */
void hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size, uint8_t mac[SHA256_SIZE]);

/* Takes the same time wherever they differ. */
bool is_same_mac(const uint8_t one[SHA256_SIZE], const uint8_t other[SHA256_SIZE]);

#endif
