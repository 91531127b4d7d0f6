"The laws, on thousands of inputs"
from hypothesis import given, settings, strategies as st, example
from lmcsurgery.chat import *
from strategies import *

@settings(max_examples=20000, deadline=None)
@given(replies)
def test_reading_is_a_fixed_point(s):
    once = fmt2hist(s)
    assert fmt2hist(hist2fmt(once))==once
