/// Something that reads what others wrote. A trap, what the address sanitizer finds, a failed `expect`, an input that takes seconds and
/// memory without bound are findings; an error that is thrown is a refusal, as it should be.
package protocol FuzzTarget: SendableMetatype {
  static var name: String { get }
  /// One input. Nothing of it stays behind for the next.
  static func run(_ bytes: UnsafeRawBufferPointer) throws
}

package let fuzzTargets: [any FuzzTarget.Type] = [
  SRTPOpening.self, SealedFrames.self, SealedData.self, FrameTrailers.self, TLSRecords.self, TLSCertificateFiles.self,
  DTLSClientConversation.self,
  DTLSServerConversation.self,
  SCTPConversation.self,
  ICEConversation.self, JSEPConversation.self, SDPText.self, RTCPCompound.self, SessionReceive.self, PayloadHeaders.self,
  IsolationEvents.self, IsolationReplies.self, IsolationDescription.self,
  ElfHeaders.self, ScanCacheFile.self, ScanAnswers.self, ParameterJSON.self, URLText.self,
  IngestFeed.self,
  HTTPMessages.self, WebSocketFrames.self, WHIPConversation.self, JanusConversation.self, WebRequests.self,
  LiveKitMessages.self
]

/// A property that holds whatever the input is.
func expect(_ isTrue: @autoclosure () throws -> Bool, _ what: @autoclosure () -> String = "", line: Int = #line, file: String = #fileID) {
  let holds = (try? isTrue()) ?? false
  guard holds else { fatalError("a property does not hold: \(what()), \(file):\(line)") }
}
