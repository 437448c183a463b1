import MediaCore
import MediaSCTP

/// Two ends of data channels; one of them is sent anything by who is between them, or is the other one: with the tag, the numbers and the
/// checksum that are expected. Both keep to their bounds and to the order of their events, and nothing is reported after the end.
enum SCTPConversation: FuzzTarget {
  static let name = "sctp"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    var talk = try SCTPTalk(&input)
    for _ in 0..<128 where !input.isAtEnd {
      talk.step(&input)
      talk.drain()
    }
    talk.finish()
  }
}

private struct SCTPTalk {
  private struct End {
    let channels: DataChannels
    var output: [[UInt8]] = []
    var open: Set<DataChannelID> = []
    var known: Set<DataChannelID> = []
    var closed: Set<DataChannelID> = []
    var isLost = false
    var isUp = false
    var takes = true
  }

  private static let settings: DataChannelSettings = {
    var settings = DataChannelSettings()
    (settings.streams, settings.mostChannels, settings.mostBytes, settings.mostBufferedBytes) = (32, 8, 4096, 65_536)
    return settings
  }()

  private var ends: [End] = []
  private var now: Int64 = 0
  private let attacked: Int
  /// What the attacked end expects: its tag, and the number of the next DATA chunk.
  private var tag: [UInt8] = [0, 0, 0, 0]
  private var number: UInt32 = 0

  init(_ input: inout Input) throws {
    attacked = input.number(below: 2)
    for (index, role) in [DataChannels.Role.client, .server].enumerated() {
      let channels = try DataChannels(settings: SCTPTalk.settings, now: 0)
      try channels.begin(role: role, peerMostBytes: 4096, random: SeededRandom(seed: UInt64(index)), now: 0)
      ends.append(End(channels: channels))
    }
    drain()
    // Most of an input is to run on what is up.
    if input.byte() & 7 != 7 { carryAll() }
  }

  mutating func step(_ input: inout Input) {
    switch input.number(below: 16) {
    case 0: carryAll()
    case 1: _ = carry(input.number(below: 2))
    case 2:
      let (place, mask) = (Int(input.u16()), input.byte())
      carryChanged { bytes in
        var bytes = bytes
        bytes[place % bytes.count] ^= mask
        return bytes
      }
    case 3:
      let count = Int(input.byte())
      carryChanged { Array($0.dropLast(count)) }
    case 4: if !ends[1 - attacked].output.isEmpty { ends[1 - attacked].output.removeFirst() }
    case 5: if let first = ends[1 - attacked].output.first { give(first, to: attacked) }
    case 6: give(Array(input.piece()), to: attacked)
    case 7: give(header + Array(input.take(Int(input.byte()) * 2)), to: attacked, isSigned: true)
    case 8: give(header + chunk(input.byte(), input.byte(), Array(input.take(Int(input.byte())))), to: attacked, isSigned: true)
    case 9, 10: giveData(&input)
    case 11: now += Int64(input.u16()) * 1_000_000
    case 12: open(&input)
    case 13: send(&input)
    case 14: close(&input)
    default: ends[attacked].takes.toggle()
    }
  }

  private func chunk(_ kind: UInt8, _ flags: UInt8, _ body: [UInt8]) -> [UInt8] {
    [kind, flags, UInt8((body.count + 4) >> 8), UInt8((body.count + 4) & 255)] + body
      + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
  }

  private var header: [UInt8] { [0x13, 0x88, 0x13, 0x88] + tag + [0, 0, 0, 0] }

