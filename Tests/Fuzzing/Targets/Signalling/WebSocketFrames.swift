import MediaCore

@testable import MediaSignalling

/// A strange end of WebSocket: its frames, at any time, and its part of the handshake. What is heard does not depend on how the bytes are
/// cut, and nothing is larger than its bound.
enum WebSocketFrames: FuzzTarget {
  static let name = "websocket"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let options = input.byte()
    if options & 4 != 0 { return handshake(input.rest, isServer: options & 1 != 0) }
    let role: WebSocketMachine.Role = options & 1 == 0 ? .server : .client
    if options & 2 != 0 { return talk(role, &input) }
    let seed = UInt64(input.u16())
    let rest = Array(input.rest)
    expect(heard(role, rest, .none) == heard(role, rest, SeededRandom(seed: seed)), "something else is heard in pieces")
  }

  private static let limits: WebSocketLimits = {
    var limits = WebSocketLimits()
    (limits.message, limits.fragments, limits.output) = (1_024, 8, 2_048)
    return limits
  }()

  private struct Heard: Equatable {
    var events: [WebSocketMachine.Event] = []
    var output: [UInt8] = []

    mutating func take(_ machine: WebSocketMachine) {
      while let event = machine.takeEvent() {
        if case .closed(_) = events.last { expect(false, "something after the end") }
        switch event {
        case .text(let text): expect(text.utf8.count <= limits.message, "a message beyond its bound")
        case .binary(let bytes): expect(bytes.count <= limits.message, "a message beyond its bound")
        case .closed(let close): expect(close.reason.utf8.count <= 123 && machine.isClosed, "an end that cannot be")
        }
        events.append(event)
      }
    }
  }

  private static func heard(_ role: WebSocketMachine.Role, _ bytes: [UInt8], _ random: SeededRandom?) -> Heard {
    let machine = WebSocketMachine(role, limits: limits, random: SeededRandom(seed: 1), now: 0)
    var (heard, random, rest) = (Heard(), random, bytes[...])
    while !rest.isEmpty {
      let size = random == nil ? rest.count : 1 + Int((random?.next() ?? 0) % 16)
      Array(rest.prefix(size)).withUnsafeBytes { machine.receive($0, now: 0) }
      rest = rest.dropFirst(size)
      heard.take(machine)
    }
    machine.takeOutput(&heard.output)
    expect(heard.output.count <= limits.output + 256, "\(heard.output.count) bytes are to be sent")
    return heard
  }

  /// Both ends do anything, and time passes.
  private static func talk(_ role: WebSocketMachine.Role, _ input: inout Input) {
    let machine = WebSocketMachine(role, limits: limits, random: SeededRandom(seed: 1), now: 0)
    var (heard, now) = (Heard(), Int64(0))
    for _ in 0..<64 where !input.isAtEnd {
      switch input.number(below: 8) {
      case 0: now &+= Int64(input.u32())
      case 1: now &+= Int64(input.byte()) * 1_000_000_000
      case 2: try? machine.send(binary: Array(input.piece()))
      case 3: machine.close(input.u16(), String(decoding: input.piece(), as: UTF8.self), now: now)
      case 4: machine.takeOutput(&heard.output)
      case 5: machine.receiveEnd()
      default: machine.receive(input.piece(), now: now)
      }
      heard.take(machine)
      guard let next = machine.poll(now: now) else { continue }
      expect(next > now, "it wants to be called again at once")
    }
  }

  private static func handshake(_ bytes: UnsafeRawBufferPointer, isServer: Bool) {
    var random = SeededRandom(seed: 1)
    let asked = WebSocketHandshake(host: "a", target: "/", subprotocols: ["x"], random: &random)
    guard isServer else {
      let client = HTTPClientConnection()
      try? client.send(asked.request, now: 0)
      client.receive(bytes, now: 0)
      guard case .upgraded(let response, _) = client.takeEvent(), let chosen = try? asked.accept(response) else { return }
      return expect(chosen == "x", "a subprotocol that was not offered")
    }
    let server = HTTPServerConnection(now: 0)
    server.receive(bytes, now: 0)
    guard case .request(let request) = server.takeEvent() else { return }
    switch WebSocketOffer.read(request) {
    case .other: return
    case .offer(let offer): expect((try? server.upgrade(offer.accepted(nil))) != nil, "an answer that cannot be written")
    case .refused(let response): expect((try? server.respond(response, now: 0)) != nil, "a refusal that cannot be written")
    }
  }
}
