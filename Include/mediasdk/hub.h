/** @file
 * mediasdk/hub.h - a room over the network without a server: a process opens one of its loopback rooms
 *
 * This header is not part of the promise of 1.0 that the ABI only grows (mediasdk.h, Growth). A later version replaces it, the url and
 * the protocol by rooms that other SDKs can join.
 *
 * In the hosting process, "loopback:NAME" is an ordinary room with its access, permissions and moderation (room.h). The process may have
 * members of its own in it, or none; a verifier (msdk_room_configure) decides about these too, and is set before the room is opened.
 * msdk_room_open_hub opens the room to the network. Sessions elsewhere connect to it with the url
 *
 *     hub://HOST:PORT/NAME?fingerprint=HEX      HOST: 192.0.2.7, [2001:db8::7] or a host name such as hub.example.org
 *     fingerprint=HEX                           required: the SHA-256 of the hub's certificate, as msdk_hub_info has it
 *     ...&srtp=SUITE                            default AEAD_AES_128_GCM; also AEAD_AES_256_GCM, AES_CM_128_HMAC_SHA1_80
 *
 * and with their user id and access token. They are ordinary members: participants, streams, screen shares, speakers, moderation and
 * their events are those of a loopback room. NAME is written literally, without escapes.
 *
 * A host name has labels of letters, digits and hyphens between dots (RFC 1123): up to 63 bytes each and 253 in all, a final dot not
 * counted. Its last label is not a number. The name is resolved by getaddrinfo(3) on a thread of its own while the session connects, up
 * to 8 names at a time in the process. Its addresses are tried in the order of getaddrinfo. The next one is tried if a connection is
 * refused or not answered. An address that answers without the fingerprint ends it. Multicast and unspecified addresses are not used.
 * When the connection breaks later, the name is resolved again. Only addresses of the family (IPv4 or IPv6) to which the session first
 * connected are then used, and media follows to the new address. Addresses to listen at are numeric.
 *
 * Signalling goes over TCP with TLS 1.3 (RFC 8446). The fingerprint (SHA-256, with or without colons) identifies the hub's certificate.
 * Media goes over UDP with the same port number, as RTP under SRTP (RFC 7714, RFC 3711). A session over a hub needs an engine with the
 * system clock (otherwise MSDK_E_UNSUPPORTED).
 *
 * The hub decodes nothing. It forwards encoded frames of MSDK_CODEC_VP8 and MSDK_CODEC_OPUS unchanged; MSDK_CODEC_AUTO chooses these.
 * Streams of MSDK_CODEC_RAW and of other codecs stay within the process. Their sender is notified of each member whom they do not
 * reach (MSDK_EVENT_STREAM_UNREACHABLE). A remote session cannot start such a stream (MSDK_E_UNSUPPORTED). It can send up to
 * 30 video and 30 audio streams (MSDK_E_FULL), and receive as many of each.
 *
 * Each member has bandwidth estimates of their own, one in each direction. A member whose network path carries less than they receive
 * gets all audio and fewer video streams. The streams with the highest bitrate are paused first. A paused stream resumes with a key
 * frame when there is room for it.
 *
 * What strangers and members can use of the hosting process is bounded. Three kinds of connections have a fair share for each address
 * (an IPv6 network of 64 bits counts as one address): those that have sent no message yet, those that wait for the room's answer (60 s
 * at most, then MSDK_E_TIMEOUT), and those that were refused. Many connections from one address therefore do not keep others out. All
 * connections, members included, use at most most_members + 352 descriptors. A session may do 100 things a second that concern others,
 * such as muting a stream, setting an attribute or renewing its access, with a burst of 500; more are delayed. An attribute or a token
 * counts once more for every 128 bytes. A session that receives none of 512 events within 15 s, while more are queued, is disconnected with
 * MSDK_E_LIMIT. A session that is slow or briefly disconnected gets all events later. If more than 256 events are queued for it, it gets
 * only the latest state; of attributes, from 128 events on.
 *
 * Browsers. With web_port the room is also reached by HTTP, over TLS, or without TLS if all addresses are loopback and no certificate is
 * given. Members who join by it are ordinary members, who send and receive MSDK_CODEC_VP8 and MSDK_CODEC_OPUS over WebRTC.
 *
 *     GET https://HOST:PORT/NAME                        a page: camera, microphone, screen, and everybody in the room
 *     POST https://HOST:PORT/whip/NAME?user=U&name=N    sends media to the room (WHIP, RFC 9725); &kind=screen: a screen share
 *     POST https://HOST:PORT/whep/NAME                  receives those of the room (WHEP), in one section of its offer for each stream
 *     POST https://HOST:PORT/whep/NAME/USER             receives those of one participant
 *
 * NAME, U, N and USER are escaped as in URLs (RFC 3986). The Bearer token is the access token, and #token=... of the page's url.
 * Without U the room gives a user id. A player of WHEP is a participant of the room, too: nobody is received unseen. A browser shows a
 * warning for a certificate that was generated. Media uses free UDP ports of all interfaces.
 *
 * SDKs of LiveKit. With api_key and api_secret, clients of LiveKit's protocol (its signalling in versions 0 and 1) join at web_port:
 *
 *     ws://HOST:PORT   or, with TLS, wss://HOST:PORT    the url that such an SDK is given, with an access token
 *
 * The token (JWT, HS256) names the room, the participant's identity, which is their user id, their name, metadata and attributes, and
 * what they may do; the room's own permissions apply as well, and its verifier gets the token. Who joins with the identity of another
 * such participant takes their place. A client whose connection breaks may come back within 20 s. Of video that a client publishes in
 * several sizes (simulcast) each participant gets the one that is of use to them (msdk_incoming_video_set_preference) and, if they are
 * such a client, for which their network has room. Where that network has no room for the smallest size of every video, video is paused
 * for this client: what takes most first, screens last, and one is always sent.
 *
 * Without api_key, sessions of this SDK join at web_port by LiveKit's protocol, too, with the url
 *
 *     livekit+wss://HOST:PORT#room=NAME&fingerprint=HEX    or livekit+ws://... if the page is without TLS
 *
 * They say their user id and display name themselves, and the room's verifier gets their access token, of any kind (webrtc.h).
 *
 * Programs that are no participants administer the room by LiveKit's API, with a server SDK of LiveKit for which the API is Protocol
 * Buffers over HTTP (Python, Go) or by hand: POST /twirp/livekit.RoomService/METHOD, at web_port, with a token of an administrator
 * (MSDK_GRANT_ADMIN). ListRooms, ListParticipants, GetParticipant, RemoveParticipant, MutePublishedTrack, UpdateRoomMetadata and SendData
 * are for everybody in the room; UpdateParticipant is for clients of LiveKit's protocol. Video of other members cannot be muted.
 *
 * Connecting ends with MSDK_SESSION_DISCONNECTED and one of these errors: MSDK_E_TIMEOUT if the hub cannot be reached within 10 s, or
 * its host name is not resolved by then; MSDK_E_IO if the connection to the last address fails, or the name servers fail or do not
 * answer; MSDK_E_NOT_FOUND if the host name does not exist or has no usable address; MSDK_E_UNTRUSTED if the hub's certificate does not
 * have the fingerprint; the room's refusal (room.h); MSDK_E_NOT_FOUND if NAME is another room; MSDK_E_FULL if most_members is reached.
 * When the connection breaks later, the session is MSDK_SESSION_RECONNECTING for up to 30 s, and is then disconnected with
 * MSDK_E_TIMEOUT. When the hub is closed, its sessions are disconnected with MSDK_E_CLOSED.
 */
