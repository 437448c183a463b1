/* mediasdk/hub.h - a room over the network without a server: a process that opens one of its loopback rooms
 *
 * In the process that hosts it, "loopback:NAME" is a room like any other, with its access, permissions and moderation (room.h), whether
 * the process has members of its own in it or not. msdk_room_open_hub opens it to the network: sessions elsewhere connect to
 *
 *     hub://ADDRESS:PORT/NAME?fingerprint=HEX      of IPv4, or of IPv6 in brackets; no names are looked up
 *     ...&srtp=SUITE                               AEAD_AES_128_GCM without it, or AES_CM_128_HMAC_SHA1_80
 *
 * with their user id and access token, and are members like the others: participants, streams, screen shares, speakers, moderation and
 * their events are those of a loopback room. NAME stands as it is, without escapes. What is said goes over TCP and TLS 1.3 (RFC 8446),
 * and the fingerprint (SHA-256, with colons or without) of the hub's certificate proves who it is; media goes over UDP, as RTP under SRTP
 * (RFC 7714, 3711), by the same port number. A session over a hub is on an engine with the system clock (MSDK_E_UNSUPPORTED otherwise).
 *
 * Nothing is decoded at the hub: encoded units are passed on as they are, MSDK_CODEC_VP8 and MSDK_CODEC_OPUS. Raw streams, and those of
 * other codecs, stay within the process, and their sender is notified of each member whom they do not reach
 * (MSDK_EVENT_STREAM_UNREACHABLE); a remote session cannot start one (MSDK_E_UNSUPPORTED), nor more than 30 of video or 30 of sound
 * at once (MSDK_E_FULL), and receives as many of each at once.
 *
 * Each member has a bandwidth estimate of his own, both ways. One whose way carries less than he takes gets sound throughout, and fewer
 * streams of pictures: those that take most are left out first, until there is room for them and a key frame comes.
 *
 * What strangers and members can do to the process that hosts is bounded. Connections that have not said who they are, those that wait for
 * the room's answer (60 s at most, then MSDK_E_TIMEOUT) and those that are refused have a share for each address, a network of 64 bits of
 * IPv6 being one: however many come from one address, others come in. With the members they take at most most_members + 352 descriptors.
 * A session may do 100 things a second that others learn of (after 500 at once), such as muting a stream; what is more waits. One that
 * takes none of 512 events within 15 s, while more wait, is disconnected with MSDK_E_LIMIT. Who is slow, or away for a moment, learns
 * all that happened, and where more than 256 events wait for it only how things are then.
 *
 * A hub that cannot be reached within 10 s, or is not the one of the fingerprint, or does not let the session in, ends its connecting: it
 * is disconnected, with MSDK_E_TIMEOUT, MSDK_E_IO, MSDK_E_PERMISSION or what the room says (room.h), MSDK_E_NOT_FOUND for another room's
 * NAME, MSDK_E_FULL for most_members. When the connection breaks later, the session is MSDK_SESSION_RECONNECTING for up to 30 s; then it
 * is disconnected with MSDK_E_TIMEOUT. When the hub is closed, its sessions are disconnected with MSDK_E_CLOSED.
 */
#ifndef MEDIASDK_HUB_H
#define MEDIASDK_HUB_H

#include "room.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msdk_hub_options {
  uint32_t struct_size;
  uint32_t port;           /* of TCP and of UDP, up to 65,535; 0: a free one, the same at all addresses */
  const char *addresses;   /* where it listens: up to 8 of IPv4 and IPv6, with commas between them; NULL: "0.0.0.0", all of IPv4 */
  const char *certificate; /* a PEM file, and that of its key; both NULL: one is made, whose fingerprint is another each time */
  const char *key;         /* without a password */
  uint32_t most_members;   /* over the network, 1..1,000; 0: 64. Those of the process are counted by the room's capacity alone */
  uint32_t reserved0;
} msdk_hub_options;

typedef struct msdk_hub_info {
  uint32_t struct_size;
  uint32_t port;
  uint32_t member_count; /* over the network, those included who are away for a moment, and not those who wait for the room's answer */
  uint32_t reserved0;
  uint64_t packets_foreign; /* datagrams of nobody who is here */
  char fingerprint[96];     /* "AA:BB:...", for the url */
} msdk_hub_info;

/* Opens a room to the network until it is closed or the engine is destroyed. room_url: "loopback:NAME", NAME without "?". options: NULL
 * for a free port at any address of IPv4; they are copied, and files are read now. *out, if not NULL, is filled as by msdk_room_hub_info.
 * The engine has the system clock (MSDK_E_STATE otherwise). MSDK_E_EXISTS: this engine opened it already. MSDK_E_IO: a port is taken, or
 * an address is not this machine's. MSDK_E_NOT_FOUND: a file cannot be read. MSDK_E_INVALID: addresses, files, or a NAME that cannot be,
 * or one of certificate and key alone. MSDK_E_RANGE: port, most_members. [any thread] */
MSDK_EXPORT msdk_result msdk_room_open_hub(msdk_engine *engine, const char *room_url, const msdk_hub_options *options, msdk_hub_info *out);

/* What it is now. MSDK_E_NOT_FOUND: this engine did not open the room. [any thread] */
MSDK_EXPORT msdk_result msdk_room_hub_info(msdk_engine *engine, const char *room_url, msdk_hub_info *out);

/* Takes all who came over the network out of the room, who are told, and lets nobody in any more. Members of the process stay. The port is
 * free when it returns, and the room may be opened again. MSDK_E_NOT_FOUND: this engine did not open the room. [any thread] */
MSDK_EXPORT msdk_result msdk_room_close_hub(msdk_engine *engine, const char *room_url);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_HUB_H */
