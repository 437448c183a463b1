#define _XOPEN_SOURCE 700
#include "image.h"

#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/shm.h>

void wn_image_open(wn_image *image, xcb_connection_t *connection) {
  *image = (wn_image){.connection = connection};
  const xcb_query_extension_reply_t *extension = xcb_get_extension_data(connection, &xcb_shm_id);
  if (extension == NULL || !extension->present) return;
  image->opcode = extension->major_opcode;
  image->completion = (uint8_t)(extension->first_event + XCB_SHM_COMPLETION);
}

static void detach(wn_image *image) {
  if (image->shared == NULL) return;
  xcb_shm_detach(image->connection, image->segment);
  shmdt(image->shared);
  image->shared = NULL;
  image->shared_size = 0;
  image->busy = false;
}

void wn_image_close(wn_image *image) {
  detach(image);
  wn_memory_free(&image->sent);
}

/* A server on another machine, or in another container, has the extension but cannot see the memory. */
static bool attach(wn_image *image, uint64_t size) {
  detach(image);
  int id = shmget(IPC_PRIVATE, (size_t)size, IPC_CREAT | 0600);
  if (id < 0) return false;
  void *memory = shmat(id, NULL, 0);
  bool good = false;
  if (memory != (void *)-1) {
    image->segment = xcb_generate_id(image->connection);
    xcb_generic_error_t *error =
      xcb_request_check(image->connection, xcb_shm_attach_checked(image->connection, image->segment, (uint32_t)id, 1));
    good = error == NULL && !xcb_connection_has_error(image->connection);
    free(error);
    if (!good) shmdt(memory);
  }
  shmctl(id, IPC_RMID, NULL); /* it goes with the last who has it */
  if (!good) return false;
  image->shared = memory;
  image->shared_size = size;
  return true;
}

uint8_t *wn_image_memory(wn_image *image, uint64_t size) {
  if (image->opcode != 0) {
    if (size <= image->shared_size) return image->shared;
    /* With room to spare: a window that is being resized grows by a little many times. */
    if (attach(image, size + size / 4)) return image->shared;
    image->opcode = 0;
  }
  return wn_memory_reserve(&image->sent, size) ? image->sent.bytes : NULL;
}

/* In pieces that fit into a request. Waits until the server has them, so that they do not heap up. */
static void send_rows(wn_image *image, const wn_visual *visual, xcb_window_t window, xcb_gcontext_t gc, uint32_t width, uint32_t height) {
  uint64_t stride = wn_visual_stride(visual, width), most = (uint64_t)xcb_get_maximum_request_length(image->connection) * 4;
  uint64_t room = most - sizeof(xcb_put_image_request_t) - 8, at_once = room / stride > 0 ? room / stride : 1;
  for (uint64_t row = 0; row < height; row += at_once) {
    uint64_t rows = height - row < at_once ? height - row : at_once;
    xcb_put_image(image->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, window, gc, (uint16_t)width, (uint16_t)rows, 0, (int16_t)row, 0,
                  visual->depth, (uint32_t)(rows * stride), image->sent.bytes + row * stride);
  }
  free(xcb_get_input_focus_reply(image->connection, xcb_get_input_focus(image->connection), NULL));
}

void wn_image_put(wn_image *image, const wn_visual *visual, xcb_window_t window, xcb_gcontext_t gc, uint32_t width, uint32_t height) {
  if (image->shared == NULL) {
    send_rows(image, visual, window, gc, width, height);
    return;
  }
  xcb_shm_put_image(image->connection, window, gc, (uint16_t)width, (uint16_t)height, 0, 0, (uint16_t)width, (uint16_t)height, 0, 0,
                    visual->depth, XCB_IMAGE_FORMAT_Z_PIXMAP, 1, image->segment, 0);
  image->busy = true;
}

bool wn_image_notice(wn_image *image, const xcb_generic_event_t *event) {
  if (image->shared == NULL) return false;
  if (event->response_type == 0) {
    if (((const xcb_generic_error_t *)event)->major_code != image->opcode) return false;
    detach(image);
    image->opcode = 0;
    return true;
  }
  if ((event->response_type & 0x7F) == image->completion) image->busy = false;
  return false;
}
