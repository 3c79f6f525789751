// SPDX-License-Identifier: BSD-2-Clause
/*
 * print(x): a value by its type. A value itself is laid out as illumos does it,
 *
 *	struct point {
 *	    int x = 0x1
 *	    char [4] name = [ "abc" ]
 *	}
 *
 * and what a pointer points to, which is recorded together with the pointer, as DTrace on Linux does it, where
 * members that are zero are left out:
 *
 *	0x7f0012345678 = *
 *	                                            (struct point) {
 *	                                             .x = (int)1,
 *	                                            }
 *
 * The types are the program's own; the bytes are not to be trusted, and may be fewer than the type says.
 */
#include "dtrace/print/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define DEEPEST 32 /* nested structs */
#define INDENT 4
#define POINTED_INDENT 44
#define TYPE_TEXT 256

struct memory {
	const unsigned char *data;
	size_t size;
};

static bool is_struct(const struct type *type)
{
	return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

static bool is_char(const struct type *type)
{
	return type->kind == TYPE_INT && type->size == 1 && type->is_signed;
}

/* "char [5]", "struct point *": the type name with stars and dimensions last. */
static void type_name(const struct type *type, char *text, size_t size)
{
	static const char *const words[] = { [TYPE_STRUCT] = "struct", [TYPE_UNION] = "union", [TYPE_ENUM] = "enum" };
	size_t length;

	if (!type) {
		snprintf(text, size, "void");
		return;
	}
	switch (type->kind) {
	case TYPE_POINTER:
		type_name(type->base, text, size);
		length = strlen(text);
		snprintf(text + length, size - length, "%s*", length && text[length - 1] == '*' ? "" : " ");
		break;
	case TYPE_ARRAY:
		type_name(type->base, text, size);
		length = strlen(text);
		snprintf(text + length, size - length, " [%zu]", type->count);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
	case TYPE_ENUM:
		snprintf(text, size, "%s%s%s", words[type->kind], type->name ? " " : "", type->name ? type->name : "");
		break;
	default: snprintf(text, size, "%s", type->name ? type->name : "void");
	}
}

/* The available bytes, low ones first. */
static uint64_t read_int(const struct memory *memory, size_t offset, size_t size)
{
	uint64_t number = 0;

	if (size > sizeof(number))
		size = sizeof(number);
	if (offset < memory->size)
		memcpy(&number, memory->data + offset, size < memory->size - offset ? size : memory->size - offset);
	return number;
}

static uint64_t read_bits(const struct memory *memory, uint64_t offset, unsigned int bits)
{
	uint64_t number = read_int(memory, (size_t)(offset / 8), sizeof(number)) >> offset % 8;

	return bits < 64 ? number & ((1ULL << bits) - 1) : number;
}

static int64_t extend(uint64_t number, const struct type *type)
{
	unsigned int shift = type->size && type->size < 8 ? 64 - 8 * (unsigned int)type->size : 0;

	return type->is_signed ? (int64_t)(number << shift) >> shift : (int64_t)number;
}

static const char *enumerator_of(const struct type *type, int64_t value)
{
	for (const struct type_enumerator *e = type->enumerators; e; e = e->next)
		if (e->value == value)
			return e->name;
	return NULL;
}

/* --- A value, as in illumos ----------------------------------------------------------------------------- */

static void show(const struct print *print, struct type *type, const struct memory *memory, size_t offset,
		 unsigned int depth);

static void indent(const struct print *print, unsigned int depth)
{
	fprintf(print->to, "%*s", (int)(INDENT * depth), "");
}

static void show_char(const struct print *print, unsigned char c)
{
	if (isprint(c))
		fprintf(print->to, "'%c'", c);
	else if (!c)
		fputs("'\\0'", print->to);
	else
		fprintf(print->to, "'\\%03o'", c);
}

static void show_number(const struct print *print, uint64_t number)
{
	fprintf(print->to, number ? "0x%" PRIx64 : "%" PRIu64, number);
}

static void show_enum(const struct print *print, const struct type *type, uint64_t number)
{
	const char *name = enumerator_of(type, extend(number, type));

	if (name)
		fputs(name, print->to);
	else
		fprintf(print->to, "%" PRId64, extend(number, type));
}

/* Printable up to a NUL. */
static bool is_text(const struct memory *memory, size_t offset, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned char c = (unsigned char)read_int(memory, offset + i, 1);

		if (!c)
			return true;
		if (!isprint(c))
			return false;
	}
	return false;
}

