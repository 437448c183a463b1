import CLinux
import Glibc
import MediaCore

/// Starting the program of plugins.
package enum Spawn {
  /// A pipe that nobody inherits, away from 0 to 2.
  package static func pipe() throws(MediaError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard msdk_pipe(&ends) == 0 else { throw MediaError(.io, "no pipe for a plugin's process: \(SystemError.text(errno))") }
    return (ends[0], ends[1])
  }

  /// Starts it with these as its descriptors 1, 2, and 3, 4, ...; whose they are they stay.
  package static func start(
    _ program: String, _ arguments: [String], output: Int32, errors: Int32, descriptors: [Int32] = []
  ) throws(MediaError) -> pid_t {
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let error = msdk_spawn(program, &words, output, errors, descriptors, Int32(descriptors.count), &process)
    guard error == 0 else { throw MediaError(.io, "\(program) cannot be started: \(SystemError.text(error))") }
    return process
  }

  /// Waits for it; somebody else may have done so already.
  package static func reap(_ process: pid_t) {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
