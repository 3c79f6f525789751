/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result of the compiler: what each clause records and prints (this file) and, after binding, a BPF object
 * (build.h). Plain data in the arena of the compilation.
 */
#ifndef ERLBPF_D_LANG_UNIT_H
#define ERLBPF_D_LANG_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/lang/ast.h"
#include "d/lang/diag.h"
#include "d/lang/format.h"
#include "d/lang/stability.h"
#include "d/lang/symbol.h"

enum action_kind {
	ACTION_TRACE,	 /* trace(x) */
	ACTION_TRACEMEM, /* tracemem(p, n[, dyn]): fields: the bytes, and with dyn the number of valid bytes */
	ACTION_PRINT,	/* print(x), by type; a pointer has two fields: itself, and the FIELD_BYTES that it points to */
	ACTION_PRINTF,	/* format, fields */
	ACTION_PRINTA,	/* format or NULL, aggs */
	ACTION_SYSTEM,	/* a printf whose text is a command */
	ACTION_FREOPEN, /* a printf whose text is a file name */
	ACTION_FTRUNCATE,
	ACTION_SETOPT,	  /* fields: name[, value] */
	ACTION_EXIT,	  /* field: status */
	ACTION_STACK,	  /* ustack(), stack(), as a statement: one field */
	ACTION_SYMBOL,	  /* usym(x), uaddr(x)..., as a statement: one field */
	ACTION_CLEAR,	  /* aggs[0] */
	ACTION_TRUNC,	  /* aggs[0]; fields: the number, if given */
	ACTION_NORMALIZE, /* aggs[0]; fields: the divisor */
	ACTION_DENORMALIZE,
	ACTION_COMMIT,	/* field: speculation */
	ACTION_DISCARD, /* the same */
	ACTION_DEFAULT, /* a clause without a body, or whose body records nothing: prints the probe */
};

enum field_kind {
	FIELD_INT,    /* 8 bytes, extended from its type */
	FIELD_STRING, /* 8 bytes: u32 offset in the record, u32 length without NUL; the bytes follow the fields */
	FIELD_BYTES,  /* `size` bytes: a struct, an array, tracemem */
	FIELD_STACK,  /* u64 pid << 32 | frames, then that many u64 addresses: `size` bytes in all */
	FIELD_SYMBOL, /* u64 address, u64 pid: usym umod uaddr ufunc, sym mod func kaddr, by `symbol` */
	FIELD_TERM,   /* as a string, but a struct term_snapshot follows the fields, see d.h */
};

enum field_symbol {
	SYMBOL_UADDR,
	SYMBOL_UPLACE,	/* as SYMBOL_UADDR, plus the line of Erlang code */
	SYMBOL_UCALLER, /* the same, for a return address */
	SYMBOL_USYM,
	SYMBOL_UMOD,
	SYMBOL_UFUNC,
	SYMBOL_KADDR,
	SYMBOL_KSYM,
	SYMBOL_KMOD,
};

/* One value in a record, or in the key of an aggregation. */
struct field {
	enum field_kind kind;
	enum field_symbol symbol;
	size_t offset; /* from the start of the record or key */
	size_t size;   /* bytes; of a FIELD_STRING in a key: the zero-padded string itself */
	struct type *type;
	unsigned int frames; /* maximum depth of a stack */
	struct node *node;   /* the value; in the second field of a print()ed pointer: the pointer */
	struct field *next;
};

struct action {
	enum action_kind kind;
	const char *name;      /* of the function, as written: "usym" */
	struct format *format; /* NULL: none */
	struct field *fields;
	struct symbol **aggs;
	size_t agg_count;
	int condition; /* -1: unconditional; otherwise a bit of d_record.ran */
	int line;
	struct action *next;
};

/* What one clause records. */
struct unit_clause {
	struct clause *clause;
	struct action *actions; /* ACTION_DEFAULT alone if nothing is recorded; empty for an aggregation */
	bool is_speculative;	/* speculate(): all records belong to a speculation */
	size_t record_size;	/* fixed part, including the header */
	unsigned int conditions;
	struct stability stability; /* minimum over all names in it */
	bool uses_args;		    /* of the probe, which have their own stability */
	unsigned int arguments;	    /* required number of args[] */
	struct unit_clause *next;
};

