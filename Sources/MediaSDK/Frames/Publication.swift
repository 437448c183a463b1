import MediaCore
import MediaTransport
import Synchronization

/// Where a stream goes while it is started: of one start and one codec. Made when the transport has published the stream.
final class Publication: Sendable {
  let session: Session
  let transport: any Transport
  let id: StreamID
  private let outlet: any MediaOutlet
  /// Of each layer but the best; none where there is one.
  private let smaller: [any MediaOutlet]
  private let over = Atomic<Bool>(false)

  init(session: Session, transport: any Transport, id: StreamID, layers: Int = 1) {
    (self.session, self.transport, self.id) = (session, transport, id)
    outlet = layers == 1 ? transport.outlet(of: id) : transport.outlet(of: id, layer: layers - 1)
    smaller = (0..<layers - 1).map { transport.outlet(of: id, layer: $0) }
  }

  /// The stream was stopped, or has gone over to a codec: it is not sent here any more. Who hands frames over looks at it
  /// without the stream's lock.
  var isOver: Bool { over.load(ordering: .acquiring) }

  /// Under the stream's lock.
  func end() {
    over.store(true, ordering: .releasing)
  }

  func send<Raw: RawFrame>(_ frame: StreamFrame<Raw>, _ number: FrameID) -> SendResult {
    switch frame {
    case .raw(let frame): frame.send(to: outlet, number)
    case .encoded(let frame): outlet.send(frame, number)
    }
  }

  func send(_ frame: EncodedFrame, _ number: FrameID, layer: Int) -> SendResult {
    (smaller.indices.contains(layer) ? smaller[layer] : outlet).send(frame, number)
  }
}
