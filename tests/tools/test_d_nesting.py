"""The compiler of D needs 256 KiB of stack, whatever the program: what nests too deeply is refused."""
import os
import resource
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, Skip, in_group, over

STACK = 256 << 10
DEPTHS = (10, 240, 1000, 100000)
CLAUSE = "BEGIN { %s; exit(0); }\n"


def statement(text):
    return lambda n: CLAUSE % text(n)


def around(before, inner, after=""):
    """A statement that has `inner` in so many of a construct."""
    return statement(lambda n: before * n + inner + after * n)


def linked(first, each, last):
    """Declarations of which each is made of the one before it."""
    return lambda n: first + "".join(each % {"this": i, "last": i - 1} for i in range(1, n + 1)) + last % {"last": n}


# What nests in itself.
NESTED = {
    "parentheses": around("x = (", "1", ")"),
    "parentheses of a value": statement(lambda n: "x = " + "(" * n + "1" + ")" * n),
    "minus": statement(lambda n: "x = " + "- " * n + "pid"),
    "complement": statement(lambda n: "x = " + "~" * n + "pid"),
    "not": statement(lambda n: "x = " + "!" * n + "pid"),
    "not of a constant": statement(lambda n: "x = " + "!" * n + "1"),
    "step": statement(lambda n: "x = 1; " + "++" * n + "x"),
    "step behind": statement(lambda n: "x = 1; x" + "++" * n),
    "dereference": statement(lambda n: "x = " + "*" * n + "curthread"),
    "address": statement(lambda n: "p = &" + "*&" * n + "curthread"),
    "cast": statement(lambda n: "x = " + "(int)" * n + "pid"),
    "cast to a pointer": statement(lambda n: "p = " + "(int *)" * n + "pid"),
    "cast in parentheses": statement(lambda n: "x = " + "(int)(" * n + "pid" + ")" * n),
    "sizeof": statement(lambda n: "x = " + "sizeof " * n + "pid"),
    "stringof": statement(lambda n: "s = " + "stringof " * n + "execname"),
    "stringof in parentheses": statement(lambda n: "s = " + "stringof(" * n + "execname" + ")" * n),
    "choice": statement(lambda n: "x = " + "pid ? " * n + "1" + " : 2" * n),
    "choice behind the colon": statement(lambda n: "x = " + "pid ? 1 : " * n + "2"),
    "choice of strings": statement(lambda n: "s = " + 'pid ? "a" : ' * n + '"b"'),
    "choice in the condition": statement(lambda n: "x = " + "(" * n + "pid" + " ? 1 : 2)" * n),
    "assignment": statement(lambda n: "x = " + "y = " * n + "1"),
    "assignment that adds": statement(lambda n: "x = 1; x += " + "x += " * n + "1"),
    "assignment of strings": statement(lambda n: "s = " + "t = " * n + '"a"'),
    "sum to the right": statement(lambda n: "x = " + "pid + (" * n + "1" + ")" * n),
    "choice of what is said": statement(lambda n: "x = " + "pid || (" * n + "1" + ")" * n),
    "comparison": statement(lambda n: "x = " + "pid == (" * n + "1" + ")" * n),
    "precedences": statement(lambda n: "x = " + "1 || 2 ^^ 3 && 4 | 5 ^ 6 & 7 == 8 < 9 << 1 + 2 * (" * n + "1" +
                             ")" * n),
    "subscript": statement(lambda n: "x = " + "a[" * n + "1" + "]" * n),
    "subscript of an argument": statement(lambda n: "x = " + "args[" * n + "1" + "]" * n),
    "subscripts in a row": statement(lambda n: "x = curthread" + "[1]" * n),
    "subscripts of one's own": lambda n: "int *x; " + CLAUSE % ("y = x" + "[1]" * n),
    "members in a row": statement(lambda n: "x = curthread" + "->parent" * n + "->pid"),
    "members of one's own": lambda n: "struct s { struct s *next; int x; }; " + CLAUSE %
                            ("this->p = (struct s *)alloca(16); x = this->p" + "->next" * n + "->x"),
    "members of structs": lambda n: "struct s { int x; } s; " + CLAUSE % ("x = s" + ".x" * n),
    "call": statement(lambda n: "s = " + "basename(" * n + "execname" + ")" * n),
    "call of two": statement(lambda n: "s = " + 'strjoin("a", ' * n + "execname" + ")" * n),
    "call of a number": statement(lambda n: "x = " + "htonl(" * n + "pid" + ")" * n),
    "call in printf": statement(lambda n: 'printf("%s", ' + "basename(" * n + "execname" + ")" * n + ")"),
    "call of nothing": statement(lambda n: "x = pid" + "()" * n),
    "call of an action": statement(lambda n: "trace(" * n + "1" + ")" * n),
    "aggregation": statement(lambda n: "@[" + "a[" * n + "1" + "]" * n + "] = count()"),
    "aggregation in a key": statement(lambda n: "@[" * n + "1" + "] = count()" * n),
    "block": statement(lambda n: "{" * n + "x = 1;" + "}" * n),
    "blocks without end": lambda n: "BEGIN " + "{" * n,
    "if": statement(lambda n: "if (pid) " * n + "x = 1"),
    "if with a block": statement(lambda n: "if (pid) { " * n + "x = 1;" + " }" * n),
    "if with an else": statement(lambda n: "if (pid) " * n + "x = 1;" + " else x = 2;" * n),
    "else if": statement(lambda n: "if (pid) x = 1; " + "else if (pid) x = 2; " * n + "else x = 3"),
    "predicate": lambda n: "BEGIN /" + "(" * n + "pid" + ")" * n + "/ { exit(0); }\n",
    "translated": lambda n: "struct s { int x; }; translator struct s < int I > { x = I; };\n" + CLAUSE %
                  ("y = " + "xlate <struct s> (" * n + "1" + ").x" * n),
    "offset in an array": lambda n: "struct s { int x; }; int a[" + "1 + (" * n + "1" + ")" * n + "];\n" + CLAUSE % "",
    "pointer": lambda n: "int " + "*" * n + "p;\n" + CLAUSE % "x = p",
    "pointers that are asked for": lambda n: "int " + "*" * n + "p;\n" + CLAUSE % ("x = " + "*" * n + "p"),
    "pointers with words": lambda n: "int " + "* const " * n + "p;\n" + CLAUSE % "x = p",
    "declarator": lambda n: "int " + "(" * n + "x" + ")" * n + ";\n" + CLAUSE % "y = x",
    "declarator of pointers": lambda n: "int " + "(*" * n + "x" + ")" * n + ";\n" + CLAUSE % "y = x",
    "declarator of functions": lambda n: "extern int " + "(*" * n + "x" + ")(int)" * n + ";\n" + CLAUSE % "",
    "array": lambda n: "int x" + "[1]" * n + ";\n" + CLAUSE % "",
    "array of associations": lambda n: "int x" + "[int]" * n + ";\n" + CLAUSE % "",
    "array in its own size": lambda n: "int x" + "[sizeof (int" * n + "[1]" + ")]" * n + ";\n" + CLAUSE % "",
    "key that is a function": lambda n: "int x[" + "int (*)(" * n + "int" + ")" * n + "];\n" + CLAUSE % "",
    "parameters": lambda n: "extern void f(" + "void (*)(" * n + "int" + ")" * n + ");\n" + CLAUSE % "",
    "struct": lambda n: "struct a { " + "struct { " * n + "int x; " + "} m; " * n + "} a;\n" + CLAUSE % "",
    "struct whose members are used": lambda n: "struct a { " + "struct { " * n + "int x; " + "} m; " * n + "} a;\n" +
                                     CLAUSE % ("y = a" + ".m" * n + ".x"),
    "struct without a name": lambda n: "struct a { " + "struct { " * n + "int x; " + "}; " * n + "} a;\n" + CLAUSE % "",
    "struct in a parameter": lambda n: "extern void " + "f(struct { int (*g)(" * n + ");\n" + CLAUSE % "",
    "union": lambda n: "union a { " + "union { " * n + "int x; " + "} m; " * n + "} a;\n" + CLAUSE % "",
    "enum": lambda n: "enum a { " + "A = sizeof (enum { " * n + "B" + "}) " * n + "};\n" + CLAUSE % "",
    "type of a cast": statement(lambda n: "x = (int " + "(*" * n + ")" * n + ")1"),
    "words of a type": lambda n: "unsigned " + "const " * n + "int x;\n" + CLAUSE % "",
    "description": lambda n: "BEGIN, " * n + "BEGIN { exit(0); }\n",
    "colons": lambda n: ":" * n + "BEGIN { exit(0); }\n",
}

