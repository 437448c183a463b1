import CMediaSDK
import MediaCore
import MediaICE
import MediaNetwork
import MediaRTP
import MediaSCTP
import MediaSDP
import MediaTLS
import Testing

@testable import MediaWebRTC

/// A connection on a machine of the network, and what its driver and its program would do.
final class VirtualPeer {
  let network: PeerNetwork
  let connection: PeerConnection
  private(set) var bases: [(base: ICEBase, address: SocketAddress)] = []
  private(set) var deadline: Int64 = .min
  /// Outside of its NAT; nil: there is none.
  var outside: SocketAddress?
  /// Whom the NAT lets in: who was sent to (port restricted).
  private var allowed: Set<SocketAddress> = []
  weak var other: VirtualPeer?
  var signalDelay: Int64 = 30 * millisecond
  /// Changes descriptions on their way to the other end.
  var tamper: ((String) -> String)?
  /// Offers as soon as something is to be offered.
  var negotiates = true
  private(set) var states: [PeerState] = []
  private(set) var ignored = 0
  private(set) var errors: [MediaError] = []
  /// Names of sections in which media may come.
  private(set) var tracks: Set<String> = []
  private(set) var data: DataMedia?
  /// Of data channels, as they came.
  private(set) var channels: [DataChannelEvent] = []
  /// Whether they are taken.
  var takesChannels = true
  /// Numbers of frames that came, by the names of their sections and streams.
  private(set) var frames: [String: [Int]] = [:]
  private(set) var ended: [SSRC] = []
  private(set) var keysWanted: Set<SSRC> = []
  /// Of what was not sent for a while, the next frame is a key frame.
  private var interrupted: Set<Transceiver.ID> = []
  private var names: [SSRC: String] = [:]
  /// Of each stream that is sent.
  private(set) var numbers: [String: Int] = [:]
  private let pool = BufferPool(limit: 256)

