import CMediaSDK
import MediaPlugins
import MediaTransport

@testable import MediaCore
@testable import MediaSDK

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

/// Two members of a room of their own; on a virtual clock unless asked otherwise.
final class Call {
  let engine: Engine
  let room: String
  let anna: Session
  let bert: Session

  init(_ name: String = #function, file: String = #fileID, isVirtual: Bool = true, encrypts: Bool = false, encryptsData: Bool = false)
    throws
  {
    var options = EngineOptions()
    options.isVirtualClock = isVirtual
    options.ignoresEnvironment = true
    engine = Engine(options)
    room = "loopback:\(name) \(file)"
    var (annas, berts) = (SessionOptions(url: room, userID: "anna"), SessionOptions(url: room, userID: "bert", displayName: "Bert B."))
    (annas.encrypts, berts.encrypts) = (encrypts, encrypts)
    (annas.encryptsData, berts.encryptsData) = (encryptsData, encryptsData)
    anna = try engine.makeSession(annas)
    bert = try engine.makeSession(berts)
  }

  deinit {
    engine.close()
  }

  func advance(_ nanoseconds: Int64 = 0) throws {
    try engine.advanceClock(by: nanoseconds)
  }

  func script(_ steps: NetworkScript.Step..., user: String? = nil) throws {
    try engine.scriptNetwork(room, steps, seed: 1, userID: user)
  }

  /// Connects both, and forgets what that was announced with.
  func connect(taking nanoseconds: Int64 = 0) throws -> Call {
    try anna.connect()
    try bert.connect()
    try advance(nanoseconds)
    _ = events(anna)
    _ = events(bert)
    return self
  }

  /// What waits, taken out and written down.
  func events(_ session: Session) -> [String] {
    stamped(session).map { Call.describe($0.event) }
  }

  func stamped(_ session: Session) -> [StampedEvent] {
    var all: [StampedEvent] = []
    while let event = try? session.nextEvent(deadline: 0) { all.append(event) }
    return all
  }

  /// A stream of anna's, started, that bert receives.
  func stream(_ options: OutgoingVideoOptions, _ wanted: IncomingVideoOptions = IncomingVideoOptions()) throws -> (
    OutgoingVideo, IncomingVideo
  ) {
    let outgoing = try engine.makeOutgoingVideo(options)
    try anna.start(outgoing)
    try advance()
    guard let incoming = bert.incomingVideos.last else { throw MediaError(.notFound, "no stream came") }
    try incoming.start(wanted)
    try advance()
    return (outgoing, incoming)
  }

  static func describe(_ event: SessionEvent) -> String {
    switch event {
    case .state(let state, let error): "\(state)\(error.map { " \($0.status)" } ?? "")"
    case .participantJoined(let member): "joined \(member.userID) (\(member.displayName))"
    case .participantLeft(let userID): "left \(userID)"
    case .outgoingVideoState(_, let state, let error): "outgoing \(state)\(error.map { " \($0.status)" } ?? "")"
    case .frameSenderChanged(_, let sender): "sender \(sender.format)"
    case .incomingVideoAdded(let stream): "added by \(stream.userID)"
    case .incomingVideoState(_, let state, _): "incoming \(state)"
    case .incomingVideoRemoved(let stream): "removed, \(stream.state)"
    case .networkQuality(let direction, let grade, _): "network \(direction) \(grade)"
    case .estimate(let bits): "estimate \(bits)"
    case .plugin(_, let event): "plugin \(event.event) \(event.status.map { "\($0)" } ?? "ok") \(event.text)"
    case .keyFrameRequested: "key frame"
    case .codecChanged(_, let codec): "codec \(codec)"
    case .screenShareState(let userID, let isSharing, _): "\(userID) \(isSharing ? "shares" : "shares no more")"
    case .outgoingAudioState(_, let state, let error): "outgoing sound \(state)\(error.map { " \($0.status)" } ?? "")"
    case .incomingAudioAdded(let stream): "sound added by \(stream.userID)"
    case .incomingAudioState(_, let state, _): "incoming sound \(state)"
    case .incomingAudioRemoved(let stream): "sound removed, \(stream.state)"
    case .incomingAudioMuted(let stream, let isMuted): "\(stream.userID) \(isMuted ? "muted" : "unmuted")"
    case .streamUnreachable(_, let userID, let error): "\(userID) is not sent it: \(error.status)"
    case .moderated(let userID, let moderation, let reason): "\(moderation) by \(userID): \(reason)"
    case .activeSpeaker(let userID, let isSpeaking, let level): "\(userID) \(isSpeaking ? "speaks" : "is silent") at \(level)"
    case .audioLevel(_, let userID, let level): "\(userID) at \(level)"
    case .statsDue: "stats"
    case .participantAttribute(let userID, let key): "\(userID) changed \(key)"
    case .accessExpiring(let remaining): "expires in \(remaining / millisecond) ms"
    case .accessRenewed(let permissions, let error): "renewed \(permissions.rawValue)\(error.map { " \($0.status)" } ?? "")"
    case .receivers(_, let count): "receivers \(count)"
    case .wanted(_, let wanted): "wanted \(wanted.width)x\(wanted.height)\(wanted.frameRate.map { "@\($0)" } ?? "")"
    case .ingest(let event): "feeder \(event.state) \(event.reason)"
    case .signal(let event): "signalling \(event)"
    case .channel(let channel, let event): "channel \(channel.value) \(event)"
    case .dataAvailable: "data available"
    case .callAvailable: "call available"
    case .dataStreamAvailable: "data stream available"
    case .dataWritable: "data writable"
    case .encryption(_, let state, let index): "encryption \(state) \(index)"
    case .dataEncryption(let userID, let state, let index): "data encryption \(userID) \(state) \(index)"
    }
  }
}

/// Formats and options that the tests use.
enum Make {
  static func format(_ width: UInt32 = 320, _ height: UInt32 = 180, _ rate: UInt32 = 15, _ pixelFormat: PixelFormat = .i420) -> VideoFormat
  {
    VideoFormat(pixelFormat, width: width, height: height, frameRate: FrameRate(rate))
  }

