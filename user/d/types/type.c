// SPDX-License-Identifier: BSD-2-Clause
/*
 * Types: predefined ones, those that a program adds, and C's rules for them: layout, promotion, conversion. The
 * declaration parser (user/d/syntax) makes the program's types.
 */
#include "d/types/type.h"

#include <string.h>

#include "base/arena.h"
#include "base/names.h"
#include "d/types/type_build.h"

#define TEXT_DEPTH_MOST 64 /* nesting in the spelling of a type */

/* As in C. */
enum name_space { NAME_TYPE, NAME_STRUCT, NAME_UNION, NAME_ENUM, NAME_ENUMERATOR };

/* A member by name: of the struct itself, or of an anonymous one in it. */
struct member_place {
	const struct type_member *member;
	uint64_t offset; /* in bits */
	struct member_place *next;
};

struct member_index {
	struct names by_name; /* struct member_place */
	struct member_place *places, **end;
	unsigned int anonymous_depth;
};

/* The meaning of a name. */
struct named_type {
	struct type *type;
	int64_t value; /* of an enumerator */
	bool is_intrinsic;
};

enum intrinsic {
	INT_CHAR,
	INT_SCHAR,
	INT_UCHAR,
	INT_SHORT,
	INT_USHORT,
	INT_INT,
	INT_UINT,
	INT_LONG,
	INT_ULONG,
	INT_LLONG,
	INT_ULLONG,
	INT_BOOL,
	INT_COUNT,
};

static const struct {
	const char *name;
	size_t size;
	bool is_signed;
} ints[INT_COUNT] = {
	[INT_CHAR] = { "char", 1, true },
	[INT_SCHAR] = { "signed char", 1, true },
	[INT_UCHAR] = { "unsigned char", 1, false },
	[INT_SHORT] = { "short", 2, true },
	[INT_USHORT] = { "unsigned short", 2, false },
	[INT_INT] = { "int", 4, true },
	[INT_UINT] = { "unsigned int", 4, false },
	[INT_LONG] = { "long", 8, true },
	[INT_ULONG] = { "unsigned long", 8, false },
	[INT_LLONG] = { "long long", 8, true },
	[INT_ULLONG] = { "unsigned long long", 8, false },
	[INT_BOOL] = { "_Bool", 1, false },
};

/* Names that DTrace defines without headers. */
static const struct {
	const char *name;
	enum intrinsic type;
} typedefs[] = {
	{ "int8_t", INT_SCHAR },     { "int16_t", INT_SHORT },	     { "int32_t", INT_INT },
	{ "int64_t", INT_LONG },     { "uint8_t", INT_UCHAR },	     { "uint16_t", INT_USHORT },
	{ "uint32_t", INT_UINT },    { "uint64_t", INT_ULONG },	     { "intptr_t", INT_LONG },
	{ "uintptr_t", INT_ULONG },  { "ptrdiff_t", INT_LONG },	     { "size_t", INT_ULONG },
	{ "ssize_t", INT_LONG },     { "uchar_t", INT_UCHAR },	     { "ushort_t", INT_USHORT },
	{ "uint_t", INT_UINT },	     { "ulong_t", INT_ULONG },	     { "u_char", INT_UCHAR },
	{ "u_short", INT_USHORT },   { "u_int", INT_UINT },	     { "u_long", INT_ULONG },
	{ "longlong_t", INT_LLONG }, { "u_longlong_t", INT_ULLONG }, { "pid_t", INT_INT },
	{ "id_t", INT_INT },	     { "uid_t", INT_UINT },	     { "gid_t", INT_UINT },
	{ "zoneid_t", INT_INT },     { "taskid_t", INT_INT },	     { "projid_t", INT_INT },
	{ "poolid_t", INT_INT },     { "processorid_t", INT_INT },   { "psetid_t", INT_INT },
	{ "dprojid_t", INT_INT },    { "netstackid_t", INT_ULONG },  { "lgrp_id_t", INT_INT },
	{ "time_t", INT_LONG },	     { "hrtime_t", INT_LLONG },	     { "clock_t", INT_LONG },
	{ "off_t", INT_LONG },	     { "loff_t", INT_LLONG },	     { "mode_t", INT_UINT },
	{ "dev_t", INT_UINT },	     { "major_t", INT_UINT },	     { "minor_t", INT_UINT },
	{ "ipaddr_t", INT_UINT },    { "in_addr_t", INT_UINT },	     { "bool", INT_BOOL },
};