# What is made of the one before it.
LINKED = {
    "inline": linked("inline int x0 = 1;\n", "inline int x%(this)d = x%(last)d + pid;\n", CLAUSE % "y = x%(last)d"),
    "inline twice": linked("inline int x0 = pid;\n", "inline int x%(this)d = x%(last)d + x%(last)d;\n",
                           CLAUSE % "y = x%(last)d"),
    "inline function": linked("inline int x0[int a] = a;\n", "inline int x%(this)d[int a] = x%(last)d[a + 1];\n",
                              CLAUSE % "y = x%(last)d[pid]"),
    "typedef": linked("typedef int t0;\n", "typedef t%(last)d t%(this)d;\n", "t%(last)d x;\n" + CLAUSE % "x = 1"),
    "typedef of pointers": linked("typedef int t0;\n", "typedef t%(last)d *t%(this)d;\n",
                                  "t%(last)d x; t%(last)d y;\n" + CLAUSE % "x = y"),
    "typedef of arrays": linked("typedef int t0;\n", "typedef t%(last)d t%(this)d[1];\n",
                                "t%(last)d x;\n" + CLAUSE % "y = 1"),
    "typedef of functions": linked("typedef int t0;\n", "typedef int (*t%(this)d)(t%(last)d);\n",
                                   "t%(last)d x; t%(last)d y;\n" + CLAUSE % "x = y"),
    "typedef of keys": linked("typedef int t0; typedef int u0;\n",
                              "typedef int (*t%(this)d)[t%(last)d]; typedef int (*u%(this)d)[u%(last)d];\n",
                              "t%(last)d x; u%(last)d y;\n" + CLAUSE % "x = y"),
    "struct of structs": linked("struct s0 { int x; };\n", "struct s%(this)d { struct s%(last)d m; };\n",
                                "struct s%(last)d x; struct s%(last)d y;\n" + CLAUSE % "x = y; print(x)"),
    "struct of pointers": linked("struct s0 { int x; };\n", "struct s%(this)d { struct s%(last)d *m; };\n",
                                 "struct s%(last)d x;\n" + CLAUSE % "print(x)"),
    "struct that points to itself": lambda n: "struct s { struct s *m; } s;\n" + CLAUSE % ("print(s); x = s" + ".m" * 2),
    "translator": linked("struct s0 { int x; };\n",
                         "struct s%(this)d { int x; }; translator struct s%(this)d < int I > { x = I; };\n",
                         CLAUSE % "y = xlate <struct s%(last)d> (1).x"),
    "translator of translators": linked(
        "struct s0 { int x; }; translator struct s0 < int I > { x = I; };\n",
        "struct s%(this)d { int x; };\n"
        "translator struct s%(this)d < int I > { x = xlate <struct s%(last)d> (I + 1).x; };\n",
        CLAUSE % "y = xlate <struct s%(last)d> (1).x"),
    "enumerator": linked("enum { E0 = 1 };\n", "enum { E%(this)d = E%(last)d + 1 };\n", CLAUSE % "x = E%(last)d"),
    "variable": linked("BEGIN { x0 = 1; }\n", "BEGIN { x%(this)d = x%(last)d; }\n", CLAUSE % "y = x%(last)d"),
}


