/// Puts pictures together from their packets, as their payload format has it, and hands them on in the order in which they can be decoded: after the
/// one before them, or from a key frame on. Holds the packets of what is not complete; a picture's bytes are copied out once.
public final class FrameBuffer {
  /// A complete frame that can be decoded next, without its bytes.
  public struct Picture: Sendable, Equatable {
    let first: Int64
    let last: Int64
    /// Of the format (`PayloadFormat.codec`).
    public let codec: UInt32
    /// Unwrapped, in units of 90 kHz.
    public let timestamp: Int64
    /// Decoding can begin with it.
    public let isKeyFrame: Bool
    /// No other is predicted from it.
    public let isDroppable: Bool
    /// Of a key frame; 0: it does not say.
    public let width: UInt16
    /// In pixels, as the width; 0: it does not say.
    public let height: UInt16
    /// Bytes of the frame: the session's delegate needs memory for as many.
    public let size: Int
    let number: FrameNumber?
    let layer: VP8Descriptor.Layer?
    /// Quarter turns clockwise and a flag for mirrored frames, bits of the one byte of 3GPP TS 26.114, from the last packet; 0: it has
    /// none.
    public let orientation: UInt8
    /// nil: as of the picture before it; of a key frame: not said.
    public let color: HeaderExtensions.ColorSpace?
    let firstArrival: Int64
    let lastArrival: Int64
    /// Pictures before it are missing.
    public fileprivate(set) var isAfterGap = false
    /// When it was captured, on this end's monotonic clock, where the sender's reports made that known (RFC 3550, section 6.4.1).
    public internal(set) var captured: Int64?
  }

  enum Insertion: Sendable, Equatable {
    case kept
    case duplicate
    /// Of a picture that was handed on or given up.
    case late
    case refused(PacketError)
  }

  private struct Piece {
    var number: Int64 = -1
    var timestamp: Int64 = 0
    var arrival: Int64 = 0
    var isMarked = false
    /// A chain of packets leads here from the picture's first.
    var isConnected = false
    /// Nothing but padding.
    var isEmpty = false
    /// The picture begins with it.
    var isFirst = false
    var orientation: UInt8 = 0
    var color: HeaderExtensions.ColorSpace?
    var part = FramePart()
  }

  private let codec: UInt32
  private let assembler: any FrameAssembler
  private let ring: PacketRing
  private var pieces: [Piece]
  /// Complete and not handed on, by their first packet.
  private var pictures: [Picture] = []
  private var timestamps = Unwrapper<UInt32>()
  private var newest: Int64 = -1
  /// The first that came, and how many did.
  private var first = Int64.max
  private var received = 0
  /// The latest key frame of which the first packet is here, and when the last of its packets came.
  private var keyFrame: (first: Int64, timestamp: Int64, arrival: Int64)?
  /// The last packet of what was handed on.
  private var done: Int64?
  private var lastBase: UInt8?
  private var lastNumber: FrameNumber?
  private static let mostPictures = 128
  /// Nanoseconds for which a picture that needs nothing of what is missing waits for that: it may be sent again, or late.
  private var patience: Int64 = 0
  private static let mostPatience: Int64 = 80_000_000
  /// That became whole, key frames among them, and that were handed on.
  private(set) var completed: (all: UInt64, keyFrames: UInt64) = (0, 0)
  private(set) var handedOn: UInt64 = 0

  init(_ format: any PayloadFormat = VP8Format(), capacity: Int = 1024, slotSize: Int = 1500) {
    (codec, assembler) = (format.codec, format.makeAssembler())
    ring = PacketRing(capacity: capacity, slotSize: slotSize)
    pieces = [Piece](repeating: Piece(), count: ring.slots)
  }

  private func index(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & (pieces.count - 1) }

  /// Has room for all from the oldest that is waited for up to that one, if half as many came: who sends little is given little.
  private func reach(_ number: Int64) {
    let oldest = min(number, done.map { $0 + 1 } ?? first)
    let span = max(newest, number) - oldest + 1
    while pieces.count < ring.capacity, span > Int64(pieces.count), 2 * received >= pieces.count {
      ring.grow()
      let former = pieces
      pieces = [Piece](repeating: Piece(), count: ring.slots)
      for piece in former where piece.number >= 0 { pieces[index(piece.number)] = piece }
    }
  }

  private func piece(_ number: Int64) -> Piece? {
    guard number >= 0 else { return nil }
    let piece = pieces[index(number)]
    return piece.number == number ? piece : nil
  }

