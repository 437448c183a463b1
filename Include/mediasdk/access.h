/** @file
 * mediasdk/access.h - access tokens, with which participants join rooms that speak LiveKit's protocol
 *
 * An access token says who a participant is, which room they may join, what they may do there, and until when. A program that knows
 * the secret of the server makes the token and hands it to the participant's client. The client shows it to the server when it joins.
 * It needs no secret, and cannot change what the token says.
 *
 *     msdk_access_token_options options = MSDK_INIT(msdk_access_token_options);
 *     options.api_key = getenv("API_KEY");
 *     options.api_secret = getenv("API_SECRET");
 *     options.room = "lobby";
 *     options.user_id = "anna";
 *     char token[MSDK_ACCESS_TOKEN_MAX + 1];
 *     msdk_result result = msdk_access_token_create(&options, token, sizeof(token), NULL);
 *
 * The tokens are JSON Web Tokens (RFC 7519), signed with HMAC-SHA-256 (HS256, RFC 7518), with the claims of LiveKit. Servers of LiveKit
 * accept them from any client, and so do rooms that a process opens to the network with that API key (serve.h, api_key). A token is not
 * encrypted, and its holder can join until it expires: keep it out of logs and off command lines.
 *
 * No engine and no network are needed. The times in a token are those of CLOCK_REALTIME; the server's clock may differ by up to a minute.
 */
#ifndef MEDIASDK_ACCESS_H
#define MEDIASDK_ACCESS_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a token permits in its room, a mask. */
enum {
  MSDK_GRANT_JOIN = 1,             /**< join the room */
  MSDK_GRANT_PUBLISH = 2,          /**< send video and audio */
  MSDK_GRANT_SUBSCRIBE = 4,        /**< receive video and audio */
  MSDK_GRANT_PUBLISH_DATA = 8,     /**< send data */
  MSDK_GRANT_UPDATE_METADATA = 16, /**< change their own display name, metadata, attributes */
  MSDK_GRANT_ADMIN = 32,           /**< remove and mute others, and ask the server's API about the room */
  MSDK_GRANT_HIDDEN = 64,          /**< be in the room without the others being notified */
  MSDK_GRANT_MEMBER = MSDK_GRANT_JOIN | MSDK_GRANT_PUBLISH | MSDK_GRANT_SUBSCRIBE | MSDK_GRANT_PUBLISH_DATA /**< the default */
};

/** What is sent, a mask. */
enum {
  MSDK_SOURCE_CAMERA = 1,
  MSDK_SOURCE_MICROPHONE = 2,
  MSDK_SOURCE_SCREEN_SHARE = 4,
  MSDK_SOURCE_SCREEN_SHARE_AUDIO = 8
};

typedef struct msdk_access_token_options {
  uint32_t struct_size;
  uint32_t grants;          /**< MSDK_GRANT_*; 0: MSDK_GRANT_MEMBER */
  uint32_t sources;         /**< MSDK_SOURCE_* that may be sent; requires MSDK_GRANT_PUBLISH; 0: all */
  uint32_t lifetime_s;      /**< seconds until the token expires, 1..31,536,000 (365 days); 0: 21,600 (6 h) */
  const char *api_key;      /**< names the secret; 1..MSDK_NAME_MAX bytes */
  const char *api_secret;   /**< shared with the server; 32 bytes at least (RFC 7518, section 3.2), MSDK_TEXT_MAX at most */
  const char *room;         /**< the room's name; 1..MSDK_NAME_MAX bytes */
  const char *user_id;      /**< unique in the room, LiveKit's identity; 1..MSDK_NAME_MAX bytes; NULL or "" only without MSDK_GRANT_JOIN */
  const char *display_name; /**< up to MSDK_NAME_MAX bytes; NULL: none */
  const char *metadata;     /**< text that all participants can read; as long as fits into the token; NULL: none */
  const msdk_key_value *attributes; /**< that the participant has from the beginning, and that all participants can read */
  uint32_t attribute_count; /**< up to MSDK_ATTRIBUTES_MAX */
  uint32_t reserved0;       /**< 0 */
} msdk_access_token_options;

/** Makes an access token, which is valid from now on. The token is written to buffer (size bytes; may be NULL with 0) and ends with NUL.
 * *needed, if not NULL, is set to the size with NUL, at most MSDK_ACCESS_TOKEN_MAX + 1. The SDK keeps and logs neither token nor secret.
 *   MSDK_E_INVALID       a text is missing, empty, too long or not UTF-8, api_secret is too short, a key of an attribute is there twice,
 *                        sources is set without MSDK_GRANT_PUBLISH, or the token would be longer than MSDK_ACCESS_TOKEN_MAX bytes
 *   MSDK_E_RANGE         lifetime_s, attribute_count
 *   MSDK_E_UNSUPPORTED   grants or sources has unknown bits
 *   MSDK_E_BUFFER_SMALL  the token does not fit
 * [any thread] */
MSDK_EXPORT msdk_result msdk_access_token_create(const msdk_access_token_options *options, char *buffer, uint64_t size, uint64_t *needed);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ACCESS_H */