struct type_table {
	bool has_rooms; /* a type contains strings of the current size */
	bool is_late;	/* the size changed after that */
	struct arena *arena;
	struct names names; /* struct named_type; kinds are name spaces */
	struct type *ints[INT_COUNT];
	struct type *string_type, *void_type;
	struct type *single[TYPE_TERM + 1]; /* STACK, SYMBOL, TERM */
};

static struct type *type_new(struct type_table *table, enum type_kind kind, const char *name, size_t size)
{
	struct type *type = arena_alloc(table->arena, sizeof(*type));

	type->kind = kind;
	type->name = name;
	type->size = size;
	type->align = size ? size : 1;
	return type;
}

/* --- Names --- */

static struct named_type *entry_find(struct type_table *table, enum name_space space, const char *name)
{
	return names_find(&table->names, space, name);
}

static struct named_type *entry_add(struct type_table *table, enum name_space space, const char *name,
				    struct type *type)
{
	struct named_type *named = entry_find(table, space, name);

	if (!named) {
		named = arena_alloc(table->arena, sizeof(*named));
		names_put(&table->names, table->arena, space, arena_strdup(table->arena, name), named);
	}
	named->type = type;
	named->is_intrinsic = false;
	return named;
}

static void intrinsic_add(struct type_table *table, const char *name, struct type *type)
{
	entry_add(table, NAME_TYPE, name, type)->is_intrinsic = true;
}

struct type *type_alias(struct type_table *table, const char *name, struct type *base)
{
	struct type *type = type_new(table, TYPE_TYPEDEF, name, base->size);

	type->align = base->align;
	type->is_signed = base->is_signed;
	type->base = base;
	type->real = type_real(base);
	type->is_stdint_64 = base->is_stdint_64 || !strcmp(name, "int64_t") || !strcmp(name, "uint64_t");
	return type;
}

void type_name_add(struct type_table *table, const char *name, struct type *type)
{
	entry_add(table, NAME_TYPE, name, type_alias(table, name, type));
}

bool type_name_is_intrinsic(struct type_table *table, const char *name)
{
	struct named_type *named = entry_find(table, NAME_TYPE, name);

	return named && named->is_intrinsic;
}

struct type *type_named(struct type_table *table, const char *name)
{
	struct named_type *named = entry_find(table, NAME_TYPE, name);

	return named ? named->type : NULL;
}

static const char *keyword_of(enum type_kind kind)
{
	return kind == TYPE_STRUCT ? "struct" : kind == TYPE_UNION ? "union" : "enum";
}

static enum name_space space_of(enum type_kind kind)
{
	return kind == TYPE_STRUCT ? NAME_STRUCT : kind == TYPE_UNION ? NAME_UNION : NAME_ENUM;
}

struct type *type_tagged(struct type_table *table, enum type_kind kind, const char *tag)
{
	struct named_type *named = entry_find(table, space_of(kind), tag);

	return named ? named->type : NULL;
}

struct type *type_tag_add(struct type_table *table, enum type_kind kind, const char *tag)
{
	struct type *type = type_new(table, kind, tag, 0);

	if (kind == TYPE_ENUM) {
		type->size = type->align = 4;
		type->is_signed = true;
	}
	type->is_incomplete = true;
	if (tag)
		entry_add(table, space_of(kind), tag, type);
	return type;
}

void type_renew(struct type_table *table, struct type *type)
{
	struct named_type *named = type->name ? entry_find(table, space_of(type->kind), type->name) : NULL;

	if (!named || named->type != type || !named->is_intrinsic)
		return;
	named->is_intrinsic = false;
	type->is_incomplete = true;
	type->members = NULL;
	type->index = NULL;
	type->size = 0;
	type->align = 1;
}

