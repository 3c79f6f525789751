// SPDX-License-Identifier: BSD-2-Clause
/*
 * Files that are made so that the comparison of their functions never ends, or takes all memory. Each is refused: the
 * processor time that is allowed is many times what that takes.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/process/sanitizer.h"
#include "check.h"
#include "elf/elf_file.h"
#include "match/match.h"
#include "match/pairing.h"
#include "match/reference.h"
#include "target/reader/reader_protocol.h"

#define WALL_SECONDS 1200 /* a busy machine may let a test wait; what counts is its processor time */
#define MAX_SECTIONS 4096
#define MIB (1u << 20)

/* Of processor time. */
static void limit_to(rlim_t seconds)
{
	const struct rlimit limit = { seconds, seconds };

	cr_assert(eq(int, setrlimit(RLIMIT_CPU, &limit), 0));
}

static void seconds(void)
{
	limit_to(60);
}

/* For what takes none. */
static void few_seconds(void)
{
	limit_to(15);
}

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

/* Functions of `each` bytes, in a table as GNU as writes it: a description, and where each of them begins and ends. */
static void add_frames(const Elf64_Shdr *code, uint32_t each)
{
	static const unsigned char kind[] = { 0x14, 0,	  0,	0, 0,	 0,    0, 0, 1,	   'z', 'R', 0,
					      1,    0x78, 0x10, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,	0,   0 };
	uint32_t count = (uint32_t)(code->sh_size / each), at = sizeof(kind);
	uint32_t *words = add(".eh_frame", SHT_PROGBITS, SHF_ALLOC, sizeof(kind) + count * 20ULL + 4);

	memcpy(words, kind, sizeof(kind));
	for (uint32_t i = 0; i < count; i++, at += 20) {
		uint32_t *entry = words + at / 4;

		entry[0] = 16;
		entry[1] = at + 4;
		entry[2] = (uint32_t)(code->sh_addr + i * each - (last()->sh_addr + at + 8));
		entry[3] = each;
	}
}

#define FUNCTIONS 60000

/* As many as there may be, which return. Where the first is; they are 16 bytes apart. */
static uint64_t add_small_functions(void)
{
	size_t size = FUNCTIONS * 16;
	uint64_t address;

	memset(add(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, size), 0xc3, size);
	address = last()->sh_addr;
	add_frames(last(), 16);
	return address;
}

