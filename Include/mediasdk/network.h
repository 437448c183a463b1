/* mediasdk/network.h - what the network does to a session: its quality, and each stream's packets, losses, delays
 *
 * Of sessions over a network ("rtp:", "hub:"), and in a loopback room while its network is scripted (room.h), of what passes there in packets:
 * VP8 and Opus. Otherwise a loopback room has none, and neither has the mix: there these functions return MSDK_E_STATE. Names and meanings
 * are those of W3C's webrtc-stats, from where an "inbound-rtp" or "outbound-rtp" tells them; times are nanoseconds, durations included.
 * Everything counts from the stream's first packet in this connection. msdk_session_stats_json tells the same of all streams at once; in a
 * loopback room the first "transport" of it is the session's own way, and one more stands for the way of each participant of whom it receives.
 */
#ifndef MEDIASDK_NETWORK_H
#define MEDIASDK_NETWORK_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A stream that goes out: outbound-rtp, and what the other end reports of it: remote-inbound-rtp. */
typedef struct msdk_outbound_stats {
  uint32_t struct_size;
  uint32_t ssrc;
  uint64_t packets_sent;       /* retransmissions, and padding that probes the way, included */
  uint64_t bytes_sent;         /* of payload */
  uint64_t header_bytes_sent;  /* padding included */
  uint64_t retransmitted_packets_sent, retransmitted_bytes_sent;
  uint64_t nack_count, pli_count, fir_count; /* messages that came: of packets that are missing, of key frames that are wanted */
  uint64_t frames_sent, key_frames_sent;     /* pictures all packets of which left; 0 of sound, as all of frames */
  uint64_t huge_frames_sent;   /* of at least two and a half times the average size */
  int64_t total_packet_send_delay_ns; /* for which packets waited here, all together */
  uint64_t target_bitrate;     /* that the encoder is told to make; of a stream without one, what the session may send in all */
  /* By the other end's last report of the stream; 0 before the first. */
  int64_t reported_at_ns;      /* when that came, on the engine's clock; 0: none came yet */
  int64_t packets_lost;        /* since the beginning; below zero where duplicates outnumber the lost */
  double fraction_lost;        /* since the report before, 0..1 */
  int64_t jitter_ns;
  int64_t round_trip_time_ns;  /* the latest; 0: not known */
  int64_t total_round_trip_time_ns;
  uint64_t round_trip_time_measurements;
  /* Of the way that the stream shares with others: of all of them together. */
  uint64_t available_outgoing_bitrate; /* the estimate, bits per second */
  uint64_t queued_packets, queued_bytes; /* wait to be sent */
  int64_t queue_delay_ns;      /* for which what is sent now will wait, about */
  uint64_t expired_packets;    /* that waited for too long, and went empty */
} msdk_outbound_stats;

/* A stream that comes in: inbound-rtp. */
typedef struct msdk_inbound_stats {
  uint32_t struct_size;
  uint32_t ssrc;
  uint64_t packets_received;      /* what was sent again included */
  uint64_t bytes_received;        /* of payload */
  uint64_t header_bytes_received; /* padding included */
  uint64_t retransmitted_packets_received, retransmitted_bytes_received; /* as in a source of their own (RFC 4588) */
  uint64_t packets_repaired;      /* had been missing, and came after all */
  uint64_t packets_discarded;     /* came too late, or were no payload of their format */
  int64_t packets_lost;           /* RFC 3550, section 6.4.1: what was repaired by a source of its own counts as lost */
  int64_t jitter_ns;
  int64_t last_packet_received_ns; /* on the engine's clock */
  uint64_t nack_count, pli_count; /* messages that were sent. FIR never is */
  uint64_t frames_received, key_frames_received; /* pictures that became whole; 0 of sound, as all to freezes */
  uint64_t frames_dropped;        /* became whole, and were never handed on */
  uint64_t frames_assembled_from_multiple_packets;
  int64_t total_assembly_time_ns; /* of those, from the first packet to the last */
  uint32_t frame_width, frame_height; /* of the latest key frame */
  uint64_t freeze_count;
  int64_t total_freezes_duration_ns;
  /* From the first packet of each picture, or sample, until it is handed on; what was meant to be; of how many. */
  int64_t jitter_buffer_delay_ns, jitter_buffer_target_delay_ns;
  uint64_t jitter_buffer_emitted_count;
  uint64_t total_samples_received; /* of sound, at 48 kHz, concealed ones included; 0 of pictures, as the next two */
  uint64_t concealed_samples;
  uint64_t concealment_events;    /* times that something had to be concealed, however long */
  int64_t round_trip_time_ns;     /* of the way; 0: not known, as for one who only receives */
} msdk_inbound_stats;

