/* strjoin() joins strings. */

BEGIN { trace(strjoin("abc", 5)); }
