import MediaCore
import Testing

@testable import MediaICE

/// The other end of an agent by hand, so that it does what no agent does.
final class ForgedPeer {
  static let password = "a password of 22 bytes or more"
  let agent: ICEAgent
  let base: ICEBase
  var isStream = false
  /// Another address than the one that was asked.
  var answersFrom: SocketAddress?
  private var count: UInt64 = 0
  private(set) var answers = 0

  init(_ agent: ICEAgent, _ base: ICEBase) {
    (self.agent, self.base) = (agent, base)
  }

  func request(
    priority: UInt32 = 100, isNominating: Bool = false, user: String? = nil, password: String? = nil, isControlling: Bool = true,
    id: TransactionID? = nil, hasFingerprint: Bool = true, _ more: (inout STUNWriter) -> Void = { _ in }
  ) -> [UInt8] {
    count += 1
    var writer = STUNWriter(.request, .binding, id ?? TransactionID(high: 7, low: count))
    writer.add(STUNAttribute.username, user ?? "\(agent.local.user):peer")
    if priority > 0 { writer.add(STUNAttribute.priority, number: priority) }
    writer.add(isControlling ? STUNAttribute.controlling : STUNAttribute.controlled, number: UInt64.max / 2)
    if isNominating { writer.add(STUNAttribute.useCandidate) }
    more(&writer)
    _ = writer.addIntegrity(STUNKey(password: password ?? agent.local.password))
    if hasFingerprint { writer.addFingerprint() }
    return writer.bytes
  }

  /// false: it was refused.
  @discardableResult func give(_ bytes: [UInt8], from source: SocketAddress, now: Int64) -> Bool {
    bytes.withUnsafeBytes {
      if case .consumed = agent.receive($0, on: base, from: source, now: now) { true } else { false }
    }
  }

  func check(from source: SocketAddress, priority: UInt32 = 100, isNominating: Bool = false, now: Int64) {
    give(request(priority: priority, isNominating: isNominating), from: source, now: now)
  }

  /// Polls, and answers every request that leaves, until there is none. What else left is returned.
  @discardableResult func answerAll(now: Int64) -> [ICEDatagram] {
    var rest: [ICEDatagram] = []
    for _ in 0..<100 {
      _ = agent.poll(now: now)
      var isAny = false
      while let datagram = agent.takeDatagram() {
        let bytes = isStream ? Array(datagram.bytes.dropFirst(2)) : datagram.bytes
        let id = withMessage(bytes) { $0.kind == .request ? $0.transaction : nil } ?? nil
        guard let id else {
          rest.append(datagram)
          continue
        }
        isAny = true
        answers += 1
        var writer = STUNWriter(.success, .binding, id)
        writer.add(STUNAttribute.xorMappedAddress, xor: address("192.0.2.1", 1000))
        _ = writer.addIntegrity(STUNKey(password: ForgedPeer.password))
        writer.addFingerprint()
        give(writer.bytes, from: answersFrom ?? datagram.destination, now: now)
      }
      if !isAny { break }
    }
    return rest
  }
}
