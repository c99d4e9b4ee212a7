"""Messages between the server and the page: strict JSON in, JSON out. Seeds are decimal strings, records base64."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct

from porta_nigra_env.core.narration.language import SOURCE

#: Largest size of a message or a request, in bytes.
LONGEST: Final = 4096
#: Bounds of step counts and action ids; no game comes near them.
_Index = Annotated[int, Meta(ge=0, le=1_000_000)]
_Id = Annotated[int, Meta(ge=0, le=65_535)]
_Text = Annotated[str, Meta(max_length=300)]
#: Number of steps by which onlookers see a table late unless its opener says otherwise.
DELAY: Final = 10
T = TypeVar("T")


class ProtocolError(ValueError):
    """A message that the protocol does not allow; it says which field is wrong."""


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """A request for a new table.

    Attributes:
        seats: "human" or an agent string for each seat.
        seed: None for a random one.
        mine: the opener's seat; all other human seats get invitations.
        delay: number of steps after which onlookers see one; None for a table without onlookers.
    """

    game: _Text
    players: Annotated[int, Meta(ge=1, le=64)]
    seats: Annotated[list[_Text], Meta(max_length=64)]
    seed: Annotated[str, Meta(pattern=r"^[0-9]{1,19}$")] | None = None
    mine: Annotated[int, Meta(ge=0, le=63)] | None = None
    delay: Annotated[int, Meta(ge=0, le=10_000)] | None = DELAY


class Opened(Struct, frozen=True):
    """The answer to a `Request`: the opener's token, and an invitation for each other human seat, by seat.

    Attributes:
        onlooker: the token of all onlookers; None if the table has none.
    """

    table: str
    tokens: dict[str, str]
    invitations: dict[str, str]
    onlooker: str | None


class CodeRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A request for the QR code of a link."""

    link: _Text


class Code(Struct, frozen=True):
    """The answer to a `CodeRequest`; rows: of "0" and "1" (dark), without the quiet zone."""

    rows: list[str]


class Network(Struct, frozen=True):
    """The answer to `GET api/network`.

    Attributes:
        origin: the address of the server in its local network; None if it listens to this machine alone.
        codes: whether it makes QR codes.
    """

    origin: str | None
    codes: bool


class Message(Struct, forbid_unknown_fields=True, tag_field="kind", tag=str.lower):
    """Base class of the messages that a seat sends."""


class Sit(Message):
    """The first message of a socket.

    Attributes:
        token: the seat's token, an invitation to it, or the token of onlookers.
        fresh: the token that replaces an invitation; the client draws it at random, so that a retry is harmless.
        name: the person's name (`people.checked_name`); None leaves it as it is. Onlookers have none.
    """

    token: _Text
    fresh: _Text | None = None
    name: _Text | None = None


class Play(Message):
    """Play an action; at: the number of steps that the sender has seen."""

    at: _Index
    action: _Id


class Undo(Message, tag="back"):
    """Undo the sender's last action."""

    at: _Index


class Hint(Message):
    """Ask the analysis agent about the sender's decision, or about any step after the end of the game."""

    at: _Index


class Retry(Message):
    """Ask an agent again that has failed."""


class Tell(Message):
    """Ask for the table in words.

    Attributes:
        from_: the step at which the events begin.
        language: one of `core.narration.language.LANGUAGES`.
        why: an action that is not legal, to be told the reason.
    """

    from_: _Index = msgspec.field(name="from")
    language: _Text = SOURCE
    why: _Id | None = None


class Say(Message):
    """Say one of `people.PHRASES` to all at the table."""

    phrase: _Text


class ServerMessage(Struct, tag_field="kind", tag=str.lower):
    """Base class of the messages that the server sends."""


class Seat(Struct, frozen=True, omit_defaults=True):
    """A seat: "human" or an agent string.

    Attributes:
        here: whether a person is connected, always true for agents.
        forfeited: why it forfeited: "answers", "time" or "left"; left out if it did not.
        name: the person's name; left out without one.
    """

    agent: str
    here: bool
    forfeited: str | None = None
    name: str | None = None


