/** @file
 * mediasdk/session.h - one user's membership of a room: connection, participants, events, streams
 *
 *      connect                                                  disconnect
 *   IDLE --> CONNECTING --> CONNECTED <--> RECONNECTING   ... --> DISCONNECTING --> DISCONNECTED --> connect again
 *
 * States change in the background; an event reports each change. Each session has a queue of events, by default for 1,024. When
 * the queue is full, the oldest event is dropped, and the next event that is read has MSDK_EVENT_FLAG_LOST in its flags.
 */
#ifndef MEDIASDK_SESSION_H
#define MEDIASDK_SESSION_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_SESSION_IDLE = 0x100,
  MSDK_SESSION_CONNECTING = 0x101,
  MSDK_SESSION_CONNECTED = 0x102,
  MSDK_SESSION_RECONNECTING = 0x103,
  MSDK_SESSION_DISCONNECTING = 0x104,
  MSDK_SESSION_DISCONNECTED = 0x105
};

typedef struct msdk_session_options {
  uint32_t struct_size;
  uint32_t event_capacity;  /**< events that may be queued, 16..65,536; 0: 1,024 */
  const char *url;          /**< "loopback:NAME" with a NAME of 1..MSDK_NAME_MAX bytes; "rtp:...": rtp.h;
                             * "livekit+wss://...", a room that another program serves: serve.h, webrtc.h;
                             * "webrtc:...", "whip+https://...", "whep+https://...", "janus+https://...": webrtc.h */
  const char *user_id;      /**< 1..MSDK_NAME_MAX bytes of UTF-8, unique in the room; any text, so others must not use it as a file name */
  const char *display_name; /**< 1..MSDK_NAME_MAX bytes; NULL: the user id */
  const char *access_token; /**< up to MSDK_ACCESS_TOKEN_MAX bytes, passed to the room's verifier (room.h); NULL or "": none */
  const char *capture_path; /**< of a session over a network only: a file for all datagrams (network.h); NULL or "": none */
  uint32_t capture_flags;   /**< MSDK_CAPTURE_* */
  uint32_t encrypt_frames;  /**< 1: end-to-end encryption of all streams that the session sends, and it takes no others (encryption.h) */
  uint32_t encrypt_data;    /**< 1: the same of data (data.h), streams of data (data_stream.h) and remote procedure calls (rpc.h) */
  uint32_t reserved0;       /**< 0 */
} msdk_session_options;

/** Makes a session, which is idle. MSDK_E_RANGE, MSDK_E_INVALID and MSDK_E_UNSUPPORTED: the error text names the member of options.
 * An engine with a virtual clock accepts only "loopback:NAME" (MSDK_E_UNSUPPORTED). The caller destroys *out. [any thread] */
MSDK_EXPORT msdk_result msdk_session_create(msdk_engine *engine, const msdk_session_options *options, msdk_session **out);

/** Leaves the room, stops the session's streams, and destroys the session. [any thread] [may wait for running callbacks; and for a server to
 * have what it is to get: over janus+ for up to one second, over livekit+ for up to five] */
MSDK_EXPORT void msdk_session_destroy(msdk_session *session);

/** Starts to connect, and returns at once. MSDK_E_STATE: the session is neither idle nor disconnected. MSDK_EVENT_SESSION_STATE
 * reports the result: connecting, then connected, or disconnected with the reason. The reasons of a room's refusal are
 * MSDK_E_PERMISSION (the access token), MSDK_E_EXISTS (the user id is taken) and MSDK_E_FULL. A session that was refused by the
 * room, or removed from it, may connect again. [any thread] */
MSDK_EXPORT msdk_result msdk_session_connect(msdk_session *session);

/** Leaves the room. MSDK_EVENT_SESSION_STATE reports it: disconnecting, then disconnected. The call succeeds if the session is not
 * connected. [any thread] [may wait for running callbacks] */
MSDK_EXPORT msdk_result msdk_session_disconnect(msdk_session *session);

