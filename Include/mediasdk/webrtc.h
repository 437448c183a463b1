/** @file
 * mediasdk/webrtc.h - sessions over WebRTC: one peer, and the program carries what the two say to each other
 *
 * A session whose url begins with "webrtc:" sends its streams to one peer, and receives the peer's: a browser, libwebrtc, a media
 * server, another engine. Descriptions (SDP, RFC 9429) and candidates (RFC 8839) of both ends are text that the program carries, by
 * whatever means it has. Paths are found by ICE (RFC 8445), keys come by DTLS (RFC 5764), and media is SRTP. The engine must have the
 * system clock (else MSDK_E_UNSUPPORTED). The access token is not used.
 *
 * The codecs are MSDK_CODEC_VP8 and MSDK_CODEC_OPUS, which MSDK_CODEC_AUTO chooses. A stream of another codec, or of MSDK_CODEC_RAW,
 * fails to start with MSDK_E_UNSUPPORTED. A stream that the peer has no place for fails with MSDK_E_UNSUPPORTED when its answer comes.
 *
 *     webrtc:?key=value&...
 *
 *     stun=HOST[:PORT][,...]             servers of STUN, at most 4; default: none, port 3478
 *     relay=0|1                          1: only addresses at relays are offered and used, so the peer does not learn this machine's
 *     trickle=0|1                        1 (default): a description has the candidates that are known when it is read, and later ones
 *                                        are events; 0: the description is complete when MSDK_EVENT_CANDIDATES_COMPLETE comes, and is
 *                                        to be read then
 *     polite=0|1                         of two offers at once, 1 (default): this end gives its own up; 0: it ignores the peer's.
 *                                        Exactly one of the two ends has to be polite
 *     receive=both|video|audio|none      what an offer asks the peer for, though nothing of that kind is sent; default: both
 *     loopback=0|1                       1: loopback addresses are offered beside others; without others they always are
 *     relay-fingerprint=HEX              SHA-256 of the certificate of relays over TLS; default: certificates are to be signed by an
 *                                        authority that the system trusts
 *     min-bitrate, start-bitrate, max-bitrate   as in rtp.h
 *
 * Relays need a user and a password, which do not belong into a url, as urls are logged: msdk_session_add_ice_server.
 *
 * The session is MSDK_SESSION_CONNECTING from msdk_session_connect until there is a path and the keys are agreed on. Streams start
 * with msdk_session_connect already, since a description has to name them. Until the peer receives a stream, its frames are dropped
 * (MSDK_DROP_NO_RECEIVER); MSDK_EVENT_RECEIVERS says when it does.
 *
 * What a program does (perfect negotiation, as browsers call it), the same at both ends but for polite:
 *
 *   - MSDK_EVENT_NEGOTIATION_NEEDED: msdk_session_describe, msdk_session_get_local_description, and send type and text to the peer.
 *     Whoever only receives may offer without this event. MSDK_E_STATE of msdk_session_describe may be ignored here: an offer waits for
 *     its answer already, after which the event comes again if more is needed.
 *   - The peer's description came: msdk_session_set_remote_description. Was it an offer that was applied: the same again, which makes
 *     the answer.
 *   - MSDK_EVENT_LOCAL_CANDIDATE: send text and section to the peer. The peer's came: msdk_session_add_remote_candidate.
 *   - MSDK_EVENT_CANDIDATES_COMPLETE: nothing, or send an empty candidate. With trickle=0: read and send the description now.
 *   - MSDK_EVENT_RESTART_WANTED: msdk_session_restart_ice, at one end. MSDK_EVENT_NEGOTIATION_NEEDED follows.
 *
 * Both ends may offer at the same time. The polite one takes its own offer back by itself when it sets the peer's, and offers again
 * afterwards. The other one ignores the peer's offer, and the candidates that come with it.
 *
 * If nothing is heard of the peer for some seconds (7.5 s in the middle of media, 12.5 s at most), or the address of the path has gone,
 * the session is MSDK_SESSION_RECONNECTING. It may come back by itself, or by a restart, and is MSDK_SESSION_CONNECTED then. While this
 * machine has no address, MSDK_EVENT_RESTART_WANTED waits for one; another address brings it again. The session is
 * MSDK_SESSION_DISCONNECTED with MSDK_E_TIMEOUT when there was no path for 60 s since the last exchange of descriptions, or since the path
 * was lost; with MSDK_E_CLOSED when the peer has left; and with MSDK_E_UNTRUSTED when the peer showed another certificate than its
 * description says. While no description of the peer is there, it waits without an end.
 *
 * The peer is a participant from its first stream to its last; its user id is "peer", or "remote-peer" if that is the session's own. A
 * video stream is added with its first key frame; its kind is MSDK_VIDEO_VIRTUAL. MSDK_EVENT_ESTIMATE follows what the peer reports.
 *
 * Beside media, or without any (receive=none), the two ends exchange messages in data channels (RFC 8831), as browsers do. Either end
 * opens a channel; MSDK_EVENT_DATA_CHANNEL_OPENED says that both have it. Channels end with the connection of the session, without an
 * event of their own. A message has up to 262,144 bytes in either direction, or fewer if the peer takes fewer. Messages that have come
 * wait to be read, up to a megabyte of all channels; then the peer has to wait, so read all that there are.
 *
 * WHIP and WHEP. With one of these urls the peer is a server, and nothing has to be carried: descriptions and candidates go over HTTP.
 * The events and functions below are not used.
 *
 *     whip+https://HOST[:PORT]/PATH[?QUERY][#key=value&...]    sends to a server of WHIP (RFC 9725)
 *     whep+https://HOST[:PORT]/PATH[?QUERY][#key=value&...]    receives from a server of WHEP (draft-ietf-wish-whep)
 *
 * whip+http: and whep+http: accept loopback addresses only (else MSDK_E_UNTRUSTED). What follows the # is for this end, and is not sent:
 * stun, relay, trickle, loopback, relay-fingerprint as above; fingerprint=HEX, the SHA-256 of the server's certificate, instead of an
 * authority that the system trusts; the bitrates (WHIP); receive=both|video|audio (WHEP). The token, if the server wants one, is
 * access_token of the session's options; a later one (msdk_session_set_access_token) is shown when a lost session is replaced.
 *
 * A session of WHIP takes one stream of video and one of audio, those that are started before msdk_session_connect or, if none is,
 * within 0.1 s of each other: media are agreed on once. A second stream of a kind fails to start with MSDK_E_LIMIT, a later one of a
 * kind that was not agreed on with MSDK_E_STATE; one that takes the place of a stopped one does not fail. Until the first stream is
 * started, the session is MSDK_SESSION_CONNECTING, and nothing is sent.
 * On a session of WHEP no stream can be started (MSDK_E_UNSUPPORTED).
 *
 * If the path is lost, ICE is restarted. If the server ends the session or forgets it, or if there is no path for 60 s, another session
 * takes its place, and is tried for 5 minutes; the first one is tried for 30 s. What a further attempt cannot change ends the session at
 * once: MSDK_E_PERMISSION (401, 403), MSDK_E_NOT_FOUND (404, 410), MSDK_E_FORMAT (406, 422: none of the offered formats),
 * MSDK_E_UNSUPPORTED (405 and others: no url of WHIP or WHEP), MSDK_E_UNTRUSTED (another certificate). MSDK_E_AGAIN: the server is busy,
 * or nobody sends there yet. msdk_session_disconnect ends the session at the server (DELETE).
 *
 * Rooms at servers. With one of these urls the session is in a room with others, publishes to it, and receives the streams that the
 * program starts to receive. The events and functions below are not used, and streams may be started at any time.
 *
 *     janus+https://HOST[:PORT]/PATH?room=ROOM[#key=value&...]     the plugin VideoRoom of Janus, version 1.0 or later, over HTTP
 *     janus+wss://HOST[:PORT]/PATH?room=ROOM[#key=value&...]       the same over WebSocket
 *     livekit+wss://HOST[:PORT][/PATH][#key=value&...]             LiveKit's protocol: a room that another program serves (serve.h), or
 *                                                                  a server of LiveKit, against which this was never run
 *
 * janus+http:, janus+ws: and livekit+ws: accept loopback addresses only (else MSDK_E_UNTRUSTED). What follows the # is for this end, as
 * above: stun, relay, trickle (Janus), loopback, relay-fingerprint, fingerprint, and the bitrates; of LiveKit also room=NAME, for a room
 * that is served without API keys (serve.h). A server of LiveKit may name servers of STUN and TURN itself.
 *
 * The access token of Janus is "pin=...&token=...&apisecret=...&secret=...", each of them or none. At a server of LiveKit, and in a
 * served room with API keys, it is a JWT (msdk_access_token_create), which names the room; its identity has to be the session's user_id
 * (else MSDK_E_INVALID). In a room without API keys (#room=) it is any text or none, which the room's verifier gets (room.h). Users and
 * names of participants are their identities and names there, in a room of Janus their ids and display names. Streams of others whose
 * codec is not VP8 or Opus are not reported. Those that LiveKit's SDKs encrypt from end to end need a key (encryption.h).
 *
 * Mute, speakers and moderation are events as in other rooms. msdk_session_remove_participant and msdk_session_mute_participant need the
 * room's secret of Janus, or a token of LiveKit with MSDK_GRANT_ADMIN (else MSDK_E_PERMISSION). LiveKit's server is asked by its API
 * (RoomService), at the same host and port; what it then refuses is logged. It passes on neither the reason nor who asked; a served
 * room (serve.h) does. In a room without API keys moderation needs MSDK_MAY_MODERATE of the room instead, no API is asked. Attributes
 * of participants (msdk_session_set_attribute) are those of LiveKit, where a JWT has to grant canUpdateOwnMetadata (MSDK_E_PERMISSION);
 * Janus has none.
 *
 * If a connection is lost, the path is sought anew, or another session at the server takes the place of this one: the session is
 * MSDK_SESSION_RECONNECTING meanwhile, for up to 5 minutes, and what is received is announced again. Attempts that fail are logged.
 * The first ones end after 30 s; in a room without API keys (#room=) there is one first attempt. With LiveKit the connection to the
 * server is replaced by another one, too: for 15 s the session goes on, without others noticing. What a further attempt cannot change
 * ends the session at once: MSDK_E_PERMISSION (the token), MSDK_E_NOT_FOUND (no such server or room), MSDK_E_FULL, MSDK_E_EXISTS (the same
 * identity has joined from elsewhere), MSDK_E_REMOVED, MSDK_E_CLOSED, MSDK_E_UNTRUSTED.
 */
