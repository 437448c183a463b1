import CMediaSDK
import MediaCore
import MediaNetwork
import Testing

@testable import MediaTransport

/// Members who know a hub by a name.
@Suite(.serialized) struct HubNameTests {
  private func url(_ house: HubHouse) throws -> HubURL {
    let hub = try #require(house.hub)
    return try HubURL("hub://Hub.Example:\(hub.port)/\(house.room)?fingerprint=\(hub.fingerprint)", argument: "url")
  }

  @Test func theNextAddressIsTriedAndTheNameIsResolvedAnew() throws {
    let house = try HubHouse()
    let address = try house.address
    let found = [try #require(SocketAddress("127.0.0.2", port: address.port)), address]
    let asked = Monitor<[NameResolver.Question]>([])
    house.emulation?.setNames { question in
      asked.withLock { $0.append(question) }
      return .success(found)
    }
    let bert = try house.remote("bert", url: url(house))
    #expect(bert.sees("connected"))
    #expect(asked.withLock { $0.count } == 1)
    #expect(asked.withLock { $0.first.map { $0.isStream && $0.isIPv6 == nil && $0.port == address.port } } == true)
    house.waitForMedia()
    (bert.transport as? HubTransport)?.guarded.withLock { $0.line?.socket.shut() }
    #expect(bert.sees("reconnecting") && bert.sees("reconnected"))
    // Media has a family by now.
    #expect(asked.withLock { $0.last?.isIPv6 } == false)
    house.close()
  }

  /// The hub is where its name says by then, and so is its media.
  @Test func mediaFollowsToAnotherAddress() throws {
    let house = try HubHouse(hosts: ["0.0.0.0"])
    let port = try house.address.port
    let (first, second) = (try #require(SocketAddress("127.0.0.1", port: port)), try #require(SocketAddress("127.0.0.2", port: port)))
    let address = Monitor(first)
    let anna = house.local("anna")
    house.emulation?.setNames { _ in .success([address.withLock { $0 }]) }
    let bert = try house.remote("bert", url: url(house))
    #expect(bert.sees("connected"))
    house.waitForMedia()
    let transport = try #require(bert.transport as? HubTransport)
    #expect(transport.guarded.withLock { $0.media?.remote } == first)
    address.withLock { $0 = second }
    transport.guarded.withLock { $0.line?.socket.shut() }
    #expect(bert.sees("reconnected"))
    #expect(transport.guarded.withLock { $0.media?.remote } == second)
    let sound = try bert.publishSound()
    let stream = try anna.stream(ofCodec: MSDK_CODEC_OPUS)
    anna.transport.subscribe(to: stream.id, anna)
    #expect(bert.sees("receivers 1"))
    for picture in 1...500 where anna.seen.withLock({ $0.units.isEmpty }) {
      _ = try bert.send(HubMedium.sound(40, seed: 1), FrameID(picture), on: sound)
      house.run(milliseconds: 20)
    }
    #expect(anna.wait { !$0.units.isEmpty })
    house.close()
  }

  @Test func failuresEndIt() throws {
    let house = try HubHouse()
    let nowhere = try #require(SocketAddress("127.0.0.2", port: try house.address.port))
    let answers: [(NameResolver.Answer, String, String)] = [
      (.failure(MediaError(.notFound, "no such name")), "disconnected \(Status.notFound)", "no such name"),
      (.failure(MediaError(.io, "no server")), "disconnected \(Status.io)", "no server"),
      (.success([]), "disconnected \(Status.notFound)", "\"hub.example\" has no address"),
      (.success([nowhere]), "disconnected \(Status.io)", "hub.example:\(nowhere.port) (\(nowhere)): Connection refused")
    ]
    for (number, (answer, event, words)) in answers.enumerated() {
      house.emulation?.setNames { _ in answer }
      let bert = try house.remote("bert\(number)", url: url(house))
      #expect(bert.sees(event), "\(bert.events)")
      #expect(bert.seen.withLock { $0.errors.first }?.text.contains(words) == true, "\(bert.seen.withLock { $0.errors })")
    }
    house.close()
  }

  @Test func whoLeavesOrWaitsTooLongGetsNoAnswer() throws {
    let house = try HubHouse()
    let address = try house.address
    let asked = Monitor(0)
    house.emulation?.setNames { _ in
      asked.withLock { $0 += 1 }
      return nil
    }
    let begin = house.clock.now()
    let (left, late) = (try house.remote("left", url: url(house)), try house.remote("late", url: url(house)))
    #expect(house.isTrueSoon { asked.withLock { $0 } == 2 })
    left.transport.disconnect()
    #expect(late.sees("disconnected \(Status.timeout)"))
    #expect((10_000_000_000...10_010_000_000).contains(house.clock.now() - begin))
    #expect(late.seen.withLock { $0.errors.first }?.text.contains("hub.example:\(address.port) was not resolved within 10 s") == true)
    house.emulation?.setNames { _ in .success([address]) }
    #expect(try house.remote("new", url: url(house)).sees("connected"))
    #expect(left.events.isEmpty)
    #expect(house.hub?.memberCount == 1)
    house.close()
  }
}
