import CMediaSDK

@testable import MediaCore

/// The table of a producer whose frames come encoded, which are VP8 that nobody decodes.
extension FakePlugin {
  /// Its frames are those of `packets`, one after the other.
  static func encodedProducer(pull: Bool) -> msdk_video_producer {
    var table = producer(pull: pull)
    table.flags |= UInt32(MSDK_PRODUCER_ENCODED)
    table.codec = UInt32(MSDK_CODEC_VP8)
    table.produce_frame = nil
    guard pull else { return table }
    table.produce_encoded_frame = { plugin, due, out in
      guard let fake = FakePlugin.of(plugin) else { return -1 }
      fake.due.withLock { $0 = due }
      let result = fake.call("produce_encoded_frame")
      guard result >= 0, let data = fake.packets.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return result }
      return fake.create(data, out)
    }
    table.request_key_frame = { FakePlugin.of($0)?.call("request_key_frame") ?? -1 }
    return table
  }

  /// As a plugin makes an encoded frame.
  func create(
    _ data: [UInt8], timestamp: Int64 = 0, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    data.withUnsafeBufferPointer { data in
      var attributes = msdk_encoded_frame()
      attributes.struct_size = UInt32(MemoryLayout<msdk_encoded_frame>.size)
      attributes.data = data.baseAddress
      attributes.size = UInt64(data.count)
      attributes.timestamp_ns = timestamp
      attributes.duration_ns = packetDuration.withLock { $0 }
      return host.encoded_frame_create(context, &attributes, out)
    }
  }

  /// Delivers an encoded frame as a push producer's thread would.
  func push(_ data: [UInt8], timestamp: Int64 = 0) -> Int {
    var frame: UnsafeMutablePointer<msdk_encoded_frame>?
    let result = create(data, timestamp: timestamp, &frame)
    return Int(result < 0 ? result : host.consume_encoded_frame(context, frame))
  }

  /// The head of a frame of VP8 (RFC 6386, section 9.1), and a number by which it is known again.
  static func vp8(isKey: Bool, _ number: UInt8, width: UInt16 = 64, height: UInt16 = 48) -> [UInt8] {
    let size = [UInt8(truncatingIfNeeded: width), UInt8(width >> 8), UInt8(truncatingIfNeeded: height), UInt8(height >> 8)]
    return isKey ? [0x10, 0, 0, 0x9D, 0x01, 0x2A] + size + [number] : [0x11, 0, 0, number]
  }
}
