import MediaCore

/// A secret of 16 to 255 bytes, which may be any.
public struct IngestToken: Sendable {
  private static let paddedSize = 256
  private let padded: [UInt8]
  let size: Int

  public init(_ bytes: [UInt8], argument: String) throws(MediaError) {
    guard IngestWire.tokenSizes.contains(bytes.count) else {
      throw MediaError(.range, "\(argument)_size is \(bytes.count); accepted: 16..255")
    }
    size = bytes.count
    padded = bytes + [UInt8](repeating: 0, count: IngestToken.paddedSize - bytes.count)
  }

  var bytes: ArraySlice<UInt8> { padded.prefix(size) }

  /// Takes the same time whatever is given, and however much of it is right.
  public func matches(_ given: UnsafeRawBufferPointer) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: IngestToken.paddedSize, alignment: 8) { other in
      other.initializeMemory(as: UInt8.self, repeating: 0)
      other.copyMemory(from: UnsafeRawBufferPointer(rebasing: given.prefix(IngestToken.paddedSize)))
      var difference = given.count ^ size
      for index in 0..<IngestToken.paddedSize { difference |= Int(other[index] ^ padded[index]) }
      return difference == 0
    }
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
    let isSame = transmission.bytes.elementsEqual(reception.bytes)
    guard !isSame else {
      throw MediaError(.invalid, "options.reception_token is the same as the transmission token; accepted: another one")
    }
    self.transmission = transmission
    self.reception = reception
    self.limits = limits
    self.frameRate = frameRate
    largestPayload = limits.list(of: .screenShare).map { Int($0.width * 4 + IngestWire.mostPadding) * Int($0.height) }.max() ?? 0
  }
}
