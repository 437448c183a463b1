import MediaCore

/// A message of one participant for others, over a data channel. What it carries is handed on as it is.
public struct LiveKitDataPacket: ProtoMessage {
  /// Who sends it.
  var identity = ""
  /// For whom it is. Empty: for everybody.
  public private(set) var destinations: [String] = []
  var sid = ""
  private var rest: [UInt8] = []

  init() {}

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(4, &identity)
    try fields.texts(5, &destinations)
    try fields.text(17, &sid)
    fields.rest(&rest)
  }

  /// Throws `.corrupt` and `.limit` for what is none.
  public init(_ bytes: [UInt8]) throws(MediaError) { try self.init(reading: bytes) }

  /// As others get it: whoever sends it does not say who they are.
  public func from(_ identity: String, sid: String) -> [UInt8] {
    var copy = self
    (copy.identity, copy.sid, copy.destinations) = (identity, sid, [])
    return copy.encoded
  }
}