#ifndef MEDIASDK_HUB_H
#define MEDIASDK_HUB_H

#include "room.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_hub_options {
  uint32_t struct_size;
  uint32_t port;           /**< TCP and UDP, the same at all addresses: 1..65,535, or MSDK_PORT_ANY; there is no default */
  const char *addresses;   /**< to listen at: up to 8 of IPv4 and IPv6, separated by commas; NULL: "0.0.0.0", all of IPv4 */
  const char *certificate; /**< PEM files, this and key; both NULL: a certificate is generated, with a new fingerprint each time */
  const char *key;         /**< PEM file of the private key, without a password */
  uint32_t most_members;   /**< over the network, 1..1,000; 0: 64. The room's capacity alone limits members of this process */
  /** For browsers and clients of WHIP and WHEP, TCP, at the same addresses: 1..65,535, or MSDK_PORT_ANY; 0: none. most_members counts
   * those who join by it apart. */
  uint32_t web_port;
  /** For SDKs of LiveKit: the key and the secret with which access tokens of clients are signed (msdk_access_token_create). Both NULL: they
   * are not let in. The key has 1..MSDK_NAME_MAX bytes, the secret 32..MSDK_TEXT_MAX. */
  const char *api_key, *api_secret;
} msdk_hub_options;

typedef struct msdk_hub_info {
  uint32_t struct_size;
  uint32_t port;
  uint32_t member_count; /**< over the network, including briefly disconnected members, without those who wait for the room's answer */
  uint32_t web_port;        /**< of the page; 0: there is none */
  uint64_t packets_foreign; /**< datagrams of no member */
  char fingerprint[96];     /**< "AA:BB:...", for the url; of the web server, if it has TLS, too */
  /** Of the room, for sessions elsewhere. HOST is the first address. For 0.0.0.0 or :: it is the address from which this machine sends
   * to others, or the loopback address if it has no network. A program whose members reach it by another address or a name replaces
   * HOST. */
  char url[512];
  char web_url[512]; /**< of the page; "" if there is none. HOST as in url */
} msdk_hub_info;

/** Opens a room to the network until msdk_room_close_hub is called or the engine is destroyed. room_url is "loopback:NAME", NAME without
 * "?". options are copied, and the files are read during the call. *out, if not NULL, is filled as by msdk_room_get_hub_info. The
 * engine must have the system clock (MSDK_E_UNSUPPORTED).
 *   MSDK_E_EXISTS     this engine has opened the room already, or a port is taken
 *   MSDK_E_IO         an address is not an address of this machine
 *   MSDK_E_PERMISSION, MSDK_E_NOMEM  the system refuses a port
 *   MSDK_E_NOT_FOUND  a file cannot be read
 *   MSDK_E_INVALID    addresses, a file or NAME is malformed, only one of certificate and key is set, or port is 0
 *   MSDK_E_RANGE      port, web_port or most_members
 * [any thread] */
MSDK_EXPORT msdk_result msdk_room_open_hub(msdk_engine *engine, const char *room_url, const msdk_hub_options *options, msdk_hub_info *out);

/** Returns the current state of the hub. MSDK_E_NOT_FOUND if this engine did not open the room. [any thread] */
MSDK_EXPORT msdk_result msdk_room_get_hub_info(msdk_engine *engine, const char *room_url, msdk_hub_info *out);

/** Closes the hub: removes all members who joined over the network, notifies them (MSDK_E_CLOSED), and admits no more. Members of this
 * process stay. When the call returns, the port is free and the room may be opened again. MSDK_E_NOT_FOUND if this engine did not open
 * the room. [any thread] */
MSDK_EXPORT msdk_result msdk_room_close_hub(msdk_engine *engine, const char *room_url);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_HUB_H */
