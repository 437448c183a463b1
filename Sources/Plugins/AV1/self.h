/* AV1: libaom encodes, dav1d decodes. One instance does one of the two. */
#ifndef AV1_SELF_H
#define AV1_SELF_H

#include "../report.h"

#include <stdbool.h>

typedef struct av1_encoder av1_encoder;
typedef struct av1_decoder av1_decoder;

struct msdk_self {
  plugin_report report;
  av1_encoder *encoder; /* NULL while it is closed */
  av1_decoder *decoder;
  int32_t speed; /* of libaom; 0: as the preset says */
};

extern const msdk_video_encoder av1_encoder_table;
extern const msdk_video_decoder av1_decoder_table;

/* What the head of a temporal unit tells. MSDK_E_CORRUPT when it is none; any bytes will do. */
msdk_result av1_parse_header(const void *data, uint64_t size, msdk_encoded_header *out);

#endif
