import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

// data.h

@c @implementation
public func msdk_session_send_data(
  _ session: OpaquePointer!, _ options: UnsafePointer<msdk_data_options>!, _ data: UnsafePointer<UInt8>!, _ size: UInt64
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    guard size <= UInt64(MSDK_DATA_MAX) else { throw MediaError(.range, "size is \(size); accepted: 0..\(MSDK_DATA_MAX)") }
    var message = DataMessage(size == 0 ? [] : Array(UnsafeBufferPointer(start: try required(data, "data"), count: Int(size))))
    if let options { try message.take(ForeignStruct.read(options, argument: "options")) }
    try session.send(message)
  }
}

@c @implementation
public func msdk_session_read_data(
  _ session: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_data_message>!, _ buffer: UnsafeMutablePointer<UInt8>!, _ size: UInt64
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let out = try required(out, "out")
    // A struct that is refused costs no data.
    try ForeignStruct.write(msdk_data_message(), to: out, argument: "out")
    let room = buffer == nil ? 0 : Int(clamping: size)
    guard let (data, isTaken) = try session.readData(upTo: room) else { throw MediaError(.again, "there is no data now") }
    try ForeignStruct.write(data.foreign, to: out, argument: "out")
    let bytes = data.message.bytes
    guard isTaken else { throw MediaError(.bufferSmall, "size is \(room); the data has \(bytes.count) bytes") }
    buffer?.update(from: bytes, count: bytes.count)
  }
}

extension DataMessage {
  fileprivate mutating func take(_ native: msdk_data_options) throws(MediaError) {
    guard native.flags & ~UInt32(MSDK_DATA_LOSSY) == 0 else {
      throw MediaError(.unsupported, "options.flags is \(native.flags); accepted: 0 or MSDK_DATA_LOSSY")
    }
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    isLossy = native.flags & UInt32(MSDK_DATA_LOSSY) != 0
    topic = try ForeignText.readOptional(native.topic, limit: Int(MSDK_DATA_TOPIC_MAX), argument: "options.topic") ?? ""
    recipients = try ForeignLists.recipients(native.recipients, native.recipient_count)
  }
}

extension ReceivedData {
  fileprivate var foreign: msdk_data_message {
    var native = msdk_data_message()
    native.flags = message.isLossy ? UInt32(MSDK_DATA_LOSSY) : 0
    native.size = UInt64(message.bytes.count)
    native.missed = missed
    withUnsafeMutableBytes(of: &native.user_id) { ForeignText.write(userID, to: $0) }
    withUnsafeMutableBytes(of: &native.topic) { ForeignText.write(message.topic, to: $0) }
    return native
  }
}