/* ----------------------------------------------------------------------------------------------------------------- quality */

/* How good the network is, one grade for each direction, looked at once a second. MSDK_EVENT_NETWORK_QUALITY comes when a grade changes and
 * never otherwise; msdk_session_stats has both. A grade is that of the worst of:
 *
 *                                                       GOOD         POOR        BAD
 *     lost packets, of the last seconds                 up to 3 %    up to 10 %  more
 *     round trip, in both directions                    up to 0.3 s  up to 1 s   more
 *     outgoing: the estimate, as a share of what the    60 %         15 %        less
 *       encoders would make without a limit
 *     outgoing: reports of the other end                             none for 15 s where there were some
 *
 * Lost is what did not come at first, whether or not it was repaired. The share counts from the fifth second of sending on. What is not
 * known is left out, and where nothing is known, before the first seconds of media, or after ten in which none went that way, the grade
 * is UNKNOWN. In a loopback room what passes in one piece counts as packets of 1200 bytes. A grade falls after two seconds in which all
 * figures said so. It rises after five in which they were so good that half as much again of each would still be in the better column: so
 * it does not flap. */
enum { MSDK_QUALITY_UNKNOWN = 0, MSDK_QUALITY_BAD = 1, MSDK_QUALITY_POOR = 2, MSDK_QUALITY_GOOD = 3 };
enum { MSDK_DIRECTION_OUTGOING = 1, MSDK_DIRECTION_INCOMING = 2 };

/* ----------------------------------------------------------------------------------------------------------------- streams */

/* Of a stream that is started. MSDK_E_STATE: it is not, there is no network, or nothing of it has gone yet, as there is nobody to
 * send to. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_network_stats(msdk_outgoing_video *stream, msdk_outbound_stats *out);
MSDK_EXPORT msdk_result msdk_outgoing_audio_network_stats(msdk_outgoing_audio *stream, msdk_outbound_stats *out);

/* Of a participant's stream. MSDK_E_STATE: there is no network, it was removed, is the mix, or is in a hub and nobody here takes it. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_network_stats(msdk_incoming_video *stream, msdk_inbound_stats *out);
MSDK_EXPORT msdk_result msdk_incoming_audio_network_stats(msdk_incoming_audio *stream, msdk_inbound_stats *out);

/* --------------------------------------------------------------------------------------------------------------- captures */

/* For debugging, a session over RTP or in a hub writes the datagrams that it sends and that come, from whomever, into the file
 * capture_path of msdk_session_options, as Wireshark and tcpdump read it: pcap with times to the nanosecond, the headers of IP and UDP
 * made up (LINKTYPE_RAW). Of a hub that is the media, and not the messages, which go over TLS. The file begins anew with each connection
 * (msdk_session_connect: MSDK_E_IO where it cannot be made, MSDK_E_INVALID where it is neither a regular file nor a character device),
 * made for its owner alone, and is whole when the session is disconnected. A thread of its own writes it: where that falls behind by
 * more than 1 MB of datagrams, some are left out; a disk that is full ends the file; a warning in the log tells of both. Another url is
 * refused with MSDK_E_UNSUPPORTED. */
enum {
  MSDK_CAPTURE_PLAIN = 1 /* packets before SRTP protects them and after it was taken away, not as they are sent: they can be looked into */
};

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_NETWORK_H */
