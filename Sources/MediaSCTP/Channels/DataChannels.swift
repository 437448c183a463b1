import MediaCore

/// The data channels of a connection of WebRTC (RFC 8831): one end of an association of SCTP. DTLS is the caller's: `receive` takes what it
/// has opened, and what `takePacket` gives is for it to send.
///
/// Channels may be opened, and messages given to them, before the association begins: they wait. Another may begin after `end`.
///
/// After any call: `takePacket` and `takeEvent` until they give nothing, and `poll` at `nextDeadline`. Calls come one at a time, from any
/// thread; those of other connections may come at the same time, and wait for each other in the library (`SCTPStack`). Times are in
/// nanoseconds of a clock that does not go back. The same seed and the same calls give the same packets, but for what is in cookies and
/// heartbeats.
public final class DataChannels {
  /// Which end of DTLS this is; it has the streams of even numbers if it is the client (RFC 8832, section 6).
  public enum Role: Sendable { case client, server }

  /// What came and had no effect.
  public struct Counts: Sendable, Equatable {
    /// Packets that are none, of another association, or begin one that is there.
    public internal(set) var packetsDropped = 0
    /// Messages for streams without a channel, of unknown kinds, or longer than announced.
    public internal(set) var messagesIgnored = 0
    /// Channels of the other end that were closed at once: too many, with a number of this end's, or in use.
    public internal(set) var channelsRefused = 0
    /// Messages of this end that got too old before they were sent once.
    public internal(set) var messagesExpired = 0
  }

  /// Since it was made.
  public internal(set) var counts = Counts()
  /// When `poll` wants to be called; .max: not before another call changes that.
  public private(set) var nextDeadline = Int64.max
  /// The longest message that can be sent, in bytes.
  public private(set) var mostSentBytes: Int
  /// As it was made with.
  public let settings: DataChannelSettings
  /// There is an association, it begins, or it was lost.
  public var hasBegun: Bool { association != nil }

  private(set) var role = Role.client
  private var host: SCTPHost?
  private(set) var association: SCTPAssociation?
  var channels: [DataChannelID: DataChannel] = [:]
  /// Which channel has a stream.
  var streams: [UInt16: DataChannelID] = [:]
  /// Streams that are being reset by this end, or cannot be used again.
  var resetting: Set<UInt16> = []
  /// Channels with messages that wait, each once, in the order in which they may send.
  var sending = WaitingQueue<DataChannelID>()
  /// Messages that the library has, in the order in which it got them.
  var handed = WaitingQueue<(channel: DataChannel, message: (counted: Int, size: Int))>()
  /// Bytes of these, as they count for the program and as the library counts them.
  var handedBytes = 0
  var handedSize = 0
  var waitingBytes = 0
  var waitingMessages = 0
  /// A message that has come in part.
  var partial: [UInt8] = []
  var isPartialTooLong = false
  private var events = WaitingQueue<DataChannelEvent>()
  private var eventBytes = 0
  private var nextNumber: UInt64 = 0
  /// Streams that both ends have; nil: it is not known yet.
  var agreedStreams: Int?
  var loss: MediaError?
  private var beginnings = 0
  private var peerPort: UInt16 = 0
  var now: Int64

  /// Events and bytes of messages that wait to be taken. Beyond that, messages stay in the library, and the other end waits.
  private static let mostEvents = 256
  private static let mostEventBytes = 1_048_576
  /// Packets that begin an association, until it is up: both ends repeat theirs ten times.
  private static let mostBeginnings = 64

  /// Without an association yet. Throws `.range` for settings.
  public init(settings: DataChannelSettings = DataChannelSettings(), now: Int64) throws(MediaError) {
    try settings.check()
    (self.settings, self.now, mostSentBytes) = (settings, now, settings.mostBufferedBytes)
  }

  /// Begins the association: DTLS is open, and none has begun or it was ended. `peerPort`: a=sctp-port of the other end (RFC 8841, section 5), 1
  /// to 65,535. `peerMostBytes`: its max-message-size, 0: any. `random`: tags, numbers and the key of cookies come from it; it must not call
  /// any `DataChannels`. Throws `.state` where there is one, `.range`, `.fail` and `.noMemory` where libusrsctp cannot make it.
  public func begin(
    role: Role, peerPort: UInt16 = 5000, peerMostBytes: UInt64, random: any RandomNumberGenerator, now: Int64
  ) throws(MediaError) {
    guard !hasBegun else { throw MediaError(.state, "data channels: the association has begun; accepted after `end`") }
    guard peerPort > 0 else { throw MediaError(.range, "data channels: peerPort is 0; accepted: 1...65535") }
    let host = SCTPHost(random: random)
    let most = peerMostBytes == 0 ? settings.mostBufferedBytes : Int(min(UInt64(settings.mostBufferedBytes), peerMostBytes))
    var parameters = SCTPAssociation.settings
    (parameters.own_port, parameters.peer_port) = (settings.ownPort, peerPort)
    (parameters.streams, parameters.packet_size) = (UInt16(settings.streams), UInt32(settings.packetSize))
    // With room for what the library takes for itself.
    parameters.send_buffer = UInt32(max(262_144, most) + 65_536)
    parameters.receive_buffer = DataChannels.receiveBuffer
    let association = try SCTPAssociation(parameters, host: host, now: now)
    (self.host, self.association, self.role, self.peerPort, mostSentBytes) = (host, association, role, peerPort, most)
    beginnings = 0
    placeWaiting()
    work(now: now) {}
  }

