import CMediaSDK
import Glibc
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSRTP
import Testing

@testable import MediaTransport

/// Two ends on one machine: an emulated one, but where threads are what is tested.
@Suite(.serialized) struct RTPTransportTests {
  private static let sizes = [10, 3, 4, 50, 1160, 1161, 1200, 2400, 9000, 60_000, 200_000, 77]

  /// Sends pictures and sound both ways, and compares all bytes.
  private func talk(_ way: RTPWay, count: Int = 12) throws {
    let room = try RTPRoom(in: .emulated)
    let (here, there) = try way.ends(room)
    let ends = [(here, there), (there, here)]
    let sent = try ends.map { from, to in
      let (video, audio) = (try from.publish(.video), try from.publish(.audio))
      #expect(room.time.waits { from.count("receivers 1") >= 2 || !way.isThereKnown })
      var (pictures, sounds): ([[UInt8]], [[UInt8]]) = ([], [])
      let start = room.clock.now()
      // Nobody takes what comes before it was subscribed to: these announce the streams.
      for attempt in 0..<500 where to.video.units.entries.isEmpty || to.audio.units.entries.isEmpty {
        from.send(RTPEnd.picture(200, isKey: true), FrameID(attempt), at: start + Int64(attempt) * 20_000_000, on: video)
        from.send(RTPEnd.sound(30), FrameID(attempt), at: start + Int64(attempt) * 20_000_000, audio: true, on: audio)
        room.time.run(milliseconds: 20)
      }
      room.time.run(milliseconds: 100)
      let (knownPictures, knownSounds) = (to.video.bytes.count, to.audio.bytes.count)
      let again = room.clock.now()
      for index in 0..<count {
        let size = RTPTransportTests.sizes[index % RTPTransportTests.sizes.count]
        let picture = RTPEnd.picture(size, isKey: index == 0, seed: index)
        let sound = RTPEnd.sound(1 + index * 40, seed: index)
        #expect(from.send(picture, FrameID(600 + index), at: again + Int64(index) * 20_000_000, on: video) == .sent)
        #expect(from.send(sound, FrameID(600 + index), at: again + Int64(index) * 20_000_000, audio: true, on: audio) == .sent)
        pictures.append(picture)
        sounds.append(sound)
        room.time.run(milliseconds: 20)
      }
      return (pictures, sounds, knownPictures, knownSounds)
    }
    for ((_, to), (sentPictures, sentSounds, knownPictures, knownSounds)) in zip(ends, sent) {
      let isThere = room.time.waits {
        to.video.units.entries.count >= knownPictures + sentPictures.count && to.audio.units.entries.count >= knownSounds + sentSounds.count
      }
      #expect(isThere, "\(to.video.units.entries.count - knownPictures) pictures, \(to.audio.units.entries.count - knownSounds) sounds")
      let (gotPictures, gotSounds) = (Array(to.video.bytes.dropFirst(knownPictures)), Array(to.audio.bytes.dropFirst(knownSounds)))
      let arePicturesSame = gotPictures == sentPictures
      let areSoundsSame = gotSounds == sentSounds
      #expect(arePicturesSame && areSoundsSame)
      #expect(to.video.units.entries.allSatisfy { $0.width == 320 && $0.codec == UInt32(MSDK_CODEC_VP8) })
      // One after the other, without a gap.
      let numbers = to.video.units.entries.map(\.picture)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
      let times = to.video.units.entries.map(\.time)
      #expect(zip(times, times.dropFirst()).allSatisfy { $1 > $0 })
      #expect(to.added.entries.count == 2 && to.count("joined") == 1)
    }
    let pools = here.pools + there.pools
    #expect(pools.count == 6)
    room.close(here, there)
    #expect(room.time.waits { pools.allSatisfy { $0.inUse == 0 } })
  }

