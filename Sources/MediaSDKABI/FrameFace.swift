import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins

// frame.h

@c @implementation
public func msdk_frame_get_layout(
  _ pixelFormat: UInt32, _ width: UInt32, _ height: UInt32, _ alignment: UInt32, _ out: UnsafeMutablePointer<msdk_frame_layout>!
) -> msdk_result {
  face { () throws(MediaError) in
    let format = try PixelFormat.named(pixelFormat, argument: "pixel_format")
    let layout = try FrameLayout(format, width: width, height: height, alignment: Int(max(1, alignment)))
    var native = msdk_frame_layout()
    native.plane_count = UInt32(layout.planes.count)
    native.size = UInt64(layout.size)
    for (index, plane) in layout.planes.enumerated() {
      setElement(&native.offset, index, UInt64(plane.offset))
      setElement(&native.plane_size, index, UInt64(plane.stride * plane.rows))
      setElement(&native.stride, index, Int32(clamping: plane.stride))
      setElement(&native.row_bytes, index, UInt32(plane.rowBytes))
      setElement(&native.rows, index, UInt32(plane.rows))
    }
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}

/// An array member of a C struct is a tuple here.
private func setElement<Tuple, Element>(_ tuple: inout Tuple, _ index: Int, _ value: Element) {
  withUnsafeMutableBytes(of: &tuple) { $0.storeBytes(of: value, toByteOffset: index * MemoryLayout<Element>.stride, as: Element.self) }
}

// MARK: Raw frames

@c @implementation
public func msdk_video_frame_create(
  _ format: UnsafePointer<msdk_video_format>!, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let out = try required(out, "out")
    let format = try ForeignStruct.read(required(format, "format"), argument: "format")
    out.pointee = try VideoFrame.make(VideoFormat(checking: format, argument: "format")).native
  }
}

@c @implementation
public func msdk_video_frame_wrap(
  _ external: UnsafePointer<msdk_external_frame>!, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let out = try required(out, "out")
    let external = try ForeignStruct.read(required(external, "external"), argument: "external")
    out.pointee = try VideoFrame.wrap(checking: external).native
  }
}

@c @implementation
public func msdk_video_frame_ref(_ frame: UnsafePointer<msdk_video_frame>!) -> msdk_result {
  face { () throws(MediaError) in _ = try VideoFrame.retained(foreign: frame) }
}

@c @implementation
public func msdk_video_frame_unref(_ frame: UnsafePointer<msdk_video_frame>!) -> msdk_result {
  face { () throws(MediaError) in
    guard let frame else { return }
    guard VideoFrame.release(foreign: frame) else { throw MediaError(.handle, "frame has no reference left, or is not a video frame") }
  }
}

@c @implementation
public func msdk_video_frame_get_references(_ frame: UnsafePointer<msdk_video_frame>!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result
{
  face { () throws(MediaError) in
    let references = frame.map { VideoFrame.references(foreign: $0) } ?? 0
    guard references > 0 else { throw MediaError(.handle, "frame has no reference left, or is not a video frame") }
    try required(out, "out").pointee = references
  }
}

@c @implementation
public func msdk_video_frame_convert(
  _ frame: UnsafePointer<msdk_video_frame>!, _ wanted: UnsafePointer<msdk_video_format>!,
  _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let out = try required(out, "out")
    let source = try VideoFrame.checked(foreign: frame)
    defer { source.release() }
    let format = try source.format.changed(to: ForeignStruct.read(required(wanted, "wanted"), argument: "wanted"))
    try VideoConverter.check(from: source.format, wanted: format)
    let result = try VideoFrame.make(format)
    do throws(MediaError) {
      try VideoConverter.convert(source.native, into: result.native)
    } catch {
      result.release()
      throw error
    }
    result.copyIdentity(from: source)
    out.pointee = result.native
  }
}

@c @implementation
public func msdk_video_frame_convert_into(
  _ frame: UnsafePointer<msdk_video_frame>!, _ destination: UnsafeMutablePointer<msdk_video_frame>!
) -> msdk_result {
  face { () throws(MediaError) in
    let source = try VideoFrame.checked(foreign: frame)
    defer { source.release() }
    let target = try VideoFrame.checked(foreign: destination, argument: "destination")
    defer { target.release() }
    // One reference is the caller's, one ours for the time of the call.
    guard target.isWritable, target.references == 2, target != source else {
      throw MediaError(
        .invalid, "destination is read-only, shared, or the frame itself; accepted: a writable frame with one reference that was not sent")
    }
    try VideoConverter.convert(source.native, into: target.native)
    target.setColor(VideoConverter.resultColor(from: source.format, to: target.format.pixelFormat))
    target.copyIdentity(from: source)
  }
}

