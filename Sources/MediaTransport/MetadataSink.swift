import MediaCore

/// Takes frames of a network path, which end with their metadata, and hands them on without: `EncodedFrame.metadata` has it then.
package final class MetadataSink: EncodedSink {
  private let inner: any EncodedSink

  package init(_ inner: any EncodedSink) { self.inner = inner }

  package func receive(_ frame: EncodedFrame, _ id: FrameID) {
    frame.takeTrailer()
    inner.receive(frame, id)
  }

  package func waited(leavingOut pictures: UInt64, requests: UInt64) { inner.waited(leavingOut: pictures, requests: requests) }
  package func droppedOnArrival() { inner.droppedOnArrival() }
}