  @Test func onePortForBoth() throws { try talk(RTPWay()) }
  @Test func controlOnItsOwnPort() throws { try talk(RTPWay(isMultiplexed: false)) }
  @Test func twoLegs() throws { try talk(RTPWay(isApart: true)) }
  @Test func twoLegsAndControlOnItsOwnPorts() throws { try talk(RTPWay(isMultiplexed: false, isApart: true)) }
  @Test func overIPv6() throws { try talk(RTPWay(host: "::1")) }
  @Test func overIPv6ApartAndSealed() throws { try talk(RTPWay(host: "::1", isMultiplexed: false, isApart: true, profile: .aesGCM)) }
  @Test(arguments: SRTPProfile.allCases) func sealed(_ profile: SRTPProfile) throws { try talk(RTPWay(profile: profile)) }
  @Test func withReportsOfArrivals() throws { try talk(RTPWay(hasFeedback: true)) }
  @Test func toOneWhoWaitsToBeSpokenTo() throws { try talk(RTPWay(isThereKnown: false)) }
  @Test func toOneWhoWaitsWithControlOnItsOwnPort() throws {
    try talk(RTPWay(isMultiplexed: false, profile: .aesCounterSHA1, isThereKnown: false))
  }

  @Test func whoReportsNothingIsSentAllAtOnce() throws {
    var way = RTPWay(hasNACK: false)
    way.bitrates = .init()
    let room = try RTPRoom(in: .emulated)
    let (here, there) = try way.ends(room)
    let video = try here.publish(.video)
    #expect(send(here, video) { !there.video.units.entries.isEmpty })
    let before = there.video.units.entries.count
    // Far above the rate that one begins with.
    for index in 0..<40 {
      here.send(RTPEnd.picture(12_000, isKey: index == 0, seed: index), FrameID(900 + index), at: room.clock.now(), on: video)
      room.time.run(milliseconds: 20)
    }
    room.time.run(milliseconds: 500)
    #expect(there.video.units.entries.count >= before + 40, "\(there.video.units.entries.count - before) of 40")
    #expect(here.estimates.entries.isEmpty)
    room.close(here, there)
  }

  /// Sends a key frame every 20 ms until something is so.
  private func send(_ end: RTPEnd, _ stream: StreamID, audio: Bool = false, for seconds: Double = 20, until isDone: () -> Bool) -> Bool {
    let start = end.time.clock.now()
    var index: Int64 = 0
    while !isDone(), end.time.clock.now() < start + Int64(seconds * 1e9) {
      let time = end.time.clock.now()
      if audio {
        end.send(RTPEnd.sound(40, seed: Int(index)), FrameID(index), at: time, audio: true, on: stream)
      } else {
        end.send(RTPEnd.picture(500, isKey: true, seed: Int(index)), FrameID(index), at: time, on: stream)
      }
      index += 1
      end.time.run(milliseconds: 20)
    }
    return isDone()
  }

  @Test func goodbyeTakesTheStreamAndThenTheMember() throws {
    let room = try RTPRoom(in: .emulated)
    let (here, there) = try RTPWay().ends(room)
    let (video, audio) = (try here.publish(.video), try here.publish(.audio))
    #expect(send(here, video) { there.count("video") == 1 })
    #expect(send(here, audio, audio: true) { there.count("audio") == 1 })
    here.transport.unpublish(video)
    #expect(room.time.waits { there.count("removed") == 1 })
    #expect(there.count("left") == 0)
    #expect(here.send(RTPEnd.picture(100, isKey: true), 1, at: 0, on: video) == .notConnected)
    here.transport.disconnect()
    #expect(room.time.waits { there.count("left") == 1 })
    #expect(there.events.entries.suffix(2) == ["removed", "left"])
    room.close(here, there)
  }

