import MediaRTP
import MediaSDP

/// One m= section of a session, at its place in all descriptions of it: sections are never removed. Of `JSEPSession`.
struct JSEPSection: Sendable {
  enum Content: Sendable {
    case media(Transceiver.ID)
    case data
    /// Of a kind that is always refused.
    case other
  }

  /// The name of it here, which packets say if both descriptions do.
  let mid: String
  /// The other end's description has no name for it.
  var isNameless = false
  var kind: String
  /// Of m=, as the other end writes them.
  var transport: String
  var formats: [String]
  var content: Content
  /// Refused or stopped, in an answer: its place is free for another.
  var isRejected = false
  /// Of media, what was agreed on last; nil: nothing yet.
  var agreement: MediaAgreement?
  /// Of data channels, what the other end takes.
  var data: DataMedia?

  /// It was in no description yet that was answered.
  var isNew: Bool { agreement == nil && data == nil && !isRejected }

  /// As a description has it whose section is not used.
  var refused: SessionDescription.Media {
    var lines = SessionDescription.Media(kind, port: 0, transport: transport, formats: formats)
    if !isNameless { lines.attributes.append(.init("mid", mid)) }
    lines.attributes.append(.init("inactive"))
    return lines
  }
}

/// What both descriptions of a section say, as this end sees it.
struct MediaAgreement: Sendable {
  /// The answer, without what was not offered.
  var agreed: RTPMedia
  /// The other end's side of it: sources, tracks, bandwidth, parameters of its payloads.
  var theirs: RTPMedia
  var direction: RTPMedia.Direction
  /// Names of the streams that are sent, one for each layer that the other end takes; none: one stream without a name.
  var sentLayers: [LayerLines.Alternative] = []
  /// Names of the streams that come; none: one stream.
  var receivedLayers: [String] = []
}
