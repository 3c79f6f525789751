// SPDX-License-Identifier: BSD-2-Clause
/* Programs are compared by their trees in prefix form; see d_tree.h. */
#include "d/syntax/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "d_tree.h"

struct row {
	const char *text, *tree;
};

static void check_rows(const struct row *rows, size_t count, const char *(*of)(struct tree *))
{
	for (size_t i = 0; i < count; i++) {
		struct tree *tree = tree_new(rows[i].text);
		const char *got = tree->is_ok ? of(tree) : tree_errors(tree);

		expect_text(got, rows[i].tree, "%s\n     gives %s\n  expected %s %s", rows[i].text, got, rows[i].tree,
			    tree->diag.first ? tree->diag.first->text : "");
		tree_free(tree);
	}
}

#define CHECK_ROWS(rows, of) check_rows(rows, sizeof(rows) / sizeof(*(rows)), of)

/* --- Clauses --- */

Test(d_parse, clauses)
{
	static const struct row rows[] = {
		{ "BEGIN", ":::BEGIN" },
		{ "BEGIN {}", ":::BEGIN {}" },
		{ "BEGIN { ; ; }", ":::BEGIN {}" },
		{ "BEGIN { x = 1 }", ":::BEGIN {(= x 1)}" },
		{ "BEGIN, END { exit(0); }", ":::BEGIN :::END {(call exit 0)}" },
		{ "BEGIN END {}", ":::BEGIN :::END {}" },
		{ "/* c */ BEGIN /* d */ /x/ /* e */ {}", ":::BEGIN /x/ {}" },
		{ "BEGIN\n/ a / 2 == b / c /\n{ d = e / f; }", ":::BEGIN /(== (/ a 2) (/ b c))/ {(= d (/ e f))}" },
		{ "BEGIN /a//* c */{}", ":::BEGIN /a/ {}" },
		{ "BEGIN /a/ //* c\n{ x = 1; // yes\n}", ":::BEGIN /a/ {(= x 1)}" },
		{ "tick-10sec {}", ":::tick-10sec {}" },
		{ "erlang*:::process-exit_signal {}", "erlang*:::process-exit_signal {}" },
		{ "pid$target:libc.so.6:mal*[oc]?:entry {}", "pid42:libc.so.6:mal*[oc]?:entry {}" },
		{ "erlang$1:::x$1y {}", "erlang17:::x17y {}" },
		{ "$3 {}", ":::name {}" },
		{ ":::", ":::" },
		{ "fn:entry{}mod:fn:entry{}", "::fn:entry {} :mod:fn:entry {}" },
		{ "pid1:a.out:f@@V_1.0~+:1c {}", "pid1:a.out:f@@V_1.0~+:1c {}" },
		{ "17,18 { trace(1); }", "#17 #18 {(call trace 1)}" },
		{ "beam*:shop:order/2:entry {}", "beam*:shop:order/2:entry /(& beam* 1)/ {}" },
		{ "beam:m:f/0:entry /1/ {} BEGIN, beam7:m:f:entry, beam$target:::/x/ {}",
		  "beam:m:f/0:entry /(&& (& beam* 1) 1)/ {} :::BEGIN beam7:m:f:entry beam42::: /(&& (& beam* 6) x)/ "
		  "{}" },
		{ "beam*:m:f/2:return {} beam:::e* {} beam7:::leave {} beamer:m:f/2:entry {}",
		  "beam*:m:f/2:return /(& beam* 1)/ {} beam:::e* /(& beam* 2)/ {} beam7:::leave {} beamer:m:f/2:entry "
		  "{}" },
		/* The process, the function, the depth; nothing else is an argument of old names. */
		{ "erlang*:m:f/2:function-entry /arg2 > arg3/ { x[arg0, copyinstr(arg1)] = arg2; }",
		  "erlang*:m:f/2:function-entry /(&& (& beam* 1) (> arg3 0))/ {(= ([] x arg8 (call copyinstr arg9)) "
		  "arg3)}" },
		{ "erlang7:m:f:function-return {} erlang*:m::function-return {} erlang*:::function-entry {}",
		  "erlang7:m:f:function-return /(& beam* 1)/ {} erlang*:m::function-return {} erlang*:::function-entry "
		  "{}" },
		{ "int-x:::y {} self:::z {}", "int-x:::y {} self:::z {}" },
		{ "#!/usr/sbin/dtrace -qs\n#pragma D option quiet\nBEGIN {}", ":::BEGIN {}" },
		{ "BEGIN { if (a) b = 1; else if (c) { d = 2; e } else ; f }",
		  ":::BEGIN {(if a {(= b 1)} {(if c {{(= d 2) e}} {})}) f}" },
		{ "BEGIN { if (a) b }", ":::BEGIN {(if a {b} {})}" },
	};

	CHECK_ROWS(rows, tree_clauses);
}

