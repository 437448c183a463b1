import MediaSDP

/// The same for candidates of one kind, base, server and transport (RFC 8445, section 5.1.1.3): numbers, in order.
struct Foundations {
  private struct Origin: Equatable {
    let kind: Candidate.Kind
    let base: String
    let server: String
    let isTCP: Bool
  }

  private var origins: [Origin] = []

  mutating func of(_ kind: Candidate.Kind, base: String, server: String = "", isTCP: Bool = false) -> String {
    let origin = Origin(kind: kind, base: base, server: server, isTCP: isTCP)
    if let index = origins.firstIndex(of: origin) { return String(index + 1) }
    origins.append(origin)
    return String(origins.count)
  }
}