static void put_text(const struct print *print, const struct memory *memory, size_t offset, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned char c = (unsigned char)read_int(memory, offset + i, 1);

		if (!c)
			return;
		fputc(c, print->to);
	}
}

static void show_structs(const struct print *print, struct type *type, const struct memory *memory, size_t offset,
			 unsigned int depth)
{
	struct type *of = type_real(type->base);
	char name[TYPE_TEXT];

	type_name(type->base, name, sizeof(name));
	fputs("[ ", print->to);
	for (size_t i = 0; i < type->count && offset + i * of->size < memory->size; i++) {
		fputs(i ? ", \n" : "\n", print->to);
		indent(print, depth + 1);
		fprintf(print->to, "%s ", name);
		show(print, of, memory, offset + i * of->size, depth + 1);
	}
	fputc('\n', print->to);
	indent(print, depth);
	fputc(']', print->to);
}

static void show_array(const struct print *print, struct type *type, const struct memory *memory, size_t offset,
		       unsigned int depth)
{
	struct type *of = type_real(type->base);
	bool text = of && is_char(of) && is_text(memory, offset, type->count), brackets = !text || depth;

	if (!of || !of->size)
		return;
	if (is_struct(of)) {
		show_structs(print, type, memory, offset, depth);
		return;
	}
	fputs(brackets ? "[ " : "", print->to);
	if (text) {
		fputc('"', print->to);
		put_text(print, memory, offset, type->count);
		fputc('"', print->to);
	}
	for (size_t i = 0; !text && i < type->count && offset + i * of->size < memory->size; i++) {
		fputs(i ? ", " : "", print->to);
		show(print, of, memory, offset + i * of->size, depth + 1);
	}
	fputs(brackets ? " ]" : "", print->to);
}

static void show_member(const struct print *print, const struct type_member *member, const struct memory *memory,
			size_t offset, unsigned int depth)
{
	char name[TYPE_TEXT];

	type_name(member->type, name, sizeof(name));
	indent(print, depth);
	fputs(name, print->to);
	if (member->name) {
		fprintf(print->to, "%s%s", name[strlen(name) - 1] == '*' ? "" : " ", member->name);
		if (member->bits)
			fprintf(print->to, " :%u", member->bits);
		fputs(" =", print->to);
	}
	fputc(' ', print->to);
	if (member->bits)
		show_number(print, read_bits(memory, 8 * (uint64_t)offset + member->offset, member->bits));
	else
		show(print, member->type, memory, offset + (size_t)(member->offset / 8), depth);
	fputc('\n', print->to);
}

static void show_struct(const struct print *print, struct type *type, const struct memory *memory, size_t offset,
			unsigned int depth)
{
	fputs("{\n", print->to);
	for (const struct type_member *member = type->members; member; member = member->next)
		show_member(print, member, memory, offset, depth + 1);
	indent(print, depth);
	fputc('}', print->to);
}

static void show_float(const struct print *print, const struct type *type, const struct memory *memory, size_t offset)
{
	uint64_t raw = read_int(memory, offset, type->size);
	double twice;
	float once;

	if (type->size == sizeof(once)) {
		memcpy(&once, &raw, sizeof(once));
		fprintf(print->to, "%+.7e", (double)once);
	} else {
		memcpy(&twice, &raw, sizeof(twice));
		fprintf(print->to, "%+.7e", twice);
	}
}

