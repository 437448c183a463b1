import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaTransport

/// Lets in whoever shows the right token, a while after he asked.
private final class TokenVerifier: AccessVerifier {
  func verify(_ request: AccessRequest) {
    guard request.token.value == "right" || request.token.value == "moderator" else {
      return request.answer(.failure(.refused(request, "the token is wrong")))
    }
    request.answer(.success(AccessGrant(request.token.value == "moderator" ? .all : .ordinary)))
  }

  func cancel(_ request: AccessRequest) {}
  func close() {}
}

/// Answers after a while that is longer than a connection may be silent for.
private final class SlowVerifier: AccessVerifier {
  /// Of the room.
  let loop = Monitor<EventLoop?>(nil)

  func verify(_ request: AccessRequest) {
    guard let loop = loop.withLock({ $0 }) else { return }
    loop.schedule(at: loop.clock.now() + 16_000_000_000) { request.answer(.success(AccessGrant(.ordinary))) }
  }

  func cancel(_ request: AccessRequest) {}
  func close() {}
}

/// A room of this process, with members from elsewhere.
@Suite(.serialized) struct HubServerTests {
  private static let vp8 = Int(MSDK_CODEC_VP8)
  private static let opus = Int(MSDK_CODEC_OPUS)

  @Test(arguments: ["127.0.0.1", "::1"]) func threeMembersMeet(host: String) throws {
    let house = try HubHouse("meeting at \(host)", hosts: [host])
    let anna = house.local("anna")
    #expect(anna.sees("connected"))
    let bert = try house.remote("bert")
    #expect(bert.sees("connected") && bert.sees("joined anna") && anna.sees("joined bert"))
    let carl = try house.remote("carl", url: house.url(suite: "AES_CM_128_HMAC_SHA1_80"))
    #expect(carl.sees("joined anna") && carl.sees("joined bert") && anna.sees("joined carl") && bert.sees("joined carl"))
    let known = try #require(carl.seen.withLock { $0.members.first { $0.userID == "bert" } })
    #expect((known.displayName, known.permissions, known.decodes) == ("BERT", .ordinary, [UInt32(MSDK_CODEC_VP8)]))
    #expect(carl.events.first == "connected")
    #expect(house.hub?.memberCount == 2)
    carl.transport.disconnect()
    #expect(anna.sees("left carl") && bert.sees("left carl"))
    anna.transport.disconnect()
    #expect(bert.sees("left anna"))
    house.close()
  }

