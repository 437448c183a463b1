import CMediaSDK
import MediaCore
import MediaRuntime

@testable import MediaTransport

/// A member that films, speaks, and writes down all that it is told and given. Works on one thread, that of the virtual clock.
final class Caller: TransportDelegate, @unchecked Sendable {
  enum Kind: String {
    case picture, sound
  }

  struct Sent: Equatable {
    let hash: UInt64
    let stamp: Int64
    let isKeyFrame: Bool
  }

  struct Came: Equatable {
    let kind: Kind
    let id: FrameID
    let hash: UInt64
    let stamp: Int64
    let isKeyFrame: Bool
    let time: Int64
  }

  let transport: LoopbackTransport
  let clock: any MediaClock
  private(set) var events: [String] = []
  private(set) var estimates: [(time: Int64, bits: UInt64)] = []
  private(set) var came: [Came] = []
  private(set) var sent: [Kind: [Sent]] = [.picture: [], .sound: []]
  /// Units that came, where they are not kept.
  private(set) var taken = 0
  var keeps = true
  private(set) var video: StreamID?
  private(set) var audio: StreamID?
  private var wantsKeyFrame = true
  private var sinks: [Sink] = []
  private var others: [StreamDescription] = []
  private let pool = BufferPool(limit: 64)
  private static let videoFormat = VideoFormat(.i420, width: 320, height: 240, frameRate: FrameRate(10))

  private final class Sink: VideoSink, AudioSink, @unchecked Sendable {
    unowned let caller: Caller
    let kind: Kind
    init(_ caller: Caller, _ kind: Kind) { (self.caller, self.kind) = (caller, kind) }
    func receive(_ frame: EncodedFrame, _ id: FrameID) { caller.take(frame, id, kind) }
    func receive(_ frame: VideoFrame, _ id: FrameID) { caller.taken += 1 }
    func receive(_ frame: AudioFrame, _ id: FrameID) { caller.taken += 1 }
  }

  init(_ name: String, room: String, loop: EventLoop) {
    clock = loop.clock
    transport = LoopbackTransport(room: room, member: Member(userID: name, displayName: name), loop: loop)
  }

  func publish() throws {
    let (video, audio) = (transport.makeStreamID(), transport.makeStreamID())
    try transport.publish(video, codec: UInt32(MSDK_CODEC_VP8), format: .video(Caller.videoFormat, kind: 1))
    let sound = AudioFormat(.s16, sampleRate: 48_000, channels: 1, samplesPerBuffer: 2880)
    try transport.publish(audio, codec: UInt32(MSDK_CODEC_OPUS), format: .audio(sound, kind: UInt32(MSDK_AUDIO_MICROPHONE)))
    (self.video, self.audio) = (video, audio)
  }

  /// To all that the others publish.
  func subscribe() {
    for stream in others {
      let sink = if case .video = stream.format { Sink(self, .picture) } else { Sink(self, .sound) }
      sinks.append(sink)
      transport.subscribe(to: stream.id, sink.kind == .picture ? .video(sink) : .audio(sink))
    }
  }

  // MARK: Out

