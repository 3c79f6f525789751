"""Small D programs and what they print by the rules of DTrace's documentation."""
import os
import subprocess

from lib import ERLBPF, LIMIT, Skip, over

STATEMENTS = [	# of a BEGIN clause
    ('x=(char)200; printf("%d %u %x",x,(unsigned char)200,(char)200);', '-56 200 c8'),
    ('x=(short)40000; printf("%d %d",x,(unsigned short)-1);', '-25536 65535'),
    ('printf("%u",-1);', '4294967295'),
    ('printf("%x",(int64_t)-1);', 'ffffffffffffffff'),
    ('printf("%o %X %#o",64,255,8);', '100 FF 010'),
    ('printf("[%-8d][%+d][% d][%08d]",5,5,5,-5);', '[5       ][+5][ 5][-0000005]'),
    ('printf("[%.3s][%10.2s][%-6s]","abcdef","abc","ab");', '[abc][        ab][ab    ]'),
    ('printf("[%*d][%-*d]",5,7,5,7);', '[    7][7    ]'),
    ("printf(\"%'d\",1234567);", '1234567'),
    ('printf("%5c|%c",65,0x42);', 'A|B'),
    ('printf("%d%%",5);', '5%'),
    ('printf("%s",substr("hello",-3));', 'llo'),
    ('printf("%s",substr("hello",-3,2));', 'll'),
    ('printf("[%s]",substr("hello",10));', '[]'),
    ('printf("[%s]",substr("hello",1,-1));', '[ell]'),
    ('printf("[%s]",substr("hello",0,0));', '[]'),
    ('printf("%d %d %d",index("abcabc","c"),index("abcabc","c",3),index("abc","x"));', '2 5 -1'),
    ('printf("%d %d",rindex("abcabc","c"),rindex("abcabc","c",4));', '5 2'),
    ('printf("%d %d",index("abc",""),rindex("abc",""));', '0 3'),
    ('printf("%d",index("abc","a",-5));', '0'),
    ('printf("[%s][%s]",basename("/"),dirname("/"));', '[/][/]'),
    ('printf("[%s][%s]",basename("/a/b/"),dirname("/a/b/"));', '[b][/a]'),
    ('printf("[%s][%s]",basename("a"),dirname("a"));', '[a][.]'),
    ('printf("[%s][%s]",basename(""),dirname(""));', '[.][.]'),
    ('printf("%s",strjoin("",""));', ''),
    ('printf("%s|%s",strchr("abcb",98),strrchr("abcb",98));', 'bcb|b'),
    ('printf("%d",strchr("abc",120)==NULL);', '1'),
    ('printf("%s",strstr("hello","llo"));', 'llo'),
    ('printf("%d",strstr("hello","xyz")==NULL);', '1'),
    ('printf("%s",strstr("hello",""));', 'hello'),
    ('printf("%d",strlen(""));', '0'),
    ('this->a=strtok("a:b::c",":"); this->b=strtok(NULL,":"); this->c=strtok(NULL,":"); printf("%s%s%s %d",this->a,this->b,this->c,strtok(NULL,":")==NULL);',
     'abc 1'),
    ('printf("%s",1?"yes":"no");', 'yes'),
    ('x=0; printf("%s",x?"yes":"nope");', 'nope'),
    ('printf("%s",lltostr(-1));', '-1'),
    ('printf("%s",lltostr(0));', '0'),
    ('printf("%s",lltostr(-9223372036854775807 - 1));', '-9223372036854775808'),
    ('printf("%s",lltostr(255,8));', '0377'),
    ('printf("%d %d",-7/2,-7%2);', '-3 -1'),
    ('printf("%d",1<<40);', '0'),
    ('printf("%d",(int)(1<<31));', '-2147483648'),
    ('x=1; x<<=40; printf("%d",x);', '0'),
    ('int64_t_dummy=1; printf("%d", 5 > 3 ? -1 : 1);', '-1'),
    ('printf("%d",sizeof("abc"));', '4'),
    ('printf("%d %d %d",sizeof(1),sizeof(1LL),sizeof((char)1+1));', '4 8 4'),
    ('printf("%d",sizeof(this->q = (short)1));', '2'),
    ('@=avg(-3);@=avg(-4); printa("%@d",@);', '-3'),
    ('@=stddev(1);@=stddev(5); printa("%@d",@);', '2'),
    ('@=min(-5);@=min(3);@m=max(-5);@m=max(-3); printa("%@d %@d",@,@m);', '-5 -3'),
    ('@=sum(-10); normalize(@,3); printa("%@d",@);', '-3'),
    ('@=max(-7); normalize(@,2); printa("%@d",@);', '-3'),
    ('@=avg(10);@=avg(20);normalize(@,5);printa("%@d",@);', '3'),
    ('@[1]=sum(-5);@[2]=sum(3);@[3]=sum(1);trunc(@,1);printa("%d:%@d ",@);', '2:3'),
    ('@[1]=sum(-5);@[2]=sum(3);@[3]=sum(1);trunc(@,-1);printa("%d:%@d ",@);', '1:-5'),
    ('@[1]=sum(-5);@[2]=sum(3);@[3]=sum(1);printa("%d:%@d ",@);', '1:-5 3:1 2:3'),
    ('@a["x"]=count();@b["y"]=sum(4);printa("%s %@d %@d\\n",@a,@b);', 'y 0 4\nx 1 0'),
    ('@[(char)-1]=count();printa("%d %@d",@);', '-1 1'),
    ('@["b",2]=count();@["a",3]=count();printa("%s%d ",@);', 'a3 b2'),
    ('a[1,"x"]=5; a[1,"y"]=6; printf("%d%d%d",a[1,"x"],a[1,"y"],a[2,"x"]);', '560'),
    ('self->s="abc"; self->s=strjoin(self->s,"d"); printf("%s",self->s);', 'abcd'),
    ('self->x[1]=3; self->x[1]++; self->x[1]+=2; printf("%d",self->x[1]);', '6'),
    ('x=5; printf("%d %d %d",x++,x,++x);', '5 6 7'),
    ('x=5; y=x--; printf("%d %d",x,y);', '4 5'),
    ('x = 10; x /= 3; x *= 5; x %= 4; x |= 8; x ^= 1; x &= ~2; printf("%d",x);', '8'),
    ('printf("%d",~0);', '-1'),
    ('printf("%d",!5 + !0);', '1'),
    ('printf("%d",(1,2,3));', '3'),
    ('printf("%d",1 ? 2 : 0 ? 3 : 4);', '2'),
    ('printf("%d %d","a"<"b","b">"abc");', '1 1'),
    ('printf("%d","abc"=="abc");', '1'),
    ('printf("%x",htons(0x1234)); printf(" %x",htonl(0x12345678));', '3412 78563412'),
    ('printf("%s",inet_ntoa((ipaddr_t*)alloca(4)));', '0.0.0.0'),
    ('printf("%d",strtoll("0x1f",16));', '31'),
    ('printf("%d %d",strtoll("-12abc"),strtoll(""));', '-12 0'),
    ('printf("%S","a\\nb\\"c");', 'a\\nb\\"c'),
    ("printf(\"%d %d\",'\\n','\\x41');", '10 65'),
    ("printf(\"%x\",'ab');", '6162'),
    ('printf("%d",0777 + 0x1F);', '542'),
    ('printf("%u",18446744073709551615ULL);', '18446744073709551615'),
    ('printf("%d",(uint8_t)300);', '44'),
    ('printf("%d",(int8_t)0x80);', '-128'),
    ('printf("%d",(unsigned char)0xff >> 4);', '15'),
    ('printf("%d",(char)0x80 >> 3);', '-16'),
    ('printf("%d",-8 >> 1);', '-4'),
    ('printf("%s",cleanpath("/a/./b/../c//d"));', '/a/c/d'),
    ('printf("%s %s",probeprov,probename);', 'dtrace BEGIN'),
    ('p=(char*)alloca(8);p[0]=104;p[1]=105;printf("%s %d",stringof(p),p[1]-p[0]);', 'hi 1'),
    ('p=(int*)alloca(16);p[1]=-5;printf("%d %d",*(p+1),(p+3)-p);', '-5 3'),
    ('p=(short*)alloca(8);*p=-1;printf("%d %u",*p,*(unsigned short*)p);', '-1 65535'),
    ('trace(-5);', '-5'),
    ('trace("x");', 'x'),
    ('trace((char)65);', '65'),
    ('printf("%d",1==1==1);', '1'),
    ('printf("%d",2^3^^0);', '1'),
    ('printf("%10s|%-10d|%010x","ab",-3,255);', 'ab|-3        |00000000ff'),
    ('printf("%p",(void*)255);', 'ff'),
    ('printf("%Y",(int64_t)0);', '1970 Jan  1 00:00:00'),
]

