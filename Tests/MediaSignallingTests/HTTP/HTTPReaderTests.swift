import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct HTTPReaderTests {
  private struct Message: Equatable {
    var start = ""
    var fields = HTTPFields()
    var body = ""
    var status = 0
  }

  /// All messages of these pieces, and the refusal that ended it.
  private func read(_ kind: HTTPReader.Kind, _ pieces: [[UInt8]], method: String = "GET", limits: HTTPLimits = .server, ends: Bool = false)
    -> (messages: [Message], refusal: HTTPRefusal?)
  {
    var reader = HTTPReader(kind, limits)
    reader.method = method
    var found: [Message] = []
    func take() {
      var message = Message(fields: reader.fields, body: text(reader.body))
      switch reader.start {
      case .request(let method, let target, let minor): message.start = "\(method) \(target) \(minor)"
      case .status(let status, let reason, let minor): (message.start, message.status) = ("\(status) \(reason) \(minor)", status)
      case nil: break
      }
      found.append(message)
      reader.reset()
      reader.method = method
    }
    do throws(HTTPRefusal) {
      for piece in pieces {
        // A copy of its own: a read beyond it is found.
        let result: Result<Void, HTTPRefusal> = piece.withUnsafeBytes { bytes in
          var place = 0
          do throws(HTTPRefusal) {
            while let event = try reader.read(bytes, &place) { if event == .end { take() } }
          } catch {
            return .failure(error)
          }
          return .success(())
        }
        try result.get()
      }
      if ends, try reader.end() == .end { take() }
    } catch {
      return (found, error)
    }
    return (found, nil)
  }

  private static let requests =
    "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nPOST /whip/x?y=z HTTP/1.1\r\nHOST:b:80 \r\nContent-Length:5\r\nX: \t a  b\t\r\n\r\nhe\r\no"
    + "PATCH * HTTP/1.0\r\nContent-Length: 0\r\n\r\n"
    + "PUT http://h/p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n3;name=\"va;lue\"\r\nabc\r\n"
    + "0A ;x\r\n0123456789\r\n00\r\nTrailer: t\r\n\r\n"
    + "DELETE /end HTTP/1.9\r\nHost:\r\n\r\n"

  @Test func requestsAreFoundWhereverTheBytesAreCut() {
    everyCut(Array(Self.requests.utf8)) { pieces in
      let (messages, refusal) = read(.request, pieces)
      #expect(refusal == nil)
      #expect(messages.map(\.start) == ["GET / 1", "POST /whip/x?y=z 1", "PATCH * 0", "PUT http://h/p 1", "DELETE /end 9"])
      #expect(messages.map(\.body) == ["", "he\r\no", "", "abc0123456789", ""])
      #expect(messages[1].fields == ["HOST": "b:80", "Content-Length": "5", "X": "a  b"])
      // A trailer is no field of the head.
      #expect(messages[3].fields["Trailer"] == nil)
    }
  }

  @Test func responsesAreFoundWhereverTheBytesAreCut() {
    let bytes =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 204 \r\nContent-Length: 9\r\n\r\n"
      + "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 200\r\n"
      + "transfer-encoding: chunked\r\nContent-Length: 1\r\n\r\n"
      + "1\r\nx\r\n0\r\n\r\nHTTP/1.0 503 Come back later\r\n\r\nuntil the\r\n\r\nend"
    everyCut(Array(bytes.utf8)) { pieces in
      let (messages, refusal) = read(.response, pieces, ends: true)
      #expect(refusal == nil)
      #expect(
        messages.map(\.start) == ["100 Continue 1", "201 Created 1", "204  1", "304 Not Modified 1", "200  1", "503 Come back later 0"])
      #expect(messages.map(\.body) == ["", "abc", "", "", "x", "until the\r\n\r\nend"])
    }
  }

  @Test func aResponseToHEADHasNoBody() {
    let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 404 No\r\n\r\n".utf8)
    #expect(read(.response, [bytes], method: "HEAD").messages.map(\.status) == [200, 404])
    #expect(read(.response, [bytes]).messages.map(\.body) == ["HTTP/"])
    #expect(read(.response, [Array("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n".utf8)], method: "CONNECT").messages.count == 2)
  }

  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n"
  private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"
  private static let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

  private static let malformed: [(String, Int)] = [
    // Lines.
    ("GET / HTTP/1.1\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\rX: b\r\n\r\n", 400),
    (get + "X: b\0\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
    (get + "X: 1\r X: 2\r\n\r\n", 400),
    ("\u{16}\u{3}\u{1}", 400),
    ("\r\n\r\n", 400),
    // The first line.
    ("GET  / HTTP/1.1\r\n", 400),
    ("GET / HTTP/1.1 \r\n", 400),
    (" GET / HTTP/1.1\r\n", 400),
    ("GET /\r\n", 400),
    ("GET / HTTP/1.1x\r\n", 400),
    ("G(T / HTTP/1.1\r\n", 400),
    ("GET /\u{E9} HTTP/1.1\r\n", 400),
    ("GET /\t HTTP/1.1\r\n", 400),
    ("GET / http/1.1\r\n", 400),
    ("PRI * HTTP/2.0\r\n", 505),
    ("GET / HTTP/0.9\r\n", 505),
    ("GET / HTTP/1.\r\n", 400),
    ("GET / HTTP/11\r\n", 400),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG / HTTP/1.1\r\n", 501),
    // Fields.
    (get + " folded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    (get + ": b\r\n\r\n", 400),
    (get + "no colon\r\n\r\n", 400),
    (get + "N\u{E9}: b\r\n\r\n", 400),
    // Host.
    ("GET / HTTP/1.1\r\n\r\n", 400),
    (get + "Host: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400),
    ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    // Smuggling: where the body ends is said twice, or in a form that others read otherwise.
    (post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    (post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", 400),
    (post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
    (post + "Content-Length: 1, 1\r\n\r\na", 400),
    (post + "Content-Length: +1\r\n\r\na", 400),
    (post + "Content-Length: 0x1\r\n\r\na", 400),
    (post + "Content-Length: \r\n\r\na", 400),
    (post + "Content-Length: 99999999999999999999\r\n\r\na", 400),
    (post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
    (post + "Transfer-Encoding: xchunked\r\n\r\n", 501),
    (post + "Transfer-Encoding: chunked, identity\r\n\r\n", 501),
    (post + "Transfer-Encoding: \"chunked\"\r\n\r\n", 501),
    (post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    // Chunks.
    (chunked + "x\r\n", 400),
    (chunked + "\r\n", 400),
    (chunked + "-1\r\n", 400),
    (chunked + " 1\r\n", 400),
    (chunked + "1 1\r\n", 400),
    (chunked + "0x1\r\n", 400),
    (chunked + "1\r\nabc\r\n", 400),
    (chunked + "1\r\na\n", 400),
    (chunked + "1\na\r\n", 400),
    (chunked + "1000000000000000\r\n", 400),
    (chunked + "0\r\n folded\r\n\r\n", 400)
  ]

  @Test(arguments: malformed)
  func whatIsMalformedIsRefused(bytes: String, status: Int) {
    everyCut(Array(bytes.utf8)) { pieces in
      let (messages, refusal) = read(.request, pieces)
      #expect(messages.isEmpty && refusal?.status == status, "\(bytes): \(String(describing: refusal))")
    }
  }

  @Test(arguments: [
    "HTTP/1.1 99 A\r\n", "HTTP/1.1 600 A\r\n", "HTTP/1.1 2000 A\r\n", "HTTP/1.1 20 A\r\n", "HTTP/1.1  200 A\r\n", "HTTP/1.1\r\n",
    "ICY 200 OK\r\n", "\r\n",
    "HTTP/2.0 200 OK\r\n", "HTTP/1.1 200 OK\nX: y\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n"
  ])
  func whatIsNoResponseIsRefused(bytes: String) {
    everyCut(Array(bytes.utf8)) { #expect(read(.response, $0).refusal != nil, "\(bytes)") }
  }

  @Test func aSecondLineOfAFieldIsNamed() {
    let folded = Array("GET / HTTP/1.1\r\nHost: a\r\n b: c\r\n\r\n".utf8)
    #expect(read(.request, [folded]).refusal?.error.text == "HTTP: a header field goes on in a second line")
  }

  @Test func halfAMessageIsNone() {
    for whole in [
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
    ] {
      for count in 1..<whole.utf8.count {
        let (messages, refusal) = read(.response, [Array(whole.utf8.prefix(count))], ends: true)
        #expect(messages.isEmpty && refusal?.error.text.contains("ended within a message") == true, "\(count)")
      }
    }
    let (messages, refusal) = read(.response, [], ends: true)
    #expect(messages.isEmpty && refusal == nil)
  }

  @Test func eachBoundIsNamed() {
    var limits = HTTPLimits.server
    (limits.startLine, limits.fields, limits.fieldBytes, limits.body) = (20, 2, 30, 10)
    func refused(_ bytes: String) -> String {
      let refusal = read(.request, [Array(bytes.utf8)], limits: limits).refusal
      return "\(refusal?.status ?? 0) \(refusal?.error.text ?? "")"
    }
    #expect(refused("GET /56789 HTTP/1.1\r\nHost: a\r\nX: b\r\n\r\n") == "0 ")
    #expect(refused("GET /567890 HTTP/1.1\r\n") == "0 ")
    #expect(refused("GET /5678901 HTTP/1.1") == "414 HTTP: the first line is longer; accepted: at most 20")
    #expect(refused("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\nY: c\r\n") == "431 HTTP: there are more header fields; accepted: at most 2")
    let long = refused("GET / HTTP/1.1\r\nHost: a\r\nX: 89012345678901234567890")
    #expect(long == "431 HTTP: the header fields have more bytes; accepted: at most 30")
    let head = "POST / HTTP/1.1\r\nHost: a\r\n"
    #expect(refused(head + "Content-Length:10\r\n\r\n") == "0 ")
    #expect(refused(head + "Content-Length:11\r\n\r\n") == "413 HTTP: the body has 11 bytes; accepted: at most 10")
    limits.fieldBytes = 40
    let chunked = head + "Transfer-Encoding:chunked\r\n\r\n"
    #expect(refused(chunked + "5\r\n12345\r\n5\r\n12345\r\n0\r\nA: b\r\nC: d\r\n\r\n") == "0 ")
    #expect(refused(chunked + "5\r\n12345\r\n6\r\n") == "413 HTTP: the body has more bytes; accepted: at most 10")
    #expect(refused(chunked + "0\r\nA: b\r\nC: d\r\nE: f\r\n").hasPrefix("431"))
    #expect(refused(chunked + "1;" + String(repeating: "x", count: 1_023)).hasPrefix("400 HTTP: the line of a chunk's size is longer"))
    let unbounded = Array("HTTP/1.1 200 OK\r\n\r\n1234567890".utf8)
    #expect(read(.response, [unbounded], limits: limits, ends: true).messages.count == 1)
    #expect(read(.response, [unbounded, [1]], limits: limits).refusal?.error.status == .limit)
  }
}
