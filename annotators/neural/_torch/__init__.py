"""Everything that imports PyTorch at the top. Other modules load these with `extras.torch_module` when they need them."""
