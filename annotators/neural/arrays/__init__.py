"""Networks in NumPy: application of trained weights without PyTorch. The modules mirror those of `_torch`."""
