"""Machine code of batches: as many samples at once as a vector has lanes."""
