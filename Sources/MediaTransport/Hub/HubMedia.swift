import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSRTP

/// Media between the hub and one member, at either end: a session of RTP under SRTP, by their terms, over a socket that others may use too. Units
/// pass as they are. Calls come one at a time.
final class HubMedia {
  enum Arrival {
    case unit(HubSlot, EncodedFrame, lost: Int)
    case keyFrameRequested(HubSlot)
    case target(Int)
  }

  /// A place that is sent on.
  private struct Outgoing {
    let stream: Int
    /// Where the last packet of sound ended: a packet later than that begins a spurt of talk.
    var end: Int64?
  }

  private let session: RTPSession
  let terms: MediaParameters
  private let isHub: Bool
  private let clock: any MediaClock
  private let sender: SRTPSender
  private let receiver: SRTPReceiver
  private let socket: HubSocket
  private let witness: (any PacketTap)?
  private let outlet: Outlet
  private let arrivals: RTPArrivals
  private var list: [RTPArrivals.Arrival] = []
  private var outgoing: [HubSlot: Outgoing] = [:]
  private var lost: [HubSlot: Int] = [:]
  private let batch = DatagramBatch()
  private var first = 0
  private let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
  /// nil: not known before a member has shown where they are.
  private(set) var remote: SocketAddress?
  /// Where the member is, at the hub.
  private var path = PathValidation()
  /// Packets that were not what they said.
  private(set) var refused: UInt64 = 0
  private static let reportInterval: Int64 = 500_000_000
  /// Held back at the hub at most: units wait where they are played.
  private static let mostDelay: Int64 = 60_000_000
  /// A large key frame takes long over a slow network path. What is to be dropped is dropped before it is queued (`HubStreams`); what was queued is
  /// paced as the path carries it.
  private static let longestLeaving: Int64 = 30_000_000_000

  init(
    _ terms: MediaParameters, isHub: Bool, over socket: HubSocket, to remote: SocketAddress?, bitrates: BandwidthEstimator.Limits,
    clock: any MediaClock,
    witness: (any PacketTap)? = nil, seed: UInt64 = .random(in: 0...(.max))
  ) throws(MediaError) {
    (self.terms, self.isHub, self.socket, self.remote, self.clock, self.witness) = (terms, isHub, socket, remote, clock, witness)
    sender = try SRTPSender(terms.profile, isHub ? terms.down : terms.up)
    receiver = try SRTPReceiver(terms.profile, isHub ? terms.up : terms.down)
    let now = clock.now()
    var settings = RTPSettings(
      cname: isHub ? "hub" : "member", clock: NTPClock(NTPTimestamp(unixNanoseconds: MediaTime.wallClock()), at: now),
      seed: seed)
    settings.extensions = terms.extensions
    settings.reportsAtOnce = true
    // Two legs add up their errors: the more reports, the sooner each knows the drift of the two clocks.
    settings.reports.minimum = HubMedia.reportInterval
    settings.ssrc = terms.ssrc(ofEnd: isHub)
    settings.bitrates = bitrates
    if isHub {
      (settings.delay.most, settings.longestHold) = (HubMedia.mostDelay, 0)
      (settings.pacing.picture, settings.pacing.leaving, settings.pacing.budget) = (HubMedia.longestLeaving, HubMedia.longestLeaving, nil)
    }
    session = RTPSession(settings, receiving: terms.types, now: now)
    arrivals = RTPArrivals(clock: clock)
    outlet = Outlet(arrivals)
    outlet.media = self
  }

  deinit {
    take { if case .unit(_, let frame, _) = $0 { frame.release() } }
    plain.deallocate()
  }

  // MARK: In

