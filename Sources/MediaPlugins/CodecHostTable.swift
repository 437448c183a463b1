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
  }

  /// `pool` is nil for what is no encoder.
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
  /// What an encoder gave, whose reference becomes the caller's: a live encoded frame that nobody else holds.
  func takeEncoded(_ pointer: UnsafeMutablePointer<msdk_encoded_frame>?) throws(MediaError) -> EncodedFrame {
    guard let pointer else { throw MediaError(.abi, "\(descriptor.id): encode succeeded and returned no frame") }
    let frame: EncodedFrame
    do throws(MediaError) {
      frame = try EncodedFrame.retained(foreign: pointer)
    } catch {
      throw MediaError(.handle, "\(descriptor.id): encode did not return a live encoded frame")
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