void type_enumerator_add(struct type_table *table, struct type *type, const char *name, int64_t value)
{
	struct type_enumerator *enumerator = arena_alloc(table->arena, sizeof(*enumerator));
	struct type_enumerator **end = &type->enumerators;

	/* `owner` holds the end of the list while it grows: a header can define thousands. */
	if (type->owner)
		end = &((struct type_enumerator *)type->owner)->next;
	*enumerator = (struct type_enumerator){ .name = name, .value = value };
	*end = enumerator;
	type->owner = enumerator;
	if (value < INT32_MIN || value > UINT32_MAX)
		type->size = type->align = 8;
	entry_add(table, NAME_ENUMERATOR, name, type)->value = value;
}

struct type *type_of_enumerator(struct type_table *table, int64_t value)
{
	return type_int(table, value < INT32_MIN || value > INT32_MAX ? 8 : 4, true);
}

bool type_enumerator(struct type_table *table, const char *name, int64_t *value, struct type **type)
{
	struct named_type *named = entry_find(table, NAME_ENUMERATOR, name);

	if (!named)
		return false;
	*value = named->value;
	if (type)
		*type = named->type;
	return true;
}

/* --- The table --- */

static void add_ints(struct type_table *table)
{
	for (size_t i = 0; i < INT_COUNT; i++) {
		table->ints[i] = type_new(table, TYPE_INT, ints[i].name, ints[i].size);
		table->ints[i]->is_signed = ints[i].is_signed;
		intrinsic_add(table, ints[i].name, table->ints[i]);
	}
	for (size_t i = 0; i < sizeof(typedefs) / sizeof(*typedefs); i++)
		intrinsic_add(table, typedefs[i].name,
			      type_alias(table, typedefs[i].name, table->ints[typedefs[i].type]));
}

static void add_others(struct type_table *table, size_t strsize)
{
	static const struct {
		const char *name;
		size_t size;
	} floats[] = { { "float", 4 }, { "double", 8 }, { "long double", 16 } };

	for (size_t i = 0; i < sizeof(floats) / sizeof(*floats); i++)
		intrinsic_add(table, floats[i].name, type_new(table, TYPE_FLOAT, floats[i].name, floats[i].size));
	table->void_type = type_new(table, TYPE_VOID, "void", 0);
	intrinsic_add(table, "void", table->void_type);
	table->string_type = type_new(table, TYPE_STRING, "string", strsize);
	table->string_type->align = 1;
	intrinsic_add(table, "string", table->string_type);
	intrinsic_add(table, "caddr_t", type_alias(table, "caddr_t", type_pointer(table, table->ints[INT_CHAR])));
	table->single[TYPE_STACK] = type_new(table, TYPE_STACK, "stack", 0);
	table->single[TYPE_SYMBOL] = type_new(table, TYPE_SYMBOL, "symaddr", 8);
	table->single[TYPE_TERM] = type_new(table, TYPE_TERM, "term", 8);
}

/* A union of the 16 bytes of an address, as in the kernel. */
static struct type *in6_union(struct type_table *table)
{
	static const struct {
		const char *name, *of;
		size_t count;
	} views[] = { { "u6_addr8", "uint8_t", 16 }, { "u6_addr16", "uint16_t", 8 }, { "u6_addr32", "uint32_t", 4 } };
	struct type *type = type_tag_add(table, TYPE_UNION, NULL);
	struct type_layout layout = { .type = type };

	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		type_layout_add(table, &layout, views[i].name,
				type_array(table, type_named(table, views[i].of), views[i].count));
	type_layout_end(&layout);
	return type;
}

/*
 * The kernel's type, for inet_ntoa6(); s6_addr is a macro there. Headers can redefine it, as those of C libraries do.
 */
static void add_in6_addr(struct type_table *table)
{
	struct type *type = type_tag_add(table, TYPE_STRUCT, "in6_addr"),
		    *names = type_tag_add(table, TYPE_UNION, NULL);
	struct type_layout layout = { .type = names }, whole = { .type = type };

	type_layout_add(table, &layout, "in6_u", in6_union(table));
	type_layout_add(table, &layout, "s6_addr", type_array(table, type_named(table, "uint8_t"), 16));
	type_layout_end(&layout);
	type_layout_add(table, &whole, NULL, names);
	type_layout_end(&whole);
	entry_find(table, NAME_STRUCT, "in6_addr")->is_intrinsic = true;
	intrinsic_add(table, "in6_addr_t", type_alias(table, "in6_addr_t", type));
}

