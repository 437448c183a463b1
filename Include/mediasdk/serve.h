/** @file
 * mediasdk/serve.h - a room over the network without another server: a process serves one of its loopback rooms
 *
 * In the serving process, "loopback:NAME" is an ordinary room with its access, permissions and moderation (room.h). The process may have
 * members of its own in it, or none; a verifier (msdk_room_configure) decides about these too, and is set before the room is served.
 * msdk_room_serve opens the room to the network, by HTTP: over TLS 1.3, or without TLS if all addresses are loopback and no
 * certificate is given. Whoever joins, in whichever way, is an ordinary member: participants, streams, screen shares, speakers, data,
 * moderation and their events are those of a loopback room.
 *
 * Sessions of this SDK, in any program, join with the url that msdk_serve_info has, by LiveKit's protocol:
 *
 *     livekit+wss://HOST:PORT#room=NAME&fingerprint=HEX    livekit+ws if the room is served without TLS
 *     room=NAME                    without API keys: the session has the user id and display name that it says, and the room's verifier
 *                                  gets its access token. With API keys the token, a JWT, says all that, and NAME is not written
 *     fingerprint=HEX              the SHA-256 of the server's certificate, instead of the system's authorities
 *
 * and with their user id and access token. HOST is an address or a host name, of whose addresses the first four are tried in the order of
 * getaddrinfo(3).
 * The session's other options in the url are those of WebRTC (webrtc.h).
 *
 * Media is WebRTC over UDP. With media_port all members use that port; without it each member gets a free port of the server. These ports
 * are open at all addresses of the machine except link-local and loopback ones. Loopback addresses are used too if the machine has no
 * other address, or if the room is served at one. Clients in networks that let no UDP out may use TCP (ICE-TCP, RFC 6544), as browsers
 * and SDKs of LiveKit do: their media goes to the room's TCP port, for which no option is needed. A firewall has to let pass TCP `port`
 * and UDP `media_port`; both may have the same number. With a NAT in front of the machine, the program gives the public address
 * (public_addresses). With media_port all that arrives shares one receive buffer of the kernel, for which 4 MB are requested: for more
 * than a few members the system's limit should allow that (sysctl net.core.rmem_max=4194304).
 *
 * The server decodes nothing. It forwards encoded frames of MSDK_CODEC_VP8 and MSDK_CODEC_OPUS; MSDK_CODEC_AUTO chooses these. Streams of
 * MSDK_CODEC_RAW and of other codecs stay within the process. Their sender is notified of each member whom they do not reach
 * (MSDK_EVENT_STREAM_UNREACHABLE). A session elsewhere cannot start such a stream (MSDK_E_UNSUPPORTED). SDKs of LiveKit may also send
 * H.264, which is forwarded to those who receive it; sessions of this SDK get it encoded (MSDK_OUTPUT_ENCODED, the fourcc 'H264').
 *
 * Each member has bandwidth estimates of their own, one in each direction. Of video that is published in several sizes each participant
 * gets the one that is of use to them (msdk_incoming_video_set_preference) and for which their network has room. Where that network has no
 * room for the smallest size of every video, video is paused for this participant: what takes most first, screens last, and one is always
 * sent. Audio is always sent.
 *
 * Browsers, and clients of WHIP and WHEP:
 *
 *     GET https://HOST:PORT/NAME                        a page: camera, microphone, screen, and everybody in the room
 *     POST https://HOST:PORT/whip/NAME?user=U&name=N    sends media to the room (WHIP, RFC 9725); &kind=screen: a screen share
 *     POST https://HOST:PORT/whep/NAME                  receives those of the room (WHEP), in one section of its offer for each stream
 *     POST https://HOST:PORT/whep/NAME/USER             receives those of one participant
 *
 * NAME, U, N and USER are escaped as in URLs (RFC 3986). The Bearer token is the access token, and #token=... of the page's url.
 * Without U the room gives a user id. A player of WHEP is a participant of the room, too: nobody is received unseen. A browser shows a
 * warning for a certificate that was generated.
 *
 * SDKs of LiveKit. With api_key and api_secret, clients of LiveKit's protocol (its signalling in versions 0 and 1) join:
 *
 *     ws://HOST:PORT   or, with TLS, wss://HOST:PORT    the url that such an SDK is given, with an access token
 *
 * The token (JWT, HS256) names the room, the participant's identity, which is their user id, their name, metadata and attributes, and
 * what they may do; the room's own permissions apply as well, and its verifier gets the token. Who joins with the identity of another
 * such participant takes their place. A client whose connection breaks may come back within 20 s.
 *
 * Programs that are no participants administer the room by LiveKit's API, with a server SDK of LiveKit or by hand: POST
 * /twirp/livekit.RoomService/METHOD with a token of an administrator (MSDK_GRANT_ADMIN), and a message in Protocol Buffers
 * (application/protobuf) or in their JSON (application/json); the answer is of the same type. ListRooms, ListParticipants,
 * GetParticipant, RemoveParticipant, MutePublishedTrack, UpdateRoomMetadata and SendData are for everybody in the room; UpdateParticipant
 * is for clients of LiveKit's protocol. Video of other members cannot be muted.
 *
 * What strangers and members can use of the serving process is bounded (docs/bounds.md). Connections that have asked for nothing yet, and
 * those that wait for the room's answer, have a fair share for each address (an IPv6 network of 64 bits counts as one address). Many
 * connections from one address therefore do not keep others out. A session may do 50 things a second, such as muting a stream, setting an
 * attribute or renewing its access, with a burst of 1,000; one that does more is disconnected with MSDK_E_LIMIT.
 *
 * Connecting ends with MSDK_SESSION_DISCONNECTED and one of these errors: MSDK_E_TIMEOUT if the server cannot be reached, or its host name
 * is not resolved in time; MSDK_E_IO if the connection to the last address fails, or the name servers fail; MSDK_E_NOT_FOUND if the host
 * name does not exist or has no usable address, or NAME is another room; MSDK_E_UNTRUSTED if the server's certificate does not have the
 * fingerprint; MSDK_E_CLOSED if the url begins with livekit+ws and the room is served with TLS; the room's refusal (room.h), for which a
 * session waits 60 s; MSDK_E_FULL if most_members is reached. When the room is served no longer, its sessions are disconnected with
 * MSDK_E_CLOSED.
 *
 * When the connection breaks later, the session is MSDK_SESSION_RECONNECTING until it is back, for up to 5 minutes. To the others it
 * stays in the room until the server has missed the connection for 20 s. If its process ended, the server notices that at once. If its
 * process is frozen or its machine has no network, the server notices that 10 to 20 s later, and the session stays for 30 to 40 s.
 */