#ifndef MEDIASDK_WEBRTC_H
#define MEDIASDK_WEBRTC_H

#include "rtp.h"
#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { /* beside MSDK_SDP_OFFER and MSDK_SDP_ANSWER of rtp.h */
  MSDK_SDP_ROLLBACK = 4 /**< takes back the offer of either end that is not answered; it has no text */
};

/** Makes the next description of this end and sets it: the answer to an offer of the peer that waits for one, else an offer. *type, if
 * not NULL, is set to MSDK_SDP_ANSWER or MSDK_SDP_OFFER. On an error nothing has changed. MSDK_E_STATE: the session is not connecting
 * or connected, its url does not begin with "webrtc:", or an offer waits for the peer's answer. MSDK_E_LIMIT: more than 256 sections.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_session_describe(msdk_session *session, uint32_t *type);

/** Returns the description of this end that was set last, with the candidates that are known by now. The text is copied to buffer (size
 * bytes; may be NULL with 0). *needed, if not NULL, is set to the size with NUL; it may grow until MSDK_EVENT_CANDIDATES_COMPLETE.
 * MSDK_E_BUFFER_SMALL: it does not fit. MSDK_E_STATE: there is none, or as msdk_session_describe. [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_local_description(msdk_session *session, char *buffer, uint64_t size, uint64_t *needed);

enum { /* what became of a description of the peer */
  MSDK_DESCRIPTION_APPLIED = 1,
  MSDK_DESCRIPTION_IGNORED = 2 /**< an offer that met one of this end, which is not polite; it is not answered */
};