static void show(const struct print *print, struct type *type, const struct memory *memory, size_t offset,
		 unsigned int depth)
{
	type = type_real(type);
	if (!type || depth > DEEPEST)
		return;
	switch (type->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		if (type->is_incomplete)
			fputs("<forward decl>", print->to);
		else
			show_struct(print, type, memory, offset, depth);
		break;
	case TYPE_ARRAY: show_array(print, type, memory, offset, depth); break;
	case TYPE_STRING:
		fputs("[ \"", print->to);
		put_text(print, memory, offset, type->size);
		fputs("\" ]", print->to);
		break;
	case TYPE_ENUM: show_enum(print, type, read_int(memory, offset, type->size)); break;
	case TYPE_FLOAT: show_float(print, type, memory, offset); break;
	case TYPE_INT:
		if (is_char(type)) {
			show_char(print, (unsigned char)read_int(memory, offset, 1));
			break;
		}
		/* fallthrough */
	default: show_number(print, read_int(memory, offset, type->size ? type->size : sizeof(uint64_t)));
	}
}

static void show_value(const struct print *print, const struct field_value *value)
{
	bool is_bytes = value->field->kind == FIELD_BYTES;
	struct memory memory = {
		is_bytes ? (const unsigned char *)value->data : (const unsigned char *)&value->number,
		is_bytes ? value->size : sizeof(value->number),
	};
	struct type *type = type_real(value->field->type);
	_cleanup_free_ char *text = NULL;
	char name[TYPE_TEXT];

	type_name(value->field->type, name, sizeof(name));
	if (value->field->kind != FIELD_INT && !is_bytes) {
		text = value_text(print, value);
		fprintf(print->to, value->field->kind == FIELD_STRING ? "string \"%s\"\n" : "%s\n", text ? text : "");
		return;
	}
	fprintf(print->to, "%s ", value->field->type ? name : "int64_t");
	if (type)
		show(print, type, &memory, 0, 0);
	else
		show_number(print, value->number);
	/* illumos ends the line after a value that is no struct, but not after the brace of a struct. */
	if (!type || !is_struct(type))
		fputc('\n', print->to);
}

/* --- The target of a pointer, as in Linux ------------------------------------------------------------------ */

struct pointed {
	const struct print *print;
	struct memory memory;
	size_t limit;	     /* members from here on are omitted */
	bool is_cut;	     /* the omission was printed */
	unsigned int cut_at; /* depth at which to print the omission when a struct ends; 0: none */
};

static bool is_zero(const struct memory *memory, size_t offset, size_t size)
{
	for (size_t i = 0; i < size && offset + i < memory->size; i++)
		if (memory->data[offset + i])
			return false;
	return true;
}

static void point_indent(const struct pointed *pointed, unsigned int depth)
{
	fprintf(pointed->print->to, "%*s", POINTED_INDENT + (int)depth, "");
}

static void point(struct pointed *pointed, struct type *type, const char *name, size_t offset, unsigned int depth);

/* The rest is omitted. */
static void point_cut(struct pointed *pointed, unsigned int depth)
{
	pointed->is_cut = true;
	point_indent(pointed, depth);
	fputs("...\n", pointed->print->to);
}

static bool is_beyond(const struct pointed *pointed, const struct type_member *member, size_t offset)
{
	return member && offset + member->offset / 8 >= pointed->limit;
}

/* DTrace prints the omission before it closes the struct. */
static void point_end(struct pointed *pointed, unsigned int depth)
{
	if (pointed->cut_at && !pointed->is_cut)
		point_cut(pointed, pointed->cut_at);
	point_indent(pointed, depth);
	fputc('}', pointed->print->to);
}

static void point_bits(const struct pointed *pointed, const struct type_member *member, uint64_t offset,
		       unsigned int depth)
{
	uint64_t number = read_bits(&pointed->memory, offset, member->bits);
	char type[TYPE_TEXT];

	if (!number)
		return;
	type_name(member->type, type, sizeof(type));
	point_indent(pointed, depth);
	fprintf(pointed->print->to, ".%s = (%s)%" PRIu64 ",\n", member->name ? member->name : "", type, number);
}

