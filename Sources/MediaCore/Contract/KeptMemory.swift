/// Memory for as long as the process lives, as a plugin's tables are; listed, so that it is never taken for lost.
package enum KeptMemory {
  private static let all = Monitor<[UnsafeMutableRawPointer]>([])

  package static func copy<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
    let memory = UnsafeMutablePointer<T>.allocate(capacity: max(1, values.count))
    memory.initialize(from: values, count: values.count)
    all.withLock { $0.append(UnsafeMutableRawPointer(memory)) }
    return memory
  }
}

extension StaticString {
  /// For C, for as long as the process lives.
  package var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