/** Sets a description of the peer: MSDK_SDP_OFFER, MSDK_SDP_ANSWER, or MSDK_SDP_ROLLBACK (sdp may be NULL), of up to MSDK_SDP_MAX bytes.
 * *outcome, if not NULL, is set to MSDK_DESCRIPTION_*. On an error nothing has changed. MSDK_E_INVALID: it is malformed, or does not
 * fit what was offered (the error text says where). MSDK_E_UNSUPPORTED: an unknown type, or what cannot be carried, as media without
 * BUNDLE. MSDK_E_LIMIT: it has more than is taken. MSDK_E_STATE: there is no offer to be answered or taken back, or as
 * msdk_session_describe. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_remote_description(msdk_session *session, uint32_t type, const char *sdp, uint32_t *outcome);

/** Adds a candidate of the peer, as a=candidate has it ("candidate:..."), of up to MSDK_CANDIDATE_MAX bytes; an empty one says that none
 * follows. mid: the name of its section, or NULL. Candidates that cannot be used (other transports, names) and those of an offer that
 * was ignored have no effect. MSDK_E_INVALID: it is malformed. MSDK_E_NOT_FOUND: no description has that section. MSDK_E_STATE: as
 * msdk_session_describe. [any thread] */
MSDK_EXPORT msdk_result msdk_session_add_remote_candidate(msdk_session *session, const char *candidate, const char *mid);

