import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSRTP

/// Media between the hub and one member, at either end: a peer by their parameters, over a socket that others may use too. Frames pass as they are.
/// Calls come one at a time.
final class HubMedia {
  private let peer: SecureRTPPeer
  let terms: MediaParameters
  private let isHub: Bool
  private let clock: any MediaClock
  private let socket: HubSocket
  /// Of a place, the stream that it is sent as.
  private var outgoing: [HubSlot: Int] = [:]
  /// Where the member is, at the hub.
  private var path = PathValidation()
  private static let reportInterval: Int64 = 500_000_000
  /// Held back at the hub at most: frames wait where they are played.
  private static let mostDelay: Int64 = 60_000_000
  /// A large key frame takes long over a slow network path. What is to be dropped is dropped before it is queued (`HubStreams`); what was queued is
  /// paced as the path carries it.
  private static let longestLeaving: Int64 = 30_000_000_000

  init(
    _ terms: MediaParameters, isHub: Bool, over socket: HubSocket, to remote: SocketAddress?, bitrates: BandwidthEstimator.Limits,
    clock: any MediaClock, tap: (any PacketTap)? = nil, seed: UInt64 = .random(in: 0...(.max))
  ) throws(MediaError) {
    (self.terms, self.isHub, self.socket, self.clock) = (terms, isHub, socket, clock)
    let protection = try PacketProtection(
      terms.profile, own: isHub ? terms.down : terms.up, theirs: isHub ? terms.up : terms.down)
    let now = clock.now()
    var settings = RTPSettings(
      cname: isHub ? "hub" : "member", clock: NTPClock(NTPTimestamp(unixNanoseconds: clock.wallTime()), at: now),
      seed: seed)
    settings.extensions = terms.extensions
    settings.reportsAtOnce = true
    // Two legs add up their errors: the more reports, the sooner each knows the drift of the two clocks.
    settings.reportInterval = HubMedia.reportInterval
    settings.ssrc = terms.ssrc(ofEnd: isHub)
    settings.bitrates = bitrates
    if isHub {
      (settings.delay.most, settings.longestHold) = (HubMedia.mostDelay, 0)
      (settings.pacing.picture, settings.pacing.leaving, settings.pacing.budget) = (HubMedia.longestLeaving, HubMedia.longestLeaving, nil)
    }
    peer = SecureRTPPeer(settings, receiving: terms.types, .protected(protection), now: now)
    peer.select(remote)
    peer.watch(tap, local: socket.localAddress)
  }

  /// nil: not known before a member has shown where they are.
  var remote: SocketAddress? { peer.remote }

  private func put(_ lane: SecureRTPPeer.Lane, _ batch: DatagramBatch, _ first: Int) -> DatagramSending {
    socket.send(batch, from: first)
  }

  // MARK: In

