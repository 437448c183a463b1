import MediaCore
import MediaNetwork

@testable import MediaTransport

/// Somebody with a transport, who writes down what happens.
final class RoomWitness: TransportDelegate, EncodedSink, @unchecked Sendable {
  struct Seen: Sendable {
    var events: [String] = []
    var errors: [MediaError] = []
    var streams: [StreamDescription] = []
    var members: [Member] = []
    var permissions: Permissions?
    var units: [[UInt8]] = []
    var pictures: [FrameID] = []
    var estimate: UInt64?
  }

  let transport: any Transport
  private let time: TestTime
  var ends: (@Sendable () -> Void)?
  let seen = Monitor(Seen())

  init(_ transport: any Transport, _ time: TestTime = .real) {
    (self.transport, self.time) = (transport, time)
  }

  private func note(_ event: String?, _ change: (inout Seen) -> Void = { _ in }) {
    seen.withLock { seen in
      change(&seen)
      if let event { seen.events.append(event) }
    }
  }

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected(let permissions): note("connected") { $0.permissions = permissions }
    case .reconnecting: note("reconnecting")
    case .reconnected: note("reconnected")
    case .disconnected(let error): note("disconnected \(error.map { "\($0.status)" } ?? "")") { if let error { $0.errors.append(error) } }
    case .joined(let member): note("joined \(member.userID)") { $0.members.append(member) }
    case .left(let userID): note("left \(userID)")
    case .streamAdded(let stream): note("added by \(stream.userID)") { $0.streams.append(stream) }
    case .streamRemoved(let id): note("removed") { $0.streams.removeAll { $0.id == id } }
    case .keyFrameRequested: note("key frame")
    case .attributeChanged(let userID, let key, let value, _): note("\(userID) \(key)=\(value ?? "nothing")")
    case .permissionsChanged(let userID, let permissions): note("permissions of \(userID) \(permissions.rawValue)")
    case .accessExpiring(let remaining): note("expires in \(remaining / 1_000_000) ms")
    case .accessRenewed(let error): note("renewed\(error.map { ": \($0.status)" } ?? "")")
    case .receivers(_, let count): note("receivers \(count)")
    case .wanted(_, let preference): note(preference.text)
    case .layers(_, let active, let bitrates): note("layers \(active) \(bitrates)")
    case .publishFailed(_, let error): note("publishing failed: \(error.status)")
    case .moderationFailed(let userID, let error): note("\(userID) is not moderated: \(error.status)")
    case .retrying(let error, _): note("retrying: \(error.status)")
    case .unreachable(_, let userID, let error): note("\(userID) is not sent it: \(error.status)")
    case .estimate(let bits): note(nil) { $0.estimate = bits }
    case .network: note("network")
    case .signal: note("signal")
    case .channel: note("channel")
    case .data(let userID, _): note("data of \(userID)")
    case .dataWritable: note("data writable")
    case .moderated(let userID, let moderation, let reason): note("\(moderation) by \(userID): \(reason)")
    case .streamMuted(_, let isMuted): note(isMuted ? "muted" : "unmuted")
    case .speaking(_, let userID, let isSpeaking, let level): note("\(userID) \(isSpeaking ? "speaks" : "is silent") at \(level)")
    }
  }

  func receive(_ frame: EncodedFrame, _ picture: FrameID) {
    let bytes = Array(frame.bytes)
    note(nil) { seen in
      seen.units.append(bytes)
      seen.pictures.append(picture)
    }
  }

  var events: [String] { seen.withLock { $0.events } }

  /// Waits until it holds, as long as `TestTime` does.
  func wait(_ body: (Seen) -> Bool) -> Bool { time.waits { seen.withLock { body($0) } } }

  /// Waits for an event, so many times.
  func sees(_ event: String, times: Int = 1) -> Bool { wait { $0.events.filter { $0 == event }.count >= times } }
}
