/* A name is declared once. */

int x;
string x;
BEGIN { trace(1); }
