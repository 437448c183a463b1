import MediaCore

/// Short headers for peers that much is sent to (RFC 8656, section 12): four bytes in place of 36 and more.
struct TURNChannels: Sendable {
  private struct Channel {
    let number: UInt16
    var isBound = false
    var isAsked = false
    var refresh: Int64 = .min
  }

  static let first: UInt16 = 0x4000
  static let last: UInt16 = 0x4FFF
  static let headerSize = 4
  static let most = 8
  /// They live for ten minutes.
  static let refreshAfter: Int64 = 540_000_000_000
  private var channels: [(peer: SocketAddress, channel: Channel)] = []
  private var used: UInt16 = 0

  static func isChannelData(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= headerSize && (0x40...0x4F).contains(bytes[0])
  }

  var count: Int { channels.count }

  /// false: there are too many. A number is not used again: it belongs to its first peer for ten minutes and five more.
  mutating func want(_ peer: SocketAddress) -> Bool {
    if channels.contains(where: { $0.peer == peer }) { return true }
    guard channels.count < TURNChannels.most, used < 0x1000 else { return false }
    channels.append((peer, Channel(number: TURNChannels.first + used)))
    used += 1
    return true
  }

  /// What is sent with.
  func number(of peer: SocketAddress) -> UInt16? {
    channels.first { $0.peer == peer && $0.channel.isBound }?.channel.number
  }

  /// Whose it is that comes with that number. Also before the answer has come that it is bound, which may be lost.
  func peer(of number: UInt16) -> SocketAddress? {
    channels.first { $0.channel.number == number }?.peer
  }

  mutating func next(now: Int64) -> (peer: SocketAddress, number: UInt16)? {
    guard let index = channels.firstIndex(where: { !$0.channel.isAsked && $0.channel.refresh <= now }) else { return nil }
    channels[index].channel.isAsked = true
    return (channels[index].peer, channels[index].channel.number)
  }

  mutating func bound(_ number: UInt16, now: Int64) {
    guard let index = channels.firstIndex(where: { $0.channel.number == number }) else { return }
    (channels[index].channel.isBound, channels[index].channel.isAsked) = (true, false)
    channels[index].channel.refresh = now &+ TURNChannels.refreshAfter
  }

  /// It is asked for again a minute later; until then data goes with longer headers, if it was not bound.
  mutating func failed(_ number: UInt16, isRefused: Bool, now: Int64) {
    guard let index = channels.firstIndex(where: { $0.channel.number == number }) else { return }
    channels[index].channel.isAsked = false
    channels[index].channel.refresh = now &+ (isRefused ? 60_000_000_000 : 0)
    if isRefused { channels[index].channel.isBound = false }
  }

  mutating func retain(_ isUsed: (SocketAddress) -> Bool) { channels.removeAll { !isUsed($0.peer) } }

  var deadline: Int64 { channels.reduce(.max) { min($0, $1.channel.isAsked ? .max : $1.channel.refresh) } }
}
