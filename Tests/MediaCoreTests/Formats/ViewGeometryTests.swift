import MediaCore
import Testing

@Suite struct ViewGeometryTests {
  private static let orientations = (0..<8).compactMap { Orientation(foreign: $0) }

  private func view(_ width: UInt32, _ height: UInt32, _ scale: View.Scale = .fit, _ orientation: UInt32 = 0) throws -> View {
    try View(width: width, height: height, scale: scale, orientation: #require(Orientation(foreign: orientation)))
  }

  @Test func fitLeavesBars() throws {
    let wide = try view(640, 480).place(width: 1280, height: 720, orientation: Orientation())
    #expect(wide.source == Rectangle(x: 0, y: 0, width: 1280, height: 720))
    #expect(wide.target == Rectangle(x: 0, y: 60, width: 640, height: 360))
    let tall = try view(1280, 720).place(width: 480, height: 640, orientation: Orientation())
    #expect(tall.target == Rectangle(x: 370, y: 0, width: 540, height: 720))
  }

  @Test func fillCutsBothSidesAlike() throws {
    let wide = try view(640, 480, .fill).place(width: 1280, height: 720, orientation: Orientation())
    #expect(wide.source == Rectangle(x: 160, y: 0, width: 960, height: 720))
    #expect(wide.target == Rectangle(x: 0, y: 0, width: 640, height: 480))
    let tall = try view(1280, 720, .fill).place(width: 480, height: 640, orientation: Orientation())
    #expect(tall.source == Rectangle(x: 0, y: 184, width: 480, height: 270))
  }

  @Test func stretchTakesAll() throws {
    let placed = try view(100, 300, .stretch).place(width: 1280, height: 720, orientation: Orientation())
    #expect(placed.source == Rectangle(x: 0, y: 0, width: 1280, height: 720))
    #expect(placed.target == Rectangle(x: 0, y: 0, width: 100, height: 300))
  }

  @Test func aTurnedPictureSwapsItsSides() throws {
    let placed = try view(640, 480).place(width: 1280, height: 720, orientation: Orientation(quarters: 1))
    #expect(placed.target == Rectangle(x: 184, y: 0, width: 270, height: 480))
    let filled = try view(640, 480, .fill, 3).place(width: 1280, height: 720, orientation: Orientation())
    #expect(filled.source == Rectangle(x: 370, y: 0, width: 540, height: 720))
    #expect(filled.orientation == Orientation(quarters: 3))
  }

  /// Carried out on a picture of which each corner has a number, in the words of types.h.
  @Test(arguments: orientations, orientations)
  func twoOrientationsAreOne(first: Orientation, second: Orientation) {
    func turn(_ corners: [Int], _ orientation: Orientation) -> [Int] {
      // Left upper, right upper, right lower, left lower.
      var result = orientation.isMirrored ? [corners[1], corners[0], corners[3], corners[2]] : corners
      for _ in 0..<orientation.quarters { result = [result[3], result[0], result[1], result[2]] }
      return result
    }
    #expect(turn(turn([1, 2, 3, 4], first), second) == turn([1, 2, 3, 4], first.then(second)))
  }

  @Test(arguments: [View.Scale.fit, .fill, .stretch])
  func everyPlaceIsInside(scale: View.Scale) throws {
    var random = SeededRandom(seed: 7)
    let edges = [1, 2, 3, 5, 16_383, 16_384]
    func side() -> Int {
      let draw = Int(random.next() % 40)
      return draw < edges.count ? edges[draw] : 1 + Int(random.next() % 2000)
    }
    for _ in 0..<20_000 {
      let (width, height, orientation) = (
        side(), side(), Orientation(quarters: UInt32(random.next() % 4), isMirrored: random.next() % 2 == 0)
      )
      let view = try view(UInt32(side()), UInt32(side()), scale, UInt32(random.next() % 8))
      let placed = view.place(width: width, height: height, orientation: orientation)
      for (part, whole) in [
        (placed.source, Rectangle(x: 0, y: 0, width: width, height: height)),
        (placed.target, Rectangle(x: 0, y: 0, width: view.width, height: view.height))
      ] {
        #expect(part.x >= 0 && part.y >= 0 && part.width >= 1 && part.height >= 1)
        #expect(part.x + part.width <= whole.width && part.y + part.height <= whole.height)
        #expect(part.x % 2 == 0 && part.y % 2 == 0)
        // In the middle, to the pair of pixels that a corner lies on.
        #expect(abs(whole.width - part.width - 2 * part.x) <= 3 && abs(whole.height - part.height - 2 * part.y) <= 3)
      }
      if scale != .fit { #expect(placed.target.width == view.width && placed.target.height == view.height) }
      if scale != .fill { #expect(placed.source.width == width && placed.source.height == height) }
      let target = placed.target
      if scale == .fit { #expect(target.width == view.width || target.height == view.height) }
      let (seenWidth, seenHeight) = placed.orientation.swapsSides ? (target.height, target.width) : (target.width, target.height)
      // Proportions, to the two pixels that evenness takes on each side.
      if scale != .stretch, seenWidth > 2, seenHeight > 2, placed.source.width > 2, placed.source.height > 2 {
        let (across, down) = (Double(seenWidth) / Double(placed.source.width), Double(seenHeight) / Double(placed.source.height))
        let slack = 3 / Double(min(seenWidth, seenHeight)) + 3 / Double(min(placed.source.width, placed.source.height))
        #expect(abs(across / down - 1) <= slack, "\(width)x\(height) in \(view): \(placed)")
      }
    }
  }

  @Test func badViewsAreRefused() throws {
    for (width, height) in [(0, 10), (10, 0), (16_385, 10), (10, 16_385)] as [(UInt32, UInt32)] {
      let error = #expect(throws: MediaError.self) { try View(width: width, height: height) }
      #expect(error?.status == .range && error?.text.contains("\(width)x\(height)") == true)
    }
    let error = #expect(throws: MediaError.self) { try View(width: 1, height: 1, background: 0x100_0000) }
    #expect(error?.text.contains("background") == true)
    #expect(Orientation(foreign: 8) == nil)
  }
}
