import CMediaSDK
import MediaCore

/// What the first bytes of an encoded frame of video say.
public struct EncodedHeader: Sendable, Equatable {
  /// It can be decoded without the frames before it.
  public var isKeyFrame: Bool
  var isShown: Bool
  /// Of the frame; 0 where only key frames say it.
  public var width: UInt32
  /// Pixels, as the width.
  public var height: UInt32
}

/// What a packet of audio says without being decoded.
public struct AudioPacketHeader: Sendable, Equatable {
  /// Bytes: what 48 frames have together, the most that are in 120 ms.
  static let largestPacket = 61_440

  /// Per channel at 48,000 Hz, of all frames in the packet.
  public var sampleCount: Int
  /// One or two.
  public var channels: Int
  /// It carries something of the packet before it.
  public var hasRedundancy: Bool
}

/// Reads headers of encoded data in another process: those of classes whose code is not in this one, and what an isolated decoder is to decode.
package protocol EncodedHeaders: AnyObject, Sendable {
  /// The plugin's own result; throws when its process could not tell.
  func parseVideo(
    _ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_encoded_header
  ) throws(MediaError) -> msdk_result
  func parseAudio(
    _ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_packet_header
  ) throws(MediaError) -> msdk_result
}

/// What an isolated class says of its instances.
package protocol InstanceHeaders {
  /// Who reads headers in the process of that instance.
  func headers(of plugin: OpaquePointer) -> (any EncodedHeaders)?
}

extension PluginInstance {
  /// Who reads headers for it, where its code is in another process.
  var headers: (any EncodedHeaders)? {
    guard let isolation = descriptor.isolation as? any InstanceHeaders else { return nil }
    return isolation.headers(of: plugin)
  }
}

/// Without an instance; the bytes may be anything.
extension ClassDescriptor {
  func parseVideo(_ data: UnsafeRawBufferPointer) throws(MediaError) -> EncodedHeader {
    var native = msdk_encoded_header()
    native.struct_size = UInt32(MemoryLayout<msdk_encoded_header>.size)
    let what = "do not begin a frame"
    if let headers = module.headers {
      try check(headers.parseVideo(data, of: id, &native), data, what)
    } else {
      try check(ForeignCode.run { videoDecoder?.parse_header?(data.baseAddress, UInt64(data.count), &native) }, data, what)
    }
    let most = UInt32(MSDK_DIMENSION_MAX)
    guard native.width <= most, native.height <= most else {
      throw MediaError(.corrupt, "\(id): the header declares \(native.width)x\(native.height); accepted: up to \(most)x\(most)")
    }
    return EncodedHeader(
      isKeyFrame: native.flags & UInt32(MSDK_ENCODED_KEY) != 0, isShown: native.is_shown != 0, width: native.width, height: native.height)
  }

  func parseAudio(_ data: UnsafeRawBufferPointer, by headers: (any EncodedHeaders)? = nil) throws(MediaError) -> AudioPacketHeader {
    var native = msdk_packet_header()
    native.struct_size = UInt32(MemoryLayout<msdk_packet_header>.size)
    if let headers = headers ?? module.headers {
      try check(headers.parseAudio(data, of: id, &native), data, "are not a packet")
    } else {
      try check(ForeignCode.run { audioDecoder?.parse_header?(data.baseAddress, UInt64(data.count), &native) }, data, "are not a packet")
    }
    guard 1...5760 ~= native.sample_count, 1...2 ~= native.channels else {
      throw MediaError(
        .corrupt, "\(id): the header declares \(native.sample_count) samples of \(native.channels) channels; accepted: 1..5760 of 1 or 2")
    }
    return AudioPacketHeader(
      sampleCount: Int(native.sample_count), channels: Int(native.channels), hasRedundancy: native.has_redundancy != 0)
  }

  private func check(_ result: msdk_result?, _ data: UnsafeRawBufferPointer, _ what: String) throws(MediaError) {
    let result = result ?? msdk_result(MSDK_E_UNSUPPORTED)
    guard result < 0 else { return }
    // Functions without an instance have no text of their own; ours are asked for it.
    if isBuiltIn { try BuiltInModule.explain(data, id) }
    throw MediaError(Status(foreign: result), "\(id): the \(data.count) bytes \(what)")
  }
}
