import Synchronization

/// An immutable object that is read for every frame and seldom replaced. Reading takes no lock and counts no reference: a
/// reader only says that they are there. What was replaced is let go of when nobody is there any more, by whoever replaced
/// it or by the last reader. Any thread may call all of it, from inside `read` too.
public final class Snapshot<Value: AnyObject & Sendable>: Sendable {
  private let current: Atomic<UInt>
  private let readers = Atomic<Int>(0)
  /// What was replaced while somebody read. An array, whose last references are dropped where nothing is locked.
  private let retired = Monitor<[Value]>([])
  private let hasRetired = Atomic<Bool>(false)

  /// With the first object, of which a reference is kept until it is replaced.
  public init(_ value: Value) {
    current = Atomic(Snapshot.address(value))
  }

  deinit {
    Unmanaged<Value>.fromOpaque(Snapshot.pointer(current.load(ordering: .acquiring))).release()
  }

  /// The object of this moment, which lives until `body` returns.
  @inline(__always)
  public func read<Result>(_ body: (Value) -> Result) -> Result {
    readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer {
      let left = readers.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
      if left == 0, hasRetired.load(ordering: .sequentiallyConsistent) { sweep() }
    }
    let value = Unmanaged<Value>.fromOpaque(Snapshot.pointer(current.load(ordering: .sequentiallyConsistent)))
    return value._withUnsafeGuaranteedRef(body)
  }

  /// Readers that come from now on find the new one.
  public func replace(with value: Value) {
    let former = current.exchange(Snapshot.address(value), ordering: .sequentiallyConsistent)
    retired.withLock { $0.append(Unmanaged<Value>.fromOpaque(Snapshot.pointer(former)).takeRetainedValue()) }
    hasRetired.store(true, ordering: .sequentiallyConsistent)
    sweep()
  }

  /// Whoever reads now may have found what was replaced before: then the last of them comes here again.
  private func sweep() {
    let left: [Value] = retired.withLock { retired in
      guard readers.load(ordering: .sequentiallyConsistent) == 0 else { return [] }
      hasRetired.store(false, ordering: .sequentiallyConsistent)
      defer { retired = [] }
      return retired
    }
    withExtendedLifetime(left) {}
  }

  private static func address(_ value: Value) -> UInt { UInt(bitPattern: Unmanaged.passRetained(value).toOpaque()) }

  @inline(__always)
  private static func pointer(_ address: UInt) -> UnsafeRawPointer {
    // Never 0: it is an object's.
    UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped
  }
}
