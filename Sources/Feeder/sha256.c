#define _DEFAULT_SOURCE 1
#include "sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t value, int bits) { return value >> bits | value << (32 - bits); }

static uint32_t big32(const uint8_t *at) { return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]; }

static void put_big32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* FIPS 180-4, 6.2.2. */
static void take_block(uint32_t state[8], const uint8_t *block) {
  uint32_t w[64], v[8];
  for (int t = 0; t < 16; t++) w[t] = big32(block + 4 * t);
  for (int t = 16; t < 64; t++) {
    uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
    uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  memcpy(v, state, sizeof v);
  for (int t = 0; t < 64; t++) {
    uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22), majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    uint32_t one = v[7] + s1 + choice + constants[t] + w[t];
    memmove(v + 1, v, 7 * sizeof v[0]);
    v[4] += one;
    v[0] = one + s0 + majority;
  }
  for (int i = 0; i < 8; i++) state[i] += v[i];
  explicit_bzero(w, sizeof w);
  explicit_bzero(v, sizeof v);
}

void sha256_begin(sha256 *hash) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, start, sizeof start);
  hash->size = 0;
}

void sha256_add(sha256 *hash, const void *bytes, size_t size) {
  const uint8_t *from = bytes;
  while (size > 0) {
    size_t filled = hash->size % SHA256_BLOCK, part = SHA256_BLOCK - filled < size ? SHA256_BLOCK - filled : size;
    memcpy(hash->block + filled, from, part);
    hash->size += part;
    from += part;
    size -= part;
    if (filled + part == SHA256_BLOCK) take_block(hash->state, hash->block);
  }
}

void sha256_end(sha256 *hash, uint8_t digest[SHA256_SIZE]) {
  /* A one bit, zeros up to 8 bytes before the end of a block, and the number of bits. */
  uint8_t padding[SHA256_BLOCK + 8] = {0x80};
  size_t zeros = (2 * SHA256_BLOCK - 9 - hash->size % SHA256_BLOCK) % SHA256_BLOCK;
  uint64_t bits = hash->size * 8;
  put_big32(padding + 1 + zeros, (uint32_t)(bits >> 32));
  put_big32(padding + 5 + zeros, (uint32_t)bits);
  sha256_add(hash, padding, 9 + zeros);
  for (int i = 0; i < 8; i++) put_big32(digest + 4 * i, hash->state[i]);
  explicit_bzero(hash, sizeof *hash);
}

void hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size, uint8_t mac[SHA256_SIZE]) {
  uint8_t padded[SHA256_BLOCK] = {0}, inner[SHA256_SIZE];
  sha256 hash;
  if (key_size > SHA256_BLOCK) {
    sha256_begin(&hash);
    sha256_add(&hash, key, key_size);
    sha256_end(&hash, padded);
  } else {
    memcpy(padded, key, key_size);
  }
  for (int i = 0; i < SHA256_BLOCK; i++) padded[i] ^= 0x36;
  sha256_begin(&hash);
  sha256_add(&hash, padded, sizeof padded);
  sha256_add(&hash, bytes, size);
  sha256_end(&hash, inner);
  for (int i = 0; i < SHA256_BLOCK; i++) padded[i] ^= 0x36 ^ 0x5c;
  sha256_begin(&hash);
  sha256_add(&hash, padded, sizeof padded);
  sha256_add(&hash, inner, sizeof inner);
  sha256_end(&hash, mac);
  explicit_bzero(padded, sizeof padded);
  explicit_bzero(inner, sizeof inner);
}

bool is_same_mac(const uint8_t one[SHA256_SIZE], const uint8_t other[SHA256_SIZE]) {
  volatile uint8_t difference = 0;
  for (int i = 0; i < SHA256_SIZE; i++) difference |= one[i] ^ other[i];
  return difference == 0;
}
