import MediaCore
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct IsolationTests {
  @Test func globsNameClassesAndFiles() {
    let isolation = Isolation(globs: ["org.example.*", "camera?.so"], program: nil)
    #expect(isolation.names("org.example.blur"))
    #expect(isolation.names("camera2.so"))
    #expect(!isolation.names("org.other.blur"))
    #expect(!Isolation(globs: [], program: nil).names(""))
  }

  @Test func withoutGlobsNothingIsLookedAt() throws {
    #expect(try Isolation(globs: [], program: "/bin/false").describe("/nonexistent") == nil)
  }
}
