/*
 * @command: `-G`
 * @dtrace: It makes an object that a program with probes is linked with.
 * @erlbpf: It is an error that says what to do: `-h -s FILE.d` writes a header for the `<sys/sdt.h>` of systemtap,
 *   with which programs are linked as they are.
 */
/* @options: -G */
/* @status: 2 */

provider app { probe request(int); };