static void point_members(struct pointed *pointed, const struct type *type, size_t offset, unsigned int depth)
{
	unsigned int cut_at = pointed->cut_at;

	for (const struct type_member *member = type->members; member && !pointed->is_cut; member = member->next) {
		uint64_t bits = 8 * (uint64_t)offset + member->offset;

		pointed->cut_at = is_beyond(pointed, member->next, offset) ? depth : member->next ? 0 : cut_at;
		if (is_beyond(pointed, member, offset))
			point_cut(pointed, depth);
		else if (member->bits)
			point_bits(pointed, member, bits, depth);
		else
			point(pointed, member->type, member->name ? member->name : "", (size_t)(bits / 8), depth);
	}
	pointed->cut_at = cut_at;
}

static void point_elements(struct pointed *pointed, const struct type *type, size_t offset, unsigned int depth)
{
	struct type *of = type_real(type->base);

	if (!of || !of->size)
		return;
	pointed->cut_at = 0;
	for (size_t i = 0; i < type->count && !pointed->is_cut; i++) {
		size_t at = offset + i * of->size;

		if (is_char(of) && !read_int(&pointed->memory, at, 1))
			return;
		if (at >= pointed->limit)
			point_cut(pointed, depth);
		else
			point(pointed, type->base, NULL, at, depth);
	}
}

static void point_scalar(const struct pointed *pointed, const struct type *type, size_t offset)
{
	uint64_t number = read_int(&pointed->memory, offset, type->size);
	FILE *to = pointed->print->to;

	if (type->kind == TYPE_ENUM)
		show_enum(pointed->print, type, number);
	else if (type->kind == TYPE_POINTER || type->kind == TYPE_FUNCTION)
		fprintf(to, "0x%" PRIx64, number);
	else if (type->kind == TYPE_FLOAT)
		show_float(pointed->print, type, &pointed->memory, offset);
	else if (is_char(type) && isprint((unsigned char)number))
		fprintf(to, "'%c'", (char)number);
	else if (type->is_signed)
		fprintf(to, "%" PRId64, extend(number, type));
	else
		fprintf(to, "%" PRIu64, number);
}

/* name NULL: an array element, or the whole; "": an anonymous member. */
static void point(struct pointed *pointed, struct type *type, const char *name, size_t offset, unsigned int depth)
{
	struct type *t = type_real(type);
	FILE *to = pointed->print->to;
	char text[TYPE_TEXT];

	if (!t || depth > DEEPEST)
		return;
	if (depth && is_zero(&pointed->memory, offset, t->size))
		return;
	type_name(type, text, sizeof(text));
	point_indent(pointed, depth);
	if (name && *name)
		fprintf(to, ".%s = ", name);
	fprintf(to, "(%s)", text);
	if (is_struct(t)) {
		fputs(" {\n", to);
		point_members(pointed, t, offset, depth + 1);
		point_end(pointed, depth);
	} else if (t->kind == TYPE_ARRAY) {
		fputs(" [\n", to);
		point_elements(pointed, t, offset, depth + 1);
		point_indent(pointed, depth);
		fputc(']', to);
	} else if (t->kind == TYPE_STRING) {
		fputs(" \"", to);
		put_text(pointed->print, &pointed->memory, offset, t->size);
		fputc('"', to);
	} else {
		point_scalar(pointed, t, offset);
	}
	fputs(depth ? ",\n" : "\n", to);
}

static void print_pointed(const struct print *print, const struct field_value *pointer, const struct field_value *value)
{
	size_t limit = print->options->print_size;
	struct pointed pointed = { .print = print, .memory = { (const unsigned char *)value->data, value->size } };

	pointed.limit = limit < value->size ? limit : value->size;

	fprintf(print->to, "0x%" PRIx64 " = *\n", pointer->number);
	if (value->field->type)
		point(&pointed, value->field->type, NULL, 0, 0);
}

void print_typed(const struct print *print, const struct field_value *values, size_t number)
{
	if (number > 1 && values[0].field->kind == FIELD_INT && values[1].field->kind == FIELD_BYTES)
		print_pointed(print, &values[0], &values[1]);
	else
		show_value(print, &values[0]);
}
