"""What goes over the wire: requests read strictly, answers as JSON; seeds are decimal texts, records base64."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct

#: Bytes of a message or a request, at most.
LONGEST: Final = 4096
#: A number of decisions, and an action's id: bounds that no game comes near.
_Index = Annotated[int, Meta(ge=0, le=1_000_000)]
_Id = Annotated[int, Meta(ge=0, le=65_535)]
_Text = Annotated[str, Meta(max_length=300)]
T = TypeVar("T")


class ProtocolError(ValueError):
    """Something that is no message of the protocol; it says what is wrong."""


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """A new table; seats: "human" or an agent's text, for each seat."""

    game: _Text
    players: Annotated[int, Meta(ge=1, le=64)]
    seats: Annotated[list[_Text], Meta(max_length=64)]
    seed: Annotated[str, Meta(pattern=r"^[0-9]{1,19}$")] | None = None


class Message(Struct, forbid_unknown_fields=True, tag_field="kind", tag=str.lower):
    """What a seat's socket says."""


class Sit(Message):
    """Who it is, first of all."""

    token: _Text


class Play(Message):
    """A decision; at: how many the table has seen."""

    at: _Index
    action: _Id


class Undo(Message, tag="back"):
    """The own last decision back."""

    at: _Index


class Hint(Message):
    """What the analysing agent would do, at the own decision; after the end at any place of the game."""

    at: _Index


class ServerMessage(Struct, tag_field="kind", tag=str.lower):
    """What a seat is told."""


class Seat(Struct, frozen=True):
    """Who sits there: "human" or an agent's text; here: whether somebody is connected, always for agents."""

    agent: str
    here: bool


class Seated(ServerMessage):
    """The first answer to `Sit`; components: hex SHA-256 of the game's tables."""

    table: str
    game: str
    version: int
    components: str
    players: int
    seat: int
    seats: list[Seat]
    analysis: str | None


class StateUpdate(ServerMessage, tag="stands"):
    """How the table stands for a seat.

    Attributes:
        at: how many decisions there were.
        mover: who is to decide, -1 when the game is over.
        state: the record as the seat sees it.
        legal: ids, empty unless it is this seat's turn.
        from_: the place from which `log` tells what was chosen, [seat, action], None for a secret of somebody else.
        before: the record as the seat saw it behind its own last turn; None where it has decided since.
        since: that place.
        undoable: whether the seat may take its last decision back.
    """

    at: int
    mover: int
    state: bytes
    legal: list[int]
    from_: int = msgspec.field(name="from")
    log: list[tuple[int, int | None]]
    before: bytes | None
    since: int
    undoable: bool


class Over(ServerMessage):
    """The whole game, once it has ended."""

    seed: str
    actions: list[int]


class Here(ServerMessage):
    """Who is connected."""

    seats: list[bool]


class Advice(ServerMessage, tag="hint"):
    """What the analysing agent thinks: actions with probabilities, best first; values: win shares by seat."""

    at: int
    agent: str
    actions: list[tuple[int, float]]
    values: list[float] | None


class Refused(ServerMessage):
    """Nothing has changed."""

    why: str


_MESSAGES: Final[msgspec.json.Decoder[Sit | Play | Undo | Hint]] = msgspec.json.Decoder(Sit | Play | Undo | Hint)
_REQUESTS: Final = msgspec.json.Decoder(Request)
_ENCODER: Final = msgspec.json.Encoder()


def read_message(text: str) -> Sit | Play | Undo | Hint:
    """A message of a socket; ProtocolError says what is wrong with it."""
    return _read(_MESSAGES, text)


def read_request(text: bytes) -> Request:
    """A request for a table; ProtocolError names the field."""
    return _read(_REQUESTS, text)


def _read(decoder: msgspec.json.Decoder[T], text: str | bytes) -> T:
    try:
        return decoder.decode(text)
    # Lone surrogates of a text, and what is nested too deeply.
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ProtocolError(str(error)) from None


def written(answer: Any) -> str:
    """An answer as it is sent."""
    return _ENCODER.encode(answer).decode()
