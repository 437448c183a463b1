#define _GNU_SOURCE
#include "view.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks.h"

typedef struct image {
  const uint8_t *bytes;
  uint64_t size;
} image;

static const void *at(const image *image, uint64_t offset, uint64_t size) {
  return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

static const char *text_at(const image *image, const Elf64_Shdr *strings, uint64_t index) {
  if (index >= strings->sh_size) return NULL;
  const char *text = at(image, strings->sh_offset + index, strings->sh_size - index);
  return text != NULL && memchr(text, 0, strings->sh_size - index) != NULL ? text : NULL;
}

static void add(const char **names, uint32_t *count, const char *name) {
  if (name != NULL && *count < ELF_NAMES) names[(*count)++] = name;
}

static void read_symbols(const image *image, const Elf64_Shdr *section, const Elf64_Shdr *strings, elf_view *view) {
  for (uint64_t i = 1; i < section->sh_size / sizeof(Elf64_Sym); i++) {
    const Elf64_Sym *symbol = at(image, section->sh_offset + i * sizeof *symbol, sizeof *symbol);
    if (symbol == NULL || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
    int is_hidden = ELF64_ST_VISIBILITY(symbol->st_other) == STV_HIDDEN || ELF64_ST_VISIBILITY(symbol->st_other) == STV_INTERNAL;
    const char *name = text_at(image, strings, symbol->st_name);
    if (symbol->st_shndx == SHN_UNDEF)
      add(view->undefined, &view->undefined_count, name);
    else if (!is_hidden && symbol->st_shndx != SHN_ABS)
      add(view->exported, &view->exported_count, name);
  }
}

static void read_dynamic(const image *image, const Elf64_Shdr *section, const Elf64_Shdr *strings, elf_view *view) {
  for (uint64_t i = 0; i < section->sh_size / sizeof(Elf64_Dyn); i++) {
    const Elf64_Dyn *entry = at(image, section->sh_offset + i * sizeof *entry, sizeof *entry);
    if (entry != NULL && entry->d_tag == DT_NEEDED) add(view->needed, &view->needed_count, text_at(image, strings, entry->d_un.d_val));
  }
}

static int read_image(const image *image, elf_view *view) {
  const Elf64_Ehdr *header = at(image, 0, sizeof *header);
  if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_type != ET_DYN) {
    view->why = "it is not a 64-bit shared object";
    return 0;
  }
  const Elf64_Shdr *sections = at(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections);
  if (sections == NULL || header->e_shnum == 0 || header->e_shoff % 8 != 0) {
    view->why = "it has no section headers";
    return 0;
  }
  for (uint32_t i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_link >= header->e_shnum) continue;
    const Elf64_Shdr *strings = &sections[sections[i].sh_link];
    if (sections[i].sh_type == SHT_DYNSYM) read_symbols(image, &sections[i], strings, view);
    if (sections[i].sh_type == SHT_DYNAMIC) read_dynamic(image, &sections[i], strings, view);
  }
  return 1;
}

int elf_open(const char *path, elf_view *view) {
  memset(view, 0, sizeof *view);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  view->why = "it cannot be read";
  if (file < 0) return 0;
  if (fstat(file, &status) != 0 || status.st_size <= 0) {
    close(file);
    return 0;
  }
  image image = {.size = (uint64_t)status.st_size};
  void *bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return 0;
  image.bytes = bytes;
  return read_image(&image, view);
}

static int is_accepted_export(const char *name) {
  static const char *const accepted[] = {MSDK_ENTRY_SYMBOL, "_init", "_fini", "_edata", "_end", "__bss_start"};
  for (int i = 0; i < 6; i++) {
    if (strcmp(name, accepted[i]) == 0) return 1;
  }
  return strncmp(name, "__asan_", 7) == 0 || strncmp(name, "___asan_", 8) == 0 || strncmp(name, "__odr_asan", 10) == 0;
}

void check_exports(void) {
  elf_view view;
  if (!elf_open(request->path, &view)) {
    fail(MSDK_ENTRY_SYMBOL, "%s: %s", request->path, view.why);
    return;
  }
  int has_entry = 0;
  for (uint32_t i = 0; i < view.exported_count; i++) {
    has_entry = has_entry || strcmp(view.exported[i], MSDK_ENTRY_SYMBOL) == 0;
    if (!is_accepted_export(view.exported[i])) {
      fail(MSDK_ENTRY_SYMBOL, "it exports %s; accepted: %s alone (-fvisibility=hidden and a version script)", view.exported[i],
           MSDK_ENTRY_SYMBOL);
    }
  }
  if (!has_entry) fail(MSDK_ENTRY_SYMBOL, "it does not export %s (MSDK_DEFINE_ENTRY)", MSDK_ENTRY_SYMBOL);
  for (uint32_t i = 0; i < view.needed_count; i++) {
    if (strncmp(view.needed[i], "libmediasdk", 11) == 0)
      fail("plugin.h", "it links %s; a plugin must not link MediaSDK's libraries", view.needed[i]);
  }
  for (uint32_t i = 0; i < view.undefined_count; i++) {
    if (strncmp(view.undefined[i], "msdk_", 5) == 0) {
      fail("plugin.h", "it calls %s, a function for programs; what the host does for plugins is in msdk_host", view.undefined[i]);
    }
  }
}
