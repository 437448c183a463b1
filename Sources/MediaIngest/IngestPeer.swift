import MediaCore
import MediaNetwork
import MediaRuntime

/// One connection: its socket, its protocol, and what is on the way in and out. Used by the loop's thread alone.
final class IngestPeer: NetworkDriver, @unchecked Sendable {
  let id: UInt64
  let isUnix: Bool
  var machine: IngestConnection
  var slots: [UInt32: IngestSharedMemory] = [:]
  /// Refused: what still comes is discarded until the other end closes, or this time, so that it can read why.
  private(set) var leavesAt: Int64?
  /// By which the loop knows it.
  var tag: UInt64?
  /// The loop waits for room to write answers.
  private var isFull = false
  private var hasEndedWriting = false
  private let connection: any StreamConnection
  private let unix: IngestUnixSocket?
  /// Refers to this one as well, until it is removed.
  private let server: IngestServer
  private var answers: [UInt8] = []
  /// The frame that is coming in; `frame` is nil while there is no room for it.
  private(set) var header: IngestFrame?
  private(set) var frame: VideoFrame?
  private var encoded = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var position = 0

  static let mostAnswers = 65_536

  init(_ id: UInt64, _ connection: any StreamConnection, _ machine: IngestConnection, _ server: IngestServer) {
    (self.id, self.connection, self.machine, self.server) = (id, connection, machine, server)
    unix = connection as? IngestUnixSocket
    isUnix = unix != nil
  }

  deinit {
    frame?.release()
    encoded.deallocate()
  }

  var descriptor: Int32 { connection.descriptor }
  var isOwn: Bool { unix?.isOwn ?? true }

  func drive(isReadable: Bool) -> Int64 { server.drive(self, isReadable: isReadable) }

  // MARK: In

  enum Arrival {
    case bytes(Int, descriptors: Int)
    case nothing
    case gone
  }

  /// Bytes into `memory`, and how many descriptors came with them, of which the first is kept until it is asked for.
  func receive(into memory: UnsafeMutableRawBufferPointer) -> Arrival {
    switch connection.read(into: memory) {
    case .bytes(let count): .bytes(count, descriptors: unix?.takeCount() ?? 0)
    case .nothing: .nothing
    case .end, .failed: .gone
    }
  }

  /// The descriptor that came, the caller's to close.
  func takeDescriptor() -> Int32 { unix?.takeDescriptor() ?? -1 }

  /// Finds memory for a frame; without any the frame is left out.
  func begin(_ header: IngestFrame, from pool: BufferPool) {
    self.header = header
    position = 0
    if header.codec == 0 {
      frame = try? VideoFrame.make(header.format, strides: header.strides, from: pool, deadline: 0)
    } else if encoded.count < header.payloadSize {
      encoded.deallocate()
      encoded = .allocate(byteCount: header.payloadSize, alignment: 64)
    }
  }

  /// Where the rest of the payload goes; nil when the frame is left out.
  var destination: UnsafeMutableRawBufferPointer? {
    guard let header else { return nil }
    let left = machine.payloadLeft
    if header.codec != 0 { return UnsafeMutableRawBufferPointer(rebasing: encoded[position..<position + left]) }
    guard let data = frame?.native.pointee.plane.0.data else { return nil }
    return UnsafeMutableRawBufferPointer(start: data + position, count: left)
  }

  func advance(_ count: Int) {
    position += count
  }

  /// What came whole; the caller releases the frame.
  func finish() -> (IngestFrame, VideoFrame?, UnsafeRawBufferPointer)? {
    defer {
      header = nil
      frame = nil
    }
    guard let header else { return nil }
    return (header, frame, UnsafeRawBufferPointer(rebasing: encoded.prefix(header.codec != 0 ? header.payloadSize : 0)))
  }

  // MARK: Out

  /// Says whether there was room.
  func answer(_ bytes: [UInt8], by loop: any DriverLoop) -> Bool {
    guard answers.count + bytes.count <= IngestPeer.mostAnswers else { return false }
    answers.append(contentsOf: bytes)
    flush(by: loop)
    return true
  }

  /// The last answer of all; it stays until then, for what it still sends.
  func leave(_ bytes: [UInt8], at time: Int64, by loop: any DriverLoop) {
    leavesAt = time
    slots = [:]
    if !answer(bytes, by: loop) { flush(by: loop) }
  }

  func flush(by loop: any DriverLoop) {
    if !answers.isEmpty {
      // Of a connection that is broken no answer is left; reading finds out.
      let sent = answers.withUnsafeBytes { connection.write($0) } ?? answers.count
      answers.removeFirst(sent)
    }
    if leavesAt != nil, answers.isEmpty, !hasEndedWriting {
      hasEndedWriting = true
      connection.endWriting()
    }
    guard isFull != !answers.isEmpty, let tag else { return }
    isFull = !answers.isEmpty
    loop.setFull(isFull, descriptor, of: tag)
  }
}