/** Replaces the access token, which is copied. NULL or "": none. A session that is connected or reconnecting shows it to the room's
 * verifier at once (MSDK_ACCESS_RENEWAL in room.h): MSDK_EVENT_ACCESS_RENEWED reports the answer, which replaces the permissions and the
 * lifetime of the access. A session that is refused keeps its access until it expires. A room without a verifier accepts with the
 * permissions of its options. If another token is set before the answer, only the last one is answered. In any other state the token is
 * used by the next msdk_session_connect. In a served room (serve.h) the token is shown again when a broken connection is replaced.
 * MSDK_E_INVALID: the token is too long or not UTF-8. MSDK_E_UNSUPPORTED: over rtp: and webrtc:, which have none. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_access_token(msdk_session *session, const char *token);

/** Returns the current state, MSDK_SESSION_*. [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_state(msdk_session *session, uint32_t *out);

/* ------------------------------------------------------------------------------------------------------------ participants */

typedef struct msdk_participant {
  uint32_t struct_size;
  uint32_t is_local;           /**< 1: this session's own user */
  uint32_t video_stream_count; /**< published at present */
  uint32_t reserved0;
  char user_id[256];
  char display_name[256];
  uint32_t audio_stream_count; /**< published at present */
  uint32_t is_speaking;        /**< 1: an active speaker */
  uint32_t audio_level;        /**< of the loudest stream when they began to speak, as in msdk_audio_frame; 127: not speaking */
  uint32_t is_sharing_screen;  /**< 1: they send a stream of kind MSDK_VIDEO_SCREEN_SHARE */
  uint32_t permissions; /**< MSDK_MAY_* (room.h); the room may change them when the participant renews their access */
  uint32_t reserved2;
} msdk_participant;

/** Returns the participants of the room by index, from 0: this session's own user first, then the others in the order in which they
 * joined. The list is empty while the session is not connected. When a participant leaves, the indices of those after them
 * decrease by one, so list the participants again after MSDK_EVENT_PARTICIPANT_LEFT. MSDK_E_NOT_FOUND: the index is past the end
 * of the list. [any thread] */
MSDK_EXPORT msdk_result msdk_session_participant_at(msdk_session *session, uint32_t index, msdk_participant *out);

/** Attributes: what a participant says of themselves, text by key, which everybody in their room can read. A key has 1..63 bytes of a-z,
 * 0-9, '.', '_' and '-'. Others must not trust a value more than the participant. The keys of streams of data are not restricted so
 * (msdk_key_value). */
enum { MSDK_ATTRIBUTES_MAX = 32 };        /**< of a participant */
enum { MSDK_ATTRIBUTE_KEY_MAX = 63 };     /**< bytes, without the NUL */
enum { MSDK_ATTRIBUTE_VALUE_MAX = 1023 }; /**< bytes of UTF-8, without the NUL */

typedef struct msdk_attribute {
  uint32_t struct_size;
  uint32_t reserved0; /**< 0 */
  char key[64];
  char value[1024];
} msdk_attribute;

/** Sets an attribute of the session's own participant, in any state; value NULL removes it. The session keeps its attributes: when it
 * connects, the others have them from the first moment. The others get MSDK_EVENT_PARTICIPANT_ATTRIBUTE for a change during the call.
 * Over a network, what is set while the session is MSDK_SESSION_RECONNECTING reaches them when it is connected again.
 * MSDK_E_INVALID: key or value is not accepted. MSDK_E_FULL: the participant has MSDK_ATTRIBUTES_MAX attributes. MSDK_E_UNSUPPORTED:
 * the session's transport has no attributes. MSDK_E_PERMISSION: the room does not let the session have them. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_attribute(msdk_session *session, const char *key, const char *value);

/** Returns an attribute of a participant: of the session's own user in any state, of others while they are in the room. The value is
 * written to buffer, which has size bytes; it may be NULL if size is 0. *needed, if not NULL, receives the size of the value with its NUL.
 * MSDK_E_BUFFER_SMALL: the value does not fit. MSDK_E_NOT_FOUND: no participant has the user id, or they have no such attribute.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_participant_attribute(msdk_session *session, const char *user_id, const char *key, char *buffer,
                                                               uint64_t size, uint64_t *needed);

/** Returns the attributes of a participant by index, from 0, in the order of their keys. MSDK_E_NOT_FOUND: no participant has the user id,
 * or the index is past the end of the list. [any thread] */
