import MediaCore
import MediaICE
import MediaNetwork
import MediaRTP
import MediaSCTP
import MediaSDP
import MediaSRTP
import MediaTLS

/// One end of WebRTC (RFC 8825): signalling (`JSEPSession`), a path (`ICEAgent`), keys (`DTLSMachine`), media (`SecureRTPPeer`), data channels
/// (`DataChannels`). Descriptions, candidates, datagrams, frames, messages and time in; descriptions, events, datagrams, arrivals and the time of the next
/// call out. It owns no socket, thread, clock or random source. Calls come one at a time, on any thread; times are nanoseconds of one clock.
///
/// After any call: `poll`, then `takeDatagram`, `takeEvent` and `takeArrivals` until they give nothing. So too after `takeChannelEvent`, which is called
/// when somebody wants what channels bring.
public final class PeerConnection {
  /// Those that it was made with, the fingerprint included.
  public let settings: PeerSettings
  /// The driver says to it what has no function here, between two calls of this object: hosts, connections of relays.
  public let ice: ICEAgent
  /// To look at. Its functions that change it have others here.
  public internal(set) var signalling: JSEPSession
  /// Changes are events, too.
  public internal(set) var state = PeerState.new
  let certificate: TLSCertificate
  let peer: SecureRTPPeer
  var random: PeerRandom
  var dtls: DTLSMachine?
  /// Of media; nil: there are no keys yet.
  var cipher: SRTPProfile?
  var isKeyed: Bool { cipher != nil }
  /// It cannot go on.
  var failure: MediaError?
  /// DTLS that came before there was a path, or the other end's description.
  var early: [[UInt8]] = []
  /// Candidates of the other end that belong to its offer, which is not answered yet.
  var waiting: [Candidate] = []
  var hasAllWaiting = false
  /// nil: nobody has asked for any yet.
  var channels: DataChannels?
  /// The other end's port of the association that has begun; nil: none has.
  var begun: UInt16?
  var events: [PeerEvent] = []
  var outbox: [ICEDatagram] = []
  var route: ICERoute?
  /// A path was there once.
  var wasConnected = false
  var wasNeeded = false
  /// Indices in the session of RTP of what a transceiver sends, a layer each.
  var streams: [Transceiver.ID: [Int]] = [:]
  /// What descriptions call the stream (a=msid) that a section is a track of, by its mid.
  var groups: [String: String] = [:]
  var counts = PeerStats()

  /// A client sends again what is not answered, so few are enough.
  static let mostEarly = 8
  static let longestEarly = 2_048
  static let mostWaiting = 128
  /// Datagrams of data channels that wait to be taken; there are more where they come from.
  static let mostPumped = 32
  static let mostOutgoing = 1_024
  /// Of SRTP, in order of preference (RFC 7714, RFC 5764): GCM, then counter mode.
  static let profiles: [UInt16] = [7, 8, 1]

  /// `clock`: a pair of wall clock and monotonic clock. `random`: `SystemRandomNumberGenerator` where there is a network.
  public init(
    _ settings: PeerSettings, certificate: TLSCertificate, clock: NTPClock, random generator: any RandomNumberGenerator, now: Int64
  ) {
    var settings = settings
    settings.signalling.fingerprint = .init(of: certificate)
    settings.signalling.isLite = settings.ice.isLite
    settings.signalling.data = settings.data.map {
      DataMedia(port: JSEPSession.port, mid: nil, sctpPort: $0.ownPort, mostBytes: UInt64(clamping: $0.mostBytes))
    }
    (self.settings, self.certificate) = (settings, certificate)
    let random = PeerRandom(generator)
    self.random = random
    ice = ICEAgent(settings.ice, random: random)
    signalling = JSEPSession(settings.signalling, credentials: ice.local)
    var rtp = RTPSettings(cname: settings.signalling.cname, clock: clock, seed: random.next())
    rtp.reportsAtOnce = true
    // aiortc sends its feedback alone, and does not describe it.
    rtp.acceptsReducedSize = true
    (rtp.pacing, rtp.isForwarded) = (settings.pacing, settings.isForwarded)
    if !settings.isPlayedOut { (rtp.delay.most, rtp.longestHold) = (PeerSettings.forwardingDelay, 0) }
    (rtp.bitrates, rtp.packetSize) = (settings.signalling.bitrates, settings.signalling.packetSize)
    peer = SecureRTPPeer(rtp, receiving: [:], .awaited, now: now)
  }

