import Glibc

/// Whether poll() finds the descriptor readable now.
func isReadable(_ descriptor: Int32) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLIN) != 0
}
