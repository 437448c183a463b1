import CMediaSDK
import IsolationProtocol
import MediaCore

/// Calls whose arguments or answers may be longer than a message: they go in parts (the library's side: `PluginProcess.callLong`).
extension PluginCalls {
  /// Eight times the most bytes that an argument may have, and what is around them.
  private static let most = 129 << 20

  func takePart() throws(MediaError) -> msdk_result {
    let first = try reader.get(UInt64.self)
    let bytes = try reader.getBytes()
    if first == 0 { longArguments.removeAll() }
    guard first == UInt64(longArguments.count), longArguments.count + bytes.count <= PluginCalls.most else {
      longArguments = []
      throw MediaError(.corrupt, "a part begins at byte \(first); \(longArguments.count) bytes have arrived")
    }
    longArguments.append(contentsOf: bytes)
    return msdk_result(MSDK_OK)
  }

  /// What came in parts, the last of which is this message's.
  func withLong(
    _ body: (inout WireReader) throws(MediaError) -> msdk_result?
  ) throws(MediaError) -> msdk_result? {
    let size = try reader.get(UInt64.self)
    let bytes = try reader.getBytes()
    guard size != UInt64(bytes.count) else {
      var inner = WireReader(bytes)
      return try body(&inner)
    }
    longArguments.append(contentsOf: bytes)
    let whole = longArguments
    longArguments = []
    guard size == UInt64(whole.count) else { throw MediaError(.corrupt, "\(whole.count) bytes of \(size) arrived") }
    let outcome = whole.withUnsafeBytes { bytes -> Result<msdk_result?, MediaError> in
      var inner = WireReader(bytes)
      do throws(MediaError) { return .success(try body(&inner)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  /// Puts what stands in `answer` into the reply, as far as there is room.
  func giveLong() {
    let bytes = answer.bytes
    reply.put(UInt64(bytes.count))
    bytes.withUnsafeBytes { reply.put(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(Wire.longestBytes))) }
    longAnswer = bytes.count > Wire.longestBytes ? bytes : []
  }

  func giveRest(_ first: UInt64) throws(MediaError) -> msdk_result {
    guard first < UInt64(longAnswer.count) else { throw MediaError(.corrupt, "the answer has no byte \(first)") }
    longAnswer.withUnsafeBytes { reply.put(bytes: UnsafeRawBufferPointer(rebasing: $0[Int(first)...].prefix(Wire.longestBytes))) }
    return msdk_result(MSDK_OK)
  }
}
