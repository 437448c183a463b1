import MediaCore
import MediaEmulation
import MediaNetwork
import Testing

@testable import MediaSignalling
@testable import MediaWebRTCTransport

@Suite struct WebSocketLinkTests {
  private final class Events: @unchecked Sendable {
    var list: [WebSocketLinkEvent] = []
    var said: [String] = []
  }

  private let house = WebRTCHouse()
  private let events = Events()

  @Test func aMessageThatHasNoRoomEndsTheConnection() throws {
    let (events, server) = (events, try EmulatedWebServer(house.network, "10.0.8.1"))
    server.answer = { request, _ in
      guard case .offer(let offer) = WebSocketOffer.read(request) else { return .response(HTTPResponse(404)) }
      return .upgrade(offer, nil)
    }
    server.receiveText = { text, _ in events.said.append(text) }
    let host = try house.network.addHost("10.0.0.1")
    let endpoint = try HTTPURL("http://10.0.8.1/", argument: "url")
    let settings = WebSocketLink.Settings(name: "Room", endpoint: endpoint, longest: 1_024) { response in
      SignallingFailure(MediaError(.fail, "\(response.status)"), isFinal: true)
    }
    let link = WebSocketLink(settings, network: host, thread: host)
    try link.start { events.list.append($0) }
    link.send(.text("before it is open"))
    #expect(try house.run(for: second) { events.said == ["before it is open"] } && events.list.isEmpty)
    link.send(.binary([UInt8](repeating: 1, count: TCPLink.mostWaiting)))
    try house.run(for: second)
    guard case .failed(let failure)? = events.list.first else { throw MediaError(.fail, "it goes on") }
    #expect(events.list.count == 1 && failure.error.status == .io && !failure.isFinal)
    #expect(failure.error.text.hasPrefix("Room: http://10.0.8.1"), "\(failure.error.text)")
    link.close()
    try house.run(for: second)
    #expect(server.connectionCount == 0)
  }
}