struct type_table *type_table_new(struct arena *arena, size_t strsize)
{
	struct type_table *table = arena_alloc(arena, sizeof(*table));

	table->arena = arena;
	add_ints(table);
	add_others(table, strsize);
	add_in6_addr(table);
	return table;
}

struct arena *type_arena(struct type_table *table)
{
	return table->arena;
}

/* --- Making types --- */

struct type *type_int(struct type_table *table, size_t size, bool is_signed)
{
	switch (size) {
	case 1: return table->ints[is_signed ? INT_CHAR : INT_UCHAR];
	case 2: return table->ints[is_signed ? INT_SHORT : INT_USHORT];
	case 4: return table->ints[is_signed ? INT_INT : INT_UINT];
	default: return table->ints[is_signed ? INT_LONG : INT_ULONG];
	}
}

struct type *type_string(struct type_table *table)
{
	return table->string_type;
}

struct type *type_void(struct type_table *table)
{
	return table->void_type;
}

struct type *type_of_kind(struct type_table *table, enum type_kind kind)
{
	return table->single[kind];
}

struct type *type_pointer(struct type_table *table, struct type *to)
{
	struct type *type = type_new(table, TYPE_POINTER, NULL, 8);

	type->base = to;
	type->is_user = to->is_user;
	return type;
}

/* Size of a value in an array or a struct. */
static size_t room_of(struct type_table *table, struct type *type)
{
	table->has_rooms |= type_is_string(type);
	return type_real(type)->size;
}

bool type_set_strsize(struct type_table *table, size_t size)
{
	table->is_late |= table->has_rooms && table->string_type->size != size;
	table->string_type->size = size;
	return !table->is_late;
}

struct type *type_array(struct type_table *table, struct type *of, size_t count)
{
	struct type *type = type_new(table, TYPE_ARRAY, NULL, 0);

	if (__builtin_mul_overflow(room_of(table, of), count, &type->size) || type->size > TYPE_SIZE_MOST)
		type->size = TYPE_SIZE_MOST + 1;
	type->align = of->align;
	type->base = of;
	type->count = count;
	return type;
}

struct type *type_function(struct type_table *table, struct type *returns, struct type_key *params)
{
	struct type *type = type_new(table, TYPE_FUNCTION, NULL, 0);

	type->base = returns;
	type->keys = params;
	return type;
}

struct type *type_assoc(struct type_table *table, struct type *of, struct type_key *keys)
{
	struct type *type = type_new(table, TYPE_ASSOC, NULL, 0);

	type->base = of;
	type->keys = keys;
	return type;
}

/* --- Layout --- */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Of members with the same name, the first counts. */
static void index_member(struct type_table *table, struct member_index *index, const struct type_member *member,
			 uint64_t offset)
{
	struct member_place *place;

	if (names_find(&index->by_name, 0, member->name))
		return;
	place = arena_alloc(table->arena, sizeof(*place));
	*place = (struct member_place){ .member = member, .offset = offset };
	*index->end = place;
	index->end = &place->next;
	names_put(&index->by_name, table->arena, 0, member->name, place);
}

static struct member_index *index_of(struct type_table *table, struct type *type)
{
	if (!type->index) {
		type->index = arena_alloc(table->arena, sizeof(*type->index));
		type->index->end = &type->index->places;
	}
	return type->index;
}

static void index_add(struct type_table *table, struct type *type, const struct type_member *member)
{
	struct member_index *index = index_of(table, type);
	const struct member_index *inner = member->name ? NULL : type_real(member->type)->index;

	if (member->name)
		index_member(table, index, member, member->offset);
	else if (type_anonymous_depth(member->type) >= index->anonymous_depth)
		index->anonymous_depth = type_anonymous_depth(member->type) + 1;
	for (const struct member_place *place = inner ? inner->places : NULL; place; place = place->next)
		index_member(table, index, place->member, member->offset + place->offset);
}