  /// A datagram of this member's, as it says; whether it is, and shows that the other end hears this one.
  func receive(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress, now: Int64) -> Bool {
    guard let ssrc = MediaParameters.ssrc(of: datagram), ssrc & ~255 == terms.base, (ssrc & 0x80 != 0) != isHub else {
      peer.countUnknown(datagram, from: address)
      return false
    }
    guard let packet = peer.open(datagram, from: address) else { return false }
    if RTPPacket.isRTCP(packet), let message = HubPathMessage(parsing: packet) {
      follow(message, from: address)
      return isHub
    }
    _ = peer.take(packet, now: now)
    if isHub { challenge(address, datagram.count, now) }
    return true
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
      peer.select(address)
      greet()
    }
  }

  /// The hub was reached at this address, of the same family.
  func move(to address: SocketAddress) {
    peer.select(address.with(port: terms.port))
  }

  private func send(_ message: HubPathMessage, to address: SocketAddress) {
    withUnsafeTemporaryAllocation(byteCount: HubPathMessage.size, alignment: 8) { memory in
      var writer = PacketWriter(memory)
      message.write(to: &writer, from: terms.ssrc(ofEnd: isHub))
      peer.send(control: writer.bytes, to: address)
    }
    peer.flush(put)
  }

  /// What came, to be handed on where nothing is locked; frames are the taker's to release.
  func takeArrivals(_ list: inout [PeerArrival]) { peer.takeArrivals(&list) }

  /// At which place the other end sends, or this one; nil: none.
  func slot(receiving ssrc: SSRC) -> HubSlot? { terms.slot(ssrc, fromHub: !isHub) }
  func slot(sending ssrc: SSRC) -> HubSlot? { terms.slot(ssrc, fromHub: isHub) }

  /// Whose a stream is: the hub passes on those of many, which need not wait for each other.
  func setPerson(_ person: Int, of slot: HubSlot) {
    peer.session.setPerson(person, of: terms.ssrc(slot, fromHub: !isHub))
  }

  /// The stream at that place is over: what has come of it can be taken, though it is not due yet.
  func handOnRest(of slot: HubSlot, now: Int64) {
    peer.handOnRest(of: terms.ssrc(slot, fromHub: !isHub), now: now)
  }

  // MARK: Out

  /// Says who is here, before there is anything else to say, and asks for the round-trip time: by that the first frames are stamped.
  func greet() {
    peer.greet(now: clock.now())
    peer.flush(put)
  }

  /// A frame on that place, of which the codec is known to be its own.
  func send(_ frame: EncodedFrame, _ number: FrameID, on slot: HubSlot, isVoice: Bool, now: Int64) throws(PacketError) {
    let stream: Int
    if let known = outgoing[slot] {
      stream = known
    } else {
      stream = try peer.session.addStream(terms.outgoing(slot, isHub: isHub))
      outgoing[slot] = stream
    }
    try peer.send(frame, number: UInt16(truncatingIfNeeded: number), on: stream, isVoice: isVoice, now: now)
  }

  /// A stream has ended; its place may be used by another one.
  func end(_ slot: HubSlot) {
    if let stream = outgoing[slot] { peer.endStream(stream) }
  }

  func leave(now: Int64) {
    peer.leave(now: now)
    peer.flush(put)
  }

  /// All that is counted here, of one moment.
  var look: RTPStatsSnapshot { RTPStatsSnapshot(peer.session, remote: remote, dropped: peer.dropped) }

  /// How long what is sent now will wait before it leaves.
  func expectedDelay(at now: Int64) -> Int64 { peer.session.expectedDelay(at: now) }
  /// The same for who can leave out what is not made yet.
  func backlog(at now: Int64) -> Int64 { peer.session.backlog(at: now) }
  /// Bytes that wait to leave.
  var waitingBytes: Int { peer.session.waitingBytes }
  /// Whether the last key frame on that place has not come at the other end, as far as is known; `isSure`: for certain.
  func isKeyFrameUnderWay(on slot: HubSlot, isSure: Bool = false, at now: Int64) -> Bool {
    outgoing[slot].map { peer.session.isKeyFrameUnderWay(sending: $0, isSure: isSure, at: now) } ?? false
  }
  /// What may be sent in all, in bits a second.
  var target: Int { peer.session.target }
  /// What all would take, while something is left out; 0: nothing is.
  func setWanted(_ bitrate: Int) { peer.session.setWanted(bitrate) }

  // MARK: Stats

  /// What the encoder of the stream at that place is told to make.
  func setTargetBitrate(_ bitrate: UInt64, of slot: HubSlot) {
    if let place = outgoing[slot] { peer.session.setTargetBitrate(Int(clamping: bitrate), sending: place) }
  }

  var networkFigures: NetworkFigures { peer.session.networkFigures }

  func look(sending slot: HubSlot) -> OutboundSnapshot? {
    outgoing[slot].flatMap { peer.session.stats(sending: $0) }.map { OutboundSnapshot(stream: $0, path: peer.session.pathStats) }
  }

  func look(receiving slot: HubSlot) -> InboundSnapshot? {
    peer.session.stats(receiving: terms.ssrc(slot, fromHub: !isHub)).map { InboundSnapshot(stream: $0, path: peer.session.pathStats) }
  }

  // MARK: Time

  /// Does what is due and says when it wants to be called again.
  func poll(now: Int64) -> Int64 { peer.poll(now: now, put) }

  /// The part of it that is for what was sent just now.
  func push(now: Int64) -> Int64 { peer.push(now: now, put) }
}
