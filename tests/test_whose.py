"Whose conversation a JSON value is, and what the command line makes of it"
import contextlib, io, json, subprocess, sys
from pathlib import Path
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lmcsurgery.chat import Msg
from lmcsurgery.cli import main
from lmcsurgery.ipynb import write_ipynb
from lmcsurgery.lmc import norm_lmc
from lmcsurgery.lmcwire import lmc2turns
from lmcsurgery.payload import _bare
from lmcsurgery.wire import LMCError, WireError, providers
from lmcsurgery.wire_check import check_payload
from lmcsurgery.whose import payload_provider, wire_forms, wire_forms_of
from lmcsurgery.wire_dlg import chat2wire, wire2chat, wire2dlg, wire2wire

rich = {p:json.loads((Path(__file__).parent/'data'/'wire'/f'{p}.json').read_text(encoding='utf-8')) for p in providers}
turn_keys = dict(openai='messages', responses='input', anthropic='messages', gemini='contents')
lmc = [dict(role='user', type='message', content='Add.'), dict(role='assistant', type='code', format='python', content='print(1)'), dict(role='computer', type='console', format='output', content='1\n')]

def cli(*args):
    out,err = io.StringIO(),io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err): code = main(list(map(str, args)))
    return code,out.getvalue(),err.getvalue()

def put(path, data):
    path.write_text(json.dumps(data))
    return path

@pytest.mark.parametrize('provider,name', [(p, n) for p in providers for n in rich[p]])
def test_every_kind_of_payload_is_told_and_sent_on(provider, name, tmp_path):
    payload = rich[provider][name]
    file = put(tmp_path/'p.json', payload)
    assert wire_forms_of(payload)[0]==provider or len(wire_forms_of(payload))>1
    for to in providers:
        code,out,err = cli('chat', file, '--to', to)
        assert code==0 and check_payload(json.loads(out), to)==[]
        if to==provider: assert (json.loads(out), err)==(payload, '')
    assert cli('check', file, '--to', provider)==(0, '', '')
    if wire_forms_of(payload)==[provider]: assert cli('check', file)==(0, '', '')
    # through a notebook, to the same vendor
    nb = tmp_path/'p.ipynb'
    assert cli('convert', file, nb)[0]==0 and cli('show', file)[0]==0
    again = json.loads(cli('chat', nb, '--to', provider)[1])
    assert again[turn_keys[provider]]==payload[turn_keys[provider]]

def test_every_other_kind_of_file(tmp_path):
    hist = wire2chat(rich['anthropic']['tools'], 'anthropic')
    write_ipynb(tmp_path/'d.ipynb', wire2dlg(hist))
    files = [tmp_path/'d.ipynb', put(tmp_path/'canonical.json', [m.todict() for m in hist]), put(tmp_path/'lmc.json', lmc), put(tmp_path/'dict.json', dict(messages=lmc)), put(tmp_path/'list.json', rich['openai']['tools']['messages']),
        put(tmp_path/'blocks.json', rich['anthropic']['tools']['messages']), put(tmp_path/'items.json', rich['responses']['tools']['input']), put(tmp_path/'contents.json', rich['gemini']['tools']['contents']),
        put(tmp_path/'one.json', dict(role='user', content='hi')), put(tmp_path/'chat.json', dict(object='chat.completion', choices=[dict(index=0, message=dict(role='assistant', content='Hi.', tool_calls=[dict(id='a', type='function', function=dict(name='f', arguments='{}'))]))])),
        put(tmp_path/'response.json', dict(object='response', output=[dict(type='message', role='assistant', content=[dict(type='output_text', text='Hi.', annotations=[])])])),
        put(tmp_path/'message.json', dict(type='message', role='assistant', content=[dict(type='text', text='Hi.')])), put(tmp_path/'gemini.json', dict(candidates=[dict(content=dict(role='model', parts=[dict(text='Hi.')]))]))]
    lines = tmp_path/'lines.jsonl'
    lines.write_text('\n'.join(map(json.dumps, rich['openai']['tools']['messages'])))
    for f in [*files, lines]:
        for to in providers:
            code,out,_ = cli('chat', f, '--to', to)
            assert code==0 and check_payload(json.loads(out), to)==[]
        plain = tmp_path/'plain.json'
        plain.write_text(cli('chat', f)[1])
        once,twice = (json.loads(cli('chat', x)[1]) for x in (f, plain))
        assert [(m['role'], [{k:v for k,v in p.items() if k!='data'} for p in m['content']]) for m in once]==[(m['role'], [{k:v for k,v in p.items() if k!='data'} for p in m['content']]) for m in twice]
        assert cli('convert', f, tmp_path/'out.ipynb')[0]==cli('show', f)[0]==0
    assert json.loads(cli('chat', lines, '--to', 'openai')[1])['messages']==rich['openai']['tools']['messages']

bad = {'x.json':{'foo':1}, 'chunk.json':{'choices':[{'delta':{'content':'x'}}]}, 'two.json':{'messages':[], 'input':'x'}, 'mixed.json':[dict(role='user', content=[dict(type='image_url', image_url={})]), dict(role='user', parts=[])],
    'number.json':5, 'text.json':'x', 'embeddings.json':{'input':['a','b']}, 'empty.json':{'messages':[]}, 'system.json':{'messages':[dict(role='system', content='s')], 'seed':1}, 'parts.json':[dict(role='tool', content=[dict(type='tool_result', text=[5], data={})])], 'deep.json':None}
