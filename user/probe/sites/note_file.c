// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/note.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/reader/reader.h"

#define SECTION ".note.stapsdt"
#define MAX_NAME_BYTES (64u << 10) /* of section names; a debug build of the VM has less than 1 KiB */

/* The section header of the section names, or of size 0 if the file is not ELF. */
static int read_names_header(int fd, Elf64_Shdr *names)
{
	Elf64_Ehdr header = {};
	int err = reader_bytes(fd, 0, &header, sizeof(header));

	names->sh_size = 0;
	if (err || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(*names) || header.e_shstrndx >= header.e_shnum)
		return err;
	return reader_bytes(fd, header.e_shoff + (uint64_t)header.e_shstrndx * sizeof(*names), names, sizeof(*names));
}

int note_file_has_notes(int fd)
{
	_cleanup_free_ char *bytes = NULL;
	Elf64_Shdr names;
	int err = read_names_header(fd, &names);

	if (err || names.sh_size > MAX_NAME_BYTES || names.sh_size < sizeof(SECTION))
		return err == -ETIMEDOUT ? err : 0;
	bytes = malloc(names.sh_size);
	if (!bytes)
		return -ENOMEM;
	err = reader_bytes(fd, names.sh_offset, bytes, names.sh_size);
	if (err)
		return err == -ETIMEDOUT ? err : 0;
	/* With its NUL. */
	return memmem(bytes, names.sh_size, SECTION, sizeof(SECTION)) != NULL;
}
