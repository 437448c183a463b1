import MediaCore
import Testing

@Suite struct KeyOrderTests {
  @Test func elementsComeByTheirKeys() {
    let some = ["b": 2, "c": 1, "a": 3]
    #expect(some.inKeyOrder.map(\.key) == ["a", "b", "c"] && some.inKeyOrder.map(\.value) == [3, 2, 1])
    // An element that is nil is one.
    let unset: [Int: Int?] = [2: nil, 1: 1]
    #expect(unset.inKeyOrder.map(\.value) == [1, nil])
    #expect([Int: Int]().inKeyOrder.isEmpty)
  }
}
