import COpenSSL
import Glibc
import MediaCore

/// One end of DTLS 1.2 (RFC 6347), without a socket; calls come one at a time, of which `send` and `close` may be made in the body of
/// `receive`. Time is in nanoseconds of a clock that does not go back. After each call there may be datagrams to take, and another time at
/// which `poll` wants to be called.
///
/// Both ends show a certificate, and each knows the fingerprint of the other's (RFC 8827, section 6.5). What comes from a stranger after the
/// handshake has no effect; before, nothing is protected yet, and who can send from the address of the other end can make it fail.
public final class DTLSMachine {
  /// Who begins: the client (setup:active, RFC 8842).
  public enum Role: Sendable { case client, server }

  /// How far the connection has come. It goes from `handshaking` to `open` to `closed`; the first two may become `failed`.
  public enum State: Sendable, Equatable {
    case handshaking
    /// Both know each other.
    case open
    /// One of them has closed it (close_notify).
    case closed
    /// `.untrusted`: the certificate is another one, or none. `.timeout`: no answer. `.io`: the other end has ended it. `.limit`: it has sent
    /// more than an end may. `.fail`: anything else.
    case failed(MediaError)
  }

  /// The most bytes of one `send`: with the header and what protects it, it fills a datagram of 1,200 bytes.
  public static let mostBytes = DTLSOutbox.longest - DTLSRecord.headerSize - DTLSMachine.protection

  /// Changes in `receive`, `poll`, `send` and `close` only.
  public private(set) var state = State.handshaking
  /// The keys of SRTP; nil before the state is open, and where none were negotiated. The fingerprint was compared before.
  public private(set) var srtp: DTLSKeys?

  private let role: Role
  /// OpenSSL's; tests make it do what other implementations may.
  let connection: OpaquePointer
  let link: DTLSLink
  private let scratch = DTLSScratch()
  /// What comes before its keys are there, or before the handshake is over.
  private var early = DTLSEarlyRecords()
  private var plain = DTLSPlainRecords()
  /// The other end seems to have given up.
  private var doubt: (error: MediaError, until: Int64)?
  /// Records of the handshake that OpenSSL gets to see; one costs microseconds, and a flight has at most ten.
  private var handshakes: DTLSAllowance
  /// Messages of the handshake and alerts after it, with their answers.
  private var messages: DTLSAllowance
  /// When OpenSSL's buffers of records, 34 kB, are released, if nothing is received or sent until then.
  private var idleAt = Int64.max
  /// How often the last alert is sent again to who goes on sending.
  private var farewells = 8

  /// Of AES-GCM: the nonce and the tag (RFC 5288). ChaCha20 takes 8 less.
  private static let protection = 24
  /// Nanoseconds in which a handshake goes on in spite of an alert that nobody has signed.
  private static let longestDoubt: Int64 = 1_000_000_000
  /// Nanoseconds for which buffers are kept.
  private static let idleAfter: Int64 = 1_000_000_000

  /// The client's first datagram is there at once. `fingerprints`: those of the other end; what counts are those by the strongest hash of
  /// sha-256, sha-384 and sha-512. `profiles`: those of SRTP by their numbers (RFC 5764, section 4.1.2), in order of preference, which of two
  /// ends is the server's: 1, 7 and 8. Empty: no keys for SRTP. Throws `.unsupported` for other hashes and profiles, `.invalid` for a
  /// fingerprint of a wrong length, `.fail` where OpenSSL cannot make the connection.
  public convenience init(
    _ role: Role, certificate: TLSCertificate, peer fingerprints: [DTLSFingerprint], profiles: [UInt16], now: Int64
  ) throws(MediaError) {
    try self.init(role, certificate: certificate, peer: fingerprints, profiles: profiles, timer: DTLSTimer(), now: now)
  }

  init(
    _ role: Role, certificate: TLSCertificate, peer fingerprints: [DTLSFingerprint], profiles: [UInt16], timer: DTLSTimer, now: Int64
  ) throws(MediaError) {
    let expected = try DTLSFingerprint.strongest(of: fingerprints)
    let names = try DTLSKeys.names(of: profiles)
    let context = try certificate.datagramContext()
    ERR_clear_error()
    guard let connection = SSL_new(context) else { throw TLSCertificate.failure("no connection can be made") }
    let link = DTLSLink(expecting: expected, timer: timer, now: now)
    // What protects a record is not in what OpenSSL takes for its size. 0 is success of use_srtp.
    guard link.attach(to: connection), copenssl_set_mtu(connection, DTLSOutbox.longest - DTLSMachine.protection) != 0,
      names.isEmpty || SSL_set_tlsext_use_srtp(connection, names) == 0
    else {
      SSL_free(connection)
      throw TLSCertificate.failure("no connection can be made")
    }
    (self.role, self.connection, self.link) = (role, connection, link)
    handshakes = DTLSAllowance(256, perSecond: 128, now: now)
    messages = DTLSAllowance(16, perSecond: 1, now: now)
    switch role {
    case .client:
      SSL_set_connect_state(connection)
      shake()
    case .server: SSL_set_accept_state(connection)
    }
  }

