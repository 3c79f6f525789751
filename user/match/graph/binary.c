// SPDX-License-Identifier: BSD-2-Clause
#include "match/graph/binary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "elf/eh_frame.h"

#define MAX_TEXT 300
#define MAX_NAME 1024		  /* bytes of a symbol's name; longer ones are ignored */
#define MAX_TABLE (4u << 20)	  /* bytes; a BEAM has 0.35 MB */
#define MAX_RELOCATIONS MAX_TABLE /* bytes in all tables; a BEAM has 0.16 MB */

int frames_read(const void *table, size_t size, uint64_t address, struct binary_function **functions, size_t *count)
{
	struct eh_frame frames = { .table = table, .size = size, .address = address };
	struct eh_frame_entry entry;

	while (*count < FRAMES_MAX && eh_frame_next(&frames, &entry)) {
		if (entry.start > UINT32_MAX || !entry.size || entry.size > UINT32_MAX - entry.start)
			continue;
		if (!array_has_room(*functions, *count))
			return -ENOMEM;
		(*functions)[(*count)++] = (struct binary_function){ (uint32_t)entry.start, (uint32_t)entry.size };
	}
	return 0;
}

/* Sections. */

static enum binary_kind kind_of(const Elf64_Shdr *s, const char *name)
{
	if (s->sh_flags & SHF_EXECINSTR)
		return strncmp(name, ".plt", 4) ? BINARY_CODE : BINARY_STUBS;
	return s->sh_flags & SHF_WRITE ? BINARY_DATA : BINARY_CONSTANTS;
}

static bool is_wanted(const Elf64_Shdr *s)
{
	return s->sh_flags & SHF_ALLOC && !(s->sh_flags & SHF_TLS) && s->sh_size &&
	       (s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS);
}

static int read_content(const struct elf_file *file, const Elf64_Shdr *s, unsigned char **data)
{
	*data = malloc(s->sh_size);
	if (!*data)
		return -ENOMEM;
	return elf_file_read(file, s->sh_offset, *data, s->sh_size) ? 0 : -ENOEXEC;
}

static int take_section(struct binary *b, const struct elf_file *file, const Elf64_Shdr *s)
{
	struct binary_section *section = &b->sections[b->section_count++];
	const char *name = elf_file_section_name(file, s);

	*section = (struct binary_section){
		.kind = kind_of(s, name),
		.address = (uint32_t)s->sh_addr,
		.size = (uint32_t)s->sh_size,
	};
	if (!strcmp(name, ".got")) {
		b->linked_address = section->address;
		b->linked_size = section->size;
	}
	return s->sh_type == SHT_NOBITS ? 0 : read_content(file, s, &section->data);
}

struct amount {
	uint64_t all, code, data;
};

/* False: the limits are exceeded. */
static bool add_amount(struct amount *amount, const Elf64_Shdr *s)
{
	if (s->sh_size > BINARY_MAX_BYTES || s->sh_addr > INT32_MAX - s->sh_size)
		return false;
	amount->all += s->sh_size;
	if (s->sh_flags & SHF_EXECINSTR)
		amount->code += s->sh_size;
	else if (s->sh_flags & SHF_WRITE && s->sh_type != SHT_NOBITS)
		amount->data += s->sh_size;
	return amount->all <= BINARY_MAX_BYTES && amount->code <= BINARY_MAX_CODE && amount->data <= BINARY_MAX_DATA;
}

