"""The optimizers of the training of a network. PyTorch is imported when one is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...pipeline.contract.component import Part, part
from .extras import need
from .parts import check_positive, check_share

if TYPE_CHECKING:
    import torch


class Optimizer(Part):
    """Updates weights in training."""

    rate: float
    library: ClassVar[str]
    """Name of the class in `torch.optim`."""

    def __post_init__(self) -> None:
        check_positive(rate=self.rate)

    def build(self, parameters: Any) -> torch.optim.Optimizer:
        """Return the PyTorch optimizer for these weights."""
        optimizer: torch.optim.Optimizer = getattr(need("torch.optim", "neural", self.name), self.library)(
            parameters, lr=self.rate, **self._options()
        )
        return optimizer

    def _options(self) -> dict[str, float]:
        """Return the arguments of the PyTorch class in addition to the learning rate."""
        return {}


@part("adam")
class Adam(Optimizer):
    """Adaptive moments (Kingma and Ba 2015)."""

    rate: float = 0.001
    """Learning rate."""
    decay: float = 0.0
    """Weight decay, decoupled from the learning rate (Loshchilov and Hutter 2019)."""

    library = "AdamW"

    def _options(self) -> dict[str, float]:
        return {"weight_decay": self.decay}


@part("nadam")
class Nadam(Optimizer):
    """Adam with Nesterov's momentum (Dozat 2016)."""

    rate: float = 0.002
    """Learning rate."""

    library = "NAdam"


@part("sgd")
class Sgd(Optimizer):
    """Stochastic gradient descent."""

    rate: float = 0.01
    """Learning rate."""
    momentum: float = 0.0
    """Share of the previous step that is added to the next one."""

    library = "SGD"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(momentum=self.momentum)

    def _options(self) -> dict[str, float]:
        return {"momentum": self.momentum}
