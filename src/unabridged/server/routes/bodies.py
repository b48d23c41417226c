"""What all JSON bodies have in common: nothing in them is passed over, and every text is whole."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel, ConfigDict, model_validator


class Body(BaseModel):
    """A body of a request. A field that is not known is refused: it may be one that was misspelt.

    Half a surrogate pair, which a client sends that cuts a text inside an emoji, becomes U+FFFD, as it does wherever a
    browser reads text (WHATWG Infra, "scalar value string"). No database and no provider would take it.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, given: Any) -> Any:
        return whole(given)


def whole(value: Any) -> Any:
    """Give a JSON value in which every text can be written as UTF-8."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return value
    if isinstance(value, list):
        return [whole(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {whole(name): whole(each) for name, each in cast("dict[Any, Any]", value).items()}
    return value
