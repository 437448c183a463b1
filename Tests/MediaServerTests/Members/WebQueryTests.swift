import Testing

@testable import MediaServer

@Suite struct WebQueryTests {
  @Test func valuesAreFound() {
    #expect(WebQuery.value("user", in: "user=alice&name=Alice") == "alice")
    #expect(WebQuery.value("name", in: "x=1&&name=Zo%C3%AB+B.&y") == "Zoë B.")
    #expect(WebQuery.value("name", in: "name=a=b") == "a=b")
  }

  @Test(arguments: ["", "user", "user=", "users=a", "user=%zz", "user=%00", "user=%ff", "=user"]) func othersAreNot(query: String) {
    #expect(WebQuery.value("user", in: query[...]) == nil)
  }
}
