// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: configure.ac defines ERLANG_FRAME_POINTERS if the JIT uses the native stack, as on x86-64; the interpreter
 * beside such a JIT has it too. Then struct process has a word for it (erl_process.h). A mutex of the VM has a
 * pthread_mutex_t (ethr_mutex.h): 48 bytes in glibc for aarch64, 40 in glibc for x86-64 and in musl.
 */
#include "target/image/image_flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define PART (64u << 10) /* bytes per read */
#define MAX_CONSTANTS (16u << 20)
#define OPTION "ERLANG_FRAME_POINTERS"
#define DEFINE "#define " OPTION
#define UNDEF "#undef " OPTION
#define OVERLAP (sizeof(DEFINE) - 1) /* of two parts, so that a text that is cut in one is whole in the next */

enum answer { UNSAID, YES, NO };

static enum answer find_option(const char *text, size_t size)
{
	if (memmem(text, size, DEFINE, strlen(DEFINE)))
		return YES;
	return memmem(text, size, UNDEF, strlen(UNDEF)) ? NO : UNSAID;
}

static enum answer read_constants(const struct elf_file *file, const Elf64_Shdr *s)
{
	_cleanup_free_ char *part = malloc(PART);
	size_t size = s->sh_size < MAX_CONSTANTS ? s->sh_size : MAX_CONSTANTS;
	enum answer answer = UNSAID;

	for (size_t at = 0; part && at < size && !answer; at += PART - OVERLAP) {
		size_t n = size - at < PART ? size - at : PART;

		if (!elf_file_read(file, s->sh_offset + at, part, n))
			break;
		answer = find_option(part, n);
	}
	return answer;
}

static enum answer has_frame_pointer(const struct elf_file *file)
{
	enum answer answer = UNSAID;

	for (size_t i = 0; i < file->count && !answer; i++) {
		const Elf64_Shdr *s = &file->sections[i];

		if (s->sh_type == SHT_PROGBITS && !strcmp(elf_file_section_name(file, s), ".rodata"))
			answer = read_constants(file, s);
	}
	if (answer == UNSAID)
		answer = file->header.e_machine == EM_X86_64 ? YES : NO;
	return answer;
}

/* The program interpreter of musl is /lib/ld-musl-aarch64.so.1. */
static bool is_of_musl(const struct elf_file *file)
{
	const Elf64_Shdr *s = elf_file_section(file, ".interp");
	char name[256];
	size_t size = s && s->sh_size < sizeof(name) ? s->sh_size : 0;

	return size && elf_file_read(file, s->sh_offset, name, size) && memmem(name, size, "ld-musl", 7);
}

uint32_t image_config_read(const struct elf_file *file)
{
	uint32_t config = has_frame_pointer(file) == NO ? FLAT_NO_FRAME_POINTER : 0;

	if (file->header.e_machine == EM_AARCH64 && !is_of_musl(file))
		config |= FLAT_LARGE_MUTEX;
	return config;
}
