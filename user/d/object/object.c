// SPDX-License-Identifier: BSD-2-Clause
#include "d/object/object.h"

#include <elf.h>
#include <string.h>

#include "d.h"
#include "base/arena.h"
#include "base/names.h"
#include "d/object/function_info.h"
#include "d/object/relocate.h"
#include "erl.h"
#include "d.skel.h"

#define INSN sizeof(struct bpf_insn)
#define TEMPLATES "d/"	      /* prefix of their sections */
#define PATCH_ARGS 0x5a5a0000 /* D_PATCH_ARGS of bpf/d.bpf.c */

struct buffer {
	char *data;
	size_t size, room;
};

/* A section under construction. */
struct section {
	Elf64_Shdr header;
	struct buffer content;
	struct section *next;
};

struct late { /* a relocation whose symbol may not exist yet */
	struct buffer *relocations;
	const char *name;
	uint64_t offset;
	bool is_call;
	struct late *next;
};

struct object {
	struct arena *arena;
	const char *base;
	size_t base_size;
	const Elf64_Shdr *sections;
	size_t section_count;
	size_t text, text_rel, symtab, strtab;
	struct buffer new_text, new_text_rel, new_symbols, new_strings;
	struct names names; /* indexes of symbols */
	struct section *first, *last;
	size_t added;
	struct late *late;
	uint64_t clauses_offset; /* of d_clauses() in .text */
	uint64_t step_offset;	 /* of d_end_step() in .text, which is copied for each program that uses it */
	uint64_t step_size;
	bool with_types; /* a global function, or one by address, is called */
	struct function_info types;
};

static size_t append(struct arena *arena, struct buffer *to, const void *data, size_t size)
{
	size_t at = to->size;

	to->data = arena_grow(arena, to->data, &to->room, to->size + size, 1);
	if (size)
		memcpy(to->data + at, data, size);
	to->size += size;
	return at;
}

/* The library. */

static const char *section_name(const struct object *object, const Elf64_Shdr *section)
{
	return object->base + object->sections[object->strtab].sh_offset + section->sh_name;
}

static size_t find_section(const struct object *object, const char *name)
{
	for (size_t i = 1; i < object->section_count; i++) {
		if (!strcmp(section_name(object, &object->sections[i]), name))
			return i;
	}
	return 0;
}

/* The relocations of a section. */
static size_t find_relocations(const struct object *object, size_t of)
{
	for (size_t i = 1; i < object->section_count; i++) {
		if (object->sections[i].sh_type == SHT_REL && object->sections[i].sh_info == of)
			return i;
	}
	return 0;
}

static struct buffer section_bytes(const struct object *object, size_t section)
{
	const Elf64_Shdr *header = &object->sections[section];
	struct buffer bytes = {};

	append(object->arena, &bytes, object->base + header->sh_offset, header->sh_size);
	return bytes;
}

static const Elf64_Sym *symbols(const struct object *object, size_t *count)
{
	*count = object->new_symbols.size / sizeof(Elf64_Sym);
	return (const Elf64_Sym *)object->new_symbols.data;
}

static const char *symbol_name(const struct object *object, size_t symbol)
{
	size_t count;

	return object->new_strings.data + symbols(object, &count)[symbol].st_name;
}

/* The first one with its name. The arena keeps the name at its address while the string table grows. */
static void know_symbol(struct object *object, size_t symbol)
{
	const char *name = symbol_name(object, symbol);

	if (*name && !names_find(&object->names, 0, name))
		names_put(&object->names, object->arena, 0, name, (void *)(uintptr_t)symbol);
}

static void know_symbols(struct object *object)
{
	size_t count;

	symbols(object, &count);
	for (size_t i = 1; i < count; i++)
		know_symbol(object, i);
}

static size_t find_symbol(const struct object *object, const char *name)
{
	return (size_t)(uintptr_t)names_find(&object->names, 0, name);
}

static bool begin_types(struct object *object)
{
	size_t types = find_section(object, ".BTF"), info = find_section(object, ".BTF.ext");

	return types && info &&
	       function_info_begin(&object->types, object->arena, object->base + object->sections[types].sh_offset,
				   object->sections[types].sh_size, object->base + object->sections[info].sh_offset,
				   object->sections[info].sh_size);
}

