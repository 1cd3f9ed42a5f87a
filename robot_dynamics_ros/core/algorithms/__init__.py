"""What production computes, for any scalar: one algorithm a module."""
