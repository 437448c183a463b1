import CMediaSDK
import MediaCore

/// Audio of any length, cut into buffers. What does not fill one is kept for the next write.
extension OutgoingAudio {
  struct Writing {
    /// Less than a buffer; or a whole one for which there was no room.
    var kept: [UInt8] = []
    var isUnderWay = false
    /// Flushed while a write was under way.
    var isFlushed = false
  }

  /// How many bytes were taken: all, unless there was no room in time, which `shortage` says then. `isLast`: what is kept is padded with
  /// silence and sent.
  public func write(_ data: UnsafeRawBufferPointer, isLast: Bool, deadline: Int64, shortage: inout MediaError?) throws(MediaError) -> Int {
    guard !options.isEncodedInput else {
      throw MediaError(.state, "the stream takes packets (encoded_input); use msdk_outgoing_audio_send_encoded")
    }
    let state = state
    guard state == .started else { throw MediaError(.state, "the stream is not started; its state is \(state)") }
    guard data.count % format.stride == 0 else {
      throw MediaError(.invalid, "size is \(data.count); accepted: whole samples of all channels, \(format.stride) bytes each")
    }
    var kept: [UInt8] = try writing.withLock { writing throws(MediaError) in
      guard !writing.isUnderWay else { throw MediaError(.state, "another thread is writing to the stream") }
      (writing.isUnderWay, writing.isFlushed) = (true, false)
      if writing.kept.capacity < expectedBufferSize { writing.kept.reserveCapacity(expectedBufferSize) }
      return writing.kept.take()
    }
    defer {
      writing.withLock { writing in
        if writing.isFlushed { kept.removeAll(keepingCapacity: true) }
        (writing.kept, writing.isUnderWay) = (kept, false)
      }
    }
    var taken = 0
    do throws(MediaError) {
      repeat {
        if kept.count == expectedBufferSize { try send(&kept, deadline) }
        let rest = UnsafeRawBufferPointer(rebasing: data[taken...])
        if kept.isEmpty, rest.count >= expectedBufferSize {
          try send(UnsafeRawBufferPointer(rebasing: rest.prefix(expectedBufferSize)), deadline: deadline, completion: .silent)
          taken += expectedBufferSize
        } else {
          let part = rest.prefix(expectedBufferSize - kept.count)
          kept.append(contentsOf: part)
          taken += part.count
        }
      } while taken < data.count
      if kept.count == expectedBufferSize { try send(&kept, deadline) }
      if isLast, !kept.isEmpty {
        kept.append(contentsOf: repeatElement(0, count: expectedBufferSize - kept.count))
        try send(&kept, deadline)
      }
    } catch  where error.status == .again || error.status == .timeout {
      shortage = error
    } catch {
      kept.removeAll(keepingCapacity: true)
      throw error
    }
    return taken
  }

  private func send(_ kept: inout [UInt8], _ deadline: Int64) throws(MediaError) {
    let result = kept.withUnsafeBytes { bytes in
      Result { () throws(MediaError) in try send(bytes, deadline: deadline, completion: .silent) }
    }
    try result.get()
    kept.removeAll(keepingCapacity: true)
  }

  func forgetWritten() {
    writing.withLock { writing in
      writing.kept.removeAll(keepingCapacity: true)
      writing.isFlushed = writing.isUnderWay
    }
  }
}

extension [UInt8] {
  fileprivate mutating func take() -> [UInt8] {
    defer { self = [] }
    return self
  }
}
