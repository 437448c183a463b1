import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaTLS

/// Opens a loopback room of this process to the network: whoever connects to it over TLS and is let in by the room is a member like any other.
/// Nothing is decoded or encoded here; what is encoded passes as it is, over SRTP, and raw streams stay within the process.
public final class HubServer: Sendable {
  /// What `HubServer.init` is given; it refuses what is out of range.
  public struct Options: Sendable {
    /// Where it is reached: for one address of IPv4 and one of IPv6, two. A port of 0 lets the kernel choose one, the same for all that have 0.
    public var addresses: [SocketAddress] = []
    /// nil: one is made.
    public var certificate: TLSCertificate?
    /// Over the network, beside those of the process; the room's own capacity counts them all.
    public var mostMembers = 64
    /// What is sent to one member.
    public var bitrates = BandwidthEstimator.Limits(start: 1_000_000)
    /// Of strangers, and as many more of those who come from the addresses of members.
    public var handshakes = HubTable.handshakes
    /// Told of who comes and goes, on threads of the hub's, where nothing is locked.
    public var watch: (@Sendable (HubChange) -> Void)?

    /// One to eight addresses; everything else has its default.
    public init(_ addresses: [SocketAddress]) {
      self.addresses = addresses
    }
  }

  private let table: HubTable
  private let doors: [HubListener]
  private let certificate: TLSCertificate

  /// Opens the room of that name; it listens on all addresses when this returns. `.invalid` for a name that has not 1 to 255 bytes, and for
  /// none or more than eight addresses; `.range` for a member limit out of 1...1000; else the error of binding or of making a certificate.
  public init(room: String, options: Options, loop: EventLoop, thread: any DriverLoop, network: any Network = SystemNetwork.shared)
    throws(MediaError)
  {
    guard (1...HubWire.longestName).contains(room.utf8.count) else {
      throw MediaError(.invalid, "the hub's room has a name of \(room.utf8.count) bytes; accepted: 1..\(HubWire.longestName)")
    }
    guard (1...8).contains(options.addresses.count) else {
      throw MediaError(.invalid, "the hub has \(options.addresses.count) addresses; accepted: 1..8")
    }
    guard (1...1000).contains(options.mostMembers) else {
      throw MediaError(.range, "the hub's member limit is \(options.mostMembers); accepted: 1..1000")
    }
    if let given = options.certificate { certificate = given } else { certificate = try TLSCertificate.make() }
    table = HubTable(room, options, thread, network, loop)
    doors = try HubServer.makeDoors(options.addresses, certificate, table)
    do throws(MediaError) {
      for door in doors { try door.open() }
    } catch {
      for door in doors { door.end() }
      throw error
    }
  }

  private static let mostTries = 16

  /// What is free at the first address may be taken at another.
  private static func makeDoors(_ addresses: [SocketAddress], _ certificate: TLSCertificate, _ table: HubTable) throws(MediaError)
    -> [HubListener]
  {
    var triesLeft = addresses.count { $0.port == 0 } > 1 ? mostTries : 1
    while true {
      triesLeft -= 1
      var doors: [HubListener] = []
      var chosen: UInt16 = 0
      do throws(MediaError) {
        for address in addresses {
          let door = try HubListener(address.port == 0 ? address.with(port: chosen) : address, certificate, table)
          if address.port == 0 { chosen = door.address.port }
          doors.append(door)
        }
        return doors
      } catch {
        if triesLeft == 0 { throw error }
      }
    }
  }

  deinit {
    close()
  }

  /// Where it is reached, ports included; as many as were asked for.
  public var addresses: [SocketAddress] { doors.map(\.address) }
  /// Of the first address: TCP and UDP.
  public var port: UInt16 { doors.first?.address.port ?? 0 }
  /// What members check, "AA:BB:…".
  public var fingerprint: String { "\(certificate.fingerprint)" }
  /// Over the network, those who are away for a moment included, and those who wait for the room's answer not.
  public var memberCount: Int { table.memberCount }
  /// Datagrams of nobody who is here.
  public var foreignPackets: UInt64 { table.foreign }
  var guestCount: Int { table.guestCount }
  var waitingCount: Int { table.waitingCount }
  var farewellCount: Int { table.farewellCount }
  var peers: [HubPeer] { table.all }

  /// Nobody comes in any more; who is here stays.
  func closeDoors() {
    for door in doors { door.close() }
  }

  /// Puts everybody from the network out, with words, and lets nobody in. The room stays as it is to the members of this process.
  public func close() {
    closeDoors()
    table.close()
    for door in doors { door.end() }
  }
}
