// SPDX-License-Identifier: BSD-2-Clause
/* What the checker accepts, what it says is wrong, and the types that it gives. */
#include "d/check/check.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "d/lang/unit.h"
#include "d/compile.h"

static struct unit *compile(const char *text)
{
	struct parse_input input = { .text = text, .size = strlen(text) };
	struct unit *unit = unit_new(NULL);

	cr_assert(ne(ptr, unit, NULL));
	if (unit_add(unit, &input))
		unit_check(unit);
	return unit;
}

static const char *first_tag(const struct unit *unit)
{
	const struct d_message *message = unit->diag.first;

	while (message && message->is_warning)
		message = message->next;
	return message ? message->tag : "";
}

/* In a clause by itself. "" is what a program without errors has. */
static const struct {
	const char *body, *tag;
} bodies[] = {
	/* variables */
	{ "x = 1; trace(x);", "" },
	{ "x = y = 0; trace(x + y);", "" },
	{ "trace(x);", "D_IDENT_UNDEF" },
	{ "trace(self->x);", "D_VAR_UNDEF" },
	{ "trace(this->x);", "D_VAR_UNDEF" },
	{ "x = x;", "D_VAR_UNDEF" },
	{ "x++; trace(x);", "" },
	{ "x += 1;", "D_VAR_UNDEF" },
	{ "self->x = timestamp; trace(timestamp - self->x);", "" },
	{ "x = \"a\"; x = 0; x = NULL;", "" },
	{ "x = \"a\"; x = 5;", "D_OP_INCOMPAT" },
	{ "x = 5; x = \"a\";", "D_OP_INCOMPAT" },
	{ "x = \"a\"; x += \"b\";", "D_OP_INCOMPAT" },
	{ "timestamp = 1;", "D_OP_WRITE" },
	{ "NULL = 1;", "D_OP_LVAL" },
	{ "5 = 1;", "D_OP_LVAL" },
	{ "x = 1; (x + 1) = 2;", "D_OP_LVAL" },
	{ "printf = 1;", "D_IDENT_BADREF" },
	{ "trace(strlen);", "D_IDENT_BADREF" },
	{ "x = trace(1);", "D_OP_INCOMPAT" },
	{ "x = `foo;", "D_IDENT_UNDEF" },
	{ "return(\"x\");", "D_PROTO_ARG" },

	/* associative arrays */
	{ "a[1, \"x\"] = 5; trace(a[1, \"x\"]);", "" },
	{ "a[1] = 5; trace(a[1, 2]);", "D_PROTO_LEN" },
	{ "a[1] = 5; trace(a[\"x\"]);", "D_PROTO_ARG" },
	{ "trace(a[1]);", "D_VAR_UNDEF" },
	{ "a[1]++; trace(a[1]);", "" },
	{ "self->a[1] = 5; trace(self->a[2]);", "" },
	{ "this->a[1] = 5;", "D_ARR_LOCAL" },
	{ "a[1] = 5; trace(a);", "D_IDENT_BADREF" },
	{ "a[1] = 5; a = 6;", "D_IDENT_BADREF" },
	{ "x = 1; x[1] = 5;", "D_DEREF_NONPTR" },
	{ "x = (char *)0; trace(x[1, 2]);", "D_ARR_BADREF" },
	{ "a[printf(\"x\")] = 1;", "D_KEY_TYPE" },
	{ "a[1] = \"x\"; a[1] = 0;", "" },
	{ "a[1] = a[2] = 5; x = x = 1;", "" },
	{ "a[a[1] = 1] = 5;", "" },

	/* operators */
	{ "trace(1 + 2 * 3 - 4 / 2 % 5);", "" },
	{ "trace(1 / 0);", "D_DIV_ZERO" },
	{ "x = 1; trace(x % 0);", "D_DIV_ZERO" },
	{ "x = 1; x /= 0;", "D_DIV_ZERO" },
	{ "trace(execname == \"a\" && execname > \"b\");", "" },
	{ "trace(execname == 0);", "" },
	{ "trace(execname == NULL);", "" },
	{ "trace(execname == 5);", "D_OP_INCOMPAT" },
	{ "trace(arg0 == NULL);", "" },
	{ "trace(!execname);", "D_OP_SCALAR" },
	{ "trace(execname && 1);", "D_OP_SCALAR" },
	{ "trace(~execname);", "D_OP_INT" },
	{ "trace(-execname);", "D_OP_ARITH" },
	{ "trace(execname * 2);", "D_OP_ARITH" },
	{ "trace(execname | 2);", "D_OP_INT" },
	{ "trace(1 ? \"a\" : \"b\");", "" },
	{ "trace(pid ? \"a\" : NULL);", "" },
	{ "trace(pid ? execname : 1);", "D_OP_INCOMPAT" },
	{ "trace(execname ? 1 : 2);", "D_OP_SCALAR" },
	{ "(printf(\"a\"), 1);", "D_OP_ACT" },
	{ "pid ? printf(\"a\") : printf(\"b\");", "D_OP_ACT" },
	{ "trace(*5);", "D_DEREF_NONPTR" },
	{ "trace(*(void *)5);", "D_DEREF_VOID" },
	{ "trace(*(int *)5);", "" },
	{ "x = 1; trace(&x);", "D_ADDROF_VAR" },
	{ "trace(&5);", "D_ADDROF_LVAL" },
	{ "trace((char)execname);", "D_CAST_INVAL" },
	{ "trace((string)arg0);", "" },
	{ "trace(stringof(arg0));", "" },
	{ "trace(sizeof(int) + sizeof(execname));", "" },
	{ "trace(sizeof(void));", "D_SIZEOF_TYPE" },
	{ "trace(arg0->x);", "D_OP_PTR" },
	{ "trace(arg0.x);", "D_OP_SOU" },
	{ "p = (char *)alloca(10); p[0] = 'a'; *p = 'b'; p++;", "" },
	{ "p = alloca(10); p++;", "D_OP_VFPTR" },
	{ "p = alloca(10); trace(p + 1);", "D_OP_INCOMPAT" },
	{ "p = (int *)alloca(10); trace(p - (p + 1)); trace(p < p + 1);", "" },

	/* calls */
	{ "nothing();", "D_FUNC_UNDEF" },
	{ "x = 1; x();", "D_FUNC_IDKIND" },
	{ "trace(strlen());", "D_PROTO_LEN" },
	{ "trace(strlen(1));", "D_PROTO_ARG" },
	{ "trace(strlen(\"a\", \"b\"));", "D_PROTO_LEN" },
	{ "trace(copyinstr(\"a\"));", "D_PROTO_ARG" },
	{ "trace(copyinstr(arg0)); trace(copyinstr(arg0, 5));", "" },
	{ "trace(index(\"a\", \"b\")); trace(index(\"a\", \"b\", 1));", "" },
	{ "trace(strtok(\"a\", \"b\")); trace(strtok(NULL, \"b\"));", "" },
	{ "exit(0);", "" },
	{ "exit();", "D_PROTO_LEN" },
	{ "exit(\"a\");", "D_PROTO_ARG" },
	{ "x = alloca(100000);", "D_ALLOCA_SIZE" },

	/* actions */
	{ "trace(printf(\"a\"));", "D_TRACE_VOID" },
	{ "@ = count(); trace(@);", "D_TRACE_DYN" },
	{ "printf(\"%d %s\", 1, \"a\");", "" },
	{ "printf();", "D_PROTO_LEN" },
	{ "printf(1);", "D_PROTO_ARG" },
	{ "printf(execname);", "D_PRINTF_ARG_FMT" },
	{ "printf(\"\");", "D_PRINTF_FMT_EMPTY" },
	{ "printf(\"%d\");", "D_PRINTF_ARG_PROTO" },
	{ "printf(\"%d\", 1, 2);", "D_PRINTF_ARG_EXTRA" },
	{ "printf(\"%d\", \"a\");", "D_PRINTF_ARG_TYPE" },
	{ "printf(\"%s\", 1);", "D_PRINTF_ARG_TYPE" },
	{ "printf(\"%*d\", 5, 1);", "" },
	{ "printf(\"%*d\", \"a\", 1);", "D_PRINTF_DYN_TYPE" },
	{ "printf(\"%*d\");", "D_PRINTF_DYN_PROTO" },
	{ "printf(\"%@d\", 1);", "D_PRINTF_AGG_CONV" },
	{ "printf(\"%q\", 1);", "D_SYNTAX" },
	{ "printf(\"%Y %p %x %c\", walltimestamp, arg0, pid, 'a');", "" },
	{ "stack(); ustack(); ustack(5); ustack(5, 100);", "" },
	{ "stack(0);", "D_STACK_SIZE" },
	{ "ustack(pid);", "D_USTACK_FRAMES" },
	{ "ustack(5, pid);", "D_USTACK_STRSIZE" },
	{ "ustack(5, 5, 5);", "D_PROTO_LEN" },
	{ "tracemem(arg0, 16); tracemem(arg0, 16, 5);", "" },
	{ "tracemem(execname, 16);", "D_TRACEMEM_ADDR" },
	{ "tracemem(arg0, pid);", "D_TRACEMEM_SIZE" },
	{ "print(alloca(4));", "D_PRINT_SIZE" },
	{ "usym(arg0); uaddr(arg0); sym(arg0);", "" },

	/* aggregations */
	{ "@ = count(); @a[1, \"b\"] = sum(pid); @s[ustack()] = quantize(pid);", "" },
	{ "@a = 1;", "D_AGG_FUNC" },
	{ "@a = count(); @a = sum(1);", "D_AGG_REDEF" },
	{ "@a[1] = count(); @a[1, 2] = count();", "D_PROTO_LEN" },
	{ "@a[1] = count(); @a[\"a\"] = count();", "D_PROTO_ARG" },
	{ "@a[1];", "D_AGG_NULL" },
	{ "@a;", "D_IDENT_UNDEF" },
	{ "@a = count(); @a;", "D_AGG_NULL" },
	{ "@a = sum(\"a\");", "D_AGG_SCALAR" },
	{ "@a = sum();", "D_PROTO_LEN" },
	{ "@a[printf(\"x\")] = count();", "D_KEY_TYPE" },
	{ "@a = lquantize(pid, 0, 100); @b = lquantize(pid, 0, 100, 10); @c = lquantize(pid, 0, 100, 10, 2);", "" },
	{ "@a = lquantize(pid, 0);", "D_PROTO_LEN" },
	{ "@a = lquantize(pid, pid, 100);", "D_LQUANT_BASETYPE" },
	{ "@a = lquantize(pid, 0, pid);", "D_LQUANT_LIMTYPE" },
	{ "@a = lquantize(pid, 10, 0);", "D_LQUANT_MISMATCH" },
	{ "@a = lquantize(pid, 0, 100, 0);", "D_LQUANT_STEPTYPE" },
	{ "@a = lquantize(pid, 0, 100, 100000);", "D_LQUANT_STEPVAL" },
	{ "@a = lquantize(pid, 0, 100, 101);", "D_LQUANT_STEPLARGE" },
	{ "@a = lquantize(pid, 0, 1000000);", "D_LQUANT_STEPSMALL" },
	{ "@a = lquantize(pid, 0x100000000, 1);", "D_LQUANT_BASEVAL" },
	{ "@a = lquantize(pid, 0, 100); @a = lquantize(pid, 1, 100);", "D_LQUANT_MATCHBASE" },
	{ "@a = lquantize(pid, 0, 100); @a = lquantize(pid, 0, 101);", "D_LQUANT_MATCHLIM" },
	{ "@a = lquantize(pid, 0, 100); @a = lquantize(pid, 0, 100, 2);", "D_LQUANT_MATCHSTEP" },
	{ "@a = llquantize(pid, 10, 0, 6, 20);", "" },
	{ "@a = llquantize(pid, pid, 0, 6, 20);", "D_LLQUANT_FACTORTYPE" },
	{ "@a = llquantize(pid, 1, 0, 6, 20);", "D_LLQUANT_FACTORVAL" },
	{ "@a = llquantize(pid, 10, 5, 3, 20);", "D_LLQUANT_HMAGVAL" },
	{ "@a = llquantize(pid, 10, 0, 30, 20);", "D_LLQUANT_HMAGVAL" },
	{ "@a = llquantize(pid, 10, 0, 6, 3);", "D_LLQUANT_STEPVAL" },
	{ "@a = llquantize(pid, 10, 0, 6, 0);", "D_LLQUANT_STEPTYPE" },
	{ "@a = llquantize(pid, 10, 0, 6, 10); @a = llquantize(pid, 10, 0, 5, 10);", "D_LLQUANT_MATCHHMAG" },
	{ "@a = quantize(pid, 2, 3);", "D_PROTO_LEN" },
	{ "@a = quantize(pid, \"a\");", "D_PROTO_ARG" },
	{ "@a[1] = count(); printa(@a); printa(\"%d %@d\", @a); clear(@a); trunc(@a, 5); normalize(@a, 10); "
	  "denormalize(@a);",
	  "" },
	{ "@a[1] = count(); @b[1] = sum(1); printa(\"%d %@d %@d\", @a, @b);", "" },
	{ "@a[1] = count(); @b[\"a\"] = sum(1); printa(@a, @b);", "D_PRINTA_AGGPROTO" },
	{ "@a[1] = count(); @b[1, 2] = sum(1); printa(@a, @b);", "D_PRINTA_AGGKEY" },
	{ "printa(1);", "D_PRINTA_AGGARG" },
	{ "printa(\"%@d\");", "D_PRINTA_PROTO" },
	{ "@a[1] = count(); printa(\"%s %@d\", @a);", "D_PRINTF_ARG_TYPE" },
	{ "@a[1] = count(); printa(\"%d %d %@d\", @a);", "D_PRINTF_ARG_PROTO" },
	{ "clear(1);", "D_CLEAR_AGGARG" },
	{ "trunc(1);", "D_TRUNC_AGGARG" },
	{ "normalize(1, 1);", "D_NORMALIZE_AGGARG" },

	/* what may not follow what */
	{ "i = speculation(); speculate(i); printf(\"a\");", "" },
	{ "speculate(1); speculate(1);", "D_SPEC_SPEC" },
	{ "printf(\"a\"); speculate(1);", "D_SPEC_DREC" },
	{ "commit(1); speculate(1);", "D_SPEC_COMM" },
	{ "printf(\"a\"); commit(1);", "D_COMM_DREC" },
	{ "commit(1); printf(\"a\");", "D_DREC_COMM" },
	{ "commit(1); @ = count();", "D_AGG_COMM" },
	{ "speculate(1); @ = count();", "D_AGG_SPEC" },
	{ "speculate(1); exit(0);", "D_EXIT_SPEC" },
	{ "trace(args[0]);", "D_ARGS_IDX" },
	{ "trace(args[pid]);", "D_PROTO_ARG" },
	{ "trace(args);", "D_IDENT_BADREF" },
	{ "trace(uregs[R_PC]);", "" },
};

