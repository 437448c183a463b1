import MediaCore

/// The URLs where one request has been (RFC 9725, section 4.5).
struct RedirectTrail {
  /// Redirects that are followed.
  static let most = 5
  private var visited: [String] = []

  /// For each URL where it is sent.
  mutating func visit(_ url: HTTPURL) { visited.append(url.text) }

  /// Where a response 307 or 308 from there leads.
  func next(_ response: HTTPResponse, from url: HTTPURL, _ kind: WHIPClient.Kind) throws(SignallingFailure) -> HTTPURL {
    func refused(_ status: Status, _ what: String) -> SignallingFailure {
      SignallingFailure(MediaError(status, "\(kind.name): \(url) redirects\(what)"), status: response.status, isFinal: true)
    }
    guard let location = response.fields["Location"] else { throw refused(.corrupt, ", and does not say where") }
    let target: HTTPURL
    do throws(MediaError) {
      target = try url.resolve(location, argument: "Location")
    } catch {
      throw refused(error.status, ": \(error.text)")
    }
    guard target.isProtected(from: url) else { throw refused(.untrusted, " to \(target), which is not encrypted") }
    guard !visited.contains(target.text) else { throw refused(.corrupt, " to \(target), where this request has been: a loop") }
    guard visited.count <= RedirectTrail.most else {
      throw refused(.limit, " to \(target), after \(visited.count - 1) others; accepted: at most \(RedirectTrail.most)")
    }
    return target
  }
}
