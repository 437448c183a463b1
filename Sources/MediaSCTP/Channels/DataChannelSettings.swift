import MediaCore

/// How the data channels of one connection are made, and their bounds.
public struct DataChannelSettings: Sendable, Equatable {
  /// a=sctp-port of this end (RFC 8841, section 5), 1 to 65,535.
  public var ownPort: UInt16 = 5000
  /// The longest message that is received, in bytes, to be announced as a=max-message-size (RFC 8841, section 6): 1,024 to 16,777,216. A
  /// longer one closes its channel.
  public var mostBytes = 262_144
  /// Bytes of all channels that are sent and not acknowledged, 65,536 to 67,108,864; `send` refuses more. It bounds a message, too.
  public var mostBufferedBytes = 1_048_576
  /// Streams in each direction, 2 to 65,535; a channel takes one of both. Each takes about 200 bytes.
  public var streams = 1024
  /// Channels that are there at a time, of both ends, 1 to 65,535. One that the other end opens beyond that is closed again.
  public var mostChannels = 256
  /// The longest packet of SCTP, in bytes, 576 to 1,163; the longest by default, which fills a record of DTLS of 1,200.
  public var packetSize = 1160

  /// The defaults.
  public init() {}

  /// Throws `.range`.
  func check() throws(MediaError) {
    func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(MediaError) {
      guard range.contains(value) else { throw MediaError(.range, "data channels: \(name) is \(value); accepted: \(range)") }
    }
    try check("ownPort", Int(ownPort), 1...65_535)
    try check("mostBytes", mostBytes, 1024...16_777_216)
    try check("mostBufferedBytes", mostBufferedBytes, 65_536...67_108_864)
    try check("streams", streams, 2...65_535)
    try check("mostChannels", mostChannels, 1...65_535)
    try check("packetSize", packetSize, 576...1163)
  }
}