Test(d_check, bodies_of_clauses)
{
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		char text[512];
		struct unit *unit;

		snprintf(text, sizeof(text), "BEGIN { %s }", bodies[i].body);
		unit = compile(text);
		expect_text(first_tag(unit), bodies[i].tag, "%s: %s", bodies[i].body,
			    unit->diag.first ? unit->diag.first->text : "");
		unit_free(unit);
	}
}

/* Whole programs. */
static const struct {
	const char *text, *tag;
} programs[] = {
	{ "BEGIN", "" },
	{ "BEGIN {}", "" },
	{ "BEGIN /x == 0/ { x = 5; }", "" },
	{ "BEGIN /x++/ { trace(x); }", "" },
	{ "BEGIN /execname/ {}", "D_PRED_SCALAR" },
	{ "BEGIN /printf(\"a\")/ {}", "D_PRED_SCALAR" },
	{ "BEGIN { trace(x); } END { x = 1; }", "D_IDENT_UNDEF" },
	{ "int x; BEGIN { trace(x); }", "" },
	{ "BEGIN { trace(x); } int x;", "D_IDENT_UNDEF" },
	{ "int x; int x; BEGIN {}", "" },
	{ "int x; char x; BEGIN {}", "D_DECL_IDRED" },
	{ "self int x; this string y; BEGIN { self->x = 1; this->y = \"a\"; }", "" },
	{ "string a[int, string]; BEGIN { a[1, \"a\"] = \"b\"; }", "" },
	{ "string a[int]; BEGIN { a[\"a\"] = \"b\"; }", "D_PROTO_ARG" },
	{ "int a[10]; BEGIN { a[3] = 1; trace(a[9]); }", "" },
	{ "int a[10]; BEGIN { trace(a[10]); }", "D_ARR_BOUNDS" },
	{ "int a[10]; int b[10]; BEGIN { a = b; }", "D_OP_ARRFUN" },
	{ "inline int two = 2; BEGIN { trace(two * 2); }", "" },
	{ "inline int two = 2; BEGIN { two = 3; }", "D_OP_LVAL" },
	{ "inline string s = execname; BEGIN { printf(\"%s\", s); }", "" },
	{ "inline int add[int a, int b] = a + b; BEGIN { trace(add[1, pid]); }", "" },
	{ "inline int add[int a, int b] = a + b; BEGIN { trace(add[1]); }", "D_PROTO_LEN" },
	{ "inline int x = \"a\"; BEGIN {}", "D_OP_INCOMPAT" },
	{ "enum e { A, B = 5 }; BEGIN { trace(B); }", "" },
	{ "struct s { int a; char b[4]; int c:3; }; struct s v; BEGIN { v.a = 1; trace(v.a); v.c = 2; v.b[1] = 'x'; }",
	  "" },
	{ "struct s { int a; }; struct s v; BEGIN { trace(v.b); }", "D_TYPE_MEMBER" },
	{ "struct s { int a; }; struct s *v; BEGIN { trace(v->a); v->a = 1; }", "" },
	{ "struct s { int a:3; }; struct s v; BEGIN { trace(&v.a); }", "D_ADDROF_BITFIELD" },
	{ "struct s { int a:3; }; struct s v; BEGIN { trace(sizeof(v.a)); }", "D_SIZEOF_BITFIELD" },
	{ "struct s { int a; int b; }; BEGIN { trace(offsetof(struct s, b)); }", "" },
	{ "struct s { int a; }; struct t { int b; }; struct s v; struct t w; BEGIN { v = w; }", "D_OP_INCOMPAT" },
	{ "struct s { int a; }; struct s v; struct s w; BEGIN { v = w; }", "" },
	{ "struct in { int a; }; struct out { int b; }; translator struct out < struct in *i > { b = i->a + 1; }; "
	  "BEGIN { trace(xlate <struct out> ((struct in *)alloca(4)).b); }",
	  "" },
	{ "struct out { int b; }; translator struct out < int i > { b = i; }; "
	  "BEGIN { trace(xlate <struct out> (\"a\").b); }",
	  "D_XLATE_NONE" },
	{ "struct out { int b; int c; }; translator struct out < int i > { b = i; }; "
	  "BEGIN { trace(xlate <struct out> (1).c); }",
	  "D_XLATE_NOCONV" },
	{ "struct out { int b; }; translator struct out < int i > { x = i; }; BEGIN {}", "D_XLATE_MEMB" },
	{ "BEGIN { if (pid > 1) { trace(1); } else { trace(2); } }", "" },
	{ "BEGIN { if (execname) trace(1); }", "D_OP_SCALAR" },
	{ "erlang*:::process-spawn { printf(\"%s %d\", copyinstr(arg0), args[0]); }", "" },
	{ "erlang*:::process-spawn { @[copyinstr(arg0)] = count(); @t[term(arg1)] = count(); }", "" },
};

