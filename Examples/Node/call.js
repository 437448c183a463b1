// Two members of a room of this process: one shows a colour, the other receives it.
//
//     node call.js
'use strict'
const mediasdk = require(process.env.MEDIASDK_NODE || './mediasdk.node')

const WIDTH = 320, HEIGHT = 240, FPS = 15
const orange = Buffer.alloc(WIDTH * HEIGHT * 3, Buffer.from([255, 128, 0]))

let received = 0
const bob = mediasdk.open('loopback:lobby', 'bob', WIDTH, HEIGHT, FPS, (user, width, height, pixels) => {
  received += 1
  if (received !== 10) return // a few more come, which were queued
  console.log(`bob received ${received} frames of ${user}, ${width}x${height}, the first pixel is ${pixels[0]}, ${pixels[1]}, ${pixels[2]}`)
  end(0)
})
const alice = mediasdk.open('loopback:lobby', 'alice', WIDTH, HEIGHT, FPS, () => {})
const sending = setInterval(() => mediasdk.send(alice, orange), 1000 / FPS)
const deadline = setTimeout(() => { console.error('no frames were received'); end(1) }, 15000)

function end (code) {
  clearInterval(sending)
  clearTimeout(deadline)
  mediasdk.close(alice)
  mediasdk.close(bob)
  process.exitCode = code // Node ends when nothing is left to do
}
