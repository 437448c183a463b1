import CLinux
import Glibc
import MediaCore

/// What one running tool shows, of one moment.
struct StatsSnapshot {
  let process: Int32
  let json: JSON
  private static let most = 4 << 20

  /// nil: nobody is there; what died is forgotten.
  init?(of process: Int32, in directory: String) throws(MediaError) {
    let path = StatsPlace.path(of: process, in: directory)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw MediaError(.io, "no socket: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    guard StatsPlace.withAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
      if errno == ECONNREFUSED { unlink(path) }
      return nil
    }
    var patience = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < StatsSnapshot.most {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw MediaError(.timeout, "process \(process) does not answer") }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    // It ended while it was asked.
    guard !bytes.isEmpty else { return nil }
    self.process = process
    json = try JSONReader.read(bytes, name: "what process \(process) shows")
  }
}

extension JSON {
  subscript(_ name: String) -> JSON? {
    if case .object(let members) = self { members.first { $0.0 == name }?.1 } else { nil }
  }

  var elements: [JSON] { if case .array(let values) = self { values } else { [] } }
  var string: String? { if case .text(let text) = self { text } else { nil } }

  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}
