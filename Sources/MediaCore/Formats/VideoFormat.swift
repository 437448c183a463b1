import CMediaSDK

/// A frame rate as a fraction. 0/0 and 0/1 are "variable or unknown".
public struct FrameRate: Sendable, Hashable, CustomStringConvertible {
  /// Frames in `denominator` seconds.
  public let numerator: UInt32
  /// Seconds; 0 makes the rate unknown.
  public let denominator: UInt32

  /// Checks nothing and does not reduce the fraction.
  public init(_ numerator: UInt32, _ denominator: UInt32 = 1) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Whether neither part of the fraction is 0.
  public var isKnown: Bool { numerator > 0 && denominator > 0 }
  /// Frames a second; 0 when the rate is not known.
  public var perSecond: Double { isKnown ? Double(numerator) / Double(denominator) : 0 }

  /// The time from one frame to the next, at least a nanosecond; nil when the rate is not known.
  public var interval: Int64? {
    isKnown ? max(1, Int64(UInt64(denominator) * 1_000_000_000 / UInt64(numerator))) : nil
  }

  /// When the frame of that index is due, without the drift of adding intervals up.
  public func dueTime(ofFrame index: UInt64, from start: Int64) -> Int64 {
    guard isKnown else { return start }
    let (high, low) = index.multipliedFullWidth(by: UInt64(denominator) * 1_000_000_000)
    guard high < UInt64(numerator) else { return .max }
    let offset = UInt64(numerator).dividingFullWidth((high, low)).quotient
    let (due, overflow) = start.addingReportingOverflow(Int64(clamping: offset))
    return overflow ? .max : due
  }

  /// "30" or "30000/1001", frames a second.
  public var description: String {
    denominator == 1 || !isKnown ? "\(numerator)" : "\(numerator)/\(denominator)"
  }
}

/// Colour as H.273 has it; 0 of a caller becomes 2, unspecified.
public struct ColorSpace: Sendable, Hashable {
  /// ColourPrimaries of H.273.
  public var primaries: UInt32 = 2
  /// TransferCharacteristics of H.273.
  public var transfer: UInt32 = 2
  /// MatrixCoefficients of H.273.
  public var matrix: UInt32 = 2
  /// Whether luma uses 0...255, and not 16...235.
  public var fullRange = false

  /// Unspecified colour of limited range.
  public init() {}

  /// Takes a 0 for 2, unspecified; the matrix Identity of RGB is not kept either (see `matrix(of:)`).
  public init(primaries: UInt32, transfer: UInt32, matrix: UInt32, fullRange: Bool) {
    self.primaries = primaries == 0 ? 2 : primaries
    self.transfer = transfer == 0 ? 2 : transfer
    self.matrix = matrix == 0 ? 2 : matrix
    self.fullRange = fullRange
  }

  /// As the encoded frame's members say it.
  public init(_ frame: msdk_encoded_frame) {
    self.init(
      primaries: frame.color_primaries, transfer: frame.color_transfer, matrix: frame.color_matrix, fullRange: frame.color_full_range == 1)
  }

  /// Writes it into the encoded frame's members.
  public func tell(_ frame: inout msdk_encoded_frame) {
    (frame.color_primaries, frame.color_transfer, frame.color_matrix, frame.color_full_range) = (
      primaries, transfer, matrix, fullRange ? 1 : 0
    )
  }

  /// With what another one says where this says nothing. The range goes with the matrix.
  public func completed(by other: ColorSpace) -> ColorSpace {
    let unspecified = UInt32(MSDK_COLOR_UNSPECIFIED)
    var all = matrix == unspecified ? other : self
    all.primaries = primaries == unspecified ? other.primaries : primaries
    all.transfer = transfer == unspecified ? other.transfer : transfer
    return all
  }

  /// The matrix as H.273 has it: that of RGB is Identity.
  public func matrix(of pixelFormat: PixelFormat) -> UInt32 {
    matrix == UInt32(MSDK_COLOR_UNSPECIFIED) && pixelFormat.isRGB ? UInt32(MSDK_MATRIX_IDENTITY) : matrix
  }
}

