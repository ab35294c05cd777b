"""The modules that import PyTorch. Other modules load them with `extras.torch_module` on first use."""
