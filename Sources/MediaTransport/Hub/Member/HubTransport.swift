import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaTLS

/// A session's way to a room that a hub elsewhere has opened to the network: the protocol of `Transport` in messages over TLS, media over SRTP.
/// Events come on the loop, media on the network thread; what is sent is cut, sealed and sent on the caller's.
final class HubTransport: Transport {
  enum Phase: Equatable {
    case idle
    /// Until then the hub has to be reached.
    case connecting(Int64)
    /// Hello was said; the room answers when it likes.
    case waiting
    case here
    /// The connection broke; until then it may be mended.
    case reconnecting(Int64)
    case out
    case left
  }

  struct Guarded {
    var phase = Phase.idle
    var delegate: (any TransportDelegate)?
    var tag: UInt64?
    /// On its way, and when the next attempt begins or this one has failed.
    var attempt: (any StreamConnection)?
    var addresses = HubAddresses()
    var attemptDue = Int64.min
    var attemptFailure: String?
    var line: HubLine?
    var hasSaidHello = false
    var log = ReliableOutbox()
    /// More waits to be said than can be kept.
    var isOverfull = false
    var room = HubRoster()
    var ticket: [UInt8] = []
    var permissions: Permissions = []
    /// Of this end's own participant.
    var attributes: ParticipantAttributes
    var socket: HubSocket?
    var media: HubMedia?
    /// An empty list that has room, for what arrives.
    var taken: [PeerArrival] = []
    /// Until the hub's packets come it is told where this end is.
    var greetDue = Int64.max
    var greetEnd = Int64.max
    var stats = TransportStats()

    init(_ attributes: ParticipantAttributes) { self.attributes = attributes }
  }

  static let patience: Int64 = 10_000_000_000
  static let absence: Int64 = 30_000_000_000
  let url: HubURL
  let member: Member
  let token: AccessToken
  let loop: EventLoop
  let thread: any DriverLoop
  let network: any Network
  let bitrates: BandwidthEstimator.Limits
  let capture: PacketCapture?
  let rows = Monitor(DatagramRows())
  let guarded: Monitor<Guarded>

  init(
    _ url: HubURL, member: Member, token: AccessToken = AccessToken(""), loop: EventLoop, thread: any DriverLoop,
    network: any Network = SystemNetwork.shared, bitrates: BandwidthEstimator.Limits = .init(), capture: PacketCapture? = nil
  ) {
    (self.url, self.member, self.token, self.loop, self.thread, self.network) = (url, member, token, loop, thread, network)
    (self.bitrates, self.capture) = (bitrates, capture)
    guarded = Monitor(Guarded(member.attributes))
  }

  var clock: any MediaClock { loop.clock }

  func post(_ event: TransportEvent) {
    loop.post { self.guarded.withLock { $0.delegate }?.transport(self, event) }
  }

  // MARK: Coming and going

  func connect(_ delegate: any TransportDelegate) {
    let now = clock.now()
    do throws(MediaError) {
      try guarded.withLock { guarded throws(MediaError) in
        guard guarded.phase == .idle else { return }
        guarded.delegate = delegate
        guarded.phase = .connecting(now &+ HubTransport.patience)
        // The network thread does the rest.
        guarded.tag = try thread.add(self, [])
      }
    } catch {
      guarded.withLock { guarded in (guarded.delegate, guarded.phase) = (delegate, .out) }
      post(.disconnected(error))
    }
  }

  func disconnect() {
    let now = clock.now()
    let (tag, line, media): (UInt64?, HubLine?, HubMedia?) = guarded.withLock { guarded in
      if guarded.phase == .here, let line = guarded.line { guarded.log.say(over: line.connection, now: now) }
      defer {
        (guarded.phase, guarded.delegate, guarded.room) = (.left, nil, HubRoster())
        (guarded.attempt, guarded.socket) = (nil, nil)
        guarded.addresses.reset()
      }
      return (guarded.tag.take(), guarded.line.take(), guarded.media.take())
    }
    if let tag { thread.remove(tag) }
    media?.leave(now: now)
    capture?.close()
    guard let line else { return }
    line.connection.send(HubConnection.frame { HubRequest.leave.write(to: &$0) }, now: now)
    line.connection.close()
    _ = line.flush(now: now)
  }

