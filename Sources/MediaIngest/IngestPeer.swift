import CLinux
import Glibc
import MediaCore

/// One connection: its socket, its protocol, and what is on the way in and out. Used by the door's thread alone.
final class IngestPeer {
  let id: UInt64
  let descriptor: Int32
  let isUnix: Bool
  var machine: IngestConnection
  var slots: [UInt32: IngestSharedMemory] = [:]
  /// Refused: what still comes is thrown away until it closes, or this time, so that it can read why.
  var leavesAt: Int64?
  /// Its socket is watched for room for answers.
  var isWatchedForRoom = false
  /// Came with a SLOT that is not whole yet.
  private var passed: Int32 = -1
  private var answers: [UInt8] = []
  /// The frame that is coming in; `memory` is nil while there is no room for it.
  private(set) var header: IngestFrame?
  private(set) var frame: VideoFrame?
  private var encoded = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var position = 0

  static let mostAnswers = 65_536

  init(_ id: UInt64, _ descriptor: Int32, isUnix: Bool, _ machine: IngestConnection) {
    self.id = id
    self.descriptor = descriptor
    self.isUnix = isUnix
    self.machine = machine
  }

  deinit {
    Glibc.close(descriptor)
    if passed >= 0 { Glibc.close(passed) }
    frame?.release()
    encoded.deallocate()
  }

  // MARK: In

  enum Arrival {
    case bytes(Int, descriptors: Int)
    case nothing
    case gone
  }

  /// Bytes into `memory`, and descriptors, of which the first is kept until it is asked for.
  func receive(into memory: UnsafeMutableRawBufferPointer) -> Arrival {
    var (count, lost): (Int32, Int32) = (0, 0)
    var fresh: Int32 = -1
    let got =
      isUnix
      ? msdk_receive(descriptor, memory.baseAddress, memory.count, &fresh, 1, &count, &lost)
      : recv(descriptor, memory.baseAddress, memory.count, 0)
    if fresh >= 0 {
      if passed >= 0 { Glibc.close(passed) }
      passed = fresh
    }
    if got > 0 { return .bytes(got, descriptors: Int(count) + (lost != 0 ? 16 : 0)) }
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .gone
  }

  /// The descriptor that came, the caller's to close.
  func takeDescriptor() -> Int32 {
    defer { passed = -1 }
    return passed
  }

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

  var hasAnswers: Bool { !answers.isEmpty }

  /// Says whether there was room.
  func answer(_ bytes: [UInt8]) -> Bool {
    guard answers.count + bytes.count <= IngestPeer.mostAnswers else { return false }
    answers.append(contentsOf: bytes)
    flush()
    return true
  }

  func flush() {
    guard !answers.isEmpty else { return }
    let sent = answers.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if sent > 0 { answers.removeFirst(sent) }
  }
}
