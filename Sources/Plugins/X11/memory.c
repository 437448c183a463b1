#define _GNU_SOURCE /* memfd_create */
#include "memory.h"

#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

static bool accepted(x11_display *display, xcb_void_cookie_t cookie) {
  xcb_generic_error_t *error = xcb_request_check(display->link, cookie);
  bool good = error == NULL && x11_display_alive(display);
  free(error);
  return good;
}

static bool share_descriptor(x11_display *display, size_t size, x11_memory *out) {
  int fd = memfd_create("mediasdk-x11", MFD_CLOEXEC);
  if (fd < 0) return false;
  void *data = ftruncate(fd, (off_t)size) == 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (data == MAP_FAILED) {
    close(fd);
    return false;
  }
  *out = (x11_memory){.data = data, .size = size, .segment = xcb_generate_id(display->link)};
  if (accepted(display, xcb_shm_attach_fd_checked(display->link, out->segment, fd, 0))) return true; /* which closed the descriptor */
  munmap(data, size);
  return false;
}

static bool share_system_v(x11_display *display, size_t size, x11_memory *out) {
  int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
  if (id < 0) return false;
  void *data = shmat(id, NULL, 0);
  bool attached = false;
  if (data != (void *)-1) {
    *out = (x11_memory){.data = data, .size = size, .system_v = true, .segment = xcb_generate_id(display->link)};
    attached = accepted(display, xcb_shm_attach_checked(display->link, out->segment, (uint32_t)id, 0));
    if (!attached) shmdt(data);
  }
  shmctl(id, IPC_RMID, NULL); /* it goes with the last that is attached */
  return attached;
}

bool x11_memory_share(x11_display *display, size_t size, x11_memory *out) {
  bool shared = display->shm && (display->shm_by_descriptor ? share_descriptor(display, size, out) : share_system_v(display, size, out));
  if (!shared) *out = (x11_memory){0};
  return shared;
}

bool x11_memory_make(size_t size, x11_memory *out) {
  void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *out = data == MAP_FAILED ? (x11_memory){0} : (x11_memory){.data = data, .size = size};
  return out->data != NULL;
}

void x11_memory_detach(x11_display *display, x11_memory *memory) {
  if (memory->segment != 0) xcb_shm_detach(display->link, memory->segment);
  memory->segment = 0;
}

void x11_memory_free(x11_memory *memory) {
  if (memory->data != NULL && memory->system_v) shmdt(memory->data);
  if (memory->data != NULL && !memory->system_v) munmap(memory->data, memory->size);
  *memory = (x11_memory){0};
}