MSDK_EXPORT msdk_result msdk_session_participant_attribute_at(msdk_session *session, const char *user_id, uint32_t index,
                                                              msdk_attribute *out);

/** Moderation. The member that is moderated is notified by MSDK_EVENT_MODERATED. The functions below return MSDK_E_STATE if the
 * session is not connected, MSDK_E_PERMISSION without MSDK_MAY_MODERATE (room.h), MSDK_E_INVALID for the session's own user id,
 * and MSDK_E_NOT_FOUND if no member has the user id. */

/** Removes a member from the room. Their session becomes disconnected, with MSDK_E_REMOVED and the reason. It may connect again
 * unless the room's verifier refuses it. reason: NULL, or up to MSDK_NAME_MAX bytes. [any thread] */
MSDK_EXPORT msdk_result msdk_session_remove_participant(msdk_session *session, const char *user_id, const char *reason);

/** Mutes (1) or unmutes (0) a member's audio. 1 mutes the audio streams that are started on the member's session or attached to it
 * at that time, not later streams. The member may unmute them. 0 reverts this; streams that the member muted stay muted. In a room of
 * Janus the server passes them on again only after a moderator's 0. [any thread] */
MSDK_EXPORT msdk_result msdk_session_mute_participant(msdk_session *session, const char *user_id, uint32_t is_muted);

enum { MSDK_MODERATION_REMOVED = 1, MSDK_MODERATION_MUTED = 2, MSDK_MODERATION_UNMUTED = 3 }; /**< values of MSDK_EVENT_MODERATED */

/* ------------------------------------------------------------------------------------------------------------------ events */

/** Types of events. Each comment names the members of msdk_event that the type sets, besides type, flags and timestamp_ns. A session
 * that connects gets the events of everything that is in the room already: PARTICIPANT_JOINED for each other member, followed by the
 * _ADDED of their streams. A member who joins later is announced in the same order. */
