/** @file
 * mediasdk/rtp.h - sessions over RTP: one peer in place of a room
 *
 * A session whose url begins with "rtp:" sends its streams as RTP (RFC 3550) over UDP to one peer, and receives what the peer
 * sends: a camera, GStreamer, FFmpeg, a media server, another engine. There is no signalling. The addresses and formats are in the
 * url, or in descriptions (SDP, RFC 8866) that the program exchanges by its own means.
 *
 * The codecs are MSDK_CODEC_VP8 (RFC 7741) and MSDK_CODEC_OPUS (RFC 7587), which MSDK_CODEC_AUTO chooses. A stream of another codec,
 * or of MSDK_CODEC_RAW, fails to start with MSDK_E_UNSUPPORTED. The engine must have the system clock (else MSDK_E_UNSUPPORTED). The
 * access token is not used.
 *
 * The peer is a participant from its first stream to its last; its user id is its address. A video stream is added with its first
 * key frame, because only a key frame contains its size; its kind is MSDK_VIDEO_VIRTUAL. An audio stream is added with its first
 * packet. A stream is removed when its sender sends RTCP BYE or was silent for 30 s. MSDK_EVENT_ESTIMATE follows what the peer
 * reports: transport-wide feedback, else receiver reports.
 *
 * By url:
 *
 *     rtp://HOST:PORT?key=value&...      sends to PORT of HOST: 192.0.2.7, [2001:db8::7] or a host name
 *     rtp://:PORT?key=value&...          receives on PORT, and sends to the peer that sends first
 *
 *     local=PORT, local=ADDRESS:PORT     where to receive; default: any address, and a port that the system chooses
 *     audio=PORT                         where to send audio; default: PORT too, distinguished by the payload type
 *     local-audio=PORT|ADDRESS:PORT      where to receive audio
 *     media=video|audio|both             default: both
 *     direction=sendrecv|sendonly|recvonly   default: sendrecv
 *     vp8=PT, opus=PT                    payload types; default: 96 and 111
 *     rtx=PT                             with feedback: lost packets are sent again with this payload type (RFC 4588); default:
 *                                        they are sent again unchanged
 *     rtcp-mux=0|1                       0 (default): RTCP uses the next port (RFC 3550, section 11); 1: the same port (RFC 5761)
 *     feedback=0|1                       1: AVPF (RFC 4585) with NACK, PLI and transport-wide congestion control; default: 0
 *     twcc=ID, level=ID                  header extensions (RFC 8285), ID 1..14: transport-wide sequence numbers (default with
 *                                        feedback: 5; 0: none) and audio levels (RFC 6464). Active speakers are detected from the
 *                                        levels: the peer states whether a packet has voice
 *     orientation=ID, color=ID           header extensions of frames: orientation (urn:3gpp:video-orientation) and colour
 *                                        (http://www.webrtc.org/experiments/rtp-hdrext/color-space); both sides need the same IDs
 *     capture=ID                         header extension of frames: capture time
 *                                        (http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time). Without it, capture times
 *                                        are known from the first sender report on
 *     min-bitrate, start-bitrate, max-bitrate   bounds and start of the estimate, bits per second, 5,000..10,000,000,000; default:
 *                                        30,000, 300,000 and 20,000,000; without feedback it starts at the maximum
 *     mtu=BYTES                          the largest IP packet, 576..1500; default: 1,200 bytes of UDP payload
 *     framerate=N|N/D                    frame rate in the format of received video; default: 30
 *     srtp=SUITE                         AES_CM_128_HMAC_SHA1_80 (RFC 3711), AEAD_AES_128_GCM or AEAD_AES_256_GCM (RFC 7714):
 *                                        msdk_session_set_srtp_keys
 *
 * Addresses to receive at (local, local-audio, host) are numeric. A host name has labels of letters, digits and hyphens between dots
 * (RFC 1123): up to 63 bytes each and 253 in all, a final dot not counted. Its last label is not a number. The name is resolved by
 * getaddrinfo(3) on a thread of its own, each time that the session connects. The session uses the first address, or the first of the
 * family of local=ADDRESS. An unspecified address (0.0.0.0, ::) is not used. Ports are bound when the address is known. If connecting
 * fails, the session is MSDK_SESSION_DISCONNECTED with one of these errors: MSDK_E_NOT_FOUND if the name does not exist or has no usable
 * address; MSDK_E_IO if the name servers fail or do not answer; MSDK_E_TIMEOUT if the name is not resolved within 10 s; MSDK_E_INVALID if
 * its address is a multicast address and direction is sendrecv; MSDK_E_EXISTS if a port is taken.
 *
 * A multicast HOST is received from with direction=recvonly and sent to with direction=sendonly. A datagram from another host than
 * the peer's is dropped. So is one that is not authentic or comes a second time; msdk_session_stats counts them. Without srtp,
 * everybody who reaches the port can send to it under another's address. A source therefore counts only from its second packet on
 * (RFC 3550, appendix A.1), and if HOST is not given, the session sends to whoever sent first. Give HOST, and use srtp on every
 * network that is not yours alone.
 *
 * Offers contain all three frame extensions; they are used if the peer accepts them. Without the orientation extension, frames are
 * rotated before they are encoded: they arrive upright, and a rotation by 90 or 270 degrees exchanges width and height. Without the
 * colour extension, frames are converted to BT.601 in limited range, which every VP8 decoder assumes. VP8's own colour bits are not
 * used, because most decoders ignore them. Frames that the program sends encoded are not changed, and lose what has no extension.
 * expected_delay_ns is not transmitted.
 *
 * By descriptions: url "rtp:" or "rtp:?key=value&...", with media, direction, the bitrates, mtu, framerate and srtp as above, and
 *
 *     host=ADDRESS                       where the peer reaches this session; default: the address that the system sends from
 *
 * There are three ways to describe; then the session connects:
 *   - It offers: msdk_session_get_local_sdp, then msdk_session_set_remote_sdp with the peer's answer.
 *   - It answers: msdk_session_set_remote_sdp with the peer's offer, then msdk_session_get_local_sdp.
 *   - It only receives what somebody announces (MSDK_SDP_ANNOUNCED).
 *
 * An offer has one port for all media (RFC 9143) and feedback. With srtp=SUITE it has keys that the session makes. An offer with
 * SRTP is answered with SRTP. The keys are in the descriptions (RFC 4568), which must therefore travel where nobody else can read
 * them. The address of a c= line is numeric; a description with a host name there is refused (MSDK_E_INVALID). Of a=rtcp only the
 * port is used.
 */