  // MARK: Saying something

  /// From any thread: it goes out with the network thread's next turn, or with the next connection.
  func say(_ request: HubRequest) {
    let frame = HubConnection.frame { request.write(to: &$0) }
    let tag: UInt64? = guarded.withLock { guarded in
      guard guarded.isMember else { return nil }
      if !guarded.log.keep(frame, request.meaning) { guarded.isOverfull = true }
      return guarded.tag
    }
    if let tag { thread.wake(tag, at: .min) }
  }

  // MARK: Streams out

  func makeStreamID() -> StreamID { StreamID.next() }

  func publish(_ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers) throws(MediaError) {
    try layers.checkIsOne(over: "hub:")
    let isVideo = if case .video = format { true } else { false }
    guard codec == UInt32(isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS) else {
      let what = codec == FourCC.raw ? "raw" : "of codec \(FourCC.text(codec))"
      throw MediaError(.unsupported, "the stream is \(what); accepted over a hub: MSDK_CODEC_VP8 and MSDK_CODEC_OPUS")
    }
    let now = clock.now()
    let own: HubRoster.Own = try guarded.withLock { guarded throws(MediaError) in
      guard guarded.isMember else { throw HubTransport.notConnected }
      guard guarded.permissions.isSuperset(of: format.needed) else { throw refusal(to: format.publishing) }
      guard let own = guarded.room.publish(stream, codec: codec, video: isVideo, now: now) else {
        let what = isVideo ? "video" : "audio"
        throw MediaError(.full, "the session already publishes \(HubSlot.perKind) \(what) streams, the maximum over a hub")
      }
      return own
    }
    say(.publish(own.number, own.slot, codec: codec, format: format))
  }

  private static let notConnected = MediaError(.state, "the session is not connected")

  private func refusal(to what: String) -> MediaError {
    MediaError(.permission, "room \"\(url.room.prefix(64))\" does not permit \"\(member.userID.prefix(64))\" to \(what)")
  }

  func unpublish(_ stream: StreamID) {
    let now = clock.now()
    let own: HubRoster.Own? = guarded.withLock { guarded in
      guard let own = guarded.room.unpublish(stream, now: now) else { return nil }
      guarded.media?.end(own.slot)
      return own
    }
    if let own { say(.unpublish(own.number)) }
  }

  private func withNumber(_ stream: StreamID, _ request: (UInt32) -> HubRequest) {
    if let own = guarded.withLock({ $0.room.own[stream] }) { say(request(own.number)) }
  }

  func setFormat(_ stream: StreamID, _ format: StreamFormat) { withNumber(stream) { .setFormat($0, format) } }
  func setMuted(_ stream: StreamID, _ isMuted: Bool) { withNumber(stream) { .setMuted($0, isMuted) } }

