/* A member of an object. */
/* @options: -q */

BEGIN { j = "{\"name\": \"ann\", \"age\": 42}"; printf("%s %s\n", json(j, "name"), json(j, "age")); exit(0); }