/* One aggregation. Each key has an array of 64-bit words, with the layout in agg.h. */
struct unit_agg {
	struct symbol *symbol;
	const char *map;    /* in the object: a hash map with the key and value below */
	struct field *keys; /* without the value; NULL: a single entry with a key of 8 zero bytes */
	size_t key_size, words;
	size_t stride;	      /* bytes from one stripe of `words` to the next, see agg.h */
	unsigned int stripes; /* a power of two */
	uint64_t params[5];   /* lquantize: base limit step; llquantize: factor low high steps */
	uint64_t number; /* of an aggregation that shares its map: from 1, the first word of its keys; 0: not shared */
	struct unit_agg *next;
};

/* A map whose shape differs from its declaration in the object. */
struct unit_map {
	const char *name;
	unsigned int key_size, value_size, entries;
	struct unit_map *next;
	unsigned int counted; /* bytes of an entry, as DTrace counts them: without the thread of a self-> variable */
};

/* The DTrace to follow where Oracle's and illumos's differ: see docs/d-language.md. */
enum d_compat { COMPAT_ORACLE, COMPAT_ILLUMOS };

#define UNIT_DEFAULT_ENTRIES (1u << 16)
#define UNIT_MOST_ENTRIES (1u << 24) /* per map */

/* Options of the compilation. */
struct unit_options {
	size_t strsize;		     /* default 256 */
	size_t scratch_size;	     /* alloca(), copyin(): default 256 */
	unsigned int frames;	     /* stack(): default 20 (-x stackframes) */
	unsigned int ustack_frames;  /* ustack(): default 127 (-x ustackframes) */
	unsigned int max_frames;     /* of any stack: -x maxframes; 0: the kernel's limit */
	unsigned int speculations;   /* -x nspec, default 1; 0: none */
	size_t speculation_size;     /* -x specsize; 0: the library's default */
	unsigned int entries;	     /* of each associative array: see -x dynvarsize */
	size_t array_bytes;	     /* of each associative array: -x dynvarsize; 0: not set */
	size_t agg_bytes;	     /* of each aggregation: -x aggsize; 0: not set */
	unsigned int cpus;	     /* number, for stripes of aggregations; 0: one */
	unsigned int syscall_frames; /* kernel frames of the code that calls programs at system calls */
	bool is_destructive;	     /* -w */
	bool is_confined;	     /* to nodes of the user: see d/check/rights.c */
	enum d_compat compat;	     /* -x compat */
	struct stability amin;	     /* required stability of names; 0: any */
	const char *kernel_symbols;  /* file like /proc/kallsyms; NULL: that file */
};

struct unit {
	struct arena *arena;
	struct type_table *types;
	struct diag diag;
	struct unit_options options;
	struct program program;
	struct unit_clause *clauses;
	struct unit_agg *aggs;
	struct symbol *variables, *arrays, *aggregations;
	bool has_errors_clause; /* there is an ERROR clause */
	bool errors_by_hook;	/* one function of ERROR clauses for each kind of program, instead of one for all */
	bool is_checked;
	bool uses_probe_names, uses_term;
	bool uses_argterm;		/* then probe functions that have terms instead of notes, which lack them */
	const struct node *destructive; /* first call of a function that needs -w; NULL: none */
	bool walks_processes;		/* a probe of a node reads the stack of its process */
	bool writes_user;		/* calls a function that writes to process memory */
	bool reads_kernel;		/* uses a function of bpf/d/ that reads kernel structs */
	bool reads_kernel_stack;	/* uses the kernel stack */
	struct kernel_types *kernel;
	struct kernel_symbols *kernel_symbols; /* NULL: not loaded */
	unsigned int next_clause;
	const struct function_table *functions; /* of the language */
};

/* Size of a string in the kernel, see bpf/d.h: includes at least one NUL. */
static inline size_t unit_string_room(const struct unit *unit)
{
	return (unit->options.strsize + 8) & ~(size_t)7;
}

#endif
