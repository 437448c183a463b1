import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaSDK

/// One picture, encoded in all layers of a stream.
@Suite struct LayerEncodingTests {
  /// What came of a layer.
  private struct Encoded {
    let layer: Int
    let frame: msdk_encoded_frame
    let target: UInt64
    var isKey: Bool { frame.flags & UInt32(MSDK_ENCODED_KEY) != 0 }
  }

  private func encoding(layers: Int) throws -> LayerEncoding {
    LayerEncoding(try Codecs.builtIn.video(UInt32(MSDK_CODEC_VP8)), Make.vp8(), layers: layers, events: { _ in })
  }

  private func plan(_ active: [Bool], wish: UInt64 = 1_000_000, total: UInt64 = 10_000_000) -> LayerEncoding.Plan {
    var layers = StreamLayers(count: active.count)
    layers.follow(active: active, bitrates: [])
    return LayerEncoding.Plan(layers: layers, wish: wish, total: total, hasBest: false)
  }

  /// A gradient, which says whether it is upright.
  private func encode(
    _ number: Int, by encoding: LayerEncoding, _ plan: LayerEncoding.Plan, isKey: Bool = false, carriage: Carriage = Carriage(),
    stopAfter: Int = 3, _ change: (VideoFrame) -> Void = { _ in }
  ) throws -> [Encoded] {
    let format = Make.format(640, 360, 25)
    let frame = try VideoFrame.make(format)
    defer { frame.release() }
    frame.fill(100)
    let luma = frame.plane(0)
    for index in 0..<Int(luma.stride) * 360 { luma.data[index] = UInt8(truncatingIfNeeded: index % Int(luma.stride) / 4 + number) }
    change(frame)
    let step = EncodingStage.Step(
      format: format, bitrate: plan.total, frameRate: format.frameRate, forceKeyFrame: isKey, timestamp: Int64(number) * 40 * millisecond,
      sequence: UInt64(number), isRepeat: false, carriage: carriage)
    var all: [Encoded] = []
    try encoding.encode(frame, step, plan) { layer, encoded, target in
      all.append(Encoded(layer: layer, frame: encoded.native.pointee, target: target))
      return all.count < stopAfter
    }
    return all
  }

  @Test func eachLayerHalvesTheNextAndTheSmallestComesFirst() throws {
    let encoding = try encoding(layers: 3)
    #expect(!encoding.hasEncoder && encoding.count == 3)
    let first = try encode(1, by: encoding, plan([true, true, true]))
    #expect(first.map(\.layer) == [0, 1, 2] && first.map(\.frame.width) == [160, 320, 640] && first.map(\.frame.height) == [90, 180, 360])
    #expect(first.allSatisfy(\.isKey) && first.allSatisfy { $0.frame.timestamp_ns == 40 * millisecond && $0.frame.sequence == 1 })
    #expect(first.map(\.target) == [62_500, 250_000, 1_000_000] && encoding.hasEncoder)
    #expect(try encode(2, by: encoding, plan([true, true, true])).allSatisfy { !$0.isKey })
    // Key frames in all together.
    #expect(try encode(3, by: encoding, plan([true, true, true]), isKey: true).map(\.isKey) == [true, true, true])
    #expect(encoding.nextNumber(of: 0) == 1 && encoding.nextNumber(of: 0) == 2 && encoding.nextNumber(of: 2) == 1)
  }

  /// In all layers but the largest; a stream in one has none.
  @Test func everySecondFrameOfSmallLayersIsDroppable() throws {
    let (three, one) = (try encoding(layers: 3), try encoding(layers: 1))
    for number in 1...8 {
      func droppable(_ encoding: LayerEncoding, _ plan: LayerEncoding.Plan) throws -> [Bool] {
        try encode(number, by: encoding, plan).map { $0.frame.flags & UInt32(MSDK_ENCODED_DROPPABLE) != 0 }
      }
      let isUpper = number % 2 == 0
      #expect(try droppable(three, plan([true, true, true])) == [isUpper, isUpper, false], "\(number)")
      #expect(try droppable(one, plan([true])) == [false], "\(number)")
    }
  }

  @Test func whatIsLeftOutBeginsAgainWithAKeyFrame() throws {
    let encoding = try encoding(layers: 3)
    _ = try encode(1, by: encoding, plan([true, true, true]))
    let two = try encode(2, by: encoding, plan([true, false, true]))
    #expect(two.map(\.layer) == [0, 2] && two.allSatisfy { !$0.isKey })
    let all = try encode(3, by: encoding, plan([true, true, true]))
    #expect(all.map(\.layer) == [0, 1, 2] && all.map(\.isKey) == [false, true, false])
    #expect(try encode(4, by: encoding, plan([false, false, false])).isEmpty)
    #expect(try encode(5, by: encoding, plan([true, true, true]), stopAfter: 1).map(\.layer) == [0])
  }

  @Test func oneLayerIsTheWhole() throws {
    let encoding = try encoding(layers: 1)
    let one = try encode(1, by: encoding, plan([true], total: 700_000))
    #expect(one.map(\.frame.width) == [640] && one.map(\.target) == [700_000])
  }

  @Test func whatIsNotCarriedIsDoneToThePixels() throws {
    let encoding = try encoding(layers: 2)
    func turn(_ frame: VideoFrame) { frame.native.pointee.orientation = UInt32(MSDK_ROTATE_90) }
    let carried = try encode(1, by: encoding, plan([true, true]), turn)
    #expect(carried.map(\.frame.width) == [320, 640] && carried.allSatisfy { $0.frame.orientation == UInt32(MSDK_ROTATE_90) })
    let rotated = try encode(2, by: encoding, plan([true, true]), carriage: Carriage(color: true, orientation: false), turn)
    #expect(rotated.map(\.frame.width) == [180, 360] && rotated.allSatisfy { $0.frame.orientation == 0 && $0.isKey })
  }
}
