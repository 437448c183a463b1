/* A host for one instance of a plugin's class, which watches it: frames have padded rows, and padding and surroundings hold a poison that
 * must still be there when a frame comes back; references, errors, logs and events are counted. */
#ifndef TESTS_HOST_H
#define TESTS_HOST_H

#include <mediasdk/plugin.h>

#include <pthread.h>

enum { HOST_ENCODED_POOL = 256, HOST_POOL = 8, HOST_AUDIO_POOL = 16, HOST_EVENTS = 32 };

/* Sound that was taken, as numbers from -1 to 1. */
typedef struct host_recording {
  float *samples; /* interleaved */
  uint64_t count, capacity; /* of samples, all channels together */
  uint32_t buffers, ends, discontinuities, mixed; /* mixed: buffers of another format than the first */
  int64_t first_ns, last_ns;
  uint32_t backwards; /* timestamps that did not grow */
  msdk_audio_format format;
} host_recording;

typedef struct host_event {
  uint32_t event;
  msdk_result result;
  char detail[128];
} host_event;

struct msdk_host_context {
  pthread_mutex_t lock;
  uint8_t poison;
  int32_t padding;     /* bytes added to every row */
  uint32_t pool_limit; /* frames that may be out at once */
  int64_t now_ns;
  int real_time; /* 1: now_ns is not looked at, time passes by itself. Of host_create_live */

  uint32_t outstanding, acquired, wrapped, refused; /* frames */
  uint32_t overwritten; /* frames whose poison was touched, or that were wrapped and changed after that */
  uint32_t errors, events, logs[5];
  uint32_t last_event;
  msdk_result error;
  char error_text[512], log_text[512];
  msdk_video_frame *free_frames[HOST_POOL];

  /* What consume_video_frame does with a frame that it borrows; NULL: MSDK_OK. */
  msdk_result (*consume)(msdk_host_context *, msdk_video_frame *);
  void *user;
  uint32_t consumed;

  /* Sound. What is delivered is recorded; then consume_audio, if set, gives the answer. */
  uint32_t audio_pool_limit, audio_outstanding, audio_refused, audio_overwritten;
  msdk_result (*consume_audio)(msdk_host_context *, const msdk_audio_frame *);
  host_recording recording; /* under the lock */
  host_event event_log[HOST_EVENTS]; /* the first ones */

  /* What an encoder made. */
  uint32_t encoded_limit, encoded_outstanding, encoded_refused;
};

typedef struct host_instance {
  const msdk_class *class;
  msdk_host_context context;
  msdk_self *self;
} host_instance;

/* The class of a module in the folder of MSDK_TEST_PLUGINS, or given as the program's argument. Ends the program when there is none. */
const msdk_class *host_load(int argc, char **argv, const char *file, const char *class_id);

/* Whether plugins run in processes of their own, behind the library's proxies. */
int host_is_isolated(void);
/* Whether run.sh says that this cannot hold across processes; then it is named. */
int host_leaves_out(const char *subject);

/* Checks that all went well. */
void host_create(host_instance *instance, const msdk_class *class);
/* The same with real_time, for a plugin that looks at the clock between calls. */
void host_create_live(host_instance *instance, const msdk_class *class);
/* Checks that every frame came back, and came back unharmed. */
void host_destroy(host_instance *instance);

/* Stops, releases and destroys a producer. */
void host_finish(host_instance *instance);

/* Renders a painted frame, and checks that it was only read. */
msdk_result host_render(host_instance *instance, const msdk_video_format *format, uint32_t seed, int64_t timestamp_ns, uint32_t orientation);

/* Runs one of the scripts of servers that lie here, as it says: what (START, STOP, ...), its folder, arguments. Of what it prints the first
 * line goes into `answer` (NULL: nowhere). Checks that all went well, and returns it. */
int host_server(const char *script, const char *what, const char *folder, const char *arguments, char *answer, size_t room);