/* --- Expressions --- */

static const char *of_body(struct tree *tree)
{
	return tree_node(tree, tree->program.clauses->body->expression);
}

Test(d_parse, expressions)
{
	static const struct row rows[] = {
		{ "a + b * c - d", "(- (+ a (* b c)) d)" },
		{ "a || b ^^ c && d | e ^ f & g == h < i << j",
		  "(|| a (^^ b (&& c (| d (^ e (& f (== g (< h (<< i j)))))))))" },
		{ "a ? b : c ? d : e", "(? a b (? c d e))" },
		{ "a = b += c", "(= a (+= b c))" },
		{ "a, b, c", "(, (, a b) c)" },
		{ "-a++ + ++b - --*c", "(- (+ (neg (_++ a)) (++_ b)) (--_ (deref c)))" },
		{ "!a && ~b", "(&& (! a) (~ b))" },
		{ "&a->b.c[1]", "(addr ([] (. (-> a b) c) 1))" },
		{ "self->a[1, \"x\"] = this->b", "(= ([] self.a 1 \"x\") this.b)" },
		{ "self->string", "self.string" },
		{ "@ = count()", "(= (@_) (call count))" },
		{ "@a[x, ustack(3)] = quantize(y, 2)", "(= (@a x (call ustack 3)) (call quantize y 2))" },
		{ "(int)a + (char *)b", "(+ (cast <int> a) (cast <char *> b))" },
		{ "(uint64_t)-1", "(cast <uint64_t> (neg 1))" },
		{ "(a) + b", "(+ a b)" },
		{ "sizeof (int) + sizeof a + sizeof (a).b", "(+ (+ (sizeof <int>) (sizeof a)) (sizeof (. a b)))" },
		{ "stringof a == stringof(b)", "(== (stringof a) (stringof b))" },
		{ "offsetof(struct in6_addr, s6_addr)", "(offsetof <struct in6_addr> s6_addr)" },
		{ "xlate <int *>(a)->b", "(-> (xlate <int *> a) b)" },
		{ "`jiffies + vmlinux`jiffies", "(+ kernel:`jiffies kernel:vmlinux`jiffies)" },
		{ "args[0] + arg1", "(+ ([] args 0) arg1)" },
		{ "printf(\"%d\\n\", a)", "(call printf \"%d\n\" a)" },
		{ "x ? \"\" : copyinstr(arg0)", "(? x \"\" (call copyinstr arg0))" },
		{ "$1 + $target", "(+ 17 42)" },
		{ "$$1", "\"17\"" },
		{ "$2", "\"a b\"" },
		{ "$3 = $4", "(= name -5)" },
		{ "$$target", "\"42\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[256];
		struct row row = { text, rows[i].tree };

		snprintf(text, sizeof(text), "BEGIN { %s }", rows[i].text);
		check_rows(&row, 1, of_body);
	}
}

Test(d_parse, constants_have_the_first_type_that_holds_them)
{
	static const struct row rows[] = {
		{ "0", "int" },
		{ "2147483647", "int" },
		{ "2147483648", "long" },
		{ "0x80000000", "unsigned int" },
		{ "0xffffffffffffffff", "unsigned long" },
		{ "1u", "unsigned int" },
		{ "1L", "long" },
		{ "1ull", "unsigned long long" },
		{ "1ll", "long long" },
		{ "4294967296u", "unsigned long" },
		{ "'a'", "int" },
		{ "017", "int" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[64];
		struct tree *tree;

		snprintf(text, sizeof(text), "BEGIN { %s }", rows[i].text);
		tree = tree_new(text);
		cr_assert(tree->is_ok, "%s", text);
		expect_text(type_text(tree->types, tree->program.clauses->body->expression->type), rows[i].tree, "%s",
			    text);
		tree_free(tree);
	}
}

/* --- Declarations --- */

Test(d_parse, declarations)
{
	static const struct row rows[] = {
		{ "int x;", "x:int;" },
		{ "self int y; this string s;", "self y:int; this s:string;" },
		{ "string a[int, string];", "a:string [int, string];" },
		{ "self uint64_t t[string];", "self t:uint64_t [string];" },
		{ "int a[10], *b, **c[2];", "a:int [10]; b:int *; c:int **[2];" },
		{ "int m[2][3];", "m:int [2][3];" },
		{ "unsigned long long int x; long unsigned y; short z; signed char c;",
		  "x:unsigned long long; y:unsigned long; z:short; c:signed char;" },
		{ "typedef struct foo { int a; } foo_t; foo_t *f;", "f:foo_t *;" },
		{ "struct s { int a; } v;", "v:struct s;" },
		{ "int (*f)(int, char *); int (*t[3])(void);", "f:int (*)(int, char *); t:int (*[3])();" },
		{ "extern int e;", "extern e:int;" },
		{ "inline int k = 1 + 2;", "inline k:int=(+ 1 2);" },
		{ "inline int f[int a, string b] = a;", "inline f:int a:int b:string=a;" },
		{ "inline string n = x ? \"a\" : \"b\";", "inline n:string=(? x \"a\" \"b\");" },
		{ "enum e { A, B = 5, C } x; int y[C];", "x:enum e; y:int [6];" },
		{ "int a[sizeof (long) * 2];", "a:int [16];" },
		{ "inline int N = 3; int a[N];", "inline N:int=3; a:int [3];" },
		{ "typedef unsigned long size_t; typedef int pid_t; pid_t p;", "p:pid_t;" },
		{ "userland char *u;", "u:char *;" },
		{ "int*p;", "p:int *;" },
		{ "self x;", "self x:int;" },
	};

	CHECK_ROWS(rows, tree_declarations);
}

Test(d_parse, declarations_know_the_clause_that_follows_them)
{
	struct tree *tree = tree_new("int a; BEGIN {} int b; END {} int c;");
	struct declaration *a = tree->program.declarations;

	cr_assert(tree->is_ok);
	expect_text(a->before->specs->name, "BEGIN");
	expect_text(a->next->before->specs->name, "END");
	cr_expect(eq(ptr, a->next->next->before, NULL));
	cr_expect(eq(int, (int)a->next->before->id, 2));
	tree_free(tree);
}

Test(d_parse, translators)
{
	struct tree *tree = tree_new("struct in { int x; }; typedef struct out { int y; } out_t;\n"
				     "translator out_t < struct in *p > { y = p->x + 1; };");
	struct d_translator *translator = tree->program.translators;

	cr_assert(tree->is_ok);
	expect_text(type_text(tree->types, translator->to), "out_t");
	expect_text(type_text(tree->types, translator->from), "struct in *");
	expect_text(translator->input, "p");
	expect_text(tree_node(tree, translator->members->value), "(+ (-> p x) 1)");
	tree_free(tree);
}

Test(d_parse, pragmas)
{
	struct tree *tree = tree_new(
		"#pragma D option quiet\n#pragma D option strsize=1k\n#pragma D attributes "
		"Stable/Stable/Common provider foo provider\n#pragma ident \"x\"\n#ident \"y\"\n#pragma weak x\n");
	struct pragma *pragma = tree->program.pragmas;

	cr_assert(tree->is_ok, "%s", tree->diag.first->text);
	expect_text(pragma->key, "quiet");
	cr_expect(eq(ptr, check_pointer(pragma->value), NULL));
	expect_text(pragma->next->key, "strsize");
	expect_text(pragma->next->value, "1k");
	expect_text(pragma->next->next->name, "attributes");
	tree_free(tree);
}

/* --- Errors --- */

Test(d_parse, errors_have_tags_and_lines)
{
	static const struct row rows[] = {
		{ "BEGIN { x = }", "D_SYNTAX:1" },
		{ "BEGIN { a b }", "D_SYNTAX:1" },
		{ "BEGIN {\n x = 1;\n", "D_SYNTAX:3" },
		{ "BEGIN { /* no end", "D_SYNTAX:1" },
		{ "BEGIN { \"a\nb\" }", "D_STR_NL:1" },
		{ "BEGIN { x = 'a\n; }", "D_CHR_NL:1" },
		{ "BEGIN { x = ''; }", "D_CHR_NULL:1" },
		{ "BEGIN { x = '123456789'; }", "D_CHR_OFLOW:1" },
		{ "BEGIN { x = 089; }", "D_INT_DIGIT:1" },
		{ "BEGIN { x = 0x1ffffffffffffffff; }", "D_INT_OFLOW:1" },
		{ "BEGIN { x = 18446744073709551615; }", "D_INT_OFLOW:1" },
		{ "BEGIN { x = 1.5; }", "D_SYNTAX:1" },
		{ "BEGIN { x = 12ab; }", "D_SYNTAX:1" },
		{ "BEGIN { trace($9); }", "D_MACRO_UNDEF:1" },
		{ "BEGIN { trace($nope); }", "D_MACRO_UNDEF:1" },
		{ "BEGIN { trace($5); }", "D_MACRO_OFLOW:1" },
		{ "a:b:c:d:e {}", "D_PDESC_INVAL:1" },
		{ "pid$9:::x {}", "D_PDESC_INVAL:1" },
		{ "BEGIN /1/", "D_SYNTAX:1" },
		{ "BEGIN /1/ ;", "D_SYNTAX:1" },
		{ "BEGIN { while (1) x; }", "D_SYNTAX:1" },
		{ "BEGIN { return 0; }", "D_SYNTAX:1" },
		{ "BEGIN { int x; }", "D_SYNTAX:1" },
		{ "BEGIN { a + b = c; }", "D_SYNTAX:1" },
		{ "BEGIN { @a[1][2] = count(); }", "D_AGG_MDIM:1" },
		{ "BEGIN { (a + b)(c); }", "D_FUNC_IDENT:1" },
		{ "BEGIN { x = $; }", "D_SYNTAX:1" },
		{ "BEGIN {} };", "D_SYNTAX:1" },
		{ "#include <x.h>\nBEGIN {}", "D_PRAGCTL_INVAL:1" },
		{ "#pragma D bogus x\nBEGIN {}", "D_PRAGMA_INVAL:1" },
		{ "#pragma D option\nBEGIN {}", "D_PRAGMA_MALFORM:1" },
		{ "#error no\nBEGIN {}", "D_PRAGERR:1" },
		{ "# 12 \"f.h\"\nBEGIN { x = }\n# 40\nEND { y = }", "D_SYNTAX:12 D_SYNTAX:40" },
		{ "BEGIN { x = }\nEND { y = 1; }\ntick-1s { z ) }", "D_SYNTAX:1 D_SYNTAX:3" },
		{ "int x = 3; BEGIN { } int y = 4;", "D_SYNTAX:1 D_SYNTAX:1" },
		{ "provider x { probe p(int) };", "D_SYNTAX:1" },
	};

	CHECK_ROWS(rows, tree_clauses);
}

Test(d_parse, each_description_of_erlang_functions_has_a_bit)
{
	char text[70 * 16] = "";
	struct tree *tree;

	for (int i = 0; i < 64; i++)
		strcat(text, "beam*:m::entry,");
	text[strlen(text) - 1] = '\0';
	tree = tree_new(text);
	cr_expect(tree->is_ok);
	cr_expect(eq(u64, tree->program.clauses->predicate->b->value, UINT64_MAX));
	tree_free(tree);
	strcat(text, ",beam*:m::entry");
	tree = tree_new(text);
	expect_text(tree_errors(tree), "D_PDESC_INVAL:1");
	tree_free(tree);
}

Test(d_parse, errors_of_declarations)
{
	static const struct row rows[] = {
		{ "int char x;", "D_DECL_COMBO:1" },
		{ "signed unsigned x;", "D_DECL_COMBO:1" },
		{ "long char x;", "D_DECL_CHARATTR:1" },
		{ "unsigned void x;", "D_DECL_VOIDATTR:1" },
		{ "unsigned float x;", "D_DECL_SIGNINT:1" },
		{ "unsigned string x;", "D_DECL_SIGNINT:1" },
		{ "long string x;", "D_DECL_LONGINT:1" },
		{ "self this int x;", "D_DECL_CLASS:1" },
		{ "static int x;", "D_DECL_BADCLASS:1" },
		{ "int;", "D_DECL_USELESS:1" },
		{ "void x;", "D_DECL_VOIDOBJ:1" },
		{ "struct nope x;", "D_DECL_INCOMPLETE:1" },
		{ "int a[];", "D_DECL_ARRNULL:1" },
		{ "int a[-1];", "D_DECL_ARRSUB:1" },
		{ "int a[0];", "D_DECL_ARRSUB:1" },
		{ "int a[4294967296];", "D_DECL_ARRBIG:1" },
		{ "int a[x];", "D_DECL_ARRSUB:1" },
		{ "this int a[int];", "D_DECL_LOCASSC:1" },
		{ "int size_t;", "D_DECL_IDRED:1" },
		{ "typedef int a; typedef long a;", "D_DECL_IDRED:1" },
		{ "struct s { int x; }; struct s { int y; };", "D_DECL_TYPERED:1" },
		{ "struct s { int x; int x; };", "D_UNKNOWN:1" },
		{ "struct s { void x; };", "D_DECL_VOIDOBJ:1" },
		{ "struct s { struct s x; };", "D_DECL_INCOMPLETE:1" },
		{ "struct s { int x : 33; };", "D_DECL_BFSIZE:1" },
		{ "struct s { int x : y; };", "D_DECL_BFCONST:1" },
		{ "struct s { int *x : 3; };", "D_DECL_BFTYPE:1" },
		{ "struct s { int x : 0; };", "D_DECL_BFCONST:1" },
		{ "enum e { A = x };", "D_DECL_ENCONST:1" },
		{ "enum e { A = 0x1ffffffff };", "D_DECL_ENOFLOW:1" },
		{ "enum e { A, A };", "D_UNKNOWN:1" },
		{ "int a[int, ...];", "D_DECL_PROTO_VARARGS:1" },
		{ "int a[void];", "D_DECL_PROTO_TYPE:1" },
		{ "int a[self int];", "D_DECL_PARMCLASS:1" },
		{ "int a[struct in6_addr];", "D_DECL_PROTO_TYPE:1" },
		{ "inline int f[5] = 1;", "D_DECL_ARRNULL:1" },
		{ "BEGIN { (int x)y }", "D_DECL_IDENT:1" },
	};

	CHECK_ROWS(rows, tree_declarations);
}

Test(d_parse, descriptions_may_end_with_the_provider)
{
	struct parse_input input = { .text = "syscall {}", .size = 10, .fields = 1 };
	struct tree *tree = tree_new_input(input);

	expect_text(tree_clauses(tree), "syscall::: {}");
	tree_free(tree);
}

Test(d_parse, old_descriptions_without_functions_mean_those_that_are_given)
{
	const char *text = "erlang*:::function-return {} erlang1::f/1:function-entry {} erlang*:::gc_major-end {}";
	struct parse_input input = { .text = text, .size = strlen(text), .called = "shop:order/2" };
	struct tree *tree = tree_new_input(input);

	expect_text(tree_clauses(tree), "erlang*:shop:order/2:function-return /(& beam* 1)/ {} "
					"erlang1::f/1:function-entry {} erlang*:::gc_major-end {}");
	tree_free(tree);
	input.called = "shop";
	tree = tree_new_input(input);
	expect_text(tree_clauses(tree), "erlang*:shop:*:function-return /(& beam* 1)/ {} "
					"erlang1::f/1:function-entry {} erlang*:::gc_major-end {}");
	tree_free(tree);
}

Test(d_parse, old_names_of_functions_have_a_clause_of_their_own)
{
	const char *text = "erlang*:m:f/1:function-entry,\nerlang*:::gc_major-end {}";
	struct tree *tree = tree_new_input((struct parse_input){ .text = text, .size = strlen(text) });

	expect_text(tree_errors(tree), "D_PDESC_INVAL:2");
	tree_free(tree);
}

Test(d_parse, empty_programs_are_errors)
{
	struct parse_input input = { .text = "#pragma D option quiet\nint x;", .size = 29 };
	struct tree *tree = tree_new_input(input);

	expect_text(tree_errors(tree), "D_EMPTY:0");
	tree_free(tree);
}

Test(d_parse, arguments_that_are_not_there_may_have_defaults)
{
	char *argv[] = { check_text("script"), check_text("17") };
	bool used[2] = { 0 };
	struct macros macros = { .argc = 2, .argv = argv, .used = used, .target = -1, .default_args = true };
	const char *text = "BEGIN { trace($7); trace($$7); trace($1) }";
	struct tree *tree = tree_new_input(
		(struct parse_input){ .text = text, .size = strlen(text), .macros = &macros });

	expect_text(tree_clauses(tree), ":::BEGIN {(call trace 0) (call trace \"\") (call trace 17)}");
	cr_expect(used[1] && !used[0]);
	tree_free(tree);
}

Test(d_parse, target_is_0_without_one)
{
	struct macros macros = { .target = -1 };
	const char *text = "BEGIN { trace($target); }";
	struct tree *tree = tree_new_input(
		(struct parse_input){ .text = text, .size = strlen(text), .macros = &macros });

	expect_text(tree_clauses(tree), ":::BEGIN {(call trace 0)}");
	tree_free(tree);
}

/* --- Hostile input --- */

static void check_survives(const char *before, const char *again, size_t times, const char *after)
{
	size_t size = strlen(before) + strlen(again) * times + strlen(after);
	char *text = malloc(size + 1), *at = stpcpy(text, before);
	struct tree *tree;

	for (size_t i = 0; i < times; i++)
		at = stpcpy(at, again);
	stpcpy(at, after);
	tree = tree_new(text);
	cr_expect(eq(int, tree->is_ok, false), "%s%s...", before, again);
	tree_free(tree);
	free(text);
}

Test(d_parse, nesting_has_an_end)
{
	check_survives("BEGIN { ", "(", 100000, "");
	check_survives("BEGIN { x = 1", "/1", 100000, "; }");
	check_survives("BEGIN { x", "[1]", 100000, "; }");
	check_survives("BEGIN { ", "x=", 100000, "1; }");
	check_survives("BEGIN { ", "-", 100000, "1; }");
	check_survives("BEGIN { x = ", "1?2:", 100000, "3; }");
	check_survives("BEGIN { x = ", "1?", 100000, "2; }");
	check_survives("BEGIN { x = ", "(int)", 100000, "1; }");
	check_survives("BEGIN { x = ", "sizeof ", 100000, "1; }");
	check_survives("BEGIN { x = ", "stringof ", 100000, "1; }");
	check_survives("BEGIN { x = ", "xlate <int> (", 100000, "");
	check_survives("BEGIN { x = ", "strlen(", 100000, "");
	check_survives("BEGIN { x = y", ".z", 100000, "; }");
	check_survives("int x[", "1?", 100000, "");
	check_survives("union u { int x:", "(", 100000, "");
	check_survives("enum e { A = ", "~", 100000, "1 };");
	check_survives("int ", "*(", 100000, "x;");
	check_survives("int x[", "int y[", 100000, "");
	check_survives("BEGIN { ", "if(1)", 100000, "x; }");
	check_survives("BEGIN { ", "{", 100000, "x; }");
	check_survives("int ", "*", 100000, "x;");
	check_survives("int ", "(", 100000, "x;");
	check_survives("int x", "[1000]", 100000, ";");
	check_survives("int x(", "int(", 100000, ");");
	check_survives("", "struct {", 100000, "");
	check_survives("BEGIN { x = ", "sizeof(int[", 100000, "");
	check_survives("BEGIN { @a", "[@a", 100000, "");
}
