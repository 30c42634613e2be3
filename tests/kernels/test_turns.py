"""Threads that take turns at running Python: nobody waits forever, and results are the same."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ocelotboost.kernels import native
from ocelotboost.kernels.turns import taking_turns


def call_kernel():
    values, out = np.linspace(-1, 1, 100), np.empty(100)
    native.logistics(values, out, n_threads=1)
    return out


def test_a_thread_takes_turns_only_where_it_said_so():
    assert native.take_turns(False) is False
    with taking_turns():
        with taking_turns(False):
            assert native.take_turns(False) is False
        assert native.take_turns(True) is True
    assert native.take_turns(False) is False


def test_an_error_ends_it():
    with pytest.raises(RuntimeError), taking_turns():
        raise RuntimeError
    assert native.take_turns(False) is False


def test_a_thread_that_never_comes_back_keeps_nobody_waiting():
    def leave():
        native.take_turns(True)
        call_kernel()  # and the turn is this thread's forever

    gone = threading.Thread(target=leave)
    gone.start()
    gone.join()
    expected = call_kernel()
    with taking_turns():
        for _ in range(10):
            assert_array_equal(call_kernel(), expected)


def test_many_threads_get_their_turns():
    expected, found = call_kernel(), []

    def work():
        with taking_turns():
            found.extend(call_kernel() for _ in range(200))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1200
    assert all((own == expected).all() for own in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_wait_for_its_parents_threads():
    with taking_turns():
        call_kernel()
        child = os.fork()
        if child == 0:
            call_kernel()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
