/** @file
 * mediasdk/encryption.h - end-to-end encryption: who forwards a call cannot see or hear it
 *
 *     msdk_session_options.encrypt_frames = 1       the streams that the session sends are encrypted, and it takes no others
 *     msdk_session_options.encrypt_data = 1         so is its data, and it takes no other
 *     msdk_session_set_frame_key                    the keys: of everybody, or of each participant
 *     MSDK_EVENT_STREAM_ENCRYPTION                  whether it works, of each stream
 *     MSDK_EVENT_DATA_ENCRYPTION                    and of the data of each participant
 *
 * Each encoded frame is encrypted by its sender and decrypted by its receivers; servers and other participants forward it. SRTP, DTLS and
 * TLS protect each hop of the network beside that. The format is that of LiveKit's SDKs, so that they and sessions understand each other:
 * AES-128-GCM; the key of AES is derived by PBKDF2 (SHA-256, 100,000 rounds, salt "LKFrameEncryptionKey"). Who has a key can read and write
 * what it encrypts; keys are exchanged by the program. A server can see who sends when and how much, the size of each
 * frame, and which are key frames. It can drop frames and send them again, and cannot change them. So it is with data, of which
 * it sees for whom it is. Attributes, names, msdk_frame_metadata (frame.h) and the channels of webrtc.h are not encrypted.
 *
 * Streams of MSDK_CODEC_VP8 and MSDK_CODEC_OPUS are encrypted; other codecs, and MSDK_CODEC_RAW, are refused when a stream starts on
 * such a session (MSDK_E_UNSUPPORTED). Rooms of "loopback:" and "livekit+wss://" say which streams are encrypted; a session without
 * encrypt_frames decrypts those for which it has a key. Pages and players of a served room (serve.h) have no keys and are not sent them
 * (MSDK_EVENT_STREAM_UNREACHABLE). Over other urls nothing says it: either all participants have encrypt_frames, or none.
 *
 * Data is encrypted with the same keys: what programs send, with its topic, streams of data and remote procedure calls. A session without
 * encrypt_data decrypts that for which it has a key. What cannot be decrypted is dropped; on a session with encrypt_data so is what is
 * not encrypted, also data of the room's server. Nothing is lost when a sender ratchets their key: data waits until the receiver has
 * derived it, up to 1,024 messages and 1 MiB of each participant. On a session with encrypt_data that has no key of the selected index,
 * msdk_session_send_data and all that sends by it return MSDK_E_STATE.
 */
#ifndef MEDIASDK_ENCRYPTION_H
#define MEDIASDK_ENCRYPTION_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MSDK_FRAME_KEY_MAX = 256,     /**< bytes of a key */
  MSDK_FRAME_KEY_INDEX_MAX = 15 /**< a participant has up to 16 keys */
};

/** States in MSDK_EVENT_STREAM_ENCRYPTION and MSDK_EVENT_DATA_ENCRYPTION. */
enum {
  MSDK_ENCRYPTION_ACTIVE = 0x900,    /**< frames are encrypted, or decrypted */
  /** There is no key of the index that the frames have (in), or that is selected (out). Outgoing frames are dropped (MSDK_DROP_NO_KEY). */
  MSDK_ENCRYPTION_NO_KEY = 0x901,
  /** The key does not decrypt three frames in a row, or data: it is another one than the sender's, or they were changed. Of data this is
   * reported only after the next 16 keys (msdk_session_ratchet_frame_key) have been tried, 1 to 3 s after the first message. Of a stream
   * whose sender has ratcheted its key it may be reported too, until the new key is derived; MSDK_ENCRYPTION_ACTIVE follows then. */
  MSDK_ENCRYPTION_WRONG_KEY = 0x902,
  MSDK_ENCRYPTION_NOT_ENCRYPTED = 0x903 /**< the stream or the data is not encrypted, and the session takes only what is */
};

/** Sets a key, which is copied and replaces the one before. user_id: whose frames it is for; NULL: those of everybody without a key of the
 * index. The session encrypts with the key of its own user id, or else with that of everybody. index: 0..MSDK_FRAME_KEY_INDEX_MAX.
 * key: a passphrase or random bytes, 1..MSDK_FRAME_KEY_MAX (else MSDK_E_RANGE); size 0 removes the key. The call works in every state of
 * the session, with and without encrypt_frames, also for participants who have not joined yet; keys stay when they leave. A session has
 * up to 4,096 keys (MSDK_E_FULL). MSDK_E_INVALID: the user id. Frames that cannot be decrypted are dropped: nothing is ever
 * decoded of them. It takes some tens of milliseconds. [any thread] */
MSDK_EXPORT msdk_result msdk_session_set_frame_key(msdk_session *session, const char *user_id, uint32_t index, const uint8_t *key,
                                                   uint64_t size);

/** Selects the key with which the session encrypts from the next frame on; 0 at first. To replace a key without a gap: set the new one
 * everywhere under another index, then select it. MSDK_E_RANGE: the index. [any thread] */
MSDK_EXPORT msdk_result msdk_session_select_frame_key(msdk_session *session, uint32_t index);

/** Replaces a key by the next one, which is derived from it (ratchet). Receivers that have the former key need nothing: they derive the
 * next keys themselves, up to 16, and try them. This takes up to 0.2 s for each key, in the background. Meanwhile they lose frames, and
 * may report MSDK_ENCRYPTION_WRONG_KEY for a moment; data waits.
 *
 * This does not keep anybody out. A participant who has left with the former key can derive the new one. A participant who joins and is
 * given the new key can decrypt what was encrypted with the former one, as the format permits it. To keep them out, set a new random key.
 *
 * MSDK_E_NOT_FOUND: no such key is set. MSDK_E_RANGE, MSDK_E_INVALID: as msdk_session_set_frame_key. The call takes some tens of
 * milliseconds. [any thread] */
MSDK_EXPORT msdk_result msdk_session_ratchet_frame_key(msdk_session *session, const char *user_id, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ENCRYPTION_H */
