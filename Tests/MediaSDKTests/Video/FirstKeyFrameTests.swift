import CMediaSDK
import MediaCore
import Testing

@testable import MediaSDK

@Suite struct FirstKeyFrameTests {
  @Test func nothingIsOfUseBefore() {
    var first = FirstKeyFrame()
    // It was requested with the subscription; then twice a second.
    let asks = (0..<20).map { number in
      let (isUsable, asks) = first.take(isKeyFrame: false, now: Int64(number) * 100 * millisecond)
      #expect(!isUsable)
      return asks
    }
    #expect(asks.indices.filter { asks[$0] } == [5, 10, 15])
    #expect(first.take(isKeyFrame: true, now: 2 * second) == (true, false))
    #expect(first.take(isKeyFrame: false, now: 9 * second) == (true, false))
  }

  /// Another receiver has the stream already: what is on its way when this one starts is not for it.
  @Test func aProgramReadsFromTheFirstKeyFrameOn() throws {
    let call = try Call().connect()
    var options = Make.vp8()
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(options, Make.incoming { $0.output = .encoded })
    func send(_ number: UInt8, isKey: Bool) throws {
      let head: [UInt8] = isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xB4, 0] : [0x31, 1, 0]
      let frame = try Make.encoded(head + [number], isKey: isKey)
      defer { frame.release() }
      (frame.native.pointee.width, frame.native.pointee.height) = (320, 180)
      frame.seal()
      try outgoing.currentSender().send(frame, timestamp: Int64(number), completion: .queued())
      try call.advance()
    }
    func read() -> [UInt8] {
      var last: [UInt8] = []
      while let frame = try? incoming.readEncoded(deadline: 0) {
        last += frame.bytes.suffix(1)
        frame.release()
      }
      return last
    }
    for round in 0..<2 as Range<UInt8> {
      try send(1, isKey: false)
      try send(2, isKey: false)
      #expect(read() == [])
      try send(3, isKey: true)
      try send(4, isKey: false)
      #expect(read() == [3, 4])
      let counters = incoming.stats.counters
      #expect(counters.skipped == 2 + 2 * UInt64(round) && counters.delivered == 2 + 2 * UInt64(round))
      // Started again, it begins anew.
      incoming.stop()
      try incoming.start(Make.incoming { $0.output = .encoded })
    }
  }
}
