"""Derivations of the source documents, for tests and documents; production uses none of them."""
