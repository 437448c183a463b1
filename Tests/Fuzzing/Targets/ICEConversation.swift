import MediaCore
import MediaSDP

@testable import MediaICE

/// An agent of ICE, to which anything comes at any time: of strangers, of an end that has the password, of servers of STUN and TURN by
/// datagrams and by streams, as candidates in text. What it holds and sends is bounded.
enum ICEConversation: FuzzTarget {
  static let name = "ice"

  private static let password = "a password of 22 bytes or more"
  private static let server = SocketAddress(v4: 0xC633_6401, port: 3478)

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let options = input.byte()
    let talk = try Talk(options)
    for _ in 0..<64 where !input.isAtEnd {
      talk.step(&input)
      talk.check()
    }
    talk.agent.close(now: talk.now)
    talk.drain()
    expect(talk.agent.route == nil && talk.agent.poll(now: talk.now) == .max, "it goes on after it is closed")
  }

  private final class Talk {
    let agent: ICEAgent
    var now: Int64 = 0
    private var bases: [ICEBase] = []
    /// Requests that left, the last ones.
    private var asked: [ICEDatagram] = []
    private var streams: [ICEBase] = []
    private var sent = 0
    private var credentials = 0

    init(_ options: UInt8) throws {
      var settings = ICESettings(isControlling: options & 1 != 0)
      settings.isLite = options & 2 != 0
      settings.policy = options & 4 != 0 ? .relay : .all
      settings.stunServers = [ICEConversation.server.with(port: 3479)]
      settings.relays = [
        ICERelay(ICEConversation.server, options & 8 != 0 ? .tcp : .udp, user: "user", password: "password")
      ]
      agent = ICEAgent(settings, random: SeededRandom(seed: UInt64(options)))
      bases.append(try agent.addHost(SocketAddress(v4: 0xC000_0201, port: 1000), now: 0))
      if options & 16 != 0 { bases.append(try agent.addHost(SocketAddress(v4: 0xC000_0202, port: 443), .tcpPassive, now: 0)) }
      if options & 32 != 0 { try agent.setRemote(.init(user: "peer", password: password), isLite: options & 64 != 0, now: 0) }
      agent.endOfHosts(now: 0)
      drain()
    }

    func step(_ input: inout Input) {
      switch input.number(below: 10) {
      case 0: now += Int64(input.u16()) * 10_000_000
      case 1: give(Array(input.piece()), from: source(input.byte()), on: input.byte())
      case 2: check(&input)
      case 3: _ = try? agent.addRemote(String(decoding: input.piece(), as: UTF8.self), now: now)
      case 4: answer(&input, with: .success)
      case 5: answer(&input, with: .failure)
      case 6:
        let bytes = input.piece()
        if let base = streams.last { agent.receive(stream: bytes, on: base, now: now) { _ in } }
      case 7: restart(&input)
      case 8:
        let peer = source(input.byte())
        relay(Array(input.piece()), from: peer)
      default:
        guard let route = agent.route else { break }
        var memory = [UInt8](repeating: 1, count: ICERoute.headRoom + ICERoute.tailRoom + 40)
        let range = memory.withUnsafeMutableBytes { route.wrap($0, payload: ICERoute.headRoom..<(ICERoute.headRoom + 40)) }
        expect((40...(40 + ICERoute.headRoom + ICERoute.tailRoom)).contains(range?.count ?? 0), "data were not wrapped")
      }
      drain()
    }

    private func source(_ number: UInt8) -> SocketAddress {
      number == 255
        ? ICEConversation.server
        : number == 254 ? ICEConversation.server.with(port: 3479) : SocketAddress(v4: 0x0A00_0000 + UInt32(number), port: 9)
    }

    private func give(_ bytes: [UInt8], from source: SocketAddress, on number: UInt8) {
      bytes.withUnsafeBytes { raw in
        _ = ICEDatagramKind(raw)
        if case .application(let data) = agent.receive(raw, on: bases[Int(number) % bases.count], from: source, now: now) {
          expect(data.count <= raw.count, "more data than came")
        }
      }
    }

    private func attributes(_ input: inout Input, _ writer: inout STUNWriter) {
      for _ in 0..<input.number(below: 6) {
        let type = input.u16()
        writer.add(type, Array(input.take(Int(input.byte()))))
      }
    }

    /// Of the end that has the password.
    private func check(_ input: inout Input) {
      var writer = STUNWriter(.request, .binding, TransactionID(high: UInt32(input.byte()), low: UInt64(sent)))
      writer.add(STUNAttribute.username, "\(agent.local.user):peer\(credentials == 0 ? "" : String(credentials))")
      writer.add(STUNAttribute.priority, number: input.u32())
      let flags = input.byte()
      if flags & 1 != 0 { writer.add(STUNAttribute.useCandidate) }
      if flags & 2 != 0 {
        writer.add(flags & 4 != 0 ? STUNAttribute.controlling : STUNAttribute.controlled, number: UInt64(input.u32()) << 32)
      }
      if flags & 8 != 0 { attributes(&input, &writer) }
      guard writer.addIntegrity(STUNKey(password: agent.local.password)) else { return }
      writer.addFingerprint()
      give(writer.bytes, from: source(input.byte()), on: input.byte())
    }

    /// What a datagram that left asks, also inside of what goes to a relay.
    private struct Question {
      let method: STUNMessage.Method
      let id: TransactionID
      let isSigned: Bool
      var peer: SocketAddress?

      init?(_ bytes: [UInt8]) {
        let isFramed = bytes.count > 6 && bytes[4] != 0x21 && bytes[6] == 0x21
        let found = Array(bytes.dropFirst(isFramed ? 2 : 0)).withUnsafeBytes { raw -> Question? in
          guard let message = STUNMessage(raw) else { return nil }
          if message.kind == .request { return Question(message) }
          guard message.method == .send, let data = message.value(STUNAttribute.data), let inner = STUNMessage(data),
            inner.kind == .request,
            let peer = message.xorAddress(STUNAttribute.xorPeerAddress)
          else { return nil }
          return Question(inner, peer)
        }
        guard let found else { return nil }
        self = found
      }

      private init(_ message: STUNMessage, _ peer: SocketAddress? = nil) {
        (method, id, isSigned, self.peer) = (message.method, message.transaction, message.has(STUNAttribute.realm), peer)
      }
    }

    /// To a request that left, by who has the key.
    private func answer(_ input: inout Input, with kind: STUNMessage.Class) {
      while let request = asked.popLast() {
        if let question = Question(request.bytes) { return answer(question, request, &input, with: kind) }
      }
    }

    private func answer(_ question: Question, _ request: ICEDatagram, _ input: inout Input, with kind: STUNMessage.Class) {
      var writer = STUNWriter(kind, question.method, question.id)
      if kind == .failure { writer.add(errorCode: 300 + Int(input.u16() % 400), "") }
      let flags = input.byte()
      if flags & 1 != 0 { writer.add(STUNAttribute.xorMappedAddress, xor: source(input.byte())) }
      if flags & 2 != 0 { writer.add(STUNAttribute.xorRelayedAddress, xor: source(input.byte())) }
      if flags & 4 != 0 { writer.add(STUNAttribute.realm, "realm") }
      if flags & 8 != 0 { writer.add(STUNAttribute.nonce, "nonce") }
      if flags & 16 != 0 { attributes(&input, &writer) }
      let key =
        question.method == .binding
        ? STUNKey(password: password)
        : question.isSigned ? STUNKey(user: "user", realm: Array("realm".utf8), password: "password", .sha1) : nil
      if let key, !writer.addIntegrity(key) { return }
      if question.method == .binding { writer.addFingerprint() }
      if let peer = question.peer { return relay(writer.bytes, from: peer) }
      if streams.contains(request.base) {
        writer.bytes.withUnsafeBytes { agent.receive(stream: $0, on: request.base, now: now) { _ in } }
      } else {
        give(writer.bytes, from: flags & 32 != 0 ? source(input.byte()) : request.destination, on: UInt8(request.base.number))
      }
    }

    private func restart(_ input: inout Input) {
      if input.byte() & 1 != 0 {
        agent.restart(now: now)
        credentials += 1
      }
      try? agent.setRemote(.init(user: "peer\(credentials == 0 ? "" : String(credentials))", password: password), now: now)
    }

    /// Data of a peer by the relay.
    private func relay(_ data: [UInt8], from peer: SocketAddress) {
      var writer = STUNWriter(.indication, .data, TransactionID(high: 1, low: 2))
      writer.add(STUNAttribute.xorPeerAddress, xor: peer)
      writer.add(STUNAttribute.data, data)
      if let base = streams.last {
        writer.bytes.withUnsafeBytes { agent.receive(stream: $0, on: base, now: now) { _ in } }
      } else {
        give(writer.bytes, from: ICEConversation.server, on: 0)
      }
    }

    func drain() {
      for _ in 0..<4 {
        let next = agent.poll(now: now)
        expect(next >= now, "a time that has passed")
        while let datagram = agent.takeDatagram() {
          sent += 1
          asked.append(datagram)
        }
        if asked.count > 64 { asked.removeFirst(asked.count - 64) }
        while let event = agent.takeEvent() {
          switch event {
          case .connect(let base, _, _):
            streams.append(base)
            agent.connected(base, now: now)
          case .disconnect(let base): streams.removeAll { $0 == base }
          case .candidate(let candidate): expect((try? Candidate(parsing: candidate.text)) == candidate, "a candidate that cannot be read")
          default: break
          }
        }
      }
    }

    func check() {
      let list = agent.current
      expect(list.remotes.count <= CheckList.mostRemotes + CheckList.mostReflexive, "\(list.remotes.count) candidates")
      expect(list.pairs.count <= CheckList.mostPairs, "\(list.pairs.count) pairs")
      expect(list.awaited.count <= CheckList.mostPairs + ICEAgent.mostConsents, "\(list.awaited.count) transactions")
      expect(list.triggered.count <= CheckList.mostPairs, "\(list.triggered.count) triggered checks")
      expect(agent.relays.count <= ICEAgent.mostAllocations, "\(agent.relays.count) allocations")
      expect(sent < 200_000, "\(sent) datagrams were sent")
    }
  }
}
