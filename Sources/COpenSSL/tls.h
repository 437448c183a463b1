/* What TLS needs of OpenSSL 3 beyond SRTP: connections over memory, certificates. The inlines stand for macros, which Swift does not import. */
#ifndef COPENSSL_TLS_H
#define COPENSSL_TLS_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* SSL_CTX_set_min_proto_version is a macro. */
static inline int copenssl_only_tls13(SSL_CTX *context) { return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1; }
/* TLS 1.2, too, with these suites and algorithms of signatures only, and without renegotiation. */
static inline int copenssl_tls12(SSL_CTX *context, const char *suites, const char *signatures) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 && SSL_CTX_set_cipher_list(context, suites) == 1 &&
         SSL_CTX_set1_sigalgs_list(context, signatures) == 1;
}
/* For tests: a connection that has nothing newer. */
static inline int copenssl_only_tls12(SSL *connection) {
  return SSL_set_min_proto_version(connection, TLS1_2_VERSION) == 1 && SSL_set_max_proto_version(connection, TLS1_2_VERSION) == 1;
}
/* SSL_set_tlsext_host_name is a macro: the server is told which of its names is meant (RFC 6066, section 3). */
static inline int copenssl_name_server(SSL *connection, const char *name) { return SSL_set_tlsext_host_name(connection, name) == 1; }
/* SSL_CTX_set_mode is a macro; buffers of idle connections are let go. */
static inline void copenssl_release_buffers(SSL_CTX *context) { SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS); }
/* SSL_CTX_set_session_cache_mode is a macro; no session is kept to be resumed. */
static inline void copenssl_no_sessions(SSL_CTX *context) { SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); }
/* BIO_set_mem_eof_return is a macro; an empty memory is not the end, it is waited for more. */
static inline void copenssl_memory_waits(BIO *memory) { BIO_set_mem_eof_return(memory, -1); }
/* EVP_EC_gen is a macro over a variadic function. */
static inline EVP_PKEY *copenssl_make_p256(void) { return EVP_EC_gen("P-256"); }
/* ERR_GET_LIB and ERR_GET_REASON are built of macros: the reason's words, or NULL. */
static inline const char *copenssl_reason(void) { return ERR_reason_error_string(ERR_peek_error()); }
/* Called for each message and, with other types, for each record header: 22 is a message of the handshake (RFC 8446, section 5.1). */
static inline void copenssl_count_message(int is_sent, int version, int type, const void *bytes, size_t size, SSL *connection, void *count) {
  (void)version; (void)bytes; (void)size; (void)connection;
  if (!is_sent && type == SSL3_RT_HANDSHAKE) ++*(long *)count;
}
/* SSL_set_msg_callback_arg is a macro; counts the messages of the handshake that come, after it was over, too. */
static inline void copenssl_count_messages(SSL *connection, long *count) {
  SSL_set_msg_callback(connection, copenssl_count_message);
  SSL_set_msg_callback_arg(connection, count);
}
/* SSL_key_update with its macros; whether the other end is asked to change its keys, too. */
static inline int copenssl_change_keys(SSL *connection, int asks) {
  return SSL_key_update(connection, asks ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED) == 1;
}

#endif
