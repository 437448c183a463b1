import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCodecs
@testable import MediaCore
@testable import MediaSDK

/// What a transport has no place for is done to the pixels before they are encoded.
@Suite struct CarriageTests {
  /// What is encoded of a picture that is white on the left and black on the right, in full range, to be turned by a quarter.
  private func encoded(_ carriage: Carriage, _ name: String) throws -> (msdk_encoded_frame, shades: [Int], width: UInt32) {
    let call = try Call(name, file: "carriage").connect()
    let way = call.standIn()
    way.carriage.withLock { $0 = carriage }
    var format = Make.format(320, 180)
    format.color = ColorSpace(primaries: 2, transfer: 2, matrix: UInt32(MSDK_MATRIX_BT709), fullRange: true)
    let outgoing = try call.engine.makeOutgoingVideo(Make.vp8(format))
    try call.anna.start(outgoing)
    call.anna.transport(way, .receivers(try #require(way.published.withLock { $0 }), 1))
    try call.advance()
    let frame = try outgoing.currentSender().acquire(deadline: 0)
    frame.fill(0)
    let luma = frame.plane(0)
    for row in 0..<180 { luma.data.advanced(by: row * Int(luma.stride)).update(repeating: 255, count: 160) }
    frame.native.pointee.orientation = UInt32(MSDK_ROTATE_90)
    try outgoing.currentSender().send(frame, timestamp: 0, completion: .queued())
    frame.release()
    try call.advance()
    let unit = try #require(way.units.entries.last)
    // The picture is in its memory.
    let decoder = try VP8Decoder()
    defer { withExtendedLifetime(decoder) {} }
    let picture = try #require(try decoder.decode(unit.bytes))
    // In the middle of the upper, right, lower and left part.
    let places = [(2, 1), (3, 2), (2, 3), (1, 2)]
    let shades = places.map { (x: Int, y: Int) -> Int in
      let (row, column): (Int, Int) = (Int(picture.height) * y / 4, Int(picture.width) * x / 4 - (x == 2 ? 8 : 0))
      return Int(picture.planes.0[row * Int(picture.strides.0) + column])
    }
    return (unit.native.pointee, shades, picture.width)
  }

  private func isNear(_ shades: [Int], _ expected: [Int]) -> Bool { zip(shades, expected).allSatisfy { abs($0 - $1) <= 3 } }

  @Test func whatIsCarriedIsLeftAsItIs() throws {
    let (frame, shades, width) = try encoded(Carriage(), #function)
    #expect(frame.color_matrix == 1 && frame.color_full_range == 1 && frame.orientation == UInt32(MSDK_ROTATE_90))
    #expect(width == 320 && frame.width == 320 && isNear(shades, [255, 0, 255, 255]), "\(shades)")
  }

  @Test func withoutAPlaceForColorItIsConverted() throws {
    let (frame, shades, width) = try encoded(Carriage(color: false), #function)
    #expect(frame.color_matrix == 6 && frame.color_full_range == 0 && frame.orientation == UInt32(MSDK_ROTATE_90))
    #expect(width == 320 && isNear(shades, [235, 16, 235, 235]), "\(shades)")
  }

  @Test func withoutAPlaceForOrientationItStandsUpright() throws {
    let (frame, shades, width) = try encoded(Carriage(orientation: false), #function)
    #expect(frame.color_matrix == 1 && frame.color_full_range == 1 && frame.orientation == 0)
    // White is above.
    #expect(width == 180 && frame.width == 180 && frame.height == 320, "\(width)")
    #expect(abs(shades[0] - 255) <= 3 && abs(shades[2]) <= 3, "\(shades)")
  }

  @Test func withoutAPlaceForEitherBothAreDone() throws {
    let (frame, shades, width) = try encoded(Carriage(color: false, orientation: false), #function)
    #expect(frame.color_matrix == 6 && frame.color_full_range == 0 && frame.orientation == 0 && width == 180)
    #expect(abs(shades[0] - 235) <= 3 && abs(shades[2] - 16) <= 3, "\(shades)")
  }
}