  deinit {
    SSL_free(connection)
  }

  // MARK: In

  /// Takes a datagram, whoever it is from. `body` gets application data, of one record each, borrowed for the call: at most 16,384 bytes.
  public func receive(_ datagram: UnsafeRawBufferPointer, now: Int64, _ body: (UnsafeRawBufferPointer) -> Void) {
    link.now = now
    for record in DTLSRecords(datagram) {
      switch state {
      case .handshaking: handshake(record, body)
      case .open: read(record, body)
      case .closed, .failed: repeatAlert(after: record)
      }
    }
  }

  /// Before OpenSSL reads or writes: it expects the buffers to be there.
  private func useBuffers() {
    ERR_clear_error()
    SSL_alloc_buffers(connection)
    idleAt = link.now &+ DTLSMachine.idleAfter
  }

  private func handshake(_ record: DTLSRecord, _ body: (UnsafeRawBufferPointer) -> Void) {
    switch (record.epoch, record.kind) {
    case (0, .alert): suspect(record.body)
    case (0, _):
      guard handshakes.take(now: link.now), let record = plain.take(record) else { return }
      shake(with: record)
    case (1, .handshake) where areKeysThere: readHandshake(record)
    // Out of order, or after a datagram that was lost.
    case (1, _): early.append(record)
    default: return
    }
    while state == .handshaking, areKeysThere, let bytes = early.takeHandshake() {
      bytes.withUnsafeBytes { bytes in DTLSRecords(bytes).forEach(readHandshake) }
    }
    while state == .open, let bytes = early.take() {
      bytes.withUnsafeBytes { bytes in DTLSRecords(bytes).forEach { read($0, body) } }
    }
  }

  /// That what protects a record fits into it. OpenSSL 3.0 ends a connection for one that is shorter, which anybody can send.
  private func isLongEnough(_ record: DTLSRecord) -> Bool {
    let isChaCha = SSL_CIPHER_get_cipher_nid(SSL_get_current_cipher(connection)) == NID_chacha20_poly1305
    return record.body.count >= (isChaCha ? DTLSMachine.protection - 8 : DTLSMachine.protection)
  }

  /// The other end's Finished.
  private func readHandshake(_ record: DTLSRecord) {
    guard handshakes.take(now: link.now), isLongEnough(record) else { return }
    shake(with: record.bytes)
  }

  /// ChangeCipherSpec has come, and the other end's Finished can be read. By name: states have other numbers in later versions of OpenSSL.
  private var areKeysThere: Bool { strcmp(SSL_state_string(connection), "TRCCS") == 0 }

  private func shake(with record: [UInt8]) { record.withUnsafeBytes { shake(with: $0) } }

  private func shake(with record: UnsafeRawBufferPointer) {
    let step = SSL_state_string(connection)
    link.record = record
    shake()
    link.record = nil
    // Whatever an alert said, it goes on.
    if SSL_state_string(connection) != step { doubt = nil }
  }

  private func shake() {
    useBuffers()
    let result = SSL_do_handshake(connection)
    if result == 1 { open() } else if isFatal(result) { fail("the handshake failed") }
  }

  private func open() {
    let certificate = SSL_get1_peer_certificate(connection)
    defer { X509_free(certificate) }
    guard link.isTrusted, link.judge(certificate) else { return fail("the handshake failed") }
    guard copenssl_has_extended_secret(connection) == 1 else {
      sendClose()
      return fail("the other end has no extended master secret (RFC 7627)")
    }
    srtp = DTLSKeys(of: connection)
    doubt = nil
    state = .open
  }

  private func read(_ record: DTLSRecord, _ body: (UnsafeRawBufferPointer) -> Void) {
    // Where keys are, what has none counts no more (a flight that is sent again begins with such records).
    guard state == .open, record.epoch == 1, record.kind != .changeCipherSpec, isLongEnough(record) else { return }
    let seen = link.messages
    let room = scratch.room(for: record.body.count)
    link.record = record.bytes
    defer { link.record = nil }
    while state == .open {
      useBuffers()
      let count = SSL_read(connection, room.baseAddress, Int32(clamping: room.count))
      guard count <= 0 else {
        body(UnsafeRawBufferPointer(rebasing: room.prefix(Int(count))))
        continue
      }
      if SSL_get_error(connection, count) == SSL_ERROR_ZERO_RETURN {
        sendClose()
        state = .closed
      } else if isFatal(count) {
        fail("the connection ended")
      }
      break
    }
    guard state == .open else { return }
    for _ in seen..<max(seen, link.messages) where !messages.take(now: link.now) {
      sendClose()
      return fail(MediaError(.limit, "DTLS: the other end has sent more messages of the handshake and alerts than 16 and one a second"))
    }
  }

