import CUSRSCTP
import MediaCore

/// The stack of libusrsctp, of which a process has one. Each association has its own time, timers and random bytes (CUSRSCTP), but tables
/// and statistics are of the process. So this has the one lock of a room that is pure otherwise: any thread may call, and one at a time is
/// in the library. Of what is foreign only the generator of random bytes runs under the lock, which is held for as long as a packet takes.
final class SCTPStack: Sendable {
  static let shared = SCTPStack()

  /// Each association has a number, which stands for the address of both ends. They are used again, since the library keeps them forever.
  private struct Addresses {
    var free: [UInt32] = []
    var highest: UInt32 = 0
  }
  private let addresses = Monitor(Addresses())

  private init() {
    cusrsctp_start(
      { owner, packet, size in
        guard let owner, let packet else { return }
        Unmanaged<SCTPHost>.fromOpaque(owner).takeUnretainedValue().append(UnsafeRawBufferPointer(start: packet, count: size))
      },
      { owner, memory, size in
        guard let owner, let memory else { return }
        Unmanaged<SCTPHost>.fromOpaque(owner).takeUnretainedValue().fill(UnsafeMutableRawBufferPointer(start: memory, count: size))
      })
  }

  /// `body` calls the library, for that association, at that time.
  func enter<Result>(_ context: OpaquePointer, now: Int64, _ body: () -> Result) -> Result {
    addresses.withLock { _ in
      cusrsctp_enter(context, now)
      defer { cusrsctp_leave() }
      return body()
    }
  }

  /// An address that no other association has.
  func takeAddress() -> UInt32 {
    addresses.withLock { addresses in
      if let address = addresses.free.popLast() { return address }
      addresses.highest += 1
      cusrsctp_register_address(addresses.highest)
      return addresses.highest
    }
  }

  func giveBack(_ address: UInt32) {
    addresses.withLock { $0.free.append(address) }
  }
}
