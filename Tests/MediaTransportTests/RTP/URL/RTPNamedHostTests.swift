import MediaCore
import MediaNetwork
import Testing

@testable import MediaTransport

/// Sessions of RTP to an end that has a name.
@Suite(.serialized) struct RTPNamedHostTests {
  private func addresses(_ hosts: String...) throws -> [SocketAddress] { try hosts.map { try #require(SocketAddress($0, port: 5004)) } }

  private func connect(_ target: RTPTarget, _ room: RTPRoom, _ resolver: NameResolver) throws -> RoomWitness {
    let witness = RoomWitness(try target.makeTransport(on: room.thread, loop: room.loop, names: resolver))
    witness.transport.connect(witness)
    return witness
  }

  private func remote(_ witness: RoomWitness) -> SocketAddress? {
    (witness.transport as? RTPTransport)?.configuration.legs.first?.remote
  }

  private func local(_ target: RTPTarget) -> SocketAddress? { target.state.withLock { $0.sockets.first?.localAddress } }

  @Test func theFirstThatFitsIsSentTo() throws {
    let room = try RTPRoom()
    let found = try addresses("0.0.0.0", "192.0.2.1", "192.0.2.2")
    let target = try RTPTarget("rtp://Camera.Example:5004", argument: "url")
    #expect(failure { _ = try target.localDescription() }?.text.contains("\"camera.example\", which is not resolved yet") == true)
    let witness = try connect(target, room, NameResolver { _ in .success(found) })
    #expect(witness.sees("connected"))
    #expect(remote(witness) == found[1])
    #expect(try target.localDescription().contains("m=video"))
    let port = local(target)
    witness.transport.disconnect()
    // Another address of the same family is sent to from the same port.
    let again = try connect(target, room, NameResolver { _ in .success([found[2]]) })
    #expect(again.sees("connected"))
    #expect(remote(again) == found[2] && local(target) == port)
    again.transport.disconnect()
    target.close()
    room.close()
  }

  @Test func localSaysTheFamily() throws {
    let room = try RTPRoom()
    let found = try addresses("2001:db8::1", "192.0.2.1")
    let asked = Monitor<Bool?>(nil)
    let target = try RTPTarget("rtp://camera.example:5004?local=127.0.0.1:0", argument: "url")
    let resolver = NameResolver { question in
      asked.withLock { $0 = question.isIPv6 }
      return .success(found)
    }
    let witness = try connect(target, room, resolver)
    #expect(witness.sees("connected"))
    #expect(remote(witness) == found[1])
    #expect(asked.withLock { $0 } == false)
    witness.transport.disconnect()
    target.close()
    room.close()
  }

  @Test func failuresEndIt() throws {
    let room = try RTPRoom()
    let answers: [(NameResolver.Answer, Status, String)] = [
      (.failure(MediaError(.notFound, "no such name")), .notFound, "no such name"),
      (.success(try addresses("::", "2001:db8::1")), .notFound, "\"camera.example\" has no address"),
      (.success(try addresses("239.1.1.1")), .invalid, "direction=recvonly or sendonly")
    ]
    for (answer, status, words) in answers {
      let target = try RTPTarget("rtp://camera.example:5004?local=127.0.0.1:0", argument: "url")
      let witness = try connect(target, room, NameResolver { _ in answer })
      #expect(witness.sees("disconnected \(status)"), "\(witness.events)")
      #expect(witness.seen.withLock { $0.errors.first }?.text.contains(words) == true)
      witness.transport.disconnect()
      target.close()
    }
    room.close()
  }

  @Test func aLateAnswerIsNotHeard() throws {
    let room = try RTPRoom()
    let found = try addresses("192.0.2.1")
    let (isOpen, asked) = (Monitor(false), Monitor(0))
    let resolver = NameResolver { _ in
      asked.withLock { $0 += 1 }
      asked.notify()
      _ = isOpen.wait(until: .max) { $0 ? true : nil }
      return .success(found)
    }
    let target = try RTPTarget("rtp://camera.example:5004", argument: "url")
    let left = try connect(target, room, resolver)
    #expect(asked.wait(until: Deadline.after(milliseconds: 20_000)) { $0 == 1 ? true : nil } == true)
    left.transport.disconnect()
    isOpen.withLock { $0 = true }
    isOpen.notify()
    let next = try connect(target, room, resolver)
    #expect(next.sees("connected"))
    #expect(left.events.isEmpty)
    // Closed, it binds no port any more.
    next.transport.disconnect()
    target.close()
    let closed = try connect(target, room, resolver)
    #expect(closed.sees("disconnected \(Status.closed)"))
    #expect(local(target) == nil)
    room.close()
  }
}