  /// Bytes that the other end may send before anything is taken.
  private static let receiveBuffer: UInt32 = 1_048_576

  // MARK: In and out

  /// Takes what DTLS has decrypted, whatever it is.
  public func receive(_ packet: UnsafeRawBufferPointer, now: Int64) {
    guard loss == nil, let association, let check = SCTPPacketCheck(packet, from: peerPort, to: settings.ownPort), mayPass(check) else {
      counts.packetsDropped += 1
      return
    }
    work(now: now, isPeers: true) { association.receive(packet) }
  }

  /// An end that is up begins nothing again: for that there is another connection of DTLS.
  private func mayPass(_ check: SCTPPacketCheck) -> Bool {
    guard check.begins else { return true }
    beginnings += 1
    return agreedStreams == nil && beginnings <= DataChannels.mostBeginnings
  }

  /// Does what is due. Returns `nextDeadline`.
  @discardableResult public func poll(now: Int64) -> Int64 {
    if loss == nil, let association { work(now: now) { association.runTimers() } }
    return nextDeadline
  }

  /// The next packet that is to be sent, of at most `packetSize` bytes; nil: none. There is one after `close`.
  public func takePacket() -> [UInt8]? { host?.take() }

  /// Whether something has happened that was not taken yet.
  public var hasEvents: Bool {
    if events.isEmpty, loss == nil { work(now: now) {} }
    return !events.isEmpty
  }

  /// What has happened next; nil: nothing. The other end may send more after that, so that there are packets to take.
  public func takeEvent() -> DataChannelEvent? {
    if events.isEmpty, loss == nil { work(now: now) {} }
    let event = events.take()
    if case .message(_, let bytes, _) = event { eventBytes -= bytes.count }
    return event
  }

  /// Ends the association, with an ABORT, and all channels, those too that wait for one: `.closed` and `.lost` have the error, if it was not lost
  /// before. Other channels may be opened then, and wait for another association.
  public func end(_ error: MediaError, now: Int64) {
    if loss == nil, association != nil || !channels.isEmpty {
      association?.enter(now: now) { association?.close() }
      lose(error)
    }
    (association, loss, agreedStreams) = (nil, nil, nil)
  }

  /// For good. Nothing is reported after that, and what was not taken is gone.
  public func close(now: Int64) {
    let error = MediaError(.closed, "data channels: closed by this end")
    end(error, now: now)
    (loss, events, eventBytes) = (error, WaitingQueue(), 0)
  }

  // MARK: For the other parts

  /// Calls the library, and then does what follows from it. `isPeers`: a packet of the other end is what is worked on.
  func work(now: Int64, isPeers: Bool = false, _ body: () -> Void) {
    self.now = max(self.now, now)
    guard let association else { return }
    association.enter(now: now) {
      body()
      readNews(isPeers: isPeers)
      if loss == nil { sendWaiting() }
      countAcknowledged()
      if loss != nil { association.close() }
    }
    nextDeadline = loss == nil ? association.nextTimer : .max
  }

  var isFullOfEvents: Bool { events.count >= DataChannels.mostEvents || eventBytes >= DataChannels.mostEventBytes }

  func report(_ event: DataChannelEvent) {
    if case .message(_, let bytes, _) = event { eventBytes += bytes.count }
    events.append(event)
  }

  func freshID() -> DataChannelID {
    nextNumber += 1
    return DataChannelID(number: nextNumber)
  }

  /// It is over, for all channels. What they have is released.
  func lose(_ error: MediaError) {
    loss = error
    for id in channels.keys.sorted() { report(.closed(id, error)) }
    (channels, streams, resetting) = ([:], [:], [])
    (sending, handed, partial) = (WaitingQueue(), WaitingQueue(), [])
    (handedBytes, handedSize, waitingBytes, waitingMessages) = (0, 0, 0, 0)
    nextDeadline = .max
    report(.lost(error))
  }
}