extension VideoFormat {
  /// This format with what `wanted` says; its zeros say nothing. A hint has no place in a conversion, but must be one.
  fileprivate func changed(to wanted: msdk_video_format) throws(MediaError) -> VideoFormat {
    var native = foreign
    (native.content_hint, native.reserved0, native.reserved) = (wanted.content_hint, wanted.reserved0, wanted.reserved)
    if wanted.pixel_format != 0 { native.pixel_format = wanted.pixel_format }
    if wanted.width != 0 { native.width = wanted.width }
    if wanted.height != 0 { native.height = wanted.height }
    var format = try VideoFormat(checking: native, argument: "wanted")
    format.contentHint = contentHint
    format.color = VideoConverter.resultColor(from: self, to: format.pixelFormat)
    let asks = wanted.color_matrix != 0 && wanted.color_matrix != UInt32(MSDK_COLOR_UNSPECIFIED)
    if asks { format.color.matrix = wanted.color_matrix }
    if asks || wanted.color_full_range != 0 { format.color.fullRange = try flag(wanted.color_full_range, "wanted.color_full_range") }
    return format
  }
}

// MARK: Metadata

@c @implementation
public func msdk_video_frame_set_metadata(
  _ frame: UnsafeMutablePointer<msdk_video_frame>!, _ metadata: UnsafePointer<msdk_frame_metadata>!
) -> msdk_result {
  face { () throws(MediaError) in
    let frame = try VideoFrame.retained(foreign: frame)
    defer { frame.release() }
    // One reference is the caller's, one ours for the time of the call.
    guard frame.isWritable || frame.native.pointee.sequence == 0, frame.references == 2 else { throw msdk_frame_metadata.refused }
    try msdk_frame_metadata.withTrailer(of: metadata) { frame.setMetadata($0) }
  }
}

