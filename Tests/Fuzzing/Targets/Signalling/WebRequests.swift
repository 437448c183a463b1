import MediaCore
import MediaSignalling
import MediaTransport

@testable import MediaServer

/// A stranger at a web server: bytes of connections, requests of the page, messages over its WebSocket, and offers of any number of sections.
enum WebRequests: FuzzTarget {
  static let name = "web"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    switch input.number(below: 4) {
    case 0: try message(input.text)
    case 1: request(&input)
    case 2: try connection(&input)
    default: lanes(&input)
    }
  }

  private static func message(_ text: String) throws {
    let message = try PageMessage(parsing: text)
    guard case .join(let user, let name, let token) = message else { return }
    // What was read is read again as it was.
    let fields: [(String, JSON)] = [
      ("type", .text("join")), ("user", user.map { .text($0) } ?? .null), ("name", name.map { .text($0) } ?? .null), ("token", .text(token))
    ]
    let again = try? PageMessage(parsing: JSON.object(fields).rendered())
    expect(again == .join(user: user, name: name, token: token), "another message: \(text)")
  }

  private static func request(_ input: inout Input) {
    let room = String(decoding: input.piece(), as: UTF8.self)
    let escaped = WebPage.escaped(room)
    expect(room.utf8.contains(0) || WebPage.webSocketRoom("/ws/\(escaped)") == room, "a room is not found by its own name")
    let target = input.text
    if let value = WebQuery.value("user", in: target[...]) { expect(!value.isEmpty && !value.utf8.contains(0), "a value that is none") }
    let response = WebPage.response(to: HTTPRequest("GET", target, [:]), room: room)
    expect([200, 307, 404].contains(response.status), "\(response.status)")
    let connection = HTTPServerConnection(now: 0)
    Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8).withUnsafeBytes { connection.receive($0, now: 0) }
    expect((try? connection.respond(response, now: 0)) != nil, "a response that cannot be written")
  }

  private static func connection(_ input: inout Input) throws {
    let link = try WebLink(nil, now: 0)
    var (now, output, ends) = (Int64(0), [UInt8](), 0)
    for _ in 0..<32 where !input.isAtEnd {
      switch input.number(below: 4) {
      case 0: now &+= Int64(input.byte()) * 1_000_000_000
      case 1: link.receiveEnd(now: now)
      default: if link.wantsInput { link.receive(input.piece(), now: now) }
      }
      if let next = link.poll(now: now) { expect(next > now, "it wants to be called again at once") }
      while let event = link.takeEvent() {
        switch event {
        case .request(let request):
          let isLiveKit = request.path == "/rtc/v1"
          if isLiveKit || WebPage.webSocketRoom(request.path) != nil, case .offer(let offer) = WebSocketOffer.read(request) {
            try? link.upgrade(offer, for: isLiveKit ? .liveKit : .page, random: SeededRandom(seed: 1), now: now)
          } else {
            try? link.respond(WebPage.response(to: request, room: "a"), now: now)
          }
        case .message(.text(let text)):
          expect(text.utf8.count <= PageMessage.longest, "a message of \(text.utf8.count) bytes")
          if (try? PageMessage(parsing: text)) == .leave { link.close("bye", now: now) } else { try? link.send(.text(text)) }
        case .message(.bytes(let bytes)):
          expect(bytes.count <= LiveKitServerSession.longest, "a message of \(bytes.count) bytes")
          try? link.send(.bytes(bytes))
        case .closed: ends += 1
        }
      }
      output.removeAll()
      link.takeOutput(&output)
      expect(output.count < 1 << 20, "\(output.count) bytes of output")
    }
    expect(ends <= 1, "\(ends) ends")
  }

  private static func lanes(_ input: inout Input) {
    var streams: [LaneChoice.Candidate] = []
    for number in 0..<input.number(below: 12) {
      let bits = input.byte()
      streams.append(
        .init(id: StreamID(value: UInt64(number)), userID: "\(bits >> 4)", isVideo: bits & 1 == 0, isScreen: bits & 2 == 0))
    }
    let isOfOne = input.byte() & 1 == 0
    var lanes: [(isVideo: Bool, stream: StreamID?)] = []
    for _ in 0..<input.number(below: 12) {
      let bits = input.byte()
      let former = streams.first { $0.id.value == UInt64(bits >> 1 & 15) && $0.isVideo == (bits & 1 == 0) }
      let isTaken = lanes.contains { $0.stream == former?.id }
      lanes.append((bits & 1 == 0, isTaken ? nil : former?.id))
    }
    let chosen = LaneChoice.assign(lanes, streams, isOfOne: isOfOne)
    expect(chosen.count == lanes.count && Set(chosen.compactMap { $0 }).count == chosen.compactMap { $0 }.count, "a stream is sent twice")
    for (lane, stream) in zip(lanes, chosen) {
      expect(lane.stream == nil || lane.stream == stream, "a section loses its stream")
      guard let stream else { continue }
      expect(streams.contains { $0.id == stream && $0.isVideo == lane.isVideo }, "a section has a stream of another kind")
    }
  }
}
