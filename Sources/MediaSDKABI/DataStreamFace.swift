import CMediaSDK
import MediaCore
import MediaSDK

// data_stream.h

@c @implementation
public func msdk_session_data_stream_open(
  _ session: OpaquePointer!, _ options: UnsafePointer<msdk_data_stream_options>!, _ out: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let out = try required(out, "out")
    let native = try ForeignStruct.read(required(options, "options"), argument: "options")
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    let recipients = try ForeignLists.recipients(native.recipients, native.recipient_count)
    let id = try ForeignText.readOptional(native.id, limit: Int(MSDK_DATA_STREAM_ID_MAX), argument: "options.id")
    out.pointee = try session.openDataStream(DataStreamInfo(native), id: id, to: recipients)
  }
}

@c @implementation
public func msdk_session_data_stream_write(
  _ session: OpaquePointer!, _ stream: UInt64, _ data: UnsafePointer<UInt8>!, _ size: UInt64
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let most = MSDK_DATA_STREAM_CHUNK_MAX
    guard size <= UInt64(most) else { throw MediaError(.range, "size is \(size); accepted: 0..\(most)") }
    let chunk = size == 0 ? [] : Array(UnsafeBufferPointer(start: try required(data, "data"), count: Int(size)))
    try session.write(chunk, to: stream)
  }
}

@c @implementation
public func msdk_session_data_stream_close(
  _ session: OpaquePointer!, _ stream: UInt64, _ reason: UnsafePointer<CChar>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let reason = try ForeignText.readOptional(reason, limit: Int(MSDK_NAME_MAX), argument: "reason") ?? ""
    try session.closeDataStream(stream, because: reason)
  }
}

@c @implementation
public func msdk_session_data_stream_accept(_ session: OpaquePointer!, _ topic: UnsafePointer<CChar>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.acceptDataStreams(of: ForeignText.readOptional(topic, limit: Int(MSDK_DATA_TOPIC_MAX), argument: "topic"))
  }
}

@c @implementation
public func msdk_session_data_stream_read(
  _ session: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_data_stream_part>!, _ buffer: UnsafeMutablePointer<UInt8>!, _ size: UInt64
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let out = try required(out, "out")
    // A struct that is refused costs no part.
    try ForeignStruct.write(msdk_data_stream_part(), to: out, argument: "out")
    let room = buffer == nil ? 0 : Int(clamping: size)
    guard let (message, isTaken) = try session.readDataStream(upTo: room) else {
      throw MediaError(.again, "there is no part of a stream of data now")
    }
    try ForeignStruct.write(message.foreign, to: out, argument: "out")
    guard case .chunk(let bytes) = message.content else { return }
    guard isTaken else { throw MediaError(.bufferSmall, "size is \(room); the chunk has \(bytes.count) bytes") }
    buffer?.update(from: bytes, count: bytes.count)
  }
}

@c @implementation
public func msdk_session_data_stream_attribute_at(
  _ session: OpaquePointer!, _ stream: UInt64, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_attribute>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let attributes = try session.dataStreamInfo(of: stream).attributes
    let key = try element(of: attributes.keys.sorted(), index, "attributes")
    try ForeignStruct.write(msdk_attribute(key, attributes[key] ?? ""), to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_session_data_stream_attachment_at(
  _ session: OpaquePointer!, _ stream: UInt64, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_data_stream_attachment>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let id = try element(of: session.dataStreamInfo(of: stream).attachments, index, "attachments")
    var native = msdk_data_stream_attachment()
    withUnsafeMutableBytes(of: &native.id) { ForeignText.write(id, to: $0) }
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}

extension DataStreamInfo {
  fileprivate init(_ native: msdk_data_stream_options) throws(MediaError) {
    guard [MSDK_DATA_STREAM_TEXT, MSDK_DATA_STREAM_BYTES].contains(where: { native.type == UInt32($0) }) else {
      throw MediaError(.unsupported, "options.type is \(native.type); accepted: MSDK_DATA_STREAM_TEXT, MSDK_DATA_STREAM_BYTES")
    }
    self.init(isText: native.type == UInt32(MSDK_DATA_STREAM_TEXT))
    topic = try ForeignText.readOptional(native.topic, limit: Int(MSDK_DATA_TOPIC_MAX), argument: "options.topic") ?? ""
    name = try ForeignText.readOptional(native.name, limit: Int(MSDK_NAME_MAX), argument: "options.name") ?? ""
    mimeType = try ForeignText.readOptional(native.mime_type, limit: 127, argument: "options.mime_type") ?? ""
    size = native.total_size == 0 ? nil : native.total_size
    attributes = try ForeignLists.attributes(native.attributes, native.attribute_count)
    replyTo = try ForeignText.readOptional(native.reply_to, limit: Int(MSDK_DATA_STREAM_ID_MAX), argument: "options.reply_to") ?? ""
    attachments = try ForeignLists.texts(
      native.attachments, native.attachment_count, most: UInt32(MSDK_DATA_STREAM_ATTACHMENTS_MAX), limit: Int(MSDK_DATA_STREAM_ID_MAX),
      "attachments", counted: "attachment_count")
  }
}

extension DataStreamMessage {
  fileprivate var foreign: msdk_data_stream_part {
    var native = msdk_data_stream_part()
    switch content {
    case .began: native.part = UInt32(MSDK_DATA_PART_BEGAN)
    case .chunk(let bytes): (native.part, native.size) = (UInt32(MSDK_DATA_PART_CHUNK), UInt64(bytes.count))
    case .ended: native.part = UInt32(MSDK_DATA_PART_ENDED)
    case .aborted(let reason):
      native.part = UInt32(MSDK_DATA_PART_ABORTED)
      withUnsafeMutableBytes(of: &native.text) { ForeignText.write(reason, to: $0) }
    }
    (native.stream, native.total_size, native.missed) = (stream, info.size ?? 0, missed)
    native.began_ms = info.time / 1_000_000
    native.type = UInt32(info.isText ? MSDK_DATA_STREAM_TEXT : MSDK_DATA_STREAM_BYTES)
    native.attribute_count = UInt32(info.attributes.count)
    native.attachment_count = UInt32(info.attachments.count)
    withUnsafeMutableBytes(of: &native.user_id) { ForeignText.write(userID, to: $0) }
    withUnsafeMutableBytes(of: &native.topic) { ForeignText.write(info.topic, to: $0) }
    withUnsafeMutableBytes(of: &native.name) { ForeignText.write(info.name, to: $0) }
    withUnsafeMutableBytes(of: &native.mime_type) { ForeignText.write(info.mimeType, to: $0) }
    withUnsafeMutableBytes(of: &native.id) { ForeignText.write(id, to: $0) }
    withUnsafeMutableBytes(of: &native.reply_to) { ForeignText.write(info.replyTo, to: $0) }
    return native
  }
}