msdk_result host_set_string(host_instance *instance, const char *name, const char *value);
msdk_result host_set_f64(host_instance *instance, const char *name, double value);
msdk_result host_set_i32(host_instance *instance, const char *name, int32_t value);
msdk_result host_set_u32(host_instance *instance, const char *name, uint32_t value);
msdk_result host_set_u64(host_instance *instance, const char *name, uint64_t value);
msdk_result host_set_bool(host_instance *instance, const char *name, int value);

/* The function of a command declared with `native`, to be cast to its own type; NULL when the plugin is in another process. */
void (*host_native(const msdk_class *class, const char *name))(void);
/* Calls a command of an isolated plugin as programs do, and checks that all went well. Of commands that give numbers. */
msdk_value host_call(host_instance *instance, const char *name, uint32_t count, const msdk_value *args);

/* Wrong names, wrong types and NULL must be answered with an error and words. */
void host_check_params(host_instance *instance);

msdk_video_format host_format(uint32_t pixel_format, uint32_t width, uint32_t height);
/* Of a plane of a picture. */
uint32_t host_row_bytes(const msdk_video_format *format, uint32_t plane);
uint32_t host_rows(const msdk_video_format *format, uint32_t plane);

/* A frame to give to a renderer. */
msdk_video_frame *host_frame(host_instance *instance, const msdk_video_format *format);
void host_unref(const msdk_video_frame *frame);
/* Every sample gets a value that depends on its place and on `seed`. */
void host_paint(msdk_video_frame *frame, uint32_t seed);
/* 1 when the pictures are the same, whatever their strides. */
int host_same(const msdk_video_frame *a, const msdk_video_frame *b);

msdk_audio_format host_audio_format(uint32_t sample_format, uint32_t sample_rate, uint32_t channels);
/* A silent buffer to give to a renderer. */
msdk_audio_frame *host_audio_frame(host_instance *instance, const msdk_audio_format *format, uint32_t sample_count);
void host_audio_unref(const msdk_audio_frame *frame);
float host_sample(const msdk_audio_frame *frame, uint64_t index);
void host_set_sample(msdk_audio_frame *frame, uint64_t index, double value); /* rounded and clipped if it is s16 */
void host_record(host_recording *recording, const msdk_audio_frame *frame);
void host_recording_free(host_recording *recording);
/* How many of the first HOST_EVENTS events were this one. */
uint32_t host_count_events(host_instance *instance, uint32_t event, msdk_result result);
/* How many lines were logged, once there are as many as wanted: words of an isolated plugin may come a moment after the call. */
uint32_t host_logs(host_instance *instance, uint32_t level, uint32_t wanted);
/* How many events were posted; likewise. */
uint32_t host_events(host_instance *instance, uint32_t wanted);
int64_t host_monotonic_ns(void);

/* Inputs of a renderer of several streams. The texts that the plugin is shown are overwritten as soon as its function has returned. */
msdk_input host_input(uint32_t kind, const char *name);
msdk_result host_update_input(host_instance *instance, uint32_t number, const msdk_input *input);

int host_open_descriptors(void);
const char *host_folder(void); /* a new one of this program's own, removed at its end */
const char *host_path(const char *name); /* in that folder; valid until the eighth call after it */

/* For the table; see host_audio.c. */
msdk_result host_audio_acquire(msdk_host_context *, const msdk_audio_format *, uint32_t sample_count, msdk_audio_frame **out);
void host_audio_ref(const msdk_audio_frame *frame);
msdk_result host_audio_make_writable(msdk_host_context *, msdk_audio_frame *in, msdk_audio_frame **out);
msdk_result host_audio_consume(msdk_host_context *, msdk_audio_frame *);

/* An encoded frame, as an encoder makes one; its data is in memory of its own, without a byte to spare. */
msdk_encoded_frame *host_encoded(host_instance *instance, const void *data, uint64_t size);
void host_encoded_unref(const msdk_encoded_frame *frame);
msdk_result host_encoded_create(msdk_host_context *, const msdk_encoded_frame *attributes, msdk_encoded_frame **out);
void host_encoded_ref(const msdk_encoded_frame *frame);

extern const msdk_host host_table;

#endif
