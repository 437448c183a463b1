import COpenSSL
import MediaCore

/// A keyed cipher of OpenSSL's. One thread at a time.
package final class CipherContext {
  package static let failure = MediaError(.noMemory, "OpenSSL refused a cipher or had no memory for it")
  let context: OpaquePointer

  init(_ cipher: OpaquePointer?, key: [UInt8]) throws(MediaError) {
    guard let context = EVP_CIPHER_CTX_new() else { throw CipherContext.failure }
    self.context = context
    guard EVP_EncryptInit_ex(context, cipher, nil, key, nil) == 1 else { throw CipherContext.failure }
  }

  deinit {
    EVP_CIPHER_CTX_free(context)
  }

  /// Counter mode, the same in both directions; input and output may be the same memory.
  func crypt(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, initial counter: [UInt8]) -> Bool {
    counter.withUnsafeBytes { crypt(input, into: output, initial: $0) }
  }

  func crypt(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, initial counter: UnsafeRawBufferPointer) -> Bool {
    guard counter.count == 16, output.count >= input.count else { return false }
    guard EVP_EncryptInit_ex(context, nil, nil, nil, counter.assumingMemoryBound(to: UInt8.self).baseAddress) == 1 else { return false }
    guard !input.isEmpty else { return true }
    var size: Int32 = 0
    return EVP_EncryptUpdate(
      context, output.assumingMemoryBound(to: UInt8.self).baseAddress, &size, input.assumingMemoryBound(to: UInt8.self).baseAddress,
      Int32(clamping: input.count)) == 1
  }
}

// MARK: GCM

extension CipherContext {
  /// Bytes of what proves a message.
  package static let tagSize = 16

  /// For `sealGCM` and `openGCM`, by the size of the key: 16 or 32 bytes.
  package convenience init(gcm key: [UInt8]) throws(MediaError) {
    try self.init(key.count == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), key: key)
  }

  /// Encrypts `text`, and writes the tag of it and of what is authenticated with it. A nonce of twelve bytes is for one message of a key.
  package func sealGCM(
    _ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawBufferPointer,
    nonce: UnsafeRawBufferPointer, authenticating front: UnsafeRawBufferPointer, _ trailer: UnsafeRawBufferPointer? = nil
  ) -> Bool {
    guard begin(nonce, isEncryption: true, front, trailer), update(text, into: output), tag.count == CipherContext.tagSize else {
      return false
    }
    var size: Int32 = 0
    guard EVP_EncryptFinal_ex(context, tag.assumingMemoryBound(to: UInt8.self).baseAddress, &size) == 1 else { return false }
    return copenssl_gcm_get_tag(context, Int32(tag.count), tag.baseAddress) == 1
  }

  /// The reverse; false when it is not authentic, and then nothing that was written may be looked at.
  package func openGCM(
    _ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, tag: UnsafeRawBufferPointer, nonce: UnsafeRawBufferPointer,
    authenticating front: UnsafeRawBufferPointer, _ trailer: UnsafeRawBufferPointer? = nil
  ) -> Bool {
    guard tag.count == CipherContext.tagSize, begin(nonce, isEncryption: false, front, trailer), update(text, into: output),
      copenssl_gcm_set_tag(context, Int32(tag.count), tag.baseAddress) == 1
    else { return false }
    var (size, none): (Int32, UInt8) = (0, 0)
    return EVP_CipherFinal_ex(context, &none, &size) == 1
  }

  private func begin(
    _ nonce: UnsafeRawBufferPointer, isEncryption: Bool, _ front: UnsafeRawBufferPointer, _ trailer: UnsafeRawBufferPointer?
  ) -> Bool {
    let vector = nonce.assumingMemoryBound(to: UInt8.self).baseAddress
    guard EVP_CipherInit_ex(context, nil, nil, nil, vector, isEncryption ? 1 : 0) == 1, authenticate(front) else { return false }
    return trailer.map { authenticate($0) } ?? true
  }

  private func authenticate(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var size: Int32 = 0
    return bytes.isEmpty
      || EVP_CipherUpdate(context, nil, &size, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(clamping: bytes.count)) == 1
  }

  private func update(_ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
    guard output.count >= text.count else { return false }
    var size: Int32 = 0
    return text.isEmpty
      || EVP_CipherUpdate(
        context, output.assumingMemoryBound(to: UInt8.self).baseAddress, &size, text.assumingMemoryBound(to: UInt8.self).baseAddress,
        Int32(clamping: text.count)) == 1
  }
}