static enum match_result result_of(void)
{
	struct rlimit limit = { READER_MAX_MEMORY, READER_MAX_MEMORY };
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
Test(match_bombs, one_table_of_relocations_many_times_over, .timeout = WALL_SECONDS, .init = few_seconds)
{
	begin_plain();
	add(".rela.dyn", SHT_RELA, SHF_ALLOC, 32 * MIB);
	repeat_last(MAX_SECTIONS - 8);
	cr_expect(eq(int, result_of(), MATCH_NO_FRAMES));
}

Test(match_bombs, symbols_that_share_a_name_without_an_end, .timeout = WALL_SECONDS, .init = few_seconds)
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
Test(match_bombs, a_description_of_functions_without_an_end, .timeout = WALL_SECONDS, .init = few_seconds)
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

/* Each instruction is one byte, and is read for what it says and for the registers that it uses. */
Test(match_bombs, as_much_code_as_is_allowed_in_bytes, .timeout = WALL_SECONDS, .init = seconds)
{
	void *code;

	begin_plain();
	code = add(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 15 * MIB);
	memset(code, 0x90, 15 * MIB);
	add_frames(last(), 0x8000);
	cr_expect(eq(int, result_of(), MATCH_NO_FRAMES));
}

/* A million numbers that no other function has. */
Test(match_bombs, features_without_end, .timeout = WALL_SECONDS, .init = seconds)
{
	unsigned char *code;

	begin_plain();
	code = add(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 15 * MIB);
	for (uint32_t at = 0, i = 0x1000; at + 5 <= 15 * MIB; at += 5, i++) {
		code[at] = 0xb8; /* mov $i,%eax */
		memcpy(code + at + 1, &i, sizeof(i));
	}
	add_frames(last(), 15 * MIB);
	cr_expect(eq(int, result_of(), MATCH_NO_FRAMES));
}

#define DRIVERS_MARK 0xfeeeeeed

/* Each word of the data points to one long text, and is a description of a driver. */
Test(match_bombs, as_many_drivers_as_there_is_data, .timeout = WALL_SECONDS, .init = seconds)
{
	uint64_t *data, text;
	char *constants;

	begin_plain();
	add_small_functions();
	constants = add(".rodata", SHT_PROGBITS, SHF_ALLOC, 4096);
	text = last()->sh_addr;
	memset(constants, 'a', 299);
	data = add(".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 4 * MIB);
	for (size_t i = 0; i < 4 * MIB / 8; i++)
		data[i] = i % 4 == 2 ? DRIVERS_MARK : text;
	cr_expect(eq(int, result_of(), MATCH_NO_RELEASE));
}

/* All of the data is a table of BIFs, with names of the atoms before it. */
Test(match_bombs, as_many_bifs_as_there_is_data, .timeout = WALL_SECONDS, .init = seconds)
{
	uint64_t *data, text, code, atom = 1 << 6 | 0xb;
	size_t atoms = 512;
	char *constants;

	begin_plain();
	code = add_small_functions();
	constants = add(".rodata", SHT_PROGBITS, SHF_ALLOC, 4096);
	text = last()->sh_addr;
	memset(constants, 'a', 299);
	strcpy(constants + 512, "(Erlang/OTP 29)");
	data = add(".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 4 * MIB);
	for (size_t i = 0; i < atoms; i++)
		data[i] = text;
	for (size_t i = atoms + 2; i + 6 <= 4 * MIB / 8; i += 6) {
		data[i] = data[i + 1] = atom;
		data[i + 3] = data[i + 4] = code + i % FUNCTIONS * 16;
	}
	cr_expect(eq(int, result_of(), MATCH_TOO_DIFFERENT));
}

/* What comes out of code: each function calls many, and has as many features as fit. */
static void make_relation(struct relation *relation, size_t functions, uint32_t each, uint32_t below)
{
	relation->first = calloc(functions + 1, sizeof(*relation->first));
	relation->items = calloc(functions * each + 1, sizeof(*relation->items));
	for (uint32_t i = 0; i < functions; i++) {
		relation->first[i + 1] = relation->first[i] + each;
		for (uint32_t k = 0; k < each; k++)
			relation->items[i * each + k] = below / each * k + i % (below / each);
	}
}

/* It has the anchors of the reference. */
static void make_graph(const struct graph *known, struct graph *graph)
{
	*graph = (struct graph){ .count = 2000, .anchor_count = known->anchor_count };
	graph->instructions = calloc(graph->count, sizeof(*graph->instructions));
	graph->registers = calloc(graph->count, sizeof(*graph->registers));
	graph->anchors = calloc(known->anchor_count, sizeof(*graph->anchors));
	for (uint32_t i = 0; i < known->anchor_count; i++)
		graph->anchors[i] = (struct anchor){ known->anchors[i].key, i };
	make_relation(&graph->relations[HAS_FEATURES], graph->count, 500, 1 << 30);
	make_relation(&graph->relations[CALLS], graph->count, 40, (uint32_t)graph->count);
	make_relation(&graph->relations[TAKES], graph->count, 1, (uint32_t)graph->count);
	make_relation(&graph->relations[TOUCHES], graph->count, GRAPH_MAX_TOUCHED, 1 << 30);
	cr_assert(eq(int, graph_reverse(graph), 0));
}

/* The last function has all that the functions of the reference have, and as much again as fits. */
static void gather_features(const struct graph *known, struct graph *graph)
{
	const struct relation *from = &known->relations[HAS_FEATURES];
	struct relation *to = &graph->relations[HAS_FEATURES];
	struct relation_builder builder = {};
	uint32_t last_one = (uint32_t)graph->count - 1;

	free(to->first);
	free(to->items);
	for (uint32_t i = 0; i < from->first[known->count]; i++)
		cr_assert(eq(int, relation_add(&builder, last_one, from->items[i]), 0));
	for (uint32_t i = 0; builder.count < GRAPH_MAX_PAIRS; i++)
		cr_assert(eq(int, relation_add(&builder, last_one, i << 2 | FEATURE_TEXT), 0));
	cr_assert(eq(int, relation_make(&builder, graph->count, to), 0));
}

static void read_reference(struct reference_set *set)
{
	size_t size;
	const void *table = reference_table(29, &size);

	cr_assert(eq(int, reference_set_read(table, size, set), 0));
}

Test(match_bombs, functions_that_all_call_each_other, .timeout = WALL_SECONDS, .init = seconds)
{
	struct effort effort = { EFFORT_MOST };
	struct pairing pairing;
	struct reference_set set;
	struct graph graph;
	int err = 0;

	read_reference(&set);
	make_graph(&set.all[0].graph, &graph);
	for (size_t i = 0; !err && i < set.count; i++) {
		err = pairing_make(&set.all[i].graph, &graph, &effort, &pairing);
		pairing_free(&pairing);
	}
	cr_expect(eq(int, err, -ENOEXEC));
	graph_free(&graph);
	reference_set_free(&set);
}

Test(match_bombs, a_function_with_all_texts, .timeout = WALL_SECONDS, .init = seconds)
{
	struct effort effort = { EFFORT_MOST };
	struct pairing pairing;
	struct reference_set set;
	struct graph graph;

	read_reference(&set);
	make_graph(&set.all[0].graph, &graph);
	gather_features(&set.all[0].graph, &graph);
	cr_expect(eq(int, pairing_make(&set.all[0].graph, &graph, &effort, &pairing), -ENOEXEC));
	pairing_free(&pairing);
	graph_free(&graph);
	reference_set_free(&set);
}
