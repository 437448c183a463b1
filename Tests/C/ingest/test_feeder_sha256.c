/* The feeder's own SHA-256 and HMAC, against the vectors of the standards. */
#include "check.h"
#include "proving.h"

static void is_hex(const uint8_t digest[32], const char *hex) {
  char text[65];
  for (int i = 0; i < 32; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
  if (!CHECK(strcmp(text, hex) == 0)) fprintf(stderr, "  %s, expected %s\n", text, hex);
}

/* FIPS 180-4's examples and RFC 6234, section 8.5 (TEST1 to TEST4, in whole bytes), each in pieces of many sizes. */
static void hashes(void) {
  static const struct { const char *text; size_t times; const char *digest; } vectors[] = {
      {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 1,
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
      {"0123456701234567012345670123456701234567012345670123456701234567", 10,
       "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"}};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    size_t size = strlen(vectors[i].text);
    for (size_t piece = 1; piece <= 130; piece += vectors[i].times > 10 ? 64 : 1) {
      uint8_t digest[32];
      sha256 hash;
      sha256_begin(&hash);
      for (size_t n = 0; n < vectors[i].times; n++) {
        for (size_t at = 0; at < size; at += piece) sha256_add(&hash, vectors[i].text + at, size - at < piece ? size - at : piece);
      }
      sha256_end(&hash, digest);
      is_hex(digest, vectors[i].digest);
    }
  }
}

/* Every length across four blocks: the digest of the digests, as Python's hashlib has it. */
static void every_length(void) {
  uint8_t bytes[256], digest[32];
  for (int i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
  sha256 all, one;
  sha256_begin(&all);
  for (size_t size = 0; size < 256; size++) {
    sha256_begin(&one);
    sha256_add(&one, bytes, size);
    sha256_end(&one, digest);
    sha256_add(&all, digest, sizeof digest);
  }
  sha256_end(&all, digest);
  is_hex(digest, "b93dd1116d1648691c732d2011543b161309b842afef7ecb6f17adf2ebbd3426");
}

/* RFC 4231, section 4, all seven. */
static void macs(void) {
  static const struct {
    uint8_t key, step;
    uint32_t key_size;
    const char *text_key, *text;
    uint8_t fill;
    uint32_t size;
    const char *mac;
  } vectors[] = {
      {0x0b, 0, 20, NULL, "Hi There", 0, 0, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {0, 0, 4, "Jefe", "what do ya want for nothing?", 0, 0, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {0xaa, 0, 20, NULL, NULL, 0xdd, 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {0x01, 1, 25, NULL, NULL, 0xcd, 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {0x0c, 0, 20, NULL, "Test With Truncation", 0, 0, "a3b6167473100ee06e0c796c2955552b"}, /* its first 16 bytes */
      {0xaa, 0, 131, NULL, "Test Using Larger Than Block-Size Key - Hash Key First", 0, 0,
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {0xaa, 0, 131, NULL,
       "This is a test using a larger than block-size key and a larger than block-size data. "
       "The key needs to be hashed before being used by the HMAC algorithm.",
       0, 0, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"}};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    uint8_t key[131], text[160], mac[32];
    char hex[65];
    for (uint32_t k = 0; k < vectors[i].key_size; k++) key[k] = (uint8_t)(vectors[i].key + k * vectors[i].step);
    if (vectors[i].text_key != NULL) memcpy(key, vectors[i].text_key, vectors[i].key_size);
    size_t size = vectors[i].text != NULL ? strlen(vectors[i].text) : vectors[i].size;
    if (vectors[i].text != NULL) memcpy(text, vectors[i].text, size);
    else memset(text, vectors[i].fill, size);
    hmac_sha256(key, vectors[i].key_size, text, size, mac);
    for (int b = 0; b < 32; b++) snprintf(hex + 2 * b, 3, "%02x", mac[b]);
    CHECK(strncmp(hex, vectors[i].mac, strlen(vectors[i].mac)) == 0);
  }
}

static void comparisons(void) {
  uint8_t one[32], other[32];
  for (int i = 0; i < 32; i++) one[i] = other[i] = (uint8_t)(i * 7);
  CHECK(is_same_mac(one, other));
  for (int bit = 0; bit < 256; bit++) {
    other[bit / 8] ^= (uint8_t)(1 << bit % 8);
    CHECK(!is_same_mac(one, other));
    other[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
}

int main(int argc, char **argv) {
  (void)argv;
  RUN(hashes);
  RUN(every_length);
  RUN(macs);
  RUN(comparisons);
  return check_finish();
}
