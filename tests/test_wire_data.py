"Rich payloads as the vendors' public documents describe them, and broken ones: tests/data/wire"
import copy, json
from pathlib import Path
import pytest
from lmcsurgery.ipynb import read_ipynb, write_ipynb
from lmcsurgery.wire import WireError, providers
from lmcsurgery.wire_check import check_payload
from lmcsurgery.wire_dlg import chat2wire, dlg2wire, wire2chat, wire2dlg, wire2wire

folder = Path(__file__).parent/'data'/'wire'
rich = {p:json.loads((folder/f'{p}.json').read_text(encoding='utf-8')) for p in providers}
refused = json.loads((folder/'refused.json').read_text(encoding='utf-8'))

@pytest.mark.parametrize('provider,name', [(p, n) for p in providers for n in rich[p]])
def test_accepted(provider, name, tmp_path):
    payload = rich[provider][name]
    before = copy.deepcopy(payload)
    assert check_payload(payload, provider)==[]
    hist = wire2chat(payload, provider)
    w = chat2wire(hist, provider, **hist.extra)
    assert (w.payload, w.findings)==(before, [])
    write_ipynb(tmp_path/'log.ipynb', wire2dlg(hist))
    saved = dlg2wire(read_ipynb(tmp_path/'log.ipynb'))
    assert saved==list(hist) and chat2wire(saved, provider, **hist.extra).payload==before
    for other in providers: # through any other vendor's payload nothing is invalid, and no words of a user or a model are lost
        there = wire2wire(payload, other, provider)
        assert check_payload(there.payload, other)==[]
        sent = json.dumps(there.payload)
        for m in hist:
            for p in m.content:
                if p.type=='text' and p.text and p.text.strip() and not (p.data or {}).get('raw'): assert json.dumps(p.text.strip())[1:-1] in sent
    assert payload==before

@pytest.mark.parametrize('provider,name', [(p, n) for p in providers for n in refused[p]])
def test_refused(provider, name):
    payload,where = refused[provider][name]
    before = copy.deepcopy(payload)
    found = check_payload(payload, provider)
    assert where in [f.where for f in found]
    for to in providers:
        try: w = wire2wire(payload, to, provider)
        except WireError as e:
            assert 'only system text' in str(e)
            continue
        assert check_payload(w.payload, to)==[]
        again = wire2wire(w.payload, to, to)
        assert (again.payload, again.findings)==(w.payload, [])
    assert payload==before

odd = json.loads((folder/'odd.json').read_text(encoding='utf-8'))

@pytest.mark.parametrize('n', range(len(odd)))
def test_odd(n):
    "Found by replacing things in good payloads at random; each of them once made something raise, or come out invalid"
    provider,payload = odd[n]
    before = copy.deepcopy(payload)
    assert provider!='openai' or 'choices' in payload or check_payload(payload, provider) or 'tools' in payload
    for to in providers:
        try: w = wire2wire(payload, to, provider)
        except WireError as e:
            assert any(t in str(e) for t in ('tools: expected', 'expected a dict', 'config: expected'))
            continue
        assert check_payload({k:v for k,v in w.payload.items() if k!='config'}, to)==[]
    try: wire2dlg(wire2chat(payload, provider))
    except WireError: pass
    assert payload==before
