import MediaCore

/// What a response to an offer has to have: 201, or 406 with a counter-offer of WHEP.
struct WHIPAnswer {
  let response: HTTPResponse
  /// Where it came from.
  let url: HTTPURL
  let kind: WHIPClient.Kind

  /// Nanoseconds in which a counter-offer is to be answered, if the server does not say.
  static let validity: Int64 = 30_000_000_000

  var isCounterOffer: Bool { kind == .whep && response.status == 406 && response.fields.contentType == WHIPClient.sdp }

  private func refused(_ status: Status, _ what: String) -> SignallingFailure {
    let error = MediaError(status, "\(kind.name): \(url) answered \(response.status) \(what)")
    return SignallingFailure(error, status: response.status, isFinal: true)
  }

  /// The session's URL.
  func resource() throws(SignallingFailure) -> HTTPURL {
    guard let location = response.fields["Location"] else {
      throw refused(.corrupt, "without Location, so that the session cannot be ended")
    }
    let target: HTTPURL
    do throws(MediaError) {
      target = try url.resolve(location, argument: "Location")
    } catch {
      throw refused(error.status, "and \(error.text)")
    }
    guard target.isProtected(from: url) else { throw refused(.untrusted, "with the session \(target), which is not encrypted") }
    return target
  }

  /// The answer or the counter-offer.
  func sdp() throws(SignallingFailure) -> String {
    guard response.fields.contentType == WHIPClient.sdp else {
      let type = (response.fields["Content-Type"] ?? "").prefix(64)
      throw refused(.corrupt, "with Content-Type \"\(type)\"; accepted: \(WHIPClient.sdp)")
    }
    let size = response.body.count
    guard size > 0, size <= WHIPClient.longestSDP, let sdp = String(validating: response.body, as: UTF8.self) else {
      throw refused(.corrupt, "with \(size) bytes; accepted: a description of at most \(WHIPClient.longestSDP) bytes")
    }
    return sdp
  }

  /// Of a counter-offer: nanoseconds. What lies in the past is of a clock that goes wrong.
  func validity(wallClock: Int64) -> Int64 {
    let parameters = HTTPText.pieces((response.fields["Content-Type"] ?? "")[...], between: UInt8(ascii: ";"))
    let dates = parameters.compactMap { HTTPText.cut($0, at: UInt8(ascii: "=")) }.filter { HTTPText.equal($0.before, "valid-until") }
    let delay = dates.first.flatMap { HTTPDate.delay(HTTPText.unquoted($0.after), wallClock: wallClock) } ?? 0
    return delay > 0 ? delay : WHIPAnswer.validity
  }
}
