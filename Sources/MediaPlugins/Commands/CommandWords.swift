import CMediaSDK
import Glibc
import MediaCore

/// What a plugin says with set_error while a thread is inside one of its commands. Thread-safe commands run beside other calls to the
/// instance, whose words are not to be mixed up with theirs.
final class CommandWords {
  private var context: ObjectIdentifier?
  private var said: MediaError?

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { pointer in
      if let pointer { Unmanaged<CommandWords>.fromOpaque(pointer).release() }
    }
    return key
  }()

  private static var current: CommandWords? {
    pthread_getspecific(key).map { Unmanaged<CommandWords>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs a command and gives what was said on this thread meanwhile. Commands may be nested: a callback of the program's may call one.
  static func collect(for context: PluginInstance.Context, _ body: () -> msdk_result) -> (msdk_result, MediaError?) {
    let words: CommandWords
    if let current {
      words = current
    } else {
      words = CommandWords()
      pthread_setspecific(key, Unmanaged.passRetained(words).toOpaque())
    }
    let outer = (words.context, words.said)
    words.context = ObjectIdentifier(context)
    words.said = nil
    let result = body()
    defer { (words.context, words.said) = outer }
    return (result, words.said)
  }

  /// Whether this thread is inside a command of the instance, to which the words then belong.
  fileprivate static func take(_ text: String, _ result: msdk_result, for context: PluginInstance.Context) -> Bool {
    guard let current, current.context == ObjectIdentifier(context) else { return false }
    current.said = MediaError(result < 0 ? Status(foreign: result) : .fail, text)
    return true
  }
}

extension PluginInstance.Context {
  /// The words for the error about to be returned.
  func say(_ text: String, _ result: msdk_result) {
    if !CommandWords.take(text, result, for: self) { errorText.withLock { $0 = text } }
  }
}
