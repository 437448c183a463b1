/// Messages out of the bytes of a connection (RFC 9112), which come in pieces of any size. Its memory is bounded by its limits, and its
/// work by the bytes that come. After it has thrown it is not used again.
struct HTTPReader {
  enum Kind {
    case request
    case response
  }

  enum Event {
    /// The start line and the fields are there.
    case head
    /// The whole message is, and `reset` makes room for the next.
    case end
  }

  private enum Step {
    case startLine, fields, body, chunkSize, chunkBytes, chunkEnd, trailers, complete
  }

  private let kind: Kind
  private let limits: HTTPLimits
  private var step = Step.startLine
  private(set) var start: HTTPStartLine?
  private(set) var fields = HTTPFields()
  private(set) var framing = HTTPFraming.none
  private(set) var body: [UInt8] = []
  /// Of the request that a response answers.
  var method = "GET"
  private var line: [UInt8] = []
  private var endsWithReturn = false
  private var (lineCount, lineBytes) = (0, 0)
  /// Of a body, or of a chunk.
  private var remaining = 0
  private var emptyLines = 0

  init(_ kind: Kind, _ limits: HTTPLimits) {
    (self.kind, self.limits) = (kind, limits)
  }

  /// Something of a message is there.
  var isBegun: Bool { step != .startLine || !line.isEmpty || endsWithReturn }

  /// What comes belongs to the next message.
  mutating func reset() { self = HTTPReader(kind, limits) }

  /// Takes bytes from that place on, until something happens or there are no more (nil).
  mutating func read(_ bytes: UnsafeRawBufferPointer, _ place: inout Int) throws(HTTPRefusal) -> Event? {
    while true {
      switch step {
      case .startLine:
        let (status, what) = kind == .request ? (414, "the first line is longer") : (400, "the status line is longer")
        guard try takeLine(bytes, &place, limits.startLine, status, what) else { return nil }
        try takeStartLine()
      case .fields:
        guard try takeLine(bytes, &place, limits.fieldBytes &- lineBytes, 431, "the header fields have more bytes", limits.fieldBytes)
        else { return nil }
        if try takeField(keeping: true) { continue }
        try takeHead()
        return .head
      case .body:
        guard framing != .untilEnd else {
          try takeUntilEnd(bytes, &place)
          return nil
        }
        takeBody(bytes, &place)
        guard remaining == 0 else { return nil }
        step = .complete
      case .chunkSize:
        guard try takeLine(bytes, &place, HTTPLimits.chunkLine, 400, "the line of a chunk's size is longer") else { return nil }
        try takeChunkSize()
      case .chunkBytes:
        takeBody(bytes, &place)
        guard remaining == 0 else { return nil }
        step = .chunkEnd
      case .chunkEnd:
        guard try takeLine(bytes, &place, 0, 400, "a chunk has more bytes than its size says") else { return nil }
        step = .chunkSize
      case .trailers:
        guard try takeLine(bytes, &place, limits.fieldBytes &- lineBytes, 431, "the trailers have more bytes", limits.fieldBytes) else {
          return nil
        }
        if try !takeField(keeping: false) { step = .complete }
      case .complete: return .end
      }
    }
  }

  /// Nothing comes after what came. `isClean`: the other end says so. nil: nothing was begun.
  mutating func end(isClean: Bool = true) throws(HTTPRefusal) -> Event? {
    guard isBegun else { return nil }
    if step == .complete || (step == .body && framing == .untilEnd && isClean) {
      step = .complete
      return .end
    }
    throw .malformed("the connection ended within a message")
  }

  // MARK: Lines

