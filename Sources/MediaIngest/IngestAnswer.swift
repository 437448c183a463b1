/// What a session says to its feeder, as bytes.
enum IngestAnswer {
  static func challenge(nonce: [UInt8], proof: [UInt8]) -> [UInt8] {
    var bytes = IngestWire.head(.challenge, bodySize: 8 + nonce.count + proof.count)
    bytes.append(IngestWire.version)
    bytes.append(UInt16(0))
    bytes.append(UInt32(0))
    return bytes + nonce + proof
  }

  static func welcome(_ rules: IngestRules, hasSlots: Bool) -> [UInt8] {
    var bytes = IngestWire.head(.welcome, bodySize: 16)
    bytes.append(IngestWire.version)
    bytes.append(UInt16(0))
    bytes.append(UInt32(hasSlots ? IngestWire.slotCount : 0))
    bytes.append(UInt64(rules.largestPayload))
    return bytes
  }

  static func refused(_ refusal: IngestRefusal) -> [UInt8] {
    let text = Array(refusal.text.utf8)
    var bytes = IngestWire.head(.refused, bodySize: 8 + text.count)
    bytes.append(refusal.reason.rawValue)
    bytes.append(UInt32(text.count))
    bytes.append(contentsOf: text)
    return bytes
  }

  static func release(_ id: UInt32) -> [UInt8] {
    var bytes = IngestWire.head(.release, bodySize: 8)
    bytes.append(id)
    bytes.append(UInt32(0))
    return bytes
  }

  static let keyFrame = IngestWire.head(.keyFrame, bodySize: 0)
}
