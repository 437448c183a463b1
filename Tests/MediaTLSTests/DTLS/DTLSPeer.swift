import COpenSSL

@testable import MediaTLS

/// What another implementation may do, and ours does not.
extension DTLSMachine {
  /// To one suite; for a server before its first datagram.
  func restrict(to suite: String) -> Bool { SSL_set_cipher_list(connection, suite) == 1 }

  /// In a record of any length.
  func write(_ bytes: [UInt8]) -> Bool {
    SSL_alloc_buffers(connection)
    return SSL_write(connection, bytes, Int32(bytes.count)) == Int32(bytes.count)
  }

  /// Shows no certificate; for a client before the server's first datagram.
  func hideCertificate() { SSL_certs_clear(connection) }

  /// RFC 7627 is unknown to it; for a server before its first datagram.
  func forgetExtendedSecret() { SSL_set_options(connection, 1) }

  /// Asks for other keys (RFC 5246, sections 7.4.1.1 and 7.4.1.2).
  func renegotiate() {
    SSL_clear_options(connection, 1 << 30)
    SSL_alloc_buffers(connection)
    SSL_renegotiate(connection)
    SSL_do_handshake(connection)
    ERR_clear_error()
  }
}

extension TLSCertificate {
  /// Expired since a year, or with another key.
  static func make(rsa bits: Int32? = nil, isExpired: Bool = false) throws -> TLSCertificate {
    let made = try TLSCertificate.make()
    defer { withExtendedLifetime(made) {} }
    guard let certificate = X509_dup(made.certificate) else { throw TLSCertificate.failure("no copy") }
    var key: OpaquePointer?
    if let bits {
      let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
      defer { EVP_PKEY_CTX_free(context) }
      guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1, EVP_PKEY_keygen(context, &key) == 1
      else {
        throw TLSCertificate.failure("no key")
      }
    } else {
      key = made.key
      EVP_PKEY_up_ref(made.key)
    }
    if isExpired { X509_gmtime_adj(X509_getm_notAfter(certificate), -365 * 86_400) }
    guard let key, X509_set_pubkey(certificate, key) == 1, X509_sign(certificate, key, EVP_sha256()) > 0 else {
      throw TLSCertificate.failure("not signed")
    }
    return try TLSCertificate(certificate, key)
  }

  /// With a name of so many bytes more.
  func named(_ count: Int) throws -> TLSCertificate {
    guard let copy = X509_dup(certificate), EVP_PKEY_up_ref(key) == 1 else { throw TLSCertificate.failure("no copy") }
    let name = [UInt8](repeating: 65, count: count)
    let isNamed = count == 0 || X509_NAME_add_entry_by_txt(X509_get_subject_name(copy), "O", 0x1000, name, Int32(count), -1, 0) == 1
    guard isNamed, X509_sign(copy, key, EVP_sha256()) > 0 else { throw TLSCertificate.failure("not signed") }
    return try TLSCertificate(copy, key)
  }
}