  func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32) {
    guarded.withLock { $0.room.setSpeaking(stream, isSpeaking) }
    withNumber(stream) { .setSpeaking($0, isSpeaking, level: level) }
  }

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult {
    let now = clock.now()
    let (result, tag, next): (SendResult, UInt64?, Int64) = guarded.withLock { guarded in
      guard let media = guarded.media, let own = guarded.room.own[stream], own.codec == frame.native.pointee.codec else {
        return (.notConnected, nil, 0)
      }
      guard own.receivers > 0 else { return (.noReceiver, nil, 0) }
      do throws(PacketError) {
        try media.send(frame, id, on: own.slot, isVoice: own.isSpeaking, now: now)
      } catch {
        return (.queueFull, guarded.tag, .min)
      }
      guarded.stats.bytesSent &+= UInt64(frame.bytes.count)
      guarded.stats.packetsSent &+= UInt64(NetworkLink.packets(bytes: frame.bytes.count))
      return (.sent, guarded.tag, media.push(now: now))
    }
    if let tag { thread.wake(tag, at: next) }
    return result
  }

  func backlog(of stream: StreamID) -> Int64 { guarded.withLock { $0.media?.backlog(at: clock.now()) ?? 0 } }

  // MARK: Streams in

  func subscribe(to stream: StreamID, _ sink: StreamSink) {
    let now = clock.now()
    let found: (number: UInt32, slot: HubSlot)? = guarded.withLock { guarded in
      guard guarded.permissions.contains(.receive), let found = guarded.room.receive(stream, sink.encoded, now: now) else { return nil }
      guarded.media?.setPerson(guarded.room.others[stream]?.userID.hashValue ?? 0, of: found.slot)
      return found
    }
    if let found { say(.subscribe(found.number, found.slot)) }
  }

  func unsubscribe(from stream: StreamID) {
    let now = clock.now()
    if let number = guarded.withLock({ $0.room.endReceiving(stream, now: now) }) { say(.unsubscribe(number)) }
  }

  func requestKeyFrame(of stream: StreamID) {
    if let other = guarded.withLock({ $0.room.others[stream] }), other.sink != nil { say(.requestKeyFrame(other.number)) }
  }

  func prefer(_ preference: VideoPreference, of stream: StreamID) {
    if let other = guarded.withLock({ $0.room.others[stream] }) { say(.prefer(other.number, preference)) }
  }

  /// What is set before the hub was greeted comes with the greeting; after that it is said in order.
  func setAttribute(_ key: String, _ value: String?) throws(MediaError) {
    let frame = HubConnection.frame { HubRequest.setAttribute(key, value).write(to: &$0) }
    let tag: UInt64? = try guarded.withLock { guarded throws(MediaError) in
      guard try guarded.attributes.set(key, value), guarded.phase == .waiting || guarded.isMember else { return nil }
      if !guarded.log.keep(frame, HubRequest.setAttribute(key, value).meaning) { guarded.isOverfull = true }
      return guarded.tag
    }
    if let tag { thread.wake(tag, at: .min) }
  }

  func renew(_ token: AccessToken) { say(.renew(token)) }

  // MARK: Moderation

  func remove(_ userID: String, reason: String) throws(MediaError) {
    try checkModeration(of: userID)
    say(.remove(userID: userID, reason: reason))
  }

  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) {
    try checkModeration(of: userID)
    say(.mute(userID: userID, isMuted))
  }

  private func checkModeration(of userID: String) throws(MediaError) {
    let (isMember, permissions, isKnown) = guarded.withLock { ($0.isMember, $0.permissions, $0.room.members[userID] != nil) }
    guard isMember else { throw HubTransport.notConnected }
    guard permissions.contains(.moderate) else { throw refusal(to: "moderate") }
    guard userID != member.userID else {
      throw MediaError(.invalid, "user_id is \"\(userID)\", which is the session's own; accepted: another member of the room")
    }
    guard isKnown else { throw MediaError(.notFound, "user_id is \"\(userID)\"; no member of room \"\(url.room.prefix(64))\" has it") }
  }

  var stats: TransportStats {
    guarded.withLock { guarded in
      var stats = guarded.stats
      guarded.media?.look.add(to: &stats)
      return stats
    }
  }

  func statsEntries(at time: Double) -> [JSON] {
    guarded.withLock { $0.media?.look }?.entries(of: 0, cipher: url.profile, at: time) ?? []
  }

  func setTargetBitrate(_ stream: StreamID, layer: Int, _ bitrate: UInt64) {
    guarded.withLock { guarded in
      if let slot = guarded.room.own[stream]?.slot { guarded.media?.setTargetBitrate(bitrate, of: slot) }
    }
  }

  var networkFigures: NetworkFigures? { guarded.withLock { $0.media?.networkFigures } ?? NetworkFigures() }

  func look(sending stream: StreamID) -> OutboundSnapshot? {
    guarded.withLock { guarded in guarded.room.own[stream].flatMap { guarded.media?.look(sending: $0.slot) } }
  }

  func look(receiving stream: StreamID) -> InboundSnapshot? {
    guarded.withLock { guarded in guarded.room.others[stream]?.slot.flatMap { guarded.media?.look(receiving: $0) } }
  }
}

extension HubTransport.Guarded {
  /// Let in, whether it can be reached just now or not.
  var isMember: Bool {
    switch phase {
    case .here, .reconnecting: true
    case .idle, .connecting, .waiting, .out, .left: false
    }
  }
}
