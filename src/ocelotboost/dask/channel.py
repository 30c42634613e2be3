"""Messages between the driver and a worker: pickles over a TCP connection of their own.

Dask moves data between tasks in milliseconds. A tree needs a dozen rounds of small messages, so
the driver and each worker have a connection, on which a round takes a fraction of a millisecond.
Both sides prove that they know a secret, which travels through Dask, before anything is unpickled.
"""

from __future__ import annotations

import pickle
import socket
import struct
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Any

import cloudpickle

#: A machine that vanished is noticed after this many seconds without an answer to three probes.
_IDLE_SECONDS, _PROBE_SECONDS, _PROBES = 10, 5, 3


def prepare(connected: socket.socket, timeout: float) -> Connection:
    """A connection whose small messages leave at once, and which fails rather than hangs."""
    connected.setblocking(True)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, seconds in (
        ("TCP_KEEPIDLE", _IDLE_SECONDS),
        ("TCP_KEEPINTVL", _PROBE_SECONDS),
        ("TCP_KEEPCNT", _PROBES),
    ):
        if hasattr(socket, name):
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds)
    limit = struct.pack("ll", int(timeout), int(timeout % 1 * 1e6))
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
    return Connection(connected.detach())


def connect(host: str, port: int, secret: bytes, timeout: float) -> Connection:
    """To a worker that listens."""
    connection = prepare(socket.create_connection((host, port), timeout=timeout), timeout)
    answer_challenge(connection, secret)
    deliver_challenge(connection, secret)
    return connection


def accept(listening: socket.socket, secret: bytes, timeout: float) -> Connection:
    """From the driver."""
    connection = prepare(listening.accept()[0], timeout)
    deliver_challenge(connection, secret)
    answer_challenge(connection, secret)
    return connection


def to_bytes(message: Any) -> bytes:
    """A pickle; users' own losses may be of functions that have no name to be found by."""
    try:
        return pickle.dumps(message, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError):
        found: bytes = cloudpickle.dumps(message)
        return found