void type_layout_add_at(struct type_table *table, struct type_layout *layout, const char *name, struct type *type,
			uint64_t offset, unsigned int bits)
{
	struct type_member *member = arena_alloc(table->arena, sizeof(*member));

	*member = (struct type_member){ .name = name, .type = type, .offset = offset, .bits = bits };
	*(layout->last ? &layout->last->next : &layout->type->members) = member;
	layout->last = member;
	index_add(table, layout->type, member);
}

/* Reserves bits at a place; in a union, all members begin at 0. */
static void layout_grow(struct type_layout *layout, uint64_t offset, uint64_t bits)
{
	if (offset + bits > layout->bits)
		layout->bits = offset + bits;
}

static uint64_t layout_next(const struct type_layout *layout)
{
	return layout->type->kind == TYPE_UNION ? 0 : layout->bits;
}

void type_layout_add(struct type_table *table, struct type_layout *layout, const char *name, struct type *type)
{
	uint64_t offset = round_up(layout_next(layout), type->align * 8);

	type_layout_add_at(table, layout, name, type, offset, 0);
	layout_grow(layout, offset, (uint64_t)room_of(table, type) * 8);
	if (type->align > layout->type->align)
		layout->type->align = type->align;
}

/* A bit-field never crosses a boundary of its type. An anonymous one does not align the struct. */
void type_layout_add_bits(struct type_table *table, struct type_layout *layout, const char *name, struct type *type,
			  unsigned int bits)
{
	uint64_t unit = type->size * 8, offset = layout_next(layout);

	if (!bits || offset / unit != (offset + bits - 1) / unit)
		offset = round_up(offset, unit);
	layout_grow(layout, offset, bits);
	if (!name)
		return;
	type_layout_add_at(table, layout, name, type, offset, bits);
	if (type->align > layout->type->align)
		layout->type->align = type->align;
}

void type_layout_end(struct type_layout *layout)
{
	struct type *type = layout->type;

	type->size = round_up(round_up(layout->bits, 8) / 8, type->align);
	type->is_incomplete = false;
}

/* --- Questions --- */

struct type *type_real(struct type *type)
{
	return type && type->kind == TYPE_TYPEDEF ? type->real : type;
}

/*
 * Keys are compared by type; parameters of functions only by kind and size, because functions are not called, and types
 * of functions that take functions could recurse forever.
 */
static bool same_keys(const struct type_key *a, const struct type_key *b, bool is_assoc)
{
	for (; a && b; a = a->next, b = b->next) {
		struct type *x = type_real(a->type), *y = type_real(b->type);

		if (is_assoc ? !type_same(x, y) : x->kind != y->kind || x->size != y->size)
			return false;
	}
	return !a && !b;
}

bool type_same(struct type *a, struct type *b)
{
	for (;;) {
		a = type_real(a);
		b = type_real(b);
		if (a == b)
			return true;
		if (!a || !b || a->kind != b->kind)
			return false;
		switch (a->kind) {
		case TYPE_INT: return a->size == b->size && a->is_signed == b->is_signed;
		case TYPE_FLOAT: return a->size == b->size;
		case TYPE_ARRAY:
			if (a->count != b->count)
				return false;
			break;
		case TYPE_ASSOC:
		case TYPE_FUNCTION:
			if (!same_keys(a->keys, b->keys, a->kind == TYPE_ASSOC))
				return false;
			break;
		case TYPE_POINTER: break;
		case TYPE_STRUCT:
		case TYPE_UNION:
		case TYPE_ENUM: return false;
		default: return true;
		}
		a = a->base;
		b = b->base;
	}
}

static bool is_kind(struct type *type, enum type_kind kind)
{
	type = type_real(type);
	return type && type->kind == kind;
}

bool type_is_int(struct type *type)
{
	return is_kind(type, TYPE_INT) || is_kind(type, TYPE_ENUM);
}

bool type_is_pointer(struct type *type)
{
	return is_kind(type, TYPE_POINTER);
}

bool type_is_scalar(struct type *type)
{
	return type_is_int(type) || type_is_pointer(type);
}

bool type_is_string(struct type *type)
{
	return is_kind(type, TYPE_STRING);
}

