import MediaCore
import MediaNetwork
import MediaRTP
import MediaSRTP
import MediaTLS

@testable import MediaTransport

/// The host of a room with an honest member and a hostile one, who is elsewhere and says and sends anything at any time. What the host holds
/// for that member is bounded; the honest one stays, and is notified of what can be.
enum HubHostileMember: FuzzTarget {
  static let name = "hub_hostile_member"
  private static let room = "fuzz"

  private final class Honest: TransportDelegate, @unchecked Sendable {
    private(set) var streams: [StreamDescription] = []
    private(set) var isIn = false

    func transport(_ transport: any Transport, _ event: TransportEvent) {
      switch event {
      case .connected: isIn = true
      case .disconnected: expect(false, "a hostile member puts out an honest one")
      case .streamAdded(let stream): streams.append(stream)
      case .streamRemoved(let id): streams.removeAll { $0.id == id }
      default: break
      }
    }
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    guard let certificate = HubStage.certificate else { fatalError("no certificate") }
    var input = Input(bytes)
    let stage = HubStage()
    let table = HubTable(room, HubServer.Options([]), stage.thread, SystemNetwork.shared, stage.loop)
    let door = try HubListener(HubStage.address.with(port: 0), certificate, table)
    // Nothing goes out.
    door.socket.close()
    let (honest, delegate) = (
      LoopbackTransport(room: room, member: Member(userID: "anna", displayName: "Anna"), loop: stage.loop), Honest()
    )
    honest.connect(delegate)
    stage.run()
    expect(delegate.isIn, "nobody is let in")

    let peer = HubPeer(hello(&input), at: door, table)
    try table.add(peer, from: AddressPrefix(HubStage.address))
    stage.loop.post { peer.place.connect(peer) }
    stage.run()
    defer {
      peer.end(because: nil)
      honest.disconnect()
      stage.run()
      expect(table.memberCount == 0 && table.waitingCount == 0, "somebody who has left is still here")
      stage.loop.stop()
    }
    let sealer = try peer.guarded.withLock { $0.media?.terms }.map { try HubSealer($0, isHub: false) }
    var own: [StreamID] = []
    for _ in 0..<64 where !input.isAtEnd {
      switch input.number(below: 7) {
      case 0: stage.run(for: Int64(input.u16()) * 1_000_000)
      case 1, 2, 3:
        // Who is not understood is put out.
        guard let error = peer.act(on: Array(input.piece()), stage.now) else { break }
        return peer.end(because: error)
      case 4:
        let port = 5000 + UInt16(input.byte() & 7)
        if let datagram = sealer?.seal(Array(input.piece())) {
          _ = datagram.withUnsafeBytes { peer.receive($0, from: HubStage.address.with(port: port), now: stage.now) }
          peer.hand(stage.now)
        }
      case 5: act(&input, honest, &own, delegate, stage)
      default:
        // Back over another connection, or what is to be said goes out over this one.
        let received = UInt64(input.byte())
        if received & 128 != 0 { peer.comeBack(try stage.line(), received: received & 127) }
        peer.guarded.withLock { guarded in while guarded.log.next(now: stage.now) != nil {} }
      }
      stage.run()
      check(peer, table)
    }
  }

  private static func check(_ peer: HubPeer, _ table: HubTable) {
    peer.guarded.withLock { guarded in
      expect(guarded.log.bytes <= ReliableOutbox.most, "\(guarded.log.bytes) bytes to be said")
      expect(guarded.streams.published.count <= Int(HubSlot.perKind) * 2, "\(guarded.streams.published.count) streams are published")
      expect(guarded.owed.users.count <= 2, "\(guarded.owed.users.count) users of whom more is to be said")
      expect(guarded.phase != .gone || guarded.media == nil, "media of one who is gone")
    }
    expect(table.memberCount + table.waitingCount <= 1, "a member who is here twice")
  }

  /// The input's own, if it begins with one.
  private static func hello(_ input: inout Input) -> HubRequest.Hello {
    var rest = input
    if case .hello(let hello)? = try? HubRequest(parsing: rest.piece()), hello.former == nil, hello.member.userID != "anna" {
      input = rest
      return hello
    }
    return .init(room: room, member: Member(userID: "mallory", displayName: ""), token: AccessToken(""), profile: .aesGCM, former: nil)
  }

  private static func act(
    _ input: inout Input, _ honest: LoopbackTransport, _ own: inout [StreamID], _ delegate: Honest, _ stage: HubStage
  ) {
    let (what, number) = (input.number(below: 8), Int(input.byte()))
    let mine = own.isEmpty ? nil : own[number % own.count]
    let other = delegate.streams.isEmpty ? nil : delegate.streams[number % delegate.streams.count]
    let isVideo = number & 1 != 0
    switch what {
    case 0:
      let id = honest.makeStreamID()
      if (try? honest.publish(id, codec: HubStage.codec(video: isVideo), format: HubStage.format(video: isVideo))) != nil { own.append(id) }
    case 1: if let mine { honest.unpublish(mine) }
    case 2: if let other { honest.subscribe(to: other.id, .encoded(HubReceiver(other))) }
    case 3: if let other { honest.unsubscribe(from: other.id) }
    case 4:
      for _ in 0..<max(1, number % 8) {
        guard let mine, let frame = try? stage.frame(video: isVideo, isKey: number & 2 != 0) else { break }
        _ = honest.send(frame, FrameID(number), on: mine)
        frame.release()
      }
    case 5: if let other { honest.requestKeyFrame(of: other.id) }
    case 6: for value in 0..<number % 48 { try? honest.setAttribute("key-\(value % 8)", "\(value)") }
    default: if let mine { for count in 0..<number % 48 { honest.setMuted(mine, count % 2 == 0) } }
    }
  }
}
