#include "host.h"

#include "check.h"

#include <stdlib.h>

typedef struct host_encoded_memory {
  msdk_encoded_frame frame; /* first: a pointer to it is a pointer to the whole */
  msdk_host_context *context;
  int references;
} host_encoded_memory;

msdk_result host_encoded_create(msdk_host_context *context, const msdk_encoded_frame *attributes, msdk_encoded_frame **out) {
  if (attributes == NULL || out == NULL || attributes->struct_size < sizeof *attributes) return MSDK_E_INVALID;
  if (attributes->data == NULL || attributes->size == 0) return MSDK_E_INVALID;
  pthread_mutex_lock(&context->lock);
  int room = context->encoded_outstanding < context->encoded_limit;
  if (room) context->encoded_outstanding++;
  else context->encoded_refused++;
  pthread_mutex_unlock(&context->lock);
  if (!room) return MSDK_E_NOMEM;
  host_encoded_memory *made = calloc(1, sizeof *made);
  uint8_t *data = malloc(attributes->size);
  memcpy(data, attributes->data, attributes->size);
  made->frame = *attributes;
  made->frame.data = data;
  made->context = context;
  made->references = 1;
  *out = &made->frame;
  return MSDK_OK;
}

void host_encoded_ref(const msdk_encoded_frame *frame) {
  host_encoded_memory *memory = (host_encoded_memory *)(uintptr_t)frame;
  pthread_mutex_lock(&memory->context->lock);
  memory->references++;
  pthread_mutex_unlock(&memory->context->lock);
}

void host_encoded_unref(const msdk_encoded_frame *frame) {
  host_encoded_memory *memory = (host_encoded_memory *)(uintptr_t)frame;
  pthread_mutex_lock(&memory->context->lock);
  int is_last = --memory->references == 0;
  if (is_last) memory->context->encoded_outstanding--;
  pthread_mutex_unlock(&memory->context->lock);
  if (!is_last) return;
  free((void *)(uintptr_t)memory->frame.data);
  free(memory);
}

msdk_encoded_frame *host_encoded(host_instance *instance, const void *data, uint64_t size) {
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame), *made = NULL;
  attributes.data = data;
  attributes.size = size;
  CHECK_EQ(host_encoded_create(&instance->context, &attributes, &made), MSDK_OK);
  return made;
}
