import CMediaSDK
import MediaCore
import MediaPlugins

/// Commands, checked and called as the core does it.
extension HostedInstance {
  func call(
    _ name: String, _ values: UnsafeBufferPointer<msdk_value>, _ me: OpaquePointer, _ out: UnsafeMutablePointer<msdk_value>
  ) throws(MediaError) -> msdk_result {
    let command = try twin.command(name)
    var given: [ParameterValue] = []
    for value in values { given.append(try ParameterValue(foreign: value, argument: "an argument of \(name)")) }
    switch try command.run(me, command.check(given), { ($0(), nil) }) {
    case .failed(let result, _): return result
    case .broken(let error): throw error
    case .answer(let value):
      out.pointee = msdk_value()
      guard let value else { return msdk_result(MSDK_OK) }
      if value.type == .string || value.type == .bytes {
        throw MediaError(.unsupported, "\(name) gives a text or bytes, which no test asks for")
      }
      value.withForeign { out.pointee = $0.pointee }
      return msdk_result(MSDK_OK)
    }
  }
}
