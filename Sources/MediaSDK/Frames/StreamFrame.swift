import CMediaSDK
import MediaCore
import MediaTransport

/// As a program makes and takes it.
protocol RawFrame: MediaFrame {
  /// Its number and capture time, and that nobody writes to it any more. Under the lock that counts, before anybody else has the frame.
  func stamp(sequence: UInt64, timestamp: Int64)
  func send(to outlet: any MediaOutlet, _ number: FrameID) -> SendResult
}

extension VideoFrame: RawFrame {
  func stamp(sequence: UInt64, timestamp: Int64) {
    native.pointee.sequence = sequence
    native.pointee.timestamp_ns = timestamp
    native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
  }

  func send(to outlet: any MediaOutlet, _ number: FrameID) -> SendResult { outlet.send(self, number) }
}

extension AudioFrame: RawFrame {
  func stamp(sequence: UInt64, timestamp: Int64) {
    native.pointee.sequence = sequence
    native.pointee.timestamp_ns = timestamp
    native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
  }

  func send(to outlet: any MediaOutlet, _ number: FrameID) -> SendResult { outlet.send(self, number) }
}

/// A frame of a stream in one of the two forms that a stream of its kind has; a reference as the frame is one.
enum StreamFrame<Raw: RawFrame>: Sendable {
  case raw(Raw)
  case encoded(EncodedFrame)

  func retain() {
    switch self {
    case .raw(let frame): frame.retain()
    case .encoded(let frame): frame.retain()
    }
  }

  func release() {
    switch self {
    case .raw(let frame): frame.release()
    case .encoded(let frame): frame.release()
    }
  }

  func lent(to share: FrameShare) -> StreamFrame? {
    switch self {
    case .raw(let frame): frame.lent(to: share).map { .raw($0) }
    case .encoded(let frame): frame.lent(to: share).map { .encoded($0) }
    }
  }

  var byteCount: Int {
    switch self {
    case .raw(let frame): frame.byteCount
    case .encoded(let frame): frame.byteCount
    }
  }

  var isKeyFrame: Bool {
    switch self {
    case .raw: false
    case .encoded(let frame): frame.isKeyFrame
    }
  }

  /// As `stamp`.
  func removeMetadata() {
    if case .raw(let frame as VideoFrame) = self { frame.setMetadata(UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  /// Under the lock that counts, before anybody else has the frame.
  func stamp(sequence: UInt64, timestamp: Int64) {
    switch self {
    case .raw(let frame): frame.stamp(sequence: sequence, timestamp: timestamp)
    case .encoded(let frame):
      frame.native.pointee.sequence = sequence
      frame.native.pointee.timestamp_ns = timestamp
    }
  }
}
