import COpenSSL
import MediaCore
import Synchronization

extension TLSCertificate {
  /// Elliptic curves with authenticated encryption, as RFC 8827, section 6.5 asks for and RFC 9325 recommends; the first of them that the
  /// client has is taken. AES comes first, since processors have it.
  static let suites = [
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"
  ].joined(separator: ":")

  /// Of certificates and key exchanges; nothing with SHA-1.
  static let signatures = [
    "ECDSA+SHA256", "ECDSA+SHA384", "ECDSA+SHA512", "ed25519", "RSA-PSS+SHA256", "RSA-PSS+SHA384", "RSA-PSS+SHA512", "RSA+SHA256",
    "RSA+SHA384", "RSA+SHA512"
  ].joined(separator: ":")

  /// Of all connections of DTLS that show this certificate, in both roles; made for the first of them, by whoever is the first of several
  /// threads. Throws `.fail`.
  func datagramContext() throws(MediaError) -> OpaquePointer {
    if let context = datagrams.load(ordering: .acquiring) { return context }
    let made = try makeDatagramContext()
    let (isFirst, other) = datagrams.compareExchange(expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isFirst, let other else { return made }
    SSL_CTX_free(made)
    return other
  }

  private func makeDatagramContext() throws(MediaError) -> OpaquePointer {
    ERR_clear_error()
    guard let context = SSL_CTX_new(DTLS_method()) else { throw TLSCertificate.failure("no context of DTLS can be made") }
    guard copenssl_only_dtls12(context, DTLSPlainRecords.longestMessage) != 0, SSL_CTX_set_cipher_list(context, TLSCertificate.suites) == 1,
      copenssl_set_algorithms(context, "X25519:P-256:P-384", TLSCertificate.signatures) != 0
    else {
      SSL_CTX_free(context)
      throw TLSCertificate.failure("DTLS 1.2 with secure algorithms is not supported")
    }
    guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
      SSL_CTX_free(context)
      throw TLSCertificate.failure("the certificate cannot be used")
    }
    copenssl_release_buffers(context)
    copenssl_no_sessions(context)
    // Both show a certificate, or there is no connection.
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    SSL_CTX_set_cert_verify_callback(context, DTLSLink.verify, nil)
    return context
  }
}
