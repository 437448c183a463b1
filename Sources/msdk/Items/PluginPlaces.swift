import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins
import MediaSDK

/// Where plugins were looked for, and what was found there.
struct PluginPlaces {
  struct Place {
    let directory: String
    let fileCount: Int
    let loadedCount: Int
  }

  struct Refusal {
    let path: String
    let error: MediaError
  }

  private(set) var places: [Place] = []
  private(set) var refused: [Refusal] = []

  /// Loads all that is found: in the directories given, which must exist, in the standard places, and beside this program.
  init(loadingInto engine: Engine, given: [String], rescan: Bool = false) throws(MediaError) {
    var seen = Set<String>()
    for directory in given {
      guard seen.insert(PluginPlaces.resolved(directory) ?? directory).inserted else { continue }
      try load(directory, into: engine, rescan: rescan)
    }
    for directory in PluginSearch.directories(ignoringEnvironment: false) + PluginPlaces.besideThisProgram {
      guard let resolved = PluginPlaces.resolved(directory), seen.insert(resolved).inserted else { continue }
      do throws(MediaError) {
        try load(resolved, into: engine, rescan: rescan)
      } catch {
        refused.append(Refusal(path: resolved, error: error))
      }
    }
  }

  private mutating func load(_ directory: String, into engine: Engine, rescan: Bool) throws(MediaError) {
    var refused: [Refusal] = []
    let loadedCount = try engine.plugins.loadAll(in: directory, rescan: rescan) { refused.append(Refusal(path: $0, error: $1)) }
    places.append(Place(directory: directory, fileCount: loadedCount + refused.count, loadedCount: loadedCount))
    self.refused += refused
  }

  /// Says what was refused, apart from classes that another file brought already: an installation beside a build is no fault.
  func warn() {
    for refusal in refused where refusal.error.status != .exists {
      let step = refusal.error.status == .pluginDied ? "msdk inspect --rescan, msdk plugin check \(refusal.path)" : "msdk doctor"
      Terminal.complain(NextStep.trying(step, after: "warning: \(refusal.error.text)"))
    }
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static var besideThisProgram: [String] {
    guard let program = resolved("/proc/self/exe"), let slash = program.lastIndex(of: "/") else { return [] }
    let directory = program[..<slash]
    return ["\(directory)/plugins"] + PluginSearch.installed(beside: directory)
  }
}
