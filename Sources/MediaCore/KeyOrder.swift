extension Dictionary where Key: Comparable {
  /// By their keys, which are what is sorted: sorting elements is compiled anew for each type of them.
  package var inKeyOrder: [(key: Key, value: Value)] { keys.sorted().compactMap { key in self[key].map { (key, $0) } } }
}
