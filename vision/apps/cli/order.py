"""A command from a form: the fields of a frozen dataclass are its arguments and options.

What was typed comes to the command as one value, so that a command of many options is a function of
one argument, and what it is asked can be handed on.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast, get_type_hints

import typer

__all__ = ["add_command"]

Form = TypeVar("Form")


def add_command(app: typer.Typer, name: str, form: type[Form], run: Callable[[Form], None]) -> None:
    """Add a command whose help is the docstring of what it runs.

    Parameters
    ----------
    app : Typer
        What it is added to.
    name : str
        What is typed for it.
    form : type
        A dataclass; each field is annotated with what typer takes it as.
    run : callable
        Takes a filled form.
    """

    def command(**given: Any) -> None:
        run(form(**given))

    untyped = cast("Any", command)
    untyped.__signature__ = inspect.signature(form).replace(return_annotation=None)
    untyped.__annotations__ = get_type_hints(form, include_extras=True)
    untyped.__doc__ = run.__doc__
    app.command(name=name)(command)
