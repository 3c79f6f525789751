"""D programs that are as long, or as deep, as somebody who means ill can make them: each is compiled or refused with a
sentence, within a time and a stack that do not depend on what it holds.

`make test-hostile` has texts of 1 MiB, 1,000,000 deep, and runs them; a sample has 64 KiB, 20,000 deep, and compiles."""
import os
import resource
import subprocess
import tempfile

from hostile import WHOLE
from lib import ERLBPF, Fake, Skip

SIZE = 1 << 20 if WHOLE else 1 << 16
DEPTH = 1000000 if WHOLE else 20000
STACK = 1 << 20
CPU_S = 60  # of the process itself, whatever else the machine does; most take 0.3 s
EXIT = "BEGIN { exit(0); }\n"


def in_begin(text):
    return "BEGIN { x = 1; " + text + " exit(0); }"


def repeat(piece, head="", tail="", size=SIZE):
    """As many pieces, each made of its number, as have room."""
    parts, used, number = [head], len(head) + len(tail), 0
    while True:
        part = piece(number)
        used += len(part)
        if used > size:
            return "".join(parts) + tail
        parts.append(part)
        number += 1


def pieces(form):
    """A text with each % as the number."""
    return lambda number: form.replace("%", str(number))


# Long: a piece again and again, % is its number.
CLAUSES = ["BEGIN{x=%;}\n", "BEGIN{}", "tick-1s{x=%;}\n", "BEGIN/pid==%/{x=1;}\n", "BEGIN{trace(%)}\n", "BEGIN{@a%=count();}\n",
           "BEGIN{@=count()}", "BEGIN{v%=1}\n", "BEGIN{this->v%=1}\n", "BEGIN{x=y%;}\n", "BEGIN{)}\n", "BEGIN{(", "ERROR{x=1;}",
           "int v%;BEGIN{v%=1}", "erlang*:::*%*{x=1;}\n", "%{x=1;}"]
STATEMENTS = ["@a%=count();", "@=count();", "@[%]=count();", '@["%"]=count();', "@[%]=quantize(1);", "@a%=lquantize(1,0,10000,1);",
              "v%=1;", "this->v%=1;", 'this->v%="a";', "self->v%=1;", "v%[1]=1;", "v[%]=1;", 'v%="s%";', 'v="s%";', "x=1;", "x++;",
              "if(x)x=1;", "x=x?1:2;", 's=strjoin("a","b");', 'x=execname=="%";', "alloca(8);", "trace(1);", 'printf("%");',
              "stack();", "exit(0);", "x=$pid;", 'x=strlen("a");', "x=a%;", "x=curthread->pid;", "x=sizeof(struct task_struct);",
              "x=sizeof(struct s%);", "x=`s%;", "x=speculation();", ";", "{}"]
DECLARATIONS = ["int v%;", "string v%;", "int v%[int];", "self int v%;", "this int v%;", "typedef int t%;", "typedef int t;",
                "typedef int *u%;", "int v%;typedef int t%;", "enum{e%};", "int v%;enum{e%};", "struct s%{int a;};", "inline int i%=%;",
                "struct a%{int x;};translator struct a%<int*t>{x=1;};", "#pragma D option quiet\n",
                "#pragma D attributes Evolving/Evolving/Common x%\n", '#pragma D binding "1.0" x%\n', "#pragma D option x%\n",
                "#pragma D depends_on library x%\n", '# 1 "f%"\n', "/**/", "/*\n*/", "\n", " ", "\\\n", "\x01", '"', "}", ")", "@", "/*"]
