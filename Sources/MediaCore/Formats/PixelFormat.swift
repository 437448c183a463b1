import CMediaSDK

/// The pixel formats of types.h, and how each lies in memory.
public enum PixelFormat: UInt32, CaseIterable, Sendable {
  case i420 = 0x3231_5559
  case nv12 = 0x3231_564E
  case bgra = 0x3432_5241
  case rgba = 0x3432_4241
  case argb = 0x3432_4142
  case abgr = 0x3432_4152
  case bgr24 = 0x3432_4752
  case rgb24 = 0x3432_4742
  case gray8 = 0x2020_3852

  /// As error texts and the tool print it, "I420".
  public var name: String {
    switch self {
    case .i420: "I420"
    case .nv12: "NV12"
    case .bgra: "BGRA"
    case .rgba: "RGBA"
    case .argb: "ARGB"
    case .abgr: "ABGR"
    case .bgr24: "BGR24"
    case .rgb24: "RGB24"
    case .gray8: "GRAY8"
    }
  }

  /// 1, 2 or 3: I420 has three planes, NV12 two, all others one.
  public var planeCount: Int {
    switch self {
    case .i420: 3
    case .nv12: 2
    default: 1
    }
  }

  /// Whether pixels have red, green and blue; GRAY8 counts with the YUV formats.
  public var isRGB: Bool {
    switch self {
    case .i420, .nv12, .gray8: false
    default: true
    }
  }

  /// Bytes of a row that carry pixels. `width` is within `Dimensions.accepted`, so nothing overflows.
  public func rowBytes(plane: Int, width: Int) -> Int {
    switch self {
    case .i420: plane == 0 ? width : (width + 1) / 2
    case .nv12: plane == 0 ? width : (width + 1) / 2 * 2
    case .bgra, .rgba, .argb, .abgr: width * 4
    case .bgr24, .rgb24: width * 3
    case .gray8: width
    }
  }

  /// Rows of a plane: all for plane 0, half of them for planes of chroma, rounded up.
  public func rows(plane: Int, height: Int) -> Int {
    plane == 0 ? height : (height + 1) / 2
  }

  /// The format of a foreign code. `.unsupported`, with the argument's name in the text: there is none.
  public static func named(_ fourcc: UInt32, argument: @autoclosure () -> String) throws(MediaError) -> PixelFormat {
    guard let format = PixelFormat(rawValue: fourcc) else {
      let names = allCases.map(\.name).joined(separator: ", ")
      throw MediaError(.unsupported, "\(argument()) is \(FourCC.text(fourcc)); accepted: \(names)")
    }
    return format
  }
}

/// The sizes a frame may have.
public enum Dimensions {
  /// In pixels, for width and height alike; odd ones too.
  public static let accepted: ClosedRange<UInt32> = 1...16384

  /// `.range`, with the argument's name in the text: width or height is outside `accepted`.
  public static func check(width: UInt32, height: UInt32, argument: @autoclosure () -> String) throws(MediaError) {
    guard accepted.contains(width), accepted.contains(height) else {
      throw MediaError(
        .range, "\(argument()) is \(width)x\(height); accepted: width and height \(accepted.lowerBound)..\(accepted.upperBound)")
    }
  }
}

/// Where the planes of a picture lie in one block of memory.
public struct FrameLayout: Sendable, Equatable {
  /// One plane; all members but `rows` are in bytes.
  public struct Plane: Sendable, Equatable {
    /// Where its first row begins, from the beginning of the block.
    public var offset: Int
    /// From the beginning of a row to that of the next: `rowBytes` rounded up to the alignment.
    public var stride: Int
    /// Those of a row that carry pixels.
    public var rowBytes: Int
    /// Fewer than the frame's height for planes of chroma.
    public var rows: Int
  }

  /// As many as the pixel format has, one after another.
  public let planes: [Plane]
  /// Bytes of the block, the padding of rows included.
  public let size: Int

  /// `.range`: the size is outside `Dimensions.accepted`, or the alignment of rows, in bytes, is no power of two in 1...4096.
  public init(_ format: PixelFormat, width: UInt32, height: UInt32, alignment: Int) throws(MediaError) {
    try Dimensions.check(width: width, height: height, argument: "the frame size")
    guard alignment > 0, alignment <= 4096, alignment & (alignment - 1) == 0 else {
      throw MediaError(.range, "alignment is \(alignment); accepted: powers of two, 1..4096")
    }
    var planes: [Plane] = []
    var offset = 0
    for index in 0..<format.planeCount {
      let rowBytes = format.rowBytes(plane: index, width: Int(width))
      let rows = format.rows(plane: index, height: Int(height))
      let stride = (rowBytes + alignment - 1) & ~(alignment - 1)
      planes.append(Plane(offset: offset, stride: stride, rowBytes: rowBytes, rows: rows))
      offset += stride * rows
    }
    self.planes = planes
    size = offset
  }
}
