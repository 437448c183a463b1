import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

// webrtc.h, data channels

@c @implementation
public func msdk_session_open_data_channel(
  _ session: OpaquePointer!, _ options: UnsafePointer<msdk_data_channel_options>!, _ channel: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let options = try MessageChannelOptions(ForeignStruct.read(required(options, "options"), argument: "options"))
    let channel = try required(channel, "channel")
    channel.pointee = try session.openChannel(options).value
  }
}

@c @implementation
public func msdk_session_close_data_channel(_ session: OpaquePointer!, _ channel: UInt64) -> msdk_result {
  face { () throws(MediaError) in try Handles.session(session).closeChannel(MessageChannelID(value: channel)) }
}

@c @implementation
public func msdk_session_send_message(
  _ session: OpaquePointer!, _ channel: UInt64, _ type: UInt32, _ data: UnsafePointer<UInt8>!, _ size: UInt64
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    guard type == UInt32(MSDK_MESSAGE_TEXT) || type == UInt32(MSDK_MESSAGE_BINARY) else {
      throw MediaError(.unsupported, "type is \(type); accepted: MSDK_MESSAGE_TEXT, MSDK_MESSAGE_BINARY")
    }
    guard size <= UInt64(MSDK_MESSAGE_MAX) else { throw MediaError(.range, "size is \(size); accepted: 0..\(MSDK_MESSAGE_MAX)") }
    let bytes = size == 0 ? [] : Array(UnsafeBufferPointer(start: try required(data, "data"), count: Int(size)))
    try session.send(ChannelMessage(bytes, isText: type == UInt32(MSDK_MESSAGE_TEXT)), on: MessageChannelID(value: channel))
  }
}

@c @implementation
public func msdk_session_read_message(
  _ session: OpaquePointer!, _ channel: UInt64, _ type: UnsafeMutablePointer<UInt32>!, _ buffer: UnsafeMutablePointer<UInt8>!,
  _ size: UInt64, _ needed: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let room = buffer == nil ? 0 : Int(clamping: size)
    switch try Handles.session(session).readMessage(of: MessageChannelID(value: channel), upTo: room) {
    case .nothing: throw MediaError(.again, "the channel has no message now")
    case .tooLong(let count):
      needed?.pointee = UInt64(count)
      throw MediaError(.bufferSmall, "size is \(room); the message has \(count) bytes")
    case .message(let message):
      needed?.pointee = UInt64(message.bytes.count)
      type?.pointee = UInt32(message.isText ? MSDK_MESSAGE_TEXT : MSDK_MESSAGE_BINARY)
      buffer?.update(from: message.bytes, count: message.bytes.count)
    }
  }
}

@c @implementation
public func msdk_session_get_unacknowledged_bytes(
  _ session: OpaquePointer!, _ channel: UInt64, _ out: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try required(out, "out").pointee = UInt64(session.bufferedAmount(of: MessageChannelID(value: channel)))
  }
}

@c @implementation
public func msdk_session_set_low_threshold(_ session: OpaquePointer!, _ channel: UInt64, _ bytes: UInt64) -> msdk_result {
  face { () throws(MediaError) in
    try Handles.session(session).setLowThreshold(Int(clamping: bytes), of: MessageChannelID(value: channel))
  }
}

extension MessageChannelOptions {
  fileprivate init(_ native: msdk_data_channel_options) throws(MediaError) {
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    self.init(label: try ForeignText.readOptional(native.label, limit: 1024, argument: "options.label") ?? "")
    `protocol` = try ForeignText.readOptional(native.protocol, limit: 1024, argument: "options.protocol") ?? ""
    let known = MSDK_DATA_CHANNEL_UNORDERED | MSDK_DATA_CHANNEL_LIMITED_RETRANSMITS | MSDK_DATA_CHANNEL_LIMITED_LIFETIME
    guard native.flags & ~UInt32(known | MSDK_DATA_CHANNEL_NEGOTIATED) == 0 else {
      throw MediaError(.unsupported, "options.flags is \(native.flags); accepted: MSDK_DATA_CHANNEL_*")
    }
    func has(_ flag: Int) -> Bool { native.flags & UInt32(flag) != 0 }
    func value(_ value: UInt32, _ name: String, of flag: Int, most: UInt32) throws(MediaError) -> UInt32? {
      guard value <= (has(flag) ? most : 0) else {
        throw MediaError(.range, "options.\(name) is \(value); accepted: 0\(has(flag) ? "..\(most)" : ", without its flag")")
      }
      return has(flag) ? value : nil
    }
    isOrdered = !has(MSDK_DATA_CHANNEL_UNORDERED)
    number = try value(native.number, "number", of: MSDK_DATA_CHANNEL_NEGOTIATED, most: 65_534).map { UInt16($0) }
    retransmissions = try value(
      native.max_retransmits, "max_retransmits", of: MSDK_DATA_CHANNEL_LIMITED_RETRANSMITS, most: 65_535
    ).map { UInt16($0) }
    lifetime = try value(native.lifetime_ms, "lifetime_ms", of: MSDK_DATA_CHANNEL_LIMITED_LIFETIME, most: .max)
  }
}
