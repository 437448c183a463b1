/* What SRTP needs of OpenSSL 3: ciphers, message authentication, comparison in constant time. The inlines stand for macros. */
#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>

static inline int copenssl_gcm_get_tag(EVP_CIPHER_CTX *context, int size, void *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, size, tag);
}

static inline int copenssl_gcm_set_tag(EVP_CIPHER_CTX *context, int size, const void *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, size, (void *)tag);
}

/* HMAC with SHA-1, keyed; to be duplicated or begun again with EVP_MAC_init(context, NULL, 0, NULL). */
static inline EVP_MAC_CTX *copenssl_hmac_sha1(const unsigned char *key, size_t size) {
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
  EVP_MAC_free(mac);
  if (!context) return NULL;
  char digest[] = "SHA1";
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  if (EVP_MAC_init(context, key, size, params) != 1) {
    EVP_MAC_CTX_free(context);
    return NULL;
  }
  return context;
}

#endif