enum {
  MSDK_EVENT_NONE = 0,
  /** state: MSDK_SESSION_*; status, text: the reason, if the program did not request the change */
  MSDK_EVENT_SESSION_STATE = 1,
  MSDK_EVENT_PARTICIPANT_JOINED = 2,    /**< user_id; text: the display name */
  MSDK_EVENT_PARTICIPANT_LEFT = 3,      /**< user_id */
  MSDK_EVENT_OUTGOING_VIDEO_STATE = 4,  /**< outgoing_video, kind; state: MSDK_OUTGOING_*; status, text: if it failed */
  /** outgoing_video, kind, sender, codec; format: what to make from now on. It does not come when the stream stops: the sender then
   * refuses frames with MSDK_E_STATE. */
  MSDK_EVENT_FRAME_SENDER_CHANGED = 5,
  /** incoming_video, user_id, kind; format, codec: those of the sender. With a codec format.pixel_format is what the encoder gets;
   * frames that are read have the pixel format of the options, or else that of the decoder (incoming_video.h). */
  MSDK_EVENT_INCOMING_VIDEO_ADDED = 6,
  MSDK_EVENT_INCOMING_VIDEO_STATE = 7,  /**< incoming_video, user_id, kind; state: MSDK_INCOMING_*; status, text */
  /** incoming_video, user_id, kind. The stream is NOT_AVAILABLE. A session keeps the last 64 removed streams. */
  MSDK_EVENT_INCOMING_VIDEO_REMOVED = 8,
  /** value: the bandwidth estimate in bits per second; 0: unlimited. A network path is probed up to a quarter above what the session's
   * streams could send, and without a bound where one with encoded_input has no target_bitrate. */
  MSDK_EVENT_ESTIMATE = 9,
  MSDK_EVENT_PLUGIN = 10,               /**< instance (NULL: a stream's codec); value: MSDK_PLUGIN_EVENT_*; status, text */
  /** outgoing_video. A receiver requests a key frame, also when it begins to receive the stream. With encoded_input the program, or the
   * producer, sends one. For other streams the SDK does what is needed, and the program may ignore the event; it comes for raw streams
   * too. */
  MSDK_EVENT_KEY_FRAME_REQUESTED = 11,
  MSDK_EVENT_OUTGOING_AUDIO_STATE = 12, /**< outgoing_audio, kind; state: MSDK_OUTGOING_*; status, text: if it failed */
  /** incoming_audio, user_id, kind; audio_format, codec: those of the sender; value: 1 if the stream is muted */
  MSDK_EVENT_INCOMING_AUDIO_ADDED = 13,
  /** incoming_audio, user_id ("" for the mix), kind; state: MSDK_INCOMING_*; status, text */
  MSDK_EVENT_INCOMING_AUDIO_STATE = 14,
  /** incoming_audio, user_id, kind. The stream is NOT_AVAILABLE. A session keeps the last 64 removed streams. */
  MSDK_EVENT_INCOMING_AUDIO_REMOVED = 15,
  MSDK_EVENT_INCOMING_AUDIO_MUTED = 16, /**< incoming_audio, user_id, kind; value: 1: its sender muted it, 0: unmuted it */
  /** user_id, also the session's own; state: MSDK_SPEAKER_*; value: the level, as in msdk_audio_frame */
  MSDK_EVENT_ACTIVE_SPEAKER = 17,
  /** user_id, also the session's own; state: MSDK_SCREEN_SHARE_*; kind; incoming_video, if another participant shares. The event
   * comes after the stream is added and before it is removed. Members that join later get it too. */
  MSDK_EVENT_SCREEN_SHARE_STATE = 18,
  /** user_id: the moderator, "" if it is not known or no participant (serve.h, LiveKit's API); value: MSDK_MODERATION_*, applied to
   * this session; text: the reason */
  MSDK_EVENT_MODERATED = 19,
  /** state: MSDK_INGEST_*; value: MSDK_FEED_*; kind, status, text; outgoing_video, format, codec: while sharing. See ingest.h. */
  MSDK_EVENT_INGEST = 20,
  /** outgoing_video or outgoing_audio, kind; codec: the new codec. A member joined that does not decode the previous codec, or whom
   * raw media does not reach (outgoing_video.h). */
  MSDK_EVENT_CODEC_CHANGED = 21,
  /** state: MSDK_QUALITY_*; direction: MSDK_DIRECTION_*; value: outgoing, as in MSDK_EVENT_ESTIMATE. See network.h. */
  MSDK_EVENT_NETWORK_QUALITY = 22,
  /** outgoing_video or outgoing_audio, kind; user_id: the member that is not sent the stream; status, text: why. Streams with
   * MSDK_CODEC_RAW, and streams of codecs that the network does not carry, stay in the process whose room is open to the network
   * (serve.h). The event comes for each such member, also for those that join later. */
  MSDK_EVENT_STREAM_UNREACHABLE = 23,
  /** outgoing_audio or incoming_audio, user_id, kind; value: the level of the loudest buffer since the previous such event of the
   * stream, as in msdk_audio_frame; 127: none, or silence. Only if requested (msdk_session_set_audio_level_interval). */
  MSDK_EVENT_AUDIO_LEVEL = 24,
  MSDK_EVENT_STATS = 25, /**< the stats are due to be read. Only if requested (msdk_session_set_stats_interval). */
  /** outgoing_video or outgoing_audio, kind; value: how many members receive the stream at present. Frames that are sent while there is
   * none are dropped (MSDK_DROP_NO_RECEIVER): receivers subscribe a short time after the stream was announced to them. */
  MSDK_EVENT_RECEIVERS = 26,
  /** value: nanoseconds until the session's access expires (room.h). It comes 30 s before the end, or after half of a lifetime below 60 s.
   * Then the session is disconnected with MSDK_E_PERMISSION, unless msdk_session_set_access_token has renewed the access. A session that
   * is reconnecting keeps its remaining lifetime. */
  MSDK_EVENT_ACCESS_EXPIRING = 27,
  /** value: the session's permissions, MSDK_MAY_*; status: MSDK_OK, or MSDK_E_PERMISSION if the room refused to renew the access;
   * text: why */
  MSDK_EVENT_ACCESS_RENEWED = 28,
  /** user_id; text: the key. Another participant has set, changed or removed an attribute. Those that they have when
   * MSDK_EVENT_PARTICIPANT_JOINED comes have no event of their own. */
  MSDK_EVENT_PARTICIPANT_ATTRIBUTE = 29,
  /** outgoing_video, kind; format: width, height, fps_num and fps_den that the receivers of the stream want together, 0: any; its other
   * members are 0. The SDK follows it, except with encoded_input (outgoing_video.h). The event comes four times a second at most. */
  MSDK_EVENT_OUTGOING_VIDEO_WANTED = 30,
  /** Something is sent or received that no description has: msdk_session_describe (webrtc.h). This event and those up to
   * MSDK_EVENT_ICE_SERVER_FAILED come over webrtc: only. */
  MSDK_EVENT_NEGOTIATION_NEEDED = 31,
  MSDK_EVENT_LOCAL_CANDIDATE = 32, /**< text: a candidate of this end ("candidate:..."); user_id: the name of its section (mid) */
  MSDK_EVENT_CANDIDATES_COMPLETE = 33, /**< no further candidate of this end comes, until ICE is restarted or a server is added */
  /** The path is lost or about to be, or its address has gone: msdk_session_restart_ice may bring another one. Once for each loss. */
  MSDK_EVENT_RESTART_WANTED = 34,
  /** user_id: the server; value: the code of its answer (RFC 8489), 0: it gave none; text: why it brings no candidate */
  MSDK_EVENT_ICE_SERVER_FAILED = 35,
  /** value: the channel; text: its label; user_id: its subprotocol, as far as they fit; direction: MSDK_DIRECTION_INCOMING: the peer has
   * opened it, MSDK_DIRECTION_OUTGOING: the peer knows of it. This event and those below come over webrtc: only. */
  MSDK_EVENT_DATA_CHANNEL_OPENED = 36,
  /** value: the channel; status, text: why, if neither end has closed it. What came before can be read (msdk_session_read_message). */
  MSDK_EVENT_DATA_CHANNEL_CLOSED = 37,
  /** value: the channel. A message has come; read until MSDK_E_AGAIN, before which the event does not come again. */
  MSDK_EVENT_MESSAGE_AVAILABLE = 38,
  MSDK_EVENT_DATA_CHANNEL_LOW = 39, /**< value: the channel; msdk_session_set_low_threshold */
  /** Data of others has come (data.h). Read until MSDK_E_AGAIN, before which the event does not come again. */
  MSDK_EVENT_DATA_AVAILABLE = 40,
  MSDK_EVENT_DATA_WRITABLE = 41, /**< data, which was refused with MSDK_E_AGAIN, has room again */
  /** incoming_video or incoming_audio, user_id, kind; or outgoing_video or outgoing_audio, kind; state: MSDK_ENCRYPTION_*; value: the
   * index of the key. Of each stream that is encrypted, or should be, when it begins and when the state changes (encryption.h). */
  MSDK_EVENT_STREAM_ENCRYPTION = 42,
  /** A request of another participant, or the result of a call, has come (rpc.h). Read until MSDK_E_AGAIN, before which the event does not
   * come again. */
  MSDK_EVENT_RPC_AVAILABLE = 43,
  /** A part of a stream of data has come (data_stream.h). Read until MSDK_E_AGAIN, before which the event does not come again. */
  MSDK_EVENT_DATA_STREAM_AVAILABLE = 44,
  /** user_id; state: MSDK_ENCRYPTION_*; value: the index of the key. Whether the data of a participant can be decrypted, with the first that
   * is encrypted, or should be, and when the state changes (encryption.h). */
  MSDK_EVENT_DATA_ENCRYPTION = 45
};

