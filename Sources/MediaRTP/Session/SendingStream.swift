import MediaCore

/// One stream on its way out: numbers, packets that may be asked for again, counts.
final class SendingStream {
  private(set) var settings: OutgoingRTP
  /// What callers call it.
  let handle: Int
  private var format: any PayloadFormat
  private var packetizer: any FramePacketizer
  /// Of a packet, at most.
  private var packetSize: Int
  /// Audio needs no numbers: what it lacks is concealed.
  var numbersFrames: Bool { format.numbersFrames || !format.isVideo }
  let ring: PacketRing
  var reports: SenderReports
  var meter = OutboundMeter()
  /// Of the next packet, and of the next retransmission.
  var next: Int64
  private(set) var nextAgain: Int64
  /// The first that waits to leave.
  var waiting: Int64
  private let firstStamp: RTPTimestamp
  /// A stamp, in units of the clock, and when it was captured.
  private var captured: (units: Int64, time: Int64) = (0, 0)
  /// The last one.
  var keyFrame: KeyFrameDelivery?
  /// What the other end was told last.
  private var color = HeaderExtensions.ColorSpace()
  private(set) var map: ExtensionMap
  private let clock: NTPClock
  var fullIntraRequests = FullIntraRequestFilter()
  /// When one was last passed on.
  var keyFrameRequested: Int64?
  var announcement = Announcement()
  /// Of audio.
  var redundant = RedundantPacket()
  /// Goodbye is to be said.
  var isLeaving = false
  /// The numbers below are of before a goodbye, and are not sent any more.
  var first: Int64 = 0

  /// For so long a packet may be asked for.
  static let longestRepair: Int64 = 3_000_000_000
  static let mostSendings: UInt8 = 10
  /// And wait to leave again.
  private static let lifetime = longestRepair + 1_000_000_000
  /// No picture takes longer to leave.
  private let longestLeaving: Int64

  /// Goes on with the numbers of another stream, where there was one: its retransmissions may have kept their source.
  init(_ settings: OutgoingRTP, _ handle: Int, _ session: RTPSettings, _ random: inout SeededRandom, after former: SendingStream? = nil) {
    self.handle = handle
    self.settings = settings
    let format = settings.encoding.format ?? VP8Format()
    (self.format, packetizer) = (format, format.makePacketizer())
    (map, clock, longestLeaving) = (settings.extensions ?? session.extensions, session.clock, session.pacing.leaving)
    packetSize = session.packetSize
    ring = PacketRing(
      capacity: format.isVideo ? 2048 : 256, slotSize: min(max(256, session.packetSize), 1500), lifetime: SendingStream.lifetime)
    reports = SenderReports(ssrc: settings.ssrc, clockRate: settings.encoding.clockRate, clock: session.clock)
    // Below the middle, so that nothing before the first is below zero.
    next = former?.next ?? Int64.random(in: 1..<32_768, using: &random)
    waiting = next
    nextAgain = former?.nextAgain ?? Int64.random(in: 1..<32_768, using: &random)
    firstStamp = RTPTimestamp(UInt32.random(in: 0...(.max), using: &random))
  }

  /// It goes on as something else: what is in the ring stays as it was made.
  func alter(to settings: OutgoingRTP, _ session: RTPSettings) {
    if settings.encoding != self.settings.encoding, let format = settings.encoding.format {
      (self.format, packetizer) = (format, format.makePacketizer())
    }
    self.settings = settings
    (map, packetSize) = (settings.extensions ?? session.extensions, session.packetSize)
  }

  func stamp(_ units: Int64) -> RTPTimestamp { firstStamp.advanced(by: units) }

  /// When was captured what that stamp stands for: by the latest that was enqueued.
  func captureTime(of stamp: RTPTimestamp) -> Int64 {
    captured.time &+ MediaTime.nanoseconds(fromUnits: stamp.distance(from: self.stamp(captured.units)), rate: settings.encoding.clockRate)
  }

  /// The first bytes of the next packet.
  private func header(_ units: Int64, _ type: UInt8, marker: Bool, _ extensions: HeaderExtensions) -> RTPHeader {
    var header = RTPHeader(
      payloadType: type, marker: marker, sequence: SequenceNumber(UInt16(truncatingIfNeeded: next)), timestamp: stamp(units),
      ssrc: settings.ssrc)
    header.extensions = completed(extensions)
    return header
  }

