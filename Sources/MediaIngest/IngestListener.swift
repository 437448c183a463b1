import MediaCore
import MediaNetwork

/// Where feeders of a local ingest connect: a port of 127.0.0.1, or a socket in the file system. Closed with its last reference.
struct IngestListener {
  let port: any StreamPort
  let isUnix: Bool

  /// What has left the feeder must not wait here: a frame that is not read yet keeps the feeder from sending the next one.
  private static let receiveBuffer = 262_144

  /// 0: any port that is free.
  init(port number: UInt16, of network: any Network) throws(MediaError) {
    let what = "port \(number) of 127.0.0.1"
    guard let address = SocketAddress("127.0.0.1", port: number) else { throw MediaError(.io, what) }
    do throws(MediaError) {
      port = try network.listen(at: address, receiveBuffer: IngestListener.receiveBuffer)
    } catch {
      switch error.status {
      case .exists: throw MediaError(.exists, "\(what) is in use; accepted: one without a listener")
      case .permission: throw MediaError(.permission, "\(what) is not permitted")
      case .noMemory: throw MediaError(.noMemory, "out of file descriptors for \(what)")
      default: throw error
      }
    }
    isUnix = false
  }

  init(path: String) throws(MediaError) {
    port = try IngestUnixPort(path: path)
    isUnix = true
  }

  var number: UInt32 { UInt32(port.localAddress?.port ?? 0) }
}
