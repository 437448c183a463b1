import COpenSSL
import MediaCore

/// One end of a connection of TLS 1.3 (RFC 8446) without a socket: bytes of the network in and out, plain text in and out. Calls come one at a
/// time. What fails stays failed, with words; the bytes that tell the other end of it are still to be sent.
public final class TLSMachine {
  public enum State: Sendable, Equatable {
    case handshaking
    /// Both know each other as was asked for.
    case open
    /// The other end sends nothing any more.
    case closed
    case failed(MediaError)
  }

  public private(set) var state = State.handshaking
  private let connection: OpaquePointer
  /// Cipher text that came and that is to go; the connection owns both.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private let trust: TLSTrust?
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

  public convenience init(server certificate: TLSCertificate) throws(MediaError) {
    try self.init(certificate.context, nil)
    SSL_set_accept_state(connection)
  }

  static func serverContext(_ certificate: OpaquePointer, _ key: OpaquePointer) throws(MediaError) -> OpaquePointer {
    let context = try TLSMachine.context(TLS_server_method())
    guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
      SSL_CTX_free(context)
      throw TLSCertificate.failure("the certificate cannot be used")
    }
    // Nobody comes back by a ticket.
    SSL_CTX_set_num_tickets(context, 0)
    return context
  }

  public convenience init(client trust: TLSTrust) throws(MediaError) {
    let context = try TLSMachine.context(TLS_client_method())
    defer { SSL_CTX_free(context) }
    if case .authorities(let file, _) = trust {
      guard SSL_CTX_load_verify_locations(context, file, nil) == 1 else {
        ERR_clear_error()
        throw MediaError(.invalid, "\"\(file.prefix(256))\" holds no certificates of authorities; accepted: a file of PEM")
      }
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    }
    try self.init(context, trust)
    if case .authorities(_, let host) = trust {
      let parameters = SSL_get0_param(connection)
      let isSet = X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 || X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1
      ERR_clear_error()
      guard isSet else { throw MediaError(.invalid, "\"\(host.prefix(256))\" is no host that a certificate could be for") }
    }
    SSL_set_connect_state(connection)
    shake()
  }

  private init(_ context: OpaquePointer, _ trust: TLSTrust?) throws(MediaError) {
    let memories = (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
    guard let connection = SSL_new(context), let incoming = memories.0, let outgoing = memories.1 else {
      BIO_free(memories.0)
      BIO_free(memories.1)
      throw TLSCertificate.failure("no connection can be made")
    }
    copenssl_memory_waits(incoming)
    copenssl_memory_waits(outgoing)
    SSL_set_bio(connection, incoming, outgoing)
    (self.connection, self.incoming, self.outgoing, self.trust) = (connection, incoming, outgoing, trust)
  }

  deinit {
    SSL_free(connection)
    scratch.deallocate()
  }

  private static func context(_ method: OpaquePointer?) throws(MediaError) -> OpaquePointer {
    ERR_clear_error()
    guard let context = SSL_CTX_new(method) else { throw TLSCertificate.failure("no context can be made") }
    guard copenssl_only_tls13(context) != 0 else {
      SSL_CTX_free(context)
      throw TLSCertificate.failure("TLS 1.3 is not there")
    }
    copenssl_release_buffers(context)
    copenssl_no_sessions(context)
    return context
  }

  // MARK: In

  /// Takes what the network brought, and hands over what it says, borrowed for the call and at most 16 kB at a time.
  public func receive(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var rest = bytes
    while !rest.isEmpty {
      switch state {
      case .handshaking, .open: break
      case .closed, .failed: return
      }
      // A little at a time: what waits to be decrypted is never more than a record and this.
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(scratch.count))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
      guard BIO_write(incoming, piece.baseAddress, Int32(piece.count)) == Int32(piece.count) else { return fail("no memory is left") }
      if state == .handshaking { shake() }
      if state == .open { read(body) }
    }
  }

  private func read(_ body: (UnsafeRawBufferPointer) -> Void) {
    while true {
      ERR_clear_error()
      let count = SSL_read(connection, scratch.baseAddress, Int32(scratch.count))
      guard count <= 0 else {
        body(UnsafeRawBufferPointer(rebasing: scratch.prefix(Int(count))))
        continue
      }
      switch SSL_get_error(connection, count) {
      case SSL_ERROR_WANT_READ: return
      case SSL_ERROR_ZERO_RETURN: state = .closed
      default: fail("the connection was spoilt")
      }
      return
    }
  }

  private func shake() {
    ERR_clear_error()
    let result = SSL_do_handshake(connection)
    if result == 1 { return trustOrFail() }
    if SSL_get_error(connection, result) != SSL_ERROR_WANT_READ { fail("the handshake failed") }
  }

  private func trustOrFail() {
    guard case .fingerprint(let expected) = trust else {
      state = .open
      return
    }
    guard let certificate = SSL_get1_peer_certificate(connection) else { return fail("the server shows no certificate") }
    defer { X509_free(certificate) }
    let found = TLSFingerprint(of: certificate)
    guard found == expected else {
      let words = "the server's certificate has the fingerprint \(found.map { "\($0)" } ?? "?"); expected is \(expected)"
      state = .failed(MediaError(.permission, "TLS: \(words)"))
      return
    }
    state = .open
  }

  private func fail(_ what: String) {
    let reason = copenssl_reason().map { String(cString: $0) }
    let check = SSL_get_verify_result(connection)
    let doubt = check == Int(X509_V_OK) ? nil : X509_verify_cert_error_string(check).map { String(cString: $0) }
    ERR_clear_error()
    let words = [reason, doubt].compactMap { $0 }.joined(separator: ", ")
    state = .failed(MediaError(doubt == nil ? .io : .permission, "TLS: \(what)\(words.isEmpty ? "" : ": \(words)")"))
  }

  // MARK: Out

  /// Says something; false where nothing can be said.
  public func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard state == .open else { return false }
    guard !bytes.isEmpty else { return true }
    ERR_clear_error()
    // A memory takes all.
    guard let size = Int32(exactly: bytes.count), SSL_write(connection, bytes.baseAddress, size) == size else {
      fail("nothing can be sent")
      return false
    }
    return true
  }

  /// Says that nothing more will be said (RFC 8446, section 6.1).
  public func close() {
    guard state == .open || state == .closed else { return }
    ERR_clear_error()
    _ = SSL_shutdown(connection)
    ERR_clear_error()
  }

  /// Appends what is to go over the network.
  public func takeOutput(_ bytes: inout [UInt8]) {
    while BIO_ctrl_pending(outgoing) > 0 {
      let count = BIO_read(outgoing, scratch.baseAddress, Int32(scratch.count))
      guard count > 0 else { return }
      bytes.append(contentsOf: scratch.prefix(Int(count)))
    }
  }
}
