import CMediaSDK
import MediaCore

/// The table of each kind that a class is of, with all the functions that the core relies on; nil for the kinds that it is not of.
extension PluginTable {
  static func videoProducer(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_video_producer? {
    guard table.kinds & UInt32(MSDK_KIND_VIDEO_PRODUCER) != 0 else { return nil }
    let producer = try read(table.video_producer, "\(argument).video_producer")
    guard producer.init_capture != nil, producer.release_capture != nil, producer.start_capture != nil, producer.stop_capture != nil,
      producer.set_format != nil
    else { throw lacksCapture("\(argument).video_producer") }
    try check(producer.flags, known: producerFlags | UInt32(MSDK_PRODUCER_ENCODED), named: "MSDK_PRODUCER_*", "\(argument).video_producer")
    let isEncoded = producer.flags & UInt32(MSDK_PRODUCER_ENCODED) != 0
    guard
      producer.flags & UInt32(MSDK_PRODUCER_PULL) == 0
        || (isEncoded ? producer.produce_encoded_frame != nil : producer.produce_frame != nil)
    else {
      throw lacksProduceFrame("\(argument).video_producer", isEncoded ? "produce_encoded_frame" : "produce_frame")
    }
    guard isEncoded == (producer.codec != 0) else {
      throw MediaError(
        .abi,
        "\(argument).video_producer has codec \(producer.codec) \(isEncoded ? "with" : "without") MSDK_PRODUCER_ENCODED; accepted: both or neither"
      )
    }
    guard producer.reserved0 == 0 else { throw MediaError(.abi, "\(argument).video_producer.reserved0 is not 0") }
    return producer
  }

  static func audioProducer(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_audio_producer? {
    guard table.kinds & UInt32(MSDK_KIND_AUDIO_PRODUCER) != 0 else { return nil }
    let producer = try read(table.audio_producer, "\(argument).audio_producer")
    guard producer.init_capture != nil, producer.release_capture != nil, producer.start_capture != nil, producer.stop_capture != nil,
      producer.set_format != nil
    else { throw lacksCapture("\(argument).audio_producer") }
    try check(producer.flags, known: producerFlags, named: "MSDK_PRODUCER_*", "\(argument).audio_producer")
    guard producer.flags & UInt32(MSDK_PRODUCER_PULL) == 0 || producer.produce_frame != nil else {
      throw lacksProduceFrame("\(argument).audio_producer", "produce_frame")
    }
    return producer
  }

  static func videoRenderer(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_video_renderer? {
    guard table.kinds & UInt32(MSDK_KIND_VIDEO_RENDERER) != 0 else { return nil }
    let renderer = try read(table.video_renderer, "\(argument).video_renderer")
    try check(renderer.flags, "\(argument).video_renderer")
    guard renderer.init_render != nil, renderer.release_render != nil, renderer.render_video_frame != nil else {
      throw MediaError(.abi, "\(argument).video_renderer lacks one of init_render, release_render and render_video_frame")
    }
    guard (renderer.accepts_codec != nil) == (renderer.render_encoded_frame != nil) else {
      throw hasHalfACodec("\(argument).video_renderer")
    }
    let inputFunctions = [renderer.update_input != nil, renderer.remove_input != nil, renderer.render_input_frame != nil]
    guard !inputFunctions.contains(true) || !inputFunctions.contains(false) else {
      throw MediaError(.abi, "\(argument).video_renderer has only some of update_input, remove_input and render_input_frame")
    }
    return renderer
  }

  static func audioRenderer(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_audio_renderer? {
    guard table.kinds & UInt32(MSDK_KIND_AUDIO_RENDERER) != 0 else { return nil }
    let renderer = try read(table.audio_renderer, "\(argument).audio_renderer")
    try check(renderer.flags, "\(argument).audio_renderer")
    guard renderer.init_render != nil, renderer.release_render != nil else {
      throw MediaError(.abi, "\(argument).audio_renderer lacks one of init_render and release_render")
    }
    guard (renderer.accepts_codec != nil) == (renderer.render_encoded_frame != nil) else {
      throw hasHalfACodec("\(argument).audio_renderer")
    }
    return renderer
  }

  private static let producerFlags = UInt32(MSDK_PRODUCER_PULL | MSDK_PRODUCER_LIVE | MSDK_PRODUCER_TIMED)

  private static func lacksCapture(_ argument: String) -> MediaError {
    MediaError(.abi, "\(argument) lacks one of init, release, start, stop_capture and set_format")
  }

  private static func lacksProduceFrame(_ argument: String, _ function: String) -> MediaError {
    MediaError(.abi, "\(argument) is a pull producer without \(function)")
  }

  private static func hasHalfACodec(_ argument: String) -> MediaError {
    MediaError(.abi, "\(argument) has only one of accepts_codec and render_encoded_frame")
  }
}
