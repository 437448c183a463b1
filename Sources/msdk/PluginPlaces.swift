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
  init(loadingInto engine: Engine, given: [String]) throws(MediaError) {
    var seen = Set<String>()
    for directory in given {
      guard seen.insert(PluginPlaces.resolved(directory) ?? directory).inserted else { continue }
      load(try PluginSearch.files(in: directory), of: directory, into: engine)
    }
    for directory in PluginSearch.directories(ignoringEnvironment: false) + PluginPlaces.besideThisProgram {
      guard let resolved = PluginPlaces.resolved(directory), seen.insert(resolved).inserted else { continue }
      do throws(MediaError) {
        load(try PluginSearch.files(in: resolved), of: resolved, into: engine)
      } catch {
        refused.append(Refusal(path: resolved, error: error))
      }
    }
  }

  private mutating func load(_ files: [String], of directory: String, into engine: Engine) {
    var loadedCount = 0
    for file in files {
      do throws(MediaError) {
        try engine.plugins.load(file)
        loadedCount += 1
      } catch {
        refused.append(Refusal(path: file, error: error))
      }
    }
    places.append(Place(directory: directory, fileCount: files.count, loadedCount: loadedCount))
  }

  /// Says what was refused, apart from classes that another file brought already: an installation beside a build is no fault.
  func warn() {
    for refusal in refused where refusal.error.status != .exists { Terminal.complain("warning: \(refusal.error.text)") }
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static var besideThisProgram: [String] {
    guard let program = resolved("/proc/self/exe"), let slash = program.lastIndex(of: "/") else { return [] }
    let directory = program[..<slash]
    return ["\(directory)/plugins", "\(directory)/../lib/mediasdk/plugins-\(MSDK_ABI_MAJOR)"]
  }
}
