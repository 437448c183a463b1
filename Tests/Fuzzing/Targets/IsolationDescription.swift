import CMediaSDK
import MediaCore

@testable import IsolationProtocol
@testable import MediaIsolation
@testable import MediaPlugins

/// What a process that loaded a module says of it: it becomes a module that passes every check, or a refusal. The tables of a module stay
/// for the life of a process, so that memory grows by as much as is read; inputs are short.
enum IsolationDescription: FuzzTarget {
  static let name = "isolation_description"

  private final class Headers: EncodedHeaders {
    func parseVideo(_ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_encoded_header) -> msdk_result { 0 }
    func parseAudio(_ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_packet_header) -> msdk_result { 0 }
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = WireReader(bytes)
    let loaded = try ModuleDescription.read(&reader, path: "/plugin", headers: Headers())
    var writer = WireWriter()
    ModuleDescription.write(loaded, to: &writer)
    let written = writer.bytes
    let again = written.withUnsafeBytes { bytes -> [UInt8]? in
      var reader = WireReader(bytes)
      guard let loaded = try? ModuleDescription.read(&reader, path: "/plugin", headers: Headers()) else { return nil }
      var writer = WireWriter()
      ModuleDescription.write(loaded, to: &writer)
      return writer.bytes
    }
    expect(again == written, "a module is not read as it was written")
  }
}
