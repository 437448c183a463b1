import MediaTransport

/// Which streams of a room a player is sent in the sections of its offer. A section keeps its stream until that ends; then another takes
/// its place, which needs no new agreement.
enum LaneChoice {
  /// A stream that may be sent.
  struct Candidate: Equatable {
    let id: StreamID
    let userID: String
    let isVideo: Bool
    let isScreen: Bool
  }

  /// `lanes`: of each section whether it is video, and the stream that it has. `streams`: in the order of their publishing.
  ///
  /// Of one participant (`isOfOne`) who is sent in two sections of video, the first has the camera and the second the screen; with one
  /// section it has the camera, and the screen while there is no camera. Of a room the sections have streams in their order; audio first of
  /// those whose video is there, so that a player with one section of each kind hears whom it sees.
  static func assign(_ lanes: [(isVideo: Bool, stream: StreamID?)], _ streams: [Candidate], isOfOne: Bool) -> [StreamID?] {
    var result = lanes.map { lane in streams.contains { $0.id == lane.stream } ? lane.stream : nil }
    let videos = lanes.indices.filter { lanes[$0].isVideo }
    for (number, index) in videos.enumerated() where result[index] == nil {
      let free = streams.filter { $0.isVideo && !result.contains($0.id) }
      if isOfOne, videos.count > 1 {
        result[index] = free.first { $0.isScreen == (number % 2 == 1) }?.id
      } else {
        result[index] = (free.first { !$0.isScreen } ?? free.first)?.id
      }
    }
    let seen = Set(streams.filter { result.contains($0.id) }.map(\.userID))
    for index in lanes.indices where !lanes[index].isVideo && result[index] == nil {
      let free = streams.filter { !$0.isVideo && !result.contains($0.id) }
      result[index] = (free.first { seen.contains($0.userID) && !$0.isScreen } ?? free.first { !$0.isScreen } ?? free.first)?.id
    }
    return result
  }
}
