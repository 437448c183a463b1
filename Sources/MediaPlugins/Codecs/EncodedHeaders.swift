import CMediaSDK
import MediaCodecs
import MediaCore

/// Reads headers of encoded data in another process: those of classes whose code is not in this one, and what an isolated decoder is to decode.
package protocol EncodedHeaders: AnyObject, Sendable {
  /// The plugin's own result; throws when its process could not tell.
  func parseVideo(
    _ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_encoded_header
  ) throws(MediaError) -> msdk_result
  func parseAudio(
    _ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_packet_header
  ) throws(MediaError) -> msdk_result
}

/// What an isolated class says of its instances.
package protocol InstanceHeaders {
  /// Who reads headers in the process of that instance.
  func headers(of plugin: OpaquePointer) -> (any EncodedHeaders)?
}

extension PluginInstance {
  /// Who reads headers for it, where its code is in another process.
  var headers: (any EncodedHeaders)? {
    guard let isolation = descriptor.isolation as? any InstanceHeaders else { return nil }
    return isolation.headers(of: plugin)
  }
}
