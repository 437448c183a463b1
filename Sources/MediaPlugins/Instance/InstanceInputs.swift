import CMediaSDK
import MediaCore

/// What a renderer of several streams is told of one of them; plugin.h describes it.
public struct RendererInput: Sendable, Equatable {
  /// MSDK_VIDEO_*: a participant's video, or a screen share, which is an input of its own.
  public var kind: UInt32
  /// Of the participant.
  public var userID: String
  /// Of the participant, for people.
  public var displayName: String
  /// The program's own.
  public var isLocal = false
  /// Video is being sent, though no frame may have come yet; false: what was shown before has ended.
  public var hasVideo = false
  /// An active speaker.
  public var isSpeaking = false
  /// They send audio, all of it muted.
  public var isMuted = false

  /// Another participant's, without video and not speaking.
  public init(kind: UInt32, userID: String, displayName: String) {
    self.kind = kind
    self.userID = userID
    self.displayName = displayName
  }

  fileprivate func withForeign<Result>(_ body: (UnsafePointer<msdk_input>) -> Result) -> Result {
    userID.withCString { userID in
      displayName.withCString { displayName in
        var native = msdk_input()
        native.struct_size = UInt32(MemoryLayout<msdk_input>.size)
        native.kind = kind
        native.user_id = userID
        native.display_name = displayName
        native.is_local = isLocal ? 1 : 0
        native.has_video = hasVideo ? 1 : 0
        native.is_speaking = isSpeaking ? 1 : 0
        native.is_muted = isMuted ? 1 : 0
        return body(&native)
      }
    }
  }
}

/// The inputs that a renderer knows, each with a conversion of its own. Used inside the instance's turn only.
final class RendererInputs: @unchecked Sendable {
  struct Known {
    let attachment: PluginInstance.Attachment
    let adapter = RendererAdapter()
  }

  fileprivate var known: [UInt32: Known] = [:]
  fileprivate var latest: UInt32 = 0

  func removeAll() {
    known.removeAll()
  }
}

extension PluginInstance {
  /// Whether it renders several streams, each an input of its own.
  public var takesInputs: Bool { descriptor.renderer?.update_input != nil }

  /// Tells of an input: of a new one when the number is nil. Gives its number.
  public func update(_ number: UInt32?, _ input: RendererInput, from attachment: Attachment) throws(MediaError) -> UInt32 {
    let table = try rendererTable()
    return try turn.take("update_input") { () throws(MediaError) in
      try checkSource(attachment, of: .video)
      forgetFormer(attachment, table)
      // One that was released meanwhile ended all inputs; then this is a new one.
      let number = number.flatMap { inputs.known[$0] == nil ? nil : $0 } ?? addInput(attachment)
      state.withLock { $0.renderer = .started }
      try call("update_input") { plugin in input.withForeign { table.update_input?(plugin, number, $0) ?? unsupported } }
      return number
    }
  }

  /// Ends an input; an unknown number is ignored. `.closed` when the attachment is over.
  public func removeInput(_ number: UInt32, from attachment: Attachment) throws(MediaError) {
    let table = try rendererTable()
    try turn.take("remove_input") { () throws(MediaError) in
      try checkSource(attachment, of: .video)
      guard inputs.known.removeValue(forKey: number) != nil else { return }
      try call("remove_input") { table.remove_input?($0, number) ?? unsupported }
    }
  }

  /// Renders a picture of an input that was told of, converted when the renderer does not take it as it is.
  public func render(_ frame: VideoFrame, of number: UInt32, from attachment: Attachment) throws(MediaError) {
    let table = try rendererTable()
    try turn.take("render_input_frame") { () throws(MediaError) in
      try checkSource(attachment, of: .video)
      guard let adapter = inputs.known[number]?.adapter else {
        throw MediaError(.closed, "the instance of \(descriptor.id) has no input \(number)")
      }
      let fitting = try adapter.adapt(frame) { accepts($0, table: table) }
      defer { fitting.release() }
      try call("render_input_frame") { table.render_input_frame?($0, number, fitting.native) ?? unsupported }
    }
  }

  /// Removes what came through an attachment that has ended. From inside a call to the instance nothing can be done; then it happens before
  /// the next attachment brings something.
  public func removeInputs(of attachment: Attachment) {
    guard let table = descriptor.renderer else { return }
    _ = try? turn.take("remove_input") { () throws(MediaError) in
      try checkAlive()
      removeInputs(table) { $0.attachment === attachment }
    }
  }

  // MARK: Inside the turn

  private var unsupported: msdk_result { msdk_result(MSDK_E_UNSUPPORTED) }

  private func addInput(_ attachment: Attachment) -> UInt32 {
    inputs.latest = inputs.latest == .max ? 1 : inputs.latest + 1
    inputs.known[inputs.latest] = RendererInputs.Known(attachment: attachment)
    return inputs.latest
  }

  private func forgetFormer(_ present: Attachment, _ table: msdk_video_renderer) {
    removeInputs(table) { $0.attachment !== present }
  }

  /// What a renderer says to that changes nothing: they are gone.
  private func removeInputs(_ table: msdk_video_renderer, where isMeant: (RendererInputs.Known) -> Bool) {
    for number in inputs.known.filter({ isMeant($0.value) }).keys.sorted() {
      inputs.known[number] = nil
      ForeignCode.run { _ = table.remove_input?(plugin, number) }
    }
  }
}
