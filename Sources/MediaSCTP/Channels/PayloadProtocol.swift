/// What the bytes of a message are (RFC 8831, section 8).
enum PayloadProtocol: UInt32 {
  case control = 50
  case text = 51
  case binary = 53
  /// SCTP has no empty messages: one byte stands for none (section 6.6).
  case emptyText = 56
  case emptyBinary = 57
}