  /// Of whichever side, to both others, byte for byte and in order.
  @Test(arguments: [("127.0.0.1", "anna"), ("127.0.0.1", "bert"), ("::1", "bert")], [HubHouse.Surroundings.emulated, .kernel])
  func picturesAndSoundPassAsTheyAre(case: (host: String, name: String), surroundings: HubHouse.Surroundings) throws {
    let (host, name) = `case`
    let house = try HubHouse("media of \(name) at \(host) \(surroundings)", hosts: [host], in: surroundings)
    let members = ["anna": house.local("anna"), "bert": try house.remote("bert"), "carl": try house.remote("carl")]
    for member in members.values { #expect(member.wait { $0.members.count == 2 }) }
    let sender = try #require(members[name])
    let (video, sound) = (try sender.publishVideo(), try sender.publishSound())
    let receivers = members.filter { $0.key != name }.map(\.value)
    for receiver in receivers {
      receiver.transport.subscribe(to: try receiver.stream(ofCodec: Self.vp8).id, receiver)
      receiver.transport.subscribe(to: try receiver.stream(ofCodec: Self.opus).id, receiver)
    }
    #expect(sender.sees("receivers 2", times: 2) && sender.sees("key frame"))
    // The way to a member is open once something came of him.
    var sent: [[UInt8]] = []
    for number in 0..<100 {
      let picture = HubMedium.picture(key: number % 10 == 0, number * 37, seed: UInt64(number))
      let packet = HubMedium.sound(80, seed: UInt64(number))
      #expect(try sender.send(picture, FrameID(number + 1), on: video) == .sent)
      #expect(try sender.send(packet, FrameID(number + 1), on: sound) == .sent)
      sent += [picture, packet]
      house.run(milliseconds: 5)
    }
    for receiver in receivers {
      #expect(
        receiver.wait { $0.units.last { $0[0] != HubMedium.toc } == sent[198] && $0.units.last { $0[0] == HubMedium.toc } == sent[199] })
      let units = receiver.seen.withLock { $0.units }
      for isSound in [false, true] {
        let got = units.filter { ($0[0] == HubMedium.toc) == isSound }
        let all = sent.filter { ($0[0] == HubMedium.toc) == isSound }
        // Before the way was open some may have gone nowhere; from then on nothing is missing, doubled or changed.
        #expect(got.count >= 50, "\(got.count) of 100")
        #expect(got == Array(all.suffix(got.count)))
      }
    }
    for receiver in receivers { #expect(receiver.transport.stats.bytesReceived > 0) }
    sender.transport.unpublish(video)
    for receiver in receivers { #expect(receiver.sees("removed")) }
    house.close()
  }

  /// A member whose way carries less than is sent: he hears everything, and sees only what can be decoded.
  @Test func aNarrowWayCarriesSoundFirst() throws {
    let house = try HubHouse { $0.bitrates = .init(minimum: 50_000, start: 100_000, maximum: 100_000) }
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    #expect(bert.sees("joined anna"))
    let (video, sound) = (try anna.publishVideo(), try anna.publishSound())
    for codec in [Self.vp8, Self.opus] { bert.transport.subscribe(to: try bert.stream(ofCodec: codec).id, bert) }
    #expect(anna.sees("receivers 1", times: 2))
    var (pictures, sounds): ([[UInt8]], [[UInt8]]) = ([], [])
    var answered = 0
    // A megabit a second, or on a slow machine still more than the way carries.
    for number in 0..<200 {
      let asked = anna.events.filter { $0 == "key frame" }.count
      pictures.append(HubMedium.picture(key: number == 0 || asked > answered, 2500, seed: UInt64(number)))
      answered = asked
      sounds.append(HubMedium.sound(60, seed: UInt64(number)))
      _ = try anna.send(pictures[number], FrameID(number + 1), on: video)
      _ = try anna.send(sounds[number], FrameID(number + 1), on: sound)
      house.run(milliseconds: 20)
    }
    #expect(bert.wait { $0.units.last { $0[0] == HubMedium.toc } == sounds.last })
    let units = bert.seen.withLock { $0.units }
    let heard = units.filter { $0[0] == HubMedium.toc }
    #expect(heard.count > 180)
    #expect(heard == Array(sounds.suffix(heard.count)))
    let seen = units.filter { $0[0] != HubMedium.toc }.compactMap { pictures.firstIndex(of: $0) }
    #expect(seen.count > 5 && seen.count < 150, "\(seen.count) of 200")
    for (former, number) in zip([-1] + seen, seen) { #expect(pictures[number][0] & 1 == 0 || number == former + 1) }
    // Two at the beginning, then one in two seconds at most, and those that its machine asks for itself.
    #expect(answered <= 8, "\(answered) were asked for")
    house.close()
  }

  @Test func rawStreamsStayInTheProcess() throws {
    let house = try HubHouse()
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    #expect(bert.sees("joined anna"))
    let raw = anna.transport.makeStreamID()
    try anna.transport.publish(raw, codec: FourCC.raw, format: .video(VideoFormat(.i420, width: 64, height: 48), kind: 1))
    anna.transport.setMuted(raw, true)
    anna.transport.setSpeaking(raw, true, level: 3)
    _ = try anna.publishSound()
    let error = failure {
      try bert.transport.publish(
        bert.transport.makeStreamID(), codec: FourCC.raw, format: .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: 1))
    }
    #expect(error?.status == .unsupported && error?.text.contains("is raw") == true)
    _ = try bert.stream(ofCodec: Self.opus)
    #expect(bert.events == ["connected", "joined anna", "added by anna"])
    house.close()
  }

  @Test func whatTheRoomKnowsOfStreamsIsKnownElsewhere() throws {
    let house = try HubHouse()
    let (anna, bert, carl) = (house.local("anna"), try house.remote("bert"), try house.remote("carl"))
    for member in [anna, bert, carl] { #expect(member.wait { $0.members.count == 2 }) }
    let (screen, sound) = (try bert.publishVideo(kind: 2), try bert.publishSound(kind: 2))
    for member in [anna, carl] {
      let video = try member.stream(ofCodec: Self.vp8)
      guard case .video(let format, let kind) = video.format else { throw MediaError(.format, "no video") }
      #expect((video.userID, kind, format.width, format.frameRate) == ("bert", 2, 64, FrameRate(30)))
      guard case .audio(_, let other) = try member.stream(ofCodec: Self.opus).format else { throw MediaError(.format, "no sound") }
      #expect(other == 2)
    }
    bert.transport.setMuted(sound, true)
    bert.transport.setSpeaking(sound, true, level: 40)
    bert.transport.setSpeaking(sound, false, level: 127)
    bert.transport.setMuted(sound, false)
    for member in [anna, carl] {
      #expect(member.sees("unmuted"))
      #expect(Array(member.events.suffix(4)) == ["muted", "bert speaks at 40", "bert is silent at 127", "unmuted"])
    }
    // A newcomer is told how it is now.
    bert.transport.setMuted(sound, true)
    bert.transport.setSpeaking(sound, true, level: 9)
    bert.transport.setFormat(screen, .video(VideoFormat(.i420, width: 32, height: 24), kind: 2))
    #expect(anna.sees("bert speaks at 9"))
    let dora = try house.remote("dora")
    #expect(try dora.stream(ofCodec: Self.opus).isMuted)
    #expect(dora.sees("bert speaks at 9"))
    bert.transport.disconnect()
    #expect(carl.sees("left bert") && carl.sees("removed", times: 2))
    house.close()
  }

  @Test func keyFramesAreAskedForWhereTheyAreMade() throws {
    let house = try HubHouse()
    let (anna, bert, carl) = (house.local("anna"), try house.remote("bert"), try house.remote("carl"))
    for member in [anna, bert, carl] { #expect(member.wait { $0.members.count == 2 }) }
    for publisher in [anna, bert] {
      let id = try publisher.publishVideo()
      let stream = try carl.stream(ofCodec: Self.vp8).id
      carl.transport.subscribe(to: stream, carl)
      #expect(publisher.sees("receivers 1") && publisher.sees("key frame"))
      let before = publisher.events.filter { $0 == "key frame" }.count
      carl.transport.requestKeyFrame(of: stream)
      #expect(publisher.sees("key frame", times: before + 1))
      carl.transport.unsubscribe(from: stream)
      #expect(publisher.sees("receivers 0"))
      #expect(try publisher.send(HubMedium.picture(key: true, 10, seed: 1), 1, on: id) == .noReceiver)
      publisher.transport.unpublish(id)
      #expect(carl.wait { $0.streams.isEmpty })
    }
    house.close()
  }

  @Test func theRoomDecidesWhoComesIn() throws {
    var access = RoomAccess()
    access.verifier = TokenVerifier()
    access.capacity = 3
    let house = try HubHouse(access: access)
    let anna = house.local("anna", token: "right")
    #expect(anna.sees("connected"))
    let stranger = try house.remote("bert", token: "wrong")
    #expect(stranger.sees("disconnected permission"))
    #expect(stranger.seen.withLock { $0.errors.first?.text.contains("does not admit \"bert\": the token is wrong") } == true)
    let bert = try house.remote("bert", token: "right")
    #expect(bert.sees("connected"))
    #expect(bert.seen.withLock { $0.permissions } == .ordinary)
    let double = try house.remote("anna", token: "right")
    #expect(double.sees("disconnected exists"))
    let carl = try house.remote("carl", token: "moderator")
    #expect(carl.sees("connected"))
    #expect(carl.seen.withLock { $0.permissions } == .all)
    let dora = try house.remote("dora", token: "right")
    #expect(dora.sees("disconnected full"))
    let lost = try house.remote("emil", token: "right", url: house.url(room: "another"))
    #expect(lost.sees("disconnected notFound"))
    let other = String(repeating: "AB", count: 32)
    let careful = try house.remote("fred", token: "right", url: house.url(fingerprint: other))
    #expect(careful.sees("disconnected untrusted"))
    #expect(careful.seen.withLock { $0.errors.first?.text.contains("expected: AB:AB:") } == true)
    house.close()
  }

  @Test func moderatorsActFromAnywhere() throws {
    var access = RoomAccess()
    access.verifier = TokenVerifier()
    let house = try HubHouse(access: access)
    let (anna, bert) = (house.local("anna", token: "right"), try house.remote("bert", token: "moderator"))
    let carl = try house.remote("carl", token: "right")
    for member in [anna, bert, carl] { #expect(member.wait { $0.members.count == 2 }) }
    #expect(failure { try carl.transport.mute("anna", true) }?.status == .permission)
    #expect(failure { try bert.transport.mute("bert", true) }?.status == .invalid)
    #expect(failure { try bert.transport.remove("zoe", reason: "") }?.status == .notFound)
    try bert.transport.mute("carl", true)
    #expect(carl.sees("muted by bert: "))
    try bert.transport.mute("anna", false)
    #expect(anna.sees("unmuted by bert: "))
    try bert.transport.remove("carl", reason: "enough")
    #expect(carl.sees("disconnected removed"))
    #expect(Array(carl.events.suffix(2)) == ["removed by bert: enough", "disconnected removed"])
    #expect(anna.sees("left carl") && bert.sees("left carl"))
    #expect(failure { try bert.transport.remove("carl", reason: "") }?.status == .notFound)
    house.close()
  }

  @Test func aPermissionThatIsMissingIsSaidAtOnce() throws {
    var access = RoomAccess()
    access.permissions = [.receive, .publishAudio]
    let house = try HubHouse(access: access)
    let bert = try house.remote("bert")
    #expect(bert.sees("connected"))
    #expect(failure { _ = try bert.publishVideo() }?.status == .permission)
    #expect(failure { _ = try bert.publishSound(kind: 2) }?.text.contains("to share a screen") == true)
    _ = try bert.publishSound()
    house.close()
  }

  @Test func oneHubHasSeveralAddresses() throws {
    let house = try HubHouse(hosts: ["127.0.0.1", "::1"])
    let addresses = try #require(house.hub?.addresses)
    #expect(addresses.map(\.host) == ["127.0.0.1", "::1"] && addresses[0].port == addresses[1].port)
    let (anna, bert) = (try house.remote("anna", url: house.url(addresses[0])), try house.remote("bert", url: house.url(addresses[1])))
    #expect(anna.sees("joined bert") && bert.sees("joined anna"))
    let id = try anna.publishVideo()
    bert.transport.subscribe(to: try bert.stream(ofCodec: Self.vp8).id, bert)
    #expect(anna.sees("receivers 1"))
    for number in 1...2000 where bert.seen.withLock({ $0.units.isEmpty }) {
      _ = try anna.send(HubMedium.picture(key: true, 500, seed: 1), FrameID(number), on: id)
      house.run(milliseconds: 5)
    }
    #expect(bert.seen.withLock { $0.units.first } == HubMedium.picture(key: true, 500, seed: 1))
    house.close()
  }

  @Test(arguments: [HubHouse.Surroundings.emulated, .kernel])
  func whatIsClosedGivesItsPortsBack(surroundings: HubHouse.Surroundings) throws {
    let house = try HubHouse("ports \(surroundings)", in: surroundings)
    let bert = try house.remote("bert")
    #expect(bert.sees("connected"))
    let address = try house.address
    #expect(failure { _ = try house.network.bindDatagrams(to: address) }?.status == .exists)
    #expect(failure { _ = try house.network.listen(at: address) }?.status == .exists)
    house.hub?.close()
    _ = try house.network.bindDatagrams(to: address)
    _ = try house.network.listen(at: address)
    house.close()
  }

  @Test func aRoomMayThinkForLong() throws {
    var access = RoomAccess()
    let verifier = SlowVerifier()
    access.verifier = verifier
    let house = try HubHouse(access: access)
    verifier.loop.withLock { $0 = house.loop }
    let bert = try house.remote("bert")
    #expect(bert.sees("connected"))
    #expect(bert.events == ["connected"])
    verifier.loop.withLock { $0 = nil }
    house.close()
  }

  @Test func whoHasLeftIsGone() throws {
    weak var hub: HubServer?
    weak var peer: HubPeer?
    weak var transport: HubTransport?
    do {
      let house = try HubHouse()
      let (anna, bert) = (house.local("anna"), try house.remote("bert"))
      #expect(anna.sees("joined bert") && bert.sees("joined anna"))
      let sound = try bert.publishSound()
      anna.transport.subscribe(to: try anna.stream(ofCodec: Self.opus).id, anna)
      #expect(bert.sees("receivers 1"))
      _ = try bert.send(HubMedium.sound(20, seed: 1), 1, on: sound)
      (hub, peer, transport) = (house.hub, house.peers.first, bert.transport as? HubTransport)
      #expect(peer != nil)
      bert.transport.disconnect()
      #expect(anna.sees("left bert"))
      // By himself, before the hub is.
      #expect(house.isTrueSoon { peer == nil })
      house.close()
    }
    #expect(hub == nil && transport == nil)
  }

  @Test func aHubThatClosesSaysSo() throws {
    let house = try HubHouse()
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    #expect(anna.sees("joined bert") && bert.sees("joined anna"))
    house.closeHub()
    #expect(bert.sees("disconnected closed"))
    #expect(bert.seen.withLock { $0.errors.first?.text } == "the hub is closed")
    #expect(anna.sees("left bert"))
    #expect(!anna.events.contains { $0.hasPrefix("disconnected") })
    house.close()
  }

  @Test func whoeverIsNotThereIsNotReached() throws {
    let house = try HubHouse()
    let url = try house.url()
    house.closeHub()
    let bert = try house.remote("bert", url: url)
    #expect(bert.sees("disconnected io"))
    #expect(bert.seen.withLock { $0.errors.first?.text.hasSuffix("Connection refused") } == true)
    house.close()
  }
}