enum { MSDK_CANDIDATE_MAX = 1024 };

/** Adds a server of STUN or TURN, for this connection of the session and later ones: "stun:HOST:PORT", "turn:HOST:PORT",
 * "turn:HOST:PORT?transport=tcp" or "turns:HOST:PORT" (RFC 7064, RFC 7065), each of up to 512 bytes. user and password of a relay are copied
 * and never logged; NULL for a server of STUN. Its name is resolved on a thread of its own. A server that is of no use is reported by
 * MSDK_EVENT_ICE_SERVER_FAILED. Add servers before the first description, which is complete sooner then. MSDK_E_INVALID: not such
 * a URI, or a relay without user or password. MSDK_E_UNSUPPORTED: "stuns:", or "turns:" over UDP. MSDK_E_LIMIT: more than 16. MSDK_E_STATE:
 * the url does not begin with "webrtc:". [any thread] */
MSDK_EXPORT msdk_result msdk_session_add_ice_server(msdk_session *session, const char *uri, const char *user, const char *password);

/** The next offer of this end restarts ICE: all paths are sought anew, while media go on over the one that there is.
 * MSDK_EVENT_NEGOTIATION_NEEDED follows once something was negotiated. MSDK_E_STATE: as msdk_session_describe. [any thread] */
MSDK_EXPORT msdk_result msdk_session_restart_ice(msdk_session *session);

/* ----------------------------------------------------------------------------------------------------------- data channels */

enum { /* flags of a data channel; without any it is reliable and in order */
  MSDK_DATA_CHANNEL_UNORDERED = 1,           /**< messages may overtake each other */
  MSDK_DATA_CHANNEL_LIMITED_RETRANSMITS = 2, /**< a lost message is sent again max_retransmits times; not with LIMITED_LIFETIME */
  MSDK_DATA_CHANNEL_LIMITED_LIFETIME = 4,    /**< a lost message is sent again for lifetime_ms since it was sent */
  MSDK_DATA_CHANNEL_NEGOTIATED = 8           /**< both programs open the channel with the same number, and neither end asks the other */
};

