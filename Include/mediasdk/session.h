/* mediasdk/session.h - one user's membership of a room: connecting, participants, events
 *
 *      connect                                                  disconnect
 *   IDLE --> CONNECTING --> CONNECTED <--> RECONNECTING   ... --> DISCONNECTING --> DISCONNECTED --> connect again
 *
 * States change in the background, and each change is an event. Events are a queue of 1,024 per session: when the program is so far
 * behind, the oldest is dropped, and the next one that is read carries MSDK_EVENT_LOST in its flags.
 */
#ifndef MEDIASDK_SESSION_H
#define MEDIASDK_SESSION_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_SESSION_IDLE = 0,
  MSDK_SESSION_CONNECTING = 1,
  MSDK_SESSION_CONNECTED = 2,
  MSDK_SESSION_RECONNECTING = 3,
  MSDK_SESSION_DISCONNECTING = 4,
  MSDK_SESSION_DISCONNECTED = 5
};

typedef struct msdk_session_options {
  uint32_t struct_size;
  uint32_t event_capacity;  /* events that may wait, 16..65,536; 0: 1,024 */
  const char *url;          /* "loopback:NAME", NAME of 1..MSDK_NAME_MAX bytes; "rtp:...": rtp.h; "hub://...": hub.h */
  const char *user_id;      /* 1..MSDK_NAME_MAX bytes, unique in the room */
  const char *display_name; /* NULL: the user id */
  const char *access_token; /* up to MSDK_ACCESS_TOKEN_MAX bytes (room.h), shown to the room's verifier; NULL or "": none */
  const char *capture_path; /* of a session over RTP or in a hub: the file of all its datagrams (network.h); NULL or "": none */
  uint32_t capture_flags;   /* MSDK_CAPTURE_* */
  uint32_t reserved0;
} msdk_session_options;

/* Makes a session, idle. *out is the caller's to destroy. [any thread] */
MSDK_EXPORT msdk_result msdk_session_create(msdk_engine *engine, const msdk_session_options *options, msdk_session **out);

/* Leaves the room, stops the session's streams and ends it. [any thread] [may wait for running callbacks] */
MSDK_EXPORT void msdk_session_destroy(msdk_session *session);

/* Begins to connect. MSDK_E_STATE unless idle or disconnected. What happens comes as MSDK_EVENT_SESSION_STATE: connecting, then
 * connected, or disconnected with the reason (MSDK_E_PERMISSION: the room refuses the access token; MSDK_E_EXISTS: the user id is taken in
 * the room; MSDK_E_FULL: it takes no more). A session that was refused, or taken out of the room, may try again. [any thread] */
MSDK_EXPORT msdk_result msdk_session_connect(msdk_session *session);

/* Begins to leave. A success when there is nothing to leave. [any thread] */
MSDK_EXPORT msdk_result msdk_session_disconnect(msdk_session *session);

/* MSDK_SESSION_* now. [any thread] */
MSDK_EXPORT msdk_result msdk_session_state(msdk_session *session, uint32_t *out);

/* ------------------------------------------------------------------------------------------------------------ participants */

typedef struct msdk_participant {
  uint32_t struct_size;
  uint32_t is_local;           /* 1: this session itself */
  uint32_t video_stream_count; /* published now */
  uint32_t reserved0;
  char user_id[256];
  char display_name[256];
  uint32_t audio_stream_count; /* published now */
  uint32_t is_speaking;        /* 1: an active speaker */
  uint32_t audio_level;        /* as in msdk_audio_frame, with which he began to speak, of his loudest stream; 127: does not speak */
  uint32_t is_sharing_screen;  /* 1: sends a stream of the kind MSDK_VIDEO_SCREEN_SHARE */
  uint32_t permissions; /* MSDK_MAY_* (room.h) */
  uint32_t reserved2;
} msdk_participant;

/* The participants of the room now, oneself first. Fills up to `capacity` elements (array may be NULL with 0) and tells how many there are.
 * MSDK_E_BUFFER_SMALL when they did not all fit. array[0].struct_size is the size of an element. [any thread] */
MSDK_EXPORT msdk_result msdk_session_participants(msdk_session *session, msdk_participant *array, uint32_t capacity, uint32_t *count);