  /// A datagram of this member's, as it says; whether it is, and shows that the other end hears this one.
  func receive(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress, now: Int64) -> Bool {
    if let witness, !witness.seesPlain, let local = socket.localAddress { witness.saw(datagram, from: address, to: local) }
    guard let ssrc = MediaParameters.ssrc(of: datagram), ssrc & ~255 == terms.base, (ssrc & 0x80 != 0) != isHub else {
      refused &+= 1
      return false
    }
    do throws(PacketError) {
      let isControl = RTPPacket.isRTCP(datagram)
      let size = isControl ? try receiver.unprotectControl(datagram, into: plain) : try receiver.unprotect(datagram, into: plain)
      let opened = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(plain).prefix(size))
      if let witness, witness.seesPlain, let local = socket.localAddress { witness.saw(opened, from: address, to: local) }
      if isControl, let message = HubPathMessage(parsing: opened) {
        follow(message, from: address)
        return isHub
      }
      session.receive(opened, now: now, outlet)
      if isHub { challenge(address, datagram.count, now) }
      return true
    } catch {
      refused &+= 1
      return false
    }
  }

  /// A member may move, to where they have shown that they are reached.
  private func challenge(_ address: SocketAddress, _ size: Int, _ now: Int64) {
    let cost = HubPathMessage.size + terms.profile.controlOverhead
    let challenge = path.received(size, from: address, challengeSize: cost, now: now) { UInt64.random(in: 0...(.max)) }
    if let challenge { send(.challenge(challenge), to: address) }
  }

  private func follow(_ message: HubPathMessage, from address: SocketAddress) {
    switch message {
    case .challenge(let value):
      if !isHub, let remote { send(.returned(value), to: remote) }
    case .returned(let value):
      guard isHub, path.returned(value, from: address) else { return }
      remote = address
      greet()
    }
  }

  /// The hub was reached at this address, of the same family.
  func move(to address: SocketAddress) {
    remote = address.with(port: terms.port)
  }

  private func send(_ message: HubPathMessage, to address: SocketAddress) {
    withUnsafeTemporaryAllocation(byteCount: HubPathMessage.size, alignment: 8) { memory in
      var writer = PacketWriter(memory)
      message.write(to: &writer, from: terms.ssrc(ofEnd: isHub))
      transmit(writer.bytes, isControl: true, to: address)
    }
    flush()
  }

  /// What came, to be handed on where nothing is locked; frames are the taker's to release.
  func take(_ body: (Arrival) -> Void) {
    arrivals.take(&list)
    for arrival in list {
      switch arrival {
      case .picture(let ssrc, let frame, let isAfterGap): hand(frame, ssrc, isAfterGap ? 1 : 0, body)
      case .sound(let ssrc, let frame): hand(frame, ssrc, 0, body)
      case .lost(let ssrc, let count):
        if let slot = terms.slot(ssrc, fromHub: !isHub) { lost[slot, default: 0] += count }
      case .dropped(let ssrc):
        if let slot = terms.slot(ssrc, fromHub: !isHub) { lost[slot, default: 0] += 1 }
      case .event(.keyFrameRequested(let ssrc)):
        if let slot = terms.slot(ssrc, fromHub: isHub) { body(.keyFrameRequested(slot)) }
      case .event(.target(let rate)): body(.target(rate))
      case .event, .answered: break
      }
    }
    list.removeAll(keepingCapacity: true)
  }

  private func hand(_ frame: EncodedFrame, _ ssrc: SSRC, _ gap: Int, _ body: (Arrival) -> Void) {
    guard let slot = terms.slot(ssrc, fromHub: !isHub) else { return frame.release() }
    body(.unit(slot, frame, lost: gap + (lost.removeValue(forKey: slot) ?? 0)))
  }

  /// Whose a stream is: the hub passes on those of many, which need not wait for each other.
  func setPerson(_ person: Int, of slot: HubSlot) {
    session.setPerson(person, of: terms.ssrc(slot, fromHub: !isHub))
  }

  func requestKeyFrame(of slot: HubSlot) {
    session.requestKeyFrame(of: terms.ssrc(slot, fromHub: !isHub))
  }

  /// The stream at that place is over: what has come of it can be taken, though it is not due yet.
  func handOnRest(of slot: HubSlot, now: Int64) {
    session.handOnRest(of: terms.ssrc(slot, fromHub: !isHub), now: now, outlet)
  }

  // MARK: Out

  /// Says who is here, before there is anything else to say, and asks how long the way is: by that the first frames are stamped.
  func greet() {
    session.report(clock.now(), outlet)
    flush()
  }

  /// A unit on that place, of which the codec is known to be its own.
  func send(_ frame: EncodedFrame, _ picture: FrameID, on slot: HubSlot, isVoice: Bool, now: Int64) throws(PacketError) {
    if outgoing[slot] == nil { outgoing[slot] = Outgoing(stream: try session.addStream(terms.outgoing(slot, isHub: isHub))) }
    guard let place = outgoing[slot] else { return }
    let attributes = frame.native.pointee
    let rate: UInt32 = slot.isVideo ? 90_000 : OpusTOC.clockRate
    let units = MediaTime.units(fromNanoseconds: attributes.timestamp_ns, rate: rate)
    if slot.isVideo {
      let number = UInt16(truncatingIfNeeded: picture)
      return try session.send(
        frame.bytes, number: number, units: units, orientation: UInt8(attributes.orientation & 7), color: .init(attributes),
        capturedAt: attributes.timestamp_ns, on: place.stream, now: now)
    }
    let duration = MediaTime.units(fromNanoseconds: attributes.duration_ns, rate: rate)
    outgoing[slot]?.end = units &+ duration
    let isSpurt = place.end.map { units > $0 &+ duration / 2 } ?? true
    let level = HeaderExtensions.AudioLevel(level: UInt8(min(127, attributes.level)), isVoice: isVoice)
    try session.send(
      sound: frame.bytes, units: units, marker: isSpurt, level: level, capturedAt: attributes.timestamp_ns, on: place.stream, now: now)
  }

  /// A stream has ended; its place may be used by another one.
  func end(_ slot: HubSlot) {
    if let place = outgoing[slot] { session.endStream(place.stream) }
    outgoing[slot]?.end = nil
  }

  func leave(now: Int64) {
    session.leave(now: now, outlet)
    flush()
  }

  /// All that is counted here, of one moment.
  var look: RTPStatsSnapshot { RTPStatsSnapshot(session, remote: remote, dropped: .init(unknown: refused)) }

  /// How long what is sent now will wait before it leaves.
  func expectedDelay(at now: Int64) -> Int64 { session.expectedDelay(at: now) }
  /// The same for who can leave out what is not made yet.
  func backlog(at now: Int64) -> Int64 { session.backlog(at: now) }
  /// Bytes that wait to leave.
  var waitingBytes: Int { session.waitingBytes }
  /// Whether the last key frame on that place has not come at the other end, as far as is known; `isSure`: for certain.
  func isKeyFrameUnderWay(on slot: HubSlot, isSure: Bool = false, at now: Int64) -> Bool {
    outgoing[slot].map { session.isKeyFrameUnderWay(sending: $0.stream, isSure: isSure, at: now) } ?? false
  }
  /// What may be sent in all, in bits a second.
  var target: Int { session.target }
  /// What all would take, while something is left out; 0: nothing is.
  func setWanted(_ bitrate: Int) { session.setWanted(bitrate) }

  // MARK: Stats

  /// What the encoder of the stream at that place is told to make.
  func setTargetBitrate(_ bitrate: UInt64, of slot: HubSlot) {
    if let place = outgoing[slot] { session.setTargetBitrate(Int(clamping: bitrate), sending: place.stream) }
  }

  var networkFigures: NetworkFigures { session.networkFigures }

  func look(sending slot: HubSlot) -> OutboundSnapshot? {
    outgoing[slot].flatMap { session.stats(sending: $0.stream) }.map { OutboundSnapshot(stream: $0, path: session.pathStats) }
  }

  func look(receiving slot: HubSlot) -> InboundSnapshot? {
    session.stats(receiving: terms.ssrc(slot, fromHub: !isHub)).map { InboundSnapshot(stream: $0, path: session.pathStats) }
  }

  // MARK: Time

  /// Does what is due and says when it wants to be called again.
  func poll(now: Int64) -> Int64 { flushed(session.poll(now: now, outlet), now) }

  /// The part of it that is for what was sent just now.
  func push(now: Int64) -> Int64 { flushed(session.push(now: now, outlet), now) }

  private func flushed(_ deadline: Int64, _ now: Int64) -> Int64 {
    flush()
    return batch.count > 0 ? min(deadline, now &+ 1_000_000) : deadline
  }

  private func transmit(_ packet: UnsafeRawBufferPointer, isControl: Bool) {
    if let remote { transmit(packet, isControl: isControl, to: remote) }
  }

  private func transmit(_ packet: UnsafeRawBufferPointer, isControl: Bool, to remote: SocketAddress) {
    if batch.count == DatagramBatch.capacity { flush() }
    guard let slot = batch.slot() else { return }
    let sealed = isControl ? try? sender.protectControl(packet, into: slot) : try? sender.protect(packet, into: slot)
    guard let sealed else { return }
    let datagram = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(sealed))
    if let witness, let local = socket.localAddress { witness.saw(witness.seesPlain ? packet : datagram, from: local, to: remote) }
    _ = batch.add(datagram, to: remote)
  }

  private func flush() {
    guard batch.count > 0 else { return }
    if case .some(let count) = socket.send(batch, from: first) {
      // What is left keeps its slots.
      first += count
      return
    }
    batch.begin()
    first = 0
  }

  /// Between session and socket.
  private final class Outlet: RTPSessionDelegate {
    unowned(unsafe) var media: HubMedia?
    let arrivals: RTPArrivals

    init(_ arrivals: RTPArrivals) {
      self.arrivals = arrivals
    }

    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { media?.transmit(packet, isControl: isControl) }
    func session(received picture: PictureBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
      arrivals.session(received: picture, of: stream, take: take)
    }
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {
      arrivals.session(received: sound, stamp: stamp, captured: captured, of: stream)
    }
    func session(lost packets: Int, duration: Int64, of stream: SSRC) { arrivals.session(lost: packets, duration: duration, of: stream) }
    func session(did event: RTPSessionEvent) { arrivals.session(did: event) }
  }
}