/** Return the name of an event's type, or of a state of any of the families MSDK_SESSION_*, MSDK_OUTGOING_*, MSDK_INCOMING_*,
 * MSDK_SCREEN_SHARE_*, MSDK_INGEST_*, MSDK_QUALITY_*, MSDK_SPEAKER_*, MSDK_INSTANCE_* and MSDK_ENCRYPTION_*, for example
 * "MSDK_SESSION_CONNECTED".
 * A value that this version does not know is "MSDK_EVENT_UNKNOWN" or "MSDK_STATE_UNKNOWN". The string is static. [any thread] */
MSDK_EXPORT const char *msdk_event_type_string(uint32_t type);
MSDK_EXPORT const char *msdk_state_string(uint32_t state);

enum { MSDK_SCREEN_SHARE_DISABLED = 0x400, MSDK_SCREEN_SHARE_ENABLED = 0x401 };

enum { MSDK_SPEAKER_SILENT = 0x700, MSDK_SPEAKER_ACTIVE = 0x701 };

enum { MSDK_EVENT_FLAG_LOST = 1 }; /**< in flags: events before this one were dropped */

typedef struct msdk_event {
  uint32_t struct_size;
  uint32_t type; /**< MSDK_EVENT_* */
  uint32_t flags; /**< MSDK_EVENT_FLAG_* */
  uint32_t state; /**< 0 if the type has none */
  msdk_result status; /**< MSDK_OK, or the error */
  uint32_t codec;     /**< MSDK_CODEC_* */
  int64_t timestamp_ns; /**< of the event, on the engine's clock */
  uint64_t value;       /**< as the type says */
  /** Handles: NULL if the type has none. They are not new references; the receiver of the event does not destroy them. If the stream,
   * sender or instance was destroyed after the event was queued, the event still has its handle, for comparison: every function refuses
   * it (MSDK_E_HANDLE), and no other object gets it. */
  msdk_outgoing_video *outgoing_video;
  msdk_frame_sender *sender;
  msdk_incoming_video *incoming_video;
  msdk_instance *instance;
  msdk_video_format format;
  char user_id[256];
  char text[512];
  msdk_outgoing_audio *outgoing_audio;
  msdk_incoming_audio *incoming_audio;
  msdk_audio_format audio_format;
  uint32_t kind; /**< of a stream: MSDK_VIDEO_* or MSDK_AUDIO_* */
  uint32_t direction; /**< MSDK_DIRECTION_* */
} msdk_event;

