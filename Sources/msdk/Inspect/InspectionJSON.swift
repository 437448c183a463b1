import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins

extension Inspection {
  var json: JSON {
    .object([
      ("version", .text(SDKVersion.text)),
      ("abi", .object([("major", .whole(MSDK_ABI_MAJOR)), ("minor", .whole(MSDK_ABI_MINOR))])),
      (
        "directories",
        .array(
          places.places.map { place in
            .object([("path", .text(place.directory)), ("files", .whole(place.fileCount)), ("loaded", .whole(place.loadedCount))])
          })
      ),
      ("modules", .array(modules.map(\.json))),
      (
        "refused",
        .array(
          places.refused.map { refusal in
            .object([
              ("path", .text(refusal.path)), ("status", .text("\(refusal.error.status)")), ("reason", .text(refusal.error.text))
            ])
          })
      ),
      ("limits", .object(limits.map { limit in (limit.name, .array(limit.list.map(\.json))) })),
      ("codecs", .array(codecs.map(\.json) + audioCodecs.map(\.json)))
    ])
  }
}

extension Inspection.Module {
  fileprivate var json: JSON {
    .object([
      ("path", module.isBuiltIn ? .null : .text(module.path)), ("vendor", .text(module.vendor)), ("version", .text(module.version)),
      ("license", .text(module.license)), ("url", .text(module.url)), ("classes", .array(classes.map(\.json)))
    ])
  }
}

extension Inspection.Class {
  fileprivate var json: JSON {
    var members: [(String, JSON)] = [
      ("id", .text(descriptor.id)), ("name", .text(descriptor.name)), ("summary", .text(descriptor.summary)),
      ("kinds", .names(descriptor.kindNames)), ("flags", .names(descriptor.flagNames)),
      ("parameters", .array(descriptor.parameters.map { $0.json(found: choices[$0.name]) })),
      ("commands", .array(descriptor.commands.map(\.inspectionJSON)))
    ]
    switch formats {
    case .notAsked: members.append(("formats", .null))
    case .refused(let reason): members += [("formats", .null), ("formats_error", .text(reason))]
    case .offered(let list, let own):
      members += [("formats", .array(list.map(\.json))), ("default_format", own?.json ?? .null)]
    }
    return .object(members)
  }
}

extension ParameterDescriptor {
  fileprivate func json(found: Result<[ParameterChoice], MediaError>?) -> JSON {
    var members: [(String, JSON)] = [
      ("name", .text(name)), ("summary", .text(summary)), ("type", .text("\(type)")),
      ("default", isRequired || isSecret ? .null : defaultValue.json), ("minimum", bounds?.least?.json ?? .null),
      ("maximum", bounds?.most?.json ?? .null),
      ("choices", choices.map { .texts($0) } ?? .null), ("flags", .names(flagNames))
    ]
    switch found {
    case .success(let list)?:
      members.append(("choices_now", .array(list.map { .object([("value", .text($0.value)), ("label", .text($0.label))]) })))
    case .failure(let error)?: members += [("choices_now", .null), ("choices_error", .text(error.text))]
    case nil: break
    }
    return .object(members)
  }
}

extension ParameterValue {
  /// Bytes as an array of numbers.
  var json: JSON {
    switch self {
    case .bool(let value): .bool(value)
    case .i32(let value): .whole(value)
    case .i64(let value): .whole(value)
    case .u32(let value): .whole(value)
    case .u64(let value): .whole(value)
    case .f64(let value): .number(value)
    case .string(let value): .text(value)
    case .bytes(let value): .array(value.map { .whole($0) })
    }
  }
}

extension VideoFormat {
  fileprivate var json: JSON {
    .object([
      ("pixel_format", .text(pixelFormat.name)), ("width", .whole(width)), ("height", .whole(height)),
      ("fps_num", .whole(frameRate.numerator)), ("fps_den", .whole(frameRate.denominator))
    ])
  }
}

extension VideoLimits.Limit {
  fileprivate var json: JSON {
    .object([("width", .whole(width)), ("height", .whole(height)), ("fps", .whole(frameRate))])
  }
}

extension VideoCodecEntry {
  fileprivate var json: JSON {
    .object([
      ("name", .text(name)), ("fourcc", .text(fourccText)), ("kind", .text("video")), ("input_formats", .texts(inputFormats.map(\.name))),
      ("maximum_dimension", .whole(maximumDimension))
    ])
  }
}

extension AudioCodecEntry {
  fileprivate var json: JSON {
    .object([
      ("name", .text(name)), ("fourcc", .text(fourccText)), ("kind", .text("audio")),
      ("sample_rates", .array((encoder?.sampleRates ?? []).map { .whole($0) }))
    ])
  }
}

extension JSON {
  /// Words as programs like them: "video_producer".
  fileprivate static func names(_ words: [String]) -> JSON {
    .texts(words.map { word in String(word.map { $0 == " " || $0 == "-" ? "_" : $0 }) })
  }
}
