"""Commands: what stands in the way of a result is one line and an exit status, in each of them.

Of a command of many options the fields of a frozen dataclass are its arguments and options. What
was typed comes to it as one value, so that it is a function of one argument, and what it is asked
can be handed on.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar, cast, get_type_hints

import typer

from vision.apps.cli.talk import reporting

__all__ = ["add_command", "add_function", "group", "later"]

Form = TypeVar("Form")


def add_command(app: typer.Typer, name: str, form: type[Form], run: Callable[[Form], None]) -> None:
    """Add a command whose help is the docstring of what it runs, else of its form.

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
    untyped.__doc__ = run.__doc__ or form.__doc__
    add_function(app, name, command)


def later(module: str, *more: Any) -> Callable[[Any], None]:
    """Return ``run`` of a module here, which is loaded when it runs; ``more`` is handed on, too."""

    def run(order: Any) -> None:
        import_module(f"{__package__}.{module}").run(order, *more)

    return run


def add_function(app: typer.Typer, name: str, run: Callable[..., None]) -> None:
    """Add a command that takes its arguments and options one by one."""

    @wraps(run)
    def command(**given: Any) -> None:
        with reporting():
            run(**given)

    app.command(name=name)(command)


def group(app: typer.Typer, name: str, said: str) -> typer.Typer:
    """Add a group of commands; ``said`` is its help."""
    made = typer.Typer(help=said, no_args_is_help=True, rich_markup_mode=None)
    app.add_typer(made, name=name)
    return made
