import MediaCore

/// Renderers of sound that are fed from one place.
public final class AudioRendererList: Sendable {
  static let limit = AttachedRenderers.limit

  private let list = AttachedRenderers(.audio)

  /// Without renderers.
  public init() {}

  /// Any thread; takes no lock while there is none.
  public var isEmpty: Bool { !list.contains { _ in true } }
  /// Whether a renderer takes samples.
  public var takesRaw: Bool { list.contains { !$0.takesCodec } }
  /// Whether a renderer takes packets as they arrive.
  public var takesEncoded: Bool { list.contains { $0.takesCodec } }

  /// `codec` is what arrives here encoded, 0 for nothing. Initialises the renderer.
  public func add(
    _ renderer: PluginInstance, to what: String, codec: UInt32, events: PluginInstance.EventHandler?
  ) throws(MediaError) {
    try list.attach(renderer, to: what, events: events) { attachment throws(MediaError) in
      try renderer.initialiseAudioRenderer()
      let takesCodec = codec == FourCC.raw ? false : try renderer.accepts(audioCodec: codec)
      try list.append(AttachedRenderers.Entry(renderer: renderer, attachment: attachment, takesCodec: takesCodec), to: what)
    }
  }

  /// Detaches the renderer without releasing it. `.notFound` when it is not here.
  public func remove(_ renderer: PluginInstance) throws(MediaError) {
    try list.remove(renderer)
  }

  /// Detaches all and releases their audio half, so that what they write is complete.
  public func removeAll() {
    list.removeAll()
  }

  /// Says whether somebody rendered it.
  @discardableResult
  public func render(_ frame: AudioFrame) -> Bool {
    list.feed(where: { !$0.takesCodec }) { entry throws(MediaError) in try entry.renderer.render(frame, from: entry.attachment) }
  }

  /// Every packet can be decoded by itself, so that the first one will do for a beginning.
  @discardableResult
  public func render(_ packet: EncodedFrame) -> Bool {
    list.feed(where: { $0.takesCodec }) { entry throws(MediaError) in try entry.renderer.render(packet: packet, from: entry.attachment) }
  }
}
