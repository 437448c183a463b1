import MediaCore

/// A message in the encoding of Protocol Buffers, version 3. It holds what this library knows of it: other fields are skipped.
protocol ProtoMessage: Sendable, Equatable {
  /// With nothing in it.
  init()
  /// Names each field once, by its number, for reading and for writing.
  mutating func visit(_ fields: inout ProtoFields) throws(MediaError)
}

extension ProtoMessage {
  /// Throws `.corrupt` for what is no such message, and `.limit` for one that is longer than accepted or has too many fields.
  init(reading bytes: [UInt8], longest: Int = ProtoFields.longest, most: Int = ProtoFields.most) throws(MediaError) {
    guard bytes.count <= longest else {
      throw MediaError(.limit, "LiveKit: a message has \(bytes.count) bytes; accepted: at most \(longest)")
    }
    self.init()
    var fields = ProtoFields(reading: bytes, most: most)
    try fields.read(&self, in: 0..<bytes.count)
  }

  @inline(never)
  var encoded: [UInt8] {
    var (copy, fields) = (self, ProtoFields())
    // Only what is read throws.
    try? copy.visit(&fields)
    return fields.output
  }
}
