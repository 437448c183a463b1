import MediaCore
import MediaRTP

@testable import MediaTransport

/// What a member's machine sends to the host of a room. What was read can be written, and reads as the same again.
enum HubRequests: FuzzTarget {
  static let name = "hub_request"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    let request = try HubRequest(parsing: bytes)
    let frame = HubConnection.frame { request.write(to: &$0) }
    let again = try? frame.withUnsafeBytes { try HubRequest(parsing: UnsafeRawBufferPointer(rebasing: $0.dropFirst(2))) }
    expect(again.map { again in HubConnection.frame { again.write(to: &$0) } } == frame, "a request is not read as it was written")
  }
}

/// The other direction.
enum HubNotices: FuzzTarget {
  static let name = "hub_notice"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    let notice = try HubNotice(parsing: bytes)
    let frame = HubConnection.frame { notice.write(to: &$0) }
    let again = try? frame.withUnsafeBytes { try HubNotice(parsing: UnsafeRawBufferPointer(rebasing: $0.dropFirst(2))) }
    expect(again.map { again in HubConnection.frame { again.write(to: &$0) } } == frame, "a notice is not read as it was written")
  }
}