/* What a moderator does: it needs MSDK_MAY_MODERATE (MSDK_E_PERMISSION), a connected session (MSDK_E_STATE), and another member of the room
 * (MSDK_E_INVALID for oneself, MSDK_E_NOT_FOUND for nobody). The other is told by MSDK_EVENT_MODERATED. */

/* Takes a member out of the room. His session becomes disconnected, with MSDK_E_REMOVED and the reason; it may connect again, which is the
 * room's verifier to refuse. reason: NULL or up to MSDK_NAME_MAX bytes. [any thread] */
MSDK_EXPORT msdk_result msdk_session_remove_participant(msdk_session *session, const char *user_id, const char *reason);

/* With 1 mutes the streams of sound that are started on a member's session or attached to it now, not later ones; he may unmute them
 * himself. With 0 takes that back: what he muted himself stays muted. [any thread] */
MSDK_EXPORT msdk_result msdk_session_mute_participant(msdk_session *session, const char *user_id, uint32_t is_muted);

enum { MSDK_MODERATION_REMOVED = 1, MSDK_MODERATION_MUTED = 2, MSDK_MODERATION_UNMUTED = 3 }; /* value of MSDK_EVENT_MODERATED */

/* ------------------------------------------------------------------------------------------------------------------ events */

enum {
  MSDK_EVENT_NONE = 0,
  MSDK_EVENT_SESSION_STATE = 1,         /* state; status and text when it was not asked for */
  MSDK_EVENT_PARTICIPANT_JOINED = 2,    /* user_id, text: display name */
  MSDK_EVENT_PARTICIPANT_LEFT = 3,      /* user_id */
  MSDK_EVENT_OUTGOING_VIDEO_STATE = 4,  /* outgoing_video, state (MSDK_OUTGOING_*), status and text when it failed */
  MSDK_EVENT_FRAME_SENDER_CHANGED = 5,  /* outgoing_video, sender, format: make this from now on */
  MSDK_EVENT_INCOMING_VIDEO_ADDED = 6,  /* incoming_video, user_id, kind, format: what is being sent; codec */
  MSDK_EVENT_INCOMING_VIDEO_STATE = 7,  /* incoming_video, user_id, state (MSDK_INCOMING_*), status and text */
  MSDK_EVENT_INCOMING_VIDEO_REMOVED = 8, /* incoming_video, user_id: it is NOT_AVAILABLE; of those a session keeps the last 64 */
  MSDK_EVENT_ESTIMATE = 9,              /* value: the bandwidth estimate in bits per second; 0: unlimited */
  MSDK_EVENT_PLUGIN = 10,               /* instance (NULL: a stream's codec), value: MSDK_PLUGIN_EVENT_*, status, text */
  MSDK_EVENT_KEY_FRAME_REQUESTED = 11,  /* outgoing_video: by a receiver; of interest to those who push encoded frames */
  MSDK_EVENT_OUTGOING_AUDIO_STATE = 12, /* outgoing_audio, state (MSDK_OUTGOING_*), status and text when it failed */
  /* incoming_audio, user_id, kind, audio_format: what is being sent; codec; value: 1 when it is muted */
  MSDK_EVENT_INCOMING_AUDIO_ADDED = 13,
  MSDK_EVENT_INCOMING_AUDIO_STATE = 14, /* incoming_audio, user_id ("" for the mix), state (MSDK_INCOMING_*), status and text */
  MSDK_EVENT_INCOMING_AUDIO_REMOVED = 15, /* incoming_audio, user_id: it is NOT_AVAILABLE; of those a session keeps the last 64 */
  MSDK_EVENT_INCOMING_AUDIO_MUTED = 16, /* incoming_audio, user_id, value: 1 when its sender muted it, 0 when not any more */
  /* user_id, of oneself too; state: 1 began to speak, 0 ended; value: level, as in msdk_audio_frame */
  MSDK_EVENT_ACTIVE_SPEAKER = 17,
  /* user_id, of oneself too; state: MSDK_SCREEN_SHARE_*; kind; incoming_video when it is somebody else's. After that was added, and before
   * it is removed; whoever joins later is told too */
  MSDK_EVENT_SCREEN_SHARE_STATE = 18,
  MSDK_EVENT_MODERATED = 19, /* user_id: the moderator; value: MSDK_MODERATION_*, done to this session; text: the reason */
  /* state (MSDK_INGEST_*), value (MSDK_FEED_*), status and text; outgoing_video, format and codec when it is sharing: ingest.h */
  MSDK_EVENT_INGEST = 20,
  /* outgoing_video, kind, codec: the stream goes on with that, as somebody came who does not decode the one before (outgoing_video.h) */
  MSDK_EVENT_CODEC_CHANGED = 21,
  /* state: MSDK_QUALITY_*; direction: MSDK_DIRECTION_*; value, of what goes out: as of MSDK_EVENT_ESTIMATE: network.h */
  MSDK_EVENT_NETWORK_QUALITY = 22,
  /* outgoing_video or outgoing_audio, kind, user_id: the member who is not sent it, and status and text why: a raw stream, or one of a codec
   * that is not carried, stays in the process whose room is open to the network (hub.h). For each such member who is there or comes */
  MSDK_EVENT_STREAM_UNREACHABLE = 23
};

