"""Commands: functions of a plugin that programs call by name, with arguments that the SDK checks."""
from __future__ import annotations

import ctypes
import inspect
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Mapping

from . import _structs
from ._call import check, decode, encode
from ._native import library
from .constants import CommandFlag, ValueType
from .errors import InvalidError
from .values import Scalar, bound_of, native_value, python_value

_call = library.msdk_instance_call

_PYTHON_TYPES = {ValueType.VOID: None, ValueType.BOOL: bool, ValueType.I32: int, ValueType.I64: int, ValueType.U32: int,
                 ValueType.U64: int, ValueType.F64: float, ValueType.STRING: str, ValueType.BYTES: bytes}


@dataclass(frozen=True)
class CommandArg:
    """What a class says about an argument of one of its commands.

    Attributes:
        default: the value if a call omits it; None: it must be given.
        minimum, maximum: of numbers, both included; None: no bounds.
        choices: all texts that are accepted; None: any.
    """

    name: str
    summary: str
    type: ValueType
    default: Scalar
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...] | None

    @property
    def accepted(self) -> str:
        """For people."""
        words = [self.type.name.lower()]
        if self.choices is not None:
            words = ["one of " + " ".join(self.choices)]
        if self.minimum is not None:
            words.append(f"{self.minimum:g}..{self.maximum:g}")
        return ", ".join(words)


@dataclass(frozen=True)
class Command:
    """What a class says about one of its commands.

    Attributes:
        result: of what type it is; VOID: none.
        args: its arguments, of which the last ones may have defaults.
        flags: :class:`CommandFlag`.
    """

    name: str
    summary: str
    result: ValueType
    args: tuple[CommandArg, ...]
    flags: CommandFlag

    @cached_property
    def signature(self) -> inspect.Signature:
        """As Python's help() shows it."""
        parameters = [inspect.Parameter(arg.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=_PYTHON_TYPES.get(arg.type),
                                        default=inspect.Parameter.empty if arg.default is None else arg.default)
                      for arg in self.args]
        return inspect.Signature(parameters, return_annotation=_PYTHON_TYPES.get(self.result))

    @cached_property
    def documentation(self) -> str:
        """The summary, and a line for each argument."""
        lines = [self.summary] if self.summary else []
        if self.args:
            lines += ["", "Args:"]
            lines += [f"    {arg.name}: {arg.summary + '; ' if arg.summary else ''}{arg.accepted}" for arg in self.args]
        return "\n".join(lines)


def command_of(struct: _structs.Command) -> Command:
    args = tuple(_arg_of(struct.args[index], struct.limits[index]) for index in range(struct.arg_count))
    return Command(decode(struct.name), decode(struct.summary), ValueType(struct.result), args, CommandFlag(struct.flags))


def _arg_of(arg: _structs.Arg, limits: _structs.ArgLimits) -> CommandArg:
    default = getattr(limits, "def")
    choices = tuple(decode(limits.choices[index]) for index in range(limits.choice_count)) if limits.choices else None
    return CommandArg(decode(arg.name), decode(limits.summary), ValueType(arg.type), python_value(default.contents) if default else None,
                      bound_of(limits.min), bound_of(limits.max), choices)


def arranged(command: Command, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
    """The arguments in the command's order; those between that are missing are its defaults."""
    values = list(args)
    if not keywords:
        return values
    names = [arg.name for arg in command.args]
    for name in keywords:
        if name not in names:
            raise InvalidError(f"{command.name} has no argument {name!r}; it has {', '.join(names) or 'none'}")
        if names.index(name) < len(args):
            raise InvalidError(f"argument {name!r} of {command.name} is given twice: in its place and by its name")
    last = max(names.index(name) for name in keywords)
    for arg in command.args[len(args):last + 1]:
        if arg.name not in keywords and arg.default is None:
            raise InvalidError(f"argument {arg.name!r} of {command.name} is missing: it has no default; {arg.accepted} is accepted")
        values.append(keywords.get(arg.name, arg.default))
    return values


def run(handle: int, name: str, values: list[Any], args: tuple[CommandArg, ...] = ()) -> Scalar:
    """Calls a command; the core checks all there is to check."""
    natives = (_structs.Value * len(values))()
    kept = []  # alive until the call is over: natives point into it
    for index, value in enumerate(values):
        label = f"argument {args[index].name!r} of {name}" if index < len(args) else f"argument {index} of {name}"
        natives[index], memory = native_value(value, label, None)
        kept.append(memory)
    result = _structs.Value()
    check(_call(handle, encode(name, "name"), natives, len(values), ctypes.byref(result)))
    return python_value(result)


def bound(command: Command, owner: str, call: Callable[..., Scalar]) -> Callable[..., Scalar]:
    """A function that looks like one of the class's own."""
    def function(*args: Any, **keywords: Any) -> Scalar:
        return call(command.name, *args, **keywords)

    function.__name__ = command.name
    function.__qualname__ = f"{owner}.{command.name}"
    function.__doc__ = command.documentation
    function.__signature__ = command.signature  # type: ignore[attr-defined]
    return function
