/* What the parts of the checker share. Everything here runs in the child. */
#ifndef CHECKS_H
#define CHECKS_H

#include <mediasdk/plugin.h>

#include <pthread.h>
#include <stddef.h>

#include "include/checker.h"

enum { CLASSES_MAX = 64, ID_MAX = 128, TEXT_MAX = 1200 };

/* In memory that child and parent share. */
typedef struct verdict {
  int32_t value; /* CHECKER_*; the first failure stays */
  int32_t is_over;
  char rule[96], text[TEXT_MAX], step[240], fault[240];
  int32_t class_count;
  char class_ids[CLASSES_MAX][ID_MAX];
} verdict;

extern verdict *result;
extern const checker_request *request;

#define FORMAT(a, b) __attribute__((format(printf, a, b)))
void fail(const char *rule, const char *format, ...) FORMAT(2, 3);
void skip(const char *format, ...) FORMAT(1, 2);
int has_failed(void);
/* What is being done, for when it never returns. */
void step(const char *format, ...) FORMAT(1, 2);
const char *result_name(msdk_result code);
int64_t now_ns(void);
void wait_ms(uint32_t ms);
uint32_t random_below(uint32_t bound); /* from the seed */

/* ---------------------------------------------------------------------------------------------------- memory with borders */

enum { PAGE = 4096 };
/* Addresses that the plugin has no business at, and what they are, for the words of a crash. */
void region_forbid(const void *start, uint64_t size, const char *what);
void region_forget(const void *start);
void region_watch(void);           /* sets the signal handlers */
uint8_t *pages_map(uint64_t size); /* whole pages, readable and writable; ends the child when there is no memory */
/* `size` bytes that end where forbidden memory begins. *base and *length are what pages_unmap takes. */
uint8_t *pages_before_guard(uint64_t size, uint64_t align, const char *what, uint8_t **base, uint64_t *length);
void pages_protect(const void *base, uint64_t length, int protection);
void pages_unmap(uint8_t *base, uint64_t length);

/* -------------------------------------------------------------------------------------------------------------- the host */

enum {                        /* what the host does beyond its duty */
       HOST_GUARD = 1,        /* a plane ends where forbidden memory begins */
       HOST_READ_ONLY = 2,    /* what was delivered, or is rendered, cannot be written */
       HOST_BORROWED = 4,     /* what was given back, or was lent for a call, cannot be touched any more */
       HOST_PADDED = 8,       /* rows are further apart than they are long, with a poison between */
       HOST_CLOSE_WATCH = 16, /* deliveries take their time, and are counted once capture has been stopped */
       HOST_NEW = 64          /* the table of a later version: longer, as all structs are */
};
enum { VIDEO_POOL = 8, AUDIO_POOL = 16, BOOKS_MAX = 64 };

typedef struct book { /* the host's knowledge of one frame */
  struct msdk_host_context *context;
  int is_used, is_sound, is_wrapped, is_delivered;
  int32_t references;
  void *frame;
  uint8_t *page, *base[MSDK_PLANES_MAX];
  uint64_t page_length, length[MSDK_PLANES_MAX];
  uint8_t *planes[1];
  uint8_t poison;
  msdk_video_format *video;
  msdk_audio_format *audio;
  uint64_t sum; /* of a wrapped frame's pixels when it was delivered */
  void (*release)(void *);
  void *opaque;
} book;

struct msdk_host_context {
  pthread_mutex_t lock;
  uint32_t flags;
  const msdk_host *table;
  uint8_t poison;
  int is_creating, is_starved, is_stopped, is_closing;
  const char *forbidden_call; /* what create() called */
  int32_t outstanding, outstanding_sound, outstanding_encoded, inside;
  uint32_t acquired, refused, delivered, late, over_released, overwritten, changed;
  int64_t delivered_at; /* the last of them */
  int64_t delivered_ns; /* of sound: the length of all that was delivered */
  msdk_result error;
  char error_text[512];
  uint32_t errors, unworded;
  book *held[3]; /* the last frames that were delivered */
  const msdk_encoded_frame *held_encoded[3];
  /* Of encoded frames: key frames, frames since capture was started, starts whose first was no key frame, flags that there are not. */
  uint32_t next_encoded, keys, since_start, late_keys, odd_flags;
  uint32_t next_held;
  /* Looks at what was delivered, borrowed. */
  void (*look_video)(msdk_host_context *, const msdk_video_frame *);
  void (*look_audio)(msdk_host_context *, const msdk_audio_frame *);
  void *user;
};

