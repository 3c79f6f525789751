/* A bar for each key; what is no count, sum, average or deviation has none, nor has a printa() of several. */
/* @options: -q -xagghist */

BEGIN { @n["a"] = count(); @n["b"] = count(); @n["b"] = count(); @n["b"] = count(); @most["a"] = max(5); }
BEGIN { printa(@n); printa("%s %@d\n", @n); printa(@n, @n); exit(0); }
