import MediaCore

/// Why a session could not be agreed on, or ended, and whether trying again can help.
public struct SignallingFailure: Error, Sendable, Equatable {
  /// In words, which name what to do.
  public let error: MediaError
  /// Of HTTP; nil: there was no response.
  public let status: Int?
  /// Trying again without a change is of no use.
  public let isFinal: Bool
  /// Nanoseconds before which the server wants no other request; nil: it does not say.
  public let retryAfter: Int64?

  /// As a driver reports what happened to a connection.
  public init(_ error: MediaError, status: Int? = nil, isFinal: Bool, retryAfter: Int64? = nil) {
    (self.error, self.status, self.isFinal, self.retryAfter) = (error, status, isFinal, retryAfter)
  }

  /// Of a response that is not the one that was asked for. `url`: whom.
  init(_ response: HTTPResponse, to kind: WHIPClient.Kind, _ url: HTTPURL, wallClock: Int64) {
    let (status, isFinal, advice) = SignallingFailure.meaning(response.status, kind)
    let said = SignallingFailure.words(of: response)
    let advised = "\(kind.name): \(url) answered \(response.status) \(response.reason.prefix(64)): \(advice)"
    let text = said.isEmpty ? advised : "\(advised) (it says: \(said))"
    let delay = response.fields["Retry-After"].flatMap { HTTPDate.delay($0, wallClock: wallClock) }
    self.init(MediaError(status, text), status: response.status, isFinal: isFinal, retryAfter: delay)
  }

  /// Plain text for people, one line of it.
  private static func words(of response: HTTPResponse) -> String {
    guard response.fields.contentType == "text/plain" else { return "" }
    let line = response.body.prefix(120).prefix { HTTPText.isVisibleOrBlank($0) }
    return String(decoding: line, as: UTF8.self)
  }

  private static func meaning(_ status: Int, _ kind: WHIPClient.Kind) -> (Status, isFinal: Bool, String) {
    switch status {
    case 200..<300: (.corrupt, true, "that is not the answer to an offer; is this a URL of WHIP or WHEP?")
    case 300..<400: (.unsupported, true, "only 307 and 308 are followed; use the URL that it leads to")
    case 400: (.invalid, true, "the server finds the request malformed")
    case 401: (.permission, true, "a token is required, or this one is wrong or has expired; pass another one")
    case 403: (.permission, true, "the token does not allow this; pass one for this room and direction")
    case 404, 410: (.notFound, true, "there is no such endpoint or session; check the path")
    case 405: (.unsupported, true, "this is not a URL of WHIP or WHEP; check the path")
    case 406: (.format, true, "the server takes none of the offered formats; offer other codecs")
    case 408: (.timeout, false, "the request was too slow")
    case 409 where kind == .whep: (.again, false, "nothing is sent to it at the moment; try again later")
    case 409: (.exists, false, "another session is in its place, perhaps an older one of this program; try again when it has ended")
    case 413: (.limit, true, "the offer is larger than the server takes; offer fewer streams or codecs")
    case 415: (.unsupported, true, "the server does not take this type of content; is this a URL of WHIP or WHEP?")
    case 422: (.format, true, "the server cannot use this description; offer other codecs or fewer streams")
    case 429: (.limit, false, "there were too many requests; try again later")
    case 501, 505: (.unsupported, true, "the server does not support it")
    case 503: (.again, false, "the server has no room at the moment; try again later")
    case 500..<600: (.io, false, "the server failed; try again later")
    default: (.fail, true, "the server refuses it")
    }
  }
}
