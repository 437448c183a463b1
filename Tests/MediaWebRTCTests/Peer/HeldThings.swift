/// How many elements all collections have that are reached from an object, and which have most: what grows by and by is among them.
struct HeldThings: CustomStringConvertible {
  private(set) var count = 0
  /// By the path of names that leads to them, without places in collections.
  private(set) var collections: [String: Int] = [:]

  init(of root: AnyObject) {
    var seen: Set<ObjectIdentifier> = []
    var open: [(value: Any, path: String)] = [(root, "\(type(of: root))")]
    while let (value, path) = open.popLast() {
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .class {
        guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { continue }
      }
      let isCollection = mirror.displayStyle == .collection || mirror.displayStyle == .set || mirror.displayStyle == .dictionary
      if isCollection {
        count += mirror.children.count
        collections[path, default: 0] += mirror.children.count
        // Bytes and numbers lead nowhere.
        if value is [UInt8] || value is [Int64] || value is [Int] { continue }
      }
      var level: Mirror? = mirror
      while let here = level {
        for child in here.children { open.append((child.value, isCollection ? path : "\(path).\(child.label ?? "")")) }
        level = here.superclassMirror
      }
    }
  }

  /// What has more than it had then.
  func growth(since before: HeldThings) -> [String] {
    collections.filter { $0.value > before.collections[$0.key] ?? 0 }.map { "\($0.key): \(before.collections[$0.key] ?? 0) to \($0.value)" }
      .sorted()
  }

  var description: String { "\(count) in \(collections.count) collections" }
}
