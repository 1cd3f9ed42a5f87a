"""C99 from the compiled programs of a robot; `export_c` first."""
