/* Both values of ?: have types that go together. */

BEGIN { y = 1; x = y ? "a" : 2; }
