import MediaCore
import MediaNetwork
import MediaRTP
import MediaSRTP
import MediaTLS

@testable import MediaTransport

/// A member's machine at a hostile hub, which says and sends anything at any time, while the session does what sessions do. What the member
/// holds is bounded, and nothing is reported after the end.
enum HubHostileHost: FuzzTarget {
  static let name = "hub_hostile_host"

  private final class Session: TransportDelegate, @unchecked Sendable {
    var events: [TransportEvent] = []
    private(set) var isOver = false

    func transport(_ transport: any Transport, _ event: TransportEvent) {
      expect(!isOver, "an event after the end")
      if case .disconnected = event { isOver = true }
      events.append(event)
    }
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    guard let certificate = HubStage.certificate else { fatalError("no certificate") }
    var input = Input(bytes)
    let stage = HubStage()
    let url = HubURL(.address(HubStage.address), room: "room", trust: .fingerprint(certificate.fingerprint))
    let transport = HubTransport(url, member: Member(userID: "anna", displayName: "Anna"), loop: stage.loop, thread: stage.thread)
    let session = Session()
    transport.guarded.withLock { guarded in
      (guarded.delegate, guarded.phase, guarded.hasSaidHello) = (session, .waiting, true)
      _ = try? guarded.addresses.next(url.host, isIPv6: nil, transport.network.names)
    }
    var own: [StreamID] = []
    var seen: [StreamDescription] = []
    var sealer: HubSealer?
    defer {
      transport.disconnect()
      stage.loop.stop()
    }
    for _ in 0..<64 where !input.isAtEnd && !session.isOver {
      switch input.number(below: 8) {
      case 0: stage.run(for: Int64(input.u16()) * 1_000_000)
      case 1, 2, 3:
        if let error = transport.act(on: Array(input.piece()), stage.now) { transport.finish(error) }
      case 4:
        if let datagram = sealer?.seal(Array(input.piece())) {
          transport.guarded.withLock { guarded in
            _ = datagram.withUnsafeBytes { guarded.media?.receive($0, from: HubStage.address, now: stage.now) }
          }
        }
      case 5: act(&input, transport, &own, seen, stage)
      // The connection takes what is to be said, as far as it may be said.
      case 6: transport.guarded.withLock { guarded in while guarded.log.next(now: stage.now) != nil {} }
      default:
        let line = try stage.line()
        transport.guarded.withLock { guarded in
          guard guarded.phase == .here else { return }
          (guarded.phase, guarded.line, guarded.hasSaidHello) = (.reconnecting(stage.now &+ HubTransport.absence), line, true)
        }
      }
      // Nothing goes out.
      transport.guarded.withLock { guarded in guarded.socket?.close() }
      _ = transport.hand(stage.now)
      stage.run()
      for event in session.events {
        if case .streamAdded(let stream) = event { seen.append(stream) }
        if case .connected = event { sealer = try transport.guarded.withLock { $0.media?.terms }.map { try HubSealer($0, isHub: true) } }
      }
      session.events = []
      transport.guarded.withLock { guarded in
        expect(guarded.room.others.count <= HubRoster.mostOthers, "\(guarded.room.others.count) streams")
        expect(guarded.room.members.count <= HubRoster.mostMembers, "\(guarded.room.members.count) members")
        expect(guarded.log.bytes <= ReliableOutbox.most, "\(guarded.log.bytes) bytes to be said")
        expect(guarded.media == nil || guarded.isMember, "media of nobody")
      }
      _ = (transport.stats, transport.networkFigures)
    }
  }

  private static func act(
    _ input: inout Input, _ transport: HubTransport, _ own: inout [StreamID], _ seen: [StreamDescription], _ stage: HubStage
  ) {
    let (what, number) = (input.number(below: 9), Int(input.byte()))
    let mine = own.isEmpty ? nil : own[number % own.count]
    let other = seen.isEmpty ? nil : seen[number % seen.count]
    let isVideo = number & 1 != 0
    switch what {
    case 0:
      let id = transport.makeStreamID()
      if (try? transport.publish(id, codec: HubStage.codec(video: isVideo), format: HubStage.format(video: isVideo))) != nil {
        own.append(id)
      }
    case 1: if let mine { transport.unpublish(mine) }
    case 2: if let other { transport.subscribe(to: other.id, .encoded(HubReceiver(other))) }
    case 3: if let other { transport.unsubscribe(from: other.id) }
    case 4: if let other { transport.requestKeyFrame(of: other.id) }
    case 5:
      guard let mine, let frame = try? stage.frame(video: isVideo) else { break }
      _ = transport.send(frame, FrameID(number), on: mine)
      frame.release()
    case 6: if let mine { transport.setSpeaking(mine, isVideo, level: 20) }
    case 7: try? transport.setAttribute("key", "\(number)")
    default:
      try? transport.remove("bert", reason: "")
      transport.renew(AccessToken("again"))
    }
  }
}
