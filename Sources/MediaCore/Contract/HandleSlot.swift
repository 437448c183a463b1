/// The handle of one object, made when the C face first asks for it. While it is live the table keeps the object.
public final class HandleSlot: Sendable {
  private enum State {
    case none
    case live(OpaquePointer)
    /// With what it was, once it is known.
    case ended(OpaquePointer?)
  }

  private struct Held: @unchecked Sendable {
    var state = State.none
  }

  private let kind: HandleKind
  private let held = Monitor(Held())

  /// For an object of that kind; no handle is made yet.
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

  /// For what names an object that may have ended: the handle, or else what it was or would have been. That finds nothing, and no other
  /// object gets it.
  public func name(of object: AnyObject & Sendable) -> OpaquePointer? {
    if let handle = handle(of: object) { return handle }
    return held.withLock { held in
      guard case .ended(let former) = held.state else { return nil }
      if let former { return former }
      let handle = HandleTable.shared.insert(object, kind)
      HandleTable.shared.remove(handle, kind)
      held.state = .ended(handle)
      return handle
    }
  }

  /// From now on the handle finds nothing.
  public func end() {
    let handle: OpaquePointer? = held.withLock { held in
      switch held.state {
      case .live(let handle):
        held.state = .ended(handle)
        return handle
      case .none: held.state = .ended(nil)
      case .ended: break
      }
      return nil
    }
    if let handle { HandleTable.shared.remove(handle, kind) }
  }
}
