import MediaCore
import MediaRTP
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
    case 0: _ = try RoomURL.target(text, argument: "url")
    case 1:
      let key = [UInt8](repeating: 7, count: 30)
      _ = try? RTPURL.configuration("rtp://" + text, cname: "end", keys: (own: key, theirs: key))
      let configuration = try RTPURL.configuration("rtp://" + text, cname: "end")
      expect((1...2).contains(configuration.legs.count) && configuration.packetSize > 0, "a configuration that cannot be")
    case 2:
      let url = try HubURL("hub://" + text, argument: "url")
      expect((1...255).contains(url.room.utf8.count), "a room without a name")
    default: _ = try RoomURL.loopbackName(text, argument: "url")
    }
  }
}
