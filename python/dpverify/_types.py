"""What arguments may be."""

from typing import Any, Literal, Mapping, Protocol, Union


class DpEvent(Protocol):
    """An event of dp_accounting, or any other class with its named tuples."""

    def to_named_tuple(self) -> Any: ...


# A dict in dp_accounting's tree form, a short form such as "gaussian(1) * 20", or a DpEvent.
Event = Union[str, Mapping[str, Any], DpEvent]
Relation = Literal["ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL"]
Direction = Literal["remove", "add", "both"]
NumberFormat = Literal["decimal", "binary64"]
Incompleteness = Literal["error", "warn", "ignore"]
Quantity = Literal["delta", "epsilon", "tv", "renyi", "tradeoff", "gdp"]
Engine = Literal["exact", "float"]
