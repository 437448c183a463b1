import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaSDK

/// All that can be known without a call.
struct Inspection {
  struct Module {
    let module: PluginModule
    let classes: [Class]
  }

  struct Class {
    let descriptor: ClassDescriptor
    let formats: Formats
  }

  enum Formats {
    case notAsked
    case refused(String)
    /// And the one that it makes unless told otherwise.
    case offered([VideoFormat], own: VideoFormat?)
  }

  let places: PluginPlaces
  let modules: [Module]
  let limits: [(name: String, list: [VideoLimits.Limit])] = [
    ("conference", VideoLimits.conference.list(of: .virtual)), ("extended", VideoLimits.extended.list(of: .virtual)),
    ("conference_screen_share", VideoLimits.conference.list(of: .screenShare)),
    ("extended_screen_share", VideoLimits.extended.list(of: .screenShare)),
  ]
  let codecs = VideoCodec.all

  /// More are not listed: a producer may answer for ever.
  private static let mostFormats: UInt32 = 256

  init(_ engine: Engine, _ places: PluginPlaces, only name: String?) throws(MediaError) {
    self.places = places
    let all = engine.plugins.classes
    let wanted = name.map { name in all.filter { Inspection.matches($0.id, name) } } ?? all
    if let name, wanted.isEmpty {
      let ids = all.map(\.id).joined(separator: ", ")
      throw MediaError(.notFound, "there is no class \"\(name)\"; there are \(ids.isEmpty ? "none: no plugin was found" : ids)")
    }
    var modules: [Module] = []
    for descriptor in wanted where !modules.contains(where: { $0.module === descriptor.module }) {
      let classes = wanted.filter { $0.module === descriptor.module }.map { Class(descriptor: $0, formats: Inspection.formats($0, engine)) }
      modules.append(Module(module: descriptor.module, classes: classes))
    }
    self.modules = modules
  }

  private static func matches(_ id: String, _ name: String) -> Bool {
    id == name || [PluginItem.Role.producer, .renderer].contains { id == $0.shortPrefix + name }
  }

  private static func formats(_ descriptor: ClassDescriptor, _ engine: Engine) -> Formats {
    guard descriptor.kinds & PluginItem.Role.producer.kind != 0, !descriptor.parameters.contains(where: \.isRequired) else {
      return .notAsked
    }
    do throws(MediaError) {
      let instance = try engine.makeInstance(descriptor.id)
      defer { instance.destroy() }
      var formats: [VideoFormat] = []
      for index in 0..<mostFormats {
        guard let format = try instance.producerFormat(at: index) else { break }
        formats.append(format)
      }
      return .offered(formats, own: formats.isEmpty ? nil : try? instance.captureSettings())
    } catch {
      return .refused(error.text)
    }
  }
}

extension ClassDescriptor {
  var kindNames: [String] {
    let names = [
      (MSDK_KIND_VIDEO_PRODUCER, "video producer"), (MSDK_KIND_AUDIO_PRODUCER, "audio producer"),
      (MSDK_KIND_VIDEO_RENDERER, "video renderer"), (MSDK_KIND_AUDIO_RENDERER, "audio renderer"),
    ]
    return names.filter { kinds & UInt32($0.0) != 0 }.map(\.1)
  }

  var flagNames: [String] {
    let names = [
      (MSDK_CLASS_SINGLETON, "singleton"), (MSDK_CLASS_NO_ISOLATION, "no isolation"), (MSDK_CLASS_PREFERS_ISOLATION, "prefers isolation"),
    ]
    return names.filter { flags & UInt32($0.0) != 0 }.map(\.1)
  }
}

extension ParameterDescriptor {
  var flagNames: [String] {
    [(isRequired, "required"), (isLive, "live"), (isReadOnly, "read-only"), (isSecret, "secret")].filter(\.0).map(\.1)
  }
}

extension VideoCodec {
  /// "VP80"
  var fourccText: String {
    String(String.UnicodeScalarView((0..<4).map { Unicode.Scalar(UInt8(truncatingIfNeeded: fourcc >> ($0 * 8))) }))
  }
}
