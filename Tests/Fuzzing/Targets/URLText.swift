import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

@testable import MediaTransport

/// URLs of rooms and sessions as a program passes them, and the texts in them.
enum URLText: FuzzTarget {
  static let name = "url"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let step = input.number(below: 4)
    let text = input.text
    switch step {
    case 0:
      if let (scheme, rest) = ParsedURL.split(text), let url = try? ParsedURL(text, scheme: String(scheme), argument: "url", form: "a url")
      {
        let written = url.path.utf8.count + (url.query.map { $0.utf8.count + 1 } ?? 0)
        expect(written <= rest.utf8.count && url.port != 0, "a part that is not of the url")
        expect(ParsedURL.decoded(url.path)?.utf8.contains(0) != true, "a NUL")
      }
      _ = try Transports.factory(of: text, argument: "url").target(text, "url")
    case 1:
      let key = [UInt8](repeating: 7, count: 30)
      _ = try? RTPURL.configuration("rtp://" + text, cname: "end", keys: (own: key, theirs: key))
      let configuration = try RTPURL.configuration("rtp://" + text, cname: "end")
      // Any address may be what a name stands for, where there is one.
      for host in ["192.0.2.7", "2001:db8::7", "239.1.2.3"] {
        if let address = SocketAddress(host, port: 5004) { _ = try? RTPURL.configuration("rtp://" + text, cname: "end", at: address) }
      }
      expect((1...2).contains(configuration.legs.count) && configuration.packetSize > 0, "a configuration that cannot be")
    case 2: _ = try Transports.factory(of: "livekit+wss://x", argument: "url").target("livekit+wss://" + text, "url")
    default: _ = try LoopbackURL.room(text, argument: "url")
    }
  }
}