# (before, piece, behind)
LISTS = [("int v", ",v%", ";" + EXIT), ("enum{e", ",e%", "};" + EXIT), ("struct s{", "int a%;", "};" + EXIT),
         ("struct s{", "int a;", "};" + EXIT), ("struct s{", "int a%:1;", "};" + EXIT), ("struct s{", "struct{int a%;};", "};" + EXIT),
         ("inline int f[int p", ",int p%", "] = 1;" + EXIT), ("int f(int", ",int p%", ");" + EXIT), ("int a[int", ",int", "];" + EXIT),
         ("BEGIN", ",BEGIN", "{exit(0);}"), ("BEGIN", ",tick-%ms", "{exit(0);}"), ("BEGIN", ",dtrace:::E*", "{exit(0);}"),
         ("BEGIN", ",*%*:::", "{exit(0);}"), ("1", ",%", "{exit(0);}"), ("", "*a", "b:::{exit(0);}"), ("", "[", "b:::{exit(0);}"),
         ("dtrace:::", "*a", "{exit(0);}"), ('BEGIN{printf("', "%%", '");exit(0);}'), ('BEGIN{printf("', "a", '");exit(0);}'),
         ('BEGIN{printf("', "\\n", '");exit(0);}'), ('BEGIN{printf("%', "1", 'd",1);exit(0);}'), ('BEGIN{printf("%', "-", 'd",1);exit(0);}'),
         ('BEGIN{printf("%', "l", 'd",1);exit(0);}'), ('BEGIN{@=count();printa("@"', ",@", ");exit(0);}"),
         ("BEGIN{@[0", ",%", "]=count();exit(0);}"), ("BEGIN{@[0", ",execname", "]=count();exit(0);}"), ("BEGIN{x[0", ",%", "]=1;exit(0);}"),
         ("BEGIN{x=", "a", ";exit(0);}"), ('BEGIN{x="', "a", '";exit(0);}'), ('BEGIN{x="', "a", ""), ("BEGIN{x=", "1", ";exit(0);}"),
         ("BEGIN{x=", "1z", ";exit(0);}"), ("BEGIN{x='", "a", "';exit(0);}"), ("BEGIN{x=$", "1", ";exit(0);}"), ("BEGIN/", "1/", "1/{exit(0);}"),
         ("BEGIN{x=", "1+", "1;exit(0);}"), ("BEGIN{x=", "pid&&", "1;exit(0);}"), ("BEGIN{x=(", "1,", "1);exit(0);}"),
         ("BEGIN{x=strjoin(", "1,", "1);exit(0);}"), ("BEGIN{x=curthread", "->parent", ";exit(0);}"), ("BEGIN{x=p", "++", ";exit(0);}"),
         ("BEGIN{x=a", "[1]", ";exit(0);}"), ("BEGIN{x=a", ".b", ";exit(0);}"), ("BEGIN{", "if(pid==1){x=1;}else ", "exit(0);}")]


def chain(first, form):
    """Each links to the one before: % is its number, ^ the number of the next."""
    return repeat(lambda number: form.replace("%", str(number)).replace("^", str(number + 1)), head=first, tail=EXIT)


CHAINS = [("typedef int t0;", "typedef t% t^;"), ("typedef int t0;", "typedef t% *t^;"), ("struct s0{int x;};", "struct s^{struct s% a;};"),
          ("inline int i0=pid;", "inline int i^=i%+1;"), ("inline int i0=1;", "inline int i^=i%;"),
          ("inline int i0=pid;", "inline int i^=i%+i%;"), ("struct s0{int x;};", "struct s^{struct s% *a;int b;};")]


