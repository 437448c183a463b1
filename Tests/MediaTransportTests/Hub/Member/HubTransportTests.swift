import CMediaSDK
import Glibc
import MediaCore
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
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
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
      usleep(5000)
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
      usleep(10_000)
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
      usleep(10_000)
    }
    bert.transport.setTargetBitrate(up, 123_456)
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
    (bert.transport as? HubTransport)?.guarded.withLock { guarded in
      // Thirty seconds pass.
      if case .reconnecting(let end) = guarded.phase { guarded.phase = .reconnecting(end - HubTransport.absence + 1_000_000_000) }
    }
    #expect(bert.sees("disconnected timeout"))
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
    var isAway = false
    for _ in 0..<2000 where !isAway {
      isAway = peer.guarded.withLock { guarded in
        guard case .away = guarded.phase else { return false }
        guarded.phase = .away(MediaTime.monotonic() + 200_000_000)
        return true
      }
      usleep(10_000)
    }
    #expect(isAway)
    #expect(!anna.events.contains("left bert"))
    peer.guarded.withLock { guarded in
      if let tag = guarded.tag { house.thread.wake(tag, at: .min) }
    }
    #expect(anna.sees("left bert"))
    #expect(house.hub?.memberCount == 0)
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
    for _ in 0..<50 {
      let bert = try house.remote("bert")
      usleep(UInt32.random(in: 0...5000))
      bert.transport.disconnect()
      usleep(1000)
      #expect(!bert.events.contains { $0.hasPrefix("disconnected") && !$0.hasSuffix("exists") })
    }
    let anna = house.local("anna")
    #expect(anna.sees("connected"))
    // Nobody stays behind.
    for _ in 0..<2000 where house.hub?.memberCount != 0 || house.hub?.guestCount != 0 { usleep(10_000) }
    #expect(house.hub?.memberCount == 0 && house.hub?.guestCount == 0)
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