Test(d_check, programs)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct unit *unit = compile(programs[i].text);

		expect_text(first_tag(unit), programs[i].tag, "%s: %s", programs[i].text,
			    unit->diag.first ? unit->diag.first->text : "");
		unit_free(unit);
	}
}

/* "trace(X)": type of X, and its value if it is constant. */
static const struct {
	const char *expression, *type;
	bool is_constant;
	int64_t value;
} types[] = {
	{ "1", "int", true, 1 },
	{ "1 + 2L", "long", true, 3 },
	{ "0x7fffffff + 1", "int", true, 2147483648 },
	{ "-1 > 0U", "int", true, 1 },
	{ "(uint8_t)300", "uint8_t", true, 44 },
	{ "1 << 3 | 1", "int", true, 9 },
	{ "-7 / 2", "int", true, -3 },
	{ "-7 % 2", "int", true, -1 },
	{ "-8 >> 1", "int", true, -4 },
	{ "0x100000000 && 1", "int", true, 1 },
	{ "1 ^^ 1", "int", true, 0 },
	{ "sizeof(int)", "size_t", true, 4 },
	{ "sizeof(\"abc\")", "size_t", true, 4 },
	{ "1 ? 2 : 3L", "long", true, 2 },
	{ "pid ? 2 : 3L", "long", false, 0 },
	{ "AF_INET", "int", true, 2 },
	{ "timestamp", "uint64_t", false, 0 },
	{ "arg0 + 1", "int64_t", false, 0 },
	{ "execname", "string", false, 0 },
	{ "pid ? execname : NULL", "string", false, 0 },
	{ "strlen(execname)", "size_t", false, 0 },
	{ "copyinstr(arg0) == \"a\"", "int", false, 0 },
	{ "(char)1 + (char)1", "int", true, 2 },
	{ "(int *)arg0 + 1", "int *", false, 0 },
	{ "*((char **)arg0)", "char *", false, 0 },
};