  private func completed(_ extensions: HeaderExtensions) -> HeaderExtensions {
    var extensions = extensions
    (extensions.mid, extensions.rid) = (settings.mid, settings.rid)
    // What they are is written over them when the packet leaves.
    if map.transportSequence != 0 { extensions.transportSequence = 0 }
    if map.absoluteSendTime != 0 { extensions.absoluteSendTime = 0 }
    return extensions
  }

  /// Whether so many more packets would push out none that waits to leave.
  private func hasRoom(_ packets: Int) -> Bool { next - waiting + Int64(packets) <= Int64(ring.capacity) }

  /// What is said of a frame beside its bytes.
  struct Frame {
    var number: UInt16 = 0
    var units: Int64
    /// Of audio: a talkspurt begins.
    var marker = false
    var level: HeaderExtensions.AudioLevel?
    /// Of audio: what may be sent in all, in bits a second.
    var target = 0
    /// Of video.
    var orientation: UInt8 = 0
    var color = HeaderExtensions.ColorSpace()
    var isDroppable = false
    var captured: Int64
  }

  /// Cuts a frame into packets in the ring; their numbers. `hasRoom` is asked for packets and bytes, at most, before anything is written: all go or
  /// none.
  func packetize(
    _ bytes: UnsafeRawBufferPointer, _ frame: Frame, now: Int64, hasRoom: (Int, Int) -> Bool
  ) throws(PacketError) -> Range<Int64> {
    let format = self.format
    var extensions = HeaderExtensions()
    extensions.audioLevel = frame.level
    if frame.orientation != 0 { extensions.orientation = frame.orientation }
    if announcement.saysCapture(at: now) { extensions.captureTime = clock.time(at: frame.captured) }
    // Room for the colour, of which it is known by what the frame is whether it has to be said.
    if format.isVideo, frame.color != HeaderExtensions.ColorSpace() || frame.color != color { extensions.colorSpace = frame.color }
    let headerSize = RTPHeader.size + completed(extensions).size(map)
    let limit = min(ring.slotSize, max(256, packetSize)) - headerSize
    var cut = try packetizer.begin(bytes, number: frame.number, isDroppable: frame.isDroppable, limit: limit)
    guard cut.packets <= ring.capacity / 2 else { throw PacketError("RTP: a frame of more packets than can be kept") }
    let redundancy = settings.redundancy.flatMap { type in
      redundant.offset(before: frame.units, size: bytes.count, room: limit - bytes.count, target: frame.target, at: now).map {
        (type: type, offset: $0)
      }
    }
    if redundancy != nil { cut.bytes += redundant.count + RedundantPacket.headers }
    guard self.hasRoom(cut.packets), hasRoom(cut.packets, cut.bytes + cut.packets * headerSize) else { throw RTPSession.full }
    // As libwebrtc has it: with key frames, which without it are of no colour in particular, and where it changes.
    if frame.color == (cut.isKeyFrame ? HeaderExtensions.ColorSpace() : color) { extensions.colorSpace = nil }
    captured = (frame.units, frame.captured)
    color = frame.color
    let first = next
    for number in 1...cut.packets {
      let isLast = number == cut.packets
      let marker = format.isVideo ? isLast : frame.marker
      write(frame.units, redundancy?.type ?? settings.payloadType, marker: marker, isLast ? extensions : HeaderExtensions(), now) {
        if let redundancy { redundant.write(offset: redundancy.offset, type: settings.payloadType, to: &$0) }
        _ = packetizer.writeNext(to: &$0)
      }
    }
    if settings.redundancy != nil { redundant.keep(bytes, units: frame.units) }
    guard format.isVideo else { return first..<next }
    if cut.isKeyFrame { keyFrame = KeyFrameDelivery(first...(next - 1), size: bytes.count, longestLeaving: longestLeaving, at: now) }
    meter.enqueued(size: bytes.count, isKeyFrame: cut.isKeyFrame, last: next - 1)
    return first..<next
  }

  private func write(
    _ units: Int64, _ type: UInt8, marker: Bool, _ extensions: HeaderExtensions, _ now: Int64, _ payload: (inout PacketWriter) -> Void
  ) {
    var writer = PacketWriter(ring.begin(next, now: now))
    header(units, type, marker: marker, extensions).write(to: &writer, map)
    payload(&writer)
    ring.keep(next, size: writer.count, time: now)
    next += 1
  }

