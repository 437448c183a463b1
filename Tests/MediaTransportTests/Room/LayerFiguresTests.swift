import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

@Suite struct LayerFiguresTests {
  private let pool = BufferPool(limit: 4)

  private func note(
    _ figures: LayerFigures, _ layer: Int, at time: Int64, bytes: Int = 1_000, size: (UInt32, UInt32) = (0, 0), isKey: Bool = false,
    isDroppable: Bool = false
  ) throws -> LayerFigures.Flow {
    var attributes = msdk_encoded_frame()
    (attributes.timestamp_ns, attributes.width, attributes.height) = (time, size.0, size.1)
    attributes.flags = isKey ? UInt32(MSDK_ENCODED_KEY) : isDroppable ? UInt32(MSDK_ENCODED_DROPPABLE) : 0
    let frame = try [UInt8](repeating: 1, count: bytes).withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0)
    }
    let made = try #require(frame)
    defer { made.release() }
    return figures.note(made, of: layer)
  }

  @Test func ratesAreMeasuredAndEndWithTheLayer() throws {
    let figures = LayerFigures(count: 2)
    // With the headers of its packets 131 and 504 kbit/s.
    for frame in Int64(0)..<90 {
      _ = try note(figures, 0, at: frame * 33 * millisecond, bytes: 500)
      if frame < 60 { _ = try note(figures, 1, at: frame * 33 * millisecond, bytes: 2_000) }
      let rates = figures.layers.map(\.bitrate)
      if frame == 59 { #expect((120_000...145_000).contains(rates[0]) && (460_000...555_000).contains(rates[1]), "\(rates)") }
    }
    #expect(figures.layers[0].bitrate > 100_000 && figures.layers[1].bitrate == 0)
    // One that comes again does not count the time between.
    for frame in Int64(0)..<40 { _ = try note(figures, 1, at: 60_000 * millisecond + frame * 33 * millisecond, bytes: 2_000) }
    #expect((460_000...555_000).contains(figures.layers[1].bitrate) && figures.layers[0].bitrate == 0)
  }

  /// A screen that stands still, or a slow camera: a layer has stopped if it misses a frame that another one has.
  @Test func layersOfASlowStreamCome() throws {
    let figures = LayerFigures(count: 3)
    func isFlowing(_ layer: Int, at seconds: Int64, _ others: [Int]) throws -> [Bool] {
      let flow = try note(figures, layer, at: seconds * 1_000 * millisecond)
      return others.map { flow.flowing.contains($0) }
    }
    for layer in 0..<3 { _ = try note(figures, layer, at: 0) }
    for frame in Int64(1)..<5 {
      for layer in 0..<3 { #expect(try isFlowing(layer, at: frame, [0, 1, 2]) == [true, true, true], "\(layer) of \(frame)") }
    }
    // The best one stops after that.
    for layer in 0..<2 { _ = try note(figures, layer, at: 5_000 * millisecond) }
    #expect(try isFlowing(0, at: 6, [0, 1, 2]) == [true, true, false])
  }

  @Test func droppableFramesAreCountedApart() throws {
    let figures = LayerFigures(count: 2)
    for frame in Int64(0)..<90 {
      _ = try note(figures, 0, at: frame * 33 * millisecond, bytes: frame % 2 == 0 ? 600 : 400, isDroppable: frame % 2 == 1)
      _ = try note(figures, 1, at: frame * 33 * millisecond, bytes: 2_000)
    }
    let (layered, plain) = (figures.layers[0], figures.layers[1])
    #expect((0.57...0.63).contains(Double(layered.baseBitrate) / Double(layered.bitrate)), "\(layered)")
    #expect(plain.baseBitrate == plain.bitrate)
  }

  /// As one that nobody wants is not sent.
  @Test func aLayerThatHasNotComeIsHalfOfTheNext() throws {
    let figures = LayerFigures(count: 3)
    #expect(figures.useful(for: VideoPreference(width: 1, height: 1)) == 2)
    _ = try note(figures, 2, at: 0, size: (1_280, 720), isKey: true)
    let useful = [(320, 180), (321, 180), (640, 360), (641, 1)].map { figures.useful(for: VideoPreference(width: $0.0, height: $0.1)) }
    #expect(useful == [0, 1, 1, 2])
    // It is otherwise.
    _ = try note(figures, 1, at: 0, size: (960, 540), isKey: true)
    #expect(figures.useful(for: VideoPreference(width: 480, height: 270)) == 0)
    #expect(figures.useful(for: VideoPreference(width: 641, height: 1)) == 1)
  }

  @Test func layersThatComeAreKnown() throws {
    let figures = LayerFigures(count: 3)
    #expect(try note(figures, 0, at: 1_000 * millisecond).flowing == LayerSet([0]))
    #expect(try note(figures, 2, at: 1_000 * millisecond + 600 * millisecond).flowing == LayerSet([0, 2]))
    #expect(try note(figures, 2, at: 1_000 * millisecond + 700 * millisecond).flowing == LayerSet([2]))
    #expect(try note(figures, 3, at: 1_000 * millisecond).flowing == LayerSet([]))
  }

  @Test func aLayerIsOfUseByItsSize() throws {
    let figures = LayerFigures(count: 3)
    let small = VideoPreference(width: 320, height: 180)
    #expect(figures.useful(for: small) == 2)
    for (layer, size) in [(0, (UInt32(320), UInt32(180))), (1, (640, 360)), (2, (1280, 720))] {
      #expect(try note(figures, layer, at: 1_000 * millisecond, size: size, isKey: true).revision == layer + 1)
    }
    #expect(try note(figures, 2, at: 1_000 * millisecond, size: (1280, 720), isKey: true).revision == 3)
    #expect(figures.useful(for: small) == 0 && figures.useful(for: VideoPreference(width: 180, height: 320)) == 0)
    #expect(figures.useful(for: VideoPreference(width: 321, height: 180)) == 1 && figures.useful(for: .any) == 2)
    #expect(figures.useful(for: VideoPreference(width: 4_000, height: 2_000)) == 2)
  }
}