  /// Whether a line ended. It is `line`, and is to be taken before the next. `bound`: what `most` is the rest of.
  private mutating func takeLine(
    _ bytes: UnsafeRawBufferPointer, _ place: inout Int, _ most: Int, _ status: Int, _ what: String, _ bound: Int? = nil
  ) throws(HTTPRefusal) -> Bool {
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if endsWithReturn {
        guard byte == HTTPText.lineFeed else { throw .malformed("a carriage return came without a line feed") }
        endsWithReturn = false
        return true
      }
      if byte == HTTPText.carriageReturn {
        endsWithReturn = true
        continue
      }
      guard HTTPText.isVisibleOrBlank(byte) else { throw .malformed("a line has the byte \(byte)") }
      guard line.count < most else { throw .tooLarge(status, what, bound ?? most) }
      line.append(byte)
    }
    return false
  }

  private mutating func takeStartLine() throws(HTTPRefusal) {
    guard !line.isEmpty else {
      // Some clients end a body with a line that is not counted (RFC 9112, section 2.2).
      emptyLines += 1
      guard kind == .request, emptyLines <= 1 else { throw .malformed("the first line is empty") }
      return
    }
    start = kind == .request ? try .request(line) : try .status(line)
    line.removeAll(keepingCapacity: true)
    step = .fields
  }

  /// false: the line is the empty one after all fields.
  private mutating func takeField(keeping: Bool) throws(HTTPRefusal) -> Bool {
    guard !line.isEmpty else { return false }
    lineCount += 1
    lineBytes += line.count
    guard lineCount <= limits.fields else { throw .tooLarge(431, "there are more header fields", limits.fields) }
    guard line[0] != HTTPText.space, line[0] != HTTPText.tab else { throw .malformed("a header field goes on in a second line") }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy({ HTTPText.isToken($0) }) else {
      throw .malformed("\"\(String(decoding: line.prefix(32), as: UTF8.self))\" is not a header field; accepted: name: value")
    }
    if keeping {
      let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
      fields.append(String(decoding: line[..<colon], as: UTF8.self), String(HTTPText.trimmed(value[...])))
    }
    line.removeAll(keepingCapacity: true)
    return true
  }

  private mutating func takeHead() throws(HTTPRefusal) {
    switch start {
    case .request(_, _, let minor):
      framing = try .request(fields, minor: minor)
      try checkHost(minor)
    case .status(let status, _, _): framing = try .response(fields, status: status, to: method)
    case nil: throw .malformed("there is no first line")
    }
    (lineCount, lineBytes) = (0, 0)
    switch framing {
    case .none: step = .complete
    case .length(let length):
      guard length <= limits.body else { throw .tooLarge(413, "the body has \(length) bytes", limits.body) }
      (step, remaining) = (.body, length)
    case .chunked: step = .chunkSize
    case .untilEnd: step = .body
    }
  }

  /// RFC 9112, section 3.2. Whether it is a host of its own, a server's owner knows.
  private func checkHost(_ minor: UInt8) throws(HTTPRefusal) {
    let hosts = fields.values("Host")
    guard hosts.count == 1 || (hosts.isEmpty && minor == 0) else { throw .malformed("Host came \(hosts.count) times; accepted: once") }
    let delimiters = Array("/?#@\\,".utf8)
    guard hosts.allSatisfy({ $0.utf8.allSatisfy { (0x21...0x7E).contains($0) && !delimiters.contains($0) } }) else {
      throw .malformed("Host is \"\(hosts[0].prefix(64))\"; accepted: a host, and a port after a colon")
    }
  }

  // MARK: Bodies

  private mutating func takeBody(_ bytes: UnsafeRawBufferPointer, _ place: inout Int) {
    let count = min(remaining, bytes.count - place)
    body.append(contentsOf: bytes[place..<(place + count)])
    place += count
    remaining -= count
  }

  private mutating func takeUntilEnd(_ bytes: UnsafeRawBufferPointer, _ place: inout Int) throws(HTTPRefusal) {
    guard bytes.count - place <= limits.body - body.count else { throw .tooLarge(413, "the body has more bytes", limits.body) }
    body.append(contentsOf: bytes[place...])
    place = bytes.count
  }

  /// RFC 9112, section 7.1; extensions are skipped.
  private mutating func takeChunkSize() throws(HTTPRefusal) {
    let text = String(decoding: line, as: UTF8.self)
    let digits = HTTPText.trimmed(HTTPText.cut(text[...], at: UInt8(ascii: ";"))?.before ?? text[...])
    guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ HTTPText.isHexadecimal($0) }), text.utf8.starts(with: digits.utf8),
      let size = Int(digits, radix: 16)
    else { throw .malformed("a chunk's size is \"\(text.prefix(32))\"; accepted: hexadecimal digits") }
    guard size <= limits.body - body.count else { throw .tooLarge(413, "the body has more bytes", limits.body) }
    line.removeAll(keepingCapacity: true)
    (remaining, step) = (size, size == 0 ? .trailers : .chunkBytes)
  }
}
