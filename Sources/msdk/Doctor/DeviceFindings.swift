import Glibc
import MediaCore
import MediaPlugins
import MediaSDK

/// The display and the sound server, each opened by the plugin that uses it.
struct DeviceFindings {
  let engine: Engine

  var all: [Finding] { [display, soundServer, statistics] }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private var display: Finding {
    let without = "--renderer file and --renderer terminal need no display"
    guard let name = DeviceFindings.variable("DISPLAY") else {
      return .absent("display", "DISPLAY is not set", "set DISPLAY to that of an X server (Xvfb, Xwayland); \(without)")
    }
    return open("display", ofClasses: ["org.mediasdk.producer.x11", "org.mediasdk.renderer.window"], named: name) {
      instance throws(MediaError) in
      if instance.descriptor.producer != nil { try instance.initialiseProducer() } else { try instance.initialiseRenderer() }
    } broken: {
      .broken(
        "display", "DISPLAY is \"\(name)\", but: \($0)", "start an X server there, allow this user (xhost), or unset DISPLAY; \(without)")
    }
  }

  private var soundServer: Finding {
    let chosen = DeviceFindings.variable("PULSE_SERVER")
    let without = "--sound tone and --sound-renderer wav need no sound server"
    return open("sound_server", ofClasses: ["org.mediasdk.renderer.pulse"], named: chosen ?? "the default one") {
      instance throws(MediaError) in
      try instance.startAudioRenderer(arriving: AudioFormat(.s16, sampleRate: 48_000, channels: 2))
    } broken: { reason in
      guard let chosen else { return .absent("sound_server", reason, "start PulseAudio or PipeWire (pipewire-pulse); \(without)") }
      return .broken(
        "sound_server", "PULSE_SERVER is \"\(chosen)\", but: \(reason)", "start a sound server there, or unset PULSE_SERVER; \(without)")
    }
  }

  private func open(
    _ id: String, ofClasses classes: [String], named name: String, _ open: (PluginInstance) throws(MediaError) -> Void,
    broken: (String) -> Finding
  ) -> Finding {
    guard let descriptor = engine.plugins.classes.first(where: { classes.contains($0.id) }) else {
      return .absent(id, "no plugin for it is here: \(classes.joined(separator: ", "))", "install the SDK's plugins; see plugins")
    }
    do throws(MediaError) {
      let instance = try engine.makeInstance(descriptor.id)
      defer { instance.destroy() }
      try open(instance)
      return .ok(id, "\(name), opened by \(descriptor.id)")
    } catch {
      return broken(error.text)
    }
  }

  /// Where msdk top looks.
  private var statistics: Finding {
    guard let directory = StatsPlace.directory else {
      return .absent(
        "statistics", "XDG_RUNTIME_DIR is not set, so msdk top shows nothing",
        "set it to a directory of this user, as logind does: /run/user/UID")
    }
    if access(directory, F_OK) == 0, !StatsPlace.isOurs(directory) {
      return .broken("statistics", "\(directory) is not this user's alone, so msdk top shows nothing", "chown and chmod 700 it")
    }
    return .ok("statistics", directory)
  }
}
