import MediaCore
import MediaTransport

/// The session's estimate among its streams.
extension Session {
  /// Gives each stream its part anew, since the estimate or what is sent has changed.
  func divideEstimate() {
    let (transport, demand, parts): ((any Transport)?, UInt64, [(OutgoingVideo, UInt64)]) = guarded.withLock { guarded in
      let parts = guarded.estimate > 0 ? guarded.outgoing.values.map { ($0, guarded.shares.share(of: $0, in: guarded.estimate)) } : []
      return (guarded.transport, guarded.shares.demand, parts)
    }
    transport?.setDemand(demand)
    for (stream, part) in parts { stream.follow(estimate: part) }
  }

  /// A stream would like more or less than before.
  func wishes(_ stream: OutgoingVideo, _ wish: BitrateAllocator.Wish) {
    let isHere = guarded.withLock { guarded in
      guard guarded.outgoing.values.contains(where: { $0 === stream }) else { return false }
      guarded.shares.set(stream, wish: wish)
      return true
    }
    if isHere { divideEstimate() }
  }

  /// A stream of audio takes more or less than before.
  func takes(_ stream: OutgoingAudio, as id: StreamID, bits: UInt64) {
    let isHere = guarded.withLock { guarded in
      guard guarded.sound.outgoing[id] === stream else { return false }
      guarded.shares.set(stream, bits: bits)
      return true
    }
    if isHere { divideEstimate() }
  }
}

extension OutgoingVideoOptions {
  /// What the best format takes that is wanted, in all its layers, and of a screen what keeps the largest; `declared` by the program, or come from a
  /// producer.
  func wish(
    _ bitrate: BitrateRange, _ declared: [VideoFormat], isEncoded: Bool, wanted: VideoPreference = .any, in layers: StreamLayers = .one
  ) -> BitrateAllocator.Wish {
    let formats = wanted.allowed(of: declared).map(wanted.paced)
    func whole(_ bits: Double) -> UInt64 { UInt64(exactly: min(bits, 1e12).rounded(.up)) ?? 0 }
    let most = formats.map { isEncoded ? $0.pixelsPerSecond * FormatNegotiator.targetBitsPerPixel : $0.rawBitrate }.max() ?? 0
    let best = isEncoded && bitrate.target != 0 ? Double(bitrate.target(wanted.part(of: declared))) : most
    var wish = BitrateAllocator.Wish(bits: whole(best * LayerPlan.sum(of: layers)))
    wish.isOpen = isEncodedInput && bitrate.target == 0
    guard kind == .screenShare else { return wish }
    let negotiator = ScreenNegotiator(formats: formats, isEncoded: isEncoded)
    let largest = formats.max { Double($0.width) * Double($0.height) < Double($1.width) * Double($1.height) }
    wish.need = largest.map { whole(negotiator.need(of: $0)) } ?? 0
    return wish
  }
}

extension OutgoingAudioOptions {
  /// What it takes of a way, at that bitrate of its encoder; nil: raw.
  func bits(_ bitrate: Int?) -> UInt64 {
    guard let bitrate else { return UInt64(sampleRate) * UInt64(channels) * (sampleFormat == .s16 ? 16 : 32) }
    return UInt64(clamping: bitrate) + 1000 / UInt64(max(1, packetDuration)) * BitrateAllocator.headerBytes * 8
  }
}
