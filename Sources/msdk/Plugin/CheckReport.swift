import Glibc
import MediaCore

/// What the checks found, for people, as JSON and as JUnit XML.
struct CheckReport {
  let path: String
  let seed: UInt64
  var outcomes: [CheckRun.Outcome] = []

  func count(_ verdict: CheckRun.Verdict) -> Int { outcomes.count { $0.verdict == verdict } }
  var failedCount: Int { count(.failed) }

  static var list: String {
    CheckRun.checks.map { "\(padded($0.id, 12)) \(padded($0.rule, 24)) \($0.summary)" }.joined(separator: "\n")
  }

  static func text(of outcome: CheckRun.Outcome, after last: CheckRun.Outcome?) -> String {
    let heading = outcome.className.flatMap { $0 == last?.className ? nil : "\($0)\n" } ?? ""
    let id = padded(outcome.check.id, 12)
    switch outcome.verdict {
    case .passed: return "\(heading)  \(Colour.green.painted("ok"))      \(id) \(outcome.check.summary)"
    case .skipped: return "\(heading)  \(Colour.yellow.painted("skipped")) \(id) \(Terminal.oneLine(outcome.text))"
    case .blocked: return "\(heading)  \(Colour.yellow.painted("blocked")) \(id) \(outcome.text)"
    case .failed: return "\(heading)  \(Colour.red.painted("FAILED"))  \(id) [\(outcome.rule)] \(Terminal.oneLine(outcome.text))"
    }
  }

  var summary: String {
    let blocked = count(.blocked)
    return "\(count(.passed)) passed, \(failedCount) failed, \(count(.skipped)) skipped" + (blocked > 0 ? ", \(blocked) not run" : "")
  }

  var json: JSON {
    .object([
      ("file", .text(path)), ("seed", .whole(seed)), ("passed", .whole(count(.passed))), ("failed", .whole(failedCount)),
      ("skipped", .whole(count(.skipped))), ("blocked", .whole(count(.blocked))),
      (
        "checks",
        .array(
          outcomes.map { outcome in
            .object([
              ("check", .text(outcome.check.id)), ("class", outcome.className.map { .text($0) } ?? .null),
              ("verdict", .text(outcome.verdict.rawValue)), ("rule", .text(outcome.rule)), ("text", .text(outcome.text)),
              ("milliseconds", .whole(outcome.milliseconds))
            ])
          })
      )
    ])
  }

  func writeJUnit(to file: String) throws(MediaError) {
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    xml += "<testsuite name=\"\(CheckReport.escaped(path))\" tests=\"\(outcomes.count)\" failures=\"\(failedCount)\" "
    xml += "skipped=\"\(count(.skipped) + count(.blocked))\">\n"
    for outcome in outcomes {
      let name = "name=\"\(outcome.check.id)\" classname=\"\(CheckReport.escaped(outcome.className ?? path))\""
      let text = CheckReport.escaped(outcome.text)
      xml += "  <testcase \(name) time=\"\(outcome.milliseconds / 1000).\(CheckReport.thousandths(outcome.milliseconds))\">"
      switch outcome.verdict {
      case .passed: break
      case .failed: xml += "<failure type=\"\(CheckReport.escaped(outcome.rule))\" message=\"\(text)\"/>"
      case .skipped, .blocked: xml += "<skipped message=\"\(text)\"/>"
      }
      xml += "</testcase>\n"
    }
    xml += "</testsuite>\n"
    try FileWriter.write(xml, to: file)
  }

  private static func thousandths(_ milliseconds: Int64) -> String {
    let digits = String(milliseconds % 1000)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in Terminal.oneLine(text).unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
  }
}
