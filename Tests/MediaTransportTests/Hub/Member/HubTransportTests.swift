import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import Testing

@testable import MediaTransport

/// Members of a hub whose connections break, and what they hear of it.
@Suite(.serialized) struct HubTransportTests {
  private static let vp8 = Int(MSDK_CODEC_VP8)

  /// Breaks it as a network would, without a word, once both ends know that it is there.
  private func breakConnection(of witness: HubWitness, _ house: HubHouse) {
    #expect(witness.sees("connected"))
    house.waitForMedia()
    (witness.transport as? HubTransport)?.guarded.withLock { $0.line?.socket.shut() }
  }

  @Test func whatHappensMeanwhileIsHeardAfterwards() throws {
    let house = try HubHouse()
    // Far enough away that the hub goes on speaking to a connection that is broken.
    let machine = try #require(house.emulation).addHost("10.0.0.1")
    machine.setConditions(up: .init(delay: 20_000_000), down: .init(delay: 20_000_000))
    let (anna, bert) = (house.local("anna"), try house.remote("bert", on: machine))
    #expect(anna.sees("joined bert") && bert.sees("joined anna"))
    for round in 1...3 {
      breakConnection(of: bert, house)
      // Some of it before the hub or he know that the connection is broken, some after it.
      let sound = try anna.publishSound()
      let video = try bert.publishVideo()
      #expect(bert.sees("reconnecting", times: round))
      anna.transport.setMuted(sound, true)
      anna.transport.unpublish(sound)
      bert.transport.unpublish(video)
      #expect(bert.sees("reconnected", times: round))
      #expect(bert.sees("removed", times: round) && anna.sees("removed", times: round))
    }
    let mine = bert.events.filter { !$0.hasPrefix("reconnect") && !$0.hasPrefix("receivers") }
    #expect(mine == ["connected", "joined anna"] + Array(repeating: ["added by anna", "muted", "removed"], count: 3).flatMap { $0 })
    #expect(anna.events == ["connected", "joined bert"] + Array(repeating: ["added by bert", "removed"], count: 3).flatMap { $0 })
    #expect(house.hub?.memberCount == 1)
    house.close()
  }

  @Test func itsFiguresAreThoseOfRTP() throws {
    let house = try HubHouse()
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    #expect(bert.sees("connected") && bert.sees("joined anna"))
    let id = try anna.publishVideo()
    bert.transport.subscribe(to: try bert.stream(ofCodec: Self.vp8).id, bert)
    for number in 1...2000 where bert.seen.withLock({ $0.units.isEmpty }) {
      _ = try anna.send(HubMedium.picture(key: true, 500, seed: 1), FrameID(number), on: id)
      house.run(milliseconds: 5)
    }
    let entries = JSON.array(bert.transport.statsEntries(at: 1)).rendered()
    #expect(entries.contains("inbound-rtp") && entries.contains("AEAD_AES_128_GCM"))
    #expect(bert.transport.stats.packetsReceived > 0 && bert.transport.stats.packetsRefused == 0)
    #expect(anna.transport.statsEntries(at: 1).isEmpty)
    bert.transport.disconnect()
    #expect(bert.transport.statsEntries(at: 1).isEmpty)
    house.close()
  }

  @Test func mediaGoesOnWhileTheConnectionIsBroken() throws {
    let house = try HubHouse()
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    #expect(bert.sees("joined anna"))
    let id = try anna.publishVideo()
    let stream = try bert.stream(ofCodec: Self.vp8).id
    bert.transport.subscribe(to: stream, bert)
    #expect(anna.sees("receivers 1"))
    var number: FrameID = 0
    func send() throws -> [UInt8] {
      number += 1
      let picture = HubMedium.picture(key: number % 5 == 1, 3000, seed: number)
      _ = try anna.send(picture, number, on: id)
      house.run(milliseconds: 10)
      return picture
    }
    // Until the way is open.
    while number < 1000, bert.seen.withLock({ $0.units.isEmpty }) { _ = try send() }
    #expect(bert.wait { !$0.units.isEmpty })
    breakConnection(of: bert, house)
    var sent: [[UInt8]] = []
    for _ in 0..<50 { sent.append(try send()) }
    #expect(bert.sees("reconnected"))
    for _ in 0..<10 { sent.append(try send()) }
    #expect(bert.wait { $0.units.last == sent.last })
    #expect(Array(bert.seen.withLock { $0.units }.suffix(60)) == sent)
    #expect(anna.events.filter { $0.hasPrefix("left") }.isEmpty)
    house.close()
  }

