import COpenSSL
import MediaCore
import Testing

@testable import MediaTLS

/// Who is let in, in both roles.
@Suite struct DTLSTrustTests {
  private let other = DTLSFingerprint("sha-256", [UInt8](repeating: 0xAB, count: 32))

  /// The end that refuses, and the one that is refused.
  private func check(_ talk: DTLSTalk, refuses end: Int, _ text: [String]) {
    talk.run()
    #expect(talk.error(of: end)?.status == .untrusted)
    for part in text { #expect(talk.error(of: end)?.text.contains(part) == true, "\(String(describing: talk.error(of: end)))") }
    #expect(talk.ends.allSatisfy { $0.srtp == nil } && talk.opened[end] == nil)
    // It is notified by a fatal alert, and fails well before it would for want of an answer.
    #expect(talk.sent[end].contains { $0.bytes.suffix(15).starts(with: [21, 254, 253]) && $0.bytes.suffix(2) == [2, 42] })
    #expect(talk.error(of: 1 - end)?.status == .io)
    #expect(talk.error(of: 1 - end)?.text.contains("bad certificate") == true)
    #expect(talk.ends.allSatisfy { $0.poll(now: .max) == .max })
  }

  @Test(arguments: [0, 1]) func anotherFingerprintIsRefused(by end: Int) throws {
    let talk = try DTLSTalk(clientExpects: end == 0 ? [other] : nil, serverExpects: end == 1 ? [other] : nil)
    let shown = DTLSFingerprint(of: try #require(DTLSTalk.certificates[1 - end]))
    check(talk, refuses: end, ["\(shown)", "expected: sha-256 AB:AB:"])
  }

  @Test(arguments: [0, 1]) func aByteOfDifferenceIsEnough(end: Int) throws {
    let shown = DTLSFingerprint(of: try #require(DTLSTalk.certificates[1 - end]))
    for place in [0, 15, 31] {
      var bytes = shown.bytes
      bytes[place] ^= 1
      let near = [DTLSFingerprint("sha-256", bytes)]
      check(try DTLSTalk(clientExpects: end == 0 ? near : nil, serverExpects: end == 1 ? near : nil), refuses: end, ["\(near[0])"])
    }
  }

  @Test func aClientWithoutACertificateIsRefused() throws {
    let talk = try DTLSTalk()
    talk.client.hideCertificate()
    talk.run()
    #expect(talk.error(of: DTLSTalk.server)?.status == .untrusted)
    #expect(talk.error(of: DTLSTalk.server)?.text.contains("showed no certificate; expected: sha-256") == true)
    #expect(talk.error(of: DTLSTalk.client)?.text.contains("handshake failure") == true)
    #expect(talk.server.srtp == nil && talk.client.srtp == nil)
  }

  @Test(arguments: ["sha-256", "sha-384", "sha-512", "SHA-256"]) func eachHashIsCompared(name: String) throws {
    func print(_ number: Int) throws -> DTLSFingerprint {
      let like = DTLSFingerprint(name, [UInt8](repeating: 0, count: (Int(name.suffix(3)) ?? 0) / 8))
      let certificate = try #require(DTLSTalk.certificates[number])
      return try #require(DTLSFingerprint(of: certificate.certificate, like: like))
    }
    // One of several is enough, and a hash that does not count does no harm.
    let sha1 = DTLSFingerprint("sha-1", [UInt8](repeating: 1, count: 20))
    let wrong = DTLSFingerprint(name, [UInt8](repeating: 1, count: try print(0).bytes.count))
    let talk = try DTLSTalk(clientExpects: [sha1, wrong, try print(1)], serverExpects: [try print(0)])
    talk.run()
    #expect(talk.isOpen)
    check(try DTLSTalk(clientExpects: [sha1, wrong]), refuses: 0, ["\(wrong)"])
  }

  /// Who could find another certificate with the same weak hash does not get in beside a strong one that differs.
  @Test func theStrongestHashCounts() throws {
    let right = DTLSFingerprint(of: try #require(DTLSTalk.certificates[1]))
    let wrong = DTLSFingerprint("sha-512", [UInt8](repeating: 1, count: 64))
    check(try DTLSTalk(clientExpects: [right, wrong]), refuses: 0, ["sha-512 01:01:"])
  }

  @Test func expiredCertificatesAndThoseOfRSAAreTaken() throws {
    let expired = try TLSCertificate.make(isExpired: true)
    let rsa = try TLSCertificate.make(rsa: 2048, isExpired: true)
    for (client, server) in [(expired, rsa), (rsa, expired)] {
      let talk = try DTLSTalk(client: client, server: server)
      talk.run()
      #expect(talk.isOpen && talk.client.srtp == talk.server.srtp && talk.client.srtp != nil)
    }
  }

  @Test func aWeakKeyIsRefused() throws {
    let weak = try weakCertificate()
    defer { X509_free(weak) }
    let print = try #require(DTLSFingerprint(of: weak, like: other))
    let link = DTLSLink(expecting: [print], timer: DTLSTimer(), now: 0)
    #expect(!link.judge(weak) && !link.isTrusted)
    #expect(link.refusal?.text.contains("80 bits; accepted: 112") == true)
  }

  /// OpenSSL refuses to show it, at this level of security.
  private func weakCertificate() throws -> OpaquePointer {
    let made = try TLSCertificate.make()
    let copy = withExtendedLifetime(made) { X509_dup(made.certificate) }
    let certificate = try #require(copy)
    var key: OpaquePointer?
    let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
    defer { EVP_PKEY_CTX_free(context) }
    #expect(
      EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1024) == 1 && EVP_PKEY_keygen(context, &key) == 1)
    #expect(X509_set_pubkey(certificate, key) == 1 && X509_sign(certificate, key, EVP_sha256()) > 0)
    EVP_PKEY_free(key)
    return certificate
  }

  @Test func withoutTheExtendedMasterSecretThereIsNoConnection() throws {
    let talk = try DTLSTalk()
    talk.server.forgetExtendedSecret()
    talk.run()
    #expect(talk.error(of: DTLSTalk.server)?.text.contains("RFC 7627") == true)
    #expect(talk.client.state != .open && talk.client.srtp == nil && talk.server.srtp == nil)
    #expect(talk.opened == [nil, nil])
  }

  /// Nothing that is not protected by authenticated encryption is spoken.
  @Test func weakSuitesAreRefused() throws {
    let talk = try DTLSTalk()
    #expect(talk.server.restrict(to: "AES128-GCM-SHA256:ECDHE-ECDSA-AES128-SHA"))
    talk.run()
    #expect(talk.error(of: DTLSTalk.server)?.text == "DTLS: the handshake failed: no shared cipher")
    #expect(talk.error(of: DTLSTalk.client)?.text.contains("handshake failure") == true)
  }
}
