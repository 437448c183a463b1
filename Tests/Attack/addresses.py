"""From where connections come, and how they end."""
from __future__ import annotations

import struct

SAME, OTHER, ANOTHER = "127.0.0.1", "127.0.0.2", "127.0.0.3"  # the honest participants' address, and the attacker's own
RESET = struct.pack("ii", 1, 0)  # of SO_LINGER: no connection is left over in the kernel
