import COpenSSL
import MediaCore

/// One end of a connection of TLS 1.3 (RFC 8446), a client's on request also of 1.2 (RFC 5246), without a socket: bytes of the network in and out, plain text in and out. Calls come one at a
/// time. What fails stays failed, with words; the bytes that tell the other end of it are still to be sent.
public final class TLSMachine {
  /// How far the connection has come. It goes from `handshaking` to `open` to `closed`; each of the first two may become `failed`.
  public enum State: Sendable, Equatable {
    case handshaking
    /// Both know each other as was asked for.
    case open
    /// The other end sends nothing any more.
    case closed
    case failed(MediaError)
  }

  /// What may still come before the other end is given up; who counts time sets it anew before `receive`. A record costs a decryption whatever
  /// is in it, and one that changes keys (KeyUpdate, RFC 8446, section 4.6.3) several derivations and an answer.
  public struct Limits: Sendable, Equatable {
    /// Of any kind, empty ones included.
    public var records: Int
    /// Messages of the handshake after it was over.
    public var updates: Int

    /// Without arguments nothing is limited.
    public init(records: Int = .max, updates: Int = .max) {
      (self.records, self.updates) = (records, updates)
    }
  }

  /// The oldest version that a client accepts.
  public enum OldestVersion: Sendable {
    case tls13
    /// For servers of others, of which many have nothing newer: with the suites of RFC 9325, section 4.2, and without renegotiation.
    case tls12
  }

  /// Changes in `receive` and `send` only.
  public private(set) var state = State.handshaking
  /// What is left of them; `receive` counts them down. Nothing is limited at first.
  public var limits = Limits()
  /// More came than that: nothing is taken any more, and the other end can still hear why.
  public private(set) var excess: MediaError?
  private var records = TLSRecords()
  private let connection: OpaquePointer
  /// Cipher text that came and that is to go; the connection owns both.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private let trust: TLSTrust?
  /// Messages of the handshake, which OpenSSL's callback counts; and those that were looked at.
  private let messages = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  private var messagesSeen = 0
  /// What came of the handshake, whole messages, however it went on. A ClientHello costs its server a signature.
  public var handshakeMessages: Int { messages.pointee }
  /// Bytes of a client that may come before it is known; a ClientHello takes one kilobyte or two, and OpenSSL would take 131.
  private var handshakeLeft = Int.max
  private static let longestHandshake = 16_384
  /// So many are decrypted before it is looked at what was in them.
  private static let mostRecordsAtOnce = 16
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

  /// The end that accepts. It asks for no certificate of the client. `.fail`: OpenSSL could not make the connection.
  public convenience init(server certificate: TLSCertificate) throws(MediaError) {
    try self.init(certificate.context, nil)
    handshakeLeft = TLSMachine.longestHandshake
    SSL_set_accept_state(connection)
  }

  /// For tests: of TLS 1.2.
  convenience init(olderServer certificate: TLSCertificate) throws(MediaError) {
    try self.init(server: certificate)
    guard copenssl_only_tls12(connection) != 0 else { throw TLSCertificate.failure("TLS 1.2 is not supported") }
  }

