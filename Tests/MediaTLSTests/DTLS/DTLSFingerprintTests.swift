import MediaCore
import Testing

@testable import MediaTLS

@Suite struct DTLSFingerprintTests {
  private func refusal(_ fingerprints: [DTLSFingerprint]) -> MediaError? {
    do throws(MediaError) { _ = try DTLSFingerprint.strongest(of: fingerprints) } catch { return error }
    return nil
  }

  @Test func theStrongestAreChosen() throws {
    let weak = DTLSFingerprint("sha-256", [UInt8](repeating: 1, count: 32))
    let middle = DTLSFingerprint("SHA-384", [UInt8](repeating: 1, count: 48))
    let other = DTLSFingerprint("sha-384", [UInt8](repeating: 2, count: 48))
    #expect(try DTLSFingerprint.strongest(of: [weak, middle, other]) == [middle, other])
    #expect(try DTLSFingerprint.strongest(of: [weak]) == [weak])
    #expect("\(DTLSFingerprint("SHA-1", [0, 10, 255]))" == "sha-1 00:0A:FF")
  }

  @Test func whatCannotBeComparedIsRefused() {
    #expect(refusal([])?.text == "the fingerprints of the other end are none; accepted: by sha-256, sha-384, sha-512")
    let sha1 = DTLSFingerprint("sha-1", [UInt8](repeating: 1, count: 20))
    #expect(refusal([sha1, DTLSFingerprint("md5", [])])?.text.contains("are by sha-1, md5; accepted") == true)
    #expect(refusal([sha1])?.status == .unsupported)
    let short = DTLSFingerprint("sha-256", [1, 2])
    #expect(refusal([short])?.text == "the fingerprint \"sha-256 01:02\" has 2 bytes; accepted: 32 of sha-256")
  }
}
