// SPDX-License-Identifier: BSD-2-Clause
/*
 * The symbols are read twice, in small parts: first to count them and the bytes of their names, then to store them.
 * Both the length of a name and the sum of all lengths are limited, because names may overlap: a million symbols may
 * share the end of one 600 kB string.
 */
#include "target/image/image_build.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arch.h"
#include "base/cleanup.h"
#include "elf/elf_file.h"
#include "match/match.h"
#include "target/image/debug_file.h"
#include "target/image/image_flat.h"

#define PART 2048		/* symbols per read */
#define MAX_NAME 4096		/* bytes of a name; symbols with longer ones are dropped */
#define MAX_LONG_NAMES 1024	/* a table with more of them is invalid */
#define MAX_STRINGS (48u << 20) /* bytes of a string table */

const struct image_limits image_limits_usual = { IMAGE_MAX_SYMBOLS, IMAGE_MAX_NAMES };

size_t image_most_bytes(const struct image_limits *limits)
{
	return sizeof(struct flat_header) + FLAT_MAX_SEGMENTS * sizeof(struct flat_segment) +
	       ELF_FILE_MAX_SECTIONS * (sizeof(struct flat_section) + ELF_FILE_SECTION_NAME) +
	       limits->symbols * sizeof(struct flat_symbol) + limits->name_bytes + 1;
}

struct builder {
	struct elf_file file;
	struct elf_file debug; /* the symbols of a stripped file; count 0: none */
	const struct image_limits *limits;
	const char *const *needed;
	uint32_t needed_found; /* one bit per name */
	bool shows_functions;  /* the VM exports its own functions, not only the native interfaces */
	bool is_inlined;       /* by link-time optimization */
	struct match match;    /* names of hidden functions */
	struct flat_header header;
	struct flat_segment segments[FLAT_MAX_SEGMENTS];
	struct flat_section *sections; /* in the image; header.sections of them */
	/* The image, and how much of it is filled. */
	char *flat;
	struct flat_symbol *symbols;
	char *names;
	size_t symbol_count, symbol_room, names_size, names_room;
};

static int fail(const char **why, const char *reason)
{
	*why = reason;
	return -ENOEXEC;
}

static int read_segments(struct builder *b, const char **why)
{
	Elf64_Phdr all[FLAT_MAX_SEGMENTS];
	const struct elf_file *f = &b->file;
	size_t count = f->header.e_phnum;

	if (count > FLAT_MAX_SEGMENTS || (count && f->header.e_phentsize != sizeof(*all)))
		return fail(why, "its program headers are invalid");
	if (!elf_file_read(f, f->header.e_phoff, all, count * sizeof(*all)))
		return fail(why, "its program headers are truncated");
	for (size_t i = 0; i < count; i++) {
		const Elf64_Phdr *s = &all[i];

		if (s->p_type != PT_LOAD)
			continue;
		if (s->p_filesz > s->p_memsz || s->p_vaddr + s->p_memsz < s->p_vaddr ||
		    s->p_offset + s->p_filesz < s->p_offset)
			return fail(why, "a segment is invalid");
		b->segments[b->header.segments++] = (struct flat_segment){
			.address = s->p_vaddr,
			.offset = s->p_offset,
			.in_file = s->p_filesz,
			.in_memory = s->p_memsz,
			.flags = s->p_flags,
		};
	}
	return 0;
}

/* Symbols. */

/* A symbol table and its names. */
struct table {
	const Elf64_Shdr *symbols;
	char *strings;
	size_t strings_size;
	size_t long_names;
};

static bool open_table(struct builder *b, struct elf_file *f, uint32_t type, struct table *table)
{
	const Elf64_Shdr *strings;

	*table = (struct table){ .symbols = elf_file_of_type(f, type) };
	if (!table->symbols || table->symbols->sh_link >= f->count ||
	    !elf_file_has(f, table->symbols->sh_offset, table->symbols->sh_size) ||
	    table->symbols->sh_size / sizeof(Elf64_Sym) > 2 * b->limits->symbols)
		return false;
	strings = &f->sections[table->symbols->sh_link];
	if (strings->sh_type != SHT_STRTAB || !strings->sh_size || strings->sh_size > MAX_STRINGS ||
	    !elf_file_has(f, strings->sh_offset, strings->sh_size))
		return false;
	table->strings_size = strings->sh_size;
	table->strings = malloc(table->strings_size);
	f->lacks_memory |= !table->strings;
	if (table->strings && elf_file_read(f, strings->sh_offset, table->strings, table->strings_size))
		return true;
	free(table->strings);
	return false;
}

