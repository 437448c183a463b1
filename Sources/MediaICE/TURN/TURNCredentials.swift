import MediaCore

/// What a server of TURN asks for (RFC 8489, section 9.2): realm and nonce of its answer, and the key that they and the password make.
struct TURNCredentials: Sendable {
  private let user: String
  private let password: String
  private var realm: [UInt8] = []
  private var nonce: [UInt8] = []
  /// PASSWORD-ALGORITHMS, which is sent back as it came, so that nobody between can take the better one from it.
  private var algorithms: [UInt8] = []
  private(set) var key: STUNKey?

  static let longest = 763
  private static let mostAlgorithms = 64
  private static let cookie = Array("obMatJos2".utf8)

  init(user: String, password: String) {
    (self.user, self.password) = (user, password)
  }

  /// From an answer 401 or 438. false: it says nothing that could be used, or says less than its nonce promises.
  mutating func learn(from message: STUNMessage) -> Bool {
    guard let nonce = message.value(STUNAttribute.nonce), (1...TURNCredentials.longest).contains(nonce.count) else { return false }
    let realm = message.value(STUNAttribute.realm).map { Array($0) } ?? self.realm
    guard (1...TURNCredentials.longest).contains(realm.count) else { return false }
    let offered = message.value(STUNAttribute.passwordAlgorithms).map { Array($0) } ?? []
    if TURNCredentials.promisesAlgorithms(nonce), offered.isEmpty { return false }
    let hash: STUNKey.Hash = TURNCredentials.hasSHA256(offered) ? .sha256 : .sha1
    guard let key = STUNKey(user: user, realm: realm, password: password, hash) else { return false }
    (self.realm, self.nonce, self.key) = (realm, Array(nonce), key)
    algorithms = hash == .sha256 ? offered : []
    return true
  }

  /// The nonce of RFC 8489 says which features the server has (section 9.2), the first of them by one end of 24 bits or, as in appendix
  /// B.1, by the other.
  private static func promisesAlgorithms(_ nonce: UnsafeRawBufferPointer) -> Bool {
    guard nonce.count >= 13, nonce.starts(with: cookie) else { return false }
    let isFirst = nonce[9] >= UInt8(ascii: "g") && nonce[9] <= UInt8(ascii: "z") || nonce[9] < UInt8(ascii: "A")
    let last = nonce[12]
    let isLast =
      switch last {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): (last - 65) & 1 == 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"): (last - 97) & 1 == 1
      case UInt8(ascii: "0")...UInt8(ascii: "9"): last & 1 == 1
      default: last == UInt8(ascii: "/")
      }
    return isFirst || isLast
  }

  /// Algorithm 2 (section 18.5), in a list of algorithms with parameters.
  private static func hasSHA256(_ list: [UInt8]) -> Bool {
    guard list.count <= mostAlgorithms else { return false }
    var offset = 0
    while offset + 4 <= list.count {
      let size = Int(list[offset + 2]) << 8 | Int(list[offset + 3])
      if list[offset] == 0, list[offset + 1] == 2 { return true }
      offset += 4 + STUNMessage.padded(size)
    }
    return false
  }

  /// Adds what proves a request. false: it must not leave.
  func sign(_ writer: inout STUNWriter) -> Bool {
    guard let key else { return true }
    writer.add(STUNAttribute.username, user)
    writer.add(STUNAttribute.realm, realm)
    writer.add(STUNAttribute.nonce, nonce)
    if !algorithms.isEmpty {
      writer.add(STUNAttribute.passwordAlgorithms, algorithms)
      writer.add(STUNAttribute.passwordAlgorithm, [0, 2, 0, 0])
    }
    return writer.addIntegrity(key)
  }
}