/** Dequeues the oldest event. MSDK_E_TIMEOUT: none came in time. MSDK_E_AGAIN: timeout_ms is 0 and there is none. MSDK_E_CLOSED: the
 * session was destroyed meanwhile. MSDK_E_STATE: an event callback is set. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_session_next_event(msdk_session *session, uint32_t timeout_ms, msdk_event *out);

/** Returns a descriptor that poll() reports as readable while events are queued. The session owns it: do not read, write or close
 * it. [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_event_fd(msdk_session *session, int32_t *out);

/** Gets one event, which is valid during the call. It is called on a thread of the session, one event at a time, in order. */
typedef void (*msdk_event_fn)(void *user, const msdk_event *event);

/** Sets the event callback. It gets the queued events first. While it is set, events cannot be pulled; NULL removes it. When the
 * call returns, the previous callback is not running, unless the call was made inside a callback. [any thread] [may wait for the
 * running callback] */
MSDK_EXPORT msdk_result msdk_session_set_event_callback(msdk_session *session, msdk_event_fn callback, void *user);

/** Requests periodic events, on the engine's clock, while the session is connected. interval_ms: 50..60,000; 0, the default: none
 * (else MSDK_E_RANGE). The first comes after one interval. They are not queued while more than half of event_capacity is in use, so
 * that no other event is lost to them.
 *
 * Audio levels: one MSDK_EVENT_AUDIO_LEVEL for each audio stream that the session sends, then for each that it receives. A stream
 * that is not started, and not part of a started mix, has the level 127. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_audio_level_interval(msdk_session *session, uint32_t interval_ms);

/** Stats: one MSDK_EVENT_STATS, after which the program reads msdk_session_get_stats_json and others. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_stats_interval(msdk_session *session, uint32_t interval_ms);

/* ----------------------------------------------------------------------------------------------------------------- streams */