/* NULL: the symbol is not kept. */
static const char *name_of(struct table *table, const Elf64_Sym *symbol, size_t *length)
{
	unsigned char type = ELF64_ST_TYPE(symbol->st_info);
	size_t left, most;
	const char *name, *end;

	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value ||
	    (type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC) || symbol->st_name >= table->strings_size)
		return NULL;
	name = table->strings + symbol->st_name;
	left = table->strings_size - symbol->st_name;
	most = left < MAX_NAME ? left : MAX_NAME;
	end = memchr(name, '\0', most);
	if (!end || end == name) {
		table->long_names += !end;
		return NULL;
	}
	*length = (size_t)(end - name);
	return name;
}

static void look_for_needed(struct builder *b, const char *name, size_t length)
{
	for (size_t i = 0; b->needed && b->needed[i] && i < IMAGE_NEEDED; i++) {
		if (b->needed[i][0] == *name && strlen(b->needed[i]) == length && !memcmp(b->needed[i], name, length))
			b->needed_found |= 1u << i;
	}
}

/* A BEAM that exports this function exports the others too. */
#define FUNCTION "erts_schedule"

static void look_for_functions(struct builder *b, const char *name, size_t length)
{
	b->shows_functions |= length == strlen(FUNCTION) && !memcmp(name, FUNCTION, length);
	/* gcc and clang rename static functions so when link-time optimization moves code between files. */
	b->is_inlined |= strstr(name, ".lto_priv.") || strstr(name, ".llvm.");
}

static bool has_needed(const struct builder *b)
{
	size_t count = 0;

	while (b->needed && count < IMAGE_NEEDED && b->needed[count])
		count++;
	return b->needed_found == (1u << count) - 1;
}

/*
 * Linkers make hidden symbols local; in OTP 29 these are all functions. GNU ld writes them after those of all files,
 * under a file symbol without a name, which distinguishes them from static functions. Other linkers keep their
 * visibility.
 */
static bool is_hidden_from(const Elf64_Sym *symbol, bool was_hidden)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_FILE ? !symbol->st_name : was_hidden;
}

static bool is_static(const Elf64_Sym *symbol, bool is_hidden)
{
	return ELF64_ST_BIND(symbol->st_info) == STB_LOCAL && ELF64_ST_VISIBILITY(symbol->st_other) == STV_DEFAULT &&
	       !is_hidden;
}

/* False: no room. */
static bool put_symbol(struct builder *b, const struct flat_symbol *symbol, const char *name, size_t length)
{
	if (b->symbol_count == b->symbol_room || length + 1 > b->names_room - b->names_size)
		return false;
	if (b->flat) {
		memcpy(b->names + b->names_size, name, length + 1);
		b->symbols[b->symbol_count] = *symbol;
		b->symbols[b->symbol_count].name = b->names_size;
	}
	b->symbol_count++;
	b->names_size += length + 1;
	return true;
}

static bool take_symbol(struct builder *b, const Elf64_Sym *symbol, const char *name, size_t length, bool is_hidden)
{
	const struct flat_symbol flat = {
		.address = symbol->st_value,
		.size = symbol->st_size,
		.flags = (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ? FLAT_FUNCTION : 0) |
			 (is_static(symbol, is_hidden) ? FLAT_LOCAL : 0),
	};

	return put_symbol(b, &flat, name, length);
}

/*
 * Adds all symbols of a table, or none if they exceed a limit. The second pass stops when the space is full, because
 * the file may have changed.
 */
static void take_table(struct builder *b, struct elf_file *f, uint32_t type)
{
	_cleanup_free_ Elf64_Sym *part = malloc(PART * sizeof(*part));
	size_t count, had = b->symbol_count, had_names = b->names_size;
	struct table table;
	bool fits = true, is_hidden = false;

	f->lacks_memory |= !part;
	if (!part || !open_table(b, f, type, &table))
		return;
	count = table.symbols->sh_size / sizeof(*part);
	for (size_t from = 0; fits && from < count; from += PART) {
		size_t n = count - from < PART ? count - from : PART;

		fits = elf_file_read(f, table.symbols->sh_offset + from * sizeof(*part), part, n * sizeof(*part));
		for (size_t i = 0; fits && i < n; i++) {
			size_t length;
			const char *name = name_of(&table, &part[i], &length);

			is_hidden = is_hidden_from(&part[i], is_hidden);
			if (name) {
				look_for_needed(b, name, length);
				look_for_functions(b, name, length);
			}
			fits = table.long_names < MAX_LONG_NAMES &&
			       (!name || take_symbol(b, &part[i], name, length, is_hidden));
		}
	}
	free(table.strings);
	if (!fits && !b->flat) {
		b->symbol_count = had;
		b->names_size = had_names;
	}
}

