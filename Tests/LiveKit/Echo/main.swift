// Reads messages and access tokens of LiveKit and writes them back, for the checks beside it. A record is a kind, a length of four bytes, the
// lowest first, and bytes; the answer is a record of kind 0 with what this library writes of what it has read, or of kind 1 with the text of an
// error. A token stands behind the time, the API key and its secret, each on its line; it comes back made anew, for an hour. Messages of the API
// come back in the same encoding, from bytes as JSON, or from JSON as bytes (kinds from 16, 32 and 48 on).

import Glibc
import MediaCore

@testable import MediaSignalling

func take(_ count: Int) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: count)
  var place = 0
  while place < count {
    let more = bytes.withUnsafeMutableBytes { read(0, $0.baseAddress! + place, count - place) }
    guard more > 0 else { return nil }
    place += more
  }
  return bytes
}

func give(_ bytes: [UInt8]) {
  var place = 0
  while place < bytes.count {
    let more = bytes.withUnsafeBytes { write(1, $0.baseAddress! + place, bytes.count - place) }
    guard more > 0 else { exit(1) }
    place += more
  }
}

func again<M: ProtoMessage>(_: M.Type, _ bytes: [UInt8]) -> (UInt8, [UInt8]) {
  do throws(MediaError) {
    return (0, try M(reading: bytes).encoded)
  } catch {
    return (1, Array(error.text.utf8))
  }
}

let service: [any ProtoMessage.Type] = [
  LiveKitRoomNames.self, LiveKitServiceTarget.self, LiveKitRoomChange.self, LiveKitParticipantChange.self, LiveKitServiceData.self,
  LiveKitRooms.self, LiveKitRoom.self, LiveKitParticipants.self, LiveKitParticipant.self, LiveKitMutedTrack.self, LiveKitNothing.self
]

extension ProtoMessage {
  static func again(_ encoding: UInt8, _ bytes: [UInt8]) -> (UInt8, [UInt8]) {
    do throws(MediaError) {
      switch encoding {
      case 1: return (0, try Self(reading: bytes).encoded)
      case 2: return (0, Array(try Self(reading: bytes).json.compact.utf8))
      default: return (0, try Self(json: JSONReader.read(bytes, name: "message"), name: "message").encoded)
      }
    } catch {
      return (1, Array(error.text.utf8))
    }
  }
}

func again(token text: String) -> (UInt8, [UInt8]) {
  let parts = text.split(separator: "\n").map(String.init)
  guard parts.count == 4, let now = Int64(parts[0]) else { return (1, Array("no token with its time, key and secret".utf8)) }
  do throws(MediaError) {
    let grants = try LiveKitToken.verify(parts[3], now: now) { $0 == parts[1] ? parts[2] : nil }
    return (0, Array(try LiveKitToken.make(grants, key: parts[1], secret: parts[2], now: now, expires: now + 3600).utf8))
  } catch {
    return (1, Array(error.text.utf8))
  }
}

while let head = take(5) {
  let length = head[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
  guard let bytes = take(length) else { exit(1) }
  let (kind, answer) =
    switch head[0] {
    case 0: again(LiveKitRequest.self, bytes)
    case 1: again(LiveKitResponse.self, bytes)
    case 2: again(LiveKitJoinRequest.self, bytes)
    case 3: again(LiveKitWrappedJoin.self, bytes)
    case 16...: service[Int(head[0] & 15)].again(head[0] >> 4, bytes)
    default: again(token: String(decoding: bytes, as: UTF8.self))
    }
  let size = (0..<4).map { UInt8(truncatingIfNeeded: answer.count >> (8 * $0)) }
  give([kind] + size + answer)
}
