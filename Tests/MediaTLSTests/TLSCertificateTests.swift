import COpenSSL
import Glibc
import MediaCore
import Testing

@testable import MediaTLS

@Suite struct TLSCertificateTests {
  private func refusal(_ body: () throws -> Void) -> MediaError? {
    do {
      try body()
      return nil
    } catch {
      return error as? MediaError
    }
  }

  /// A file that is gone with the test.
  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    var path = Array("/tmp/mediatls.XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    try #require(descriptor >= 0)
    let name = path.withUnsafeBufferPointer { String(decoding: $0.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    defer { unlink(name) }
    let bytes = Array(text.utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    try body(name)
  }

  private func text(_ body: (OpaquePointer?) -> Int32) -> String {
    let memory = BIO_new(BIO_s_mem())
    defer { BIO_free(memory) }
    _ = body(memory)
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = BIO_read(memory, &bytes, 8192)
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
  }

  @Test func eachOneMadeIsAnother() throws {
    let (one, other) = (try TLSCertificate.make(), try TLSCertificate.make())
    #expect(one.fingerprint != other.fingerprint)
    #expect("\(one.fingerprint)".count == 95)
    #expect(X509_verify(one.certificate, one.key) == 1)
    #expect(X509_verify(one.certificate, other.key) != 1)
    ERR_clear_error()
  }

  @Test func itIsTheSameFromFiles() throws {
    let (made, other) = (try TLSCertificate.make(), try TLSCertificate.make())
    let certificate = text { PEM_write_bio_X509($0, made.certificate) }
    let key = text { PEM_write_bio_PrivateKey($0, made.key, nil, nil, 0, nil, nil) }
    let otherKey = text { PEM_write_bio_PrivateKey($0, other.key, nil, nil, 0, nil, nil) }
    try withFile(certificate) { path in
      try withFile(key) { keyPath in
        let loaded = try TLSCertificate.load(certificate: path, key: keyPath)
        #expect(loaded.fingerprint == made.fingerprint)
      }
      try withFile(otherKey) { keyPath in
        #expect(
          refusal { _ = try TLSCertificate.load(certificate: path, key: keyPath) }?.text.contains("does not match the certificate") == true)
      }
      #expect(refusal { _ = try TLSCertificate.load(certificate: path, key: path) }?.text.contains("holds no key") == true)
      // Who trusts the authority, which here is itself, needs the address to be in the certificate.
      _ = try TLSMachine(client: .authorities(file: path, host: "127.0.0.1"))
    }
    #expect(refusal { _ = try TLSCertificate.load(certificate: "/nowhere", key: "/nowhere") }?.status == .notFound)
    #expect(refusal { _ = try TLSMachine(client: .authorities(file: "/nowhere", host: "::1")) }?.status == .invalid)
  }

  @Test func fingerprintsAreReadAsTheyAreWritten() throws {
    let fingerprint = try TLSCertificate.make().fingerprint
    let text = "\(fingerprint)"
    #expect(try TLSFingerprint(text, argument: "it") == fingerprint)
    #expect(try TLSFingerprint(text.lowercased(), argument: "it") == fingerprint)
    #expect(try TLSFingerprint(text.replacing(":", with: ""), argument: "it") == fingerprint)
    for wrong in [
      "", "AA", text.dropLast() + "G", text.dropFirst() + ":", text + "A", text.replacing(":", with: "-"), ":" + text.dropFirst()
    ] {
      #expect(refusal { _ = try TLSFingerprint(wrong, argument: "it") }?.text.hasPrefix("it is ") == true, "\(wrong)")
    }
  }
}
