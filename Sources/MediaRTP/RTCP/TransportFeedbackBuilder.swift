/// Takes arrivals and makes transport-wide feedback of them. Remembers a window of packets: where more than that arrive between two reports the
/// oldest are not reported. A packet that comes after later ones were reported has the report begin again at it.
struct TransportFeedbackBuilder: Sendable {
  /// When each arrived, in ticks: a ring, by sequence number. Empty until something arrives: many a peer gets nothing.
  private var arrivals: [Int64] = []
  private let mask: Int64
  /// What is not reported yet: from start to before end, the last of which arrived.
  private var start: Int64 = 0
  private var end: Int64 = 0
  private var isBegun = false
  private var number: UInt8 = 0
  /// Of the packet in the making.
  private var symbols: [UInt8] = []
  private var deltas: [Int16] = []
  private var chunks: [TransportFeedbackChunk] = []

  /// Of a packet, header included.
  static let leastSize = 64
  private static let missing = Int64.min

  /// The window is rounded up to a power of two, 64 to 8192.
  init(window: Int = 4096) {
    var capacity = 64
    while capacity < min(window, 8192) { capacity *= 2 }
    mask = Int64(capacity - 1)
  }

  private mutating func begin(at sequence: Int64) {
    let capacity = Int(mask + 1)
    arrivals = Array(repeating: TransportFeedbackBuilder.missing, count: capacity)
    symbols.reserveCapacity(capacity)
    deltas.reserveCapacity(capacity)
    chunks.reserveCapacity(512)
    (isBegun, start, end) = (true, sequence, sequence)
  }

  var isEmpty: Bool { start == end }

  /// How long to wait between reports on a path of that rate: a twentieth of it (draft-ietf-rmcat-gcc-02, section 3), 50 to 250 ms.
  static func interval(atBitrate bitrate: Int) -> Int64 {
    let bits: Int64 = 68 * 8
    return min(max(bits * 20_000_000_000 / Int64(max(1, bitrate)), 50_000_000), 250_000_000)
  }

  private subscript(sequence: Int64) -> Int64 {
    get { arrivals[Int(sequence & mask)] }
    set { arrivals[Int(sequence & mask)] = newValue }
  }

  /// The number is unwrapped. A packet that arrives twice arrived the first time.
  mutating func arrived(_ sequence: Int64, at now: Int64) {
    let tick = now.flooredBy(TransportFeedback.tick).quotient
    if !isBegun { begin(at: sequence) }
    if sequence >= end {
      if sequence &- end > mask {
        for index in arrivals.indices { arrivals[index] = TransportFeedbackBuilder.missing }
        start = sequence
      } else {
        for between in end..<sequence { self[between] = TransportFeedbackBuilder.missing }
      }
      self[sequence] = tick
      end = sequence &+ 1
      start = max(start, end &- mask &- 1)
    } else if sequence >= end &- mask &- 1, self[sequence] == TransportFeedbackBuilder.missing {
      self[sequence] = tick
      start = min(start, sequence)
    }
  }

  /// Writes a packet that is no longer than the limit, and says whether there was anything to write: until there is not.
  mutating func write(to writer: inout PacketWriter, sender: SSRC, media: SSRC, limit: Int = 1200) -> Bool {
    guard !isEmpty, writer.room >= TransportFeedbackBuilder.leastSize else { return false }
    let reference = collect()
    let count = encode(within: min(max(limit, TransportFeedbackBuilder.leastSize), writer.room) & ~3)
    let base = start
    writer.rtcp(.transportLayerFeedback, count: Int(TransportFeedback.format)) { writer in
      let body = writer.count
      writer.u32(sender.rawValue)
      writer.u32(media.rawValue)
      writer.u16(UInt16(truncatingIfNeeded: base))
      writer.u16(UInt16(truncatingIfNeeded: count))
      writer.u24(UInt32(truncatingIfNeeded: reference))
      writer.u8(number)
      for chunk in chunks { writer.u16(chunk.rawValue) }
      var next = deltas.startIndex
      for symbol in symbols.prefix(count) where symbol != TransportFeedbackChunk.missing {
        if symbol == TransportFeedbackChunk.small {
          writer.u8(UInt8(truncatingIfNeeded: deltas[next]))
        } else {
          writer.u16(UInt16(bitPattern: deltas[next]))
        }
        next += 1
      }
      // Zeros as in the draft: a padding flag would be wrong before the last packet of a compound.
      writer.zeros((4 - (writer.count - body) % 4) % 4)
    }
    start += Int64(count)
    number &+= 1
    return true
  }

  /// What became of each, up to one that came more than eight seconds before or after the one before it. Returns the reference time.
  private mutating func collect() -> Int64 {
    symbols.removeAll(keepingCapacity: true)
    deltas.removeAll(keepingCapacity: true)
    var reference: Int64?
    var time: Int64 = 0
    for sequence in start..<end {
      let tick = self[sequence]
      if tick == TransportFeedbackBuilder.missing {
        symbols.append(TransportFeedbackChunk.missing)
        continue
      }
      if reference == nil {
        reference = tick >> 8
        time = tick & ~255
      }
      guard let delta = Int16(exactly: tick &- time) else { break }
      symbols.append((0...255).contains(delta) ? TransportFeedbackChunk.small : TransportFeedbackChunk.large)
      deltas.append(delta)
      time = tick
    }
    return reference ?? 0
  }

  /// The chunks of as many as fit, and how many those are.
  private mutating func encode(within limit: Int) -> Int {
    chunks.removeAll(keepingCapacity: true)
    var (position, size) = (0, TransportFeedback.fixedSize)
    while position < symbols.count {
      let symbol = symbols[position]
      var run = 1
      while run < TransportFeedbackChunk.longestRun, position + run < symbols.count, symbols[position + run] == symbol { run += 1 }
      let ahead = symbols[position..<min(position + TransportFeedbackChunk.narrowLength, symbols.count)]
      let isNarrow = !ahead.contains(TransportFeedbackChunk.large)
      let vector = isNarrow ? TransportFeedbackChunk.narrowLength : TransportFeedbackChunk.wideLength
      if run >= vector || position + run == symbols.count {
        if symbol != TransportFeedbackChunk.missing { run = min(run, (limit - size - 2) / Int(symbol)) }
        guard run > 0, size + 2 <= limit else { break }
        chunks.append(.run(of: symbol, run))
        position += run
        size += 2 + run * Int(symbol)
      } else {
        let part = ahead.prefix(vector)
        let bytes = part.reduce(0) { $0 + Int($1) }
        guard size + 2 + bytes <= limit else { break }
        chunks.append(isNarrow ? .narrow(part) : .wide(part))
        position += part.count
        size += 2 + bytes
      }
    }
    return position
  }
}
