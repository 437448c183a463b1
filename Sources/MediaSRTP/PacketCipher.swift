import COpenSSL
import MediaCore

/// Protects packets of either kind with session keys: what is in front stays readable, what follows is encrypted, a tag proves both.
final class PacketCipher {
  private let profile: SRTPProfile
  private let cipher: CipherContext
  private let authentication: OpaquePointer?
  private let salt: [UInt8]

  init(_ keys: SessionKeys, _ profile: SRTPProfile) throws(MediaError) {
    self.profile = profile
    salt = keys.salt
    switch profile {
    case .aesCounterSHA1:
      cipher = try CipherContext(EVP_aes_128_ctr(), key: keys.cipher)
      authentication = copenssl_hmac_sha1(keys.authentication, keys.authentication.count)
      guard authentication != nil else { throw CipherContext.failure }
    case .aesGCM, .aesGCM256:
      cipher = try CipherContext(gcm: keys.cipher)
      authentication = nil
    }
  }

  deinit {
    EVP_MAC_CTX_free(authentication)
  }

  /// Sixteen bytes of counter mode (RFC 3711, section 4.1.1), the first twelve for GCM (RFC 7714, sections 8.1 and 9.1).
  private func withInitial<R>(_ ssrc: UInt32, _ index: Int64, isControl: Bool, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { vector in
      for place in 0..<16 { vector[place] = place < salt.count ? salt[place] : 0 }
      func mix(_ value: UInt64, _ size: Int, at offset: Int) {
        for byte in 0..<size { vector[offset + byte] ^= UInt8(truncatingIfNeeded: value >> UInt64((size - 1 - byte) * 8)) }
      }
      switch profile {
      case .aesCounterSHA1:
        mix(UInt64(ssrc), 4, at: 4)
        mix(UInt64(bitPattern: index), 6, at: 8)
      case .aesGCM, .aesGCM256:
        mix(UInt64(ssrc), 4, at: 2)
        if isControl { mix(UInt64(bitPattern: index), 4, at: 8) } else { mix(UInt64(bitPattern: index), 6, at: 6) }
      }
      return body(UnsafeRawBufferPointer(vector))
    }
  }

  struct Place {
    let ssrc: UInt32
    let index: Int64
    let isControl: Bool
  }

  /// Encrypts `text` and writes the tag after it. `front` is authenticated with it, and so is `trailer`: the word of the index (RTCP), or the
  /// roll-over counter, which is not sent (RTP with HMAC). GCM authenticates the trailer of RTCP only.
  func seal(
    _ place: Place, front: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    tag: UnsafeMutableRawBufferPointer, trailer: UnsafeRawBufferPointer
  ) -> Bool {
    withInitial(place.ssrc, place.index, isControl: place.isControl) { initial in
      switch profile {
      case .aesCounterSHA1:
        guard cipher.crypt(text, into: output, initial: initial) else { return false }
        return authenticate(front, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output).prefix(text.count)), trailer, into: tag)
      case .aesGCM, .aesGCM256:
        return cipher.sealGCM(text, into: output, tag: tag, nonce: initial, authenticating: front, place.isControl ? trailer : nil)
      }
    }
  }

  /// The reverse; false when it is not authentic, and then nothing that was written may be looked at.
  func open(
    _ place: Place, front: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    tag: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer
  ) -> Bool {
    guard tag.count == profile.tagSize, let tagBase = tag.baseAddress else { return false }
    return withInitial(place.ssrc, place.index, isControl: place.isControl) { initial in
      switch profile {
      case .aesCounterSHA1:
        // Before anything is decrypted.
        let isAuthentic = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { expected in
          authenticate(front, text, trailer, into: UnsafeMutableRawBufferPointer(rebasing: expected.prefix(profile.tagSize)))
            && CRYPTO_memcmp(expected.baseAddress, tagBase, profile.tagSize) == 0
        }
        return isAuthentic && cipher.crypt(text, into: output, initial: initial)
      case .aesGCM, .aesGCM256:
        return cipher.openGCM(text, into: output, tag: tag, nonce: initial, authenticating: front, place.isControl ? trailer : nil)
      }
    }
  }

  // MARK: HMAC

  private func authenticate(
    _ front: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, _ trailer: UnsafeRawBufferPointer,
    into tag: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard EVP_MAC_init(authentication, nil, 0, nil) == 1 else { return false }
    for part in [front, text, trailer] where !part.isEmpty {
      guard EVP_MAC_update(authentication, part.assumingMemoryBound(to: UInt8.self).baseAddress, part.count) == 1 else { return false }
    }
    return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { full in
      var size = 0
      guard EVP_MAC_final(authentication, full.assumingMemoryBound(to: UInt8.self).baseAddress, &size, full.count) == 1, size >= tag.count
      else { return false }
      tag.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(full).prefix(tag.count)))
      return true
    }
  }
}
