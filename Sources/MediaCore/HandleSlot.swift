/// The handle of one object, made when the C face first asks for it. While it is live the table keeps the object.
public final class HandleSlot: Sendable {
  private enum State {
    case none
    case live(OpaquePointer)
    case ended
  }

  private struct Held: @unchecked Sendable {
    var state = State.none
  }

  private let kind: HandleKind
  private let held = Monitor(Held())

  public init(_ kind: HandleKind) {
    self.kind = kind
  }

  /// nil when the object has ended, or there is no room for one more.
  public func handle(of object: AnyObject & Sendable) -> OpaquePointer? {
    held.withLock { held in
      switch held.state {
      case .live(let handle): return handle
      case .ended: return nil
      case .none:
        guard let handle = HandleTable.shared.insert(object, kind) else { return nil }
        held.state = .live(handle)
        return handle
      }
    }
  }

  /// From now on the handle finds nothing.
  public func end() {
    let handle: OpaquePointer? = held.withLock { held in
      defer { held.state = .ended }
      if case .live(let handle) = held.state { return handle }
      return nil
    }
    if let handle { HandleTable.shared.remove(handle, kind) }
  }
}