  @Test func streamsTellOfTheirNetwork() throws {
    let house = try HubHouse()
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    #expect(bert.sees("joined anna") && anna.sees("joined bert"))
    let (down, up) = (try anna.publishVideo(), try bert.publishVideo())
    let (coming, going) = (try bert.stream(ofCodec: Self.vp8).id, try anna.stream(ofCodec: Self.vp8).id)
    #expect(bert.transport.look(sending: up) == nil && bert.transport.look(receiving: coming) == nil)
    bert.transport.subscribe(to: coming, bert)
    anna.transport.subscribe(to: going, anna)
    #expect(anna.sees("receivers 1") && bert.sees("receivers 1"))
    var number: FrameID = 0
    func counts() -> (came: UInt64, went: UInt64) {
      (bert.transport.look(receiving: coming)?.stream.framesReceived ?? 0, bert.transport.look(sending: up)?.stream.framesSent ?? 0)
    }
    while number < 2000, counts().came < 5 || counts().went < 5 {
      number += 1
      _ = try anna.send(HubMedium.picture(key: true, 3000, seed: number), number, on: down)
      _ = try bert.send(HubMedium.picture(key: true, 2000, seed: number), number, on: up)
      house.run(milliseconds: 10)
    }
    bert.transport.setTargetBitrate(up, layer: 0, 123_456)
    let (sent, received) = try (#require(bert.transport.look(sending: up)), #require(bert.transport.look(receiving: coming)))
    #expect(sent.stream.framesSent >= 5 && sent.stream.bytesSent >= 5 * 2000 && sent.stream.targetBitrate == 123_456)
    #expect(received.stream.framesReceived >= 5 && received.stream.packetsReceived >= 15 && received.stream.isVideo)
    #expect(
      sent.path.availableOutgoingBitrate > 0 && bert.transport.networkFigures.map { $0.packetsSent > 0 && $0.packetsReceived > 0 } == true)
    let entries = bert.transport.statsEntries(at: 1).map { $0.rendered() }
    for type in ["transport", "inbound-rtp", "outbound-rtp"] {
      #expect(entries.contains { $0.contains("\"type\": \"\(type)\"") }, "\(type)")
    }
    // In the process that hosts the room there is no network.
    #expect(anna.transport.look(sending: down) == nil && anna.transport.networkFigures == nil && anna.transport.statsEntries(at: 1).isEmpty)
    bert.transport.unpublish(up)
    #expect(bert.transport.look(sending: up) == nil)
    house.close()
  }

  @Test func aHubThatGoesAwayWithoutAWordIsWaitedFor() throws {
    let house = try HubHouse()
    let bert = try house.remote("bert")
    #expect(bert.sees("connected"))
    // The listener goes first, so that nobody takes him back; then the connection.
    house.closeDoors()
    breakConnection(of: bert, house)
    #expect(bert.sees("reconnecting"))
    let begin = house.clock.now()
    #expect(bert.sees("disconnected timeout"))
    #expect((HubTransport.absence - 1_000_000_000...HubTransport.absence).contains(house.clock.now() - begin))
    #expect(bert.seen.withLock { $0.errors.first?.text.contains("was unreachable for 30 s: cannot connect to the hub at") } == true)
    house.close()
  }

  @Test func whoStaysAwayHasLeft() throws {
    let house = try HubHouse()
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    #expect(anna.sees("joined bert"))
    house.closeDoors()
    breakConnection(of: bert, house)
    #expect(bert.sees("reconnecting"))
    // He is still there for the others, until his time is up.
    let peer = try #require(house.peers.first)
    #expect(house.isTrueSoon { peer.guarded.withLock { if case .away = $0.phase { true } else { false } } })
    house.run(milliseconds: HubPeer.absence / 1_000_000 - 100)
    #expect(!anna.events.contains("left bert"))
    #expect(anna.sees("left bert"))
    #expect(house.hub?.memberCount == 0)
    house.close()
  }

