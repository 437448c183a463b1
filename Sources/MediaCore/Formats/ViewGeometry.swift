/// How a stored picture is turned to stand upright: first mirrored left to right, then turned clockwise by quarters.
public struct Orientation: Sendable, Equatable {
  /// Of 90 degrees, clockwise, 0...3.
  public var quarters: UInt32
  /// Whether left and right are exchanged, before the rotation.
  public var isMirrored: Bool

  /// Of `quarters` the remainder by 4 counts. By default the frame is upright as it is stored.
  public init(quarters: UInt32 = 0, isMirrored: Bool = false) {
    self.quarters = quarters & 3
    self.isMirrored = isMirrored
  }

  /// From MSDK_ROTATE_* | MSDK_MIRROR; nil for anything else.
  public init?(foreign: UInt32) {
    guard foreign < 8 else { return nil }
    self.init(quarters: foreign & 3, isMirrored: foreign & 4 != 0)
  }

  /// MSDK_ROTATE_* | MSDK_MIRROR.
  public var foreign: UInt32 { quarters | (isMirrored ? 4 : 0) }
  /// What undoes it: a mirrored one undoes itself.
  public var inverse: Orientation { isMirrored ? self : Orientation(quarters: 4 - quarters) }
  /// Whether width and height change places: with an odd number of quarters.
  public var swapsSides: Bool { quarters & 1 != 0 }

  /// This one and then another, as one: mirrored after a turn is turned the other way after the mirror.
  public func then(_ other: Orientation) -> Orientation {
    Orientation(quarters: (other.isMirrored ? 4 - quarters : quarters) + other.quarters, isMirrored: isMirrored != other.isMirrored)
  }
}

/// Whole pixels.
public struct Rectangle: Sendable, Equatable {
  /// Of the left edge.
  public var x: Int
  /// Of the upper edge; it grows downwards.
  public var y: Int
  /// Of the pixels from `x` on.
  public var width: Int
  /// Of the rows from `y` on.
  public var height: Int

  /// Checks nothing.
  public init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}

/// A place of fixed size that pictures of any size are put into.
public struct View: Sendable, Equatable {
  /// What becomes of a frame whose sides have another ratio than the view's; MSDK_SCALE_* of view.h.
  public enum Scale: UInt32, Sendable {
    case fit = 0
    case fill = 1
    case stretch = 2
  }

  /// Which part of a frame is shown in which part of the view.
  public struct Placement: Sendable, Equatable {
    /// The frame's own, followed by that of the view.
    public let orientation: Orientation
    /// Of the stored picture, before it is turned.
    public let source: Rectangle
    /// In the view; pixels outside it have the background's colour.
    public let target: Rectangle
  }

  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// How a frame is fitted in.
  public let scale: Scale
  /// What is done to each frame after its own orientation.
  public let orientation: Orientation
  /// 0xRRGGBB.
  public let background: UInt32

  /// `.range`: width or height is outside `Dimensions.accepted`, or the background is above 0xFFFFFF.
  public init(width: UInt32, height: UInt32, scale: Scale = .fit, orientation: Orientation = Orientation(), background: UInt32 = 0)
    throws(MediaError)
  {
    guard Dimensions.accepted.contains(width), Dimensions.accepted.contains(height) else {
      throw MediaError(.range, "the view is \(width)x\(height); accepted: width and height \(Dimensions.accepted)")
    }
    guard background <= 0xFF_FFFF else {
      throw MediaError(.range, "the view's background is 0x\(String(background, radix: 16)); accepted: 0xRRGGBB")
    }
    (self.width, self.height, self.scale, self.orientation, self.background) = (Int(width), Int(height), scale, orientation, background)
  }

  /// Where a stored picture of that size goes. Sizes are at most 16,384, so no product comes near an Int's end.
  public func place(width: Int, height: Int, orientation: Orientation) -> Placement {
    let both = orientation.then(self.orientation)
    // The view as the stored picture sees it, before it is turned.
    let (across, down) = both.swapsSides ? (self.height, self.width) : (self.width, self.height)
    var source = Rectangle(x: 0, y: 0, width: width, height: height)
    var seen = (width: across, height: down)
    let isWider = width * down > height * across
    switch scale {
    case .stretch: break
    case .fit:
      if isWider { seen.height = View.scaled(height, across, width) } else { seen.width = View.scaled(width, down, height) }
    case .fill:
      if isWider { source.width = View.scaled(across, height, down) } else { source.height = View.scaled(down, width, across) }
    }
    (source.x, source.width) = View.centred(source.width, in: width)
    (source.y, source.height) = View.centred(source.height, in: height)
    let (shownWidth, shownHeight) = both.swapsSides ? (seen.height, seen.width) : (seen.width, seen.height)
    let (x, targetWidth) = View.centred(shownWidth, in: self.width)
    let (y, targetHeight) = View.centred(shownHeight, in: self.height)
    return Placement(orientation: both, source: source, target: Rectangle(x: x, y: y, width: targetWidth, height: targetHeight))
  }

  /// length * numerator / denominator, rounded to nearest.
  private static func scaled(_ length: Int, _ numerator: Int, _ denominator: Int) -> Int {
    (length * numerator + denominator / 2) / denominator
  }

  /// Begins on an even pixel, and ends on one unless it ends with the whole.
  private static func centred(_ length: Int, in whole: Int) -> (start: Int, length: Int) {
    guard length < whole else { return (0, whole) }
    let length = max(1, length & ~1)
    let start = (whole - length) / 2 & ~1
    return (start, length)
  }
}
