"""Every case of `data/cases/dialog.json`: *keep* gives the same output; *bug* and *judgement* give what is written, with the reason, in `dialog_ours.json`.

That file also lists the few *keep* cases that a decision of ours overrules. The kinds in `files` are about notebook files."""
import json
import pytest
from casekit import data, decode, run

files = {'to_cell','cell2msg','from_cell','write_ipynb','conv_old_prompts'}
def key(case): return case['kind'], case['name'], case['stack'], json.dumps(case['input'], sort_keys=True) if 'input' in case else None
cases = [c for c in json.loads((data/'cases/dialog.json').read_text(encoding='utf-8')) if c['kind'] not in files]
ours = json.loads((data/'cases/dialog_ours.json').read_text(encoding='utf-8'))
by_name = {(c['kind'], c['name'], c['stack']):c for c in ours}

def test_nothing_is_skipped():
    assert len(cases)==470 and len(ours)==len([c for c in cases if c['verdict']!='keep'])+12
    assert {(c['kind'],c['name'],c['stack']) for c in ours} <= {(c['kind'],c['name'],c['stack']) for c in cases}
    assert all(c['why'] for c in ours)

@pytest.mark.parametrize('case', cases, ids=lambda c: f"{c['kind']}-{c['name']}-{c['stack']}"[:90])
def test_case(case):
    mine = by_name.get((case['kind'], case['name'], case['stack']))
    assert mine or case['verdict']=='keep'
    want = (mine or case)['output']
    if isinstance(want, dict) and '$raises' in want:
        with pytest.raises((ValueError, KeyError, TypeError)) as err: run(case['kind'], case['stack'], case['input'])
        assert want['$raises'][1] in str(err.value)
        if mine: assert type(err.value).__name__==want['$raises'][0]
    else:
        got = run(case['kind'], case['stack'], case['input'])
        assert repr(got)==repr(adjust(case, decode(want))) # repr: NaN equals itself, and 1 is not True

def adjust(case, want):
    "What the encoding of the cases cannot say"
    if case['kind']=='chat2dlg': return [m|dict(id=m['id'] if m['id']=='abc' else '?') for m in want] # random ids
    if case['name']=='source: f(a={1:2})' and case['kind']=='tool_call': return dict(name='f', arguments={'a':{1:2}}) # JSON has no int keys
    return want