def inline_in_its_argument(value):
    """Each use adds what the inline is: as high as that, or twice as large."""
    return lambda n: "inline int f[int x] = %s;\n" % (value * min(n, 200))[3:] + CLAUSE % (
        "y = " + "f[" * min(n, 80) + "pid" + "]" * min(n, 80))


# What is long.
LONG = {
    "sum": statement(lambda n: "x = 1" + " + pid" * n),
    "sum of constants": statement(lambda n: "x = 1" + " + 1" * n),
    "sum in a predicate": lambda n: "BEGIN /1" + " + pid" * n + "/ { exit(0); }\n",
    "or": statement(lambda n: "x = 1" + " || pid" * n),
    "and": statement(lambda n: "x = 1" + " && pid" * n),
    "or of strings": lambda n: "BEGIN /execname == \"a\"" + ' || execname == "b"' * n + "/ { exit(0); }\n",
    "commas": statement(lambda n: "x = 1" + ", y = 2" * n),
    "shifts": statement(lambda n: "x = 1" + " << 1" * n),
    "sum in an array": lambda n: "int a[1" + " + 1" * n + "];\n" + CLAUSE % "",
    "sum of an enumerator": lambda n: "enum { E = 1" + " + 1" * n + " };\n" + CLAUSE % "",
    "arguments": statement(lambda n: "trace(1" + ", 1" * n + ")"),
    "arguments of printf": statement(lambda n: 'printf("' + "%d" * n + '"' + ", 1" * n + ")"),
    "keys": statement(lambda n: "a[1" + ", 1" * n + "] = 1"),
    "keys of an aggregation": statement(lambda n: "@[1" + ", 1" * n + "] = count()"),
    "statements": statement(lambda n: "x = 1; " * n),
    "empty statements": statement(lambda n: ";" * n),
    "declarators": lambda n: "int x0" + "".join(", x%d" % i for i in range(1, n)) + ";\n" + CLAUSE % "",
    "members": lambda n: "struct s { " + "".join("int x%d; " % i for i in range(n)) + "} s;\n" + CLAUSE % "s.x0 = 1",
    "enumerators": lambda n: "enum e { E" + "".join(", E%d" % i for i in range(n)) + " };\n" + CLAUSE % "x = E",
    "number": statement(lambda n: "x = " + "1" * n),
    "zeros": statement(lambda n: "x = " + "0" * n + "1"),
    "hexadecimal number": statement(lambda n: "x = 0x" + "0" * n + "1"),
    "suffix": statement(lambda n: "x = 1" + "L" * n),
    "dots": statement(lambda n: "x = 1" + "." * n),
    "name": statement(lambda n: "x" * n + " = 1"),
    "name of the kernel's": statement(lambda n: "x = " + "`a" * n),
    "string": statement(lambda n: 's = "' + "x" * n + '"'),
    "escapes": statement(lambda n: 's = "' + "\\" * n + '\\n"'),
    "character constant": statement(lambda n: "x = '" + "a" * n + "'"),
    "comment": lambda n: "/*" + " x" * n + "*/ " + CLAUSE % "",
    "comments": lambda n: "/* x */ " * n + CLAUSE % "",
    "comments in comments": lambda n: "/* " * n + CLAUSE % "",
    "blanks": lambda n: " \t\n" * n + CLAUSE % "",
    "continued lines": lambda n: "\\\n" * n + CLAUSE % "",
    "control lines": lambda n: '# 1 "x"\n' * n + CLAUSE % "",
    "control line": lambda n: "# 1 \"" + "x" * n + '"\n' + CLAUSE % "",
    "pragmas": lambda n: "#pragma D option quiet\n" * n + CLAUSE % "",
    "pragma": lambda n: "#pragma D option quiet=" + "1" * n + "\n" + CLAUSE % "",
    "macro variable": statement(lambda n: "x = $" + "1" * n),
    "macro variables": statement(lambda n: "x = 1" + " + $pid" * min(n, 1000)),
    "format": statement(lambda n: 'printf("%' + "9" * n + 'd", 1)'),
    "errors": lambda n: "BEGIN { x = ; }\n" * n,
    "braces too many": lambda n: "BEGIN { } " + "}" * n,
    "clauses": lambda n: "BEGIN { x = 1; }\n" * min(n, 500) + CLAUSE % "",
    "deep inline in its argument": inline_in_its_argument(" + x"),
    "inline that doubles its argument": inline_in_its_argument(" + x + x"),
}

