import CMediaSDK
import MediaCore

/// Lists of a caller's options, which have the members of that name and their counts.
enum ForeignLists {
  /// Up to MSDK_ATTRIBUTES_MAX, each key once.
  static func attributes(_ list: UnsafePointer<msdk_key_value>?, _ count: UInt32) throws(MediaError) -> [String: String] {
    guard count <= UInt32(MSDK_ATTRIBUTES_MAX) else {
      throw MediaError(.range, "options.attribute_count is \(count); accepted: 0..\(MSDK_ATTRIBUTES_MAX)")
    }
    var attributes: [String: String] = [:]
    for index in 0..<Int(count) {
      let name = "options.attributes[\(index)]"
      let one = try required(list, "options.attributes")[index]
      let key = try ForeignText.read(one.key, limit: Int(MSDK_ATTRIBUTE_KEY_MAX), argument: "\(name).key")
      guard !key.isEmpty else { throw MediaError(.invalid, "\(name).key is empty; accepted: 1..\(MSDK_ATTRIBUTE_KEY_MAX) bytes") }
      let value = try ForeignText.read(one.value, limit: Int(MSDK_ATTRIBUTE_VALUE_MAX), argument: "\(name).value")
      guard attributes.updateValue(value, forKey: key) == nil else {
        throw MediaError(.invalid, "\(name).key is \"\(key)\", as that of another; accepted: each key once")
      }
    }
    return attributes
  }

  /// User ids of participants; empty for NULL: everybody else.
  static func recipients(_ list: UnsafePointer<UnsafePointer<CChar>?>?, _ count: UInt32) throws(MediaError) -> [String] {
    guard let list else {
      guard count == 0 else {
        throw MediaError(.invalid, "options.recipient_count is \(count), and options.recipients is NULL; accepted: 0")
      }
      return []
    }
    guard (1...UInt32(MSDK_DATA_RECIPIENTS_MAX)).contains(count) else {
      throw MediaError(.range, "options.recipient_count is \(count); accepted: 1..\(MSDK_DATA_RECIPIENTS_MAX), or 0 without recipients")
    }
    return try texts(list, count, limit: Int(MSDK_NAME_MAX), "recipients")
  }

  /// Texts of up to `limit` bytes, up to `most` of them.
  static func texts(
    _ list: UnsafePointer<UnsafePointer<CChar>?>?, _ count: UInt32, most: UInt32, limit: Int, _ name: String, counted: String
  ) throws(MediaError) -> [String] {
    guard count <= most else { throw MediaError(.range, "options.\(counted) is \(count); accepted: 0..\(most)") }
    guard let list else {
      guard count == 0 else { throw MediaError(.invalid, "options.\(counted) is \(count), and options.\(name) is NULL; accepted: 0") }
      return []
    }
    return try texts(list, count, limit: limit, name)
  }

  private static func texts(
    _ list: UnsafePointer<UnsafePointer<CChar>?>, _ count: UInt32, limit: Int, _ name: String
  ) throws(MediaError) -> [String] {
    var texts: [String] = []
    for index in 0..<Int(count) {
      texts.append(try ForeignText.read(list[index], limit: limit, argument: "options.\(name)[\(index)]"))
    }
    return texts
  }
}
