import MediaCore
import Testing

@testable import MediaSCTP

/// What time does.
@Suite struct SilenceTests {
  @Test func anEndThatNeverAnswersIsLost() throws {
    let talk = try DataTalk()
    talk.change = { _, _ in [] }
    let begin = talk.now
    talk.run(for: 120 * DataTalk.second) { talk.error(of: 0) != nil }
    #expect(talk.error(of: 0)?.status == .timeout)
    #expect((20...60).contains((talk.now - begin) / DataTalk.second))
  }

  @Test func anEndThatDoesNotAcknowledgeIsLostInAMinute() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    talk.change = { _, _ in [] }
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    let begin = talk.now
    talk.run(for: 120 * DataTalk.second) { talk.error(of: 0) != nil }
    #expect(talk.error(of: 0)?.status == .timeout)
    #expect(talk.closed(0) == [id])
    #expect((20...60).contains((talk.now - begin) / DataTalk.second))
    // Nothing is left to do.
    #expect(talk.client.nextDeadline == .max && talk.client.poll(now: talk.now) == .max)
  }

  @Test func anIdleEndThatIsGoneIsLostInThreeMinutes() throws {
    let talk = try DataTalk()
    _ = try talk.channel()
    talk.run(for: 60 * DataTalk.second)
    talk.change = { _, _ in [] }
    let begin = talk.now
    talk.run(for: 600 * DataTalk.second) { talk.error(of: 0) != nil && talk.error(of: 1) != nil }
    #expect(talk.error(of: 0)?.status == .timeout && talk.error(of: 1)?.status == .timeout)
    #expect((60...180).contains((talk.now - begin) / DataTalk.second))
  }

  @Test func aGapOfTenSecondsIsSurvived() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    talk.change = { _, _ in [] }
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    talk.run(for: 10 * DataTalk.second)
    talk.change = { [$1] }
    talk.run(for: 10 * DataTalk.second)
    #expect(talk.messages(1) == [[1]])
    #expect(talk.error(of: 0) == nil)
  }

  @Test func twelveHoursIdle() throws {
    let talk = try DataTalk()
    let (id, theirs) = try talk.channel()
    let before = talk.sent[0].count
    talk.run(for: 12 * 3600 * DataTalk.second)
    #expect(talk.error(of: 0) == nil && talk.error(of: 1) == nil)
    // A heartbeat and its answer, each ten seconds.
    #expect((4000...9000).contains(talk.sent[0].count - before))
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    try talk.server.send([2], isText: false, on: theirs, now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.messages(1) == [[1]] && talk.messages(0) == [[2]])
  }

  @Test func anIdleEndWantsToBeCalledSeldom() throws {
    let talk = try DataTalk()
    _ = try talk.channel()
    talk.run(for: 30 * DataTalk.second)
    var (calls, now) = (0, talk.now)
    while now < talk.now + 60 * DataTalk.second {
      now = talk.client.poll(now: now)
      calls += 1
    }
    #expect(calls < 60)
  }

  @Test func aLateCallDoesAllThatWasDue() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    while talk.client.takePacket() != nil {}
    // Asleep for ten minutes.
    let next = talk.client.poll(now: talk.now + 600 * DataTalk.second)
    #expect(next > talk.now + 600 * DataTalk.second)
    #expect(talk.client.takePacket() != nil)
  }
}