Test(d_check, types_of_expressions)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		char text[512];
		struct unit *unit;
		struct node *node;
		int64_t value = 0;

		snprintf(text, sizeof(text), "BEGIN { trace(%s); }", types[i].expression);
		unit = compile(text);
		expect_text(first_tag(unit), "", "%s", types[i].expression);
		node = unit->clauses->actions->fields->node;
		expect_text(type_text(unit->types, node->type), types[i].type, "%s", types[i].expression);
		cr_expect(eq(int, check_constant(node, &value), types[i].is_constant), "%s", types[i].expression);
		cr_expect(eq(i64, value, types[i].value), "%s", types[i].expression);
		unit_free(unit);
	}
}

Test(d_check, a_variable_has_the_type_of_what_is_first_assigned)
{
	struct unit *unit = compile("BEGIN { a = 1; b = timestamp; c = \"x\"; d++; e[1, \"k\"] = execname; }");
	const struct symbol *symbol = unit->variables;

	expect_text(first_tag(unit), "");
	expect_text(type_text(unit->types, symbol->type), "int");
	symbol = symbol->next;
	expect_text(type_text(unit->types, symbol->type), "uint64_t");
	symbol = symbol->next;
	expect_text(type_text(unit->types, symbol->type), "string");
	symbol = symbol->next;
	expect_text(type_text(unit->types, symbol->type), "int64_t");
	cr_expect(eq(u32, symbol->id, 3));
	expect_text(type_text(unit->types, unit->arrays->type->base), "string");
	expect_text(type_text(unit->types, unit->arrays->keys->next->type), "string");
	unit_free(unit);
}

