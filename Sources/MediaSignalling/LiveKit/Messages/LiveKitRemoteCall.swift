import MediaCore

/// The parts of a remote procedure call, as a data packet carries them.
struct LiveKitRemoteCall: Sendable, Equatable {
  private var request: Request?
  private var acknowledgement: Acknowledgement?
  private var response: Response?

  init() {}

  init(_ part: RemoteCallPart, payload: [UInt8]) {
    switch part {
    case .request(let id, let method, let timeout, let version):
      request = Request(id: id, method: method, payload: payload, timeout: timeout, version: version)
    case .acknowledgement(let id): acknowledgement = Acknowledgement(id: id)
    case .response(let id): response = Response(id: id, payload: payload)
    case .failure(let id, let code, let text): response = Response(id: id, failure: Failure(code: code, text: text, payload: payload))
    }
  }

  /// nil: the packet is of another kind.
  var part: (RemoteCallPart, payload: [UInt8])? {
    if let request {
      return (.request(id: request.id, method: request.method, timeout: request.timeout, version: request.version), request.payload)
    }
    if let acknowledgement { return (.acknowledgement(id: acknowledgement.id), []) }
    guard let response else { return nil }
    guard let failure = response.failure else { return (.response(id: response.id), response.payload ?? []) }
    return (.failure(id: response.id, code: failure.code, text: failure.text), failure.payload)
  }

  /// `first`: the number of the first of its fields, which differs where they are encrypted.
  mutating func visit(_ fields: inout ProtoFields, first: Int) throws(MediaError) {
    try fields.message(first, &request)
    try fields.message(first + 1, &acknowledgement)
    try fields.message(first + 2, &response)
  }
}

private struct Request: ProtoMessage {
  var id = ""
  var method = ""
  var payload: [UInt8] = []
  var timeout: UInt32 = 0
  var version: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &id)
    try fields.text(2, &method)
    fields.bytes(3, &payload)
    fields.number(4, &timeout)
    fields.number(5, &version)
  }
}

private struct Acknowledgement: ProtoMessage {
  var id = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.text(1, &id) }
}

private struct Response: ProtoMessage {
  var id = ""
  var payload: [UInt8]?
  var failure: Failure?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &id)
    fields.bytes(2, &payload)
    try fields.message(3, &failure)
  }
}

private struct Failure: ProtoMessage {
  var code: UInt32 = 0
  var text = ""
  var payload: [UInt8] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.number(1, &code)
    try fields.text(2, &text)
    fields.bytes(3, &payload)
  }
}
