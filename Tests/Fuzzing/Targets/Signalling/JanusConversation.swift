import MediaCore

@testable import MediaSignalling

/// A strange server for a client of Janus, and access tokens.
enum JanusConversation: FuzzTarget {
  static let name = "janus"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let options = input.byte()
    if options == 255 {
      _ = try JanusSecrets(accessToken: input.text)
      return
    }
    let secrets = try JanusSecrets(accessToken: options & 1 == 0 ? "" : "pin=p&token=t&secret=s")
    guard let room = JanusID(options & 2 == 0 ? "1234" : "lobby") else { return }
    let client = JanusClient(room: room, name: "Anna", secrets: secrets)
    client.start(now: 0)
    // Half of them are in the room already.
    if options & 4 == 0 { enter(client, room) }
    var (now, ends, known, requests): (Int64, Int, [JanusID], Int) = (0, 0, [], 0)
    var streams: [JanusSource] = []
    for _ in 0..<64 where !input.isAtEnd {
      switch input.number(below: 12) {
      case 0: now &+= Int64(input.byte()) * 1_000_000_000
      case 1: client.publish(offer: "v=0", texts: [("0", "screen")], now: now)
      case 2: client.add(candidate: input.byte() & 1 == 0 ? "" : "candidate:1", mid: "0", of: .publisher, now: now)
      case 3: client.want(input.byte() & 1 == 0 ? streams : Array(streams.prefix(1)), now: now)
      case 4: client.answer("v=0", now: now)
      case 5: client.restartReceiving(now: now)
      case 6: if let id = known.last { try? client.mute(id, true, now: now) }
      case 7:
        switch input.byte() {
        case 0: client.leave(now: now)
        case 1: client.describe([("0", "microphone (muted)")], now: now)
        case let layer where layer >= 128:
          for source in streams.prefix(8) {
            client.choose(JanusLayer(substream: Int(layer & 3), temporal: Int(layer >> 2 & 3)), of: source, now: now)
          }
        default: break
        }
      default: client.receive(Array(input.piece()), now: now)
      }
      if let next = client.poll(now: now) { expect(next > now, "it wants to be called again at once") }
      while let event = client.takeEvent() {
        expect(ends == 0, "something after the end")
        switch event {
        case .failed, .ended: ends += 1
        case .participant(let one):
          expect(one.name.utf8.count <= 255 && one.streams.count <= 32 && "\(one.id)".utf8.count <= 255, "too much of a participant")
          known.append(one.id)
          streams = Array((one.streams.map { JanusSource(one.id, mid: $0.mid) } + streams).prefix(64))
        case .offer(let sdp, let sources): expect(sdp.utf8.count <= 65_536 && sources.count <= 512, "an offer that cannot be")
        case .layer(_, let substream): expect((0...2).contains(substream), "substream \(substream)")
        case .talking(_, _, let level): expect(level <= 127, "level \(level)")
        default: break
        }
      }
      while let request = client.takeRequest() {
        requests += 1
        let read = try? JSONReader.read(request.httpBody, name: "request")
        expect(read != nil && (try? JSONReader.read(Array(request.text.utf8), name: "request")) != nil, "a request that is no JSON")
      }
    }
    expect(ends <= 1 && requests < 65_536, "\(ends) ends, \(requests) requests")
  }

  private static func enter(_ client: JanusClient, _ room: JanusID) {
    let number = if case .number = room { "1234" } else { "\"lobby\"" }
    let joined = #"{"videoroom":"joined","room":\#(number),"id":77,"publishers":[\#(publisher)]}"#
    for (transaction, message) in [
      (1, #""janus":"success","data":{"id":1}"#), (2, #""janus":"success","data":{"id":2}"#),
      (3, #""janus":"event","sender":2,"plugindata":{"data":\#(joined)}"#)
    ] {
      while client.takeRequest() != nil {}
      client.receive(Array("{\(message),\"transaction\":\"m\(transaction)\"}".utf8), now: 0)
    }
  }

  private static let publisher = #"{"id":8,"display":"Bob","streams":[{"type":"video","mid":"1","codec":"vp8"}]}"#
}
