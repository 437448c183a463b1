/** @file
 * mediasdk/network.h - network statistics: the quality of a session, and the packets, losses and delays of each stream
 *
 * Statistics exist for sessions over a network: "rtp:" and WebRTC (webrtc.h), which includes served rooms (serve.h). They also exist in a
 * loopback room while its network is scripted (room.h), for streams that pass there as packets: VP8 and Opus. Otherwise a loopback room
 * has no statistics, and neither has the mix; these functions then return MSDK_E_STATE.
 *
 * Names and meanings are those of "inbound-rtp" and "outbound-rtp" in W3C's webrtc-stats. Times and durations are nanoseconds. All
 * counters begin with the stream's first packet in this connection. msdk_session_get_stats_json returns the same for all streams. In a
 * loopback room its first "transport" is the session's own network path, and one more follows for the path of each participant from
 * whom the session receives.
 */
#ifndef MEDIASDK_NETWORK_H
#define MEDIASDK_NETWORK_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An outgoing stream: outbound-rtp, and what the remote peer reports of it: remote-inbound-rtp. */
typedef struct msdk_outbound_stats {
  uint32_t struct_size;
  uint32_t ssrc;
  uint64_t packets_sent;       /**< including retransmissions and padding that probes the path */
  uint64_t bytes_sent;         /**< payload */
  uint64_t header_bytes_sent;  /**< including padding */
  uint64_t retransmitted_packets_sent, retransmitted_bytes_sent;
  uint64_t nack_count, pli_count, fir_count; /**< received requests: for missing packets, for key frames */
  uint64_t frames_sent, key_frames_sent;     /**< video frames that left completely; 0 for audio */
  uint64_t huge_frames_sent;   /**< at least two and a half times the average size; 0 for audio */
  int64_t total_packet_send_delay_ns; /**< sum of the times that packets were queued here */
  uint64_t target_bitrate;     /**< of the encoder; without an encoder: of the whole session */
  /** From the remote peer's last report of the stream; 0 before the first. */
  int64_t reported_at_ns;      /**< when that report arrived, on the engine's clock; 0: none yet */
  int64_t packets_lost;        /**< since the beginning; negative if duplicates outnumber losses */
  double fraction_lost;        /**< since the previous report, 0..1 */
  int64_t jitter_ns;
  int64_t round_trip_time_ns;  /**< the latest; 0: not known */
  int64_t total_round_trip_time_ns;
  uint64_t round_trip_time_measurements;
  /** Of the network path that all streams of the session share. */
  uint64_t available_outgoing_bitrate; /**< the estimate, bits per second */
  uint64_t queued_packets, queued_bytes; /**< waiting to be sent */
  int64_t queue_delay_ns;      /**< expected queueing delay of a packet that is sent now */
  uint64_t expired_packets;    /**< queued for too long, and sent without payload */
} msdk_outbound_stats;

/** An incoming stream: inbound-rtp. */
typedef struct msdk_inbound_stats {
  uint32_t struct_size;
  uint32_t ssrc;
  uint64_t packets_received;      /**< including retransmissions */
  uint64_t bytes_received;        /**< payload */
  uint64_t header_bytes_received; /**< including padding */
  uint64_t retransmitted_packets_received, retransmitted_bytes_received; /**< with an SSRC of their own (RFC 4588) */
  uint64_t packets_repaired;      /**< missing at first, received later */
  uint64_t packets_discarded;     /**< too late, or not a valid payload of their format */
  int64_t packets_lost;           /**< RFC 3550, section 6.4.1: packets repaired through another SSRC count as lost */
  int64_t jitter_ns;
  int64_t last_packet_received_ns; /**< on the engine's clock */
  uint64_t nack_count, pli_count; /**< sent requests; FIR is never sent */
  uint64_t frames_received, key_frames_received; /**< complete video frames; 0 for audio, as all members up to the freezes */
  uint64_t frames_dropped;        /**< complete, but never delivered */
  uint64_t frames_assembled_from_multiple_packets;
  int64_t total_assembly_time_ns; /**< of those frames, from the first packet to the last */
  uint32_t frame_width, frame_height; /**< of the latest key frame */
  uint64_t freeze_count;
  int64_t total_freezes_duration_ns;
  /** Sums over the delivered frames (video) or samples (audio): the time from the first packet to delivery, and the intended time. */
  int64_t jitter_buffer_delay_ns, jitter_buffer_target_delay_ns;
  uint64_t jitter_buffer_emitted_count; /**< how many frames or samples these are */
  uint64_t total_samples_received; /**< audio, at 48 kHz, including concealed samples; 0 for video, as the next two */
  uint64_t concealed_samples;
  uint64_t concealment_events;    /**< number of gaps that were concealed, of any length */
  int64_t round_trip_time_ns;     /**< of the network path; 0: not known, as for a session that only receives */
} msdk_inbound_stats;

