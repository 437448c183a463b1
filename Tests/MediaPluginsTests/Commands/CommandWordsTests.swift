import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct CommandWordsTests {
  private let one = PluginInstance.Context { _, _ in }
  private let other = PluginInstance.Context { _, _ in }

  @Test func theyAreThoseOfTheCommandThatIsRunning() {
    let (result, said) = CommandWords.collect(for: one) {
      one.say("mine", -9)
      other.say("not mine", -10)
      return -4
    }
    #expect(result == -4)
    #expect(said == MediaError(.io, "mine"))
    #expect(one.errorText.withLock { $0 } == nil)
    #expect(other.errorText.withLock { $0 } == "not mine")
    one.say("later", -1)
    #expect(one.errorText.withLock { $0 } == "later")
    #expect(CommandWords.collect(for: one) { 0 }.1 == nil)
  }

  @Test func aCommandInsideAnotherHasItsOwn() {
    let (_, said) = CommandWords.collect(for: one) {
      one.say("outer", -9)
      let (_, inner) = CommandWords.collect(for: other) {
        other.say("inner", 5)
        return 0
      }
      #expect(inner == MediaError(.fail, "inner"))
      return -9
    }
    #expect(said?.text == "outer")
  }

  @Test func eachThreadHasItsOwn() {
    let (_, said) = CommandWords.collect(for: one) {
      OSThread { [one] in one.say("of a thread of the plugin", -9) }.join()
      return -9
    }
    #expect(said == nil)
    #expect(one.errorText.withLock { $0 } == "of a thread of the plugin")
  }
}