  private mutating func giveData(_ input: inout Input) {
    number &+= UInt32(input.byte() & 3)
    let (flags, stream, kind) = (input.byte() & 7, input.byte(), [50, 51, 53, 56, 57, UInt8(input.byte())][input.number(below: 6)])
    let sequence = input.byte()
    let body = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } + [0, stream & 63, 0, sequence, 0, 0, 0, kind]
    number &+= 1
    give(header + chunk(0, flags, body + Array(input.take(Int(input.byte()) * 4))), to: attacked, isSigned: true)
  }

  private mutating func open(_ input: inout Input) {
    let bits = input.byte()
    let reliability: DataChannelReliability = [.reliable, .retransmissions(1), .lifetime(milliseconds: 50)][Int(bits >> 1) % 3]
    let end = Int(bits & 1)
    var options = DataChannelOptions(label: String(bits))
    (options.isOrdered, options.reliability) = (bits & 32 != 0, reliability)
    options.negotiated = bits & 64 != 0 ? UInt16(bits >> 3) : nil
    let id = try? ends[end].channels.open(options, now: now)
    if let id { ends[end].known.insert(id) }
  }

  private mutating func send(_ input: inout Input) {
    let (end, which, size) = (input.number(below: 2), Int(input.byte()), Int(input.u16()) % 5000)
    let ids = ends[end].known.subtracting(ends[end].closed).sorted()
    guard !ids.isEmpty else { return }
    let id = ids[which % ids.count]
    ends[end].channels.setLowThreshold(which * 8, of: id)
    try? ends[end].channels.send([UInt8](repeating: UInt8(which), count: size), isText: which & 1 == 0, on: id, now: now)
    if let amount = ends[end].channels.bufferedAmount(of: id) { expect((0...65_536).contains(amount), "\(amount) bytes are buffered") }
  }

  private mutating func close(_ input: inout Input) {
    let (end, which) = (input.number(below: 2), Int(input.byte()))
    let ids = ends[end].known.sorted()
    if which == 255 {
      ends[end].channels.close(now: now)
      ends[end].isLost = true
    } else if !ids.isEmpty {
      ends[end].channels.close(ids[which % ids.count], now: now)
    }
  }

  // MARK: Packets

  private mutating func carryAll() {
    for _ in 0..<64 where carry(0) || carry(1) {}
  }

  private mutating func carry(_ from: Int) -> Bool {
    guard !ends[from].output.isEmpty else { return false }
    give(ends[from].output.removeFirst(), to: 1 - from)
    drain()
    return true
  }

  private mutating func carryChanged(_ change: ([UInt8]) -> [UInt8]) {
    guard !ends[1 - attacked].output.isEmpty else { return }
    give(change(ends[1 - attacked].output.removeFirst()), to: attacked, isSigned: true)
  }

  private func give(_ bytes: [UInt8], to end: Int, isSigned: Bool = false) {
    let bytes = isSigned ? SCTPTalk.signed(bytes) : bytes
    bytes.withUnsafeBytes { raw in ends[end].channels.receive(raw, now: now) }
  }

  private static let table: [UInt32] = (0..<256 as Range<UInt32>).map { byte in
    (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0x82f6_3b78 : sum >> 1 }
  }

  /// With its checksum (RFC 9260, appendix A).
  private static func signed(_ packet: [UInt8]) -> [UInt8] {
    guard packet.count >= 12 else { return packet }
    var packet = packet
    packet.replaceSubrange(8..<12, with: [0, 0, 0, 0])
    let sum = ~packet.reduce(UInt32.max) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    packet.replaceSubrange(8..<12, with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
    return packet
  }

  // MARK: What must hold

  mutating func drain() {
    for end in 0..<2 {
      let next = ends[end].channels.poll(now: now)
      expect(next > now, "a time that has passed")
      if ends[end].takes { while let event = ends[end].channels.takeEvent() { check(event, end) } }
      while let packet = ends[end].channels.takePacket() {
        expect((16...1160).contains(packet.count), "a packet of \(packet.count) bytes")
        if end != attacked { follow(packet) }
        ends[end].output.append(packet)
      }
      if ends[end].output.count > 128 { ends[end].output.removeFirst(ends[end].output.count - 128) }
    }
  }

  /// What the attacker has to know.
  private mutating func follow(_ packet: [UInt8]) {
    func u32(_ place: Int) -> UInt32 { packet[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    if packet[12] == 1 || packet[12] == 2, packet.count >= 32 { number = u32(28) }
    if packet[12] == 0, packet.count >= 20 { number = u32(16) &+ 1 }
    if packet[12] != 1, packet[12] != 6 { tag = Array(packet[4..<8]) }
  }

  private mutating func check(_ event: DataChannelEvent, _ end: Int) {
    expect(!ends[end].isLost, "an event after the end")
    switch event {
    case .up(let streams):
      expect((1...32).contains(streams) && !ends[end].isUp, "up with \(streams) streams")
      ends[end].isUp = true
    case .lost:
      expect(ends[end].open.isEmpty, "lost with channels")
      ends[end].isLost = true
    case .opened(let info):
      expect(ends[end].isUp && info.stream < 32 && info.label.count <= 1024, "opened \(info)")
      expect(ends[end].open.insert(info.id).inserted && !ends[end].closed.contains(info.id), "opened twice")
      ends[end].known.insert(info.id)
      expect(ends[end].open.count <= 8, "more channels than may be")
    case .closed(let id, _):
      expect(ends[end].known.contains(id) && ends[end].closed.insert(id).inserted, "closed twice, or never opened")
      ends[end].open.remove(id)
    case .message(let id, let bytes, _):
      expect(ends[end].open.contains(id) && bytes.count <= 4096, "a message of a channel that is not open, or too long")
    case .bufferedAmountLow(let id):
      expect(ends[end].known.contains(id) && !ends[end].closed.contains(id), "nothing is buffered of what is closed")
    }
  }

  /// Without another packet both come to an end, in time.
  mutating func finish() {
    for end in 0..<2 {
      ends[end].takes = true
      var calls = 0
      while ends[end].channels.nextDeadline != .max, now < 1_000_000_000_000 {
        now = max(now, ends[end].channels.nextDeadline)
        drain()
        calls += 1
        expect(calls < 5000, "it is called without end")
      }
    }
  }
}