struct object *object_new(struct arena *arena, bool with_types, size_t frame_size)
{
	struct object *object = arena_alloc(arena, sizeof(*object));
	const Elf64_Ehdr *header;
	const Elf64_Sym *all;
	size_t count, clauses, step;

	object->arena = arena;
	object->base = d_bpf__elf_bytes(&object->base_size);
	header = (const Elf64_Ehdr *)object->base;
	object->sections = (const Elf64_Shdr *)(object->base + header->e_shoff);
	object->section_count = header->e_shnum;
	object->strtab = header->e_shstrndx;
	object->text = find_section(object, ".text");
	object->text_rel = find_relocations(object, object->text);
	object->symtab = find_section(object, ".symtab");
	if (!object->text || !object->text_rel || !object->symtab)
		return NULL;
	object->new_text = section_bytes(object, object->text);
	object->new_text_rel = section_bytes(object, object->text_rel);
	object->new_symbols = section_bytes(object, object->symtab);
	object->new_strings = section_bytes(object, object->strtab);
	know_symbols(object);
	clauses = find_symbol(object, "d_clauses");
	if (!clauses)
		return NULL;
	all = symbols(object, &count);
	object->clauses_offset = all[clauses].st_value;
	step = find_symbol(object, "d_end_step");
	object->step_offset = step ? all[step].st_value : 0;
	object->step_size = step ? all[step].st_size : 0;
	object->with_types = with_types;
	if (!begin_types(object) || !function_info_resize(&object->types, "d_frame", (uint32_t)frame_size))
		return NULL;
	return object;
}

const char *object_relocate(struct object *object, const struct btf_view *kernel)
{
	struct relocate_section section = { ".text", object->new_text.data, object->new_text.size };

	return relocate(object->arena, &section, &object->types.view, object->types.info, kernel);
}

/* Additions. */

static void add_symbol(struct object *object, const char *name, bool is_global, size_t section, uint64_t at,
		       uint64_t size)
{
	Elf64_Sym symbol = {
		.st_name = (Elf64_Word)append(object->arena, &object->new_strings, name, strlen(name) + 1),
		.st_info = ELF64_ST_INFO(is_global ? STB_GLOBAL : STB_LOCAL, STT_FUNC),
		.st_shndx = (Elf64_Half)section,
		.st_value = at,
		.st_size = size,
	};

	know_symbol(object, append(object->arena, &object->new_symbols, &symbol, sizeof(symbol)) / sizeof(symbol));
}

static void add_late(struct object *object, struct buffer *relocations, const char *name, uint64_t offset, bool is_call)
{
	struct late *late = arena_alloc(object->arena, sizeof(*late));

	*late = (struct late){ relocations, name, offset, is_call, object->late };
	object->late = late;
}

void object_add_function(struct object *object, const char *name, const struct emit_code *code)
{
	size_t size = code->count * INSN, at = append(object->arena, &object->new_text, code->insns, size);

	add_symbol(object, name, false, object->text, at, size);
	function_info_add(&object->types, ".text", (uint32_t)at, ".text", (uint32_t)object->clauses_offset);
	for (const struct emit_reference *r = code->references; r; r = r->next)
		add_late(object, &object->new_text_rel, r->name, at + r->at * INSN, r->is_call);
}

static struct section *add_section(struct object *object, const char *name, const Elf64_Shdr *like)
{
	struct section *section = arena_alloc(object->arena, sizeof(*section));

	section->header = *like;
	section->header.sh_name = (Elf64_Word)append(object->arena, &object->new_strings, name, strlen(name) + 1);
	*(object->last ? &object->last->next : &object->first) = section;
	object->last = section;
	object->added++;
	return section;
}

static void patch_args(struct buffer *code, unsigned int args)
{
	struct bpf_insn *insns = (struct bpf_insn *)code->data;

	for (size_t i = 0; i < code->size / INSN; i++) {
		if (insns[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) && insns[i].imm == PATCH_ARGS)
			insns[i].imm = (__s32)args;
	}
}

