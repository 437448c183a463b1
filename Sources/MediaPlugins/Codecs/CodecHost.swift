import CMediaSDK
import MediaCore

/// Whose clock and log the instances of codecs have, and where they run.
public struct CodecHost: Sendable {
  /// Gives the class that an instance is made of; throws what keeps it from being made.
  public typealias Place = @Sendable (ClassDescriptor) throws(MediaError) -> ClassDescriptor

  let clock: @Sendable () -> Int64
  let log: @Sendable (Int32, String) -> Void
  let place: Place
  let parameters: CodecParameters?

  /// `place` gives the class that an instance is made of: itself, or a twin whose instances run elsewhere.
  public init(
    clock: @escaping @Sendable () -> Int64 = { MediaTime.monotonic() }, log: @escaping @Sendable (Int32, String) -> Void = { _, _ in },
    place: @escaping Place = { $0 }, parameters: CodecParameters? = nil
  ) {
    self.clock = clock
    self.log = log
    self.place = place
    self.parameters = parameters
  }

  /// A stream's own instance, open as a kind of codec by `open`: nothing else can be attached to it. `events` hears what it tells.
  func makeInstance(
    _ descriptor: ClassDescriptor, _ kind: Int, _ events: PluginInstance.EventHandler?,
    _ open: (ClassDescriptor, OpaquePointer) -> msdk_result?
  ) throws(MediaError) -> PluginInstance {
    let instance = try PluginInstance(place(descriptor), clock: clock, log: log, isOfStream: true)
    do throws(MediaError) {
      for (name, value) in parameters?.values(of: descriptor.id) ?? [] { try instance.setParameter(name, value) }
      let medium: PluginInstance.Medium = UInt32(kind) & ClassDescriptor.audioCodecKinds != 0 ? .audio : .video
      _ = try instance.attach(to: "a stream", medium: medium, events: events, letGo: {})
      try instance.openCodec(UInt32(kind)) { open(instance.descriptor, $0) }
    } catch {
      instance.destroy()
      throw error
    }
    return instance
  }
}

extension ClassDescriptor {
  static let videoCodecKinds = UInt32(MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER)
  static let audioCodecKinds = UInt32(MSDK_KIND_AUDIO_ENCODER | MSDK_KIND_AUDIO_DECODER)
  static let encoderKinds = UInt32(MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_AUDIO_ENCODER)
}

/// The states of a codec: an instance encodes or decodes, from its making to its end.
extension PluginInstance {
  /// As exactly one MSDK_KIND_*.
  func openCodec(_ kind: UInt32, _ open: (OpaquePointer) -> msdk_result?) throws(MediaError) {
    let function = kind & ClassDescriptor.encoderKinds != 0 ? "open_encoder" : "open_decoder"
    try turn.take(function) { () throws(MediaError) in
      try checkAlive()
      try checkRequired()
      try callTable(function, open)
      state.withLock { $0.openCodec = kind }
    }
  }

  /// A function of its table, while it is open. nil: the table has none.
  @inline(__always)
  func callCodec(_ kind: Int, _ function: String, _ body: (OpaquePointer) -> msdk_result?) throws(MediaError) {
    try turn.take(function) { () throws(MediaError) in
      guard state.withLock({ $0.openCodec == UInt32(kind) }) else {
        let what = UInt32(kind) & ClassDescriptor.encoderKinds != 0 ? "encoder" : "decoder"
        throw MediaError(.closed, "the \(what) of \(descriptor.id) is closed")
      }
      try callTable(function, body)
    }
  }

  @inline(__always)
  private func callTable(_ function: String, _ body: (OpaquePointer) -> msdk_result?) throws(MediaError) {
    try call(function) { body($0) ?? msdk_result(MSDK_OK) }
  }

  func closeCodec(of medium: Medium) throws(MediaError) {
    let kinds = medium == .video ? ClassDescriptor.videoCodecKinds : ClassDescriptor.audioCodecKinds
    guard descriptor.kinds & kinds != 0 else { return }
    try turn.take("close") { () throws(MediaError) in
      let kind = state.withLock { state in
        defer { if state.openCodec & kinds != 0 { state.openCodec = 0 } }
        return state.openCodec & kinds
      }
      switch Int(kind) {
      case MSDK_KIND_VIDEO_ENCODER: try callTable("close_encoder") { descriptor.videoEncoder?.close_encoder?($0) }
      case MSDK_KIND_VIDEO_DECODER: try callTable("close_decoder") { descriptor.videoDecoder?.close_decoder?($0) }
      case MSDK_KIND_AUDIO_ENCODER: try callTable("close_encoder") { descriptor.audioEncoder?.close_encoder?($0) }
      case MSDK_KIND_AUDIO_DECODER: try callTable("close_decoder") { descriptor.audioDecoder?.close_decoder?($0) }
      default: break
      }
    }
  }
}
