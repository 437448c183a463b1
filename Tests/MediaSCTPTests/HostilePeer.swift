import MediaCore

@testable import MediaSCTP

/// An end that has an association with another and sends what it likes: chunks of its own, with the right tag, number and checksum. Its
/// other half is one of `DataTalk`, whose packets it has read.
final class HostilePeer {
  let talk: DataTalk
  /// What the victim, the server, expects in the header, and the number of the next DATA chunk.
  private let tag: [UInt8]
  private(set) var number: UInt32

  /// The association is up; the honest half, the client, is cut off.
  init(server: DataChannelSettings = DataChannelSettings(), seed: UInt64 = 1) throws {
    talk = try DataTalk(server: server, seed: seed)
    talk.run(for: DataTalk.second)
    guard talk.areUp, let init0 = talk.sent[0].first(where: { $0[12] == 1 }), let echo = talk.sent[0].first(where: { $0[12] == 10 }) else {
      throw MediaError(.fail, "the association is not up")
    }
    tag = Array(echo[4..<8])
    number = HostilePeer.u32(init0, 28)
    talk.change = { from, packet in from == 0 ? [] : [packet] }
  }

  static func u32(_ bytes: [UInt8], _ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
  static func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
  static func u16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

  static func chunk(_ kind: UInt8, _ flags: UInt8, _ body: [UInt8]) -> [UInt8] {
    [kind, flags] + u16(body.count + 4) + body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
  }

  func send(_ chunks: [UInt8]) {
    talk.give(DamageTests.signed([0x13, 0x88, 0x13, 0x88] + tag + [0, 0, 0, 0] + chunks), to: 1)
  }

  /// `flags`: 1 the last fragment, 2 the first, 4 unordered.
  func data(_ bytes: [UInt8], stream: Int, sequence: Int = 0, kind: UInt32 = 53, flags: UInt8 = 3, skip: UInt32 = 0) {
    number &+= skip
    send(
      HostilePeer.chunk(
        0, flags, HostilePeer.u32(number) + HostilePeer.u16(stream) + HostilePeer.u16(sequence) + HostilePeer.u32(kind) + bytes))
    number &+= 1
  }

  /// Lets the victim's timers and answers happen.
  func wait(_ seconds: Double) { talk.run(for: Int64(seconds * 1_000_000_000)) }

  static let open: [UInt8] = ChannelControl.open(.init()).bytes
}
