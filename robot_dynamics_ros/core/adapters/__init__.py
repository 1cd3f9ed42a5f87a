"""The quantities as functions of other libraries: CasADi, JAX. Nothing else needs these."""
