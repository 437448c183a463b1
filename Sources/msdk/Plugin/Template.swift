/// A project of `msdk plugin new`: its files, with @NAME@ and @ID@ where those go. Their texts are the files of the folder Templates, which
/// Package.swift embeds in this module: PackageResources has each by its name, whatever folder it is in.
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
    let map = ("plugin.map", Template.text(PackageResources.plugin_map))
    let ignored = (".gitignore", Template.text(PackageResources.gitignore))
    switch language {
    case .c:
      files = [("@NAME@.c", Template.sourceC(kind)), Template.makefile(PackageResources.c_mk, kind), map, ignored]
    case .cpp:
      // What is in a function there is C: the projects in C are C++20 as well.
      let source = Template.sourceC(kind).filled("/* @NAME@.c - ", "/* @NAME@.cpp - ")
        .filled("#include <mediasdk/plugin.h>\n", Template.text(PackageResources.include_cpp))
      files = [("@NAME@.cpp", source), Template.makefile(PackageResources.cpp_mk, kind), map, ignored]
    case .swift:
      guard let source = Template.sourceSwift(kind) else { return nil }
      let plugin = Template.text(PackageResources.Plugin_swift).filled("// @TABLES@\n", Template.text(source.tables))
        .filled("Worker", source.worker)
      files = [
        ("@NAME@.swift", Template.text(source.work)), ("Plugin.swift", plugin),
        ("CMediaSDKPlugin/module.modulemap", Template.text(PackageResources.module_modulemap)),
        ("CMediaSDKPlugin/shim.h", Template.text(PackageResources.shim_h)), Template.makefile(PackageResources.swift_mk, kind), map, ignored
      ]
    case .rust:
      guard let source = Template.sourceRust(kind) else { return nil }
      files = [
        ("@NAME@.rs", source), ("mediasdk.rs", Template.text(PackageResources.mediasdk_rs)),
        Template.makefile(PackageResources.rust_mk, kind), ignored
      ]
    }
  }

  private static func sourceC(_ kind: Kind) -> String {
    let source =
      switch kind {
      case .producer: PackageResources.producer_c
      case .pushProducer: PackageResources.push_producer_c
      case .encodedProducer: PackageResources.encoded_producer_c
      case .renderer: PackageResources.renderer_c
      case .audioProducer: PackageResources.audio_producer_c
      case .audioRenderer: PackageResources.audio_renderer_c
      case .filter: PackageResources.filter_c
      case .codec: PackageResources.codec_c
      }
    return text(source).filled("#include \"parts/instance.c\"\n", text(PackageResources.instance_c))
      .filled("#include \"parts/module.c\"\n", text(PackageResources.module_c))
  }

  /// `worker` is the class that does the work, `tables` what the host calls it by.
  private static func sourceSwift(_ kind: Kind) -> (worker: String, work: [UInt8], tables: [UInt8])? {
    switch kind {
    case .producer: ("Producer", PackageResources.producer_swift, PackageResources.producer_tables_swift)
    case .renderer: ("Renderer", PackageResources.renderer_swift, PackageResources.renderer_tables_swift)
    case .filter: ("Filter", PackageResources.filter_swift, PackageResources.filter_tables_swift)
    default: nil
    }
  }

  private static func sourceRust(_ kind: Kind) -> String? {
    let source: [UInt8]
    switch kind {
    case .producer: source = PackageResources.producer_rs
    case .renderer: source = PackageResources.renderer_rs
    case .filter: source = PackageResources.filter_rs
    default: return nil
    }
    return text(source).filled("include!(\"parts/guarded.rs\");\n", text(PackageResources.guarded_rs))
      .filled("include!(\"parts/module.rs\");\n", text(PackageResources.module_rs))
  }

  /// `build` is how that language makes @NAME@.so.
  private static func makefile(_ build: [UInt8], _ kind: Kind) -> (path: String, text: String) {
    ("Makefile", text(PackageResources.Makefile).filled("@BUILD@\n", text(build)).filled("@RUN@", tryOut(kind)))
  }

  /// What `make run` passes to `msdk run`.
  private static func tryOut(_ kind: Kind) -> String {
    let bars = "--producer testpattern --size 640x360 --frames 30"
    return switch kind {
    case .producer, .pushProducer, .encodedProducer: "--producer @ID@ --frames 30 --renderer file:@NAME@.png"
    case .codec: "\(bars) --codec GRY4 --renderer file:@NAME@.png"
    case .renderer: "\(bars) --renderer @ID@"
    case .filter: "\(bars) --filter @ID@ --renderer file:@NAME@.png"
    case .audioProducer: "--sound --producer @ID@ --seconds 2 --renderer wav:@NAME@.wav"
    case .audioRenderer: "--sound --producer tone --seconds 2 --renderer @ID@"
    }
  }

  private static func text(_ embedded: [UInt8]) -> String { String(decoding: embedded, as: UTF8.self) }
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
