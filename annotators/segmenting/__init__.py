"""Token and sentence segmentation."""