  // MARK: In

  /// A packet with its unwrapped number, which was found to be of this stream (RFC 3550, appendix A.1): a number far ahead makes all before it late.
  func insert(_ number: Int64, _ packet: RTPPacket, now: Int64) -> Insertion {
    // Below 0 is what came before the first that came, around the wrap.
    if number < 0 { return .late }
    if let done, number <= done { return .late }
    (first, received) = (min(first, number), received + 1)
    reach(number)
    if newest >= 0, number <= newest - Int64(pieces.count) { return .late }
    guard piece(number) == nil else { return .duplicate }
    var piece = Piece()
    (piece.number, piece.arrival, piece.isMarked) = (number, now, packet.header.marker)
    if packet.payload.isEmpty {
      piece.isEmpty = true
    } else {
      do throws(PacketError) {
        piece.part = try assembler.look(at: packet.payload)
      } catch {
        return .refused(error)
      }
      guard packet.payload.count <= ring.slotSize else { return .refused(PacketError("RTP: a packet larger than 1500 bytes")) }
      _ = ring.put(number, packet.payload, time: now)
    }
    piece.timestamp = timestamps.unwrap(packet.header.timestamp.rawValue)
    piece.orientation = packet.header.extensions.orientation ?? 0
    piece.color = packet.header.extensions.colorSpace
    makeRoom(number)
    newest = max(newest, number)
    if piece.part.isKeyFrame, number > keyFrame?.first ?? -1 { keyFrame = (number, piece.timestamp, now) }
    if keyFrame?.timestamp == piece.timestamp { keyFrame?.arrival = now }
    pieces[index(number)] = piece
    connect(from: number)
    // What it is may be known by what came before it.
    if let next = self.piece(number + 1), !next.isConnected { connect(from: number + 1) }
    return .kept
  }

  /// What lies a round before it is given up.
  private func makeRoom(_ number: Int64) {
    let oldest = number - Int64(pieces.count)
    guard let first = pictures.first, first.first <= oldest else { return }
    pictures.removeAll { $0.first <= oldest }
  }

  private func connect(from start: Int64) {
    var number = start
    while var current = piece(number) {
      if number != start, current.isConnected { break }
      if begins(current) {
        (current.isConnected, current.isFirst) = (true, true)
      } else if !current.isEmpty, let before = piece(number - 1), before.isConnected, !before.isMarked,
        before.timestamp == current.timestamp
      {
        current.isConnected = true
      } else {
        return
      }
      pieces[index(number)] = current
      if current.isMarked {
        complete(endingAt: number)
        return
      }
      number += 1
    }
  }

  /// Whether a picture begins with it, as far as is known.
  private func begins(_ current: Piece) -> Bool {
    switch current.part.start {
    case .certain: return !current.isEmpty
    case .none: return false
    case .unknown, .likely:
      if let before = piece(current.number - 1) { return before.isMarked || before.timestamp != current.timestamp }
      // A key frame is not kept waiting for what was before the first packet.
      return current.part.start == .likely || (current.part.isKeyFrame && current.number == first && done == nil)
    }
  }

  private func complete(endingAt last: Int64) {
    var (first, earliest, latest) = (last, Int64.max, Int64.min)
    while let piece = piece(first), piece.isConnected {
      (earliest, latest) = (min(earliest, piece.arrival), max(latest, piece.arrival))
      if piece.isFirst { break }
      first -= 1
    }
    guard let head = piece(first), head.isFirst, let frame = assemble(first...last, into: nil) else { return }
    let picture = Picture(
      first: first, last: last, codec: codec, timestamp: head.timestamp, isKeyFrame: frame.isKeyFrame, isDroppable: frame.isDroppable,
      width: frame.width, height: frame.height, size: frame.size,
      number: head.part.number, layer: head.part.layer, orientation: piece(last)?.orientation ?? 0,
      color: piece(last)?.color, firstArrival: earliest, lastArrival: latest)
    let place = pictures.firstIndex { $0.first >= first } ?? pictures.count
    if place < pictures.count, pictures[place].first == first { return }
    pictures.insert(picture, at: place)
    completed.all &+= 1
    if picture.isKeyFrame { completed.keyFrames &+= 1 }
    if pictures.count > FrameBuffer.mostPictures { pictures.removeFirst() }
  }

  /// Without memory it is only measured.
  private func assemble(_ numbers: ClosedRange<Int64>, into memory: UnsafeMutableRawBufferPointer?) -> AssembledFrame? {
    assembler.begin(memory)
    for number in numbers {
      guard let packet = ring.packet(number), (try? assembler.add(packet)) != nil else { return nil }
    }
    return assembler.end()
  }

