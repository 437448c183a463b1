/* What DTLS needs of OpenSSL 3 beyond TLS. The inlines stand for macros, which Swift does not import, and for fields of a struct timeval. */
#ifndef COPENSSL_DTLS_H
#define COPENSSL_DTLS_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <sys/time.h>

/* The options are built of macros with arguments; so are most setters of a context. 1, or 0 where one of them was refused. */
static inline int copenssl_only_dtls12(SSL_CTX *context, long longest_certificates) {
  SSL_CTX_set_options(
    context, SSL_OP_NO_QUERY_MTU | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_security_level(context, 2);
  SSL_CTX_set_max_cert_list(context, longest_certificates);
  return SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION) == 1 && SSL_CTX_set_max_proto_version(context, DTLS1_2_VERSION) == 1;
}
/* SSL_CTX_set1_groups_list and SSL_CTX_set1_sigalgs_list are macros. */
static inline int copenssl_set_algorithms(SSL_CTX *context, const char *groups, const char *signatures) {
  return SSL_CTX_set1_groups_list(context, groups) == 1 && SSL_CTX_set1_sigalgs_list(context, signatures) == 1;
}
/* SSL_set_mtu is a macro. */
static inline int copenssl_set_mtu(SSL *connection, long size) { return SSL_set_mtu(connection, size) > 0; }
/* DTLSv1_handle_timeout is a macro: 1 where a flight was sent again, 0 where it is not due, -1 where the connection has failed. */
static inline long copenssl_retransmit(SSL *connection) { return DTLSv1_handle_timeout(connection); }
/* SSL_get_extms_support is a macro: 1 where both ends have it (RFC 7627). */
static inline long copenssl_has_extended_secret(SSL *connection) { return SSL_get_extms_support(connection); }
/* BIO_set_retry_read and BIO_clear_retry_flags are macros. */
static inline void copenssl_wait_to_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void copenssl_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
/* ERR_GET_REASON is a macro. */
static inline int copenssl_reason_code(void) { return ERR_GET_REASON(ERR_peek_error()); }

/* The value of BIO_CTRL_DGRAM_SET_NEXT_TIMEOUT: whether a timer runs. */
static inline int copenssl_timer_runs(const void *next) {
  const struct timeval *time = (const struct timeval *)next;
  return time->tv_sec != 0 || time->tv_usec != 0;
}
/* Long ago. */
static inline void copenssl_expire_timer(void *next) {
  struct timeval *time = (struct timeval *)next;
  time->tv_sec = 0;
  time->tv_usec = 1;
}

#endif
