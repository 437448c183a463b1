import MediaCore
import MediaRTP
import MediaSDP
import Testing

@testable import MediaWebRTC

/// Two sessions of RTP that follow what is negotiated.
@Suite struct NegotiatedSessionTests {
  private final class Sink: RTPSessionDelegate {
    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {}
    func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {}
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
    func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
    func session(did event: RTPSessionEvent) {}
  }

  @Test func aLivingSessionTakesWhatever() throws {
    for seed in 0..<40 {
      var random = SeededRandom(seed: UInt64(seed) &+ seedOffset)
      var ends = [SignalledEnd(1) { $0.video = JSEPSettings.carriedVideo }, SignalledEnd(2) { $0.video = [.vp9(100), .vp8(101)] }]
      let sink = Sink()
      let sessions = ends.indices.map { number in
        RTPSession(
          RTPSettings(cname: "\(number)", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: 0), seed: UInt64(number)), receiving: [:],
          now: 0)
      }
      for _ in 0..<20 {
        let place = Int.random(in: 0...1, using: &random)
        for _ in 0..<Int.random(in: 0...2, using: &random) { try change(&ends[place], &random) }
        guard ends[place].session.needsNegotiation else { continue }
        let offer = try ends[place].offer()
        if Int.random(in: 0..<5, using: &random) == 0 {
          // It is not answered, or the other end takes it back.
          if Bool.random(using: &random) { _ = try ends[1 - place].session.setRemote(.offer, offer) }
          if ends[1 - place].session.state == .haveRemoteOffer { _ = try ends[1 - place].session.setRemote(.rollback, "") }
          try ends[place].rollBack()
          continue
        }
        _ = try ends[place].session.setRemote(.answer, try ends[1 - place].answer(to: offer))
        try compare(ends[0], ends[1])
        for (end, session) in zip(ends, sessions) {
          try session.apply(try #require(end.session.negotiated).rtp, now: 0, sink)
        }
      }
    }
  }

  /// The session reads one id of each; the later one is not read, and nothing ends for it.
  @Test func anExtensionThatMovesToAnotherIdKeepsItsFirst() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    try a.negotiate(with: &b)
    let session = RTPSession(
      RTPSettings(cname: "b", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: 0), seed: 1), receiving: [:], now: 0)
    try session.apply(try #require(b.session.negotiated).rtp, now: 0, Sink())
    let id = try #require(b.session.negotiated?.rtp.extensions.absoluteSendTime)
    let uri = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    let moved = try a.offer().replacing(line: "a=extmap:\(id) ", by: "a=extmap:14 \(uri)")
    _ = try b.answer(to: moved)
    #expect(b.session.negotiated?.rtp.extensions.absoluteSendTime == id)
    try session.apply(try #require(b.session.negotiated).rtp, now: 0, Sink())
    // Offers of this end have that, too.
    #expect(try b.offer().contains("a=extmap:\(id) \(uri)"))
    try session.apply(b.session.anticipated, now: 0, Sink())
  }

  /// An offer that takes the place of one that was not answered: the other end may use either.
  @Test func offersThatFollowEachOtherKeepTheirExtensions() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try b.add(.video)
    // What the other end has named leaves audio and video other ids than are preferred.
    let foreign = try b.offer().replacing(line: "a=extmap:2 ", by: "a=extmap:2 urn:other")
    _ = try a.answer(to: foreign)
    let audio = try a.add(.audio)
    let session = RTPSession(
      RTPSettings(cname: "a", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: 0), seed: 1), receiving: [:], now: 0)
    _ = try a.offer()
    let first = a.session.anticipated
    try session.apply(first, now: 0, Sink())
    try a.session.stop(audio)
    try a.add(.video)
    _ = try a.offer()
    try session.apply(a.session.anticipated, now: 0, Sink())
    #expect(a.session.anticipated.extensions.transportSequence == first.extensions.transportSequence)
  }

  private func change(_ end: inout SignalledEnd, _ random: inout SeededRandom) throws {
    let directions = RTPMedia.Direction.allCases
    guard let chosen = end.session.transceivers.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0 else {
      try end.add(Bool.random(using: &random) ? .audio : .video, directions.randomElement(using: &random) ?? .inactive)
      return
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try end.session.stop(chosen.id)
    case 1: end.session.requestRestart()
    default: try end.session.setDirection(directions.randomElement(using: &random) ?? .inactive, of: chosen.id)
    }
  }

  /// What one sends the other takes, under the same numbers.
  private func compare(_ one: SignalledEnd, _ other: SignalledEnd) throws {
    #expect(one.media.map(\.mid) == other.media.map(\.mid) && one.media.map(\.kind) == other.media.map(\.kind))
    let (a, b) = (try #require(one.session.negotiated).rtp, try #require(other.session.negotiated).rtp)
    #expect(a.extensions == b.extensions && a.hasTransportFeedback == b.hasTransportFeedback)
    for (one, other) in zip(one.media, other.media) { #expect(one.direction == other.direction.reversed) }
    for (sender, receiver) in Array(zip(a.media, b.media)) + Array(zip(b.media, a.media)) {
      for stream in sender.sending where stream.isActive {
        #expect(receiver.receiving[stream.payloadType] == stream.encoding)
        #expect(receiver.sources.contains { $0.ssrc == stream.ssrc && $0.retransmission == stream.retransmission?.ssrc })
        if let again = stream.retransmission { #expect(receiver.receiving[again.payloadType] == .retransmission(of: stream.payloadType)) }
      }
      if receiver.receiving.isEmpty { #expect(!sender.sending.contains { $0.isActive }) }
    }
  }

  @Test func aStreamKeepsItsSourceThroughNegotiations() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    let video = try a.add(.video)
    try a.negotiate(with: &b)
    let source = try #require(a.media[0].sources.first?.ssrc)
    try a.session.setDirection(.receiveOnly, of: video)
    try a.negotiate(with: &b)
    #expect(a.media[0].sources.isEmpty && a.session.negotiated?.rtp.media[0].sending.map(\.isActive) == [false])
    try a.session.setDirection(.sendReceive, of: video)
    try a.negotiate(with: &b)
    #expect(a.media[0].sources.map(\.ssrc) == [source] && a.session.negotiated?.rtp.media[0].sending.map(\.isActive) == [true])
  }

  @Test func aSourceThatCollidesIsReplaced() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    try a.negotiate(with: &b)
    let source = try #require(a.media[0].sources.first?.ssrc)
    a.session.replaceSource(SSRC(source.rawValue &+ 1))
    #expect(!a.session.needsNegotiation)
    a.session.replaceSource(source)
    #expect(a.session.needsNegotiation)
    try a.negotiate(with: &b)
    #expect(a.media[0].sources.count == 1 && a.media[0].sources[0].ssrc != source)
    #expect(b.session.negotiated?.rtp.media[0].sources.map(\.ssrc) == a.media[0].sources.map(\.ssrc))
  }

  @Test func theOtherEndsLimitsAndTracksAreSaid() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2) { $0.audio = [JSEPSettings.opusWithPauses] })
    try a.add(.audio)
    let own = try b.add(.audio)
    try b.session.setBandwidth(64_000, of: own)
    try a.negotiate(with: &b)
    #expect(a.media[0].bandwidth == 64_000 && a.media[0].codec?.parameter("usedtx") == "1" && b.media[0].codec?.parameter("usedtx") == nil)
    #expect(a.media[0].tracks == [.init("stream", "audio0")] && b.media[0].tracks == [.init("stream", "audio0")])
  }
}
