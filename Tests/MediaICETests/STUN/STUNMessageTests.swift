import MediaCore
import Testing

@testable import MediaICE

@Suite struct STUNMessageTests {
  @Test func theVectorsOfTheStandardAreRead() {
    let isRequest = withMessage(Vectors.request) { message in
      #expect(message.kind == .request && message.method == .binding)
      #expect(message.transaction == TransactionID(high: 0xB7E7_A701, low: 0xBC34_D686_FA87_DFAE))
      #expect(message.value(STUNAttribute.username).map { String(decoding: $0, as: UTF8.self) } == "evtj:h6vY")
      #expect(message.u32(STUNAttribute.priority) == 0x6E00_01FF && message.u64(STUNAttribute.controlled) == 0x932F_F9B1_5126_3B36)
      #expect(!message.has(STUNAttribute.useCandidate) && message.u64(STUNAttribute.priority) == nil)
      #expect(message.unknown(besides: STUNAttribute.isKnownOfCheck).isEmpty)
      return true
    }
    #expect(isRequest == true)
    #expect(withMessage(Vectors.response) { $0.kind == .success && $0.mapped == address("192.0.2.1", 32_853) } == true)
    #expect(withMessage(Vectors.response6) { $0.mapped == address("2001:db8:1234:5678:11:2233:4455:6677", 32_853) } == true)
  }

  @Test func everyClassAndMethodIsReadAsItWasWritten() {
    let methods: [STUNMessage.Method] = [.binding, .allocate, .refresh, .send, .data, .createPermission, .channelBind]
    for method in methods {
      for kind: STUNMessage.Class in [.request, .indication, .success, .failure] {
        let writer = STUNWriter(kind, method, TransactionID(high: 1, low: 2))
        #expect(withMessage(writer.bytes) { ($0.kind == kind) && ($0.method == method) } == true)
      }
    }
  }

  /// What follows the proof is not protected by it (RFC 8489, section 14.5), and nothing follows the fingerprint.
  @Test func whatFollowsTheProofIsIgnored() {
    var writer = STUNWriter(.request, .binding, TransactionID(high: 1, low: 2))
    writer.add(STUNAttribute.username, "a:b")
    let isProven = writer.addIntegrity(STUNKey(password: "p"))
    #expect(isProven)
    writer.add(STUNAttribute.useCandidate)
    writer.addFingerprint()
    let isSeen = withMessage(writer.bytes) { $0.has(STUNAttribute.useCandidate) || !$0.has(STUNAttribute.username) || !$0.hasFingerprint }
    #expect(isSeen == false)
    writer.add(STUNAttribute.useCandidate)
    #expect(withMessage(writer.bytes) { _ in true } == nil)
  }

  @Test func messagesAreBounded() {
    var writer = STUNWriter(.request, .binding, TransactionID(high: 1, low: 2))
    writer.add(STUNAttribute.software, [UInt8](repeating: 0, count: STUNMessage.longest - 24))
    #expect(withMessage(writer.bytes) { $0.bytes.count } == STUNMessage.longest)
    writer.add(STUNAttribute.useCandidate)
    #expect(withMessage(writer.bytes) { _ in true } == nil)
    // What a relay passes on is as long as a datagram can be.
    var data = STUNWriter(.indication, .data, TransactionID(high: 1, low: 2))
    data.add(STUNAttribute.data, [UInt8](repeating: 0, count: 60_000))
    #expect(withMessage(data.bytes) { $0.value(STUNAttribute.data)?.count } == 60_000)
  }

  @Test func noDamageTraps() {
    for vector in Vectors.all {
      forEachDamage(of: vector) { damaged in
        _ = withMessage(damaged) { message in
          _ = (message.mapped, message.errorCode, message.hasFingerprint, message.isAuthentic(password: Vectors.password))
          _ = (message.u32(STUNAttribute.priority), message.u64(STUNAttribute.controlled), message.address(STUNAttribute.alternateServer))
          #expect(message.unknown(besides: STUNAttribute.isKnownOfCheck).count <= 8)
        }
        damaged.withUnsafeBytes { _ = ICEDatagramKind($0) }
      }
    }
  }

  @Test func whoseACheckIsIsReadOfItsFirstPart() {
    Vectors.request.withUnsafeBytes { request in
      guard case .check(let user) = ICEDatagramKind(request) else {
        Issue.record("no check")
        return
      }
      #expect(user == "evtj")
    }
    Vectors.response.withUnsafeBytes { response in
      guard case .stun = ICEDatagramKind(response) else {
        Issue.record("no message of STUN")
        return
      }
    }
    [UInt8](repeating: 0x80, count: 40).withUnsafeBytes { packet in
      guard case .other = ICEDatagramKind(packet) else {
        Issue.record("RTP is STUN")
        return
      }
    }
  }
}