/* Calls inside .text are relative, also that of d_clauses(), which the function replaces. */
static void move_calls(struct object *object, struct bpf_insn *insns, size_t at, const char *function)
{
	for (size_t i = 0; i < object->step_size / INSN; i++) {
		uint64_t to = object->step_offset + (i + 1) * INSN + (uint64_t)((int64_t)insns[i].imm * (int64_t)INSN);

		if (insns[i].code != (BPF_JMP | BPF_CALL) || insns[i].src_reg != BPF_PSEUDO_CALL)
			continue;
		if (to == object->clauses_offset) {
			insns[i].imm = -1;
			add_late(object, &object->new_text_rel, function, at + i * INSN, true);
		} else if (insns[i].imm != -1) {
			insns[i].imm -= (__s32)((at - object->step_offset) / INSN);
		}
	}
}

/* Copies d_end_step() so that it calls the function; returns its offset in .text. */
static size_t add_step(struct object *object, const char *function)
{
	size_t at = append(object->arena, &object->new_text, object->new_text.data + object->step_offset,
			   object->step_size);
	size_t count = object->sections[object->text_rel].sh_size / sizeof(Elf64_Rel);

	for (size_t i = 0; i < count; i++) {
		Elf64_Rel rel = ((const Elf64_Rel *)object->new_text_rel.data)[i];

		if (rel.r_offset < object->step_offset || rel.r_offset >= object->step_offset + object->step_size)
			continue;
		rel.r_offset += at - object->step_offset;
		append(object->arena, &object->new_text_rel, &rel, sizeof(rel));
	}
	move_calls(object, (struct bpf_insn *)(object->new_text.data + at), at, function);
	add_symbol(object, arena_printf(object->arena, "%s_step", function), false, object->text, at,
		   object->step_size);
	function_info_add(&object->types, ".text", (uint32_t)at, ".text", (uint32_t)object->step_offset);
	/* The kernel demands the type of the callback of bpf_loop(). */
	object->with_types = true;
	return at;
}

/* The relocations of the template, except its call of d_clauses(), or of the step that calls it. */
static void copy_relocations(struct object *object, size_t template, struct section *program,
			     struct section *relocations, const char *function)
{
	struct buffer old = section_bytes(object, find_relocations(object, template));
	const Elf64_Rel *rels = (const Elf64_Rel *)old.data;
	struct bpf_insn *insns = (struct bpf_insn *)program->content.data;
	size_t count;
	const Elf64_Sym *all = symbols(object, &count);

	for (size_t i = 0; i < old.size / sizeof(*rels); i++) {
		struct bpf_insn *insn = &insns[rels[i].r_offset / INSN];
		const Elf64_Sym *symbol = &all[ELF64_R_SYM(rels[i].r_info)];

		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is relocated has content */
		if (insn->code == (BPF_JMP | BPF_CALL) && symbol->st_shndx == object->text &&
		    symbol->st_value + (uint64_t)(insn->imm + 1) * INSN == object->clauses_offset) {
			insn->imm = -1;
			add_late(object, &relocations->content, function, rels[i].r_offset, true);
			continue;
		}
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && symbol->st_shndx == object->text &&
		    object->step_size && symbol->st_value + (uint64_t)insn->imm == object->step_offset)
			insn->imm = (__s32)(add_step(object, function) - symbol->st_value);
		append(object->arena, &relocations->content, &rels[i], sizeof(rels[i]));
	}
}

bool object_add_program(struct object *object, const char *section, const char *name, const char *template,
			const char *function, unsigned int args)
{
	size_t from = find_section(object, template);
	struct section *program, *relocations;
	size_t index;

	if (!from)
		return false;
	program = add_section(object, section, &object->sections[from]);
	index = object->section_count + object->added - 1;
	program->content = section_bytes(object, from);
	patch_args(&program->content, args);
	relocations = add_section(object, arena_printf(object->arena, ".rel%s", section),
				  &object->sections[find_relocations(object, from)]);
	relocations->header.sh_info = (Elf64_Word)index;
	copy_relocations(object, from, program, relocations, function);
	add_symbol(object, name, true, index, 0, program->content.size);
	function_info_add(&object->types, section, 0, template, 0);
	return true;
}

/* The file. */

static bool is_global(const struct object *object, size_t symbol)
{
	size_t count;
	const Elf64_Sym *all = symbols(object, &count);

	return ELF64_ST_TYPE(all[symbol].st_info) == STT_FUNC && ELF64_ST_BIND(all[symbol].st_info) == STB_GLOBAL;
}