@pytest.mark.parametrize('name', bad)
def test_what_cannot_be_told_is_one_line(name, tmp_path):
    file = put(tmp_path/name, bad[name])
    if name=='deep.json': file.write_text('{"messages":'*100_000)
    code,out,err = cli('chat', file, '--to', 'anthropic')
    assert (code, out, err.count('\n'))==(2, '', 1) and err.startswith(f'lmcsurgery: {file}'), err

def test_check_says_whose_it_is_or_asks(tmp_path):
    hi = [dict(role='user', content='hi')]
    for payload,to,want in [(dict(messages=hi), None, 2), (dict(messages=hi), 'openai', 0), (dict(messages=hi), 'anthropic', 0), (dict(messages=hi, model='claude-x'), None, 0), (dict(messages=hi, seed=1), None, 0), (hi, None, 2), (dict(input='hi'), None, 0),
        (dict(contents=[]), None, 1), (dict(messages=[dict(role='assistant', content='x ')], system=''), None, 1), (lmc, None, 2), (dict(choices=[dict(message=hi[0])]), None, 2), (dict(messages=[*hi, dict(role='robot', content='x'), 5], stop='x'), None, 1), (5, None, 2), (5, 'openai', 1)]:
        code,out,err = cli('check', put(tmp_path/'p.json', payload), *(['--to', to] if to else []))
        assert (code, bool(out), err.count('\n'))==(want, want==1, int(want==2)), (payload, code, out, err)
    (tmp_path/'p.json').write_text('{')
    assert cli('check', tmp_path/'p.json')[0]==2

def test_as_a_process(tmp_path):
    file = put(tmp_path/'p.json', rich['openai']['tools'])
    run = lambda *args: subprocess.run([sys.executable, '-c', 'import sys; from lmcsurgery.cli import main; sys.exit(main())', *map(str, args)], capture_output=True, text=True)
    res = run('chat', file, '--to', 'gemini')
    assert res.returncode==0 and check_payload(json.loads(res.stdout), 'gemini')==[]
    assert [run('check', f, *to).returncode for f,to in [(file, ()), (file, ('--to','gemini')), (tmp_path/'none.json', ())]]==[0,1,2]

texts = st.sampled_from(['a', '', ' b\n'])
parts = st.builds(lambda t: dict(type='text', text=t), texts)
turns = st.builds(lambda r,c: dict(role=r, content=c), st.sampled_from(['user','assistant','system','developer']), texts | st.lists(parts, min_size=1, max_size=2))
typed = st.builds(lambda r,c: dict(role=r, type='message', content=c), st.sampled_from(['user','assistant','system']), st.sampled_from(['a', ' b\n']))

@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(turns, max_size=4) | st.lists(typed, max_size=4))
def test_several_forms_say_the_same(msgs):
    "Where a shape leaves several forms, each reads the same words of the same speakers"
    def said(form):
        hist = lmc2turns(norm_lmc(msgs)) if form=='lmc' else [Msg.from_dict(m) for m in msgs] if form=='chat' else wire2chat(msgs, form)
        return [(m.role.replace('developer', 'system'), t) for m in hist for t in ([m.content] if isinstance(m.content, str) else [_bare(p)[1] for p in m.content])]
    for data in (msgs, dict(messages=msgs)):
        forms = wire_forms_of(data)
        assert forms
    forms = wire_forms_of(msgs)
    assert len({json.dumps(said(f)) for f in forms if f!='lmc' or not any(m['role']=='system' for m in msgs)})<=1

scraps = st.recursive(st.none() | st.booleans() | st.integers() | st.sampled_from(['', 'x', 'text', 'user', 'assistant', 'tool', 'model', 'message', 'function_call', 'tool_use', 'tool_result', 'response', 'code']),
    lambda s: st.lists(s, max_size=3) | st.dictionaries(st.sampled_from('role content type text data parts messages input contents tools tool_calls function functionCall functionResponse name arguments args id call_id output choices message candidates object system config source format image_url refusal audio'.split()), s, max_size=4), max_leaves=12)

@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(scraps)
def test_any_json_is_read_or_refused(data):
    "Total: no JSON makes anything but an error of ours"
    assert set(wire_forms_of(data))<=set(wire_forms)
    for f in (payload_provider, check_payload, lambda d: wire2wire(d, 'gemini'), lambda d: wire2wire(d, 'openai'), lambda d: wire2dlg(wire2chat(d)), *(lambda d, p=p: wire2chat(d, p) for p in providers), *(lambda d, p=p: check_payload(d, p) for p in providers)):
        try: f(data)
        except LMCError: pass

@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(list(providers)), st.data())
def test_a_payload_with_a_scrap_in_it_is_read_or_refused(provider, data):
    "The same, nearer to the truth: a rich payload in which one thing is replaced"
    payload = json.loads(json.dumps(data.draw(st.sampled_from(list(rich[provider].values())))))
    at = payload
    while True:
        k = data.draw(st.sampled_from(list(at) if isinstance(at, dict) else list(range(len(at)))))
        if isinstance(at[k], (dict,list)) and at[k] and data.draw(st.integers(0,3)): at = at[k]
        else: break
    at[k] = data.draw(scraps)
    for to in providers:
        try: w = wire2wire(payload, to, provider)
        except WireError: continue
        if to!=provider: assert check_payload(w.payload, to)==[]
    check_payload(payload, provider)