PROGRAMS = [
    ('struct b{int a:3;unsigned c:5;int d:8;}; struct b v; BEGIN{v.a=-1;v.c=33;v.d=200;printf("%d %d %d",v.a,v.c,v.d);exit(0);}',
     '-1 1 -56'),
    ('union u{int i;unsigned char c[4];}; union u v; BEGIN{v.i=0x01020304;printf("%d %d",v.c[0],v.c[3]);exit(0);}',
     '4 1'),
    ('enum e{A=-2,B,C=7,D}; BEGIN{printf("%d %d %d %d",A,B,C,D);exit(0);}', '-2 -1 7 8'),
    ('struct s{char n[8];int v;}; struct s m[int]; BEGIN{m[1].v=5;printf("%d %d",m[1].v,m[2].v);exit(0);}', '5 0'),
    ('struct s{int a;int b;}; struct s x; struct s y; BEGIN{x.a=1;x.b=2;y=x;x.a=9;printf("%d%d",y.a,y.b);exit(0);}',
     '12'),
    ('BEGIN{this->x=5;} BEGIN{printf("%d",this->x);exit(0);}', '5'),
    ('BEGIN{this->s="hello";} BEGIN{printf("%s",this->s);exit(0);}', 'hello'),
    ('BEGIN /0/ {printf("a");} BEGIN /1/ {printf("b");} BEGIN{exit(0);}', 'b'),
    ('BEGIN{printf("a"); trace(*(int*)0);} BEGIN{printf("c");exit(0);} ERROR{printf("E%d ",arg4);}', 'E1 c'),
    ('int x; BEGIN{x=1; trace(*(int*)0); x=2;} BEGIN{printf("%d",x);exit(0);} ERROR{}', '1'),
    ('inline int F[int a,int b]=a*b+1; BEGIN{printf("%d",F[3,F[1,2]]);exit(0);}', '10'),
    ('inline string S="x"; BEGIN{printf("%s%d",S,S=="x");exit(0);}', 'x1'),
    ('struct t{int a;string b;}; translator struct t<int n>{a=n*2;b="q";}; BEGIN{printf("%d%s",xlate<struct t>(4).a,xlate<struct t>(4).b);exit(0);}',
     '8q'),
    ('typedef unsigned char byte; byte q; BEGIN{q=257;printf("%d",q);exit(0);}', '1'),
    ('char c; BEGIN{c=200;printf("%d",c);exit(0);}', '-56'),
    ('short a[short]; BEGIN{a[1]=70000;printf("%d",a[1]);exit(0);}', '4464'),
    ('int a[int]; BEGIN{a[4294967297]=5;printf("%d",a[1]);exit(0);}', '5'),
    ('int a[char]; BEGIN{a[256]=5;printf("%d",a[0]);exit(0);}', '5'),
    ('self int q; BEGIN{self->q=3000000000;printf("%d",self->q);exit(0);}', '-1294967296'),
    ('this uint8_t q; BEGIN{this->q=-1;printf("%d",this->q);exit(0);}', '255'),
    ('uint32_t u; BEGIN{u=0; u--; printf("%u %d",u,u > 0);exit(0);}', '4294967295 1'),
    ('uint8_t u; BEGIN{u=255; u++; printf("%d",u);exit(0);}', '0'),
    ('int n; BEGIN{n=5; printf("%d %d",n++ + n++,n);exit(0);}', '11 7'),
    ('string s; BEGIN{s="abc"; s=substr(s,1); printf("%s %d",s,strlen(s));exit(0);}', 'bc 2'),
    ('BEGIN{@a[1]=sum(10);@a[2]=sum(-10);normalize(@a,2);printa("%d=%@d ",@a);denormalize(@a);printa("%d=%@d ",@a);exit(0);}',
     '2=-5 1=5 2=-10 1=10'),
    ('BEGIN{@x[1]=min(4);@y[1]=max(9);@x[2]=min(1);printa("%d %@d %@d;",@x,@y);exit(0);}', '2 1 0;1 4 9;'),
    ('BEGIN{@a[1]=avg(3);@b[2]=stddev(4);printa("%d %@d %@d;",@a,@b);exit(0);}', '2 0 0;1 3 0;'),
    ('struct a{char t[4];}; struct a*p; BEGIN{p=(struct a*)alloca(4);p->t[0]=111;p->t[1]=107;printf("%s|%s",p->t,stringof(p->t));exit(0);}',
     'ok|ok'),
    ('BEGIN{printf("%d",sizeof(struct{char a;long b;}));exit(0);}', '16'),
    ('struct s{int a[3];}; BEGIN{printf("%d %d",sizeof(struct s),offsetof(struct s,a));exit(0);}', '12 0'),
    ('BEGIN{p=(char*)alloca(4);p[5000]=1;} BEGIN{exit(0);} ERROR{printf("E%d",arg4);}', 'E1'),
    ('int arr[4]; BEGIN{arr[3]=7;printf("%d",arr[3]+arr[0]);exit(0);}', '7'),
    ('int arr[4]; int i; BEGIN{i=4;printf("%d",arr[i]);exit(0);} ERROR{printf("E%d",arg4);exit(1);}', 'E11'),
    ('BEGIN{x=speculation();} BEGIN{speculate(x);printf("s");} BEGIN{printf("n");} BEGIN{commit(x);} BEGIN{exit(0);}',
     'ns'),
    ('BEGIN{self->a=1;self->a=0;printf("%d",self->a);exit(0);}', '0'),
    ('BEGIN{printf("%s",execname);exit(0);}', 'erlbpf'),
    ('tick-10ms{i++;} tick-10ms/i==3/{printf("%d",i);exit(0);}', '3'),
    ('BEGIN,END{printf("%s ",probename);} BEGIN{exit(0);}', 'BEGIN END'),
    ('BEGIN{x=4;exit(0);} END{printf("e%d",x);}', 'e4'),
    ('BEGIN{printf("%d",(int)"5"[0]);exit(0);}', '53'),
    ('BEGIN{a["x"]="y";a["x"]=strjoin(a["x"],"z");printf("%s",a["x"]);exit(0);}', 'yz'),
    ('BEGIN{a[1,2]=3;b=a[1,2]++;printf("%d%d",b,a[1,2]);exit(0);}', '34'),
    ('BEGIN{x=(uint64_t)1<<63;printf("%d %d %u",x>>63,(int64_t)x>>63,x);exit(0);}', '1 -1 9223372036854775808'),
    ('BEGIN{printf("%d",7u/-1);exit(0);}', '0'),
    ('BEGIN{printf("%d %d",(unsigned)5 > -1,5 > -1);exit(0);}', '0 1'),
    ('BEGIN{printf("%s\\n",json("{\\"a\\":{\\"b\\":[10,{\\"c\\":\\"z\\"}]}}","a.b[1].c"));exit(0);}', 'z'),
]


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def printed(program):
    return subprocess.run([ERLBPF, "-q", "-n", program], capture_output=True, text=True, timeout=LIMIT, check=False,
                          env=dict(os.environ, TZ="UTC", LC_ALL="C"))


def check(program, wanted):
    need_root()
    done = printed(program)
    assert done.stdout.strip() == wanted, (program, wanted, done.stdout, done.stderr)


@over(range(len(STATEMENTS)))
def test_statements_print_what_they_are_worth(number):
    text, wanted = STATEMENTS[number]
    check("BEGIN { %s exit(0); }" % text, wanted)


@over(range(len(PROGRAMS)))
def test_programs_print_what_they_are_worth(number):
    check(*PROGRAMS[number])
