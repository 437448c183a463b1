/* Encoded frames of the checker's host: counted, with data that ends where forbidden memory begins. */
#include <string.h>
#include <sys/mman.h>

#include "encoded.h"

enum { PACKETS_MAX = 64, DATA_MAX = 16 << 20, PLACE = 64 };

static struct packet {
  msdk_host_context *context;
  msdk_encoded_frame *frame;
  uint8_t *page, *base;
  uint64_t page_length, length;
  int32_t references;
  int is_used;
} packets[PACKETS_MAX];
static uint32_t next_packet;

static struct packet *packet_of(const msdk_encoded_frame *frame) {
  for (int i = 0; frame != NULL && i < PACKETS_MAX; i++) {
    if (packets[i].frame == frame) return &packets[i];
  }
  return NULL;
}

static void forget(struct packet *packet) {
  if (packet->base != NULL) region_forget(packet->base + packet->length - PAGE), region_forget(packet->base);
  if (packet->page != NULL) region_forget(packet->page + packet->page_length - PAGE), region_forget(packet->page);
  pages_unmap(packet->base, packet->length);
  pages_unmap(packet->page, packet->page_length);
}

msdk_result encoded_create(msdk_host_context *context, const msdk_encoded_frame *attributes, msdk_encoded_frame **out) {
  rig *rig = context->user;
  if (attributes == NULL || out == NULL || attributes->data == NULL || attributes->size == 0 || attributes->size > DATA_MAX) {
    return MSDK_E_INVALID;
  }
  if (rig == NULL || ((rig->class->kinds & (MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_AUDIO_ENCODER)) == 0 && !rig_is_encoded(rig))) {
    return MSDK_E_UNSUPPORTED;
  }
  return encoded_make(context, attributes, out);
}

msdk_result encoded_make(msdk_host_context *context, const msdk_encoded_frame *attributes, msdk_encoded_frame **out) {
  pthread_mutex_lock(&context->lock);
  struct packet *packet = NULL;
  for (int i = 0; packet == NULL && i < PACKETS_MAX; i++) {
    struct packet *one = &packets[next_packet++ % PACKETS_MAX];
    if (!one->is_used) packet = one;
  }
  if (packet == NULL) {
    pthread_mutex_unlock(&context->lock);
    return MSDK_E_NOMEM;
  }
  forget(packet);
  *packet = (struct packet){.context = context, .references = 1, .is_used = 1};
  context->outstanding_encoded++;
  pthread_mutex_unlock(&context->lock);
  uint8_t *data = pages_before_guard(attributes->size, 1, "memory past the data of an encoded frame", &packet->base, &packet->length);
  memcpy(data, attributes->data, attributes->size);
  uint8_t *place = pages_before_guard(sizeof *attributes, 8, "memory past an encoded frame", &packet->page, &packet->page_length);
  packet->frame = (msdk_encoded_frame *)(void *)place;
  memset(packet->frame, 0, sizeof *packet->frame);
  memcpy(packet->frame, attributes, attributes->struct_size < sizeof *attributes ? attributes->struct_size : sizeof *attributes);
  packet->frame->struct_size = sizeof *packet->frame;
  packet->frame->data = data;
  *out = packet->frame;
  return MSDK_OK;
}

void encoded_lock(const msdk_encoded_frame *frame) {
  struct packet *packet = packet_of(frame);
  if (packet == NULL) return;
  region_forbid(packet->base, packet->length - PAGE, "an encoded frame that it was given to read (rule P3)");
  pages_protect(packet->base, packet->length - PAGE, PROT_READ);
  region_forbid(packet->page, packet->page_length - PAGE, "the struct of an encoded frame that it was given to read (rule P3)");
  pages_protect(packet->page, packet->page_length - PAGE, PROT_READ);
}

/* Takes the reference. Of a host that watches for writes the last three are kept, and cannot be written. */
void encoded_deliver(msdk_host_context *context, const msdk_encoded_frame *frame) {
  const uint32_t known = MSDK_ENCODED_KEY | MSDK_ENCODED_DROPPABLE | MSDK_ENCODED_DISCONTINUITY;
  int is_key = (frame->flags & MSDK_ENCODED_KEY) != 0;
  if ((context->flags & HOST_READ_ONLY) != 0) encoded_lock(frame);
  pthread_mutex_lock(&context->lock);
  context->delivered++;
  context->delivered_at = now_ns();
  context->keys += is_key;
  context->late_keys += context->since_start++ == 0 && !is_key;
  context->odd_flags |= frame->flags & ~known;
  const msdk_encoded_frame *former = frame;
  if ((context->flags & HOST_READ_ONLY) != 0) {
    const msdk_encoded_frame **place = &context->held_encoded[context->next_encoded++ % 3];
    former = *place;
    *place = frame;
  }
  pthread_mutex_unlock(&context->lock);
  if (former != NULL) encoded_unref(former);
}

void encoded_let_go(msdk_host_context *context) {
  for (int i = 0; i < 3; i++) {
    const msdk_encoded_frame *one = context->held_encoded[i];
    context->held_encoded[i] = NULL;
    if (one != NULL) encoded_unref(one);
  }
}

int encoded_is_ours(const msdk_encoded_frame *frame) {
  struct packet *packet = packet_of(frame);
  return packet != NULL && packet->is_used && packet->references > 0;
}

void encoded_ref(const msdk_encoded_frame *frame) {
  struct packet *packet = packet_of(frame);
  if (packet == NULL) return;
  pthread_mutex_lock(&packet->context->lock);
  packet->references++;
  pthread_mutex_unlock(&packet->context->lock);
}

void encoded_unref(const msdk_encoded_frame *frame) {
  struct packet *packet = packet_of(frame);
  if (packet == NULL) return;
  msdk_host_context *context = packet->context;
  pthread_mutex_lock(&context->lock);
  if (packet->references <= 0) {
    context->over_released++;
  } else if (--packet->references == 0) {
    static const char GONE[] = "an encoded frame after its last reference was released";
    context->outstanding_encoded--;
    packet->is_used = 0;
    pages_protect(packet->base, packet->length, PROT_NONE);
    pages_protect(packet->page, packet->page_length, PROT_NONE);
    region_forbid(packet->base, packet->length, GONE);
    region_forbid(packet->page, packet->page_length, GONE);
  }
  pthread_mutex_unlock(&context->lock);
}
