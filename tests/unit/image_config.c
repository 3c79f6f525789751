// SPDX-License-Identifier: BSD-2-Clause
/* How a VM was configured, and where the members of its structures are then. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "elf_builder.h"
#include "node/memory/fields.h"
#include "target/image/image_flat.h"

#define SIZE (200u << 10) /* more than is read at once */
#define DEFINED "#define ERLANG_FRAME_POINTERS /**/\n"
#define UNDEFINED "/* #undef ERLANG_FRAME_POINTERS */\n"

static char names[] = "\0.rodata\0.interp";

/* Of a file that has this text there among its constants, and that interpreter. */
static uint32_t config_of(uint16_t machine, const char *text, size_t at, const char *interpreter)
{
	char *bytes = calloc(1, SIZE);
	Elf64_Shdr sections[] = {
		{},
		{ .sh_name = 9, .sh_type = SHT_PROGBITS, .sh_offset = SIZE - 64, .sh_size = strlen(interpreter) + 1 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = SIZE - 64 },
	};
	struct elf_file file = {
		.size = SIZE,
		.header.e_machine = machine,
		.sections = sections,
		.count = COUNT(sections),
		.names = names,
		.names_size = sizeof(names),
	};
	uint32_t config;

	cr_assert(ne(ptr, bytes, NULL));
	memcpy(bytes + at, text, strlen(text));
	strcpy(bytes + SIZE - 64, interpreter);
	file.fd = elf_write(bytes, SIZE);
	config = image_config_read(&file);
	close(file.fd);
	free(bytes);
	return config;
}

#define GLIBC "/lib64/ld-linux-x86-64.so.2"
#define GLIBC_ARM "/lib/ld-linux-aarch64.so.1"
#define MUSL_ARM "/lib/ld-musl-aarch64.so.1"

Test(image_config, a_vm_says_whether_a_process_has_a_word_for_a_frame_pointer)
{
	cr_expect(eq(u32, config_of(EM_X86_64, DEFINED, 100, GLIBC), 0));
	cr_expect(eq(u32, config_of(EM_X86_64, UNDEFINED, 100, GLIBC), FLAT_NO_FRAME_POINTER));
	cr_expect(eq(u32, config_of(EM_X86_64, "", 0, GLIBC), 0), "the usual");
	cr_expect(eq(u32, config_of(EM_AARCH64, "", 0, MUSL_ARM), FLAT_NO_FRAME_POINTER), "the usual");
	cr_expect(eq(u32, config_of(EM_AARCH64, DEFINED, 100, MUSL_ARM), 0));
}

Test(image_config, a_text_is_found_wherever_it_is)
{
	for (size_t at = (64u << 10) - 2 * sizeof(UNDEFINED); at < (64u << 10) + 8; at++)
		cr_expect(eq(u32, config_of(EM_X86_64, UNDEFINED, at, GLIBC), FLAT_NO_FRAME_POINTER), "%zu", at);
	cr_expect(
		eq(u32, config_of(EM_X86_64, UNDEFINED, SIZE - 64 - sizeof(UNDEFINED), GLIBC), FLAT_NO_FRAME_POINTER));
}

Test(image_config, mutexes_are_larger_on_aarch64_but_with_musl)
{
	cr_expect(eq(u32, config_of(EM_AARCH64, UNDEFINED, 0, GLIBC_ARM), FLAT_NO_FRAME_POINTER | FLAT_LARGE_MUTEX));
	cr_expect(eq(u32, config_of(EM_AARCH64, UNDEFINED, 0, MUSL_ARM), FLAT_NO_FRAME_POINTER));
}

static int64_t offset_of(const struct vm *vm, const char *name)
{
	int64_t offset = -1;

	cr_assert(eq(int, field_offset(vm, name, &offset), 0), "%s", name);
	return offset;
}

/* tests/tools/test_layouts.py compares all of them with builds. */
Test(image_config, members_move_with_what_is_in_front_of_them)
{
	const struct vm usual = { .otp = 29, .like = 29 };
	const struct vm emu = { .otp = 29, .like = 29, .has_no_frame_pointer = true };
	const struct vm arm = { .otp = 29, .like = 29, .has_no_frame_pointer = true, .has_large_mutex = true };
	const struct vm old_arm = { .otp = 25, .like = 25, .has_no_frame_pointer = true, .has_large_mutex = true };

	cr_expect(eq(i64, offset_of(&emu, "process.stop"), offset_of(&usual, "process.stop")));
	cr_expect(eq(i64, offset_of(&emu, "process.freason"), offset_of(&usual, "process.freason") - 8));
	cr_expect(eq(i64, offset_of(&emu, "process.size"), offset_of(&usual, "process.size") - 8));
	cr_expect(eq(i64, offset_of(&emu, "port.owner"), offset_of(&usual, "port.owner")));
	cr_expect(eq(i64, offset_of(&arm, "port.owner"), offset_of(&usual, "port.owner") + 8));
	cr_expect(eq(i64, offset_of(&arm, "table.name"), offset_of(&usual, "table.name") + 16));
	cr_expect(eq(i64, offset_of(&arm, "run_queue.len"), offset_of(&usual, "run_queue.len") + 8));
	cr_expect(eq(i64, offset_of(&old_arm, "run_queue.len"), 208 + 16));
	cr_expect(eq(i64, offset_of(&arm, "process.state"), offset_of(&emu, "process.state")));
}
