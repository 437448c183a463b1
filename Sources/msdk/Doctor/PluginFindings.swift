import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCodecs
import MediaCore
import MediaIsolation
import MediaPlugins
import MediaSDK

/// Which plugins are here, which are refused, and whether one can be run in a process of its own.
struct PluginFindings {
  let engine: Engine
  let places: PluginPlaces

  var all: [Finding] { [host, found] + places.refused.map(refusal) + isolation + [codecs] + missingCodecs }

  private var host: Finding {
    if let path = PluginHostProgram.path(ignoringEnvironment: false) { return .ok("plugin_host", path) }
    if let chosen = getenv("MSDK_PLUGIN_HOST").map({ String(cString: $0) }) {
      return .broken(
        "plugin_host", "MSDK_PLUGIN_HOST is \"\(chosen)\", which is not the absolute path of a program",
        "unset MSDK_PLUGIN_HOST, or set it to the path of msdk-plugin-host")
    }
    return .absent(
      "plugin_host", "msdk-plugin-host was not found, so plugins are loaded unexamined and cannot be isolated",
      "install it in libexec/mediasdk beside the library, or set MSDK_PLUGIN_HOST to its path")
  }

  private var found: Finding {
    let loaded = places.places.reduce(0) { $0 + $1.loadedCount }
    let list = places.places.map { "\($0.loadedCount) of \($0.fileCount) in \($0.directory)" }.joined(separator: ", ")
    guard loaded > 0 else {
      return .absent(
        "plugins", places.places.isEmpty ? "no directory of plugins was found" : "no plugin was loaded: \(list)",
        "install the plugins, give their directory with --plugins, or set MSDK_PLUGIN_PATH to it")
    }
    return .ok("plugins", "\(engine.plugins.classes.count) classes; loaded \(list)")
  }

  private func refusal(_ refused: PluginPlaces.Refusal) -> Finding {
    let text = refused.error.text.contains(refused.path) ? refused.error.text : "\(refused.path): \(refused.error.text)"
    switch refused.error.status {
    case .exists: return .absent("plugin", text, "nothing if the same plugin is installed twice; else give one of the two another class id")
    case .permission where text.contains("MSDK_PLUGIN_"):
      let isWish = !text.contains("MSDK_PLUGIN_ALLOW_WRITABLE")
      return isWish
        ? .absent("plugin", text, "unset that variable, if the plugin is wanted")
        : .broken("plugin", text, "chown and chmod it, so that only root or this user can write it")
    case .pluginDied:
      return .broken("plugin", text, "msdk plugin check \(refused.path) shows what fails; after a repair, msdk inspect --rescan")
    default:
      return .broken(
        "plugin", text, "install what it needs (ldd \(refused.path) lists the libraries), or remove it; then msdk inspect --rescan")
    }
  }

  // MARK: Isolation

  private static let advice =
    "allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone; for a container, its seccomp profile)"

  /// With one that needs nothing, in an engine that is heard: why the kernel gives no more is a warning.
  private var isolation: [Finding] {
    let candidates = ["org.mediasdk.producer.testpattern", "org.mediasdk.renderer.bw", "org.mediasdk.filter.bw"]
    guard let descriptor = engine.plugins.classes.first(where: { candidates.contains($0.id) && !$0.module.path.isEmpty }) else {
      return [.unknown("isolation", "none of the SDK's own plugins is here to be run in a process of its own", "install the plugins")]
    }
    let heard = Monitor<[String]>([])
    let other = Engine()
    defer { other.close() }
    other.logger.set(level: Int32(MSDK_LOG_WARN)) { record in heard.withLock { $0.append(record.text) } }
    do throws(MediaError) {
      try other.plugins.load(descriptor.module.path)
      let (held, refusal) = try hold(descriptor.id, other)
      let names = PluginFindings.names.filter { held.contains($0.0) }.map(\.1).joined(separator: ", ")
      let reason = refusal ?? heard.withLock { $0.first }
      guard held.contains([.processes, .interprocess]) else {
        return [
          .absent(
            "isolation", "isolated plugins have only a process of their own (\(names)): \(reason ?? "no reason is known")",
            PluginFindings.advice)
        ]
      }
      if let reason {
        return [.absent("isolation", "isolated plugins are separated by: \(names); but \(reason)", "a kernel with Landlock (5.13)")]
      }
      return [.ok("isolation", "isolated plugins are separated by: \(names)")]
    } catch {
      if error.status == .unsupported || error.status == .notFound {
        return [.absent("isolation", error.text, "install msdk-plugin-host; see plugin_host")]
      }
      return [.broken("isolation", "an isolated plugin does not run: \(error.text)", "run msdk -vv inspect, and read what the log says")]
    }
  }

  private static let names: [(Containment, String)] = [
    (.processes, "processes"), (.interprocess, "IPC"), (.user, "user"), (.network, "network"), (.files, "files (Landlock)"),
    (.calls, "system calls (seccomp)")
  ]

  /// With everything that can be asked for; where that is refused, without, and why.
  private func hold(_ id: String, _ other: Engine) throws(MediaError) -> (Containment, refusal: String?) {
    var options = InstanceOptions()
    options.isolation = .ownProcess
    options.restarts = 0
    var refusal: String?
    for isStrict in [true, false] {
      (options.hasNoNetwork, options.isReadOnly) = (isStrict, isStrict)
      do throws(MediaError) {
        let instance = try other.makeInstance(id, options)
        defer { instance.destroy() }
        return (instance.containment, refusal)
      } catch {
        guard isStrict, error.status == .unsupported else { throw error }
        refusal = error.text
      }
    }
    return ([], refusal)
  }

  // MARK: Codecs

  private var codecs: Finding {
    let video = engine.codecs.video.map { "\($0.name)\($0.encoder == nil ? " (received only)" : "")" }
    let audio = engine.codecs.audio.map { "\($0.name)\($0.encoder == nil ? " (received only)" : "")" }
    return .ok("codecs", "video: \(video.joined(separator: ", ")); audio: \(audio.joined(separator: ", "))")
  }

  /// Those of the SDK that are plugins.
  private var missingCodecs: [Finding] {
    engine.codecs.video.contains { $0.fourcc == UInt32(MSDK_CODEC_AV1) }
      ? [] : [.absent("codec_av1", "AV1 is not here", "install the SDK's plugin av1.so, if AV1 is wanted; VP8 is built in")]
  }
}