def half(head, form, tail, use):
    """Many names, and many uses of them."""
    many = repeat(pieces(form), head, tail, SIZE // 2)
    return many + in_begin(repeat(lambda number: use.replace("%", str(number * 7 % (SIZE // 64))), size=SIZE // 2 - 30))


USES = [("struct s{", "int a%;", "}v;", "v.a%=1;"), ("struct s{", "struct{int a%;};", "}v;", "v.a%=1;"), ("enum{e", ",e%", "};", "x=e%;"),
        ("", "inline int i%=%;", "", "x=i%;"), ("struct s{char b[1000000];}v,w;", " ", "", "v=w;"),
        ("inline int i=" + "+".join(["pid"] * 300) + ";", " ", "", "x=i;")]

# Deep: (before, what opens, in the middle, what closes, behind)
DEEP = [("x=", "(", "1", ")"), ("x=", "- ", "1", ""), ("x=", "!", "1", ""), ("x=", "~", "1", ""), ("x=", "*", "p", ""), ("x=", "& ", "p", ""),
        ("x=", "++ ", "p", ""), ("x=", "1?1:", "1", ""), ("x=", "pid?1:", "1", ""), ("x=", "1?", "1", ":1"), ("x=", "(", "1", "?1:1)"),
        ("x=", "(int)", "1", ""), ("x=", "sizeof ", "1", ""), ("x=", "sizeof (", "1", ")"), ("x=", "sizeof((int)", "1", ")"),
        ("x=", "stringof ", '"a"', ""), ("x=", "1+(", "1", ")"), ("", "a=", "1", ""), ("x=", "a[", "1", "]"), ("x=", "strlen(", "1", ")"),
        ("", "@a[", "1", "]"), ("x=", "xlate <int> (", "1", ")"), ("x=", "offsetof(struct { int a; },", "1", ")"),
        ("x=", "1||1^^1&&1|1^1&1==1<1<<1+1*(", "1", ")"), ("", "{", "x=1;", "}"), ("", "if (pid) ", "x=1", ""), ("", "if (pid) {", "x=1;", "}"),
        ("x=(", "struct { ", "", ""), ("x=sizeof(int (*)(", "int (*)(", "", "")]
DEEP_TYPES = [("struct { ", "int x;", " } y;"), ("union { ", "int x;", " } y;"), ("struct { ", "int x;", " };"), ("int *", "p", ""),
              ("int (", "p", ");"), ("int *(", "p", ");"), ("int f(int a", "", ")"), ("int (*f)(", "int", ")"), ("int a[int b", "", "]"),
              ("int p[(", "1", ")];"), ("int p[1?1:", "1", "];"), ("struct s { int a:(", "1", "); };"), ("enum e { A=(", "1", ") };"),
              ("userland ", "int *p;", ""), ("int p[1]", ";", ""), ("const ", "int p;", "")]


def deep_type(opens, middle, closes):
    """What differs from level to level is before the last word that opens."""
    first, _, again = opens.rpartition(" ") if opens.rstrip() == opens else ("", "", opens)
    return first + " " + again * DEPTH + middle + closes * DEPTH + "; " + EXIT


def texts():
    for form in CLAUSES:
        yield repeat(pieces(form), tail=EXIT)
    for form in STATEMENTS:
        yield in_begin(repeat(pieces(form), head="@=count();", size=SIZE - 40))
    for form in DECLARATIONS:
        yield repeat(pieces(form), tail=EXIT)
    for head, form, tail in LISTS:
        yield repeat((lambda _, form=form: form) if "printf" in head else pieces(form), head, tail)
    for first, form in CHAINS:
        yield chain(first, form)
    for head, form, tail, use in USES:
        yield half(head, form, tail, use)
    for count in (2000, SIZE // 6):
        yield 'BEGIN{printf("' + "%d" * count + '"' + ",1" * count + ");exit(0);}"
    yield in_begin('printf("' + "%s" * (SIZE // 16) + '"' + ",execname" * (SIZE // 16) + ");")


def deep_texts():
    for before, opens, middle, closes in DEEP:
        yield in_begin(before + opens * DEPTH + middle + closes * DEPTH + ";")
    for opens, middle, closes in DEEP_TYPES:
        yield deep_type(opens, middle, closes)
    yield "BEGIN /" + "(" * DEPTH + "1" + ")" * DEPTH + "/ { exit(0); }"
    yield "/*" * DEPTH + "*/" * DEPTH + EXIT
    yield "#if 1\n" * DEPTH + "#endif\n" * DEPTH + EXIT


def limit():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def check(text, pid):
    with tempfile.NamedTemporaryFile("w", suffix=".d") as script:
        script.write(text)
        script.flush()
        options = [] if WHOLE else ["-e"]
        done = subprocess.run([ERLBPF, "-q", "-p", str(pid)] + options + ["-s", script.name], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=1200, preexec_fn=limit)
    about = "%s... (%d): %d, %s" % (text[:60], len(text), done.returncode, done.stderr[:300])
    assert done.returncode in (0, 1), about
    assert done.returncode == 0 or done.stderr.startswith(b"erlbpf: "), about
    return done


def check_all(all_texts):
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Fake() as fake:
        for text in all_texts:
            check(text, fake.pid)


def test_a_program_however_long_is_compiled_or_refused():
    check_all(texts())


def test_a_program_however_deep_is_compiled_or_refused():
    check_all(deep_texts())
