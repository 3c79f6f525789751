/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the compiler yields: what is to be recorded and printed per clause (this file), and, once it is known
 * which clauses go to which probes, a BPF object (build.h). Plain data in the arena of the compilation.
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
	ACTION_TRACEMEM, /* tracemem(p, n[, dyn]): fields: the bytes, and with dyn, how many of them count */
	ACTION_PRINT,	 /* print(x): by its type; of a pointer two fields: it, and the FIELD_BYTES that it points to */
	ACTION_PRINTF,	 /* format, fields */
	ACTION_PRINTA,	 /* format or NULL, aggs */
	ACTION_SYSTEM,	 /* a printf whose text is a command */
	ACTION_FREOPEN,	 /* a printf whose text is a file's name */
	ACTION_FTRUNCATE,
	ACTION_SETOPT,	  /* fields: name[, value] */
	ACTION_EXIT,	  /* field: status */
	ACTION_STACK,	  /* ustack(), stack(), printed by itself: one field */
	ACTION_SYMBOL,	  /* usym(x), uaddr(x)..., printed by itself: one field */
	ACTION_CLEAR,	  /* aggs[0] */
	ACTION_TRUNC,	  /* aggs[0]; fields: how many, if given */
	ACTION_NORMALIZE, /* aggs[0]; fields: by what */
	ACTION_DENORMALIZE,
	ACTION_COMMIT,	/* field: speculation */
	ACTION_DISCARD, /* the same */
	ACTION_DEFAULT, /* a clause without a body, or whose body records nothing: prints the probe */
};

enum field_kind {
	FIELD_INT,    /* 8 bytes, extended from its type */
	FIELD_STRING, /* 8 bytes: u32 offset in the record, u32 length without NUL; the bytes are behind the fields */
	FIELD_BYTES,  /* `size` bytes: a struct, an array, tracemem */
	FIELD_STACK,  /* u64 pid << 32 | frames, then that many u64 addresses: room for `size` bytes in all */
	FIELD_SYMBOL, /* u64 address, u64 pid: usym umod uaddr ufunc, sym mod func kaddr: `symbol` says which */
	FIELD_TERM,   /* as a string: what is behind the fields is a struct term_snapshot, see d.h */
};

enum field_symbol {
	SYMBOL_UADDR,
	SYMBOL_UPLACE,	/* as SYMBOL_UADDR, and the line of Erlang code */
	SYMBOL_UCALLER, /* the same, of where a function goes on after a call */
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
	size_t offset; /* in the record from its beginning; in a key from the key's */
	size_t size;   /* bytes; of a FIELD_STRING in a key: the padded string itself, zero padded */
	struct type *type;
	unsigned int frames; /* of a stack: at most */
	struct node *node;   /* whose value it is; of a print()ed pointer's second field: the pointer */
	struct field *next;
};

struct action {
	enum action_kind kind;
	const char *name;      /* of the function, as written: "usym" */
	struct format *format; /* NULL: none */
	struct field *fields;
	struct symbol **aggs;
	size_t agg_count;
	int condition; /* -1: always there; else a bit of d_record.ran */
	int line;
	struct action *next;
};

/* What one clause records. */
struct unit_clause {
	struct clause *clause;
	struct action
		*actions; /* ACTION_DEFAULT alone where nothing is recorded, and an empty list for an aggregation... */
	bool is_speculative; /* speculate(): everything of it goes to the record's speculation */
	size_t record_size;  /* fixed part, header included */
	unsigned int conditions;
	struct stability stability; /* the least of all names in it */
	bool uses_args;		    /* of the probe: they have a stability of their own */
	unsigned int arguments;	    /* how many of args[] there must be for those that it names */
	struct unit_clause *next;
};

/* One aggregation. Values are arrays of 64-bit words per key: the layout is that of agg.h. */
struct unit_agg {
	struct symbol *symbol;
	const char *map;    /* of the object: a hash, key and value below */
	struct field *keys; /* without the value; NULL: one entry, key of 8 zero bytes */
	size_t key_size, words;
	size_t stride;	      /* bytes from one stripe of `words` to the next, see agg.h */
	unsigned int stripes; /* a power of two */
	uint64_t params[5];   /* lquantize: base limit step; llquantize: factor low high steps */
	uint64_t number;      /* from 1, the first word of its keys: it shares its map; 0: it does not */
	struct unit_agg *next;
};

/* A map that the program wants in another shape than the object declares it. */
struct unit_map {
	const char *name;
	unsigned int key_size, value_size, entries;
	struct unit_map *next;
	unsigned int counted; /* bytes of an entry, as DTrace counts them: without the thread of a self-> variable */
};

/* Whose DTrace decides where they differ: see docs/d-language.md. */
enum d_compat { COMPAT_ORACLE, COMPAT_ILLUMOS };

#define UNIT_DEFAULT_ENTRIES (1u << 16)
#define UNIT_MOST_ENTRIES (1u << 24) /* of a map */

/* What the compilation was asked for. */
struct unit_options {
	size_t strsize;		     /* default 256 */
	size_t scratch_size;	     /* alloca(), copyin(): default 256 */
	unsigned int frames;	     /* stack(): default 20 (-x stackframes) */
	unsigned int ustack_frames;  /* ustack(): default 127 (-x ustackframes) */
	unsigned int max_frames;     /* of any stack: -x maxframes; 0: as many as the kernel takes */
	unsigned int speculations;   /* -x nspec, default 1; 0: there are none */
	size_t speculation_size;     /* -x specsize; 0: as the library has it */
	unsigned int entries;	     /* of each associative array: see -x dynvarsize */
	size_t array_bytes;	     /* of each associative array: -x dynvarsize; 0: not set */
	size_t agg_bytes;	     /* of each aggregation: -x aggsize; 0: not set */
	unsigned int cpus;	     /* of the machine, for stripes of aggregations; 0: one */
	unsigned int syscall_frames; /* of the kernel's stack, of what calls programs at system calls */
	bool is_destructive;	     /* -w */
	bool is_confined;	     /* to nodes of the user: see d/check/rights.c */
	enum d_compat compat;	     /* -x compat */
	struct stability amin;	     /* what names must have at least; 0: any */
	const char *kernel_symbols;  /* a file like /proc/kallsyms; NULL: that one */
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
	bool has_errors_clause; /* an ERROR probe is wanted */
	bool errors_by_hook;	/* its clauses are a function for each sort of program, and not one for all */
	bool is_checked;
	bool uses_probe_names, uses_term;
	bool uses_argterm; /* then functions that are given terms are probed rather than notes, which are not */
	const struct node *destructive; /* the first call of a function that wants -w; NULL: there is none */
	bool walks_processes;		/* the stack of a process is read in a probe of its node */
	bool writes_user;		/* a function that writes to the memory of processes is called */
	bool reads_kernel;		/* a function of bpf/d/ that reads the kernel's structs */
	bool reads_kernel_stack;	/* and where it is in its code */
	struct kernel_types *kernel;
	struct kernel_symbols *kernel_symbols; /* NULL: none was looked for */
	unsigned int next_clause;
	const struct function_table *functions; /* of the language */
};

/* Room of a string in the kernel, see bpf/d.h: one zero at least. */
static inline size_t unit_string_room(const struct unit *unit)
{
	return (unit->options.strsize + 8) & ~(size_t)7;
}

#endif
