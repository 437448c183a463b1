import MediaCore
import MediaRTP
import MediaSDP

/// One medium in both directions (RFC 9429, section 3.4.1): what a program wants of it, and what was agreed on. A value; `JSEPSession` has the one that
/// counts.
public struct Transceiver: Sendable {
  /// Of one session, and not used again.
  public struct ID: Hashable, Sendable {
    let number: Int
  }

  /// As m= names it.
  public enum Kind: String, Sendable {
    case audio
    case video
  }

  /// Of a stream that is sent, and of its retransmissions.
  struct Source: Sendable {
    let ssrc: SSRC
    let retransmission: SSRC
  }

  /// By which the session's functions know it.
  public let id: ID
  /// Never another one.
  public let kind: Kind
  /// The name of its section; nil: it is in no description yet.
  public internal(set) var mid: String?
  /// What is wanted, as this end sees it.
  public internal(set) var direction: RTPMedia.Direction
  /// What was agreed on last, as this end sees it; nil: nothing yet.
  public internal(set) var currentDirection: RTPMedia.Direction?
  /// In order of preference; nil: those of the settings.
  public internal(set) var codecs: [RTPMedia.Payload]?
  /// What the other end calls what is sent (a=msid).
  public internal(set) var tracks: [RTPMedia.Track]
  /// Sizes in which it is sent at once (RFC 8853), as they are offered; none: in one.
  public internal(set) var layers: [LayerLines.Layer] = []
  /// b=TIAS of what this end takes, in bits a second.
  public internal(set) var bandwidth: UInt64?
  /// Its section is to be refused, or has been: nothing is sent or received in it any more.
  public internal(set) var isStopped = false
  /// Drawn when it is described as sending first: one, or one for each layer.
  var sources: [Source] = []
  /// It may take a section of the other end's offer.
  var answersOffers = true
  /// What is wanted is in no description yet.
  var isChanged = true
  /// An offer of the other end made it, and nobody has changed it since: it goes when that offer is rolled back.
  var isOfOffer = false

  init(_ id: ID, _ kind: Kind, _ direction: RTPMedia.Direction, _ tracks: [RTPMedia.Track]) {
    (self.id, self.kind, self.direction, self.tracks) = (id, kind, direction, tracks)
  }
}