  static func serverContext(_ certificate: OpaquePointer, _ key: OpaquePointer) throws(MediaError) -> OpaquePointer {
    let context = try TLSMachine.context(TLS_server_method(), .tls13)
    guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
      SSL_CTX_free(context)
      throw TLSCertificate.failure("the certificate cannot be used")
    }
    // Nobody comes back by a ticket.
    SSL_CTX_set_num_tickets(context, 0)
    return context
  }

  /// The end that connects; its first bytes are in `takeOutput` at once. `.invalid`: the authorities' file has no certificates or cannot be
  /// read, or the host is not one that a certificate can be issued for. `.fail`: OpenSSL could not make the connection. `name`: which of its
  /// servers is meant (RFC 6066, section 3), where the trust does not say it; a name, no address.
  public convenience init(client trust: TLSTrust, to name: String? = nil, oldest: OldestVersion = .tls13) throws(MediaError) {
    let context = try TLSMachine.context(TLS_client_method(), oldest)
    defer { SSL_CTX_free(context) }
    switch trust {
    case .fingerprint: break
    case .authorities(let file, _):
      guard SSL_CTX_load_verify_locations(context, file, nil) == 1 else {
        ERR_clear_error()
        throw MediaError(.invalid, "\"\(file.prefix(256))\" holds no certificates of authorities; accepted: a PEM file")
      }
    case .system:
      guard SSL_CTX_set_default_verify_paths(context) == 1 else {
        throw TLSCertificate.failure("the authorities of the system cannot be loaded")
      }
    }
    if trust.host != nil { SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil) }
    try self.init(context, trust)
    if let host = trust.host {
      try expect(host)
    } else if let name, copenssl_name_server(connection, name) == 0 {
      ERR_clear_error()
      throw MediaError(.invalid, "\"\(name.prefix(256))\" is not a name that a server can have")
    }
    SSL_set_connect_state(connection)
    shake()
  }

  /// The certificate is to be of that host. A name is said to the server, too, which may have several; an address is not (RFC 6066, section 3).
  private func expect(_ host: String) throws(MediaError) {
    let parameters = SSL_get0_param(connection)
    let isAddress = X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1
    let isSet = isAddress || X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1 && copenssl_name_server(connection, host) != 0
    ERR_clear_error()
    guard isSet, !host.isEmpty else {
      throw MediaError(.invalid, "\"\(host.prefix(256))\" is not a host that a certificate can be issued for")
    }
  }

  /// What the client has called this server; nil: nothing. For tests.
  var calledName: String? { SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) } }

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
    messages.initialize(to: 0)
    copenssl_count_messages(connection, messages)
    (self.connection, self.incoming, self.outgoing, self.trust) = (connection, incoming, outgoing, trust)
  }

  deinit {
    SSL_free(connection)
    messages.deallocate()
    scratch.deallocate()
  }

  private static func context(_ method: OpaquePointer?, _ oldest: OldestVersion) throws(MediaError) -> OpaquePointer {
    ERR_clear_error()
    guard let context = SSL_CTX_new(method) else { throw TLSCertificate.failure("no context can be made") }
    let isSet =
      switch oldest {
      case .tls13: copenssl_only_tls13(context) != 0
      case .tls12: copenssl_tls12(context, TLSCertificate.suites, TLSCertificate.signatures) != 0
      }
    guard isSet else {
      SSL_CTX_free(context)
      throw TLSCertificate.failure("\(oldest == .tls13 ? "TLS 1.3" : "TLS 1.2 with secure algorithms") is not supported")
    }
    copenssl_release_buffers(context)
    copenssl_no_sessions(context)
    return context
  }

  // MARK: In

  /// Takes what the network brought, and hands over what it says, borrowed for the call and at most 16 kB at a time.
  public func receive(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var rest = bytes
    while !rest.isEmpty, excess == nil {
      switch state {
      case .handshaking, .open: break
      case .closed, .failed: return
      }
      // A little at a time: what waits to be decrypted is never more than a record and this.
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(scratch.count))
      let (size, begun) = records.cut(part, records: min(limits.records, TLSMachine.mostRecordsAtOnce))
      guard size > 0 else { return refuse("more records arrived than one connection may send") }
      limits.records -= begun
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
      guard BIO_write(incoming, piece.baseAddress, Int32(piece.count)) == Int32(piece.count) else { return fail("out of memory") }
      if state == .handshaking {
        handshakeLeft -= piece.count
        shake()
        if state == .handshaking, handshakeLeft < 0 { refuse("a handshake of more than \(TLSMachine.longestHandshake) bytes arrived") }
        messagesSeen = messages.pointee
      }
      if state == .open { read(body) }
      limits.updates -= messages.pointee - messagesSeen
      messagesSeen = messages.pointee
      if limits.updates < 0 { refuse("keys were updated more often than one connection may") }
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
      default: fail("the connection's data is corrupt")
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
    guard let certificate = SSL_get1_peer_certificate(connection) else { return fail("the server sent no certificate") }
    defer { X509_free(certificate) }
    let found = TLSFingerprint(of: certificate)
    guard found == expected else {
      let words = "the server's certificate has the fingerprint \(found.map { "\($0)" } ?? "?"); expected: \(expected)"
      state = .failed(MediaError(.untrusted, "TLS: \(words)"))
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
    state = .failed(MediaError(doubt == nil ? .io : .untrusted, "TLS: \(what)\(words.isEmpty ? "" : ": \(words)")"))
  }

  private func refuse(_ what: String) {
    excess = excess ?? MediaError(.limit, "TLS: \(what)")
  }

  // MARK: Out

  /// With the next that is said (RFC 8446, section 4.6.3); for tests of what an end bears.
  func changeKeys(asking: Bool) -> Bool { copenssl_change_keys(connection, asking ? 1 : 0) != 0 }

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