@c @implementation
public func msdk_video_frame_get_metadata(
  _ frame: UnsafePointer<msdk_video_frame>!, _ out: UnsafeMutablePointer<msdk_frame_metadata>!
) -> msdk_result {
  face { () throws(MediaError) in
    let frame = try VideoFrame.retained(foreign: frame)
    defer { frame.release() }
    try ForeignStruct.write(FrameTrailer.read(frame.metadata), to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_encoded_frame_set_metadata(
  _ frame: UnsafeMutablePointer<msdk_encoded_frame>!, _ metadata: UnsafePointer<msdk_frame_metadata>!
) -> msdk_result {
  face { () throws(MediaError) in
    let frame = try EncodedFrame.retained(foreign: frame)
    defer { frame.release() }
    guard frame.native.pointee.sequence == 0, frame.references == 2 else { throw msdk_frame_metadata.refused }
    try msdk_frame_metadata.withTrailer(of: metadata) { frame.setMetadata($0) }
  }
}

@c @implementation
public func msdk_encoded_frame_get_metadata(
  _ frame: UnsafePointer<msdk_encoded_frame>!, _ out: UnsafeMutablePointer<msdk_frame_metadata>!
) -> msdk_result {
  face { () throws(MediaError) in
    let frame = try EncodedFrame.retained(foreign: frame)
    defer { frame.release() }
    try ForeignStruct.write(FrameTrailer.read(frame.metadata), to: required(out, "out"), argument: "out")
  }
}

extension msdk_frame_metadata {
  fileprivate static let refused = MediaError(
    .invalid, "frame was sent or received, or has a second reference; accepted: a frame with one reference that was not sent")

  /// NULL: none.
  fileprivate static func withTrailer(
    of pointer: UnsafePointer<msdk_frame_metadata>?, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(MediaError) {
    guard let pointer else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let metadata = try ForeignStruct.read(pointer, argument: "metadata")
    try ForeignStruct.checkReserved(metadata.reserved0, "metadata.reserved0")
    let room = FrameTrailer.room(beside: metadata)
    guard metadata.user_data_size <= UInt32(room) else {
      throw MediaError(.range, "metadata.user_data_size is \(metadata.user_data_size); accepted: 0..\(room) beside its other members")
    }
    withUnsafeTemporaryAllocation(byteCount: FrameTrailer.most, alignment: 1) { memory in
      body(UnsafeRawBufferPointer(rebasing: memory.prefix(FrameTrailer.write(metadata, to: memory))))
    }
  }
}

// MARK: Sound

@c @implementation
public func msdk_audio_frame_create(
  _ format: UnsafePointer<msdk_audio_format>!, _ sampleCount: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_audio_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let out = try required(out, "out")
    var format = try ForeignStruct.read(required(format, "format"), argument: "format")
    format.frames_per_buffer = 0
    out.pointee = try AudioFrame.make(AudioFormat(checking: format, argument: "format"), sampleCount: Int(sampleCount)).native
  }
}

@c @implementation
public func msdk_audio_frame_ref(_ frame: UnsafePointer<msdk_audio_frame>!) -> msdk_result {
  face { () throws(MediaError) in _ = try AudioFrame.retained(foreign: frame) }
}

@c @implementation
public func msdk_audio_frame_unref(_ frame: UnsafePointer<msdk_audio_frame>!) -> msdk_result {
  face { () throws(MediaError) in
    guard let frame else { return }
    guard AudioFrame.release(foreign: frame) else { throw MediaError(.handle, "frame has no reference left, or is not an audio frame") }
  }
}

@c @implementation
public func msdk_audio_frame_get_references(_ frame: UnsafePointer<msdk_audio_frame>!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result
{
  face { () throws(MediaError) in
    let references = frame.map { AudioFrame.references(foreign: $0) } ?? 0
    guard references > 0 else { throw MediaError(.handle, "frame has no reference left, or is not an audio frame") }
    try required(out, "out").pointee = references
  }
}

@c @implementation
public func msdk_audio_frame_get_position(
  _ frame: UnsafePointer<msdk_audio_frame>!, _ timestamp: Int64, _ sample: UnsafeMutablePointer<Int64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let sample = try required(sample, "sample")
    let frame = try AudioFrame.checked(foreign: frame)
    defer { frame.release() }
    sample.pointee = frame.position(of: timestamp)
  }
}

// MARK: Encoded frames

@c @implementation
public func msdk_encoded_frame_create(
  _ source: UnsafePointer<msdk_encoded_frame>!, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let out = try required(out, "out")
    var attributes = try ForeignStruct.read(required(source, "source"), argument: "source")
    guard let data = attributes.data, (1...UInt64(EncodedFrame.largest)).contains(attributes.size) else {
      throw MediaError(
        .invalid,
        "source.data is \(attributes.data == nil ? "NULL" : "set"), size \(attributes.size); accepted: 1..\(EncodedFrame.largest) bytes")
    }
    let bytes = UnsafeRawBufferPointer(start: data, count: Int(attributes.size))
    guard attributes.orientation < 8 else {
      throw MediaError(.unsupported, "source.orientation is \(attributes.orientation); accepted: 0..7")
    }
    try FrameBits.check(encoded: attributes.flags, argument: "source.flags")
    _ = try flag(attributes.color_full_range, "source.color_full_range")
    try ForeignStruct.checkReserved(attributes.reserved0, "source.reserved0")
    attributes.sequence = 0
    guard let frame = try EncodedFrame.make(copying: bytes, attributes: attributes, from: BufferPool(limit: 1), deadline: 0) else {
      throw MediaError(.noMemory, "no memory for \(attributes.size) bytes")
    }
    // Of the copy, as others may write to what the caller has.
    do throws(MediaError) {
      try frame.native.pointee.describe(frame.bytes, KnownCodecs.all)
    } catch {
      frame.release()
      throw error
    }
    frame.seal()
    out.pointee = frame.native
  }
}

@c @implementation
public func msdk_encoded_frame_ref(_ frame: UnsafePointer<msdk_encoded_frame>!) -> msdk_result {
  face { () throws(MediaError) in _ = try EncodedFrame.retained(foreign: frame) }
}

@c @implementation
public func msdk_encoded_frame_unref(_ frame: UnsafePointer<msdk_encoded_frame>!) -> msdk_result {
  face { () throws(MediaError) in
    guard let frame else { return }
    guard EncodedFrame.release(foreign: frame) else { throw MediaError(.handle, "frame has no reference left, or is not an encoded frame") }
  }
}

extension msdk_encoded_frame {
  /// What the data itself says has precedence over what the program said.
  fileprivate mutating func describe(_ bytes: UnsafeRawBufferPointer, _ known: Codecs) throws(MediaError) {
    if let video = known.decoderOfVideo(codec) { return try describe(bytes, video) }
    if let audio = known.decoderOfAudio(codec) { return try describe(bytes, audio) }
    let accepted = (known.video.map { ($0.fourcc, $0.name) } + known.audio.map { ($0.fourcc, $0.name) })
      .map(\.1).joined(separator: ", ")
    throw MediaError(.unsupported, "source.codec is \(FourCC.text(codec)); accepted: \(accepted)")
  }

  private mutating func describe(_ bytes: UnsafeRawBufferPointer, _ video: VideoCodecEntry) throws(MediaError) {
    let header = try video.parseHeader(bytes)
    let key = UInt32(MSDK_ENCODED_KEY)
    flags = header.isKeyFrame ? flags | key : flags & ~key
    if header.width > 0 {
      width = header.width
      height = header.height
    }
  }

  private mutating func describe(_ bytes: UnsafeRawBufferPointer, _ audio: AudioCodecEntry) throws(MediaError) {
    let given = level
    try audio.describe(bytes, in: &self)
    if given != 0 { level = min(given, AudioFrame.silentLevel) }
  }
}