  @Test func unpublishedAndPublishedAgainItGoesOn() throws {
    let room = try RTPRoom(in: .emulated)
    let (here, there) = try RTPWay().ends(room)
    for round in 1...5 {
      let video = try here.publish(.video)
      let before = there.video.units.entries.count
      #expect(send(here, video) { there.count("video") == round && there.video.units.entries.count > before + 3 })
      // What waits to be sent does not bring the stream back.
      for _ in 0..<20 { here.send(RTPEnd.picture(20_000, isKey: true), 999, at: room.clock.now(), on: video) }
      here.transport.unpublish(video)
      #expect(room.time.waits { there.count("removed") == round && there.count("left") == round })
      room.time.run(milliseconds: 300)
      #expect(there.count("video") == round)
    }
    room.close(here, there)
  }

  @Test func streamsOfOnePayloadTypeAreToldApart() throws {
    let room = try RTPRoom(in: .emulated)
    let (here, there) = try RTPWay().ends(room, subscribes: false)
    let streams = try (0..<3).map { _ in try here.publish(.video) }
    for (index, stream) in streams.enumerated() {
      #expect(send(here, stream) { there.added.entries.count == index + 1 })
    }
    let collectors = there.added.entries.map { stream in
      let collector = Collector()
      there.transport.subscribe(to: stream.id, collector)
      return collector
    }
    room.time.run(milliseconds: 50)
    for round in 0..<10 {
      for (index, stream) in streams.enumerated() {
        here.send(
          RTPEnd.picture(3000, isKey: true, seed: index * 100 + round), FrameID(1000 + round), at: room.clock.now(), on: stream)
      }
      room.time.run(milliseconds: 20)
    }
    for (index, collector) in collectors.enumerated() {
      // Behind what was kept of the first ones.
      let expected = (0..<10).map { RTPEnd.picture(3000, isKey: true, seed: index * 100 + $0) }
      #expect(room.time.waits { collector.bytes.suffix(10) == expected })
    }
    room.close(here, there)
  }