static void take_matched(struct builder *b)
{
	bool fits = true;

	for (size_t i = 0; fits && i < b->match.count; i++) {
		const struct match_symbol *symbol = &b->match.symbols[i];
		const struct flat_symbol flat = {
			.address = symbol->address,
			.size = symbol->size,
			.flags = FLAT_MATCHED | (symbol->is_function ? FLAT_FUNCTION : 0) |
				 (symbol->is_static ? FLAT_LOCAL : 0),
		};

		fits = put_symbol(b, &flat, symbol->name, strlen(symbol->name));
	}
}

/* A stripped file has only .dynsym; .symtab also has static functions. */
static void take_tables(struct builder *b)
{
	b->symbol_count = 0;
	take_table(b, &b->file, SHT_DYNSYM);
	take_table(b, &b->file, SHT_SYMTAB);
	take_table(b, &b->debug, SHT_SYMTAB);
	take_matched(b);
}

/*
 * Compares only if functions are needed and the file does not export them. A file that cannot be compared is no error.
 */
static int find_hidden(struct builder *b)
{
	int err;

	b->header.match = b->needed && b->is_inlined ? MATCH_INLINED : MATCH_NOT_TRIED;
	if (!b->needed || b->shows_functions)
		return 0;
	err = match_make(&b->file, &b->match);
	b->header.match = b->match.result;
	take_matched(b);
	return err;
}

