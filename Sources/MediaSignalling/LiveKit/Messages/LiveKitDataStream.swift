import MediaCore

/// The parts of a stream of data, as a data packet carries them.
struct LiveKitDataStream: Sendable, Equatable {
  private var header: Header?
  private var chunk: Chunk?
  private var trailer: Trailer?

  init() {}

  init(_ part: DataStreamPart, bytes: [UInt8]) {
    switch part {
    case .begin(let id, let info): header = Header(id, info)
    case .chunk(let id, let index): chunk = Chunk(id: id, index: index, content: bytes)
    case .end(let id, let reason, let attributes): trailer = Trailer(id: id, reason: reason, attributes: attributes)
    }
  }

  /// It begins a stream whose chunks are encrypted.
  var isEncrypted: Bool { header.map { $0.encryption != 0 } ?? false }

  /// nil: the packet is of another kind.
  var part: (DataStreamPart, bytes: [UInt8])? {
    if let header { return (.begin(id: header.id, header.info), []) }
    if let chunk { return (.chunk(id: chunk.id, index: chunk.index), chunk.content) }
    guard let trailer else { return nil }
    return (.end(id: trailer.id, reason: trailer.reason, attributes: trailer.attributes), [])
  }

  /// `first`: the number of the first of its fields, which differs where they are encrypted.
  mutating func visit(_ fields: inout ProtoFields, first: Int) throws(MediaError) {
    try fields.message(first, &header)
    try fields.message(first + 1, &chunk)
    try fields.message(first + 2, &trailer)
  }
}

private struct Header: ProtoMessage {
  var id = ""
  /// Milliseconds since 1970.
  var time: Int64 = 0
  var topic = ""
  var mimeType = ""
  var size: UInt64 = 0
  /// 0: none.
  var encryption: UInt32 = 0
  var attributes: [String: String] = [:]
  var text: TextHeader?
  var bytes: ByteHeader?

  init() {}

  init(_ id: String, _ info: DataStreamInfo) {
    (self.id, time, topic, mimeType) = (id, info.time / 1_000_000, info.topic, info.mimeType)
    (size, attributes) = (info.size ?? 0, info.attributes)
    if info.isText { text = TextHeader(replyTo: info.replyTo, attachments: info.attachments) } else { bytes = ByteHeader(name: info.name) }
  }

  var info: DataStreamInfo {
    var info = DataStreamInfo(isText: text != nil)
    (info.topic, info.mimeType, info.name) = (topic, mimeType, text == nil ? bytes?.name ?? "" : "")
    (info.size, info.attributes) = (size == 0 ? nil : size, attributes)
    (info.replyTo, info.attachments) = (text?.replyTo ?? "", text?.attachments ?? [])
    info.time = min(max(time, 0), .max / 1_000_000) * 1_000_000
    return info
  }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &id)
    fields.number(2, &time)
    try fields.text(3, &topic)
    try fields.text(4, &mimeType)
    fields.number(5, &size)
    fields.number(7, &encryption)
    try fields.map(8, &attributes)
    try fields.message(9, &text)
    try fields.message(10, &bytes)
  }
}

private struct TextHeader: ProtoMessage {
  var replyTo = ""
  var attachments: [String] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(3, &replyTo)
    try fields.texts(4, &attachments)
  }
}

private struct ByteHeader: ProtoMessage {
  var name = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.text(1, &name) }
}

private struct Chunk: ProtoMessage {
  var id = ""
  var index: UInt64 = 0
  var content: [UInt8] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &id)
    fields.number(2, &index)
    fields.bytes(3, &content)
  }
}

private struct Trailer: ProtoMessage {
  var id = ""
  var reason = ""
  var attributes: [String: String] = [:]

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &id)
    try fields.text(2, &reason)
    try fields.map(3, &attributes)
  }
}
