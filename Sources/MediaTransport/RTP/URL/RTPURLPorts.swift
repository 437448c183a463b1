import MediaCore
import MediaNetwork

/// Where the legs of a URL begin and end.
struct RTPURLPorts {
  struct Pair {
    var local: SocketAddress
    var localControl: SocketAddress?
    var remote: SocketAddress?
    var remoteControl: SocketAddress?

    fileprivate var locals: [SocketAddress] { [local, localControl].compactMap { $0 } }
    fileprivate var remotes: [SocketAddress] { [remote, remoteControl].compactMap { $0 } }
  }

  let first: Pair
  /// Of sound, where it has a leg of its own.
  var second: Pair?

  init(_ parts: RTPURLParts, isMultiplexed: Bool, kinds: [RTPConfiguration.Medium.Kind]) throws(MediaError) {
    let audio = try parts.query.port("audio")
    for key in ["audio", "local-audio"] where parts.query[key] != nil && kinds.count != 2 {
      throw MediaError(
        .invalid, "\(parts.argument) has \(key) with one medium, which uses the URL's port and local; accepted with media=both")
    }
    if audio == nil, parts.query["local-audio"] != nil {
      throw MediaError(
        .invalid, "\(parts.argument) has local-audio without audio, where both media share a port; accepted with audio=PORT")
    }
    first = try RTPURLPorts.pair(parts, parts.port, "local", isMultiplexed)
    guard let audio else { return }
    let pair = try RTPURLPorts.pair(parts, audio, "local-audio", isMultiplexed)
    for (one, other) in [(first.locals, pair.locals), (first.remotes, pair.remotes)] {
      if let both = one.first(where: { $0.port != 0 && other.contains($0) }) {
        throw MediaError(
          .invalid,
          "\(parts.argument) uses the port \(both.port) twice; RTCP uses the port after each media port, unless rtcp-mux=1 is given")
      }
    }
    second = pair
  }

  private static func pair(_ parts: RTPURLParts, _ port: UInt16, _ name: String, _ isMultiplexed: Bool) throws(MediaError) -> Pair {
    let given = try parts.local(name)
    let remote = parts.remote?.with(port: port)
    let anybody = SocketAddress(parts.isIPv6 ? "::" : "0.0.0.0", port: 0)
    guard let anybody else { throw MediaError(.fail, "\(parts.argument): no address") }
    // Who waits to be spoken to, or listens to a group, does so at the port that the others know.
    let isListening = remote == nil || (remote?.isMulticast == true && parts.query["direction"] == "recvonly")
    if remote == nil, let given, given.port != port {
      throw MediaError(.invalid, "\(parts.argument) has \(name) at port \(given.port) but no host: the local port is \(port)")
    }
    var local = (given?.address ?? anybody).with(port: given?.port ?? (isListening ? port : 0))
    // What is sent to other groups at the same port stays out.
    if given?.address == nil, isListening, let remote { local = remote.with(port: local.port) }
    guard !local.isMulticast || local.with(port: port) == remote else {
      throw MediaError(
        .invalid,
        "\(parts.argument) has \(name) at the multicast address \(local.host), which is not the host's; accepted: an address of this machine"
      )
    }
    if isMultiplexed { return Pair(local: local, remote: remote) }
    return Pair(
      local: local, localControl: local.with(port: local.port == 0 ? 0 : try next(local.port, parts.argument)), remote: remote,
      remoteControl: try remote.map { (remote) throws(MediaError) in remote.with(port: try next(remote.port, parts.argument)) })
  }

  /// RFC 3550, section 11.
  private static func next(_ port: UInt16, _ argument: String) throws(MediaError) -> UInt16 {
    guard port < 65_535 else {
      throw MediaError(.range, "\(argument) has the port 65535, but RTCP needs the next port; accepted: 1..65534, or rtcp-mux=1")
    }
    return port + 1
  }
}