enum { MSDK_SCREEN_SHARE_DISABLED = 0, MSDK_SCREEN_SHARE_ENABLED = 1 };

enum { MSDK_EVENT_LOST = 1 }; /* flags: events before this one were dropped */

typedef struct msdk_event {
  uint32_t struct_size;
  uint32_t type; /* MSDK_EVENT_* */
  uint32_t flags;
  uint32_t state;
  msdk_result status; /* MSDK_OK, or why */
  uint32_t codec;     /* MSDK_CODEC_* */
  int64_t timestamp_ns; /* when it happened, on the engine's clock */
  uint64_t value;
  /* Handles: NULL where the type has none. They are not the receiver's to destroy. */
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
  uint32_t kind; /* of a stream: MSDK_VIDEO_* or MSDK_AUDIO_* */
  uint32_t direction; /* MSDK_DIRECTION_* */
} msdk_event;

/* Takes the oldest event. MSDK_E_TIMEOUT when none came in time, MSDK_E_CLOSED when the session ends meanwhile, MSDK_E_STATE while an event
 * callback is set. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_session_next_event(msdk_session *session, uint32_t timeout_ms, msdk_event *out);

/* A descriptor that poll() finds readable while events wait. Owned by the session: do not read, write or close it. [any thread] */
MSDK_EXPORT msdk_result msdk_session_event_fd(msdk_session *session, int32_t *out);

/* event is valid during the call. Called on a thread of the session's own, one event at a time, in order. */
typedef void (*msdk_event_fn)(void *user, const msdk_event *event);

/* Sets the callback, in place of pulling; events that wait come first. NULL goes back to pulling. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_event_callback(msdk_session *session, msdk_event_fn callback, void *user);

/* ------------------------------------------------------------------------------------------------------------------- video */

/* Offers a stream to the room. Needs a connected session (MSDK_E_STATE) and a stream that is not started (MSDK_E_STATE), and
 * the room's permission (MSDK_E_PERMISSION). A second screen share at the same time is refused (MSDK_E_STATE), and so is one without
 * formats whose producer is not attached; the producer's format is asked for here (MSDK_E_LIMIT, or its own error). The states and the
 * sender come as events. [any thread] */
MSDK_EXPORT msdk_result msdk_session_start_video(msdk_session *session, msdk_outgoing_video *stream);

/* Withdraws it. Frames that were sent are still reported. MSDK_E_STATE when it is not started on this session. [any thread] [may wait
 * for running callbacks of the stream] */
MSDK_EXPORT msdk_result msdk_session_stop_video(msdk_session *session, msdk_outgoing_video *stream);

/* ------------------------------------------------------------------------------------------------------------------- sound */

/* Offers a stream of sound to the room. On a session that is idle, connecting or disconnected the stream is attached: it starts whenever
 * the session gets connected, until it is stopped or destroyed; on a connected one it starts at once, and ends with the connection. Up to 8
 * on one session (MSDK_E_NOMEM). MSDK_E_STATE when it is started or attached already, or the session is disconnecting; MSDK_E_PERMISSION
 * when the room does not permit it: of an attached one that comes as MSDK_EVENT_OUTGOING_AUDIO_STATE, failed. The states come as events.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_session_start_audio(msdk_session *session, msdk_outgoing_audio *stream);

/* Withdraws and detaches it. What waits to be sent is reported as dropped. MSDK_E_STATE when it is neither started nor attached here.
 * [any thread] [may wait for running callbacks of the stream, and its producer] */