  init(
    _ network: PeerNetwork, _ host: String, isPolite: Bool = true, ice: ICESettings = ICESettings(isControlling: true),
    data: DataChannelSettings? = DataChannelSettings(), expectsMedia: Bool = false, _ change: (inout JSEPSettings) -> Void = { _ in }
  ) throws {
    self.network = network
    let certificate = try TLSCertificate.make()
    var settings = JSEPSettings(cname: host, id: 1, fingerprint: .init(of: certificate))
    settings.isPolite = isPolite
    settings.bitrates = .init(minimum: 30_000, start: 1_000_000, maximum: 20_000_000)
    change(&settings)
    var all = PeerSettings(settings, ice: ice)
    (all.data, all.expectsMedia) = (data, expectsMedia)
    connection = PeerConnection(
      all, certificate: certificate,
      clock: NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: network.now),
      random: SeededRandom(seed: network.random.next()), now: network.now)
    network.peers.append(self)
    try add(host, 1000)
    connection.ice.endOfHosts(now: network.now)
  }

  func connect(_ other: VirtualPeer) { (self.other, other.other) = (other, self) }

  func add(_ host: String, _ port: UInt16) throws {
    let address = try #require(SocketAddress(host, port: port))
    bases.append((try connection.ice.addHost(address, now: network.now), address))
  }

  func removeHost(_ place: Int) {
    connection.ice.removeHost(bases.remove(at: place).base, now: network.now)
    settle()
  }

  // MARK: Network

  /// Where a packet comes from for the others.
  func leave(_ source: SocketAddress, to destination: SocketAddress) -> SocketAddress {
    guard let outside else { return source }
    allowed.insert(destination)
    return outside
  }

  /// The address inside that a packet is for; nil: it is not for this one.
  func enter(_ source: SocketAddress, _ destination: SocketAddress) -> SocketAddress? {
    guard let outside else { return bases.contains { $0.address == destination } ? destination : nil }
    return destination == outside && allowed.contains(source) ? bases.first?.address : nil
  }

  func receive(_ bytes: [UInt8], from source: SocketAddress, at destination: SocketAddress) {
    guard let own = bases.first(where: { $0.address == destination }) else { return }
    bytes.withUnsafeBytes { _ = connection.receive($0, on: own.base, from: source, now: network.now) }
    settle()
  }

  private func put(_ route: ICERoute, _ batch: DatagramBatch, _ first: Int) -> DatagramSending {
    if let own = bases.first(where: { $0.base == route.base }) {
      batch.forEach(from: first) { network.send(Array($0), from: own.address, of: self, to: $1) }
    }
    return .all
  }

  /// What a driver does after each call.
  func settle() {
    repeat { deadline = connection.poll(now: network.now, put) } while drain()
  }

  /// Whether channels brought something, so that more may follow.
  @discardableResult private func drain() -> Bool {
    let before = channels.count
    while takesChannels, let event = connection.takeChannelEvent() { channels.append(event) }
    while let datagram = connection.takeDatagram() {
      if let own = bases.first(where: { $0.base == datagram.base }) {
        network.send(datagram.bytes, from: own.address, of: self, to: datagram.destination)
      }
    }
    var arrivals: [PeerArrival] = []
    connection.takeArrivals(&arrivals)
    for arrival in arrivals { take(arrival) }
    while let event = connection.takeEvent() { handle(event) }
    return channels.count > before
  }

  func close() {
    connection.close(now: network.now, put)
    drain()
    deadline = .max
  }

  // MARK: Signalling

  private func handle(_ event: PeerEvent) {
    switch event {
    case .state(let state): states.append(state)
    case .negotiationNeeded: if negotiates { offer() }
    case .candidate(let candidate, let mid, _):
      let text = candidate.text
      tell { try? $0.connection.addRemote(candidate: text, mid: mid, now: $0.network.now) }
    case .candidatesComplete: tell { try? $0.connection.addRemote(candidate: "", now: $0.network.now) }
    case .trackAdded(let medium): tracks.insert(medium.mid)
    case .trackRemoved(_, let mid): tracks.remove(mid)
    case .data(let media): data = media
    case .serverFailed, .connect, .disconnect: break
    }
  }

  /// Late, in order, without loss.
  private func tell(_ body: @escaping (VirtualPeer) -> Void) {
    guard let other else { return }
    network.after(signalDelay) {
      body(other)
      other.settle()
    }
  }

  private func send(_ kind: DescriptionKind, _ text: String) {
    let text = tamper?(text) ?? text
    tell { $0.take(kind, text) }
  }

  func offer() {
    do throws(MediaError) {
      send(.offer, try connection.setLocal(.offer, now: network.now))
    } catch {
      errors.append(error)
    }
  }

  private func take(_ kind: DescriptionKind, _ text: String) {
    do throws(MediaError) {
      guard try connection.setRemote(kind, text, now: network.now) == .applied else { return ignored += 1 }
      if kind == .offer { send(.answer, try connection.setLocal(.answer, now: network.now)) }
    } catch {
      // An answer to an offer that was given up meanwhile is of no use.
      if error.status != .state { errors.append(error) }
    }
  }

  // MARK: Media

  @discardableResult func add(_ kind: Transceiver.Kind, _ direction: RTPMedia.Direction = .sendReceive, layers: [String] = []) throws
    -> Transceiver.ID
  {
    let id = try connection.addTransceiver(
      kind, direction, tracks: [.init("stream", "track\(connection.signalling.transceivers.count)")],
      layers: layers.map { .init($0, isSent: true) })
    settle()
    return id
  }

  func mid(_ id: Transceiver.ID) -> String? { connection.signalling.transceiver(id)?.mid }

  /// Encodes nothing: bytes with the head of a frame of that codec, and its number. false: nothing is sent in it now.
  @discardableResult func send(_ id: Transceiver.ID, layer: Int = 0, size: Int = 3000, isKey: Bool = false) throws -> Bool {
    guard let transceiver = connection.signalling.transceiver(id), let mid = transceiver.mid, transceiver.currentDirection?.sends == true,
      connection.isKeyed, let stream = connection.stream(id, layer: layer)
    else {
      interrupted.insert(id)
      return false
    }
    let settings = try #require(connection.rtp.settings(ofStream: stream))
    let rid = settings.rid
    let name = rid.map { "\(mid)/\($0)" } ?? mid
    let number = numbers[name, default: 0]
    var attributes = msdk_encoded_frame()
    let isVideo = transceiver.kind == .video
    attributes.codec = UInt32(isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS)
    (attributes.timestamp_ns, attributes.duration_ns) = (network.now, isVideo ? 0 : 20 * millisecond)
    let made = try VirtualPeer.bytes(
      isVideo, number, size: size, isKey: isKey || number == 0 || keysWanted.contains(settings.ssrc) || interrupted.contains(id)
    ).withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0)
    }
    let frame = try #require(made)
    defer { frame.release() }
    do {
      try connection.send(frame, number: UInt16(truncatingIfNeeded: number), on: id, layer: layer, now: network.now)
      numbers[name] = number + 1
      keysWanted.remove(settings.ssrc)
      interrupted.remove(id)
    } catch {
      interrupted.insert(id)
    }
    _ = connection.push(now: network.now, put)
    settle()
    return true
  }

  private static func bytes(_ isVideo: Bool, _ number: Int, size: Int, isKey: Bool) -> [UInt8] {
    let tail = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    guard isVideo else { return [31 << 3, 1, 2] + tail }
    let head: [UInt8] = isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
    return head + [UInt8](repeating: 7, count: max(0, size - head.count - 4)) + tail
  }

  private func take(_ arrival: PeerArrival) {
    switch arrival {
    case .frame(let ssrc, let frame, _, _):
      let number = frame.bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      frames[names[ssrc] ?? "?", default: []].append(number)
      frame.release()
    case .event(.streamBegan(let ssrc, _, let mid, let rid)): names[ssrc] = rid.map { "\(mid ?? "?")/\($0)" } ?? mid
    case .event(.streamNamed(let ssrc, let rid)): names[ssrc] = "\(connection.rtp.names(receiving: ssrc)?.mid ?? "?")/\(rid)"
    case .event(.streamEnded(let ssrc)): ended.append(ssrc)
    case .event(.keyFrameRequested(let ssrc)): keysWanted.insert(ssrc)
    case .event, .lost, .dropped: break
    }
  }
}

