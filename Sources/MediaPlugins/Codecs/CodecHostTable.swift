import CMediaSDK
import MediaCore

/// The function of the host's table that is of encoders.
package enum CodecHostTable {
  static func add(to host: inout msdk_host) {
    host.encoded_frame_create = { token, attributes, out in
      HostTable.result(token) { instance throws(MediaError) in
        try CodecHostTable.create(attributes, out, of: instance.descriptor, from: instance.encodedPool)
      }
    }
    host.consume_encoded_frame = { token, pointer in CodecHostTable.consume(token, pointer) }
  }

  private static func consume(_ token: OpaquePointer?, _ pointer: UnsafeMutablePointer<msdk_encoded_frame>?) -> msdk_result {
    guard let frame = try? EncodedFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
    // Of the two references one is the plugin's, taken whatever comes of it.
    frame.release()
    guard let instance = HostTable.instance(token), let sink = instance.state.withLock({ $0.encodedSink }) else {
      frame.release()
      return msdk_result(MSDK_E_CLOSED)
    }
    guard (try? frame.check()) != nil else {
      frame.release()
      return msdk_result(MSDK_E_INVALID)
    }
    do throws(MediaError) {
      let ours = try instance.takeEncoded(frame.native, from: "consume_encoded_frame")
      defer { ours.release() }
      if ours.native.pointee.timestamp_ns == 0 { ours.native.pointee.timestamp_ns = instance.clock() }
      return sink.take(ours)?.rawValue ?? msdk_result(MSDK_OK)
    } catch {
      return error.status.rawValue
    }
  }

  /// `pool` is nil for what makes no encoded frames.
  package static func create(
    _ attributes: UnsafePointer<msdk_encoded_frame>?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?,
    of descriptor: ClassDescriptor?, from pool: BufferPool?
  ) throws(MediaError) {
    guard let attributes, let out else { throw MediaError(.invalid, "attributes or out is NULL") }
    guard let pool else {
      throw MediaError(.unsupported, "class \(descriptor?.id ?? "") is not an encoder and makes no encoded frames")
    }
    let source = try ForeignStruct.read(attributes, argument: "attributes")
    guard source.data != nil, 1...UInt64(EncodedFrame.largest) ~= source.size else {
      let data = source.data == nil ? "NULL" : "set"
      throw MediaError(.invalid, "attributes.data is \(data), size \(source.size); accepted: 1..\(EncodedFrame.largest) bytes")
    }
    let bytes = UnsafeRawBufferPointer(start: source.data, count: Int(source.size))
    guard let frame = try EncodedFrame.make(copying: bytes, attributes: source, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "\(descriptor?.mostEncodedFrames ?? 0) encoded frames of this stream are in use")
    }
    out.pointee = frame.native
  }
}

extension PluginInstance {
  /// What an encoder gave, or such a producer, whose reference becomes the caller's: a live encoded frame that nobody else holds.
  func takeEncoded(
    _ pointer: UnsafeMutablePointer<msdk_encoded_frame>?, from function: String = "encode"
  ) throws(MediaError) -> EncodedFrame {
    guard let pointer else { throw MediaError(.abi, "\(descriptor.id): \(function) succeeded and returned no frame") }
    let frame: EncodedFrame
    do throws(MediaError) {
      frame = try EncodedFrame.retained(foreign: pointer)
    } catch {
      throw MediaError(.handle, "\(descriptor.id): \(function) did not return a live encoded frame")
    }
    // One reference was added for having looked.
    frame.release()
    guard frame.references > 1 else { return frame }
    // Somebody still reads it: what the host is to write into it goes into another.
    defer { frame.release() }
    guard let pool = encodedPool,
      let copy = try EncodedFrame.make(copying: frame.bytes, attributes: frame.native.pointee, from: pool, deadline: 0)
    else { throw MediaError(.noMemory, "\(descriptor.mostEncodedFrames ?? 0) encoded frames of this stream are in use") }
    return copy
  }
}