static int compare_sections(const void *a, const void *b)
{
	const struct binary_section *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int sort_sections(struct binary *b)
{
	if (b->section_count)
		qsort(b->sections, b->section_count, sizeof(*b->sections), compare_sections);
	for (size_t i = 1; i < b->section_count; i++) {
		if (b->sections[i].address - b->sections[i - 1].address < b->sections[i - 1].size)
			return -ENOEXEC;
	}
	return 0;
}

static int take_sections(struct binary *b, const struct elf_file *file)
{
	struct amount amount = {};

	for (size_t i = 0; i < file->count; i++) {
		const Elf64_Shdr *s = &file->sections[i];
		int err;

		if (!is_wanted(s))
			continue;
		if (b->section_count == BINARY_MAX_SECTIONS || !add_amount(&amount, s))
			return -ENOEXEC;
		err = take_section(b, file, s);
		if (err)
			return err;
	}
	return sort_sections(b);
}

/* The last section that begins at or before the address. */
const struct binary_section *binary_section_of(const struct binary *b, uint64_t address)
{
	const struct binary_section *last = array_last_upto(b->sections, b->section_count, address, address);

	return last && address - last->address < last->size ? last : NULL;
}

uint32_t binary_kind_of_data(const struct binary *b, uint64_t address)
{
	const struct binary_section *s = binary_section_of(b, address);

	if (!s || (s->kind != BINARY_DATA && s->kind != BINARY_CONSTANTS))
		return 3;
	return s->kind == BINARY_CONSTANTS ? 0 : s->data ? 1 : 2;
}

const unsigned char *binary_bytes(const struct binary *b, uint64_t address, size_t *left)
{
	const struct binary_section *s = binary_section_of(b, address);

	if (!s || !s->data)
		return NULL;
	*left = s->size - (address - s->address);
	return s->data + (address - s->address);
}

bool binary_word(const struct binary *b, uint64_t address, uint64_t *word)
{
	size_t left;
	const unsigned char *at = binary_bytes(b, address, &left);

	if (!at || left < sizeof(*word))
		return false;
	memcpy(word, at, sizeof(*word));
	return true;
}

const char *binary_text(const struct binary *b, uint64_t address, size_t least)
{
	const struct binary_section *s = binary_section_of(b, address);
	size_t left, length = 0;
	const char *text;

	if (!s || s->kind != BINARY_CONSTANTS || !s->data)
		return NULL;
	text = (const char *)binary_bytes(b, address, &left);
	while (length < left && length < MAX_TEXT && text[length] >= '\t' && text[length] < 127)
		length++;
	return length < left && length >= least && !text[length] ? text : NULL;
}

/* Relocations and dynamic symbols. */

struct symbols {
	Elf64_Sym *all;
	size_t count, names_size;
};

/* NULL: no valid name. */
static const char *symbol_name(const struct binary *b, const struct symbols *symbols, const Elf64_Sym *symbol)
{
	size_t left = symbol->st_name < symbols->names_size ? symbols->names_size - symbol->st_name : 0;

	left = left < MAX_NAME ? left : MAX_NAME;
	return left > 1 && memchr(b->names + symbol->st_name, '\0', left) ? b->names + symbol->st_name : NULL;
}

static int take_export(struct binary *b, const char *name, const Elf64_Sym *symbol)
{
	if (!array_has_room(b->exports, b->export_count))
		return -ENOMEM;
	b->exports[b->export_count++] = (struct binary_export){ name, (uint32_t)symbol->st_value };
	return 0;
}

static int take_exports(struct binary *b, const struct symbols *symbols)
{
	int err = 0;

	for (size_t i = 0; !err && i < symbols->count; i++) {
		const Elf64_Sym *symbol = &symbols->all[i];
		const char *name = symbol_name(b, symbols, symbol);

		if (name && symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
			err = take_export(b, name, symbol);
	}
	return err;
}

static int read_table(const struct elf_file *file, const Elf64_Shdr *s, void **table)
{
	*table = NULL;
	if (!s || s->sh_size > MAX_TABLE || !elf_file_has(file, s->sh_offset, s->sh_size))
		return -ENOENT;
	*table = malloc(s->sh_size + 1);
	if (!*table)
		return -ENOMEM;
	((char *)*table)[s->sh_size] = '\0';
	return elf_file_read(file, s->sh_offset, *table, s->sh_size) ? 0 : -ENOENT;
}

static int read_symbols(struct binary *b, const struct elf_file *file, struct symbols *symbols)
{
	const Elf64_Shdr *table = elf_file_of_type(file, SHT_DYNSYM);
	const Elf64_Shdr *names = table && table->sh_link < file->count ? &file->sections[table->sh_link] : NULL;
	void *read;
	int err = read_table(file, names, &read);

	b->names = read;
	if (err)
		return err;
	symbols->names_size = names->sh_size;
	err = read_table(file, table, &read);
	symbols->all = read;
	symbols->count = err ? 0 : table->sh_size / sizeof(*symbols->all);
	return err;
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Ignores prefixes for versions of C (__isoc99_) and the suffix of fortified functions (_chk). */
static uint32_t import_hash(const char *name)
{
	size_t length;

	if (starts_with(name, "__isoc"))
		name += strlen("__isoc99_") <= strlen(name) ? strlen("__isoc99_") : 0;
	name += starts_with(name, "__") ? 2 : 0;
	length = strlen(name);
	if (length > 4 && !strcmp(name + length - 4, "_chk"))
		length -= 4;
	return fnv32(1, name, length) | 1;
}

static int take_relocation(struct binary *b, const struct symbols *symbols, const Elf64_Rela *r)
{
	uint32_t relative = b->arch == ARCH_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
	size_t number = ELF64_R_SYM(r->r_info);
	const char *name;

	if (r->r_offset > UINT32_MAX)
		return 0;
	if (ELF64_R_TYPE(r->r_info) == relative) {
		if (!array_has_room(b->pointers, b->pointer_count))
			return -ENOMEM;
		b->pointers[b->pointer_count++] = (struct binary_pointer){ (uint32_t)r->r_offset,
									   (uint32_t)r->r_addend };
		return 0;
	}
	name = number && number < symbols->count ? symbol_name(b, symbols, &symbols->all[number]) : NULL;
	if (!name)
		return 0;
	/* Defined in this file: a pointer like the others. */
	if (symbols->all[number].st_shndx != SHN_UNDEF) {
		if (!array_has_room(b->pointers, b->pointer_count))
			return -ENOMEM;
		b->pointers[b->pointer_count++] = (struct binary_pointer){
			(uint32_t)r->r_offset, (uint32_t)(symbols->all[number].st_value + (uint64_t)r->r_addend)
		};
		return 0;
	}
	if (!array_has_room(b->imports, b->import_count))
		return -ENOMEM;
	b->imports[b->import_count++] = (struct binary_import){ (uint32_t)r->r_offset, import_hash(name) };
	return 0;
}

static int take_relocations(struct binary *b, const struct elf_file *file, const struct symbols *symbols)
{
	size_t left = MAX_RELOCATIONS;
	int err = 0;

	for (size_t i = 0; !err && i < file->count; i++) {
		const Elf64_Shdr *s = &file->sections[i];
		_cleanup_free_ void *table = NULL;
		const Elf64_Rela *all;

		if (s->sh_type != SHT_RELA || !(s->sh_flags & SHF_ALLOC))
			continue;
		err = s->sh_size > left ? -ENOEXEC : read_table(file, s, &table);
		if (err)
			break;
		left -= s->sh_size;
		all = table;
		for (size_t k = 0; !err && k < s->sh_size / sizeof(*all); k++)
			err = take_relocation(b, symbols, &all[k]);
	}
	return err == -ENOENT ? -ENOEXEC : err;
}

static int compare_places(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * For packed relocations (RELR) and files without relocations: treats each data word that looks like an address as a
 * pointer.
 */
static int take_words(struct binary *b)
{
	for (size_t i = 0; i < b->section_count; i++) {
		const struct binary_section *s = &b->sections[i];
		uint64_t word;

		for (uint32_t at = (s->address + 7) & ~7u;
		     s->kind == BINARY_DATA && s->data && at < s->address + s->size; at += 8) {
			if (!binary_word(b, at, &word) || !word || word > INT32_MAX || !binary_section_of(b, word))
				continue;
			if (!array_has_room(b->pointers, b->pointer_count))
				return -ENOMEM;
			b->pointers[b->pointer_count++] = (struct binary_pointer){ at, (uint32_t)word };
		}
	}
	return 0;
}

static int take_names(struct binary *b, const struct elf_file *file)
{
	struct symbols symbols = {};
	int err = read_symbols(b, file, &symbols);

	if (!err)
		err = take_exports(b, &symbols);
	if (!err)
		err = take_relocations(b, file, &symbols);
	if (!err && !b->pointer_count)
		err = take_words(b);
	free(symbols.all);
	if (err == -ENOENT || err == -ENOEXEC)
		return -ENOEXEC;
	if (b->pointer_count)
		qsort(b->pointers, b->pointer_count, sizeof(*b->pointers), compare_places);
	if (b->import_count)
		qsort(b->imports, b->import_count, sizeof(*b->imports), compare_places);
	return err;
}

uint32_t binary_pointer_at(const struct binary *b, uint64_t address)
{
	uint32_t key = (uint32_t)address;
	const struct binary_pointer *found = NULL;
	uint64_t word;

	if (address > UINT32_MAX)
		return 0;
	if (b->pointer_count)
		found = bsearch(&key, b->pointers, b->pointer_count, sizeof(*found), compare_places);
	if (found)
		return found->to;
	/* Packed relocations (RELR) and files without relocations have the address in place. */
	return binary_word(b, address, &word) && word <= UINT32_MAX && binary_section_of(b, word) ? (uint32_t)word : 0;
}

uint32_t binary_linked_at(const struct binary *b, uint64_t address)
{
	return address - b->linked_address < b->linked_size ? binary_pointer_at(b, address) : 0;
}

uint32_t binary_import_at(const struct binary *b, uint64_t address)
{
	uint32_t key = (uint32_t)address;
	const struct binary_import *found = NULL;

	if (b->import_count && address <= UINT32_MAX)
		found = bsearch(&key, b->imports, b->import_count, sizeof(*found), compare_places);
	return found ? found->name : 0;
}

/* Functions. */

static int compare_functions(const void *a, const void *b)
{
	const struct binary_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->size > y->size ? -1 : x->size < y->size;
}

/* Drops functions that overlap an earlier one or are not in code. */
static void tidy_functions(struct binary *b)
{
	size_t kept = 0;

	qsort(b->functions, b->function_count, sizeof(*b->functions), compare_functions);
	for (size_t i = 0; i < b->function_count; i++) {
		const struct binary_section *s = binary_section_of(b, b->functions[i].start);
		struct binary_function f = b->functions[i];

		if (!s || s->kind != BINARY_CODE || !f.size || f.size > s->size - (f.start - s->address) ||
		    (kept && f.start < b->functions[kept - 1].start + b->functions[kept - 1].size))
			continue;
		b->functions[kept++] = f;
	}
	b->function_count = kept;
}

static int take_functions(struct binary *b, const struct elf_file *file)
{
	const Elf64_Shdr *s = elf_file_section(file, ".eh_frame");
	_cleanup_free_ void *table = NULL;
	int err = read_table(file, s, &table);

	if (!err)
		err = frames_read(table, s->sh_size, s->sh_addr, &b->functions, &b->function_count);
	if (err == -ENOMEM)
		return err;
	if (!b->function_count)
		return -ENOEXEC;
	tidy_functions(b);
	return 0;
}

int64_t binary_function_at(const struct binary *b, uint64_t address)
{
	uint32_t key = (uint32_t)address;
	const struct binary_function *found = NULL;

	if (b->function_count && address <= UINT32_MAX)
		found = bsearch(&key, b->functions, b->function_count, sizeof(*found), compare_places);
	return found ? found - b->functions : -1;
}

int binary_open(const struct elf_file *file, struct binary *b)
{
	Elf64_Half machine = file->header.e_machine;
	int err;

	*b = (struct binary){
		.arch = machine == EM_X86_64 ? ARCH_X86_64 : ARCH_AARCH64,
		.has_fixed_place = file->header.e_type == ET_EXEC,
	};
	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return -ENOEXEC;
	err = take_sections(b, file);
	if (!err)
		err = take_names(b, file);
	if (!err)
		err = take_functions(b, file);
	return err;
}

void binary_close(struct binary *b)
{
	for (size_t i = 0; i < b->section_count; i++)
		free(b->sections[i].data);
	free(b->pointers);
	free(b->imports);
	free(b->functions);
	free(b->exports);
	free(b->names);
	*b = (struct binary){};
}
