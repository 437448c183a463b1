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
    /// Of the parameters whose choices are found at run time: what there is now, or why that is not known.
    let choices: [String: Result<[ParameterChoice], MediaError>]
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
    ("extended_screen_share", VideoLimits.extended.list(of: .screenShare))
  ]
  let codecs: [VideoCodecEntry]
  let audioCodecs: [AudioCodecEntry]

  /// More are not listed: a producer may answer for ever.
  private static let mostFormats: UInt32 = 256

  /// Without their details no class is instantiated, and no device opened.
  init(_ engine: Engine, _ places: PluginPlaces, only name: String?, hasDetails: Bool) throws(MediaError) {
    self.places = places
    codecs = engine.codecs.video
    audioCodecs = engine.codecs.audio
    let all = engine.plugins.classes
    let wanted = name.map { name in all.filter { Inspection.matches($0.id, name) } } ?? all
    if let name, wanted.isEmpty { throw Inspection.noClass(name, in: engine) }
    var modules: [Module] = []
    for descriptor in wanted where !modules.contains(where: { $0.module === descriptor.module }) {
      let classes = wanted.filter { $0.module === descriptor.module }.map {
        Class(
          descriptor: $0, formats: hasDetails ? Inspection.formats($0, engine) : .notAsked,
          choices: hasDetails ? Inspection.choices($0, engine) : [:])
      }
      modules.append(Module(module: descriptor.module, classes: classes))
    }
    self.modules = modules
  }

  static func noClass(_ name: String, in engine: Engine) -> MediaError {
    let ids = engine.plugins.classes.map(\.id)
    // By its short name, too, which is the last part.
    let shorts = name.contains(".") ? [:] : Dictionary(ids.map { (String($0.split(separator: ".").last ?? ""), $0) }) { first, _ in first }
    let meant = Suggestion.nearest(to: name, among: name.contains(".") ? ids : shorts.keys.sorted()).map { shorts[$0] ?? $0 }
    let suggestion = meant.map { "; did you mean \($0)?" } ?? ""
    let text = "there is no class \"\(name)\"; there are \(ids.joined(separator: ", "))\(suggestion)"
    return MediaError(
      .notFound, NextStep.trying(meant.map { "msdk inspect \($0)" } ?? "msdk doctor, which shows plugins that were refused", after: text))
  }

  /// The full name, or the end of it after a period: "av1" and "producer.file" name classes, and "file" names two.
  static func matches(_ id: String, _ name: String) -> Bool {
    id == name || id.hasSuffix(".\(name)")
  }

  private static func choices(_ descriptor: ClassDescriptor, _ engine: Engine) -> [String: Result<[ParameterChoice], MediaError>] {
    let names = descriptor.parameters.filter(\.hasDynamicChoices).map(\.name)
    guard !names.isEmpty else { return [:] }
    var found: [String: Result<[ParameterChoice], MediaError>] = [:]
    do throws(MediaError) {
      let instance = try engine.makeInstance(descriptor.id)
      defer { instance.destroy() }
      for name in names {
        do throws(MediaError) {
          found[name] = .success(try instance.choices(of: name) ?? [])
        } catch {
          found[name] = .failure(error)
        }
      }
    } catch {
      for name in names { found[name] = .failure(error) }
    }
    return found
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
      (MSDK_KIND_VIDEO_FILTER, "video filter"), (MSDK_KIND_AUDIO_FILTER, "audio filter"),
      (MSDK_KIND_VIDEO_ENCODER, "video encoder"), (MSDK_KIND_VIDEO_DECODER, "video decoder"),
      (MSDK_KIND_AUDIO_ENCODER, "audio encoder"), (MSDK_KIND_AUDIO_DECODER, "audio decoder")
    ]
    return names.filter { kinds & UInt32($0.0) != 0 }.map(\.1)
  }

  var flagNames: [String] {
    let names = [
      (MSDK_CLASS_SINGLETON, "singleton"), (MSDK_CLASS_NO_ISOLATION, "no isolation"), (MSDK_CLASS_PREFERS_ISOLATION, "prefers isolation"),
      (MSDK_CLASS_UPRIGHT, "upright")
    ]
    return names.filter { flags & UInt32($0.0) != 0 }.map(\.1) + (isEncodedProducer ? ["makes encoded frames"] : [])
  }
}

extension ParameterDescriptor {
  var flagNames: [String] {
    [
      (isRequired, "required"), (isLive, "live"), (isReadOnly, "read-only"), (isSecret, "secret"),
      (hasDynamicChoices, "choices found at run time")
    ].filter(\.0).map(\.1)
  }
}

extension CodecEntry {
  var fourccText: String { FourCC.text(fourcc) }
}
