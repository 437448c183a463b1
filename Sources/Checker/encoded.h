/* Encoded frames: how they are made, lent and counted. */
#ifndef ENCODED_H
#define ENCODED_H

#include "checks.h"

/* The host's function, of encoders; encoded_make is the same for the checker itself. Both copy the data. */
msdk_result encoded_create(msdk_host_context *context, const msdk_encoded_frame *attributes, msdk_encoded_frame **out);
msdk_result encoded_make(msdk_host_context *context, const msdk_encoded_frame *attributes, msdk_encoded_frame **out);
void encoded_lock(const msdk_encoded_frame *frame); /* for reading only from here on */
void encoded_deliver(msdk_host_context *context, const msdk_encoded_frame *frame); /* as host_deliver */
void encoded_let_go(msdk_host_context *context);
int encoded_is_ours(const msdk_encoded_frame *frame);
void encoded_ref(const msdk_encoded_frame *frame);
void encoded_unref(const msdk_encoded_frame *frame);

#endif
