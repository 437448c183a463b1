import CMediaSDK
import MediaCore
import MediaPlugins

extension Inspection {
  var text: String {
    var parts = ["MediaSDK \(SDKVersion.text), plugin ABI \(MSDK_ABI_MAJOR).\(MSDK_ABI_MINOR)", placesText]
    let classes = modules.flatMap(\.classes).sorted { $0.descriptor.id < $1.descriptor.id }
    let width = classes.map(\.descriptor.id.count).max() ?? 0
    if !classes.isEmpty {
      parts.append("Classes (msdk inspect NAME shows one in full)\n" + classes.map { $0.line(width) }.joined(separator: "\n"))
    }
    if !places.refused.isEmpty {
      let lines = places.refused.map { "  \(Terminal.oneLine($0.path))\n    \(Terminal.oneLine($0.error.text))" }
      parts.append("Refused files\n" + lines.joined(separator: "\n"))
    }
    parts.append(limits.map(Inspection.limitText).joined(separator: "\n"))
    var codecLines = codecs.map { codec in
      guard codec.encoder != nil else { return "  \(codec.name) (\(codec.fourccText)), video: received only" }
      let inputs = codec.inputFormats.map(\.name).joined(separator: " or ")
      return "  \(codec.name) (\(codec.fourccText)), video: sent from \(inputs), up to \(codec.maximumDimension) pixels a side"
    }
    codecLines += audioCodecs.map { codec in
      guard let encoder = codec.encoder else { return "  \(codec.name) (\(codec.fourccText)), audio: received only" }
      return "  \(codec.name) (\(codec.fourccText)), audio: sent at \(encoder.sampleRates.map { "\($0)" }.joined(separator: " or ")) Hz"
    }
    parts.append("Codecs\n" + codecLines.joined(separator: "\n"))
    return parts.joined(separator: "\n\n")
  }

  var classTexts: String {
    modules.map(\.text).joined(separator: "\n\n")
  }

  private var placesText: String {
    let lines = places.places.map { place in
      let all = place.loadedCount == place.fileCount
      let loaded = all ? "" : ", \(place.loadedCount) loaded"
      return "  \(Terminal.oneLine(place.directory)): \(place.fileCount) \(place.fileCount == 1 ? "file" : "files")\(loaded)"
    }
    let none = "  nowhere: no standard directory exists; give a directory with --plugins"
    return "Plugins were searched for in\n" + (lines.isEmpty ? none : lines.joined(separator: "\n"))
  }

  private static func limitText(_ name: String, _ list: [VideoLimits.Limit]) -> String {
    let isExact = name == "conference"
    let lines = list.map { "  \(isExact ? "" : "up to ")\($0.width)x\($0.height), up to \($0.frameRate) frames a second" }
    return "Limits \"\(name)\"\n" + lines.joined(separator: "\n")
  }
}

extension Inspection.Module {
  fileprivate var text: String {
    let facts = [("vendor", module.vendor), ("version", module.version), ("licence", module.license)].map { name, value in
      value.isEmpty ? "no \(name) given" : "\(name) \(Terminal.oneLine(value))"
    }
    let url = module.url.isEmpty ? "" : "\n  \(Terminal.oneLine(module.url))"
    let place = module.isBuiltIn ? "built into the library" : Terminal.oneLine(module.path)
    let head = "Module \(place)\n  \(facts.joined(separator: ", "))\(url)"
    return ([head] + classes.map(\.text)).joined(separator: "\n\n")
  }
}

extension Inspection.Class {
  fileprivate func line(_ width: Int) -> String {
    "  \(descriptor.id.padded(to: width))  \(descriptor.kindNames.joined(separator: ", "))"
  }

  fileprivate var text: String {
    var lines = ["  \(descriptor.id)", "    \((descriptor.kindNames + descriptor.flagNames).joined(separator: ", "))"]
    let words = [descriptor.name, descriptor.summary].filter { !$0.isEmpty }.map(Terminal.oneLine)
    if !words.isEmpty { lines.append("    \(words.joined(separator: ": "))") }
    let width = descriptor.parameters.map(\.name.count).max() ?? 0
    if !descriptor.parameters.isEmpty { lines.append("    parameters") }
    for parameter in descriptor.parameters {
      lines.append("      \(parameter.name.padded(to: width))  \(parameter.factsText)")
      if !parameter.summary.isEmpty { lines.append("      \("".padded(to: width))  \(Terminal.oneLine(parameter.summary))") }
      lines += choiceLines(of: parameter).map { "      \("".padded(to: width))  \($0)" }
    }
    if !descriptor.commands.isEmpty { lines.append("    commands") }
    lines += descriptor.commands.flatMap(\.inspectionLines)
    return (lines + formatLines).joined(separator: "\n")
  }

  private func choiceLines(of parameter: ParameterDescriptor) -> [String] {
    switch choices[parameter.name] {
    case nil: []
    case .failure(let error)?: ["now: not reported: \(Terminal.oneLine(error.text))"]
    case .success(let list)?:
      list.isEmpty
        ? ["now: none"]
        : list.map { "now: \"\(Terminal.oneLine($0.value))\"\($0.label == $0.value ? "" : ", \(Terminal.oneLine($0.label))")" }
    }
  }

  private var formatLines: [String] {
    switch formats {
    case .notAsked: []
    case .refused(let reason): ["    formats: not reported: \(Terminal.oneLine(reason))"]
    case .offered(let list, let own):
      list.isEmpty
        ? ["    formats: none known yet"] : ["    formats"] + list.map { "      \($0)\($0 == own ? ", unless set otherwise" : "")" }
    }
  }
}

extension ParameterDescriptor {
  fileprivate var factsText: String {
    var facts = ["\(type)"]
    if !isRequired { facts.append("default \(isSecret ? "not shown" : Terminal.oneLine(defaultText))") }
    if let bounds { facts.append(bounds.inspectionText) }
    if let choices { facts.append("one of \(choices.map(Terminal.oneLine).joined(separator: " "))") }
    return (facts + flagNames).joined(separator: ", ")
  }

  private var defaultText: String { defaultValue.shortText }
}

extension ParameterValue {
  var shortText: String {
    if case .f64(let value) = self { return value.shortText }
    return description
  }
}

extension ValueBounds {
  var inspectionText: String {
    switch (least, most) {
    case (let least?, let most?): "\(least.shortText)..\(most.shortText)"
    case (let least?, nil): "at least \(least.shortText)"
    case (nil, let most?): "at most \(most.shortText)"
    case (nil, nil): ""
    }
  }
}