MSDK_EXPORT msdk_result msdk_session_stop_audio(msdk_session *session, msdk_outgoing_audio *stream);

/* The room's sound, all participants but oneself mixed: a stream that is there from the first call to the session's end. See
 * incoming_audio.h. *out is the session's: it is not to be destroyed. [any thread] */
MSDK_EXPORT msdk_result msdk_session_mixed_audio(msdk_session *session, msdk_incoming_audio **out);

/* --------------------------------------------------------------------------------------------------------------- rendering */

typedef struct msdk_session_renderer_options {
  uint32_t struct_size;
  uint32_t include_local; /* 1: oneself too, with the own streams as they are sent; those that are pushed in encoded have no picture here */
} msdk_session_renderer_options;

/* Renders the whole call: hands everybody who is in the room, with names, pictures, and who speaks and is muted, to a renderer of several
 * streams (update_input of plugin.h), the class org.mediasdk.renderer.grid say; MSDK_E_UNSUPPORTED for one that has a single picture. Every
 * participant is an input, with or without video, and every shared screen is one more; those who come, go, speak and mute are followed, as
 * long as the session is connected. Works on a session in any state.
 * Streams that nobody has started yet are started, for as long as such a renderer is attached; one that the program starts then is its own
 * from there on, and one that it stops stays stopped. Of each input the newest picture is shown: a slow renderer leaves pictures out and
 * delays nobody. What fails later comes as MSDK_EVENT_PLUGIN, once, and the renderer is detached. `options` may be NULL. Up to 8
 * (MSDK_E_NOMEM). [any thread] */
MSDK_EXPORT msdk_result msdk_session_attach_renderer(msdk_session *session, msdk_instance *renderer,
                                                     const msdk_session_renderer_options *options);

/* Takes it away; its inputs are removed. Its file or window stays open: msdk_instance_release closes it. The session's end does both.
 * MSDK_E_NOT_FOUND when it is not attached here. [any thread] [may wait for a picture that is being rendered] */
MSDK_EXPORT msdk_result msdk_session_detach_renderer(msdk_session *session, msdk_instance *renderer);

/* ------------------------------------------------------------------------------------------------------------------- stats */

typedef struct msdk_session_stats {
  uint32_t struct_size;
  uint32_t state;
  uint64_t available_outgoing_bitrate; /* bits per second; 0: unlimited */
  uint64_t bytes_sent, bytes_received; /* payload */
  uint64_t packets_sent, packets_received, packets_lost; /* lost: of those sent to this session */
  uint64_t events_queued, events_dropped;
  uint32_t participants;
  uint32_t reserved0;
  /* Over RTP or a hub: datagrams that came and were not taken, from foreign hosts, of no agreed stream, not authentic, a second time. Over a
   * hub all of these are packets_refused */
  uint64_t packets_foreign, packets_refused, packets_forged, packets_replayed;
  uint64_t packets_unsent;    /* that the network, or a full buffer of the system, did not take */
  int64_t round_trip_time_ns; /* 0: not known */
  uint32_t outgoing_quality, incoming_quality; /* MSDK_QUALITY_* (network.h) */
} msdk_session_stats;

/* Of the present membership; events since the session was made. [any thread] */
MSDK_EXPORT msdk_result msdk_session_stats_get(msdk_session *session, msdk_session_stats *out);

/* The same and more as JSON (RFC 8259): an array of objects by the names and units of W3C's webrtc-stats, times in seconds and `timestamp` in
 * milliseconds on the engine's clock. Of any session one of the type "session"; of one over RTP or a hub for each pair of ports a
 * "transport", and for each stream an "inbound-rtp" or "outbound-rtp", with a "remote-inbound-rtp" of what the other end reports of it. The
 * text goes into buffer (size bytes; may be NULL with 0); *needed, if not NULL, receives the size with NUL, and MSDK_E_BUFFER_SMALL is
 * returned when it does not fit. [any thread] */
MSDK_EXPORT msdk_result msdk_session_stats_json(msdk_session *session, char *buffer, uint64_t size, uint64_t *needed);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_SESSION_H */
