import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import MediaSDP
import Testing

@testable import MediaSignalling
@testable import MediaTLS
@testable import MediaTransport
@testable import MediaWebRTC
@testable import MediaWebRTCTransport

@Suite struct JanusTransportTests {
  private let house = WebRTCHouse()
  private let server: EmulatedJanus
  private let host: EmulatedHost
  private let vp8 = Int32(MSDK_CODEC_VP8)
  private let opus = Int32(MSDK_CODEC_OPUS)

  init() throws {
    server = try EmulatedJanus(house, at: "10.0.8.1")
    host = try house.network.addHost("10.0.0.1")
  }

  private func end(_ scheme: String = "janus+https", token: String = "", options: String = "") throws -> JanusEnd {
    let url = "\(scheme)://10.0.8.1/janus?room=1234#fingerprint=\(server.web.certificate.fingerprint)\(options)"
    return try JanusEnd(url, token: token, on: host, house)
  }

  private func close(_ end: JanusEnd) throws {
    end.janus.disconnect()
    // The server may work on a description.
    try house.run(for: second)
    try house.close()
    #expect(server.errors.isEmpty, "\(server.errors)")
  }

  @Test(arguments: ["janus+https", "janus+wss"]) func whatIsPublishedReachesTheServer(scheme: String) throws {
    let a = try end(scheme, token: "pin=p")
    #expect(try house.run(for: 5 * second) { a.isHere }, "\(a.events) \(String(describing: a.ending)) \(server.said)")
    #expect(server.said == ["create", "attach", "join"] && server.bodies[0].member("pin")?.string == "p")
    #expect(server.bodies[0].member("display")?.string == "Anna")
    try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.count("receivers 1") == 1 }, "\(a.events) \(server.said)")
    let b = try #require(server.last?.publisher)
    // Video begins later, and ends again.
    let video = try a.publish(.video)
    #expect(try house.run(for: 5 * second) { a.count("receivers 1") == 2 }, "\(a.events) \(server.said)")
    #expect(server.said.filter { $0 == "publish" || $0 == "configure" } == ["publish", "configure"])
    #expect(server.bodies.last { $0.member("request")?.string == "configure" }?.member("descriptions")?.list.count == 2)
    try a.call(for: 2 * second, video: 1, audio: 0)
    #expect(b.received(vp8) > 50 && b.received(opus) > 90, "\(b.received(vp8)) \(b.received(opus))")
    a.janus.unpublish(video)
    #expect(try house.run(for: 5 * second) { server.said.count { $0 == "configure" } == 2 && b.has("removed") })
    try close(a)
    #expect(server.destroyed == 1 && server.sessions.isEmpty && server.web.connectionCount == 0)
  }

  /// The next keep-alive is waited for once, however many messages came.
  @Test func messagesLeaveNoTimersThere() throws {
    let a = try end("janus+wss")
    #expect(try house.run(for: 5 * second) { a.isHere })
    let before = try house.idleWork()
    for _ in 0..<1_000 {
      server.push(#"{"janus":"keepalive"}"#, try #require(server.last))
      try house.run(for: 20 * millisecond)
    }
    let after = try house.idleWork()
    #expect(a.isHere && before > 0 && after < 2 * before, "\(before) \(after)")
    try close(a)
  }

  @Test func aVideoGoesInLayersOfWhichTheLargestIsOfferedFirst() throws {
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.isHere })
    let video = a.janus.makeStreamID()
    let format = StreamFormat.video(VideoFormat(.i420, width: 640, height: 480, frameRate: FrameRate(30)), kind: 1)
    try a.janus.publish(video, codec: UInt32(vp8), format: format, layers: StreamLayers(count: 2))
    a.add(video)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") }, "\(a.events) \(server.said)")
    let b = try #require(server.last?.publisher)
    #expect(try b.transport.driver().look { $0.signalling.negotiated?.media.first?.receivedLayers } == ["h", "m"])
    for number in 0..<30 {
      for layer in 0..<2 { #expect(a.send(layer: layer, isKey: number == 0, size: 300 << layer) == .sent) }
      try house.run(for: 33 * millisecond)
    }
    #expect(b.received(vp8) == 60 && Set((b.bytes[UInt32(vp8)] ?? []).map(\.count)) == [300, 600])
    // Of both together.
    let figures = try #require(a.janus.look(sending: video)?.stream)
    #expect(figures.framesSent == 60 && figures.bytesSent >= 30 * 900 && figures.packetsSent >= 60)
    try close(a)
  }

  /// As a session that disconnects: its streams are withdrawn first.
  @Test(arguments: ["janus+https", "janus+wss"]) func whoLeavesNegotiatesNoMore(scheme: String) throws {
    let a = try end(scheme)
    #expect(try house.run(for: 5 * second) { a.isHere })
    let audio = try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    a.janus.prepareToDisconnect()
    a.janus.unpublish(audio)
    try house.run(for: second)
    #expect(server.said.last == "publish" || server.said.last == "trickle", "\(server.said)")
    try close(a)
    #expect(server.destroyed == 1 && server.web.connectionCount == 0)
  }

  /// Whose description the server works on in that moment: its connection is there until the answer.
  @Test(arguments: ["janus+https", "janus+wss"]) func whoLeavesWaitsForTheAnswer(scheme: String) throws {
    let a = try end(scheme)
    #expect(try house.run(for: 5 * second) { a.isHere })
    try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    let b = try #require(server.last?.publisher)
    try a.publish(.video)
    #expect(try house.run(for: second) { server.said.last == "configure" })
    a.janus.disconnect()
    try house.run(for: 10 * millisecond)
    #expect(server.destroyed == 0 && b.ending == nil, "\(server.said)")
    // The engine waits for that, but not where it may have to do it itself, as here.
    #expect(!ForeignCode.run { a.target.farewells.wait() })
    #expect(try house.run(for: second) { server.destroyed == 1 && server.sessions.isEmpty }, "\(server.said)")
    #expect(ForeignCode.run { a.target.farewells.wait() })
    try close(a)
    #expect(server.web.connectionCount == 0)
  }

  /// The server ends while it works on a description: nothing can be said to it, and the engine does not wait for that.
  @Test func whoLeavesAServerThatEndsWaitsForNothing() throws {
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.isHere })
    try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    try a.publish(.video)
    #expect(try house.run(for: second) { server.said.last == "configure" })
    a.janus.disconnect()
    server.web.stop()
    #expect(!ForeignCode.run { a.target.farewells.wait() })
    try house.run(for: JanusSession.farewell + second)
    #expect(ForeignCode.run { a.target.farewells.wait() })
    try close(a)
  }

  @Test(arguments: ["janus+https", "janus+wss"]) func whatTheProgramStartsToReceiveComes(scheme: String) throws {
    server.add(8, "Bob")
    let a = try end(scheme)
    #expect(try house.run(for: 5 * second) { a.added.count == 2 && server.last?.subscribed.count == 2 }, "\(a.events) \(server.said)")
    #expect(a.has("joined 8") && a.added.map(\.userID) == ["8", "8"])
    if case .video(_, let kind) = a.added[1].format { #expect(kind == VideoKind.screenShare.rawValue) } else { Issue.record("no video") }
    let session = try #require(server.last)
    let b = try #require(session.receiver)
    try house.run(for: second)
    // As the program asked for them, one after the other.
    let (audio, video) = (
      session.subscribed.firstIndex { $0.source.mid == "0" } ?? 0, session.subscribed.firstIndex { $0.source.mid == "1" } ?? 0
    )
    try b.call(for: 2 * second, video: video, audio: audio)
    #expect(a.received(vp8) > 50 && a.received(opus) > 90, "\(a.received(vp8)) \(a.received(opus)) \(b.events)")
    #expect(b.keysWanted > 0 || a.received(vp8) > 0)
    #expect(a.janus.stats.bytesReceived > 100_000)
    // What is not received any longer is not asked for any longer.
    a.janus.unsubscribe(from: a.added[1].id)
    #expect(try house.run(for: 2 * second) { session.subscribed.count == 1 }, "\(server.said)")
    let before = a.received(vp8)
    try b.call(for: second, video: nil, audio: audio)
    #expect(a.received(vp8) == before && a.received(opus) > 130)
    // And comes again.
    a.janus.subscribe(to: a.added[1].id, .encoded(a))
    #expect(try house.run(for: 2 * second) { session.subscribed.count == 2 && b.isConnected })
    try house.run(for: second)
    try b.call(for: second, video: 2, audio: audio)
    #expect(a.received(vp8) > before + 20, "\(a.received(vp8)) \(before)")
    // Somebody else comes; Bob leaves.
    server.add(9, "Cleo", hasVideo: false)
    #expect(try house.run(for: 2 * second) { session.subscribed.count == 3 })
    server.remove(8)
    #expect(try house.run(for: 2 * second) { a.has("left 8") && a.count("removed") == 2 })
    try close(a)
  }

  private final class Sink: EncodedSink, @unchecked Sendable {
    private(set) var count = 0
    func receive(_ frame: EncodedFrame, _ id: FrameID) { count += 1 }
  }

  @Test func framesReachTheirOwnStream() throws {
    server.add(8, "Bob", hasVideo: false)
    server.add(9, "Cleo", hasVideo: false)
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.added.count == 2 && server.last?.subscribed.count == 2 })
    let session = try #require(server.last)
    let b = try #require(session.receiver)
    try house.run(for: second)
    let sinks = [Sink(), Sink()]
    for (stream, sink) in zip(a.added, sinks) { a.janus.subscribe(to: stream.id, .encoded(sink)) }
    for (place, stream) in a.added.enumerated() {
      let before = sinks.map(\.count)
      let audio = try #require(session.subscribed.firstIndex { "\($0.source.feed)" == stream.userID })
      try b.call(for: second, video: nil, audio: audio)
      #expect(sinks[place].count > before[place] + 30 && sinks[1 - place].count <= before[1 - place] + 2, "\(sinks.map(\.count))")
    }
    try close(a)
  }

  @Test func speakersAndModerationReachTheProgram() throws {
    server.add(8, "Bob")
    let a = try end(token: "secret=s")
    #expect(try house.run(for: 5 * second) { a.added.count == 2 })
    let own = try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    let mid = try #require(a.janus.state.withLock { $0.session }?.publisher?.section(of: own))
    server.broadcast(#""videoroom":"talking","room":1234,"id":8,"mid":"0","audio-level-dBov-avg":30"#)
    server.broadcast(#""videoroom":"event","room":1234,"id":8,"mid":"0","moderation":"muted""#)
    server.broadcast(#""videoroom":"event","room":1234,"id":77,"mid":"\#(mid)","moderation":"muted""#)
    #expect(try house.run(for: second) { a.events.count { $0.hasPrefix("moderated") } == 1 }, "\(a.events)")
    #expect(a.events.contains { $0.hasPrefix("speaking") } && a.events.contains { $0.hasPrefix("streamMuted") }, "\(a.events)")
    try a.janus.mute("8", true)
    try a.janus.remove("8", reason: "")
    #expect(failure { try a.janus.remove("5", reason: "") }?.status == .notFound)
    #expect(failure { try a.janus.mute("me", true) }?.status == .invalid)
    #expect(try house.run(for: second) { server.said.contains("moderate") && server.said.contains("kick") })
    server.broadcast(#""videoroom":"event","room":1234,"leaving":"ok","reason":"kicked""#)
    #expect(try house.run(for: second) { a.ending != nil })
    #expect(a.ending?.status == .removed)
    try close(a)
  }

  /// The server ends a connection of WebRTC with a packet, which may overtake the event that says why.
  @Test(arguments: [true, false]) func removalIsUnderstoodAfterTheConnectionsEnd(isRemoved: Bool) throws {
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.isHere })
    try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    let session = try #require(server.last)
    session.publisher?.transport.disconnect()
    #expect(try house.run(for: second) { a.has("reconnecting") }, "\(a.events)")
    if isRemoved {
      server.broadcast(#""videoroom":"event","room":1234,"leaving":"ok","reason":"kicked""#)
      #expect(try house.run(for: second) { a.ending != nil })
      #expect(a.ending?.status == .removed, "\(a.events)")
    } else {
      // Nobody did: another session follows, which publishes what was published meanwhile, too.
      try a.publish(.video)
      #expect(try house.run(for: 6 * second) { a.has("reconnected") && a.count("receivers 1") == 3 }, "\(a.events)")
      #expect(a.ending == nil && server.last !== session)
    }
    try close(a)
  }

  /// By a moderator of the room, or by whoever publishes: a stream is muted while either is.
  @Test func muteReachesTheProgram() throws {
    server.add(8, "Bob", audio: #","description":"microphone""#)
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.added.count == 2 })
    let audio = try #require(a.added.first)
    func news() -> [Bool] {
      a.events.compactMap { event in
        [true, false].first { event == "\(TransportEvent.streamMuted(audio.id, $0))" }
      }
    }
    func change(_ audio: String) throws {
      server.add(8, "Bob", audio: audio)
      try house.run(for: second)
    }
    try change(#","description":"microphone (muted)""#)
    #expect(news() == [true])
    server.broadcast(#""videoroom":"event","room":1234,"id":8,"mid":"0","moderation":"muted""#)
    try change(#","description":"microphone","moderated":true"#)
    #expect(news() == [true])
    server.broadcast(#""videoroom":"event","room":1234,"id":8,"mid":"0","moderation":"unmuted""#)
    // Video is not muted for the program.
    server.broadcast(#""videoroom":"event","room":1234,"id":8,"mid":"1","moderation":"muted""#)
    try house.run(for: second)
    #expect(news() == [true, false] && a.events.count { $0.hasPrefix("streamMuted") } == 2, "\(a.events)")
    // It is the same stream, and another one is announced as it is.
    #expect(a.added.count == 2 && !a.has("removed"))
    server.add(9, "Cleo", audio: #","description":"microphone (muted)""#)
    #expect(try house.run(for: second) { a.added.count == 4 } && a.added.contains { $0.userID == "9" && $0.isMuted })
    try close(a)
  }

  /// Others read it in what is said of the stream; the next session at the server says it, too.
  @Test func ownMuteIsSaidToTheRoom() throws {
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.isHere })
    let audio = try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    func said() -> [String] {
      server.bodies.flatMap { $0.member("descriptions")?.list ?? [] }.compactMap { $0.member("description")?.string }
    }
    a.janus.setMuted(audio, true)
    #expect(try house.run(for: second) { said() == ["microphone", "microphone (muted)"] }, "\(said())")
    // A moderator's mute of the session's own audio is an event, and of its video none.
    let mid = try #require(a.janus.state.withLock { $0.session }?.publisher?.section(of: audio))
    server.broadcast(#""videoroom":"event","room":1234,"id":77,"mid":"\#(mid)","moderation":"muted""#)
    server.broadcast(#""videoroom":"event","room":1234,"id":77,"mid":"9","moderation":"muted""#)
    #expect(try house.run(for: second) { a.events.contains { $0.hasPrefix("moderated") } })
    try server.restart()
    #expect(try house.run(for: 60 * second) { said().count == 3 }, "\(server.said)")
    #expect(said().last == "microphone (muted)" && a.events.count { $0.hasPrefix("moderated") } == 1)
    try close(a)
  }

  @Test func aSmallPreferenceAsksForASmallLayer() throws {
    server.add(8, "Bob", isSimulcast: true)
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.added.count == 2 && server.last?.subscribed.count == 2 })
    let session = try #require(server.last)
    let b = try #require(session.receiver)
    let video = try #require(session.subscribed.firstIndex { $0.source.mid == "1" })
    try house.run(for: second)
    func layers() -> [Int] {
      server.bodies.flatMap { $0.member("streams")?.list ?? [] }.compactMap { $0.member("substream")?.whole(Int.self) }
    }
    // Frames of 320x240.
    try b.call(for: second, video: video)
    a.janus.prefer(VideoPreference(width: 160, height: 120, frameRate: FrameRate(15)), of: a.added[1].id)
    #expect(try house.run(for: second) { layers() == [1] }, "\(layers()) \(server.said)")
    a.janus.prefer(.any, of: a.added[1].id)
    #expect(try house.run(for: second) { layers() == [1, 2] }, "\(layers())")
    // Of a stream without layers nothing is asked.
    server.add(9, "Cleo")
    #expect(try house.run(for: 2 * second) { a.added.count == 4 && session.subscribed.count == 4 })
    a.janus.prefer(VideoPreference(width: 1, height: 1, frameRate: FrameRate(1)), of: a.added[3].id)
    try house.run(for: second)
    #expect(layers() == [1, 2])
    try close(a)
  }

  /// As the server asks the publisher for a key frame only once, which may be lost on the way.
  @Test func aLayerThatDoesNotComeIsUrgedByKeyFrames() throws {
    server.add(8, "Bob", isSimulcast: true)
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.added.count == 2 && server.last?.subscribed.count == 2 })
    let session = try #require(server.last)
    let b = try #require(session.receiver)
    let video = try #require(session.subscribed.firstIndex { $0.source.mid == "1" })
    let mid = try #require(b.transport.section(of: session.subscribed[video].stream))
    try house.run(for: second)
    try b.call(for: second, video: video)
    func relay(_ substream: Int) { server.tell(#""videoroom":"event","room":1234,"mid":"\#(mid)","substream":\#(substream)"#, session) }
    relay(2)
    try house.run(for: 5 * second)
    let before = b.keysWanted
    a.janus.prefer(VideoPreference(width: 160, height: 120), of: a.added[1].id)
    try house.run(for: 400 * millisecond)
    #expect(b.keysWanted == before)
    #expect(try house.run(for: 200 * millisecond) { b.keysWanted > before })
    // That key frame is of the layer before.
    try b.call(for: 500 * millisecond, video: video)
    #expect(b.keysWanted == 0)
    #expect(try house.run(for: second) { b.keysWanted > 0 })
    relay(1)
    try b.call(for: 500 * millisecond, video: video)
    try house.run(for: 10 * second)
    #expect(b.keysWanted == 0)
    try close(a)
  }

  // MARK: Trouble

  @Test(arguments: [(426, Status.notFound), (433, .permission)]) func whatIsRefusedForGoodEndsTheSession(code: Int, status: Status) throws {
    server.refuse["join"] = code
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.ending != nil })
    #expect(a.ending?.status == status && !a.has("connected"), "\(String(describing: a.ending))")
    try close(a)
  }

  /// A room that is full refuses the stream, not the session.
  @Test func aRefusedStreamFailsAlone() throws {
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.isHere })
    server.refuse["publish"] = 432
    try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.has("failed full") }, "\(a.events)")
    server.refuse = [:]
    try a.publish(.video)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") }, "\(a.events) \(server.said)")
    server.refuse["configure"] = 437
    try a.publish(.audio)
    #expect(try house.run(for: 5 * second) { a.has("failed format") }, "\(a.events)")
    // What was there goes on.
    let b = try #require(server.last?.publisher)
    try a.call(for: second, video: 1)
    #expect(b.received(vp8) > 20 && a.isHere)
    try close(a)
  }

  @Test(arguments: ["janus+https", "janus+wss"]) func aLostSessionIsReplaced(scheme: String) throws {
    server.add(8, "Bob")
    let a = try end(scheme)
    #expect(try house.run(for: 5 * second) { a.isHere && a.added.count == 2 })
    try a.publish(.video)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    try server.restart()
    #expect(try house.run(for: 60 * second) { a.has("reconnected") && a.count("receivers 1") == 2 && a.added.count == 4 }, "\(a.events)")
    #expect(a.count("removed") == 2 && a.has("left 8") && a.count("connected") == 1)
    let b = try #require(server.last?.publisher)
    try a.call(for: second)
    #expect(b.received(vp8) > 20)
    try close(a)
  }

  @Test func aServerThatIsNotThereIsTriedForAWhile() throws {
    server.web.stop()
    let a = try end()
    #expect(try house.run(for: 90 * second) { a.ending != nil })
    #expect(a.ending?.status != .notFound && a.count("connected") == 0)
    try close(a)
  }

  /// The machine's address changes: ICE is restarted by an offer of either end.
  @Test func anotherAddressBringsAnotherPath() throws {
    server.add(8, "Bob")
    let a = try end()
    #expect(try house.run(for: 5 * second) { a.isHere && server.last?.subscribed.count == 2 })
    try a.publish(.video)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    try house.run(for: 2 * second)
    try host.move(to: [try #require(SocketAddress("10.0.0.2", port: 0))])
    #expect(try house.run(for: 60 * second) { server.bodies.contains { $0.member("restart")?.isTrue == true } }, "\(server.said)")
    try house.run(for: 20 * second)
    // In the same session at the server.
    #expect(server.said.count { $0 == "create" } == 1 && !a.has("left 8"), "\(server.said)")
    let b = try #require(server.last?.publisher)
    let before = b.received(vp8)
    try a.call(for: second)
    #expect(b.received(vp8) > before + 20, "\(a.events) \(server.said)")
    try close(a)
  }

  /// Both connections are restarted when there is an address again, and not from loopback, which is always there.
  @Test(arguments: ["janus+https", "janus+wss"]) func anotherAddressAfterATimeWithoutOne(scheme: String) throws {
    server.add(8, "Bob")
    let a = try end(scheme)
    #expect(try house.run(for: 5 * second) { a.isHere && server.last?.subscribed.count == 2 })
    try a.publish(.video)
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") })
    try house.run(for: 2 * second)
    try host.move(to: [try #require(SocketAddress("127.0.0.1", port: 0))])
    host.setDisconnected(true)
    try house.run(for: 8 * second)
    #expect(a.has("reconnecting") && !server.bodies.contains { $0.member("restart")?.isTrue == true })
    host.setDisconnected(false)
    try host.move(to: [try #require(SocketAddress("10.0.0.2", port: 0))])
    #expect(try house.run(for: 30 * second) { a.has("reconnected") }, "\(a.events) \(server.said)")
    #expect(server.said.count { $0 == "create" } == 1 && !a.has("left 8"), "\(server.said)")
    let b = try #require(server.last?.publisher)
    let before = b.received(vp8)
    try a.call(for: second)
    #expect(b.received(vp8) > before + 20, "\(a.events) \(server.said)")
    let receiver = try #require(server.last?.receiver)
    let came = a.received(vp8)
    try receiver.call(for: 2 * second, video: 1, audio: 0)
    #expect(a.received(vp8) > came + 20, "\(a.events) \(server.said)")
    try close(a)
  }
}
