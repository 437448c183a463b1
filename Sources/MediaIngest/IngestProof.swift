import COpenSSL

/// What both ends prove their tokens over, which feeder.h describes: fresh random bytes of each, and the connection.
struct IngestProof: Sendable {
  enum Role: String {
    case session = "MSDKFEED session"
    case feeder = "MSDKFEED feeder\0"
  }

  let route: IngestRoute
  let sessionNonce: [UInt8]
  var feederNonce: [UInt8] = []

  init(_ route: IngestRoute, sessionNonce: [UInt8]) {
    self.route = route
    self.sessionNonce = sessionNonce
  }

  /// By the system's generator, getrandom(2).
  static func freshNonce() -> [UInt8] {
    (0..<IngestWire.nonceSize).map { _ in UInt8.random(in: 0...255) }
  }

  private func transcript(of role: Role, tokenSize: Int) -> [UInt8] {
    var bytes = Array(role.rawValue.utf8)
    bytes.append(IngestWire.version)
    // A token that ends with zeros is another key than one without them, which HMAC alone does not know.
    bytes.append(UInt16(clamping: tokenSize))
    switch route {
    case .unix:
      bytes.append(UInt32(2))
      bytes.append(contentsOf: [UInt8](repeating: 0, count: 12))
    case .tcp(let session, let feeder):
      bytes.append(UInt32(1))
      bytes.append(session.host)
      bytes.append(feeder.host)
      bytes.append(session.port)
      bytes.append(feeder.port)
    }
    bytes.append(UInt32(0))
    return bytes + feederNonce + sessionNonce
  }

  /// nil when OpenSSL has no memory left.
  func proof(by role: Role, of token: IngestToken) -> [UInt8]? {
    let transcript = transcript(of: role, tokenSize: token.bytes.count)
    var proof = [UInt8](repeating: 0, count: IngestWire.proofSize)
    var size: UInt32 = 0
    let isDone = HMAC(EVP_sha256(), token.bytes, Int32(clamping: token.bytes.count), transcript, transcript.count, &proof, &size) != nil
    return isDone && Int(size) == proof.count ? proof : nil
  }

  /// Takes the same time however much of it is right.
  func isProof(_ given: UnsafeRawBufferPointer, by role: Role, of token: IngestToken) -> Bool {
    guard let right = proof(by: role, of: token), given.count == right.count else { return false }
    return CRYPTO_memcmp(given.baseAddress, right, right.count) == 0
  }
}