#ifndef MEDIASDK_RTP_H
#define MEDIASDK_RTP_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sets the keys of a session whose url has srtp=SUITE. A key is the master key followed by the salt, as a=crypto contains them in
 * base64: 30 bytes for AES_CM_128_HMAC_SHA1_80, 28 for AEAD_AES_128_GCM, 44 for AEAD_AES_256_GCM. `own` protects what is sent, `theirs`
 * what is received. Keys are copied and never logged. Set them before msdk_session_connect, which fails without them (MSDK_E_STATE). A session that
 * connects again with the same keys sends from other sources (SSRC), and refuses packets of its earlier connections. Keys that were
 * replaced must not be used again, and no two sessions may send with the same key. MSDK_E_INVALID: a size is wrong. MSDK_E_STATE:
 * the session is already connected, or there is no srtp in the url. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_srtp_keys(msdk_session *session, const uint8_t *own, uint64_t own_size, const uint8_t *theirs,
                                                   uint64_t theirs_size);

enum { /* the role of a description (RFC 3264) */
  MSDK_SDP_OFFER = 1,
  MSDK_SDP_ANSWER = 2,
  MSDK_SDP_ANNOUNCED = 3 /**< of a sender that expects no answer: the session receives on its ports, and sends nothing */
};

/** Sets the peer's description, of up to MSDK_SDP_MAX bytes. MSDK_E_INVALID: it is malformed (the error text names the line), is
 * protected in an unknown way, or answers no offer. MSDK_E_UNSUPPORTED: unknown type. MSDK_E_EXISTS: an announced port is taken on
 * this machine. MSDK_E_STATE: the session is connected, its url is not "rtp:", or an answer comes before msdk_session_get_local_sdp
 * made the offer. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_remote_sdp(msdk_session *session, uint32_t type, const char *sdp);

enum { MSDK_SDP_MAX = 65536 };

/** Returns this session's description: the answer if an offer was set, else an offer. For a session by url it is what a receiver of
 * the session has to know. From now on its ports are bound. The text is copied to buffer (size bytes; may be NULL with 0). *needed,
 * if not NULL, is set to the size with NUL. MSDK_E_BUFFER_SMALL: it does not fit. Further calls return the same text.
 * MSDK_E_EXISTS: a port is taken. MSDK_E_STATE: the session is not over RTP; its url has srtp and no keys are set; its url has a host
 * name and it has not connected yet; a session by url sends nothing or has nobody to send to; or an announced description is set, which
 * has no answer. [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_local_sdp(msdk_session *session, char *buffer, uint64_t size, uint64_t *needed);

#ifdef __cplusplus
}
#endif

#endif