/* By name, then exported before static, then by address. Duplicates are adjacent. */
static int compare_symbols(const void *a, const void *b, void *data)
{
	const struct flat_symbol *x = a, *y = b;
	const char *names = data;
	int order = strcmp(names + x->name, names + y->name);

	if (order)
		return order;
	if ((x->flags ^ y->flags) & FLAT_LOCAL)
		return x->flags & FLAT_LOCAL ? 1 : -1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* Drops duplicates: a lookup by name visits all symbols of that name, and a hostile file may have a million. */
static void sort_symbols(struct builder *b)
{
	size_t kept = 0;

	qsort_r(b->symbols, b->symbol_count, sizeof(*b->symbols), compare_symbols, b->names);
	for (size_t i = 0; i < b->symbol_count; i++) {
		if (!kept || !(b->symbols[i].flags & FLAT_LOCAL) ||
		    compare_symbols(&b->symbols[kept - 1], &b->symbols[i], b->names))
			b->symbols[kept++] = b->symbols[i];
	}
	b->symbol_count = kept;
}

/* The image. */

/* The first pass has counted the symbols. The names of sections precede theirs. */
static int make_room(struct builder *b, size_t names)
{
	size_t before = sizeof(b->header) + b->header.segments * sizeof(*b->segments) +
			b->header.sections * sizeof(*b->sections);
	size_t symbols = b->symbol_count * sizeof(*b->symbols);

	b->flat = calloc(1, before + symbols + names);
	if (!b->flat)
		return -ENOMEM;
	b->sections = (void *)(b->flat + sizeof(b->header) + b->header.segments * sizeof(*b->segments));
	b->symbols = (void *)(b->flat + before);
	b->names = b->flat + before + symbols;
	b->symbol_room = b->symbol_count;
	b->names_room = names;
	return 0;
}

static void put_sections(struct builder *b)
{
	for (size_t i = 0; i < b->header.sections; i++) {
		const Elf64_Shdr *s = &b->file.sections[i];
		const char *name = elf_file_section_name(&b->file, s);

		b->sections[i] = (struct flat_section){
			.name = (uint32_t)b->names_size,
			.type = s->sh_type,
			.address = s->sh_addr,
			.offset = s->sh_offset,
			.size = s->sh_size,
		};
		strcpy(b->names + b->names_size, name);
		b->names_size += strlen(name) + 1;
	}
}

static size_t section_name_bytes(const struct builder *b)
{
	size_t bytes = 0;

	for (size_t i = 0; i < b->header.sections; i++)
		bytes += strlen(elf_file_section_name(&b->file, &b->file.sections[i])) + 1;
	return bytes;
}

/* Dropped symbols leave a gap between the array and the names. */
static size_t close_gap(struct builder *b)
{
	char *behind = (char *)(b->symbols + b->symbol_count);

	memmove(behind, b->names, b->names_size);
	b->header.symbols = (uint32_t)b->symbol_count;
	b->header.names = b->names_size;
	memcpy(b->flat, &b->header, sizeof(b->header));
	memcpy(b->flat + sizeof(b->header), b->segments, b->header.segments * sizeof(*b->segments));
	return (size_t)(behind - b->flat) + b->names_size;
}

/* Debug files. */

static bool is_of(const struct elf_file *debug, const struct elf_file *file, const unsigned char *id, size_t size)
{
	unsigned char its[ELF_FILE_MAX_ID];

	return debug->header.e_machine == file->header.e_machine && debug->header.e_type == file->header.e_type &&
	       elf_file_build_id(debug, its) == size && !memcmp(its, id, size);
}

/* A name, padded to a multiple of four bytes, and a checksum. */
static bool read_link(const struct elf_file *file, struct debug_link *link)
{
	const Elf64_Shdr *s = elf_file_section(file, ".gnu_debuglink");
	size_t size = s && s->sh_size < sizeof(link->name) ? s->sh_size : 0;

	*link = (struct debug_link){};
	if (size <= sizeof(link->checksum) || !elf_file_has(file, s->sh_offset, size) ||
	    !elf_file_read(file, s->sh_offset, link->name, size))
		return false;
	memcpy(&link->checksum, link->name + size - sizeof(link->checksum), sizeof(link->checksum));
	memset(link->name + size - sizeof(link->checksum), 0, sizeof(link->checksum));
	return true;
}

static int find_debug(const struct builder *b, const unsigned char *id, size_t id_size, uint64_t *size)
{
	struct debug_link link;

	if (elf_file_of_type(&b->file, SHT_SYMTAB))
		return -1;
	if (id_size)
		return debug_file_open(id, id_size, size);
	return read_link(&b->file, &link) ? debug_file_open_linked(b->file.fd, &link, size) : -1;
}

/* Without a valid debug file, the image has only the symbols of the file itself. */
static void open_debug(struct builder *b)
{
	unsigned char id[ELF_FILE_MAX_ID];
	size_t size = elf_file_build_id(&b->file, id);
	const char *why;

	b->debug.fd = find_debug(b, id, size, &b->debug.size);
	if (b->debug.fd < 0)
		return;
	if (elf_file_open(&b->debug, &why) || !is_of(&b->debug, &b->file, id, size)) {
		elf_file_close(&b->debug);
		close(b->debug.fd);
		b->debug.fd = -1;
	}
}

static bool lacks_memory(const struct builder *b)
{
	return b->file.lacks_memory || b->debug.lacks_memory;
}

static int open_file(struct builder *b, const char **why)
{
	int err = elf_file_open(&b->file, why);

	if (!err)
		err = read_segments(b, why);
	if (err)
		return err;
	b->header.arch = b->file.header.e_machine == EM_AARCH64 ? ARCH_AARCH64 : ARCH_X86_64;
	b->header.entry = b->file.header.e_entry;
	b->header.sections = b->file.count;
	b->header.id_size = (uint32_t)elf_file_build_id(&b->file, b->header.id);
	open_debug(b);
	return 0;
}

static int build(struct builder *b, size_t *size, const char **why)
{
	int err = open_file(b, why);

	if (err)
		return err;
	b->symbol_room = b->limits->symbols;
	b->names_room = b->limits->name_bytes;
	take_tables(b);
	if (lacks_memory(b))
		return -ENOMEM;
	if (!has_needed(b))
		return fail(why, IMAGE_LACKS_NEEDED);
	if (b->needed)
		b->header.config = image_config_read(&b->file);
	err = find_hidden(b);
	if (err)
		return err;
	err = make_room(b, b->names_size + section_name_bytes(b) + 1);
	if (err)
		return err;
	/* Offset 0 is the empty name. */
	b->names_size = 1;
	put_sections(b);
	take_tables(b);
	if (lacks_memory(b))
		return -ENOMEM;
	sort_symbols(b);
	*size = close_gap(b);
	return 0;
}

int image_build(int fd, const struct image_limits *limits, const char *const *needed, void **flat, size_t *size,
		const char **why)
{
	struct builder *b;
	struct stat st;
	int err;

	*why = "it cannot be read";
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return fail(why, "it is not a regular file");
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->file.fd = fd;
	b->file.size = b->header.file_size = (uint64_t)st.st_size;
	b->debug.fd = -1;
	b->limits = limits;
	b->needed = needed;
	err = build(b, size, why);
	if (err)
		free(b->flat);
	else
		*flat = b->flat;
	match_free(&b->match);
	if (b->debug.fd >= 0)
		close(b->debug.fd);
	elf_file_close(&b->debug);
	elf_file_close(&b->file);
	free(b);
	return err;
}