# With -C.
PREPROCESSED = {
    "macro of macros": lambda n: "#define X0 1\n" + "".join("#define X%d (X%d)\n" % (i, i - 1) for i in
                                                           range(1, min(n, 1000) + 1)) +
                       CLAUSE % ("x = X%d" % min(n, 1000)),
    "include of itself": lambda n: '#include "self.d"\n' + CLAUSE % "",
}


def limit_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))


def compile_text(text, *options):
    """How it ends that is no good: taken or refused with a reason is; None if nothing is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "self.d"), "w") as file:
            file.write(text)
        try:
            done = subprocess.run([ERLBPF, "-xerrtags", "-S", "-e", *options, "-s", "self.d"], cwd=folder,
                                  capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
                                  preexec_fn=limit_stack, env={"PATH": os.environ["PATH"]})
        except subprocess.TimeoutExpired:
            return "it does not end"
    if done.returncode not in (0, 1):
        return "status %d" % done.returncode
    return "no reason" if done.returncode and not done.stderr else None


def check(text_of, *options, most=DEPTHS[-1]):
    if os.geteuid() != 0:
        raise Skip("needs root")
    if b"__asan" in open(ERLBPF, "rb").read():
        raise Skip("sanitizers need more stack")
    for depth in sorted({min(depth, most) for depth in DEPTHS}):
        assert not (wrong := compile_text(text_of(depth), *options)), (depth, wrong)


def grouped(constructs, group):
    """Cases of some groups, which run in parallel."""
    return [in_group(name, "test_d_nesting.py:%s-%d" % (group, number // 25)) for number, name in enumerate(constructs)]


@over(grouped(NESTED, "nested"))
def test_what_nests_is_taken_or_refused(name):
    check(NESTED[name])


@over(grouped(LINKED, "linked"))
def test_what_is_made_of_each_other_is_taken_or_refused(name):
    check(LINKED[name], most=10000)


@over(grouped(LONG, "long"))
def test_what_is_long_is_taken_or_refused(name):
    check(LONG[name])


@over(PREPROCESSED)
def test_what_the_preprocessor_makes_is_taken_or_refused(name):
    check(PREPROCESSED[name], "-C")


@over(["or", "and", "comma"])
def test_a_long_choice_of_what_is_true_is_taken(name):
    operator = {"or": "||", "and": "&&", "comma": ","}[name]
    text = CLAUSE % ("x = (pid == 0" + "".join(" %s pid == %d" % (operator, n) for n in range(1500)) + ")")
    done = subprocess.run([ERLBPF, "-xerrtags", "-e", "-n", text], capture_output=True, timeout=LIMIT, text=True)
    assert done.returncode == 0, done.stderr
