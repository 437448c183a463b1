import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

private final class Nobody: EncodedSink {
  func receive(_ frame: EncodedFrame, _ id: FrameID) {}
}

/// The tables of both ends.
@Suite struct HubRosterTests {
  private static let vp8 = UInt32(MSDK_CODEC_VP8)
  private static let opus = UInt32(MSDK_CODEC_OPUS)
  private static let second: Int64 = 1_000_000_000

  private func stream(_ number: UInt32, _ codec: UInt32 = vp8) -> HubNotice.Stream {
    .init(number: number, userID: "anna", codec: codec, format: HubMessageTests.video, isMuted: false)
  }

  @Test func placesRestBeforeTheyAreUsedAgain() throws {
    var holds: Bool
    var places = HubRoster.Places()
    let found22 = places.take(video: true, now: 0)
    let first = try #require(found22)
    #expect(first.index == 0)
    places.giveBack(first, now: Self.second)
    holds = places.take(video: true, now: 2 * Self.second)?.index == 1
    #expect(holds)
    holds = places.take(video: true, now: 3 * Self.second)?.index == 0
    #expect(holds)
    for index in 2..<HubSlot.perKind {
      let holds = places.take(video: true, now: 3 * Self.second)?.index == index
      #expect(holds)
    }
    holds = places.take(video: true, now: 3 * Self.second) == nil
    #expect(holds)
    // The other kind has its own; and what is tired is better than nothing.
    holds = places.take(video: false, now: 0)?.index == HubSlot.perKind
    #expect(holds)
    places.giveBack(first, now: 4 * Self.second)
    holds = places.take(video: true, now: 4 * Self.second) == first
    #expect(holds)
  }

  @Test func unitsGoWhereTheirPlaceSays() throws {
    var holds: Bool
    var room = HubRoster()
    let found37 = room.add(stream(5))
    let id = try #require(found37).id
    holds = room.add(stream(5)) == nil
    #expect(holds)
    holds = room.add(stream(6, 0)) == nil
    #expect(holds)
    let found40 = room.receive(id, Nobody(), now: 0)
    let (number, slot) = try #require(found40)
    #expect(number == 5)
    holds = room.receive(id, Nobody(), now: 0) == nil
    #expect(holds)
    holds = room.arrived(slot, Self.vp8)?.picture == 1
    #expect(holds)
    holds = room.arrived(slot, Self.opus) == nil
    #expect(holds)
    room.missed(2, at: slot)
    holds = room.arrived(slot, Self.vp8, isAfterGap: true)?.picture == 5
    #expect(holds)
    holds = room.remove(5, now: 0) == id
    #expect(holds)
    holds = room.arrived(slot, Self.vp8) == nil
    #expect(holds)
    holds = room.remove(5, now: 0) == nil
    #expect(holds)
  }

  @Test func aHubHoldsItsMembersToTheirPlaces() throws {
    var holds: Bool
    var streams = HubStreams()
    let (video, sound) = (try #require(HubSlot(index: 0)), try #require(HubSlot(index: 30)))
    let own = StreamID.next()
    holds = streams.publish(1, .init(id: own, slot: video, codec: Self.vp8))
    #expect(holds)
    holds = !streams.publish(1, .init(id: StreamID.next(), slot: sound, codec: Self.opus))
    #expect(holds)
    holds = !streams.publish(2, .init(id: StreamID.next(), slot: video, codec: Self.vp8))
    #expect(holds)
    holds = streams.arrived(video, Self.vp8, isKeyFrame: false, isAfterGap: true)?.picture == 2
    #expect(holds)
    streams.missed(3, at: video)
    streams.missed(3, at: sound)
    holds = streams.arrived(video, Self.vp8, isKeyFrame: false)?.picture == 6
    #expect(holds)
    holds = streams.arrived(video, Self.opus, isKeyFrame: false) == nil
    #expect(holds)
    holds = streams.arrived(sound, Self.opus, isKeyFrame: false) == nil
    #expect(holds)
    holds = streams.unpublish(1) == own
    #expect(holds)
    holds = streams.unpublish(1) == nil
    #expect(holds)
    let other = StreamID.next()
    let number = streams.offer(other, codec: Self.vp8)
    #expect(streams.wasOffered(number) && !streams.wasOffered(number + 1) && !streams.wasOffered(0))
    holds = !streams.receive(number, at: sound, now: 0)
    #expect(holds)
    holds = streams.receive(number, at: video, now: 0)
    #expect(holds)
    holds = !streams.receive(number, at: video, now: 0)
    #expect(holds)
    holds = streams.withdraw(other)?.slot == video
    #expect(holds)
    holds = streams.wasOffered(number)
    #expect(holds)
    let next = streams.offer(StreamID.next(), codec: Self.vp8)
    holds = streams.receive(next, at: video, now: 0)
    #expect(holds)
  }

  @Test func picturesThatNeedOnesThatWereLeftOutAreLeftOut() throws {
    var streams = HubStreams()
    let video = try #require(HubSlot(index: 3))
    let number = streams.offer(StreamID.next(), codec: Self.vp8)
    var holds = streams.receive(number, at: video, now: 0)
    #expect(holds)
    /// Whether it goes out, and whether a key frame is asked for.
    func leave(_ isKeyFrame: Bool, _ delay: Int64, at now: Int64) -> [Bool] {
      let (slot, wants) = streams.leave(number, size: 1000, isKeyFrame: isKeyFrame, delay: delay, target: 10_000_000, now: now)
      return [slot == video, wants]
    }
    // The first has to be one that needs none.
    #expect(leave(false, 0, at: 0) == [false, false])
    #expect(leave(true, 0, at: 1) == [true, false])
    #expect(leave(false, Self.second / 2, at: 2) == [true, false])
    // The way is behind: nothing goes out, and none is asked for before there is room.
    #expect(leave(false, Self.second, at: 3) == [false, false])
    #expect(leave(true, Self.second, at: 4) == [false, false])
    #expect(leave(false, Self.second / 4, at: 4 * Self.second) == [false, false])
    #expect(leave(false, 0, at: 4 * Self.second) == [false, true])
    // Not again with every picture.
    #expect(leave(false, 0, at: 5 * Self.second) == [false, false])
    #expect(leave(false, 0, at: 6 * Self.second) == [false, true])
    #expect(leave(true, 0, at: 7 * Self.second) == [true, false])
    streams.leftOut(number)
    #expect(leave(false, 0, at: 7 * Self.second) == [false, false])
    holds = streams.leave(number + 1, size: 100, isKeyFrame: true, delay: 0, target: 10_000_000, now: 0).slot == nil
    #expect(holds)
  }

  @Test func soundWaitsForNothing() throws {
    var streams = HubStreams()
    let place = try #require(HubSlot(index: 30))
    let number = streams.offer(StreamID.next(), codec: Self.opus)
    var holds = streams.receive(number, at: place, now: 0)
    #expect(holds)
    holds = streams.leave(number, size: 100, isKeyFrame: false, delay: .max, target: 0, now: 0).slot == place
    #expect(holds)
  }
}
