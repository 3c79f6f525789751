/* @options: -c /bin/true */
pid$target:libnosuch:main:entry { exit(0); }
