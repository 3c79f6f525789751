/* A string ends on its line. */

BEGIN { trace("abc
def"); }