  /// An alert that is not protected: anybody may have sent it. The other end sends nothing more after one of its own.
  private func suspect(_ alert: UnsafeRawBufferPointer) {
    // Fatal, or the warning that it is closed; others say nothing.
    guard alert.count == 2, alert[0] == 2 || alert[1] == 0, doubt == nil else { return }
    let reason = String(cString: SSL_alert_desc_string_long(Int32(alert[1])))
    doubt = (MediaError(.io, "DTLS: the other end ended the handshake: \(reason)"), link.now &+ DTLSMachine.longestDoubt)
  }

  // MARK: What ends it

  /// Whether what OpenSSL returned is the end; otherwise a record had no effect.
  private func isFatal(_ result: Int32) -> Bool { SSL_get_error(connection, result) == SSL_ERROR_SSL }

  private func fail(_ what: String) {
    if let refusal = link.refusal { return fail(refusal) }
    if role == .server, copenssl_reason_code() == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE {
      return fail(MediaError(.untrusted, "DTLS: the other end showed no certificate; expected: \(link.expected[0])"))
    }
    let reason = copenssl_reason().map { ": \(String(cString: $0))" } ?? ""
    // The reasons of alerts that came follow those of OpenSSL itself.
    fail(MediaError(copenssl_reason_code() >= SSL_AD_REASON_OFFSET ? .io : .fail, "DTLS: \(what)\(reason)"))
  }

  private func fail(_ error: MediaError) {
    ERR_clear_error()
    link.timer.stop()
    (srtp, doubt) = (nil, nil)
    state = .failed(error)
  }

  private func sendClose() {
    useBuffers()
    _ = SSL_shutdown(connection)
    ERR_clear_error()
  }

  /// To who has missed it, and goes on. Who sends an alert does not, and would be answered without end.
  private func repeatAlert(after record: DTLSRecord) {
    guard record.kind != .alert, farewells > 0, let alert = link.outbox.lastAlert else { return }
    farewells -= 1
    alert.withUnsafeBytes { link.outbox.append($0) }
  }

  // MARK: Out

  /// Sends application data in one record, which may get lost. Throws `.state` before the connection is open, `.closed` after it was, the error
  /// of a connection that failed, `.range` for 0 bytes and more than `mostBytes`, `.full` where 256 datagrams wait to be taken.
  public func send(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
    switch state {
    case .open: break
    case .handshaking: throw MediaError(.state, "DTLS: nothing can be sent before the handshake is over")
    case .closed: throw MediaError(.closed, "DTLS: the connection is closed")
    case .failed(let error): throw error
    }
    guard (1...DTLSMachine.mostBytes).contains(bytes.count) else {
      throw MediaError(.range, "DTLS: \(bytes.count) bytes are to be sent in a record; accepted: 1..\(DTLSMachine.mostBytes)")
    }
    guard !link.outbox.isFull else { throw MediaError(.full, "DTLS: \(DTLSOutbox.most) datagrams wait to be taken") }
    useBuffers()
    let count = SSL_write(connection, bytes.baseAddress, Int32(bytes.count))
    guard count == Int32(bytes.count) else {
      fail("nothing can be sent")
      throw MediaError(.fail, "DTLS: nothing can be sent")
    }
  }

  /// The next datagram that is to be sent, of at most 1,200 bytes; nil: none. There may be some after the connection was closed or has failed.
  public func takeDatagram() -> [UInt8]? { link.outbox.take() }

  /// Does what is due. Returns when it wants to be called again; .max: not before another call changes that.
  public func poll(now: Int64) -> Int64 {
    link.now = now
    if let doubt, now >= doubt.until { fail(doubt.error) }
    if state == .handshaking, now >= link.timer.due { retransmit() }
    if state == .handshaking { return min(link.timer.due, doubt?.until ?? .max) }
    if now >= idleAt {
      SSL_free_buffers(connection)
      idleAt = .max
    }
    return idleAt
  }

  private func retransmit() {
    useBuffers()
    link.timer.expire()
    switch copenssl_retransmit(connection) {
    case 0: link.timer.wait(now: link.now)
    case 1: break
    default: fail(MediaError(.timeout, "DTLS: the other end has not answered a flight that was sent 13 times"))
    }
  }

  /// Closes the connection, and notifies the other end if it is open (RFC 5246, section 7.2.1). Nothing is received after that.
  public func close() {
    switch state {
    case .open: sendClose()
    case .handshaking: link.timer.stop()
    case .closed, .failed: return
    }
    doubt = nil
    state = .closed
  }
}