  // MARK: Out

  /// By which it is known how soon a missing packet can be had again. What would take too long is not waited for.
  func setRoundTrip(_ time: Int64) {
    let wait = time &+ ResendWait.margin
    patience = wait <= FrameBuffer.mostPatience ? wait : 0
  }

  /// When a picture that is next may be handed on: at once, unless frames before it are missing that it can do without.
  func readyTime(of picture: Picture) -> Int64 {
    guard let done, !picture.isKeyFrame, picture.first != done + 1, !isPadding(from: done + 1, to: picture.first) else { return .min }
    return picture.lastArrival &+ patience
  }

  /// What can be decoded next. What lies before a key frame is given up when that is complete, unless `waits` says that it may still come.
  func next(waits: Bool = false) -> Picture? {
    if let following = pictures.first(where: follows) { return following }
    if waits { return nil }
    guard var key = pictures.first(where: { $0.isKeyFrame }) else { return nil }
    key.isAfterGap = done != nil
    return key
  }

  /// Whether it comes right after what was handed on, or needs nothing of what is missing.
  private func follows(_ picture: Picture) -> Bool {
    guard let done else { return picture.isKeyFrame }
    if picture.first == done + 1 { return true }
    var isNext = false
    if let number = picture.number, let lastNumber { isNext = number.distance(from: lastNumber) == 1 }
    // What a sender left out at the last moment leaves empty packets behind, too, and a gap between the pictures' own numbers.
    if isPadding(from: done + 1, to: picture.first), isNext || picture.number == nil || lastNumber == nil { return true }
    // A switch's output may have gaps where it leaves out upper layers (RFC 7741, section 4.2): the base layer's counter tells them from losses.
    guard let layer = picture.layer, let base = layer.baseIndex, let lastBase else { return false }
    if layer.temporalID == 0 { return !picture.isKeyFrame && base == lastBase &+ 1 }
    return base == lastBase && (layer.isSync || isNext)
  }

  private func isPadding(from start: Int64, to end: Int64) -> Bool {
    guard end - start < Int64(pieces.count) else { return false }
    var number = start
    while number < end {
      guard let piece = piece(number), piece.isEmpty else { return false }
      number += 1
    }
    return number == end
  }

  /// Copies a picture's bytes, `size` of them, and lets go of its packets and of all before them. False when it is not there any more.
  func take(_ picture: Picture, into memory: UnsafeMutableRawBufferPointer) -> Bool {
    guard memory.count >= picture.size, let place = pictures.firstIndex(where: { $0.first == picture.first }) else { return false }
    pictures.removeFirst(place + 1)
    guard assemble(picture.first...picture.last, into: memory)?.size == picture.size else { return false }
    handedOn &+= 1
    done = picture.last
    lastNumber = picture.number
    if let layer = picture.layer { lastBase = layer.baseIndex } else { lastBase = nil }
    return true
  }

  /// Lets go of a picture that nobody took, and of all before it.
  func skip(_ picture: Picture) {
    guard let place = pictures.firstIndex(where: { $0.first == picture.first }) else { return }
    pictures.removeFirst(place + 1)
    (done, lastNumber, lastBase) = (picture.last, picture.number, picture.layer?.baseIndex)
  }

  // MARK: What is missing

  /// Packets arrived, and nothing can be decoded: since when that is so, by the oldest that waits.
  var waitingSince: Int64? {
    guard next() == nil else { return nil }
    let start = (done ?? max(-1, newest - Int64(pieces.count))) + 1
    guard start <= newest else { return nil }
    return pictures.first?.lastArrival ?? piece(newest)?.arrival
  }

  /// A key frame has begun to come and was not handed on: when the last of its packets came.
  var keyFrameArrival: Int64? { keyFrame.flatMap { $0.first > done ?? -1 ? $0.arrival : nil } }

  /// Packets that there is room for now.
  var slots: Int { pieces.count }
  var completePictures: Int { pictures.count }
  /// The last packet of what was handed on.
  var lastTaken: Int64? { done }

  /// Starts again with a stream that has nothing to do with what came.
  func reset() {
    for place in pieces.indices { pieces[place] = Piece() }
    pictures.removeAll(keepingCapacity: true)
    timestamps.reset()
    (newest, first, received) = (-1, .max, 0)
    (keyFrame, done, lastBase, lastNumber) = (nil, nil, nil, nil)
  }
}
