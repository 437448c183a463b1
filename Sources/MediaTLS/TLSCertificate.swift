import COpenSSL
import MediaCore
import Synchronization

/// A certificate and its key: made here, for whoever is told its fingerprint, or of somebody else's files.
public final class TLSCertificate: @unchecked Sendable {
  let certificate: OpaquePointer
  let key: OpaquePointer
  /// Of all servers that show it: made once, since making one takes longer than a handshake.
  let context: OpaquePointer
  /// Of all ends of DTLS that show it; made when the first of them is (`datagramContext`).
  let datagrams = Atomic<OpaquePointer?>(nil)
  /// SHA-256 of the whole certificate, as RFC 8122, section 5 writes it: "AA:BB:…".
  public let fingerprint: TLSFingerprint

  /// Takes both.
  init(_ certificate: OpaquePointer, _ key: OpaquePointer) throws(MediaError) {
    guard let fingerprint = TLSFingerprint(of: certificate) else {
      X509_free(certificate)
      EVP_PKEY_free(key)
      throw TLSCertificate.failure("a fingerprint cannot be computed")
    }
    do throws(MediaError) {
      context = try TLSMachine.serverContext(certificate, key)
    } catch {
      X509_free(certificate)
      EVP_PKEY_free(key)
      throw error
    }
    (self.certificate, self.key, self.fingerprint) = (certificate, key, fingerprint)
  }

  deinit {
    SSL_CTX_free(datagrams.load(ordering: .acquiring))
    SSL_CTX_free(context)
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  static func failure(_ what: String) -> MediaError {
    let reason = copenssl_reason().map { String(cString: $0) }
    ERR_clear_error()
    return MediaError(.fail, "TLS: \(what)\(reason.map { ": \($0)" } ?? "")")
  }

  // MARK: Making one

  /// Self-signed, ECDSA on P-256, good for ten years from yesterday: clocks differ, and it is known by its fingerprint.
  public static func make(name: String = "MediaSDK") throws(MediaError) -> TLSCertificate {
    ERR_clear_error()
    guard let key = copenssl_make_p256() else { throw failure("no key can be generated") }
    guard let certificate = X509_new(), fill(certificate, key, name) else {
      EVP_PKEY_free(key)
      throw failure("no certificate can be made")
    }
    return try TLSCertificate(certificate, key)
  }

  private static func fill(_ certificate: OpaquePointer, _ key: OpaquePointer, _ name: String) -> Bool {
    let day = 86_400
    // X.520's upper bound of a common name.
    let text = Array(name.utf8.prefix(64))
    let serial = UInt64.random(in: 1...UInt64(Int64.max))
    let isMade =
      X509_set_version(certificate, 2) == 1 && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1
      && X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil
      && X509_gmtime_adj(X509_getm_notAfter(certificate), 3650 * day) != nil
      && X509_set_pubkey(certificate, key) == 1
    guard isMade, let subject = X509_get_subject_name(certificate) else {
      X509_free(certificate)
      return false
    }
    // The kind of string is found by OpenSSL (MBSTRING_UTF8).
    guard X509_NAME_add_entry_by_txt(subject, "CN", 0x1000, text, Int32(text.count), -1, 0) == 1,
      X509_set_issuer_name(certificate, subject) == 1,
      X509_sign(certificate, key, EVP_sha256()) > 0
    else {
      X509_free(certificate)
      return false
    }
    return true
  }

  // MARK: Loading one

  /// From files in PEM: the certificate first in its file, the key without a password.
  public static func load(certificate path: String, key keyPath: String) throws(MediaError) -> TLSCertificate {
    ERR_clear_error()
    let certificate = try read(path, "certificate") { PEM_read_bio_X509($0, nil, nil, nil) }
    let key: OpaquePointer
    do throws(MediaError) {
      // Nobody is asked for a password.
      key = try read(keyPath, "key") { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in 0 }, nil) }
    } catch {
      X509_free(certificate)
      throw error
    }
    guard X509_check_private_key(certificate, key) == 1 else {
      X509_free(certificate)
      EVP_PKEY_free(key)
      ERR_clear_error()
      throw MediaError(.invalid, "the key in \"\(keyPath.prefix(256))\" does not match the certificate in \"\(path.prefix(256))\"")
    }
    return try TLSCertificate(certificate, key)
  }

  private static func read(_ path: String, _ what: String, _ body: (OpaquePointer) -> OpaquePointer?) throws(MediaError) -> OpaquePointer {
    guard let file = BIO_new_file(path, "r") else {
      ERR_clear_error()
      throw MediaError(.notFound, "the \(what)'s file \"\(path.prefix(256))\" cannot be read")
    }
    defer { BIO_free(file) }
    guard let found = body(file) else {
      ERR_clear_error()
      throw MediaError(.invalid, "the file \"\(path.prefix(256))\" holds no \(what); accepted: one in PEM, without a password")
    }
    return found
  }
}
