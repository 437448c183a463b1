/// A project of `msdk plugin new`: its files, with @NAME@ and @ID@ where those go.
struct Template {
  enum Kind: String, CaseIterable {
    case producer
    case pushProducer = "push-producer"
    case encodedProducer = "encoded-producer"
    case renderer
    case audioProducer = "audio-producer"
    case audioRenderer = "audio-renderer"
    case filter
    case codec
  }

  enum Language: String, CaseIterable {
    case c
    case cpp
    case swift
    case rust
  }

  let files: [(path: String, text: String)]

  /// Nil when there is none of that kind in that language.
  init?(_ kind: Kind, _ language: Language) {
    guard let files = Template.files(kind, language) else { return nil }
    self.files = files
  }

  private static func files(_ kind: Kind, _ language: Language) -> [(path: String, text: String)]? {
    let common = [("plugin.map", map), (".gitignore", ignored)]
    switch (language, kind) {
    case (.c, _):
      let makefile = makefile(sources: "@NAME@.c plugin.map", settings: settingsC, build: buildC, run: runCommand(kind))
      return [("@NAME@.c", sourceC(kind)), ("Makefile", makefile)] + common
    case (.cpp, _):
      // What is in a function there is C: the projects in C are C++20 as well.
      let makefile = makefile(sources: "@NAME@.cpp plugin.map", settings: settingsCPP, build: buildCPP, run: runCommand(kind))
      let source = sourceC(kind).filled("/* @NAME@.c - ", "/* @NAME@.cpp - ").filled("#include <mediasdk/plugin.h>\n", includeCPP)
      return [("@NAME@.cpp", source), ("Makefile", makefile)] + common
    case (.swift, .producer): return swift(producerSwift, pluginSwift("Producer", producerTablesSwift), kind) + common
    case (.swift, .renderer): return swift(rendererSwift, pluginSwift("Renderer", rendererTablesSwift), kind) + common
    case (.swift, .filter): return swift(filterSwift, pluginSwift("Filter", filterTablesSwift), kind) + common
    case (.rust, .producer): return rust(producerRust, kind)
    case (.rust, .renderer): return rust(rendererRust, kind)
    case (.rust, .filter): return rust(filterRust, kind)
    default: return nil
    }
  }

  private static func swift(_ work: String, _ tables: String, _ kind: Kind) -> [(path: String, text: String)] {
    let makefile = makefile(
      sources: "@NAME@.swift Plugin.swift plugin.map", settings: settingsSwift, build: buildSwift, run: runCommand(kind))
    return [
      ("@NAME@.swift", work), ("Plugin.swift", tables),
      ("CMediaSDKPlugin/module.modulemap", moduleMap), ("CMediaSDKPlugin/shim.h", shim), ("Makefile", makefile)
    ]
  }

  private static func rust(_ source: String, _ kind: Kind) -> [(path: String, text: String)] {
    let makefile = makefile(sources: "@NAME@.rs mediasdk.rs", settings: settingsRust, build: buildRust, run: runCommand(kind))
    return [
      ("@NAME@.rs", source), ("mediasdk.rs", bindingRust), ("Makefile", makefile),
      (".gitignore", ignored)
    ]
  }

  private static func sourceC(_ kind: Kind) -> String {
    switch kind {
    case .producer: producerC
    case .pushProducer: pushProducerC
    case .encodedProducer: encodedProducerC
    case .renderer: rendererC
    case .audioProducer: audioProducerC
    case .audioRenderer: audioRendererC
    case .filter: filterC
    case .codec: codecC
    }
  }

  /// What `make run` does.
  private static func runCommand(_ kind: Kind) -> String {
    switch kind {
    case .producer, .pushProducer, .encodedProducer: "$(MSDK) run --plugins . --producer @ID@ --frames 30 --renderer file:@NAME@.png"
    case .codec: "$(MSDK) run --plugins . --producer testpattern --size 640x360 --frames 30 --codec GRY4 --renderer file:@NAME@.png"
    case .renderer: "$(MSDK) run --plugins . --producer testpattern --size 640x360 --frames 30 --renderer @ID@"
    case .filter:
      "$(MSDK) run --plugins . --producer testpattern --size 640x360 --frames 30 --filter @ID@ --renderer file:@NAME@.png"
    case .audioProducer: "$(MSDK) run --plugins . --sound --producer @ID@ --seconds 2 --renderer wav:@NAME@.wav"
    case .audioRenderer: "$(MSDK) run --plugins . --sound --producer tone --seconds 2 --renderer @ID@"
    }
  }
}

extension String {
  /// Without Foundation.
  func filled(_ place: String, _ text: String) -> String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstRange(of: place) {
      result += rest[..<start.lowerBound]
      result += text
      rest = rest[start.upperBound...]
    }
    return result + rest
  }
}
