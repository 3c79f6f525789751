/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D's types: C's on 64-bit Linux (LP64), `string`, and those that only D has. The arena of the compilation owns them;
 * compare with type_same(). Typedefs keep their name for messages: type_real() removes them.
 */
#ifndef ERLBPF_D_TYPES_TYPE_H
#define ERLBPF_D_TYPES_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct member_index;

enum type_kind {
	TYPE_VOID,
	TYPE_INT,    /* also char and bool */
	TYPE_FLOAT,  /* no arithmetic */
	TYPE_ENUM,   /* an int with names */
	TYPE_STRING, /* a value with the size of -x strsize */
	TYPE_POINTER,
	TYPE_ARRAY, /* count elements of base, indexed as in C */
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_FUNCTION, /* base: return type */
	TYPE_TYPEDEF,  /* another name of base */
	TYPE_ASSOC,    /* associative array of base; keys: its tuple */
	TYPE_STACK,    /* ustack(), stack(): only in a key or an action */
	TYPE_SYMBOL,   /* usym(), umod(), uaddr()...: the same; printed as a symbol */
	TYPE_TERM,     /* an Erlang term, one word; printed in Erlang syntax */
};

struct type_member {
	const char *name; /* NULL: an anonymous struct or union */
	struct type *type;
	uint64_t offset;   /* in bits */
	unsigned int bits; /* of a bit-field, 0: none */
	struct type_member *next;
};

struct type_enumerator {
	const char *name;
	int64_t value;
	struct type_enumerator *next;
};

struct type {
	enum type_kind kind;
	const char *name; /* tag, typedef or spelling of an int type; NULL: none */
	size_t size;	  /* in bytes; of a string: see type_set_strsize() */
	size_t align;
	bool is_signed;	    /* int or enum */
	bool is_incomplete; /* a struct or union that was only named */
	bool is_begun;	    /* its members are being read: it is not the kernel's */
	bool is_user;	    /* pointer (or its target) in the traced process: `userland` */
	struct type *base;  /* pointer, array, function, typedef, assoc */
	struct type *real;  /* of a typedef: its target without typedefs */
	bool is_stdint_64;  /* int64_t, uint64_t, or a typedef of them */
	size_t count;	    /* elements of an array */
	uint32_t kernel_id; /* of the kernel struct or union, see kernel_types.h; 0: none */
	struct type_member *members;
	struct member_index *index; /* of its members, for type_member(); NULL: none */
	struct type_enumerator *enumerators;
	struct type_key *keys; /* assoc: its tuple */
	void *owner;
};

struct type_key {
	struct type *type;
	struct type_key *next;
};

/* All types of one compilation: by name, and by tag for structs, unions and enums. */
struct type_table;

struct type_table *type_table_new(struct arena *arena, size_t strsize);
/* False: too late, arrays or structs contain strings of another size. */
bool type_set_strsize(struct type_table *table, size_t size);

/* Built-in types; never NULL. */
struct type *type_int(struct type_table *table, size_t size, bool is_signed); /* char short int long, by size */
struct type *type_named(struct type_table *table, const char *name);	      /* "int", "uint64_t", a typedef; NULL */
struct type *type_string(struct type_table *table);
struct type *type_void(struct type_table *table);
struct type *type_pointer(struct type_table *table, struct type *to);
struct type *type_array(struct type_table *table, struct type *of, size_t count);
struct type *type_of_kind(struct type_table *table, enum type_kind kind); /* STACK, SYMBOL, TERM: one each */

/* struct NAME, union NAME, enum NAME; NULL: none. */
struct type *type_tagged(struct type_table *table, enum type_kind kind, const char *tag);

/* The value of an enumerator: false if unknown. */
bool type_enumerator(struct type_table *table, const char *name, int64_t *value, struct type **type);
struct type *type_of_enumerator(struct type_table *table, int64_t value); /* int, or long if needed */

/* A type by its spelling as in xlate<T>, sizeof(T) or a cast, "struct foo *", "unsigned long"; NULL. */
struct type *type_parse(struct type_table *table, const char *text);

struct type *type_real(struct type *type); /* without typedefs */
bool type_same(struct type *a, struct type *b);
bool type_is_int(struct type *type);	/* or enum */
bool type_is_scalar(struct type *type); /* ints, enums, pointers */
bool type_is_pointer(struct type *type);
bool type_is_string(struct type *type);
bool type_is_struct(struct type *type); /* or union */
bool type_is_char_array(struct type *type);
/* A string in D: string, char *, char[]. */
bool type_is_stringish(struct type *type);

/* The name for messages: "int", "struct foo *", "string". In the arena. */
const char *type_text(struct type_table *table, struct type *type);

/* The member with that name, also in anonymous structs; its offset is in bits. NULL: none. */
const struct type_member *type_member(struct type *type, const char *name, uint64_t *offset);
/* The nesting depth of anonymous structs: 0 if there are none. */
unsigned int type_anonymous_depth(struct type *type);

/* C's integer promotion and usual arithmetic conversions. */
struct type *type_promote(struct type_table *table, struct type *type);
struct type *type_common(struct type_table *table, struct type *a, struct type *b);

#endif
