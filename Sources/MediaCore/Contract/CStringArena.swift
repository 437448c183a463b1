import Glibc

/// C strings that live as long as the arena, each made once.
public final class CStringArena: Sendable {
  fileprivate struct State {
    var strings: [String: UnsafeMutablePointer<CChar>] = [:]
    var lists: [[String]: UnsafeMutablePointer<UnsafePointer<CChar>?>] = [:]
  }

  private struct Held: @unchecked Sendable {
    var state = State()
  }

  private let held = Monitor(Held())

  /// Without strings.
  public init() {}

  /// The string with a NUL at its end, the same pointer for equal texts; nil when memory has run out. Any thread may call it.
  public func string(_ text: String) -> UnsafePointer<CChar>? {
    held.withLock { held in UnsafePointer(held.state.string(text)) }
  }

  /// A list that ends with NULL.
  public func list(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?> {
    held.withLock { held in
      if let list = held.state.lists[texts] { return UnsafePointer(list) }
      let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
      for (index, text) in texts.enumerated() { (list + index).initialize(to: UnsafePointer(held.state.string(text))) }
      (list + texts.count).initialize(to: nil)
      held.state.lists[texts] = list
      return UnsafePointer(list)
    }
  }

  deinit {
    held.withLock { held in
      for string in held.state.strings.values { free(string) }
      for list in held.state.lists.values { list.deallocate() }
    }
  }
}

extension CStringArena.State {
  fileprivate mutating func string(_ text: String) -> UnsafeMutablePointer<CChar>? {
    if let string = strings[text] { return string }
    let string = strdup(text)
    strings[text] = string
    return string
  }
}
