import MediaCore

/// A secret of 16 to 255 bytes, which may be any. It never leaves the process: what is sent is a proof of it.
public struct IngestToken: Sendable {
  let bytes: [UInt8]

  /// `.range`, with the argument's name and "_size" in the text: not 16 to 255 bytes.
  public init(_ bytes: [UInt8], argument: String) throws(MediaError) {
    guard IngestWire.tokenSizes.contains(bytes.count) else {
      throw MediaError(.range, "\(argument)_size is \(bytes.count); accepted: 16..255")
    }
    self.bytes = bytes
  }
}

/// What one door asks of its feeders.
public struct IngestRules: Sendable {
  /// The token that the feeder must prove.
  let transmission: IngestToken
  /// The token that the session proves to the feeder.
  let reception: IngestToken
  /// Those of a screen share, for every frame.
  let limits: VideoLimits
  /// Of the stream that the frames become; it is declared, and not measured.
  let frameRate: FrameRate
  /// Bytes of the largest payload that the limits can ask for; nothing larger is made room for.
  let largestPayload: Int

  /// `.invalid`: the two tokens are equal.
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
