/// Who has left a room, of whom a client does not know it yet: what they have sent is to come first. A plain value.
struct Partings {
  struct One {
    let userID: String
    /// Of their data.
    let mark: UInt64
    /// When the client is told whatever has come.
    let end: Int64
  }

  /// Nanoseconds for which the client may be sent data of somebody who has left, and between looks at it.
  static let patience: Int64 = 5_000_000_000
  static let step: Int64 = 10_000_000

  /// In the order in which they left.
  private(set) var all: [One] = []

  /// Whether it is the only one.
  mutating func add(_ userID: String, mark: UInt64, now: Int64) -> Bool {
    all.append(One(userID: userID, mark: mark, end: now &+ Partings.patience))
    return all.count == 1
  }

  /// Whether the client did not know it.
  mutating func remove(_ userID: String) -> Bool {
    let count = all.count
    all.removeAll { $0.userID == userID }
    return all.count < count
  }
}
