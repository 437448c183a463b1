import MediaSDK

/// The urls with which a room is joined, by page, WHIP, WHEP, SDKs of LiveKit and sessions of this SDK, at each address at which others reach it.
struct ServedURLs {
  let pages: [String]
  let whip: [String]
  let whep: [String]
  let liveKit: [String]
  let sessions: [String]

  /// `listening`: as given, 0.0.0.0 and :: included. `host`: what stands in all urls in their place.
  init(_ info: ServeInfo, listening: [String], host: String?) {
    let hosts = host.map { [$0] } ?? ServedURLs.hosts(listening, first: ServedURLs.host(of: info.pageURL))
    let path = info.pageURL.split(separator: "/").last.map { "/\($0)" } ?? ""
    let scheme = info.pageURL.prefix { $0 != ":" }
    // A browser takes no zone in a url, and so does not reach an address that is of one link only.
    let web = hosts.filter { !$0.contains("%") }.map { "\(scheme)://\(ServedURLs.written($0)):\(info.port)" }
    pages = web.map { $0 + path }
    liveKit = web.map { "ws\($0.dropFirst(4))" }
    whip = web.map { "\($0)/whip\(path)" }
    whep = web.map { "\($0)/whep\(path)" }
    let options = info.url.drop { $0 != "#" }
    sessions = web.map { "livekit+ws\($0.dropFirst(4))\(options)" }
  }

  /// Each once; that from which this machine sends to others before the rest, as it is what others reach most likely.
  private static func hosts(_ listening: [String], first: String) -> [String] {
    var hosts: [String] = []
    for host in listening.flatMap({ LocalAddresses.reachable($0) }) where !hosts.contains(host) { hosts.append(host) }
    if let place = hosts.firstIndex(of: first) { hosts.insert(hosts.remove(at: place), at: 0) }
    return hosts
  }

  private static func host(of url: String) -> String {
    let authority = url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first ?? ""
    let host = authority.prefix(authority.lastIndex(of: ":").map { authority.distance(from: authority.startIndex, to: $0) } ?? 0)
    return String(host.hasPrefix("[") ? host.dropFirst().dropLast() : host)
  }

  private static func written(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
