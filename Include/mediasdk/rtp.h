/* mediasdk/rtp.h - sessions over RTP: another end of a wire in place of a room
 *
 * A session whose url begins with "rtp:" sends its streams as RTP (RFC 3550) over UDP to one other end, and takes what that sends: a camera,
 * GStreamer, FFmpeg, a media server, another engine. Nobody signals: what is sent where stands in the url, or in descriptions (SDP, RFC 8866)
 * that the program exchanges by its own ways.
 *
 * Carried are MSDK_CODEC_VP8 (RFC 7741) and MSDK_CODEC_OPUS (RFC 7587); a stream of another codec, or raw, fails to start with
 * MSDK_E_UNSUPPORTED. The engine has the system clock (MSDK_E_UNSUPPORTED otherwise). The access token is not used.
 *
 * The other end is a participant, whose user id is its address, from its first stream to its last. A video stream is added with its first key
 * frame, since only that tells its size, as MSDK_VIDEO_VIRTUAL; sound with its first packet. A stream is removed when its sender says goodbye
 * (RTCP BYE) or was silent for 30 s. MSDK_EVENT_ESTIMATE follows what the other end reports (transport-wide feedback, else receiver reports).
 *
 * By url:
 *
 *     rtp://HOST:PORT?key=value&...      sends to PORT of HOST: 192.0.2.7 or [2001:db8::7], no names
 *     rtp://:PORT?key=value&...          receives on PORT, and answers whoever speaks first
 *
 *     local=PORT, local=ADDRESS:PORT     where to receive; any address, and a port that the system chooses
 *     audio=PORT                         where sound goes; without it to PORT too, told apart by the payload type
 *     local-audio=PORT|ADDRESS:PORT      where that is received
 *     media=video|audio|both             both
 *     direction=sendrecv|sendonly|recvonly   sendrecv
 *     vp8=PT, opus=PT                    payload types: 96 and 111
 *     rtx=PT                             with feedback: lost packets are sent again as that (RFC 4588); without it as they were
 *     rtcp-mux=0|1                       0: RTCP goes over the next port (RFC 3550, section 11); 1: over the same (RFC 5761)
 *     feedback=0|1                       1: AVPF (RFC 4585) with NACK, PLI and transport-wide congestion control; 0
 *     twcc=ID, level=ID                  header extensions (RFC 8285): transport-wide numbers (5 with feedback), levels of sound (RFC 6464),
 *                                        which tell of active speakers: the other end says whether a packet has voice
 *     min-bitrate, start-bitrate, max-bitrate   bits a second that the estimate keeps to; without feedback it begins at the most
 *     mtu=BYTES                          of an IP packet, 576..1500
 *     framerate=N|N/D                    of pictures that come, for their format; 30
 *     srtp=SUITE                         AES_CM_128_HMAC_SHA1_80 (RFC 3711) or AEAD_AES_128_GCM (RFC 7714): msdk_session_set_srtp_keys
 *
 * A HOST of multicast is listened to with direction=recvonly and sent to with direction=sendonly. A datagram from another host than the other
 * end's is dropped, so is what is not authentic or comes a second time: msdk_session_stats counts them. Without srtp anybody who reaches the
 * port can send to it in another's name: a source counts from its second packet on (RFC 3550, appendix A.1), and where HOST is not given what
 * is sent goes to whoever spoke first. Give HOST, and srtp on any network that is not yours alone.
 *
 * By descriptions: url "rtp:" or "rtp:?key=value&...", with media, direction, the bitrates, mtu, framerate and srtp as above, and
 *
 *     host=ADDRESS                       where the other end reaches this one; without it the address that the system sends from
 *
 * Either this end offers (msdk_session_local_sdp, then the other's answer to msdk_session_set_remote_sdp), or it answers (the other's offer to
 * msdk_session_set_remote_sdp, then msdk_session_local_sdp), or it only listens to what somebody announces (MSDK_SDP_ANNOUNCED); then it
 * connects. An offer has one port for all media (RFC 9143), feedback, and with srtp keys of its own making; what is offered protected is
 * answered protected. Keys stand in the descriptions (RFC 4568), which must then travel where nobody else reads them.
 */
#ifndef MEDIASDK_RTP_H
#define MEDIASDK_RTP_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The keys of a session whose url has srtp=SUITE: the master key and the salt in a row, 30 bytes for AES_CM_128_HMAC_SHA1_80 and 28 for
 * AEAD_AES_128_GCM, as a=crypto holds them in base64; own protects what is sent, theirs what comes. They are copied and never logged. A session
 * that connects again under the same keys sends from other sources and refuses packets of its earlier connections; keys that were replaced must
 * not come back, and no two sessions send under one key. To be set
 * before msdk_session_connect, which refuses without them (MSDK_E_STATE). MSDK_E_INVALID: wrong sizes. MSDK_E_STATE: connected already, or no
 * srtp in the url. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_srtp_keys(msdk_session *session, const uint8_t *own, uint64_t own_size, const uint8_t *theirs,
                                                   uint64_t theirs_size);

enum { /* what a description is (RFC 3264) */
  MSDK_SDP_OFFER = 1,
  MSDK_SDP_ANSWER = 2,
  MSDK_SDP_ANNOUNCED = 3 /* of a sender who asks for no answer: its ports are where it is listened to, and nothing is sent */
};

/* Takes the other end's description, up to MSDK_SDP_MAX bytes. MSDK_E_INVALID: it is no description (the text names the line), is protected in
 * a way that is not known, or answers no offer. MSDK_E_IO: a port that is announced is taken here. MSDK_E_STATE: the session is connected, its
 * url is not "rtp:", or an answer comes before msdk_session_local_sdp made the offer. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_remote_sdp(msdk_session *session, uint32_t type, const char *sdp);

enum { MSDK_SDP_MAX = 65536 };

/* This end's description: the answer once an offer was set, else an offer; of a session by url what a receiver of it has to know. Its ports are
 * bound from now on. The text goes into buffer (size bytes; may be NULL with 0); *needed, if not NULL, receives the size with NUL, and
 * MSDK_E_BUFFER_SMALL is returned when it does not fit. Asked for again it is the same. MSDK_E_IO: a port is taken. MSDK_E_STATE: no session
 * over RTP. [any thread] */
MSDK_EXPORT msdk_result msdk_session_local_sdp(msdk_session *session, char *buffer, uint64_t size, uint64_t *needed);

#ifdef __cplusplus
}
#endif

#endif
