/** @file
 * mediasdk/data_stream.h - texts and files of any length that the participants of a room send each other, in chunks
 *
 *     msdk_session_data_stream_open    begins a text or bytes, for everybody in the room or for some
 *     msdk_session_data_stream_write   sends the next chunk; _close ends it
 *     msdk_session_data_stream_accept  streams of a topic are received
 *     MSDK_EVENT_DATA_STREAM_AVAILABLE read with msdk_session_data_stream_read, until it returns MSDK_E_AGAIN
 *
 * Rooms of "loopback:" and "livekit+wss:" have streams of data. In a room that this library serves (serve.h) members of the process,
 * sessions and SDKs of LiveKit exchange them: they are what those SDKs call text streams and byte streams. The chat of LiveKit's clients
 * has the topic "lk.chat"; agents send transcriptions as texts of the topic "lk.transcription". Streams are reliable data (data.h), so
 * their senders need MSDK_MAY_SEND_DATA (room.h), and who joins later does not get what began before.
 *
 * A stream has a number in its session: of msdk_session_data_stream_open, or of what is read. It also has an id in the room, which its
 * sender chooses: a text can name another text that it responds to, and files that belong to it, by their ids.
 */
#ifndef MEDIASDK_DATA_STREAM_H
#define MEDIASDK_DATA_STREAM_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_DATA_STREAM_CHUNK_MAX = 15000,   /**< bytes that are sent at once. More may come from others: up to 65,536 */
  MSDK_DATA_STREAM_ID_MAX = 128,        /**< bytes of UTF-8, without the NUL */
  MSDK_DATA_STREAM_ATTACHMENTS_MAX = 32 /**< of one text */
};

/** What the chunks of a stream are. */
enum {
  MSDK_DATA_STREAM_TEXT = 0xB00, /**< UTF-8 */
  MSDK_DATA_STREAM_BYTES = 0xB01 /**< any bytes: a file */
};

/* ---------------------------------------------------------------------------------------------------------------- sending */

typedef struct msdk_data_stream_options {
  uint32_t struct_size;
  uint32_t type;                     /**< MSDK_DATA_STREAM_TEXT or _BYTES */
  const char *topic;                 /**< up to MSDK_DATA_TOPIC_MAX bytes; NULL or "": none */
  const char *name;                  /**< of a file, up to MSDK_NAME_MAX bytes; NULL: none; a text has none (else MSDK_E_INVALID) */
  const char *mime_type;             /**< up to 127 bytes; NULL: "text/plain" or "application/octet-stream" */
  uint64_t total_size;               /**< bytes of all chunks, which have to be as many then; 0: not known */
  const char *const *recipients;     /**< user ids of participants whom it is for; NULL: everybody else */
  const msdk_key_value *attributes;  /**< for the program that receives it */
  uint32_t recipient_count;          /**< 1..MSDK_DATA_RECIPIENTS_MAX (else MSDK_E_RANGE); with NULL 0 (else MSDK_E_INVALID) */
  uint32_t attribute_count;          /**< up to MSDK_ATTRIBUTES_MAX (else MSDK_E_RANGE) */
  const char *id;                    /**< 1..MSDK_DATA_STREAM_ID_MAX bytes, unique among the session's streams; NULL: a random one */
  const char *reply_to;              /**< of a text: the id of the text that it responds to; NULL or "": none */
  const char *const *attachments;    /**< of a text: ids of streams of bytes that belong to it, which may begin before or after it */
  uint32_t attachment_count;         /**< up to MSDK_DATA_STREAM_ATTACHMENTS_MAX (else MSDK_E_RANGE) */
  uint32_t reserved0;                /**< 0 */
} msdk_data_stream_options;

/** Begins a stream: *out is its number. MSDK_E_FULL: the session has 256 open ones. MSDK_E_EXISTS: one of them has that id.
 * MSDK_E_INVALID: an id that is empty or too long; reply_to or attachments of bytes. MSDK_E_UNSUPPORTED: an unknown type. Other errors as
 * msdk_session_send_data. [any thread] */
MSDK_EXPORT msdk_result msdk_session_data_stream_open(msdk_session *session, const msdk_data_stream_options *options, uint64_t *out);

/** Sends the next chunk, which is copied: size 0..MSDK_DATA_STREAM_CHUNK_MAX bytes (else MSDK_E_RANGE), of a text whole characters (else
 * MSDK_E_INVALID). It never waits, and sends all of the chunk or nothing. MSDK_E_AGAIN: there is no room, as msdk_session_send_data;
 * MSDK_EVENT_DATA_WRITABLE comes when there is. MSDK_E_RANGE: the stream would be longer than its total_size. MSDK_E_NOT_FOUND: no open
 * stream has that number, as it was closed or the session has left the room; or all of its recipients have left. MSDK_E_STATE: another
 * thread is writing to it; or the session is not connected. An error does not close the stream.
 *
 * In a room that another process serves, the server takes 1.9 MB/s in the longest chunks, and less in shorter ones: see Rate at
 * msdk_session_send_data. If another session at the server takes the place of this one (webrtc.h), the stream is aborted at its
 * receivers: close it, and open another one. [any thread] */
MSDK_EXPORT msdk_result msdk_session_data_stream_write(msdk_session *session, uint64_t stream, const uint8_t *data, uint64_t size);

