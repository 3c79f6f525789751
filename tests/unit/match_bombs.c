// SPDX-License-Identifier: BSD-2-Clause
/*
 * Files that are made so that the comparison of their functions never ends, or takes all memory. Each is refused: the
 * time that Criterion allows is many times what that takes.
 */
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sanitizer.h"
#include "check.h"
#include "match/match.h"

#define MEMORY (192ULL << 20) /* what the reader of files has */
#define SECONDS 15
#define MAX_SECTIONS 4096
#define MIB (1u << 20)

struct bomb {
	int fd;
	uint64_t size;
	Elf64_Shdr sections[MAX_SECTIONS];
	size_t count;
	char names[256];
	size_t names_size;
};

static struct bomb bomb;

/* A section of holes. Where it is written. */
static void *add(const char *name, uint32_t type, uint64_t flags, uint64_t size)
{
	uint64_t place = (bomb.size + 0xfff) & ~0xfffULL;
	void *bytes;

	cr_assert(lt(sz, bomb.count, MAX_SECTIONS));
	bomb.size = place + size;
	cr_assert(eq(int, ftruncate(bomb.fd, (off_t)bomb.size), 0));
	bomb.sections[bomb.count++] = (Elf64_Shdr){
		.sh_name = (uint32_t)bomb.names_size,
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = place,
		.sh_offset = place,
		.sh_size = size,
	};
	strcpy(bomb.names + bomb.names_size, name);
	bomb.names_size += strlen(name) + 1;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bomb.fd, (off_t)place);
	cr_assert(ne(ptr, bytes, MAP_FAILED));
	return bytes;
}

/* All the same bytes of the file. */
static void repeat_last(size_t times)
{
	for (size_t i = 0; i < times; i++) {
		bomb.sections[bomb.count] = bomb.sections[bomb.count - 1];
		bomb.count++;
	}
}

static Elf64_Shdr *last(void)
{
	return &bomb.sections[bomb.count - 1];
}

/* With what each bomb has: no section, a table of symbols and the names of these. */
static void begin(uint64_t symbol_bytes, uint64_t name_bytes, Elf64_Sym **symbols, char **names)
{
	bomb.fd = memfd_create("bomb", MFD_CLOEXEC);
	cr_assert(ge(int, bomb.fd, 0));
	bomb.size = sizeof(Elf64_Ehdr);
	bomb.count = 1;
	bomb.names_size = 1;
	*symbols = add(".dynsym", SHT_DYNSYM, 0, symbol_bytes);
	last()->sh_link = 2;
	*names = add(".dynstr", SHT_STRTAB, 0, name_bytes);
}

static void begin_plain(void)
{
	Elf64_Sym *symbols;
	char *names;

	begin(sizeof(*symbols), 1, &symbols, &names);
}

static enum match_result result_of(void)
{
	struct rlimit limit = { MEMORY, MEMORY };
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	struct elf_file file = { .fd = bomb.fd };
	struct match match;
	const char *why = "";
	enum match_result result;
	uint64_t names = bomb.size;

	cr_assert(eq(long, (long)pwrite(bomb.fd, bomb.names, bomb.names_size, (off_t)names), (long)bomb.names_size));
	bomb.sections[bomb.count++] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
						    .sh_offset = names,
						    .sh_size = bomb.names_size };
	header.e_shoff = names + bomb.names_size;
	header.e_shnum = (uint16_t)bomb.count;
	header.e_shstrndx = (uint16_t)(bomb.count - 1);
	file.size = header.e_shoff + bomb.count * sizeof(*bomb.sections);
	cr_assert(eq(long, (long)pwrite(bomb.fd, &header, sizeof(header), 0), (long)sizeof(header)));
	cr_assert(eq(long,
		     (long)pwrite(bomb.fd, bomb.sections, bomb.count * sizeof(*bomb.sections), (off_t)header.e_shoff),
		     (long)(bomb.count * sizeof(*bomb.sections))));
	cr_assert(eq(int, elf_file_open(&file, &why), 0), "%s", why);
	if (!IS_SANITIZED)
		cr_assert(eq(int, setrlimit(RLIMIT_DATA, &limit), 0));
	cr_assert(eq(int, match_make(&file, &match), 0), "memory is short");
	result = match.result;
	match_free(&match);
	elf_file_close(&file);
	close(bomb.fd);
	return result;
}

/* The first bytes of a file, over and over, which are no relocations of anything. */
Test(match_bombs, one_table_of_relocations_many_times_over, .timeout = SECONDS)
{
	begin_plain();
	add(".rela.dyn", SHT_RELA, SHF_ALLOC, 32 * MIB);
	repeat_last(MAX_SECTIONS - 8);
	cr_expect(eq(int, result_of(), MATCH_NO_FRAMES));
}

Test(match_bombs, symbols_that_share_a_name_without_an_end, .timeout = SECONDS)
{
	Elf64_Sym *symbols;
	Elf64_Rela *relocations;
	char *names;
	size_t size = 4 * MIB;

	begin(size, size, &symbols, &names);
	memset(names, 'a', size);
	relocations = add(".rela.plt", SHT_RELA, SHF_ALLOC, size);
	for (size_t i = 0; i < size / sizeof(*relocations); i++)
		relocations[i].r_info = ELF64_R_INFO(1, R_X86_64_JUMP_SLOT);
	for (size_t i = 0; i < size / sizeof(*symbols); i++)
		symbols[i] = (Elf64_Sym){ .st_info = STT_FUNC, .st_shndx = 1, .st_value = 1 };
	cr_expect(eq(int, result_of(), MATCH_NO_FRAMES));
}

/* All functions refer to a description whose first number takes half of the table. */
Test(match_bombs, a_description_of_functions_without_an_end, .timeout = SECONDS)
{
	uint32_t size = 4 * MIB, half = size / 2;
	uint32_t *table;

	begin_plain();
	memset(add(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, MIB), 0xc3, MIB);
	table = add(".eh_frame", SHT_PROGBITS, SHF_ALLOC, size);
	memset(table, 0x80, half);
	memcpy(table + 2, "\1z", 3);
	table[0] = half - 4;
	table[1] = 0;
	for (uint32_t at = half; at < size; at += 16) {
		table[at / 4] = 12;
		table[at / 4 + 1] = at + 4;
	}
	cr_expect(eq(int, result_of(), MATCH_NO_FRAMES));
}