  /// The next one in order; nil: there is none.
  public func takeEvent() -> PeerEvent? { events.isEmpty ? nil : events.removeFirst() }
  /// The next one to be sent on its base; nil: there is none. Packets of media are not among them (`poll`).
  public func takeDatagram() -> ICEDatagram? {
    if outbox.isEmpty { pumpChannels() }
    return outbox.isEmpty ? nil : outbox.removeFirst()
  }
  /// Exchanges frames and events of streams that arrived for an empty list that has room. References to frames are the taker's to release.
  public func takeArrivals(_ list: inout [PeerArrival]) {
    let known = list.count
    peer.takeArrivals(&list)
    for case .event(.streamBegan(let ssrc, _, let mid?, _)) in list[known...] {
      // A server passes on streams of several people, each with a stream of its own (RFC 8830): these need not wait for each other.
      if let stream = groups[mid] { peer.session.setPerson(stream.hashValue, of: ssrc) }
    }
  }
  /// Whether `takeArrivals` would return anything.
  public var hasArrivals: Bool { peer.hasArrivals }
  /// Statistics and requests of streams (key frames, bitrates). What was agreed on is not to be changed there.
  public var rtp: RTPSession { peer.session }

  // MARK: State

  /// By that of ICE and DTLS together.
  func updateState(now: Int64) {
    guard state != .closed else { return }
    var next = state
    if failure == nil { failure = handshakeFailure }
    if let failure {
      next = .failed(failure)
    } else {
      switch ice.state {
      case .new: if wasConnected { next = .connecting }
      case .checking: next = .connecting
      case .connected, .completed: next = isOpen ? .connected : .connecting
      case .disconnected: next = isOpen ? .disconnected : .connecting
      case .failed: next = .failed(MediaError(.timeout, "WebRTC: no path to the other end was found, or the one that there was is gone"))
      case .closed: return
      }
    }
    if next == .connected { wasConnected = true }
    guard next != state else { return }
    state = next
    events.append(.state(next))
    if let failure {
      peer.close()
      channels?.end(failure, now: now)
    }
  }

  private var isOpen: Bool { if case .open? = dtls?.state { true } else { false } }

  private var handshakeFailure: MediaError? {
    switch dtls?.state {
    case .failed(let error)?: error
    case .closed?: MediaError(.closed, "WebRTC: the other end has closed the connection")
    default: nil
    }
  }

  /// For good. The first reason counts.
  func fail(_ error: MediaError, now: Int64) {
    if failure == nil { failure = error }
    dtls?.close()
    updateState(now: now)
  }

  func updateNeed() {
    let isNeeded = state != .closed && signalling.needsNegotiation
    if isNeeded, !wasNeeded { events.append(.negotiationNeeded) }
    wasNeeded = isNeeded
  }

  // MARK: The end

  /// Says goodbye to the other end and to relays; what leaves by that is still to be taken. Nothing happens afterwards.
  public func close(now: Int64, _ send: (ICERoute, DatagramBatch, Int) -> DatagramSending) {
    guard state != .closed else { return }
    peer.leave(now: now)
    if let route { peer.flush { send(route, $1, $2) } }
    peer.close()
    channels?.close(now: now)
    pumpChannels()
    dtls?.close()
    drainHandshake()
    ice.close(now: now)
    drainPath(now: now)
    signalling.close()
    (route, early, waiting) = (nil, [], [])
    state = .closed
    events.append(.state(.closed))
  }
}