Test(d_check, a_clause_records_what_its_actions_say)
{
	struct unit *unit = compile("BEGIN { printf(\"%s %d\\n\", execname, pid); x = 1; ustack(5); exit(x); }");
	const struct action *action = unit->clauses->actions;

	expect_text(first_tag(unit), "");
	cr_expect(eq(int, action->kind, ACTION_PRINTF));
	cr_expect(eq(int, action->fields->kind, FIELD_STRING));
	cr_expect(eq(int, action->fields->next->kind, FIELD_INT));
	action = action->next;
	cr_expect(eq(int, action->kind, ACTION_STACK));
	cr_expect(eq(u32, action->fields->frames, 5));
	action = action->next;
	cr_expect(eq(int, action->kind, ACTION_EXIT));
	cr_expect(eq(ptr, action->next, NULL));
	unit_free(unit);
}

Test(d_check, a_clause_without_statements_prints_its_probe)
{
	struct unit *unit = compile("BEGIN END { x = 1; } ERROR");

	expect_text(first_tag(unit), "");
	cr_expect(eq(int, unit->clauses->actions->kind, ACTION_DEFAULT));
	cr_expect(eq(ptr, unit->clauses->next->actions, NULL));
	cr_expect(unit->has_errors_clause);
	unit_free(unit);
}

