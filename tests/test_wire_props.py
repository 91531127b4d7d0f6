"The laws of the wire, on histories built at random"
import copy, json
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
import pytest
from lmcsurgery.chat import Msg, Part
from lmcsurgery.anthropic_wire import anthropic2chat, chat2anthropic
from lmcsurgery.gemini_wire import chat2gemini, gemini2chat
from lmcsurgery.openai_wire import chat2openai, chat2responses, openai2chat, responses2chat
from lmcsurgery.wire import WireError, _uni, providers, repair
from lmcsurgery.wire_check import check_payload
from strategies import hostile_hists

writers = dict(openai=chat2openai, responses=chat2responses, anthropic=chat2anthropic, gemini=chat2gemini)
readers = dict(openai=openai2chat, responses=responses2chat, anthropic=anthropic2chat, gemini=gemini2chat)
law = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))

def words(hist):
    "Texts that must not be lost"
    for m in hist:
        if isinstance(m, Msg) and isinstance(m.content, str): yield m.content
        for p in m.content if isinstance(m, Msg) and isinstance(m.content, list) else ():
            if isinstance(p, Part) and p.type in ('text','refusal') and isinstance(p.text, str): yield p.text
            if isinstance(p, Part) and p.type in ('tool_result','server_tool_result') and isinstance(p.data, dict) and 'raw' not in p.data:
                if isinstance(p.text, str): yield p.text
                for q in p.text if isinstance(p.text, list) else ():
                    if isinstance(q, Part) and q.type=='text' and isinstance(q.text, str): yield q.text

def strings(val):
    if isinstance(val, str): yield val
    elif isinstance(val, dict):
        for v in val.values(): yield from strings(v)
    elif isinstance(val, list):
        for v in val: yield from strings(v)

@pytest.mark.parametrize('provider', providers)
@law
@given(hostile_hists)
def test_any_history_is_sent(provider, hist):
    before = copy.deepcopy(hist)
    try: w = writers[provider](hist)
    except WireError:
        assert not any(isinstance(m, (str,dict)) or isinstance(m, Msg) and m.role not in ('system','developer','tool','function') for m in hist) and not any(t.strip() for m in hist if m and m.role in ('tool','function') for t in words([m]))
        return
    assert repr(hist)==repr(before)
    assert check_payload(w.payload, provider)==[]
    text = json.dumps(w.payload, allow_nan=False)
    assert check_payload(json.loads(text), provider)==[]
    sent = '\n'.join(strings(w.payload))
    for t in words(hist): assert _uni(t).strip() in sent

@pytest.mark.parametrize('provider', providers)
@law
@given(hostile_hists)
def test_repair_is_idempotent(provider, hist):
    try: once,_ = repair(hist, provider)
    except WireError: return
    assert repair(once, provider)==(once, [])

@pytest.mark.parametrize('provider', providers)
@law
@given(hostile_hists)
def test_payload_comes_back(provider, hist):
    "What we sent, read and sent again, is the same; and it can go to every other provider"
    try: w = writers[provider](hist)
    except WireError: return
    again = readers[provider](w.payload)
    back = writers[provider](again, **again.extra)
    assert back.payload==w.payload
    assert back.findings==[]
    for other in providers: assert check_payload(writers[other](again).payload, other)==[]

@law
@given(hostile_hists)
def test_repair_is_stable(hist):
    for p in providers:
        try: assert repair(hist, p)==repair(copy.deepcopy(hist), p)
        except WireError: pass