class Seated(ServerMessage, omit_defaults=True):
    """The first answer to `Sit`.

    Attributes:
        components: hex SHA-256 of the game's constants.
        seat: -1 for an onlooker.
        analysis: the agent that gives hints; None for none.
        delay: number of steps by which an onlooker sees the table late; left out for a seat.
        said: recent phrases, the oldest first: number of steps before it, seat, and phrase.
    """

    table: str
    game: str
    version: int
    components: str
    players: int
    seat: int
    seats: list[Seat]
    analysis: str | None
    delay: int | None = None
    said: list[tuple[int, int, str]] = []


class StateUpdate(ServerMessage, tag="stands"):
    """The state of the table as one seat sees it, or as onlookers see it: late until the end of the game.

    Attributes:
        at: number of steps so far.
        mover: the player to move, -1 when the game is over.
        state: the seat's redacted record.
        legal: action ids, empty unless this seat is to move.
        from_: the step at which `log` begins.
        log: [seat, action, record] for each step; None for a secret action; the seat's redacted record before it.
        since: the step after the seat's last turn; the last step for onlookers.
        undoable: whether the seat may undo its last action.
    """

    at: int
    mover: int
    state: bytes
    legal: list[int]
    from_: int = msgspec.field(name="from")
    log: list[tuple[int, int | None, bytes]]
    since: int
    undoable: bool


class Over(ServerMessage):
    """The whole game, sent after its end; places: by seat, those that forfeited behind all others."""

    seed: str
    actions: list[int]
    places: list[int]


class Here(ServerMessage):
    """Connected seats."""

    seats: list[bool]


class Forfeit(ServerMessage):
    """A seat has forfeited, and an agent plays it from now on; why: "answers", "time" or "left"."""

    seat: int
    why: str


class Named(ServerMessage):
    """A person has another name."""

    seat: int
    name: str


class Said(ServerMessage):
    """A seat has said a phrase."""

    seat: int
    phrase: str


class Advice(ServerMessage, tag="hint"):
    """The analysis agent's policy, best action first, and its win shares by seat."""

    at: int
    agent: str
    actions: list[tuple[int, float]]
    values: list[float] | None


class Told(ServerMessage):
    """The table in words, addressed to the seat.

    Attributes:
        at: number of steps so far.
        events: [step, sentences] for each step from `Tell.from_` on: what the seat has seen change.
        legal: [action, sentence] for each legal action, with its effects; empty unless the seat is to move.
        why: the reason why the action of `Tell.why` is not legal, else null.
    """

    at: int
    events: list[tuple[int, list[str]]]
    legal: list[tuple[int, str]]
    why: str | None


class Refused(ServerMessage):
    """The reason why a request was not carried out; nothing has changed."""

    why: str


SeatMessage = Sit | Play | Undo | Hint | Retry | Tell | Say
_MESSAGES: Final[msgspec.json.Decoder[SeatMessage]] = msgspec.json.Decoder(SeatMessage)
_REQUESTS: Final = msgspec.json.Decoder(Request)
_CODES: Final = msgspec.json.Decoder(CodeRequest)
_ENCODER: Final = msgspec.json.Encoder()


def read_message(text: str) -> SeatMessage:
    """Decode a message of a socket. Raises ProtocolError."""
    return _read(_MESSAGES, text)


def read_request(text: bytes) -> Request:
    """Decode a request for a table. Raises ProtocolError, which names the field."""
    return _read(_REQUESTS, text)


def read_code_request(text: bytes) -> CodeRequest:
    """Decode a request for a QR code. Raises ProtocolError, which names the field."""
    return _read(_CODES, text)


def _read(decoder: msgspec.json.Decoder[T], text: str | bytes) -> T:
    try:
        return decoder.decode(text)
    # UnicodeError: lone surrogates; RecursionError: deep nesting.
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ProtocolError(str(error)) from None


def encode(answer: Any) -> str:
    """Encode an answer as JSON."""
    return _ENCODER.encode(answer).decode()
