/// Memory for samples between two steps: grows to what is needed and is then used again.
struct SampleScratch: ~Copyable {
  private var buffer = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)

  deinit { buffer.deallocate() }

  /// At least so many samples, contents unspecified; valid until it is taken again.
  mutating func take(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
    if buffer.count < count || buffer.baseAddress == nil {
      buffer.deallocate()
      buffer = .allocate(capacity: max(count, 64))
    }
    return buffer
  }
}
