/* printa() has an argument. */

BEGIN { @a = count(); printa(); }
