"""Neural networks for token labeling, assembled from named parts. PyTorch is needed only for training and application."""
