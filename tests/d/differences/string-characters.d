/*
 * @language: characters of a string variable
 * @dtrace: They can be assigned to: `s[0] = 'j'`.
 * @erlbpf: They can be read only, because equal strings have equal bytes up to their ends; make another string with
 *   `strjoin()` and `substr()`, or use memory of `alloca()`.
 */

BEGIN { s = "hello"; s[0] = 'j'; }
