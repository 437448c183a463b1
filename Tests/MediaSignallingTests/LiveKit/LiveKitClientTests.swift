import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct LiveKitClientTests {
  private let second: Int64 = 1_000_000_000
  private let client = LiveKitClient(now: 0)

  private func say(_ response: LiveKitResponse, now: Int64 = 0) { client.receive(response.encoded, now: now) }

  private func said() throws -> [LiveKitRequest] {
    var list: [LiveKitRequest] = []
    while let bytes = client.takeOutput() { list.append(try LiveKitRequest(reading: bytes)) }
    return list
  }

  private func events() -> [LiveKitClient.Event] {
    var list: [LiveKitClient.Event] = []
    while let event = client.takeEvent() { list.append(event) }
    return list
  }

  private func failure() -> SignallingFailure? {
    for case .failed(let failure) in events() { return failure }
    return nil
  }

  private func person(_ identity: String, sid: String? = nil, tracks: [String] = []) -> LiveKitParticipant {
    var one = LiveKitParticipant()
    (one.identity, one.sid, one.name, one.state) = (identity, sid ?? "PA_\(identity)", identity.uppercased(), .active)
    one.tracks = tracks.map { LiveKitTrack(sid: $0, isVideo: true, isScreen: false, width: 320, height: 240).info }
    return one
  }

  private func update(_ people: LiveKitParticipant...) {
    var update = LiveKitParticipants()
    update.participants = people
    say(.participants(update))
  }

  private func join(_ others: [LiveKitParticipant] = [], permission: LiveKitPermission? = nil) {
    var join = LiveKitJoin()
    var own = person("anna")
    own.permission = permission
    (join.participant, join.others, join.pingInterval, join.pingTimeout) = (own, others, 10, 20)
    var server = LiveKitICEServer()
    (server.urls, server.username, server.credential) = (["turn:10.0.0.1:3478", "nonsense"], "u", "p")
    join.iceServers = [server]
    say(.join(join))
  }

  @Test func theServerSaysWhoIsThere() throws {
    join([person("bob", tracks: ["TR_1"])])
    let came = events()
    guard case .joined(let identity, let access, let servers)? = came.first else { throw MediaError(.fail, "\(came)") }
    #expect(identity == "anna" && access.sources.count == 4 && access.subscribes && servers.map(\.host) == ["10.0.0.1"])
    guard case .participant(let bob) = came[1] else { throw MediaError(.fail, "\(came)") }
    #expect(bob.identity == "bob" && bob.name == "BOB" && bob.tracks.map(\.codec) == ["vp8"] && bob.tracks[0].size == (320, 240))
    // The same is no news; somebody else of that identity is.
    update(person("bob", tracks: ["TR_1"]))
    #expect(events().isEmpty)
    update(person("bob", sid: "PA_2"))
    #expect(events().count == 2)
    var gone = person("bob")
    gone.state = .disconnected
    update(gone)
    #expect(events().isEmpty)
    gone.sid = "PA_2"
    update(gone)
    #expect(events() == [.left(identity: "bob")])
  }

  @Test func whatIsAnnouncedIsPublishedAndMuted() throws {
    join()
    _ = events()
    client.announce("c1", isScreen: false, layers: [(640, 480)], now: 0)
    client.announce("c2", isScreen: false, layers: [], isMuted: true, now: 0)
    let asked = try said()
    guard case .addTrack(let video) = asked[0], case .addTrack(let audio) = asked[1] else { throw MediaError(.fail, "\(asked)") }
    #expect(video.cid == "c1" && video.source == .camera && video.width == 640 && audio.source == .microphone && audio.isMuted)
    client.setMuted("c2", false)
    #expect(try said().isEmpty)
    for (cid, sid) in [("c1", "TR_1"), ("c2", "TR_2"), ("c3", "TR_3")] {
      var published = LiveKitTrackPublished()
      (published.cid, published.track) = (cid, LiveKitTrack(sid: sid, isVideo: cid == "c1", isScreen: false, isMuted: cid == "c2").info)
      say(.published(published))
    }
    #expect(events() == [.published(cid: "c1", carriesMetadata: false), .published(cid: "c2", carriesMetadata: false)])
    // What has changed meanwhile is said.
    guard case .mute(let mute)? = try said().first else { throw MediaError(.fail, "no mute") }
    #expect(mute.sid == "TR_2" && !mute.isMuted)
    say(.mute(LiveKitMute(sid: "TR_2", isMuted: true)))
    say(.mute(LiveKitMute(sid: "TR_2", isMuted: true)))
    say(.mute(LiveKitMute(sid: "TR_2", isMuted: false, moderator: "bo\nb")))
    #expect(events() == [.moderated(cid: "c2", isMuted: true, by: ""), .moderated(cid: "c2", isMuted: false, by: "bob")])
    say(.unpublished(LiveKitTrackID(sid: "TR_1")))
    guard case .refused("c1", _)? = events().first else { throw MediaError(.fail, "it goes on") }
  }

  @Test func anOfferIsToBeAnswered() {
    join()
    client.offer("an offer", now: 0)
    say(.answer(LiveKitDescription(type: "answer", sdp: "an answer")), now: 14 * second)
    #expect(client.poll(now: 16 * second) == 26 * second && failure() == nil)
    client.offer("another offer", now: 16 * second)
    #expect(client.poll(now: 30 * second) == 31 * second && failure() == nil)
    #expect(client.poll(now: 31 * second) == nil)
    let end = failure()
    #expect(end?.error.status == .timeout && end?.isFinal == false)
  }

  /// Trailers are sent where the server says that it knows of them.
  @Test func metadataIsAnnounced() throws {
    #expect(client.target.contains("&capabilities=CAP_PACKET_TRAILER"))
    join()
    _ = events()
    client.announce("c1", isScreen: false, layers: [(640, 480)], carriesMetadata: true, now: 0)
    client.announce("c2", isScreen: false, layers: [(640, 480)], carriesMetadata: true, now: 0)
    client.announce("c3", isScreen: false, layers: [], carriesMetadata: true, now: 0)
    let tracks = try said().compactMap { if case .addTrack(let track) = $0 { track } else { nil } }
    #expect(tracks.map(\.trailers) == [[.userTimestamp, .frameID, .userData], [.userTimestamp, .frameID, .userData], []])
    for (cid, knows) in [("c1", true), ("c2", false)] {
      var (published, track) = (LiveKitTrackPublished(), LiveKitTrack(sid: "TR_\(cid)", isVideo: true, isScreen: false))
      track.carriesMetadata = knows
      (published.cid, published.track) = (cid, track.info)
      say(.published(published))
    }
    #expect(events() == [.published(cid: "c1", carriesMetadata: true), .published(cid: "c2", carriesMetadata: false)])
  }

  @Test func layersAreAnnouncedAndWanted() throws {
    join()
    _ = events()
    client.announce("c1", isScreen: false, layers: [(320, 180), (640, 360), (1_280, 720)], now: 0)
    client.announce("c2", isScreen: false, layers: [(320, 180), (640, 360)], now: 0)
    client.announce("c3", isScreen: true, layers: [(1_280, 720)], now: 0)
    let tracks = try said().compactMap { if case .addTrack(let track) = $0 { track } else { nil } }
    #expect(tracks.map(\.width) == [1_280, 640, 1_280] && tracks.map(\.height) == [720, 360, 720])
    #expect(tracks.map { $0.layers.map(\.quality) } == [[.low, .medium, .high], [.low, .medium], [.high]])
    #expect(tracks.map { $0.layers.map(\.rid) } == [["q", "h", "f"], ["q", "h"], [""]])
    #expect(tracks[0].layers.map(\.spatialLayer) == [0, 1, 2] && tracks[0].layers.map(\.width) == [320, 640, 1_280])
    for (cid, sid) in [("c1", "TR_1"), ("c2", "TR_2"), ("c3", "TR_3")] {
      var published = LiveKitTrackPublished()
      (published.cid, published.track) = (cid, LiveKitTrack(sid: sid, isVideo: true, isScreen: cid == "c3", isMuted: false).info)
      say(.published(published))
    }
    _ = events()
    func wanted(_ sid: String, _ qualities: [LiveKitQuality: Bool], _ codec: String = "") -> [LiveKitClient.Event] {
      var update = LiveKitSubscribedQualities()
      update.track = sid
      let all = qualities.map { LiveKitSubscribedQuality(quality: $0.key, isWanted: $0.value) }
      if codec.isEmpty { update.qualities = all } else { update.codecs = [LiveKitSubscribedCodec(codec: codec, qualities: all)] }
      say(.subscribedQualities(update))
      return events()
    }
    #expect(wanted("TR_1", [.low: true, .medium: false, .high: false]) == [.wanted(cid: "c1", [true, false, false])])
    #expect(wanted("TR_1", [.medium: false], "vp8") == [.wanted(cid: "c1", [true, false, true])])
    #expect(wanted("TR_1", [.low: false, .medium: false, .high: false], "av1") == [.wanted(cid: "c1", [true, true, true])])
    #expect(wanted("TR_2", [.low: false, .medium: true, .high: true]) == [.wanted(cid: "c2", [false, true])])
    #expect(wanted("TR_3", [.low: false, .medium: false, .high: false]) == [.wanted(cid: "c3", [false])])
    #expect(wanted("TR_3", [.low: true, .medium: false, .high: false]) == [.wanted(cid: "c3", [true])])
    #expect(wanted("TR_9", [.low: true]).isEmpty)
  }

  @Test func whatIsNotPermittedIsRefused() throws {
    var permission = LiveKitPermission()
    (permission.canSubscribe, permission.canPublish, permission.sources) = (true, true, [.camera])
    join(permission: permission)
    _ = events()
    client.announce("c1", isScreen: true, layers: [(0, 0)], now: 0)
    guard case .refused("c1", let error)? = events().first else { throw MediaError(.fail, "it is taken") }
    #expect(error.status == .permission && error.text.hasSuffix("screen_share"))
    #expect(throws: MediaError.self) { try client.setAttribute("a", "b") }
    client.announce("c2", isScreen: false, layers: [(0, 0)], now: 0)
    #expect(client.poll(now: 0) == LiveKitClient.patience && events().isEmpty)
    _ = client.poll(now: LiveKitClient.patience)
    guard case .refused("c2", let late)? = events().first else { throw MediaError(.fail, "it is waited for") }
    #expect(late.status == .timeout)
    permission.canSubscribe = false
    var own = person("anna")
    own.permission = permission
    update(own)
    guard case .permitted(let access)? = events().first else { throw MediaError(.fail, "no change") }
    #expect(!access.subscribes && access.sources == ["camera"])
  }

  @Test func aServerThatSaysNothingIsLeft() throws {
    #expect(client.poll(now: 0) == LiveKitClient.entryPatience)
    _ = client.poll(now: LiveKitClient.entryPatience)
    #expect(failure()?.error.status == .timeout && client.poll(now: .max) == nil)
  }

  @Test func pingsAreAnsweredOrTheSessionEnds() throws {
    join()
    _ = events()
    #expect(client.poll(now: 0) == 10 * second)
    #expect(client.poll(now: 10 * second) == 20 * second)
    guard case .ping(let ping)? = try said().first else { throw MediaError(.fail, "no ping") }
    #expect(ping.timestamp == 10_000)
    say(.pong(LiveKitPong()), now: 11 * second)
    _ = client.poll(now: 40 * second)
    #expect(failure() == nil)
    _ = client.poll(now: 41 * second)
    #expect(failure()?.error.status == .timeout)
  }

  @Test(arguments: [
    (LiveKitDisconnectReason.participantRemoved, LiveKitLeaveAction.disconnect, Status.removed, true),
    (.duplicateIdentity, .disconnect, .exists, true), (.roomDeleted, .disconnect, .closed, true),
    (.serverShutdown, .reconnect, .closed, false),
    (.stateMismatch, .reconnect, .closed, false), (.unknown, .disconnect, .closed, true)
  ]) func theServerSaysWhyItEnds(reason: LiveKitDisconnectReason, action: LiveKitLeaveAction, status: Status, isFinal: Bool) throws {
    join()
    var leave = LiveKitLeave()
    (leave.reason, leave.action) = (reason, action)
    say(.leave(leave))
    let failure = try #require(self.failure())
    #expect(failure.error.status == status && failure.isFinal == isFinal)
    // Nothing follows.
    update(person("bob"))
    #expect(events().isEmpty && client.poll(now: 0) == nil)
  }

  @Test func aLostConnectionIsReplacedByAnother() throws {
    join([person("bob", tracks: ["TR_1", "TR_2"]), person("cleo", tracks: ["TR_3"])])
    for cid in ["a", "b"] { client.announce(cid, isScreen: false, layers: [(0, 0)], now: 0) }
    var published = LiveKitTrackPublished()
    (published.cid, published.track) = ("a", LiveKitTrack(sid: "TR_a", isVideo: true, isScreen: false).info)
    say(.published(published))
    for (sid, isWanted) in [("TR_1", true), ("TR_2", false), ("TR_3", true)] { client.want(sid, isWanted) }
    client.prefer("TR_1", width: 320, height: 180, rate: 0, priority: 0)
    _ = (try said(), events())
    #expect(client.resumeTarget == nil)
    let failure = SignallingFailure(MediaError(.io, "gone"), isFinal: false)
    #expect(client.interrupt(failure, now: second))
    #expect(client.resumeTarget?.hasSuffix("&reconnect=1&sid=PA_anna") == true)
    // What is wanted meanwhile is said afterwards.
    client.setMuted("a", true)
    client.want("TR_2", true)
    client.offer("an offer", now: 0)
    #expect(try said().isEmpty && events().isEmpty)
    // The next connection may be lost, too.
    #expect(client.interrupt(failure, now: 2 * second) && client.poll(now: 3 * second) == 16 * second)
    say(.reconnect(LiveKitReconnect()), now: 4 * second)
    #expect(events() == [.resumed(servers: [])] && client.resumeTarget == nil)
    let words = try said()
    #expect(words.first == .mute(LiveKitMute(sid: "TR_a", isMuted: true)) && words.count == 4)
    guard case .addTrack(let again) = words[1], case .trackSettings(let settings) = words[3] else { throw MediaError(.fail, "\(words)") }
    #expect(again.cid == "b" && settings.tracks == ["TR_1"] && settings.width == 320)
    #expect(words[2] == .subscription(LiveKitSubscription(tracks: ["TR_1", "TR_2", "TR_3"], isWanted: true)))
    // Of the first message about participants, who is not in it has left; of the next that means nothing.
    update(person("anna"), person("bob", tracks: ["TR_1", "TR_2"]))
    #expect(events() == [.left(identity: "cleo")])
    update(person("dora"))
    #expect(events().count == 1)
    #expect(client.poll(now: 13 * second) == 14 * second)
  }

  @Test func aSessionThatDoesNotGoOnFails() throws {
    let failure = SignallingFailure(MediaError(.io, "gone"), isFinal: false)
    // Not joined.
    #expect(!client.interrupt(failure, now: 0) && self.failure()?.error.text == "gone")
    for number in 0..<4 {
      let client = LiveKitClient(now: 0)
      func say(_ response: LiveKitResponse) { client.receive(response.encoded, now: second) }
      var join = LiveKitJoin()
      join.participant = person("anna", sid: number == 3 ? "PA anna" : nil)
      say(.join(join))
      let isFinal = number == 0
      #expect(client.interrupt(SignallingFailure(MediaError(.io, "gone"), isFinal: isFinal), now: 0) == (number == 1 || number == 2))
      if number == 1 { say(.join(join)) }
      if number == 2 { #expect(client.poll(now: 15 * second) == nil) }
      var last: SignallingFailure?
      while let event = client.takeEvent() { if case .failed(let failure) = event { last = failure } }
      #expect(last?.isFinal == isFinal && last?.error.status == [.io, .closed, .timeout, .io][number], "\(number)")
    }
  }

  @Test func offersNameTheirTracks() throws {
    join()
    _ = events()
    let sdp = "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:2\r\na=sendonly\r\na=msid:PA_1|TR_1 TR_1\r\n"
    say(.offer(LiveKitDescription(type: "offer", sdp: sdp)))
    #expect(events() == [.offer(sdp, tracks: ["2": "TR_1"])])
    client.add(candidate: "candidate:1", mid: "2", isSubscribing: true)
    client.want("TR_1", true)
    client.prefer("TR_1", width: 320, height: 180, rate: 15, priority: 1)
    client.leave()
    let list = try said()
    guard case .trickle(let trickle) = list[0], case .subscription(let wanted) = list[1], case .trackSettings(let settings) = list[2],
      case .leave = list[3]
    else { throw MediaError(.fail, "\(list)") }
    #expect(trickle.target == .subscriber && trickle.candidate.has("candidate:1") && wanted.tracks == ["TR_1"] && wanted.isWanted)
    #expect(settings.width == 320 && settings.rate == 15 && settings.priority == 1)
  }

  @Test func whatCannotBeReadEndsTheSession() throws {
    join()
    client.receive([0xFF, 0xFF, 0xFF], now: 0)
    #expect(failure()?.error.status == .corrupt)
  }

  @Test func participantsAreBounded() throws {
    join()
    for number in 0..<LiveKitClient.mostParticipants + 10 { update(person("p\(number)")) }
    #expect(events().count == LiveKitClient.mostParticipants + 1)
    update(person("", sid: "PA_x"), person(String(repeating: "a", count: 256)))
    #expect(events().isEmpty)
  }

  @Test func whatIsKeptOfOthersIsBounded() throws {
    join()
    _ = events()
    var one = person("bob", tracks: ["TR_1", String(repeating: "a", count: 65)])
    for number in 0..<100 { one.attributes["key \(number)"] = "value" }
    one.attributes[String(repeating: "k", count: 64)] = "a"
    one.attributes["a"] = String(repeating: "v", count: 1_024)
    one.tracks[0].name = String(repeating: "n", count: 10_000)
    update(one)
    guard case .participant(let bob)? = events().first else { throw MediaError(.fail, "nobody") }
    #expect(bob.attributes.count == 64 && bob.attributes["a"] == nil && bob.attributes["key 0"] == "value")
    #expect(bob.tracks.map(\.sid) == ["TR_1"] && bob.tracks[0].info.name.isEmpty && bob.tracks[0].codec == "vp8")
    one.tracks = (0...256).map { LiveKitTrack(sid: "TR_\($0)", isVideo: true, isScreen: false).info }
    update(one)
    #expect(events().isEmpty)
  }

  @Test(arguments: [(401, Status.permission, true), (404, .notFound, true), (429, .full, false), (503, .io, false), (400, .invalid, true)])
  func anAnswerOfHTTPSaysWhatIsWrong(code: Int, status: Status, isFinal: Bool) {
    let failure = LiveKitClient.failure(HTTPResponse(code, body: Array("because\u{7}".utf8)), of: "https://a")
    #expect(failure.error.status == status && failure.isFinal == isFinal && failure.error.text.hasSuffix("(it says: because)"))
  }
}
