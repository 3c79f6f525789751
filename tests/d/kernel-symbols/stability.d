/* @options: -xamin=Evolving/Evolving/Common */
BEGIN { trace(&`__start_BTF); exit(0); }