typedef struct msdk_data_channel_options {
  uint32_t struct_size;
  uint32_t flags;           /**< MSDK_DATA_CHANNEL_* */
  const char *label;        /**< up to 1,024 bytes; the peer gets it; NULL: empty */
  const char *protocol;     /**< the subprotocol, likewise */
  uint32_t number;          /**< with NEGOTIATED: of the stream, 0..1,023; else 0 */
  uint32_t max_retransmits; /**< with LIMITED_RETRANSMITS: 0..65,535; else 0 */
  uint32_t lifetime_ms;     /**< with LIMITED_LIFETIME: in milliseconds; else 0 */
  uint32_t reserved0;
} msdk_data_channel_options;

/** Opens a data channel; its id, which is not used again, is put into *channel. Messages that are sent at once wait for the peer. Without
 * a connection, or in one without channels, MSDK_EVENT_NEGOTIATION_NEEDED follows. If the peer takes none,
 * MSDK_EVENT_DATA_CHANNEL_CLOSED has MSDK_E_UNSUPPORTED. MSDK_E_UNSUPPORTED: the url does not begin with "webrtc:", or unknown flags.
 * MSDK_E_STATE: the session is not connecting or connected. MSDK_E_RANGE, MSDK_E_INVALID: options. MSDK_E_FULL: there are 256.
 * MSDK_E_EXISTS: the number is in use. [any thread] */
MSDK_EXPORT msdk_result msdk_session_open_data_channel(msdk_session *session, const msdk_data_channel_options *options,
                                                       uint64_t *channel);

/** Closes a channel, when what was sent on it has arrived. What has come and was not read is dropped. MSDK_EVENT_DATA_CHANNEL_CLOSED
 * follows, if the peer has not closed it before. MSDK_E_NOT_FOUND: there is no such channel. Others as msdk_session_open_data_channel.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_session_close_data_channel(msdk_session *session, uint64_t channel);

enum { MSDK_MESSAGE_TEXT = 1, MSDK_MESSAGE_BINARY = 2 }; /**< types of messages; text is said to be UTF-8, which is not checked */
enum { MSDK_MESSAGE_MAX = 262144 };

/** Sends a message, which is copied, of up to MSDK_MESSAGE_MAX bytes; data may be NULL with 0. It never waits. MSDK_E_AGAIN: a megabyte
 * of all channels is not acknowledged yet, or 8,192 messages wait; MSDK_EVENT_DATA_CHANNEL_LOW says when there is room. MSDK_E_RANGE: it
 * is longer than the peer takes. MSDK_E_NOT_FOUND: the channel is closed. MSDK_E_STATE: it is being closed. Others as
 * msdk_session_open_data_channel. [any thread] */
MSDK_EXPORT msdk_result msdk_session_send_message(msdk_session *session, uint64_t channel, uint32_t type, const uint8_t *data,
                                                  uint64_t size);

/** Takes the oldest message of a channel, which is copied to buffer (size bytes; may be NULL with 0). *type, if not NULL, is set to
 * MSDK_MESSAGE_*, and *needed, if not NULL, to the size of the message. MSDK_E_BUFFER_SMALL: it does not fit, and can still be read.
 * MSDK_E_AGAIN: there is none; MSDK_EVENT_MESSAGE_AVAILABLE comes when there is. MSDK_E_NOT_FOUND: the channel is closed, and all was
 * read. Others as msdk_session_open_data_channel. [any thread] */
MSDK_EXPORT msdk_result msdk_session_read_message(msdk_session *session, uint64_t channel, uint32_t *type, uint8_t *buffer, uint64_t size,
                                                  uint64_t *needed);

/** Returns how many bytes of a channel's messages the peer has not acknowledged. MSDK_E_NOT_FOUND: the channel is closed. Others as
 * msdk_session_open_data_channel. [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_unacknowledged_bytes(msdk_session *session, uint64_t channel, uint64_t *out);

/** MSDK_EVENT_DATA_CHANNEL_LOW comes when the bytes that are not acknowledged fall to so many, from above; 0 by default. Errors as above.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_low_threshold(msdk_session *session, uint64_t channel, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
