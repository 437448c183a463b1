import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSDP
import MediaSignalling
import MediaTransport
import MediaWebRTC

/// The server's end of a client's connection of WebRTC. It answers offers, one of WHIP or WHEP and any number of LiveKit, and restarts ICE when
/// the client does; or it offers, and the client answers. Media are those of `transport`, as of any other. Functions may be called from any
/// thread.
package final class ServedPeer: Sendable {
  private let peer: WebRTCTransport
  /// The offer, with the credentials of the latest generation.
  private let lastOffer = Monitor("")

  /// Streams in and out. Connected before there is an offer; its event `candidatesComplete` says that the answer is.
  package var transport: any Transport { peer }
  /// Whether messages have come in channels that were not read.
  package var hasUnreadMessages: Bool { peer.hasUnreadMessages }

  /// `offersLoopback`: addresses of the machine itself are offered beside others. `bitrates` bounds what is sent. `hasChannels`: data channels
  /// are accepted, and may be opened. `forwards`: a client may send a medium in several layers, each of which comes as a stream, and in codecs that
  /// are only carried. `ports`: the server's.
  package init(
    offersLoopback: Bool, bitrates: BandwidthEstimator.Limits, hasChannels: Bool = false, forwards: Bool = false, ports: PeerPorts,
    thread: any DriverLoop, network: any Network, loop: EventLoop
  ) {
    var options = WebRTCOptions()
    (options.offersLoopback, options.bitrates, options.hasChannels) = (offersLoopback, bitrates, hasChannels)
    (options.acceptsLayers, options.carriesVideo, options.isPlayedOut, options.expectsMedia) = (forwards, forwards, false, true)
    // Nothing is received in a section that the server adds: it adds none.
    (options.receivesVideo, options.receivesAudio) = (false, false)
    peer = WebRTCTransport(options, servers: [], own: "", thread: thread, network: network, loop: loop, ports: ports)
  }

  /// The sections of the offer, in its order, as this end sees them: what may be sent and received there.
  package struct Section: Sendable, Equatable {
    package let isVideo: Bool
    /// The client takes media.
    package let sends: Bool
    /// The client sends media.
    package let receives: Bool
  }

  /// Takes the offer. Streams that are to be sent are published after it. Throws what is wrong in it: `.invalid`, `.limit`, `.unsupported`,
  /// `.format`; `.state`, `.closed`.
  package func take(offer sdp: String) throws(MediaError) -> [Section] {
    _ = try peer.setRemote(.offer, sdp)
    lastOffer.withLock { $0 = sdp }
    return try ServedPeer.sections(of: sdp)
  }

  private static func sections(of sdp: String) throws(MediaError) -> [Section] {
    var sections: [Section] = []
    var (isVideo, isOpen, sends, receives) = (false, false, true, true)
    func end() { if isOpen { sections.append(Section(isVideo: isVideo, sends: sends, receives: receives)) } }
    for line in WHIPDescriptions.lines(of: sdp) {
      if line.utf8.starts(with: "m=".utf8) {
        end()
        isVideo = line.utf8.starts(with: "m=video ".utf8)
        isOpen = isVideo || line.utf8.starts(with: "m=audio ".utf8)
        (sends, receives) = (true, true)
      }
      switch line {
      case "a=recvonly": (sends, receives) = (true, false)
      case "a=sendonly": (sends, receives) = (false, true)
      case "a=inactive": (sends, receives) = (false, false)
      default: break
      }
    }
    end()
    return sections
  }

  /// Makes the answer; `answer` has it, with the candidates that are known by then.
  package func describe() throws(MediaError) { _ = try peer.describe() }

  /// What is sent in a section of the offer that was taken last, in which the client receives, and what descriptions call it (a=msid); nil:
  /// in one that this end offers. Throws `.notFound` for a section that is not there, or that another stream has; else as
  /// `Transport.publish`. `appendsTrailers`: each frame is followed by its metadata.
  package func publish(
    _ stream: StreamID, codec: UInt32, format: StreamFormat, in section: String?, as track: (group: String, id: String),
    appendsTrailers: Bool
  ) throws(MediaError) {
    try peer.publish(stream, codec, format, in: section, as: RTPMedia.Track(track.group, track.id), appendsTrailers: appendsTrailers)
  }

  /// Ends the section of a stream, which this end offered: the client is to know another stream as another one.
  package func endSection(of stream: StreamID) { peer.unpublish(stream, endsSection: true) }

  /// As `RTPSession.setDemand`.
  package func setDemand(_ bitrate: UInt64, isShort: Bool) { peer.setDemand(bitrate, isShort: isShort) }

  /// Something is to be sent, or not any longer, that no offer of this end has.
  package var needsNegotiation: Bool { peer.needsNegotiation }

  /// An offer, to be answered before the next. Throws `.state` before that.
  package func offer() throws(MediaError) -> String {
    _ = try peer.describe()
    return try peer.localDescription()
  }

  /// The client's answer to it. Throws what is wrong in it, as `take(offer:)`.
  package func take(answer sdp: String) throws(MediaError) { _ = try peer.setRemote(.answer, sdp) }

  /// The next offer has another generation of ICE.
  package func restartICE() throws(MediaError) { try peer.restartICE() }

  /// The mid of the section in which a stream of the client's comes; nil: packets do not say.
  package func section(of stream: StreamID) -> String? { peer.incoming.section(of: stream) }

  /// Which layer of its section a stream of the client's is; nil: packets do not say.
  package func rid(of stream: StreamID) -> String? { peer.incoming.rid(of: stream) }

  /// A candidate of the client's, empty for the last. One that cannot be used is skipped, as others may do.
  package func add(candidate text: String, mid: String?) { try? peer.addRemote(candidate: text, mid: mid) }

  /// As it was made last.
  package func answer() throws(MediaError) -> String { try peer.localDescription() }

  /// Candidates of the client's. One that cannot be used is skipped, as others may do.
  package func add(_ fragment: ICEFragment) throws(MediaError) {
    for candidate in fragment.candidates { try? peer.addRemote(candidate: candidate.text, mid: nil) }
    if fragment.isLast { try? peer.addRemote(candidate: "", mid: nil) }
  }

  /// The client has begun another generation of ICE (RFC 9725, section 4.3.3): what this end has for it. No description is exchanged, and
  /// nothing else is agreed on.
  package func restart(_ fragment: ICEFragment) throws(MediaError) -> ICEFragment {
    let next = WHIPDescriptions.answer(lastOffer.withLock { $0 }, with: fragment)
    _ = try peer.setRemote(.offer, next)
    _ = try peer.describe()
    lastOffer.withLock { $0 = next }
    let local = try peer.localDescription()
    guard let (user, password) = WHIPDescriptions.credentials(in: local) else {
      throw MediaError(.fail, "a description of this end has no credentials of ICE")
    }
    var candidates: [Candidate] = []
    for line in WHIPDescriptions.lines(of: local) where line.utf8.starts(with: "a=candidate:".utf8) {
      if let candidate = try Candidate(parsing: String(line.dropFirst(2))) { candidates.append(candidate) }
    }
    return ICEFragment(user: user, password: password, candidates: candidates)
  }
}
