import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime

/// A member of a hub's room who is elsewhere: in the room he is a member of it like any other, through a transport of this process, whose events
/// go out as messages and whose units over RTP. His membership outlives a broken connection for a while.
final class HubPeer: NetworkDriver {
  enum Phase: Equatable {
    /// The room has not answered yet.
    case waiting
    case here
    /// Without a connection, until then.
    case away(Int64)
    case gone
  }

  struct Guarded {
    var phase = Phase.waiting
    var line: HubLine?
    var tag: UInt64?
    var log = ReliableOutbox()
    var owed = Owed()
    var streams = HubStreams()
    var media: HubMedia?
    /// An empty list that has room, for what arrives.
    var taken: [PeerArrival] = []
    /// Whether the member's permissions have changed since their welcome.
    var isChanged = false
    /// Whether his packets came.
    var isHeard = false
    /// Until when the room may take its time.
    var patience = Int64.max
    /// When he is driven next, at the latest.
    var due = Int64.min

    /// Whether that has become sooner, for which the thread is to be woken.
    mutating func isSooner(_ time: Int64) -> Bool {
      guard time < due else { return false }
      due = time
      return true
    }
  }

  static let absence: Int64 = 30_000_000_000
  /// Of whoever waits for the room's answer.
  static let patience: Int64 = 60_000_000_000
  let guarded = Monitor(Guarded())
  /// His place in the room.
  let place: LoopbackTransport
  var id: ObjectIdentifier { ObjectIdentifier(place) }
  let table: HubTable
  private let door: HubListener
  let hello: HubRequest.Hello
  var clock: any MediaClock { table.clock }

  init(_ hello: HubRequest.Hello, at door: HubListener, _ table: HubTable) {
    (self.hello, self.door, self.table) = (hello, door, table)
    // Of what his machine decodes, only that reaches it.
    var member = hello.member
    let carried = [UInt32(MSDK_CODEC_VP8)]
    member.decodes = member.decodes.map { $0.filter { carried.contains($0) } } ?? carried
    member.takesRaw = false
    place = LoopbackTransport(room: table.room, member: member, token: hello.token, loop: table.loop) { place throws(MediaError) in
      try table.admit(place)
    }
  }

  func start(_ line: HubLine) {
    let isHere = guarded.withLock { guarded in
      // The hub may have been closed meanwhile.
      guard guarded.phase == .waiting else { return false }
      guarded.line = line
      guarded.patience = clock.now() &+ HubPeer.patience
      guarded.tag = try? table.thread.add(self, [line.socket.descriptor])
      return true
    }
    guard isHere else { return table.sayFarewell(over: line, HubTable.closed, now: clock.now()) }
    // Whoever looks at tokens is not called on the network's thread.
    table.loop.post { self.place.connect(self) }
  }

  // MARK: Saying something

  /// From any thread: it goes out with the network thread's next turn; what counts, when enough was received of what was said before.
  func say(_ notice: HubNotice) {
    let frame = HubConnection.frame { notice.write(to: &$0) }
    let now = clock.now()
    let (isKept, tag): (Bool, UInt64?) = guarded.withLock { guarded in
      guard guarded.phase != .gone else { return (true, nil) }
      guard notice.isCounted else {
        guarded.line?.connection.send(frame, now: now)
        return (true, guarded.tag)
      }
      return (guarded.log.keep(frame, notice.meaning), guarded.line == nil ? nil : guarded.tag)
    }
    if let tag { table.thread.wake(tag, at: .min) }
    if !isKept { end(because: MediaError(.limit, "the member does not read its messages: \(ReliableOutbox.most) bytes are queued")) }
  }

  /// The room let him in.
  func welcome(_ permissions: Permissions) {
    let (base, ticket) = table.enter(self)
    do throws(MediaError) {
      let terms = try MediaParameters.make(port: door.address.port, base: base, profile: hello.profile)
      let media = try HubMedia(
        terms, isHub: true, over: door.socket, to: nil, bitrates: table.options.bitrates, clock: clock,
        seed: table.network.random())
      let isHere = guarded.withLock { guarded in
        guard guarded.phase == .waiting else { return false }
        (guarded.phase, guarded.media) = (.here, media)
        return true
      }
      guard isHere else { return table.remove(self) }
      say(.welcome(.init(permissions: permissions, ticket: ticket, terms: terms)))
      table.options.watch?(.entered(hello.member))
    } catch {
      end(because: error)
    }
  }

  // MARK: The network thread

