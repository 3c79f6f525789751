/* Both values of ?: have types that go together. */

BEGIN { x = 1 ? "a" : 2; }