  /// From one network to another: media is sent to where they show that they are, at once; their connection is found to be silent, and made anew; and
  /// nothing that was said meanwhile is lost.
  @Test func aMemberWhoMovesIsFollowed() throws {
    let house = try HubHouse()
    let machine = try #require(house.emulation).addHost("10.0.0.1")
    let link = EmulatedNetwork.Conditions(delay: 20_000_000)
    machine.setConditions(up: link, down: link)
    let (anna, bert) = (house.local("anna"), try house.remote("bert", on: machine))
    #expect(anna.sees("joined bert") && bert.sees("joined anna"))
    let sound = try anna.publishSound()
    bert.transport.subscribe(to: try bert.stream(ofCodec: Int(MSDK_CODEC_OPUS)).id, bert)
    #expect(anna.sees("receivers 1"))
    house.waitForMedia()
    #expect(house.isTrueSoon { house.peers.allSatisfy { $0.guarded.withLock { $0.media?.remote?.host == "10.0.0.1" } } })
    var number: FrameID = 0
    func speak(_ count: Int) throws {
      for _ in 0..<count {
        number += 1
        _ = try anna.send(HubMedium.sound(40, seed: number), number, on: sound)
        house.run(milliseconds: 20)
      }
    }
    try speak(50)
    #expect(bert.seen.withLock { $0.units.count } >= 45)
    try machine.move(to: [try #require(SocketAddress("10.7.7.7", port: 0))])
    anna.transport.setMuted(sound, true)
    let before = bert.seen.withLock { $0.units.count }
    // A second of it: reports of theirs show where they are now.
    try speak(50)
    #expect(house.peers.allSatisfy { $0.guarded.withLock { $0.media?.remote?.host == "10.7.7.7" } })
    let after = bert.seen.withLock { $0.units.count }
    #expect(after - before >= 15, "\(after - before) of 50")
    #expect(!bert.events.contains("muted"))
    #expect(bert.sees("reconnected") && bert.sees("muted"))
    let gone = number
    try speak(50)
    #expect(bert.wait { $0.units.last == HubMedium.sound(40, seed: number) })
    #expect(bert.seen.withLock { $0.units.suffix(50) }.elementsEqual((gone + 1...number).map { HubMedium.sound(40, seed: $0) }))
    #expect(anna.events.filter { $0.hasPrefix("left") || $0.hasPrefix("joined") } == ["joined bert"])
    house.close()
  }

  @Test func whoIsNotKnownAnyMoreIsToldSo() throws {
    let house = try HubHouse()
    let bert = try house.remote("bert")
    #expect(bert.sees("connected"))
    // As if the hub had begun anew.
    house.waitForMedia()
    for peer in house.peers {
      peer.guarded.withLock { guarded in
        guarded.line?.socket.shut()
        guarded.line = nil
      }
      peer.end(because: nil)
    }
    #expect(bert.sees("reconnecting"))
    #expect(bert.sees("disconnected closed"))
    #expect(bert.seen.withLock { $0.errors.first?.text.contains("no longer knows \"bert\"") } == true)
    house.close()
  }

  @Test func leavingWhileConnectingIsQuiet() throws {
    let house = try HubHouse()
    // At each moment of a handshake, and before and after it.
    for number in 0..<100 as Range<Int64> {
      let machine = try #require(house.emulation).addHost("10.0.0.\(number + 1)")
      machine.setConditions(up: .init(delay: 1_000_000), down: .init(delay: 1_000_000))
      let bert = try house.remote("bert", on: machine)
      house.time.run(nanoseconds: number * 150_000)
      bert.transport.disconnect()
      house.run(milliseconds: 1)
      #expect(!bert.events.contains { $0.hasPrefix("disconnected") && !$0.hasSuffix("exists") })
    }
    let anna = house.local("anna")
    #expect(anna.sees("connected"))
    // Nobody stays behind.
    #expect(house.isTrueSoon { house.hub?.memberCount == 0 && house.hub?.guestCount == 0 })
    house.close()
  }

  @Test func whatItCannotDoIsSaidInWords() throws {
    let house = try HubHouse()
    let bert = try house.remote("bert")
    bert.transport.disconnect()
    #expect(failure { _ = try bert.publishVideo() }?.status == .state)
    #expect(failure { try bert.transport.mute("anna", true) }?.status == .state)
    let carl = try house.remote("carl")
    #expect(carl.sees("connected"))
    for _ in 0..<30 { _ = try carl.publishVideo() }
    #expect(failure { _ = try carl.publishVideo() }?.status == .full)
    for _ in 0..<30 { _ = try carl.publishSound() }
    #expect(failure { _ = try carl.publishSound() }?.status == .full)
    let anna = house.local("anna")
    #expect(anna.sees("added by carl", times: 60))
    house.close()
  }

  /// So that nothing is encoded that would come too late.
  @Test func whatWaitsToLeaveIsKnown() throws {
    let house = try HubHouse()
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    #expect(anna.sees("joined bert") && bert.sees("connected"))
    let video = try bert.publishVideo()
    #expect(bert.transport.backlog(of: video) == 0)
    anna.transport.subscribe(to: try anna.stream(ofCodec: Int(MSDK_CODEC_VP8)).id, anna)
    #expect(bert.sees("receivers 1"))
    var most: Int64 = 0
    for number in 0..<20 {
      _ = try bert.send(HubMedium.picture(key: number == 0, 50_000, seed: UInt64(number)), FrameID(number + 1), on: video)
      most = max(most, bert.transport.backlog(of: video))
    }
    #expect(most > 5_000_000, "\(most)")
    let hasLeft = house.isTrueSoon { bert.transport.backlog(of: video) == 0 }
    #expect(hasLeft)
    house.close()
  }
}
