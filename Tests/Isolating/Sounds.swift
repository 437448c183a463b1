import CMediaSDK
import MediaCore

/// Sound and encoded frames, which are copied both ways.
extension HostedInstance {
  /// A silent buffer of the library's, if the host has room for one.
  func sound(_ format: AudioFormat, _ sampleCount: Int) throws(MediaError) -> AudioFrame {
    var native = format.foreign
    host.audio_frame_unref?(try hostSound(&native, sampleCount))
    guard let frame = try AudioFrame.make(format, sampleCount: sampleCount, from: sounds, deadline: 0) else {
      throw MediaError(.again, "all \(sounds.limit) audio frames of the instance's pool are in use")
    }
    frame.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    return frame
  }

  private func hostSound(
    _ format: UnsafePointer<msdk_audio_format>, _ sampleCount: Int
  ) throws(MediaError) -> UnsafeMutablePointer<msdk_audio_frame> {
    var made: UnsafeMutablePointer<msdk_audio_frame>?
    let result = host.audio_frame_acquire?(context, format, UInt32(clamping: sampleCount), &made) ?? msdk_result(MSDK_E_UNSUPPORTED)
    guard result >= 0, let made else { throw MediaError(Status(foreign: result), "the host has no room for a buffer of sound") }
    return made
  }

  /// A copy that is the host's of one of the library's, whose reference it takes whatever comes of it.
  func hostSound(from pointer: UnsafeMutablePointer<msdk_audio_frame>?) throws(MediaError) -> UnsafeMutablePointer<msdk_audio_frame> {
    let frame = try AudioFrame.retained(foreign: pointer)
    defer {
      frame.release()
      frame.release()
    }
    var format = frame.format.foreign
    let made = try hostSound(&format, frame.sampleCount)
    UnsafeMutableRawBufferPointer(start: made.pointee.planes?.pointee, count: frame.bytes.count).copyMemory(
      from: UnsafeRawBufferPointer(frame.bytes))
    made.pointee.timestamp_ns = frame.native.pointee.timestamp_ns
    made.pointee.sequence = frame.native.pointee.sequence
    made.pointee.flags |= frame.native.pointee.flags & ~UInt32(MSDK_FRAME_WRITABLE)
    return made
  }

  /// A copy that is the library's.
  func sound(of pointer: UnsafePointer<msdk_audio_frame>?) throws(MediaError) -> AudioFrame {
    guard let native = pointer?.pointee, let format = native.format, let plane = native.planes?.pointee else {
      throw MediaError(.invalid, "frame is NULL, or has no format or no samples")
    }
    let wanted = try AudioFormat(checking: ForeignStruct.read(format, argument: "frame.format"), argument: "frame.format")
    guard let frame = try AudioFrame.make(wanted, sampleCount: Int(native.sample_count), from: sounds, deadline: 0) else {
      throw MediaError(.again, "all \(sounds.limit) audio frames of the instance's pool are in use")
    }
    frame.bytes.copyMemory(from: UnsafeRawBufferPointer(start: plane, count: frame.bytes.count))
    frame.native.pointee.flags = native.flags
    frame.native.pointee.timestamp_ns = native.timestamp_ns
    frame.native.pointee.sequence = native.sequence
    frame.native.pointee.level = native.level
    return frame
  }

  /// A copy that is the library's.
  func packet(of attributes: msdk_encoded_frame) throws(MediaError) -> EncodedFrame {
    let bytes = UnsafeRawBufferPointer(start: attributes.data, count: attributes.data == nil ? 0 : Int(clamping: attributes.size))
    guard let frame = try EncodedFrame.make(copying: bytes, attributes: attributes, from: packets, deadline: 0) else {
      throw MediaError(.noMemory, "\(packets.limit) encoded frames of the instance are in use")
    }
    return frame
  }

  /// A copy that is the host's of one of the library's, whose reference it takes whatever comes of it.
  func hostPacket(from pointer: UnsafeMutablePointer<msdk_encoded_frame>?) throws(MediaError) -> UnsafeMutablePointer<msdk_encoded_frame> {
    let frame = try EncodedFrame.retained(foreign: pointer)
    defer {
      frame.release()
      frame.release()
    }
    var made: UnsafeMutablePointer<msdk_encoded_frame>?
    let result = host.encoded_frame_create?(context, frame.native, &made) ?? msdk_result(MSDK_E_UNSUPPORTED)
    guard result >= 0, let made else { throw MediaError(Status(foreign: result), "the host has no room for an encoded frame") }
    return made
  }
}