bool type_is_struct(struct type *type)
{
	return is_kind(type, TYPE_STRUCT) || is_kind(type, TYPE_UNION);
}

static bool is_char(struct type *type)
{
	return is_kind(type, TYPE_INT) && type_real(type)->size == 1;
}

bool type_is_char_array(struct type *type)
{
	return is_kind(type, TYPE_ARRAY) && is_char(type_real(type)->base);
}

bool type_is_stringish(struct type *type)
{
	return type_is_string(type) || type_is_char_array(type) ||
	       (type_is_pointer(type) && is_char(type_real(type)->base));
}

const struct type_member *type_member(struct type *type, const char *name, uint64_t *offset)
{
	const struct member_index *index = type_real(type)->index;
	const struct member_place *place = index ? names_find(&index->by_name, 0, name) : NULL;

	if (!place)
		return NULL;
	*offset = place->offset;
	return place->member;
}

unsigned int type_anonymous_depth(struct type *type)
{
	const struct member_index *index = type_real(type)->index;

	return index ? index->anonymous_depth : 0;
}

/* --- Spelling --- */

static const char *spell(struct type_table *table, struct type *type, const char *inner, int depth);

static const char *spell_keys(struct type_table *table, const struct type_key *key, int depth)
{
	const char *text = "";
	const char *between = "";

	for (; key; key = key->next, between = ", ")
		text = arena_printf(table->arena, "%s%s%s", text, between, spell(table, key->type, "", depth + 1));
	return text;
}

static const char *spell_base(struct type_table *table, const char *name, const char *inner)
{
	return arena_printf(table->arena, "%s%s%s", name, *inner ? " " : "", inner);
}

/* The target of a pointer decides whether its star needs parentheses: "int (*)[3]". */
static const char *spell_pointer(struct type_table *table, struct type *type, const char *inner, int depth)
{
	struct type *base = type->base;
	bool binds_later = base->kind == TYPE_ARRAY || base->kind == TYPE_FUNCTION;

	return spell(table, base, arena_printf(table->arena, binds_later ? "(*%s)" : "*%s", inner), depth + 1);
}

/* `inner` stands in the place of a name, as in C declarations. */
static const char *spell(struct type_table *table, struct type *type, const char *inner, int depth)
{
	if (!type || depth > TEXT_DEPTH_MOST)
		return "...";
	switch (type->kind) {
	case TYPE_POINTER: return spell_pointer(table, type, inner, depth);
	case TYPE_ARRAY:
		return spell(table, type->base, arena_printf(table->arena, "%s[%zu]", inner, type->count), depth + 1);
	case TYPE_FUNCTION:
	case TYPE_ASSOC:
		return spell(table, type->base,
			     arena_printf(table->arena, type->kind == TYPE_ASSOC ? "%s[%s]" : "%s(%s)", inner,
					  spell_keys(table, type->keys, depth)),
			     depth + 1);
	case TYPE_STRUCT:
	case TYPE_UNION:
	case TYPE_ENUM:
		return spell_base(
			table,
			arena_printf(table->arena, "%s %s", keyword_of(type->kind), type->name ? type->name : "{...}"),
			inner);
	default: return spell_base(table, type->name ? type->name : "?", inner);
	}
}

const char *type_text(struct type_table *table, struct type *type)
{
	return spell(table, type, "", 0);
}

/* --- Arithmetic --- */

struct type *type_promote(struct type_table *table, struct type *type)
{
	struct type *real = type_real(type);

	if (real->kind == TYPE_ENUM || (real->kind == TYPE_INT && real->size < 4))
		return table->ints[INT_INT];
	return type;
}

/* C's ranks: the larger type wins, then the unsigned one. The result keeps the winner's name, for messages. */
struct type *type_common(struct type_table *table, struct type *a, struct type *b)
{
	struct type *x, *y;

	a = type_promote(table, a);
	b = type_promote(table, b);
	x = type_real(a);
	y = type_real(b);
	if (x->size != y->size)
		return x->size > y->size ? a : b;
	if (x->is_signed != y->is_signed)
		return x->is_signed ? b : a;
	return a;
}
