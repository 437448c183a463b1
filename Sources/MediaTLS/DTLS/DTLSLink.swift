import COpenSSL
import MediaCore

/// What OpenSSL's callbacks of one connection reach: the record that it reads, the datagrams that it writes, its timer, and what is thought of
/// the certificate that the other end shows. `DTLSMachine` has it, and outlives the connection with it.
final class DTLSLink {
  /// The time of the call that is being made.
  var now: Int64
  /// The record that OpenSSL is to read, borrowed; once.
  var record: UnsafeRawBufferPointer?
  var outbox = DTLSOutbox()
  var timer: DTLSTimer
  let expected: [DTLSFingerprint]
  /// The certificate was compared, and is one of those.
  private(set) var isTrusted = false
  /// Why it is none of them.
  private(set) var refusal: MediaError?
  /// Messages of the handshake and alerts that came.
  private(set) var messages = 0

  init(expecting expected: [DTLSFingerprint], timer: DTLSTimer, now: Int64) {
    (self.expected, self.timer, self.now) = (expected, timer, now)
  }

  /// Whether a certificate is the one that was announced. When it was issued, by whom and until when says nothing here: who has announced the
  /// fingerprint has vouched for it (RFC 8122, section 5). Its key has to be one that cannot be found.
  func judge(_ certificate: OpaquePointer?) -> Bool {
    isTrusted = false
    guard let certificate, let shown = DTLSFingerprint(of: certificate, like: expected[0]) else {
      refusal = MediaError(.untrusted, "DTLS: the other end showed no certificate that can be read; expected: \(expected[0])")
      return false
    }
    let accepted = expected.map(\.description).joined(separator: " or ")
    guard expected.contains(shown) else {
      refusal = MediaError(.untrusted, "DTLS: the other end's certificate has the fingerprint \(shown); expected: \(accepted)")
      return false
    }
    let strength = X509_get0_pubkey(certificate).map { EVP_PKEY_get_security_bits($0) } ?? 0
    guard strength >= 112 else {
      refusal = MediaError(
        .untrusted, "DTLS: the key of the other end's certificate has a strength of \(strength) bits; accepted: 112 (RSA of 2,048 bits)")
      return false
    }
    isTrusted = true
    return true
  }

  // MARK: Callbacks of OpenSSL, on the thread of the call

  /// That of a connection, which does not own it.
  static func of(_ connection: OpaquePointer?) -> DTLSLink? {
    connection.flatMap { SSL_get_ex_data($0, 0) }.map { Unmanaged<DTLSLink>.fromOpaque($0).takeUnretainedValue() }
  }

  /// In place of the check of a chain.
  static let verify: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, _ in
    let connection = OpaquePointer(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()))
    let isTrusted = DTLSLink.of(connection)?.judge(X509_STORE_CTX_get0_cert(store)) ?? false
    // Makes the alert bad_certificate.
    X509_STORE_CTX_set_error(store, isTrusted ? X509_V_OK : X509_V_ERR_CERT_REJECTED)
    return isTrusted ? 1 : 0
  }

  /// Counts what OpenSSL makes of records of the handshake and of alerts.
  private typealias MessageCallback =
    @convention(c) (
      Int32, Int32, Int32, UnsafeRawPointer?, Int, OpaquePointer?, UnsafeMutableRawPointer?
    ) -> Void
  private static let count: MessageCallback = { isSent, _, kind, _, _, connection, _ in
    if isSent == 0, kind == SSL3_RT_HANDSHAKE || kind == SSL3_RT_ALERT { DTLSLink.of(connection)?.messages += 1 }
  }

  private static let repeatAfter: @convention(c) (OpaquePointer?, UInt32) -> UInt32 = { connection, last in
    DTLSLink.of(connection)?.timer.nextDuration(isFirst: last == 0) ?? .max
  }

  /// A BIO of datagrams. nil: no memory.
  private nonisolated(unsafe) static let method: OpaquePointer? = {
    // A source and sink of its own type.
    guard let method = BIO_meth_new(BIO_get_new_index() | 0x0400, "datagrams") else { return nil }
    BIO_meth_set_read(method) { bio, bytes, count in
      copenssl_clear_retry(bio)
      guard let link = DTLSLink.of(bio: bio), let record = link.record, let bytes, record.count <= count else {
        copenssl_wait_to_read(bio)
        return -1
      }
      link.record = nil
      UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)).copyMemory(from: record)
      return Int32(record.count)
    }
    BIO_meth_set_write(method) { bio, bytes, count in
      copenssl_clear_retry(bio)
      guard count > 0 else { return 0 }
      DTLSLink.of(bio: bio)?.outbox.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      return count
    }
    BIO_meth_set_ctrl(method) { bio, command, _, argument in
      switch command {
      case BIO_CTRL_FLUSH: return 1
      case BIO_CTRL_DGRAM_SET_NEXT_TIMEOUT:
        if let link = DTLSLink.of(bio: bio), let argument { link.timer.set(argument, now: link.now) }
        return 1
      default: return 0
      }
    }
    return method
  }()

  private static func of(bio: OpaquePointer?) -> DTLSLink? {
    BIO_get_data(bio).map { Unmanaged<DTLSLink>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Connects a connection to this; false: no memory.
  func attach(to connection: OpaquePointer) -> Bool {
    guard let method = DTLSLink.method, let bio = BIO_new(method) else { return false }
    let mine = Unmanaged.passUnretained(self).toOpaque()
    BIO_set_data(bio, mine)
    BIO_set_init(bio, 1)
    SSL_set_bio(connection, bio, bio)
    SSL_set_msg_callback(connection, DTLSLink.count)
    DTLS_set_timer_cb(connection, DTLSLink.repeatAfter)
    return SSL_set_ex_data(connection, 0, mine) == 1
  }
}