  /// As an encoder does: a key frame where one was asked for or the last one was not taken, nothing while too much waits.
  func film(_ size: Int) throws {
    guard let video, transport.backlog(of: video) < 300 * millisecond else { return }
    let number = sent[.picture]?.count ?? 0
    let isKeyFrame = wantsKeyFrame
    var bytes = (0..<max(10, isKeyFrame ? 2 * size : size)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &* 7) }
    let head: [UInt8] = isKeyFrame ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
    bytes.replaceSubrange(0..<head.count, with: head)
    wantsKeyFrame = try !send(bytes, .picture, on: video, isKeyFrame: isKeyFrame)
  }

  /// A packet of 60 ms, or of two such frames.
  func speak(isLong: Bool = false) throws {
    guard let audio else { return }
    let number = sent[.sound]?.count ?? 0
    _ = try send(
      [3 << 3 | (isLong ? 1 : 0)] + (0..<60).map { UInt8(truncatingIfNeeded: $0 &+ number) }, .sound, on: audio, isKeyFrame: false)
  }

  private func send(_ bytes: [UInt8], _ kind: Kind, on stream: StreamID, isKeyFrame: Bool) throws -> Bool {
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(kind == .picture ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS)
    attributes.flags = isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0
    attributes.timestamp_ns = clock.now() - 3 * millisecond
    let made = try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
    guard let frame = made else { return false }
    defer { frame.release() }
    let result = transport.send(frame, FrameID(sent[kind, default: []].count + 1), on: stream)
    guard result == .sent else { return false }
    sent[kind, default: []].append(Sent(hash: Caller.hash(frame.bytes), stamp: attributes.timestamp_ns, isKeyFrame: isKeyFrame))
    return true
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  // MARK: In

  private func take(_ frame: EncodedFrame, _ picture: FrameID, _ kind: Kind) {
    taken += 1
    guard keeps else { return }
    came.append(
      Came(
        kind: kind, id: picture, hash: Caller.hash(frame.bytes), stamp: frame.native.pointee.timestamp_ns, isKeyFrame: frame.isKeyFrame,
        time: clock.now()))
  }

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .estimate(let bits):
      estimates.append((clock.now(), bits))
      events.append("\(clock.now()) estimate \(bits)")
    case .keyFrameRequested:
      wantsKeyFrame = true
      events.append("\(clock.now()) key frame")
    case .streamAdded(let description): others.append(description)
    case .connected, .reconnecting, .reconnected, .disconnected: events.append("\(clock.now()) \(event)")
    default: break
    }
  }

  /// Of one kind, what came that is not what was sent, in its order and, of pictures, behind the one before it or a key frame.
  func faults(_ kind: Kind, of sender: Caller) -> [String] {
    var faults: [String] = []
    var last: FrameID = 0
    for unit in came where unit.kind == kind {
      defer { last = unit.id }
      if unit.id <= last { faults.append("\(kind) \(unit.id) after \(last)") }
      let sent = sender.sent[kind, default: []]
      guard unit.id >= 1, unit.id <= sent.count else {
        faults.append("\(kind) \(unit.id) of \(sent.count)")
        continue
      }
      let this = Sent(hash: unit.hash, stamp: unit.stamp, isKeyFrame: unit.isKeyFrame)
      if sent[Int(unit.id) - 1] != this { faults.append("\(kind) \(unit.id) is another") }
      if kind == .picture, !unit.isKeyFrame, unit.id != last + 1 { faults.append("\(kind) \(unit.id) builds on what was lost") }
    }
    return faults
  }
}

/// One who films and one who watches, under a script.
struct ScriptedCall {
  let room: TestRoom
  let anna: Caller
  let bert: Caller
  let start: Int64

  init(_ name: String, _ steps: [NetworkScript.Step], seed: UInt64) throws {
    room = TestRoom(name)
    (anna, bert) = (Caller("anna", room: room.name, loop: room.loop), Caller("bert", room: room.name, loop: room.loop))
    anna.transport.connect(anna)
    bert.transport.connect(bert)
    try room.advance()
    try room.script(steps, seed: seed, user: "anna")
    start = room.clock.now()
    try anna.publish()
    try room.advance()
    bert.subscribe()
    try room.advance()
  }

  /// Pictures as large as `size` says and packets of sound, each so many milliseconds after the last.
  func play(milliseconds: Int64, pictures: Int64 = 100, sound: Int64 = 60, _ size: () -> Int) throws {
    for time in stride(from: 0, to: milliseconds, by: 20) {
      if time % sound == 0 { try anna.speak(isLong: sound == 120) }
      if time % pictures == 0 { try anna.film(size()) }
      try room.advance(milliseconds: 20)
    }
  }

  func close() {
    anna.transport.disconnect()
    bert.transport.disconnect()
    room.loop.stop()
    LoopbackTransport.forgetSettings(of: room.clock)
  }
}
