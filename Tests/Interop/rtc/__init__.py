"""WebRTC with what others wrote: engines, browsers, media servers."""