/** Return the current streams of the session by index, from 0: incoming streams, and outgoing streams that are started or attached.
 * The _get_info functions describe them. A program that lost events (MSDK_EVENT_FLAG_LOST) lists the streams to find what it
 * missed. The order does not change until a stream is added or removed. *out is the handle that events carry, not a new reference;
 * the program does not destroy incoming streams. MSDK_E_NOT_FOUND: the index is past the end of the list. [any thread] */
MSDK_EXPORT msdk_result msdk_session_incoming_video_at(msdk_session *session, uint32_t index, msdk_incoming_video **out);
MSDK_EXPORT msdk_result msdk_session_incoming_audio_at(msdk_session *session, uint32_t index, msdk_incoming_audio **out);
MSDK_EXPORT msdk_result msdk_session_outgoing_video_at(msdk_session *session, uint32_t index, msdk_outgoing_video **out);
MSDK_EXPORT msdk_result msdk_session_outgoing_audio_at(msdk_session *session, uint32_t index, msdk_outgoing_audio **out);

/* ------------------------------------------------------------------------------------------------------------------- video */

/** Offers a stream to the room. Events report its states and its frame sender. On a connected session the stream starts at once, and
 * stops when the connection ends. On a session that is idle, connecting or disconnected, the stream is attached: it starts each time
 * the session connects, until it is stopped or destroyed. Started streams continue while the session is reconnecting. A screen share
 * without formats gets its producer's format here. MSDK_E_STATE: the stream is already started or attached, the session already has
 * a screen share or is disconnecting, or a screen share without formats has no producer. MSDK_E_PERMISSION: the room does not permit
 * it; for an attached stream, MSDK_EVENT_OUTGOING_VIDEO_STATE reports this with MSDK_OUTGOING_FAILED. MSDK_E_LIMIT, or the producer's
 * own error: the producer's format is not accepted. MSDK_E_INVALID: the stream belongs to another engine. [any thread] [not in a
 * callback of the same instance, if that is the producer of a stream without formats] */
MSDK_EXPORT msdk_result msdk_session_start_video(msdk_session *session, msdk_outgoing_video *stream);

/** Withdraws and detaches a stream. Frames that were sent are still reported. MSDK_E_STATE: the stream is neither started on this
 * session nor attached to it. [any thread] [may wait for running callbacks of the stream] */
MSDK_EXPORT msdk_result msdk_session_stop_video(msdk_session *session, msdk_outgoing_video *stream);

/* ------------------------------------------------------------------------------------------------------------------- audio */

/** Offers an audio stream to the room. Events report its states. On a connected session the stream starts at once, and stops when
 * the connection ends. On a session that is idle, connecting or disconnected, the stream is attached: it starts each time the
 * session connects, until it is stopped or destroyed. A session has up to 8 outgoing audio streams (MSDK_E_FULL). MSDK_E_STATE:
 * the stream is already started or attached, or the session is disconnecting. MSDK_E_PERMISSION: the room does not permit it; for
 * an attached stream, MSDK_EVENT_OUTGOING_AUDIO_STATE reports this with MSDK_OUTGOING_FAILED. MSDK_E_INVALID: the stream belongs
 * to another engine. [any thread] */
MSDK_EXPORT msdk_result msdk_session_start_audio(msdk_session *session, msdk_outgoing_audio *stream);

/** Withdraws and detaches an audio stream. Queued audio is reported as dropped. MSDK_E_STATE: the stream is neither started on this
 * session nor attached to it. [any thread] [may wait for running callbacks of the stream, and its producer] */
MSDK_EXPORT msdk_result msdk_session_stop_audio(msdk_session *session, msdk_outgoing_audio *stream);

/** Returns the mix: the audio of all other participants in one stream (incoming_audio.h). The mix exists from the first call until
 * the session is destroyed; every call returns the same handle. The session owns *out: the caller does not destroy it. The mix can be
 * started in any state of the session, also before it connects. It is silent while the session is not connected, and stays started.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_mixed_audio(msdk_session *session, msdk_incoming_audio **out);

/* --------------------------------------------------------------------------------------------------------------- rendering */