/** Ends a stream. reason: NULL or "" if it is complete, or why it is not, up to MSDK_NAME_MAX bytes: then its receivers get
 * MSDK_DATA_PART_ABORTED with that text. After an error the stream is
 *   still open  MSDK_E_AGAIN: there is no room, as msdk_session_send_data. MSDK_E_STATE: less than total_size was written and reason is
 *               empty, or another thread is writing to it. MSDK_E_INVALID: reason is too long or not UTF-8
 *   closed      although its end was not sent. MSDK_E_NOT_FOUND: all of its recipients have left, or no open stream has that number.
 *               MSDK_E_PERMISSION. MSDK_E_STATE: the session is not connected, or has no key (encryption.h)
 * [any thread] */
MSDK_EXPORT msdk_result msdk_session_data_stream_close(msdk_session *session, uint64_t stream, const char *reason);

/* -------------------------------------------------------------------------------------------------------------- receiving */

/** Streams of that topic that begin from now on are received, in every room that the session joins; with NULL those of every topic. Others
 * are dropped. MSDK_E_EXISTS: they are received already. MSDK_E_LIMIT: 256 topics are. [any thread] */
MSDK_EXPORT msdk_result msdk_session_data_stream_accept(msdk_session *session, const char *topic);

/** Of msdk_data_stream_part. */
enum {
  MSDK_DATA_PART_BEGAN = 0xB10,
  MSDK_DATA_PART_CHUNK = 0xB11,
  MSDK_DATA_PART_ENDED = 0xB12,  /**< all of it has come */
  MSDK_DATA_PART_ABORTED = 0xB13 /**< no more of it comes; text says why */
};

/** A part of a stream, as it has come. */
typedef struct msdk_data_stream_part {
  uint32_t struct_size;
  uint32_t part;       /**< MSDK_DATA_PART_BEGAN, _CHUNK, _ENDED or _ABORTED */
  uint64_t stream;     /**< the number of the stream */
  uint64_t size;       /**< bytes of the chunk; else 0 */
  uint64_t total_size; /**< bytes of all chunks, as the sender says; 0: not known */
  uint64_t missed;     /**< streams that began since the part that was read before, and were dropped as there were too many */
  int64_t began_ms;    /**< when it began by the sender's clock: milliseconds since 1970 */
  uint32_t type;       /**< MSDK_DATA_STREAM_TEXT or _BYTES */
  uint32_t attribute_count;
  char user_id[256];   /**< whose it is */
  char topic[256];     /**< "": none */
  char name[256];      /**< of a file; "": none. It is the sender's text: not to be used as a path unless it was checked */
  char mime_type[128];
  char text[256];      /**< of _ABORTED: why, for people; else "". A longer one is cut */
  uint32_t attachment_count;
  uint32_t reserved0;  /**< 0 */
  char id[136];        /**< its sender's id of it. Two senders may have the same one */
  char reply_to[136];  /**< of a text: the id of the text that it responds to; "": none */
} msdk_data_stream_part;

/** Takes the oldest part that has come. Each stream has one _BEGAN, its chunks in order, and one _ENDED or _ABORTED. A chunk is copied to
 * buffer (size bytes; may be NULL with 0), and *out describes it. MSDK_E_BUFFER_SMALL: it does not fit, and can still be read.
 * MSDK_E_AGAIN: there is none; MSDK_EVENT_DATA_STREAM_AVAILABLE comes when there is.
 *
 * A stream is aborted when its sender says so or leaves, when chunks of it were lost or are not what it began with, when the session
 * leaves, and when the program does not read: 32 megabytes in 16,384 chunks wait for it, and 8 megabytes in 4,096 chunks of one
 * participant. 256 streams are received at a time, and 64 of one participant; until its end is read each counts. [any thread] */
MSDK_EXPORT msdk_result msdk_session_data_stream_read(msdk_session *session, msdk_data_stream_part *out, uint8_t *buffer, uint64_t size);

/** Returns the attributes of a stream of another participant by index, from 0, in the order of their keys: from its beginning until
 * something is read after its end, with which the sender may have changed them. Of those of other programs that are longer than
 * msdk_attribute, or more than MSDK_ATTRIBUTES_MAX, the rest is dropped. MSDK_E_NOT_FOUND: it has no stream of that number, or the index
 * is past the end. [any thread] */
MSDK_EXPORT msdk_result msdk_session_data_stream_attribute_at(msdk_session *session, uint64_t stream, uint32_t index, msdk_attribute *out);

/** A stream of bytes that belongs to a text. */
typedef struct msdk_data_stream_attachment {
  uint32_t struct_size;
  uint32_t reserved0; /**< 0 */
  char id[136];       /**< of a stream of the same sender, which has come, comes, or was dropped */
} msdk_data_stream_attachment;

/** Returns the attachments of a text of another participant by index, from 0, in the order of its sender: as long as its attributes. Of
 * those of other programs that are more than MSDK_DATA_STREAM_ATTACHMENTS_MAX the rest is dropped, and so are longer ids. MSDK_E_NOT_FOUND:
 * it has no stream of that number, or the index is past the end. [any thread] */
MSDK_EXPORT msdk_result msdk_session_data_stream_attachment_at(msdk_session *session, uint64_t stream, uint32_t index,
                                                               msdk_data_stream_attachment *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_DATA_STREAM_H */
