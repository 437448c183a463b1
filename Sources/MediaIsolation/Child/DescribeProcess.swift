import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// What the program of plugins does to describe a file for `Isolation.describe`. On the main thread of a process that was started for it.
public enum DescribeProcess {
  /// Loads the file, sends its description or the error, and ends the process. It ends with 2 without a path, and when `version` is not
  /// that of this protocol.
  public static func run(version: String?, path: String?) -> Never {
    guard version == "\(Wire.version)", let path else {
      Reaper.complain("msdk-plugin-host uses protocol version \(Wire.version); the library asked for \(version ?? "none")")
      exit(2)
    }
    let descriptor = AnsweringChild.begin()
    _ = ChildMain.confine(memory: 2_048, processorTime: 20, [])
    var writer = WireWriter()
    do throws(MediaError) {
      let module = try PluginFile.load(path)
      writer.put(Int32(0))
      ModuleDescription.write(module, to: &writer)
    } catch {
      writer.begin()
      writer.put(error.status.rawValue)
      writer.put(text: error.text)
    }
    AnsweringChild.end(descriptor, writer.bytes)
  }
}