/// Two of them.
struct VirtualPair {
  let network: PeerNetwork
  let a: VirtualPeer
  let b: VirtualPeer

  init(
    seed: UInt64 = 1, data: DataChannelSettings? = DataChannelSettings(), expectsMedia: Bool = false,
    _ change: (inout JSEPSettings) -> Void = { _ in }
  ) throws {
    network = PeerNetwork(seed: seed)
    a = try VirtualPeer(network, "192.0.2.1", isPolite: true, data: data, expectsMedia: expectsMedia, change)
    b = try VirtualPeer(network, "192.0.2.2", isPolite: false, data: data, expectsMedia: expectsMedia, change)
    a.connect(b)
  }

  var isConnected: Bool { a.connection.state == .connected && b.connection.state == .connected }

  /// Sends frames of these as long as it lasts: video each 33 ms, audio each 20 ms.
  func play(_ media: [(VirtualPeer, Transceiver.ID)], for time: Int64) throws {
    let end = network.now + time
    var tick: Int64 = 0
    while network.now < end {
      for (peer, id) in media {
        let isAudio = peer.connection.signalling.transceiver(id)?.kind == .audio
        if isAudio ? tick % 4 == 0 : tick % 7 == 0 { try peer.send(id, size: 2000) }
      }
      tick += 1
      network.run(for: 5 * millisecond)
    }
  }
}

/// Data channels.
extension VirtualPeer {
  func open(_ label: String, _ change: (inout DataChannelOptions) -> Void = { _ in }) throws -> DataChannelID {
    var options = DataChannelOptions(label: label)
    change(&options)
    let id = try connection.openChannel(options, now: network.now)
    settle()
    return id
  }

  /// What was wrong.
  @discardableResult func send(_ message: [UInt8], isText: Bool = false, on id: DataChannelID) -> MediaError? {
    let error = failure { try connection.send(message, isText: isText, on: id, now: network.now) }
    settle()
    return error
  }

  func close(_ id: DataChannelID) {
    connection.closeChannel(id, now: network.now)
    settle()
  }

  var opened: [DataChannelInfo] { channels.compactMap { if case .opened(let info) = $0 { info } else { nil } } }
  var lost: [MediaError] { channels.compactMap { if case .lost(let error) = $0 { error } else { nil } } }

  func opened(_ label: String) -> DataChannelInfo? { opened.first { $0.label == Array(label.utf8) } }

  func closed(_ id: DataChannelID) -> [MediaError?] {
    channels.compactMap { if case .closed(id, let error) = $0 { .some(error) } else { nil } }
  }

  func messages(of id: DataChannelID? = nil) -> [[UInt8]] {
    channels.compactMap { if case .message(let from, let bytes, _) = $0, id == nil || from == id { bytes } else { nil } }
  }
}