  @Test func whoeverSubscribesLateAsksForAKeyFrame() throws {
    let room = try RTPRoom(in: .emulated)
    let (here, there) = try RTPWay().ends(room, subscribes: false)
    let video = try here.publish(.video)
    #expect(send(here, video) { there.added.entries.count == 1 })
    // So late that nothing is kept any more.
    for index in 0..<100 {
      here.send(RTPEnd.picture(50, isKey: false, seed: index), FrameID(600 + index), at: room.clock.now(), on: video)
      room.time.run(milliseconds: 5)
    }
    room.time.run(milliseconds: 300)
    let before = here.count("key frame")
    there.transport.subscribe(to: try #require(there.added.entries.first?.id), there.video)
    #expect(room.time.waits { here.count("key frame") > before })
    here.send(RTPEnd.picture(100, isKey: true), 1000, at: room.clock.now(), on: video)
    #expect(room.time.waits { there.video.units.entries.last?.isKeyFrame == true })
    // And it was enough.
    room.time.run(milliseconds: 100)
    let after = here.count("key frame")
    room.time.run(milliseconds: 600)
    #expect(here.count("key frame") <= after)
    there.transport.requestKeyFrame(of: try #require(there.added.entries.first?.id))
    #expect(room.time.waits { here.count("key frame") > after })
    room.close(here, there)
  }

  @Test func oneMayLeaveFromAnEventAndFromASink() throws {
    let pools = Monitor([BufferPool]())
    let room = try RTPRoom(in: .emulated)
    for round in 0..<6 {
      let way = RTPWay()
      var (first, second) = (try way.configuration("here", own: 1, theirs: 2), try way.configuration("there", own: 2, theirs: 1))
      let (mine, theirs) = (try RTPWay.bind(first, room), try RTPWay.bind(second, room))
      RTPWay.point(&first, at: theirs)
      RTPWay.point(&second, at: mine)
      let here = RTPEnd(first, mine, room)
      let isDone = Monitor(false)
      let there = RTPEnd(second, theirs, room, subscribes: false) { end, event in
        guard case .streamAdded(let stream) = event else { return }
        let known = end.pools
        pools.withLock { $0 += known }
        if round % 3 == 0 {
          end.transport.disconnect()
          isDone.withLock { $0 = true }
          return
        }
        end.transport.subscribe(
          to: stream.id,
          Collector { _ in
            // On the network thread.
            if round % 3 == 1 { end.transport.disconnect() } else { end.transport.unsubscribe(from: stream.id) }
            isDone.withLock { $0 = true }
          })
      }
      here.transport.connect(here)
      there.transport.connect(there)
      let video = try here.publish(.video)
      #expect(send(here, video) { isDone.withLock { $0 } })
      let known = here.pools
      pools.withLock { $0 += known }
      here.transport.disconnect()
      there.transport.disconnect()
    }
    room.close()
    // Of each round the sender's, the receiver's, and that of the stream.
    #expect(pools.withLock { $0.count } == 18)
    #expect(room.time.waits { pools.withLock { $0.allSatisfy { $0.inUse == 0 } } })
  }

  @Test func nothingIsDeliveredUnderALock() throws {
    let room = try RTPRoom()
    let isSlow = Monitor(false)
    let way = RTPWay()
    var (first, second) = (try way.configuration("here", own: 1, theirs: 2), try way.configuration("there", own: 2, theirs: 1))
    let (mine, theirs) = (try RTPWay.bind(first), try RTPWay.bind(second))
    RTPWay.point(&first, at: theirs)
    RTPWay.point(&second, at: mine)
    let here = RTPEnd(first, mine, room)
    let visit = Visit()
    let there = RTPEnd(second, theirs, room, subscribes: false) { end, event in
      guard case .streamAdded(let stream) = event else { return }
      end.transport.subscribe(to: stream.id, Collector { _ in if isSlow.withLock({ $0 }) { visit.stay() } })
    }
    here.transport.connect(here)
    there.transport.connect(there)
    let (video, back) = (try here.publish(.video), try there.publish(.video))
    #expect(send(here, video, for: 1) { false } == false)
    isSlow.withLock { $0 = true }
    let sender = OSThread { [self] in _ = send(here, video, for: 0.5) { false } }
    visit.waitUntilInside()
    // The sink stands still on the network thread; the same leg sends from here at once, and so do many.
    let threads = (0..<4).map { _ in
      OSThread {
        for index in 0..<200 { there.send(RTPEnd.picture(300, isKey: true), FrameID(index), at: MediaTime.monotonic(), on: back) }
      }
    }
    for thread in threads { thread.join() }
    #expect(there.transport.stats.bytesSent >= 60_000)
    #expect(!visit.hasLeft)
    isSlow.withLock { $0 = false }
    visit.end()
    sender.join()
    room.close(here, there)
  }

  @Test func aHundredTransportsShareAThread() throws {
    func threads() -> Int {
      guard let directory = opendir("/proc/self/task") else { return 0 }
      defer { closedir(directory) }
      var count = 0
      while readdir(directory) != nil { count += 1 }
      return count - 2
    }
    let room = try RTPRoom()
    let first = try RTPWay().ends(room)
    _ = eventually { first.0.count("connected") == 1 }
    let before = threads()
    let pairs = try (0..<50).map { _ in try RTPWay().ends(room) }
    let streams = try pairs.map { try $0.0.publish(.video) }
    let isThere = eventually(60) {
      for (pair, stream) in zip(pairs, streams) { pair.0.send(RTPEnd.picture(300, isKey: true), 1, at: MediaTime.monotonic(), on: stream) }
      usleep(20_000)
      return pairs.allSatisfy { $0.1.video.units.entries.count > 3 }
    }
    #expect(isThere)
    #expect((room.clock as? SystemClock)?.threadCount == 2)
    // Other tests may run beside this one.
    #expect(threads() < before + 20)
    for (one, other) in pairs {
      one.transport.disconnect()
      other.transport.disconnect()
    }
    room.close(first.0, first.1)
  }
}