static bool resolve(struct object *object, const char **missing)
{
	for (const struct late *late = object->late; late; late = late->next) {
		size_t symbol = find_symbol(object, late->name);
		Elf64_Rel rel = {
			.r_offset = late->offset,
			.r_info = ELF64_R_INFO(symbol, late->is_call ? 10UL : 1UL), /* R_BPF_64_32, R_BPF_64_64 */
		};

		if (!symbol) {
			*missing = late->name;
			return false;
		}
		append(object->arena, late->relocations, &rel, sizeof(rel));
		object->with_types |= is_global(object, symbol);
	}
	return true;
}

static void put_section(struct object *object, struct buffer *file, Elf64_Shdr *header, const struct buffer *content)
{
	static const char zeros[8];

	append(object->arena, file, zeros, -file->size & 7);
	header->sh_offset = append(object->arena, file, content->data, content->size);
	header->sh_size = content->size;
}

/* Only added programs remain: the sections of templates lose their code flag. */
static void drop_templates(const struct object *object, Elf64_Shdr *headers)
{
	for (size_t i = 1; i < object->section_count; i++) {
		if (!strncmp(section_name(object, &object->sections[i]), TEMPLATES, strlen(TEMPLATES)))
			headers[i].sh_flags &= ~(Elf64_Xword)SHF_EXECINSTR;
	}
}

/* Types and lines of functions: if ours have none, no function may have any. */
static void drop_function_info(const struct object *object, Elf64_Shdr *headers)
{
	size_t ext = find_section(object, ".BTF.ext");
	size_t relocations = ext ? find_relocations(object, ext) : 0;

	if (ext)
		headers[ext].sh_name = 0;
	if (relocations)
		headers[relocations].sh_name = 0;
}

static void put_function_info(struct object *object, struct buffer *file, Elf64_Shdr *headers)
{
	struct buffer content = {};

	content.data = function_info_types(&object->types, &content.size);
	put_section(object, file, &headers[find_section(object, ".BTF")], &content);
	content.data = function_info_finish(&object->types, &content.size);
	put_section(object, file, &headers[find_section(object, ".BTF.ext")], &content);
}

/* Reserves most of the final size, because an arena keeps every copy of a growing buffer. */
static size_t file_room(const struct object *object, size_t headers)
{
	size_t room = object->base_size + object->new_text.size + object->new_text_rel.size + object->new_symbols.size +
		      object->new_strings.size + headers * (sizeof(Elf64_Shdr) + 8);

	for (const struct section *section = object->first; section; section = section->next)
		room += section->content.size;
	return room;
}

void *object_finish(struct object *object, size_t *size, const char **missing)
{
	size_t total = object->section_count + object->added, i = object->section_count;
	Elf64_Shdr *headers = arena_alloc(object->arena, total * sizeof(*headers));
	struct buffer file = {};
	Elf64_Ehdr *header;

	if (!resolve(object, missing))
		return NULL;
	file.data = arena_grow(object->arena, NULL, &file.room, file_room(object, total), 1);
	append(object->arena, &file, object->base, object->base_size);
	memcpy(headers, object->sections, object->section_count * sizeof(*headers));
	put_section(object, &file, &headers[object->text], &object->new_text);
	put_section(object, &file, &headers[object->text_rel], &object->new_text_rel);
	put_section(object, &file, &headers[object->symtab], &object->new_symbols);
	put_section(object, &file, &headers[object->strtab], &object->new_strings);
	for (struct section *section = object->first; section; section = section->next) {
		put_section(object, &file, &section->header, &section->content);
		headers[i++] = section->header;
	}
	drop_templates(object, headers);
	if (object->with_types)
		put_function_info(object, &file, headers);
	else
		drop_function_info(object, headers);
	append(object->arena, &file, "\0\0\0\0\0\0\0", -file.size & 7);
	i = append(object->arena, &file, headers, total * sizeof(*headers));
	header = (Elf64_Ehdr *)file.data;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a header was appended before */
	header->e_shoff = i;
	header->e_shnum = (Elf64_Half)total;
	*size = file.size;
	return file.data;
}
