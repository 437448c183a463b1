import CMediaSDK
import MediaCore
import MediaRuntime

@testable import MediaTransport

/// A member of a loopback room on a virtual clock, that writes down what its transport tells it.
final class Peer: TransportDelegate, VideoSink, AudioSink {
  struct Arrival: Sendable, Equatable {
    let sequence: UInt64
    let time: Int64
  }

  let transport: LoopbackTransport
  let events = Journal<String>()
  let permissions = Journal<Permissions>()
  let streams = Journal<StreamDescription>()
  let arrivals = Journal<Arrival>()
  /// Who sent it, what, and how.
  let data = Journal<String>()
  private let clock: any MediaClock

  init(_ name: String, room: String, token: String = "", loop: EventLoop) {
    clock = loop.clock
    let member = Member(userID: name, displayName: name.uppercased())
    transport = LoopbackTransport(room: room, member: member, token: AccessToken(token), loop: loop)
  }

  @discardableResult
  func connect() -> Peer {
    transport.connect(self)
    return self
  }

  func publish(codec: UInt32) throws -> StreamID {
    let id = transport.makeStreamID()
    try transport.publish(id, codec: codec, format: .video(TestRoom.format, kind: 1))
    return id
  }

  func subscribe(to stream: StreamID) {
    // One that was not announced yet is of video.
    let isAudio = if case .audio = streams.entries.first(where: { $0.id == stream })?.format { true } else { false }
    transport.subscribe(to: stream, isAudio ? .audio(self) : .video(self))
  }

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected(let granted):
      permissions.add(granted)
      events.add("connected")
    case .reconnecting: events.add("reconnecting")
    case .reconnected: events.add("reconnected")
    case .disconnected(let error): events.add("disconnected \(error.map { "\($0.status)" } ?? "")")
    case .joined(let member): events.add("joined \(member.userID)")
    case .left(let userID): events.add("left \(userID)")
    case .streamAdded(let description):
      streams.add(description)
      events.add("added by \(description.userID)")
    case .streamRemoved: events.add("removed")
    case .keyFrameRequested: events.add("key frame")
    case .attributeChanged(let userID, let key, let value, _): events.add("\(userID) \(key)=\(value ?? "nothing")")
    case .permissionsChanged(let userID, let permissions): events.add("permissions of \(userID) \(permissions.rawValue)")
    case .accessExpiring(let remaining): events.add("expires in \(remaining / 1_000_000) ms")
    case .accessRenewed(let error): events.add("renewed\(error.map { ": \($0.status)" } ?? "")")
    case .receivers(_, let count): events.add("receivers \(count)")
    case .wanted(_, let preference): events.add(preference.text)
    case .layers(_, let active, let bitrates): events.add("layers \(active) \(bitrates)")
    case .publishFailed(_, let error): events.add("publishing failed: \(error.status)")
    case .unreachable(_, let userID, let error): events.add("\(userID) is not sent it: \(error.status)")
    case .estimate(let bits): events.add("estimate \(bits)")
    case .network, .signal, .channel: break
    case .data(let userID, let message):
      data.add("\(userID): \(String(decoding: message.bytes, as: UTF8.self)) \(message.topic)\(message.isLossy ? " lossy" : "")")
    case .dataWritable: events.add("data writable")
    case .moderated(let userID, let moderation, let reason): events.add("\(moderation) by \(userID): \(reason)")
    case .moderationFailed(let userID, let error): events.add("\(userID) is not moderated: \(error.status)")
    case .retrying(let error, _): events.add("retrying: \(error.status)")
    case .streamMuted(_, let isMuted): events.add(isMuted ? "muted" : "unmuted")
    case .speaking(_, let userID, let isSpeaking, let level): events.add("\(userID) \(isSpeaking ? "speaks" : "is silent") at \(level)")
    }
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) { arrived(id) }
  func receive(_ frame: VideoFrame, _ id: FrameID) { arrived(id) }
  func receive(_ frame: AudioFrame, _ id: FrameID) { arrived(id) }

  private func arrived(_ id: FrameID) {
    arrivals.add(Arrival(sequence: id, time: clock.now()))
  }
}

/// A room of its own, with its clock.
struct TestRoom {
  let name: String
  let clock = VirtualClock()
  let loop: EventLoop

  init(_ name: String = #function) {
    self.name = "\(name) \(#fileID)"
    loop = EventLoop("loop", clock: clock)
  }

  func peer(_ name: String, token: String = "") -> Peer {
    Peer(name, room: self.name, token: token, loop: loop)
  }

  func advance(milliseconds: Int64 = 0) throws {
    try clock.advance(by: milliseconds * 1_000_000)
  }

  func script(_ steps: [NetworkScript.Step], seed: UInt64 = 1, user: String? = nil) throws {
    let script = steps.isEmpty ? nil : try NetworkScript(steps: steps, seed: seed, start: clock.now())
    try LoopbackTransport.setScript(script, room: name, userID: user, clock: clock)
  }

  /// A raw stream of `from`'s, taken by `to`.
  func stream(from sender: Peer, to receivers: [Peer]) throws -> StreamID {
    let id = try sender.publish(codec: 0)
    for receiver in receivers { receiver.subscribe(to: id) }
    try advance()
    return id
  }

  static let format = VideoFormat(.gray8, width: 40, height: 30, frameRate: FrameRate(30))

  /// Sends an encoded unit of that many bytes.
  func send(_ bytes: Int, _ picture: FrameID, by peer: Peer, on id: StreamID) throws -> SendResult {
    let data = [UInt8](repeating: 1, count: bytes)
    let frame = try data.withUnsafeBytes { buffer in
      try EncodedFrame.make(copying: buffer, attributes: msdk_encoded_frame(), from: BufferPool(limit: 1), deadline: 0)
    }
    guard let frame else { return .queueFull }
    defer { frame.release() }
    return peer.transport.send(frame, picture, on: id)
  }

  func close(_ peers: Peer...) {
    for peer in peers { peer.transport.disconnect() }
    loop.stop()
    LoopbackTransport.forgetSettings(of: clock)
  }
}

let millisecond: Int64 = 1_000_000

extension VideoPreference {
  /// In the journals of the tests.
  var text: String {
    let rate = frameRate.map { "@\($0)" } ?? ""
    return self == .any ? "wants anything" : "wants \(isAnySize ? "any size" : "\(width)x\(height)")\(rate)"
  }
}