  static func raw(_ formats: VideoFormat...) -> OutgoingVideoOptions {
    OutgoingVideoOptions(formats: formats.isEmpty ? [format()] : formats)
  }

  static func vp8(_ formats: VideoFormat...) -> OutgoingVideoOptions {
    var options = OutgoingVideoOptions(formats: formats.isEmpty ? [format()] : formats)
    options.codec = UInt32(MSDK_CODEC_VP8)
    options.queueCapacity = 1
    return options
  }

  static func screen(_ formats: VideoFormat..., codec: Int = MSDK_CODEC_RAW) -> OutgoingVideoOptions {
    var options = OutgoingVideoOptions(formats: formats)
    options.kind = .screenShare
    options.codec = UInt32(codec)
    return options
  }

  static func incoming(_ change: (inout IncomingVideoOptions) -> Void) -> IncomingVideoOptions {
    var options = IncomingVideoOptions()
    change(&options)
    return options
  }
}

extension FrameSender {
  /// Sends a new picture, all of one shade, and says what became of it when that is known at once.
  @discardableResult
  func sendPicture(_ shade: UInt8 = 100, timestamp: Int64 = 0, completion: Completion = .queued()) throws -> UInt64 {
    let frame = try acquire(deadline: 0)
    defer { frame.release() }
    frame.fill(shade)
    try send(frame, timestamp: timestamp, completion: completion)
    return frame.native.pointee.sequence
  }
}

extension VideoFrame {
  func fill(_ shade: UInt8) {
    let format = self.format
    for index in 0..<format.pixelFormat.planeCount {
      let plane = plane(index)
      let count =
        Int(plane.stride) * (format.pixelFormat.rows(plane: index, height: Int(format.height)) - 1)
        + format.pixelFormat.rowBytes(plane: index, width: Int(format.width))
      plane.data.update(repeating: index == 0 ? shade : 128, count: count)
    }
  }

  /// The first byte of the first plane.
  var shade: UInt8 { plane(0).data[0] }
}

extension Make {
  static func encoded(_ bytes: [UInt8], codec: UInt32 = UInt32(MSDK_CODEC_VP8), isKey: Bool = false, sequence: UInt64 = 0) throws
    -> EncodedFrame
  {
    var attributes = msdk_encoded_frame()
    attributes.codec = codec
    attributes.flags = isKey ? UInt32(MSDK_ENCODED_KEY) : 0
    attributes.sequence = sequence
    let frame = try bytes.withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: attributes, from: BufferPool(limit: 1), deadline: 0)
    }
    guard let frame else { throw MediaError(.noMemory, "no encoded frame") }
    return frame
  }
}