  func drive(isReadable: Bool) -> Int64 {
    let now = clock.now()
    if isReadable { guarded.withLock { $0.line?.receive(now: now) } }
    while let message = guarded.withLock({ $0.line?.connection.next(now: now) }) {
      if let error = act(on: message, now) {
        end(because: error)
        return .max
      }
    }
    rest(now)
    hand(now)
    payWhenDue()
    let failure: (error: MediaError, isOwn: Bool)?
    let next: Int64
    (failure, next) = guarded.withLock { guarded in
      if case .away(let end) = guarded.phase {
        if now >= end { return ((MediaError(.timeout, "the member was away for 30 s"), true), .max) }
        guarded.due = min(end, guarded.due)
        return (nil, guarded.due)
      }
      guard let line = guarded.line else { return (nil, .max) }
      if guarded.phase == .waiting {
        let seconds = HubPeer.patience / 1_000_000_000
        if now >= guarded.patience { return ((MediaError(.timeout, "the room did not answer within \(seconds) s"), true), .max) }
        guarded.due = min(guarded.due, guarded.patience)
      }
      if now >= guarded.log.deadline { return ((HubPeer.deaf, true), .max) }
      guarded.due = min(guarded.due, guarded.log.deadline)
      if line.connection.isOpen, line.connection.isSilent(now: now) {
        line.connection.send(HubConnection.frame { HubNotice.received(guarded.log.tell()).write(to: &$0) }, now: now)
      }
      repeat {
        guarded.log.say(over: line.connection, now: now)
        guarded.due = min(line.flush(now: now, in: table.thread, as: guarded.tag), guarded.due)
      } while guarded.log.canSayMore && line.connection.isOpen && !line.connection.isWaiting
      // What he did wrong he is told; a connection that broke he may mend.
      return (line.connection.failure.map { ($0, $0.status == .limit || $0.status == .corrupt) }, guarded.due)
    }
    guard let failure else { return next }
    if failure.isOwn { end(because: failure.error) } else { lose(now: now) }
    return .min
  }

  private static let deaf = MediaError(
    .limit,
    "the member has received none of \(ReliableOutbox.window) messages within \(ReliableOutbox.timeout / 1_000_000_000) s, and more are queued"
  )

  /// Where more comes than a member may cause for others, or in more pieces, it waits in the kernel, and then at the member.
  private func rest(_ now: Int64) {
    let (tag, end): (UInt64?, Int64?) = guarded.withLock { ($0.tag, $0.line?.connection.rest(now: now)) }
    if let tag, let end { table.thread.rest(tag, until: end) }
  }

  /// One of his messages, with an error when it is none.
  func act(on message: [UInt8], _ now: Int64) -> MediaError? {
    do {
      let request = try message.withUnsafeBytes { bytes throws(PacketError) in try HubRequest(parsing: bytes) }
      if request.isCounted { count(now) }
      try act(on: request)
      return nil
    } catch let error as MediaError {
      return error
    } catch {
      return MediaError(.corrupt, "\(error)")
    }
  }

  private func count(_ now: Int64) {
    guarded.withLock { guarded in
      guard guarded.log.receive() else { return }
      guarded.line?.connection.send(HubConnection.frame { HubNotice.received(guarded.log.tell()).write(to: &$0) }, now: now)
    }
  }

  // MARK: Media

  /// A datagram that says to be his.
  func receive(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress, now: Int64) -> Bool {
    let (isHis, pictures, tag, moved): (Bool, [StreamID], UInt64?, SocketAddress?) = guarded.withLock { guarded in
      guard let media = guarded.media else { return (false, [], nil, nil) }
      let former = media.remote
      guard media.receive(datagram, from: address, now: now) else { return (false, [], nil, nil) }
      let moved = media.remote == former ? nil : media.remote
      let tag = guarded.isSooner(.min) ? guarded.tag : nil
      guard !guarded.isHeard else { return (true, [], tag, moved) }
      guarded.isHeard = true
      media.greet()
      return (true, guarded.streams.receivedPictures, tag, moved)
    }
    if let moved { table.moveMedia(of: self, to: AddressPrefix(moved)) }
    // What was to be sent before went nowhere.
    for picture in pictures { place.requestKeyFrame(of: picture) }
    if let tag { table.thread.wake(tag, at: .min) }
    return isHis
  }

  /// Hands what came on to the room.
  func hand(_ now: Int64) {
    let arrivals = guarded.withLock { $0.hand(now) }
    for unit in arrivals.units {
      _ = place.send(unit.frame, unit.picture, on: unit.id)
      unit.frame.release()
    }
    for id in arrivals.wanted { place.requestKeyFrame(of: id) }
  }

  /// A frame of the room's for them, from whatever thread.
  func forward(_ frame: EncodedFrame, _ id: FrameID, of number: UInt32) {
    let now = clock.now()
    let (wanted, tag, next): (StreamID?, UInt64?, Int64) = guarded.withLock { guarded in
      let (_, wanted, next) = guarded.forward(frame, id, of: number, now: now)
      return (wanted, guarded.isSooner(next) ? guarded.tag : nil, next)
    }
    if let wanted { place.requestKeyFrame(of: wanted) }
    if let tag { table.thread.wake(tag, at: next) }
  }
}

/// Takes a stream of the room's for a member who is elsewhere.
final class HubSink: EncodedSink {
  private let peer: HubPeer
  private let number: UInt32

  init(_ peer: HubPeer, _ number: UInt32) {
    (self.peer, self.number) = (peer, number)
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    peer.forward(frame, id, of: number)
  }
}