typedef struct msdk_session_renderer_options {
  uint32_t struct_size;
  uint32_t include_local; /**< 1: also this user, with the outgoing streams as sent; streams with encoded_input have no frames here */
} msdk_session_renderer_options;

/** Attaches a renderer of the whole call. The renderer is an instance of a class that renders several inputs (update_input of
 * plugin.h), for example org.mediasdk.renderer.grid. The call works on a session in any state. `options` may be NULL for the
 * defaults.
 *   - Every participant is an input, with or without video. Every screen share is another input. The renderer gets names, frames,
 *     and who is speaking or muted. While the session is connected, the inputs follow the participants.
 *   - Streams that the program has never started are started for the renderers, and stopped when the last renderer is detached. If
 *     the program starts such a stream itself, it stays started. If the program stops one, it stays stopped.
 *   - The newest frame of each input is shown. A slow renderer skips frames and delays nobody.
 *   - A later failure is reported once by MSDK_EVENT_PLUGIN, and the renderer is detached.
 *
 * A session has up to 8 such renderers (MSDK_E_FULL). MSDK_E_UNSUPPORTED: the class renders a single input. MSDK_E_STATE: the
 * instance is already attached. [any thread] [not in a callback of the same instance] */
MSDK_EXPORT msdk_result msdk_session_attach_renderer(msdk_session *session, msdk_instance *renderer,
                                                     const msdk_session_renderer_options *options);

/** Detaches a renderer and removes its inputs. Its file or window stays open; msdk_instance_release closes it. Destroying the
 * session does both. MSDK_E_NOT_FOUND: the renderer is not attached to this session. [any thread] [may wait for a frame that is
 * being rendered] */
MSDK_EXPORT msdk_result msdk_session_detach_renderer(msdk_session *session, msdk_instance *renderer);

/* ------------------------------------------------------------------------------------------------------------------- stats */

typedef struct msdk_session_stats {
  uint32_t struct_size;
  uint32_t state;                      /**< MSDK_SESSION_* */
  uint64_t available_outgoing_bitrate; /**< the bandwidth estimate, bits per second; 0: unlimited */
  uint64_t bytes_sent, bytes_received; /**< of payload */
  uint64_t packets_sent, packets_received, packets_lost; /**< packets_lost: of the packets sent to this session */
  uint64_t events_queued, events_dropped; /**< since the session was made */
  uint32_t participants;                  /**< in the room, this user included; 0 while not connected */
  uint32_t reserved0;                     /**< 0 */
  /** Over rtp: and WebRTC: received datagrams that were not accepted: from other hosts, of no negotiated stream, not authentic, or
   * received before. */
  uint64_t packets_foreign, packets_refused, packets_forged, packets_replayed;
  uint64_t packets_unsent;    /**< not accepted by the network, or by a full buffer of the system */
  int64_t round_trip_time_ns; /**< 0: unknown */
  uint32_t outgoing_quality, incoming_quality; /**< MSDK_QUALITY_* (network.h) */
} msdk_session_stats;

/** Returns the stats of the current connection; events are counted since the session was made. [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_stats(msdk_session *session, msdk_session_stats *out);

/** Returns these and more stats as JSON (RFC 8259). The text is an array of objects with the names and units of W3C webrtc-stats.
 * Times are in seconds; `timestamp` is in milliseconds on the engine's clock. Every session has one object of type "session". A
 * session over rtp: or WebRTC also has a "transport" for each pair of ports, and an "inbound-rtp" or "outbound-rtp" for each stream;
 * so has a session in a loopback room with a scripted network (network.h). The "inbound-rtp" of the latest eight ended streams stay.
 * An outgoing stream also has a "remote-inbound-rtp" with the peer's reports. A member that is null is not known.
 *
 * The text is written to buffer, which has size bytes; it may be NULL if size is 0. *needed, if not NULL, receives the size of the
 * text with its NUL. MSDK_E_BUFFER_SMALL: the text does not fit. [any thread] */
MSDK_EXPORT msdk_result msdk_session_get_stats_json(msdk_session *session, char *buffer, uint64_t size, uint64_t *needed);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_SESSION_H */