Test(d_check, aggregations_know_their_keys_and_words)
{
	struct unit *unit = compile("BEGIN { @a[execname, pid] = lquantize(pid, 0, 100, 10); @b = stddev(1); }");
	const struct unit_agg *agg = unit->aggs;

	expect_text(first_tag(unit), "");
	cr_expect(eq(sz, agg->words, 13));
	cr_expect(eq(sz, agg->key_size, 264 + 8));
	cr_expect(eq(sz, agg->keys->next->offset, 264));
	cr_expect(eq(u64, agg->params[2], 10));
	cr_expect(eq(sz, agg->next->words, 4));
	cr_expect(eq(sz, agg->next->key_size, 8));
	unit_free(unit);
}

Test(d_check, names_go_on_in_the_next_program)
{
	const char *first = "int x;", *second = "BEGIN { trace(x); } int y;", *third = "END { trace(y); }";
	struct unit *unit = unit_new(NULL);
	const char *texts[] = { first, second, third };

	for (size_t i = 0; i < 3; i++) {
		struct parse_input input = {
			.text = texts[i],
			.size = strlen(texts[i]),
			.empty_ok = true,
		};

		cr_assert(unit_add(unit, &input));
	}
	cr_expect(unit_check(unit), "%s", unit->diag.first ? unit->diag.first->text : "");
	cr_expect(eq(u32, unit->program.clauses->next->id, 2));
	unit_free(unit);
}

Test(d_check, inlines_that_double_at_each_level_end)
{
	char text[8192] = "inline int a0 = pid + pid;\n";
	size_t used = strlen(text);
	struct unit *unit;

	for (int i = 1; i < 60; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "inline int a%d = a%d + a%d;\n", i, i - 1,
					 i - 1);
	snprintf(text + used, sizeof(text) - used, "BEGIN { trace(a59); }");
	unit = compile(text);
	expect_text(first_tag(unit), "D_UNKNOWN");
	unit_free(unit);
}