  /// A packet leaves, or is given up. They do so in their order.
  func left(_ number: Int64, isWhole: Bool, now: Int64) {
    waiting = max(waiting, number + 1)
    if !isWhole, keyFrame?.isMissing(number) == true { keyFrame?.giveUp() }
    meter.left(number, after: isWhole ? now &- (ring.entry(number)?.time ?? now) : nil)
    ring.left(number, at: now)
  }

  /// Whether the last key frame has not come at the other end: what that says of it meanwhile is of before.
  func isKeyFrameUnderWay(at now: Int64, roundTrip: Int64, target: Int, isSure: Bool = false) -> Bool {
    keyFrame?.isUnderWay(at: now, roundTrip: roundTrip, target: target, isSure: isSure) ?? false
  }

  /// A packet that is missed and can be sent again no more.
  func isBeyondRepair(_ number: Int64, at now: Int64) -> Bool {
    !ring.isRepairable(number, now: now, longest: SendingStream.longestRepair, mostSendings: SendingStream.mostSendings)
  }

  /// Nothing but the header is left of a packet that waited for too long: its number is not missed, since it comes. Its size.
  func empty(_ number: Int64) -> UnsafeRawBufferPointer? {
    guard let packet = ring.packet(number), let entry = ring.entry(number), let front = try? RTPHeaderView(parsing: packet) else {
      return nil
    }
    ring.keep(number, size: front.size, time: entry.time)
    return ring.packet(number)
  }

  /// A packet that was lost, as it is sent again in a stream of its own; its size.
  func writeAgain(_ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) -> Int? {
    guard let again = settings.retransmission, let original = try? RTPPacket(parsing: packet, map) else { return nil }
    var writer = PacketWriter(memory)
    var header = original.header
    (header.ssrc, header.payloadType) = (again.ssrc, again.payloadType)
    header.sequence = SequenceNumber(UInt16(truncatingIfNeeded: nextAgain))
    (header.extensions.rid, header.extensions.repairedRID) = (nil, settings.rid)
    header.write(to: &writer, map)
    Retransmission.write(original.header.sequence, to: &writer)
    writer.bytes(original.payload)
    guard !writer.isFull else { return nil }
    nextAgain += 1
    return writer.count
  }

  /// A packet of nothing but padding, in the stream of retransmissions: by which a way is probed.
  func writePadding(_ size: Int, into memory: UnsafeMutableRawBufferPointer) -> Int? {
    guard let again = settings.retransmission else { return nil }
    var header = RTPHeader(
      payloadType: again.payloadType, sequence: SequenceNumber(UInt16(truncatingIfNeeded: nextAgain)), timestamp: firstStamp,
      ssrc: again.ssrc)
    if map.transportSequence != 0 { header.extensions.transportSequence = 0 }
    if map.absoluteSendTime != 0 { header.extensions.absoluteSendTime = 0 }
    if let rid = settings.rid { (header.extensions.mid, header.extensions.repairedRID) = (settings.mid, rid) }
    var writer = PacketWriter(memory)
    header.write(to: &writer, map)
    let padding = min(255, max(1, size - writer.count))
    writer.u8(writer.bytes[0] | 0x20, at: 0)
    writer.zeros(padding - 1)
    writer.u8(UInt8(padding))
    guard !writer.isFull else { return nil }
    nextAgain += 1
    return writer.count
  }

  /// The number that the other end expects next, with the wraps counted, for one that it names.
  func number(of sequence: SequenceNumber) -> Int64? {
    let latest = next - 1
    let number = latest + Int64(sequence.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: latest))))
    return number > 0 && number < next ? number : nil
  }

  /// Whether a packet that came is one that went from here: as such it is known by its number and stamp.
  func hasSent(_ packet: RTPPacket) -> Bool {
    let header = packet.header
    var sequence = header.sequence
    if header.ssrc != settings.ssrc {
      guard let again = try? Retransmission.read(packet.payload) else { return header.timestamp == firstStamp }
      sequence = again.original
    }
    guard let number = number(of: sequence), let sent = ring.packet(number), let front = try? RTPHeaderView(parsing: sent) else {
      return false
    }
    return front.timestamp == header.timestamp
  }
}
