struct s { int a:3; int b:5; } x;
BEGIN { trace(&x.a); exit(0); }
