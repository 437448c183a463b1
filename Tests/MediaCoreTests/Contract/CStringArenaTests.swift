import Glibc
import Testing

@testable import MediaCore

@Suite struct CStringArenaTests {
  @Test func oneTextIsOneString() throws {
    let arena = CStringArena()
    let first = try #require(arena.string("größe"))
    #expect(String(cString: first) == "größe")
    #expect(arena.string("größe") == first)
    #expect(arena.string("other") != first)
  }

  @Test func listsEndWithNull() {
    let arena = CStringArena()
    let list = arena.list(["a", "b"])
    #expect(list[0] == arena.string("a"))
    #expect(list[1] == arena.string("b"))
    #expect(list[2] == nil)
    #expect(arena.list(["a", "b"]) == list)
    #expect(arena.list([])[0] == nil)
  }
}
