/* clear_retain IN.a OUT.a: copies an archive of the Swift runtime so that a linker with --gc-sections can drop what the library does
 * not use. The toolchain marks each public function of the runtime SHF_GNU_RETAIN, as if somebody might ask for it by name. That mark is
 * cleared; the sections that the runtime itself searches (swift5_...: types, protocols, conformances) keep it, and so does everything that
 * they refer to. */
#include <ar.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

static void refuse(const char *name, const char *why)
{
    fprintf(stderr, "clear_retain: %s: %s\n", name, why);
    exit(1);
}

/* Clears the mark in the object file of `size` bytes at `object`; 0 if it is none that this program can read. */
static int clear(unsigned char *object, size_t size)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (size < sizeof(header) || memcmp(object, ELFMAG, SELFMAG) != 0)
        return 1; /* An index of the archive. */
    memcpy(&header, object, sizeof(header));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(section) || header.e_shoff > size ||
        size - header.e_shoff < sizeof(section))
        return 0;
    /* The first section has the numbers that are too large for the header. */
    memcpy(&section, object + header.e_shoff, sizeof(section));
    size_t count = header.e_shnum ? header.e_shnum : section.sh_size;
    size_t names = header.e_shstrndx == SHN_XINDEX ? section.sh_link : header.e_shstrndx;
    if (count > (size - header.e_shoff) / sizeof(section) || names >= count)
        return 0;
    memcpy(&section, object + header.e_shoff + names * sizeof(section), sizeof(section));
    if (section.sh_offset > size || section.sh_size > size - section.sh_offset || section.sh_size == 0 ||
        object[section.sh_offset + section.sh_size - 1] != 0)
        return 0;
    const char *text = (const char *)object + section.sh_offset;
    size_t length = section.sh_size;
    for (size_t i = 0; i < count; i++) {
        unsigned char *place = object + header.e_shoff + i * sizeof(section);
        memcpy(&section, place, sizeof(section));
        if (section.sh_name >= length)
            return 0;
        if (strncmp(text + section.sh_name, "swift5_", 7) == 0)
            continue;
        section.sh_flags &= ~(Elf64_Xword)SHF_GNU_RETAIN;
        memcpy(place, &section, sizeof(section));
    }
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: clear_retain IN.a OUT.a\n");
        return 2;
    }
    FILE *in = fopen(argv[1], "rb");
    if (in == NULL || fseek(in, 0, SEEK_END) != 0)
        refuse(argv[1], "cannot be read");
    long end = ftell(in);
    rewind(in);
    size_t size = end > 0 ? (size_t)end : 0;
    unsigned char *archive = malloc(size + 1);
    if (archive == NULL || fread(archive, 1, size, in) != size)
        refuse(argv[1], "cannot be read");
    fclose(in);
    if (size < SARMAG || memcmp(archive, ARMAG, SARMAG) != 0)
        refuse(argv[1], "is no archive");
    size_t at = SARMAG;
    while (size - at >= sizeof(struct ar_hdr)) {
        struct ar_hdr header;
        char digits[sizeof(header.ar_size) + 1] = {0};
        memcpy(&header, archive + at, sizeof(header));
        memcpy(digits, header.ar_size, sizeof(header.ar_size));
        size_t length = strtoul(digits, NULL, 10);
        at += sizeof(header);
        if (length > size - at)
            refuse(argv[1], "ends within a member");
        if (!clear(archive + at, length))
            refuse(argv[1], "has a member that is no object file of 64 bits");
        at += length;
        at += at < size ? length & 1 : 0;
    }
    FILE *out = fopen(argv[2], "wb");
    if (out == NULL || fwrite(archive, 1, size, out) != size || fclose(out) != 0)
        refuse(argv[2], "cannot be written");
    free(archive);
    return 0;
}