/* ----------------------------------------------------------------------------------------------------------------- quality */

/** The quality of the network: one grade for each direction, evaluated once a second. MSDK_EVENT_NETWORK_QUALITY comes only when a grade
 * changes; msdk_session_stats has both grades. A grade is the worst of these figures:
 *
 *                                                       GOOD         POOR        BAD
 *     lost packets, of the last seconds                 up to 3 %    up to 10 %  more
 *     round trip, in both directions                    up to 0.3 s  up to 1 s   more
 *     outgoing: the estimate, as a share of what the    60 %         15 %        less
 *       encoders would make without a limit
 *     outgoing: reports of the remote peer                           none for 15 s after earlier ones
 *
 * A packet that did not arrive at first counts as lost, whether or not it was repaired. The share counts from the fifth second of
 * sending on. Unknown figures are ignored. The grade is UNKNOWN when no figure is known: before the first seconds of media, or after ten
 * seconds without media in that direction. In a loopback room, frames that pass in one piece count as packets of 1200 bytes.
 *
 * A grade falls after two seconds in which all figures agreed. To prevent flapping, it rises only after five seconds in which every
 * figure would be in the better column even if it were half as much again. */
enum { MSDK_QUALITY_UNKNOWN = 0x600, MSDK_QUALITY_BAD = 0x601, MSDK_QUALITY_POOR = 0x602, MSDK_QUALITY_GOOD = 0x603 };
enum { MSDK_DIRECTION_OUTGOING = 1, MSDK_DIRECTION_INCOMING = 2 };

/* ----------------------------------------------------------------------------------------------------------------- streams */

/** Statistics of a started outgoing stream. MSDK_E_STATE: the stream is not started, there is no network, or nothing was sent yet because
 * there is no receiver. [any thread] */
MSDK_EXPORT msdk_result msdk_outgoing_video_get_network_stats(msdk_outgoing_video *stream, msdk_outbound_stats *out);
MSDK_EXPORT msdk_result msdk_outgoing_audio_get_network_stats(msdk_outgoing_audio *stream, msdk_outbound_stats *out);

/** Statistics of a participant's stream. MSDK_E_STATE: there is no network, the stream was removed, it is the mix, or this session does
 * not receive it from its room. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_get_network_stats(msdk_incoming_video *stream, msdk_inbound_stats *out);
MSDK_EXPORT msdk_result msdk_incoming_audio_get_network_stats(msdk_incoming_audio *stream, msdk_inbound_stats *out);

/* --------------------------------------------------------------------------------------------------------------- captures */

/** For debugging, a session over "rtp:" or WebRTC writes all datagrams that it sends, and all that arrive from anywhere, into the file
 * capture_path of msdk_session_options. Wireshark and tcpdump read it: pcap with nanosecond times and synthetic IP and UDP headers
 * (LINKTYPE_RAW). The file has the media, but not the signalling of servers and rooms, which goes over TCP.
 *
 * Each connection begins the file anew. msdk_session_connect returns MSDK_E_IO if the file cannot be created, and MSDK_E_INVALID if it
 * is neither a regular file nor a character device. Only the owner can read the file. It is complete when the session is disconnected.
 *
 * A separate thread writes the file. If it falls behind by more than 1 MB of datagrams, some are dropped. A full disk ends the file. A
 * warning in the log reports both. Other urls are refused with MSDK_E_UNSUPPORTED. */
enum {
  MSDK_CAPTURE_PLAIN = 1 /**< packets as they are without SRTP protection, so that their payload can be read */
};

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_NETWORK_H */
