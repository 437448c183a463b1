/// A project of `msdk plugin new`: its files, with @NAME@ and @ID@ where those go.
struct Template {
  enum Kind: String, CaseIterable {
    case producer
    case renderer
    case audioProducer = "audio-producer"
    case audioRenderer = "audio-renderer"
    case filter
  }

  enum Language: String, CaseIterable {
    case c
    case swift
    case rust
  }

  let files: [(path: String, text: String)]

  /// Nil when there is none of that kind in that language.
  init?(_ kind: Kind, _ language: Language) {
    let common = [("plugin.map", Template.map), (".gitignore", Template.ignored)]
    switch (language, kind) {
    case (.c, _):
      let makefile = Template.makefile(
        sources: "@NAME@.c plugin.map", settings: Template.settingsC, build: Template.buildC, run: Template.runCommand(kind))
      files = [("@NAME@.c", Template.sourceC(kind)), ("Makefile", makefile)] + common
    case (.swift, .producer):
      let makefile = Template.makefile(
        sources: "@NAME@.swift Plugin.swift plugin.map", settings: Template.settingsSwift, build: Template.buildSwift,
        run: Template.runCommand(kind))
      files =
        [
          ("@NAME@.swift", Template.producerSwift), ("Plugin.swift", Template.pluginSwift),
          ("CMediaSDKPlugin/module.modulemap", Template.moduleMap), ("CMediaSDKPlugin/shim.h", Template.shim), ("Makefile", makefile),
        ] + common
    case (.rust, .producer):
      let makefile = Template.makefile(
        sources: "@NAME@.rs mediasdk.rs", settings: Template.settingsRust, build: Template.buildRust, run: Template.runCommand(kind))
      files = [
        ("@NAME@.rs", Template.producerRust), ("mediasdk.rs", Template.bindingRust), ("Makefile", makefile),
        (".gitignore", Template.ignored),
      ]
    default: return nil
    }
  }

  private static func sourceC(_ kind: Kind) -> String {
    switch kind {
    case .producer: producerC.filled("@MINOR@", "0")
    case .renderer: rendererC.filled("@MINOR@", "0")
    case .audioProducer: audioProducerC.filled("@MINOR@", "1")
    case .audioRenderer: audioRendererC.filled("@MINOR@", "1")
    case .filter: filterC.filled("@MINOR@", "3")
    }
  }

  static func canRun(_ kind: Kind) -> Bool { !runCommand(kind).isEmpty }

  /// What `make run` does; the tool's calls have pictures only, so that sound has none.
  private static func runCommand(_ kind: Kind) -> String {
    switch kind {
    case .producer: "$(MSDK) run --plugins . --producer @ID@ --frames 30 --renderer file:@NAME@.png"
    case .renderer: "$(MSDK) run --plugins . --producer testpattern --size 640x360 --frames 30 --renderer @ID@"
    case .audioProducer, .audioRenderer, .filter: ""
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