const msdk_host *host_table(msdk_host_context *context);
book *book_of(const void *frame);
book *book_new(msdk_host_context *context);
void host_ref(book *book);
void host_unref(book *book);
void host_deliver(msdk_host_context *context, book *book); /* takes the reference; keeps it for three frames more */
void host_let_go(msdk_host_context *context);              /* of those */
msdk_result host_acquire_video(msdk_host_context *, const msdk_video_format *, uint32_t, msdk_video_frame **);
msdk_result host_wrap_video(msdk_host_context *, const msdk_external_frame *, msdk_video_frame **);
msdk_result host_acquire_audio(msdk_host_context *, const msdk_audio_format *, uint32_t, msdk_audio_frame **);
void *frame_memory(book *book, uint32_t size);
uint64_t frame_sum(const msdk_video_frame *frame);
int padding_is_whole(const book *book);

uint32_t plane_count(uint32_t pixel_format); /* 0: unknown */
uint32_t row_bytes(const msdk_video_format *format, uint32_t plane);
uint32_t row_count(const msdk_video_format *format, uint32_t plane);
uint32_t sample_bytes(const msdk_audio_format *format);

/* ----------------------------------------------------------------------------------------------------------- an instance */

typedef struct rig {
  const msdk_class *class;
  uint32_t kind;
  msdk_host_context *context;
  msdk_self *self;
  int varies; /* every call comes on a thread of its own */
  int is_ready, is_started, has_format;
  int64_t time; /* of the media */
  uint64_t sequence;
  msdk_video_format video;
  msdk_audio_format audio;
  msdk_result last; /* of the last media call */
} rig;

const msdk_module *module_get(void); /* loads it, once; the child ends when that fails */
const msdk_class *class_get(void);   /* of the request */

/* The functions of the rig say what failed themselves (fail) only where they are asked to "demand". */
msdk_result rig_open(rig *rig, const msdk_class *class, uint32_t kind, uint32_t flags);
void rig_close(rig *rig); /* down every level */
msdk_result rig_init(rig *rig);
msdk_result rig_agree(rig *rig); /* on a format: the one in rig->video or rig->audio if has_format, else the class's own */
msdk_result rig_start(rig *rig);
msdk_result rig_stop(rig *rig);
msdk_result rig_release(rig *rig);
/* So many frames; MSDK_E_AGAIN and MSDK_E_CLOSED are no errors. `*moved`: how many came. */
msdk_result rig_media(rig *rig, uint32_t count, uint32_t *moved);
/* init, agree, start. What fails is said with `rule`. 0 when it failed. */
int rig_demand(rig *rig, const char *rule);
const char *rig_words(rig *rig, msdk_result code); /* "MSDK_E_IO: no such file" */
const char *kind_name(uint32_t kind);
const void *rig_lend(rig *rig, const void *value, uint32_t size, int slot); /* a copy, where the host's flags say */
msdk_result rig_set(rig *rig, const char *name, const msdk_value *value);
int rig_is_pull(const rig *rig);
int rig_is_encoded(const rig *rig); /* a producer with MSDK_PRODUCER_ENCODED */
msdk_result rig_call_acquire(rig *rig, book **out); /* a frame of rig->video or rig->audio to feed, painted */
msdk_result rig_feed(rig *rig, book *book);         /* to a renderer or filter; takes the reference */
void rig_lock(rig *rig, book *book);                /* what it is lent is not writable from here on */
void check_video_format(const msdk_video_format *format, const char *where); /* fails what is not whole */
void rig_look_for_rows(msdk_host_context *context, const msdk_video_frame *frame); /* counts rows that nobody wrote as changed */
extern const uint32_t KINDS[6];
#define FOR_KINDS(kind, class)                                                                            \
  for (uint32_t kind##_i = 0, kind = KINDS[0]; kind##_i < 6; kind = KINDS[++kind##_i < 6 ? kind##_i : 5]) \
    if (((class)->kinds & kind) != 0 && !has_failed())

/* --------------------------------------------------------------------------------------------------------------- effects */

typedef struct effects {
  int threads, descriptors;
  int64_t output;
  uint64_t signals, environment, place, locale;
} effects;
effects effects_now(void);
/* What changed, in words, or NULL. Threads and descriptors that are gone are no fault. */
const char *effects_of(const effects *before, const effects *after);
uint64_t memory_now(void);

/* ----------------------------------------------------------------------------------------------------------- the checks */

void check_exports(void), check_load(void), check_entry(void), check_tables(void), check_module(void);
void check_create(void), check_init(void), check_lifecycle(void), check_restart(void), check_threads(void);
void check_host_new(void), check_stop(void), check_formats(void), check_odd_sizes(void), check_strides(void), check_pool(void);
void check_references(void), check_read_only(void), check_borrowed(void), check_pace(void), check_parameters(void), check_commands(void);
void check_errors(void), check_leaks(void), check_inputs(void), check_snapshot(void), check_packets(void), check_encode(void);
void check_decode(void), check_garbage(void), check_encoded(void);

#endif
