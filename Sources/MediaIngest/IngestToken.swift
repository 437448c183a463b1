import MediaCore

/// A secret of 16 to 255 bytes, which may be any. It never leaves the process: what is sent is a proof of it.
public struct IngestToken: Sendable {
  let bytes: [UInt8]

  public init(_ bytes: [UInt8], argument: String) throws(MediaError) {
    guard IngestWire.tokenSizes.contains(bytes.count) else {
      throw MediaError(.range, "\(argument)_size is \(bytes.count); accepted: 16..255")
    }
    self.bytes = bytes
  }
}

/// What one door asks of its feeders.
public struct IngestRules: Sendable {
  public let transmission: IngestToken
  public let reception: IngestToken
  public let limits: VideoLimits
  public let frameRate: FrameRate
  /// Bytes of the largest payload that the limits can ask for; nothing larger is made room for.
  public let largestPayload: Int

  public init(transmission: IngestToken, reception: IngestToken, limits: VideoLimits, frameRate: FrameRate) throws(MediaError) {
    guard transmission.bytes != reception.bytes else {
      throw MediaError(.invalid, "options.reception_token is the same as the transmission token; accepted: a different one")
    }
    self.transmission = transmission
    self.reception = reception
    self.limits = limits
    self.frameRate = frameRate
    largestPayload = limits.list(of: .screenShare).map { Int($0.width * 4 + IngestWire.mostPadding) * Int($0.height) }.max() ?? 0
  }
}
