"""JSON schemas of tools from the models of their arguments and results, short enough to be read by agents.

What a model may not know of pydantic is taken out: titles, references, `null` for what is simply left out.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]
_SAID = {"ge": "minimum", "le": "maximum"}  # bounds that pydantic leaves in its own words


def input_schema(model: type[BaseModel]) -> Schema:
    """Make the schema of a tool's arguments: closed, without references."""
    schema = _compact(model.model_json_schema())
    schema.setdefault("properties", {})
    return {key: schema[key] for key in ("type", "properties", "required", "additionalProperties") if key in schema}


def output_schema(model: type[BaseModel]) -> Schema:
    """Make the schema of a tool's result: open, so that a client kept from before reads a result with more in it."""
    schema: Schema = _open(_compact(model.model_json_schema(mode="serialization")))
    return {key: schema[key] for key in ("type", "properties", "required") if key in schema}


def _compact(schema: Schema) -> Schema:
    whole: Schema = _without(schema, schema.get("$defs", {}))
    return whole


def _without(node: Any, named: Schema) -> Any:
    """Write a schema without titles, references and the null of optional fields."""
    if isinstance(node, list):
        return [_without(one, named) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _without({**named[node["$ref"].rpartition("/")[2]], **rest}, named)
    if "anyOf" in node:
        given = [one for one in node["anyOf"] if one != {"type": "null"}]
        if len(given) == 1:
            rest = {key: value for key, value in node.items() if key != "anyOf"}
            return _without({**given[0], **rest}, named)
    kept: Schema = {}
    for key, value in node.items():
        if key == "properties":
            kept[key] = {name: _without(one, named) for name, one in value.items()}
        elif key == "const":
            kept["enum"] = [value]
        elif key in _SAID:
            kept[_SAID[key]] = value
        elif not (key in ("title", "$defs", "allow_inf_nan") or (key == "default" and value is None)):
            kept[key] = _without(value, named)
    if "properties" in kept:
        kept.pop("description", None)  # a model's docstring; its fields say what an agent needs
    return kept


def _open(node: Any) -> Any:
    """Take out what closes objects, what stands in for a value that was left out, and bounds that only bind callers."""
    if isinstance(node, list):
        return [_open(one) for one in node]
    if not isinstance(node, dict):
        return node
    dropped = ("additionalProperties", "default", "maxLength", "minLength", "pattern")
    return {
        key: {name: _open(one) for name, one in value.items()} if key == "properties" else _open(value)
        for key, value in node.items()
        if key not in dropped
    }