/// What a stream of pictures is made of.
public struct VideoFormat: Sendable, Hashable, CustomStringConvertible {
  /// How the pixels lie in memory.
  public var pixelFormat: PixelFormat
  /// In pixels; not checked, except by `init(checking:argument:)`.
  public var width: UInt32
  /// In pixels; not checked, except by `init(checking:argument:)`.
  public var height: UInt32
  /// What the producer means to reach; it may be unknown.
  public var frameRate: FrameRate
  /// Unspecified by default, which is treated as BT.601 of limited range.
  public var color: ColorSpace
  /// MSDK_CONTENT_*, 0...3; 0 is none.
  public var contentHint: UInt32
  /// Of the capture device, in nanoseconds; 0: unknown.
  public var expectedDelay: Int64

  /// Checks nothing. By default the frame rate is unknown and the colour unspecified.
  public init(
    _ pixelFormat: PixelFormat, width: UInt32, height: UInt32, frameRate: FrameRate = FrameRate(0, 1), color: ColorSpace = ColorSpace(),
    contentHint: UInt32 = 0, expectedDelay: Int64 = 0
  ) {
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.color = color
    self.contentHint = contentHint
    self.expectedDelay = expectedDelay
  }

  /// Reads the foreign struct, whose members past its own size the caller has zeroed, and refuses what cannot be.
  public init(checking format: msdk_video_format, argument: @autoclosure () -> String) throws(MediaError) {
    let pixelFormat = try PixelFormat.named(format.pixel_format, argument: "\(argument()).pixel_format")
    try Dimensions.check(width: format.width, height: format.height, argument: "\(argument())'s size")
    guard format.color_full_range <= 1 else {
      throw MediaError(.unsupported, "\(argument()).color_full_range is \(format.color_full_range); accepted: 0, 1")
    }
    guard format.fps_den != 0 || format.fps_num == 0 else {
      throw MediaError(.range, "\(argument())'s frame rate is \(format.fps_num)/0; accepted: a fraction, or 0/0 for variable")
    }
    guard format.content_hint <= UInt32(MSDK_CONTENT_TEXT) else {
      throw MediaError(
        .unsupported, "\(argument()).content_hint is \(format.content_hint); accepted: MSDK_CONTENT_NONE, _MOTION, _DETAIL, _TEXT")
    }
    try ForeignStruct.checkReserved(format.reserved0, "\(argument()).reserved0")
    try withUnsafeBytes(of: format.reserved) { bytes throws(MediaError) in
      guard bytes.allSatisfy({ $0 == 0 }) else { throw MediaError(.unsupported, "\(argument()).reserved is not 0; accepted: 0") }
    }
    self.init(
      pixelFormat, width: format.width, height: format.height, frameRate: FrameRate(format.fps_num, format.fps_den),
      color: ColorSpace(
        primaries: format.color_primaries, transfer: format.color_transfer, matrix: format.color_matrix,
        fullRange: format.color_full_range == 1), contentHint: format.content_hint, expectedDelay: format.expected_delay_ns)
  }

  /// Whether width and height are the same.
  public func hasSize(of other: VideoFormat) -> Bool { width == other.width && height == other.height }

  /// For the C interface, with its size filled in. The matrix of an RGB format is Identity where none is specified.
  public var foreign: msdk_video_format {
    var format = msdk_video_format()
    format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
    format.pixel_format = pixelFormat.rawValue
    format.width = width
    format.height = height
    format.fps_num = frameRate.numerator
    format.fps_den = frameRate.denominator
    format.color_primaries = color.primaries
    format.color_transfer = color.transfer
    format.color_matrix = color.matrix(of: pixelFormat)
    format.color_full_range = color.fullRange ? 1 : 0
    format.content_hint = contentHint
    format.expected_delay_ns = expectedDelay
    return format
  }

  /// Bits a second without a codec.
  public var rawBitrate: Double {
    let layoutSize = (0..<pixelFormat.planeCount).reduce(0) { sum, plane in
      sum + pixelFormat.rowBytes(plane: plane, width: Int(width)) * pixelFormat.rows(plane: plane, height: Int(height))
    }
    return Double(layoutSize) * 8 * frameRate.perSecond
  }

  /// 0 when the frame rate is not known.
  public var pixelsPerSecond: Double { Double(width) * Double(height) * frameRate.perSecond }

  /// "I420 1280x720 at 30", for error texts and logs.
  public var description: String { "\(pixelFormat.name) \(width)x\(height) at \(frameRate)" }
}
