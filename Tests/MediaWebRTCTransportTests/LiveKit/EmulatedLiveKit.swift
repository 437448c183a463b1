import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaSignalling
@testable import MediaTLS
@testable import MediaTransport
@testable import MediaWebRTCTransport

/// A server of LiveKit's protocol on an emulated machine, as far as its messages go: it lets everybody in, takes what is announced, answers
/// no offer, and carries no media.
final class EmulatedLiveKit: @unchecked Sendable {
  let web: EmulatedWebServer
  private let house: WebRTCHouse
  private(set) var said: [LiveKitRequest] = []
  private(set) var joined = 0
  private(set) var resumed = 0
  private var connection: EmulatedWebServer.Connection?

  init(_ house: WebRTCHouse, at address: String) throws {
    self.house = house
    web = try EmulatedWebServer(house.network, address)
    web.answer = { [unowned self] request, connection in
      guard case .offer(let offer) = WebSocketOffer.read(request) else { return .response(HTTPResponse(404)) }
      greet(connection, isResumed: request.target.contains("reconnect=1"))
      return .upgrade(offer, nil)
    }
    web.receiveBinary = { [unowned self] bytes, _ in
      guard let request = try? LiveKitRequest(reading: bytes) else { return }
      said.append(request)
      if case .addTrack(let track) = request { publish(track) }
    }
  }

  func say(_ response: LiveKitResponse) {
    if let connection { web.send(binary: response.encoded, on: connection) }
  }

  /// Offers that came.
  var offers: Int { said.count { if case .offer = $0 { true } else { false } } }

  private func greet(_ connection: EmulatedWebServer.Connection, isResumed: Bool) {
    self.connection = connection
    // After the handshake's answer.
    house.loop.schedule(at: house.clock.now() + 5 * millisecond) { [self] in
      if isResumed { resume() } else { join() }
    }
  }

  private func join() {
    joined += 1
    var (join, own) = (LiveKitJoin(), LiveKitParticipant())
    (own.identity, own.sid, own.state) = ("me", "PA_\(joined)", .active)
    (join.participant, join.pingInterval) = (own, 10)
    say(.join(join))
  }

  private func resume() {
    resumed += 1
    say(.reconnect(LiveKitReconnect()))
  }

  private func publish(_ track: LiveKitAddTrack) {
    var published = LiveKitTrackPublished()
    let info = LiveKitTrack(sid: "TR_\(track.cid)", isVideo: track.type == .video, isScreen: false).info
    (published.cid, published.track) = (track.cid, info)
    say(.published(published))
  }
}

/// A session's program in a room of LiveKit.
final class LiveKitEnd: MediaEnd, @unchecked Sendable {
  let room: RoomTransport

  init(_ server: EmulatedLiveKit, on host: EmulatedHost, _ house: WebRTCHouse) throws {
    let url = "livekit+wss://\(server.web.address)#fingerprint=\(server.web.certificate.fingerprint)&room=r"
    let target = LiveKitTarget(url: try LiveKitURL(url, scheme: "livekit+wss", argument: "url"), network: host)
    let made = try target.makeTransport(
      TransportContext(
        member: Member(userID: "me", displayName: "Anna"), token: AccessToken(""), loop: house.loop,
        thread: { () throws(MediaError) in host }))
    room = try #require(made as? RoomTransport)
    super.init(host, house, room)
    room.connect(self)
  }

  var isHere: Bool { room.state.withLock { $0.phase == .here } }
}
