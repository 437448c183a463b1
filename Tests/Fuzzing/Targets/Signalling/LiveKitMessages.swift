import MediaCore

@testable import MediaSignalling

/// Messages of LiveKit as either side gets them, and access tokens.
enum LiveKitMessages: FuzzTarget {
  static let name = "livekit"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    switch input.number(below: 5) {
    case 0: try again(LiveKitRequest.self, input.rest)
    case 1: try again(LiveKitResponse.self, input.rest)
    case 2: try again(LiveKitJoinRequest.self, input.rest)
    case 3: try again(LiveKitWrappedJoin.self, input.rest)
    default:
      let grants = try LiveKitToken.verify(input.text, now: 1_800_000_000) { $0 == "key" ? "a secret of thirty-two characters" : nil }
      expect(grants.attributes.count <= LiveKitToken.longest, "attributes from nowhere")
    }
  }

  /// What was read and is written is read as the same, and is not longer than what its texts need.
  private static func again<M: ProtoMessage>(_: M.Type, _ bytes: UnsafeRawBufferPointer) throws {
    let message = try M(reading: Array(bytes))
    let written = message.encoded
    guard written.count <= ProtoFields.longest else { return }
    // Not compared as a value: a number may be none.
    expect(try M(reading: written).encoded == written, "a message that is another when it is read again")
  }
}
