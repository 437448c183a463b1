extension RTPMedia {
  /// Its lines. There is always a format in m=, as RFC 8866 requires it.
  public var media: SessionDescription.Media {
    let transport = "\(isKeyedByTLS ? "UDP/TLS/" : "")RTP/\(isProtected ? "S" : "")AVP\(hasFeedback ? "F" : "")"
    // There is always a format, also where the medium is refused.
    var media = SessionDescription.Media(
      kind, port: port, transport: transport, formats: payloads.isEmpty ? ["0"] : payloads.map { "\($0.type)" })
    media.connection = connection
    if let bandwidth { media.bandwidths = [.init("TIAS", "\(bandwidth)")] }
    func add(_ name: String, _ value: String? = nil) { media.attributes.append(.init(name, value)) }
    if let mid { add("mid", mid) }
    add(direction.rawValue)
    if isMultiplexed { add("rtcp-mux") }
    if let controlPort { add("rtcp", "\(controlPort)" + (controlHost.map { " IN \(SessionDescription.family($0)) \($0)" } ?? "")) }
    for track in tracks { add("msid", track.stream + (track.id.map { " \($0)" } ?? "")) }
    for key in keys { add("crypto", key.text) }
    for line in extensions.lines { add("extmap", line) }
    if hasMixedExtensions { add("extmap-allow-mixed") }
    for payload in payloads {
      add("rtpmap", "\(payload.type) \(payload.encoding)/\(payload.clockRate)\(payload.channels > 1 ? "/\(payload.channels)" : "")")
      let parameters = payload.parameters.map { parameter in parameter.value.map { "\(parameter.name)=\($0)" } ?? parameter.name }
      if !parameters.isEmpty { add("fmtp", "\(payload.type) \(parameters.joined(separator: ";"))") }
      for kind in payload.feedback { add("rtcp-fb", "\(payload.type) \(kind)") }
    }
    if let packetTime { add("ptime", "\(packetTime)") }
    for (first, second) in retransmissions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      add("ssrc-group", "FID \(first.rawValue) \(second.rawValue)")
    }
    for source in sources { add("ssrc", "\(source.ssrc.rawValue)" + (source.cname.map { " cname:\($0)" } ?? "")) }
    if hasReducedSize { add("rtcp-rsize") }
    if let frameRate { add("framerate", frameRate.decimals) }
    if isBundleOnly { add("bundle-only") }
    if isOnlyMultiplexed { add("rtcp-mux-only") }
    return media
  }
}
