import CMediaSDK
import IsolationProtocol
import MediaCore

/// Calls whose arguments or answers may be longer than a message: they go in parts.
extension PluginProcess {
  /// As `call`. `payload` is what may be long of the arguments, `most` the longest answer that is believed.
  func callLong(
    _ op: Op, named name: String? = nil, now: Int64, deadline: UInt32, payload: WireWriter, most: Int,
    read: (inout WireReader) throws(MediaError) -> Void
  ) -> Answer {
    let bytes = payload.bytes
    var first = 0
    while bytes.count - first > Wire.longestBytes {
      let answer = call(.part, named: name, now: now, deadline: deadline) { writer in
        writer.put(UInt64(first))
        bytes.withUnsafeBytes { writer.put(bytes: UnsafeRawBufferPointer(rebasing: $0[first..<first + Wire.longestBytes])) }
      }
      guard case .result(let result) = answer, result >= 0 else { return answer }
      first += Wire.longestBytes
    }
    var whole: [UInt8]?
    var size = 0
    let answer = call(op, named: name, now: now, deadline: deadline) { writer in
      writer.put(UInt64(bytes.count))
      bytes.withUnsafeBytes { writer.put(bytes: UnsafeRawBufferPointer(rebasing: $0[first...])) }
    } read: { reader, _ throws(MediaError) in
      size = Int(clamping: try reader.get(UInt64.self))
      guard size <= most else { throw MediaError(.corrupt, "it has \(size) bytes; accepted: up to \(most)") }
      let part = try reader.getBytes()
      if part.count == size {
        var inner = WireReader(part)
        try read(&inner)
      } else {
        whole = [UInt8](part)
      }
    }
    guard case .result(let result) = answer, result >= 0, let begun = whole else { return answer }
    return finish(begun, size, named: name ?? "\(op)", now: now, deadline: deadline, result: result, read)
  }

  private func finish(
    _ begun: [UInt8], _ size: Int, named name: String, now: Int64, deadline: UInt32, result: msdk_result,
    _ read: (inout WireReader) throws(MediaError) -> Void
  ) -> Answer {
    var whole = begun
    while whole.count < size {
      let have = whole.count
      let answer = call(.rest, named: name, now: now, deadline: deadline) {
        $0.put(UInt64(have))
      } read: { reader, _ throws(MediaError) in
        let part = try reader.getBytes()
        guard !part.isEmpty, part.count <= size - have else { throw MediaError(.corrupt, "a part of it has \(part.count) bytes") }
        whole.append(contentsOf: part)
      }
      guard case .result(let result) = answer else { return answer }
      guard result >= 0 else {
        end("the rest of its answer to \(name) did not arrive: \(errorText)")
        return .gone
      }
    }
    let failure = whole.withUnsafeBytes { bytes -> MediaError? in
      var reader = WireReader(bytes)
      do throws(MediaError) { try read(&reader) } catch { return error }
      return nil
    }
    guard let failure else { return .result(result) }
    end("its answer to \(name): \(failure.text)")
    return .gone
  }
}