#ifndef MEDIASDK_SERVE_H
#define MEDIASDK_SERVE_H

#include "room.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_serve_options {
  uint32_t struct_size;
  uint32_t port;           /**< TCP, the same at all addresses: 1..65,535, or MSDK_PORT_ANY; there is no default */
  const char *addresses;   /**< to listen at: up to 8 of IPv4 and IPv6, separated by commas; NULL: "0.0.0.0", all of IPv4 */
  const char *certificate; /**< PEM files, this and key; both NULL: a certificate is generated, with a new fingerprint each time */
  const char *key;         /**< PEM file of the private key, without a password */
  /** For SDKs of LiveKit: the key and the secret with which access tokens are signed (msdk_access_token_create); others than their holders
   * are not let in by LiveKit's protocol. Both NULL: the room's verifier alone judges access tokens, of any kind, and such SDKs are not let
   * in. The key has 1..MSDK_NAME_MAX bytes, the secret 32..MSDK_TEXT_MAX. */
  const char *api_key, *api_secret;
  uint32_t most_members; /**< over the network, 1..1,000; 0: 64. The room's capacity alone limits members of this process */
  uint32_t media_port;   /**< UDP, for media of all members: 1..65,535, or MSDK_PORT_ANY; 0: each member has a free port */
  /** For a machine behind a NAT that hands on each port with its number, as those of cloud providers do: the address by which others reach
   * it, one of IPv4, one of IPv6, or both, separated by a comma; NULL: none. Media is announced at it, too, and the urls of msdk_serve_info
   * have it as HOST. */
  const char *public_addresses;
} msdk_serve_options;

typedef struct msdk_serve_info {
  uint32_t struct_size;
  uint32_t port;
  uint32_t member_count; /**< over the network, including briefly disconnected members, without those who wait for the room's answer */
  uint32_t media_port;   /**< UDP; 0: each member has a port */
  char fingerprint[96];  /**< "AA:BB:...", for the url; "" without TLS */
  /** Of the room, for sessions elsewhere. HOST is the public address of the same family as the first address; without one it is the first
   * address. For 0.0.0.0 or :: it is then the address from which this machine sends to others, or the loopback address if it has no network.
   * A program whose members reach it by another address or a name replaces HOST. */
  char url[1024];
  char page_url[1024]; /**< of the page for browsers. HOST as in url */
} msdk_serve_info;

/** Serves a room over the network until msdk_room_stop_serving is called or the engine is destroyed. room_url is "loopback:NAME". options
 * are copied, and the files are read during the call. *out, if not NULL, is filled as by msdk_room_get_serve_info. The engine must have the
 * system clock (MSDK_E_UNSUPPORTED).
 *   MSDK_E_EXISTS     this engine serves the room already, or a port is taken
 *   MSDK_E_IO         an address is not an address of this machine
 *   MSDK_E_PERMISSION, MSDK_E_NOMEM  the system refuses the port
 *   MSDK_E_NOT_FOUND  a file cannot be read
 *   MSDK_E_INVALID    addresses, public_addresses, a file or NAME is malformed, public_addresses has two of a family, only one of a pair is
 *                     set, api_secret is too short, or port is 0
 *   MSDK_E_RANGE      port, media_port or most_members
 * [any thread] */
MSDK_EXPORT msdk_result msdk_room_serve(msdk_engine *engine, const char *room_url, const msdk_serve_options *options, msdk_serve_info *out);

/** Returns the current state. MSDK_E_NOT_FOUND if this engine does not serve the room. [any thread] */
MSDK_EXPORT msdk_result msdk_room_get_serve_info(msdk_engine *engine, const char *room_url, msdk_serve_info *out);

/** Removes all members who joined over the network, notifies them (MSDK_E_CLOSED), and admits no more. Members of this process stay. When
 * the call returns, the port is free and the room may be served again. MSDK_E_NOT_FOUND if this engine does not serve the room.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_room_stop_serving(msdk_engine *engine, const char *room_url);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_SERVE_H */
