"The broken histories of the case file, and the payloads of each vendor that must come back as they are"
import copy, json
from pathlib import Path
import pytest
from lmcsurgery.anthropic_wire import anthropic2chat, chat2anthropic
from lmcsurgery.chat import Msg, Part, chat2dlg, dlg2chat
from lmcsurgery.fit import count_tokens, fit
from lmcsurgery.gemini_wire import chat2gemini, gemini2chat
from lmcsurgery.ipynb import read_ipynb, write_ipynb
from lmcsurgery.message import Finding
from lmcsurgery.openai_wire import chat2openai, chat2responses, openai2chat, responses2chat
from lmcsurgery.wire import WireError, no_result, parse_args, providers, raw_args_key, repair
from lmcsurgery.wire_check import check_payload
from lmcsurgery.wire_dlg import chat2wire, dlg2wire, wire2chat, wire2dlg

cases = {c['name']:c['messages'] for c in json.loads((Path(__file__).parent/'data'/'cases'/'histories.json').read_text())}
png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

def words(msgs):
    "All texts of a history in OpenAI's form"
    for m in msgs:
        c = m.get('content')
        yield from [c] if isinstance(c, str) else [p['text'] for p in c or () if p.get('type')=='text']

@pytest.mark.parametrize('provider', providers)
@pytest.mark.parametrize('name', cases)
def test_case(name, provider):
    msgs = cases[name]
    before = copy.deepcopy(msgs)
    hist = openai2chat(msgs)
    if name in ('system only', 'empty history'):
        with pytest.raises(WireError, match='system text' if msgs else 'empty history'): chat2wire(hist, provider)
        return
    w = chat2wire(hist, provider)
    assert check_payload(w.payload, provider)==[]
    sent = json.dumps(w.payload, ensure_ascii=False)
    for t in words(msgs): assert json.dumps(t, ensure_ascii=False)[1:-1] in sent
    once,_ = repair(hist, provider)
    assert repair(once, provider)==(once, [])
    assert msgs==before
    assert chat2wire(dlg2wire(wire2dlg(hist)), provider).payload==w.payload

def sent(name, provider): return chat2wire(openai2chat(cases[name]), provider)
def said(name, provider): return [(m.role, [p.text for p in m.content]) for m in repair(openai2chat(cases[name]), provider)[0]]

def test_what_repair_does():
    assert said('orphan call then user', 'openai')[2:]==[('tool', [no_result]), ('user', ['never mind'])]
    assert said('user between call and result', 'openai')[2:4]==[('tool', ['r1']), ('user', ['hurry'])]
    assert said('orphan result', 'openai')==[('user', ['a']), ('user', ['[result of f zz]\nr']), ('assistant', ['b'])]
    assert said('two user msgs', 'anthropic')==[('user', ['a', 'b']), ('assistant', ['c'])]
    assert said('starts with asst', 'gemini')[0]==('user', ['.'])
    assert said('system mid', 'anthropic')[2]==('user', ['<system>\nrule\n</system>', 'c'])
    assert said('system mid', 'openai')[2]==('system', ['rule'])
    ids = [m['tool_call_id'] for m in sent('dup call id across turns', 'openai').messages if m['role']=='tool']
    assert ids==['c1', 'c1_2']
    [call] = sent('bad id chars', 'anthropic').messages[1]['content']
    assert call['id']==sent('bad id chars', 'anthropic').messages[2]['content'][0]['tool_use_id'] and call['id'].startswith('call_')
    assert sent('bad id chars', 'openai').findings==[]
    assert sent('broken args json', 'anthropic').messages[1]['content'][0]['input']=={'x':1}
    assert sent('args not dict', 'gemini').contents[1]['parts'][0]['functionCall']['args']=={raw_args_key:[1,2]}
    assert sent('img wrong mime', 'anthropic').messages[0]['content'][0]['source']['media_type']=='image/png'
    assert sent('img svg', 'openai').messages[0]['content'][0]['type']=='text'
    assert [m['role'] for m in sent('tool result img list', 'openai').messages]==['user', 'assistant', 'tool', 'user', 'assistant']
    assert [b['type'] for b in sent('tool result img list', 'anthropic').messages[2]['content'][0]['content']]==['text', 'image']
    thinking,text,use = sent('thinking+call', 'anthropic').messages[1]['content']
    assert thinking==dict(type='thinking', thinking='hm', signature='SIG') and text['text']=='x' and use['type']=='tool_use'
    assert [f.what for f in sent('thinking+call', 'openai').findings]==['reasoning']
    assert [f for n in ('parallel results', 'img data url', 'unicode args') for f in sent(n, 'openai').findings]==[]

@pytest.mark.parametrize('provider', providers)
def test_linear(provider):
    "Counted, not timed: each turn of a broken history is visited a bounded number of times"
    def calls(n):
        import sys
        hist = [m for i in range(n) for m in (Msg('user', [Part('text', ' ')]), Msg('assistant', [Part('tool_use', None, dict(id='c', name='a.b', arguments='{"a'))]), Msg('user', [Part('text', 'x')]), Msg('tool', [Part('tool_result', 'r', dict(id='c'))]))]
        count = 0
        def trace(frame, event, arg):
            nonlocal count
            count += event=='call'
        sys.setprofile(trace)
        try: chat2wire(hist, provider)
        finally: sys.setprofile(None)
        return count
    a,b = calls(50),calls(400)
    assert b<=8.8*a

call = dict(id='a', type='function', function=dict(name='f', arguments='{"x": 1}'))
accepted = dict(
    openai=[
        [dict(role='user', content='hi')],
        [dict(role='system', content=[dict(type='text', text='s')]), dict(role='user', content='hi', name='bob'), dict(role='assistant', content=[dict(type='text', text='a'), dict(type='refusal', refusal='r')])],
        [dict(role='user', content='hi'), dict(role='assistant', tool_calls=[call]), dict(role='tool', tool_call_id='a', content=[dict(type='text', text='x'), dict(type='text', text='y')]), dict(role='assistant', content='ok', refusal=None, annotations=[], audio=None)],
        [dict(role='user', content=[dict(type='input_audio', input_audio=dict(data='UklGRjAwMDBXQVZF', format='wav')), dict(type='file', file=dict(file_id='f')), dict(type='image_url', image_url=dict(url='https://x.org/a.png'))])],
        [dict(role='developer', content='d'), dict(role='user', content='a'), dict(role='user', content='b'), dict(role='assistant', content='', tool_calls=[dict(id='c', type='custom', custom=dict(name='sql', input='select 1'))]), dict(role='tool', tool_call_id='c', content='')],
        [dict(role='user', content='hi'), dict(role='assistant', content='x', function_call=dict(name='f', arguments='{"a":1}')), dict(role='function', name='f', content='r')],
        [dict(role='user', content='hi'), dict(role='assistant', content=None, audio=dict(id='audio_1')), dict(role='user', content='more')],
    ],
    responses=[
        'hi',
        [dict(type='message', role='user', content=[dict(type='input_text', text='x'), dict(type='input_image', image_url='https://x.org/a.png', detail='auto'), dict(type='input_file', filename='a.pdf', file_data='data:application/pdf;base64,JVBERi0xLjc=')])],
        [dict(role='user', content='x'), dict(type='reasoning', id='r1', summary=[], encrypted_content='E'), dict(type='function_call', id='fc', call_id='a', name='f', arguments='{"x": 1}', status='completed'), dict(type='function_call', call_id='b', name='g', arguments='{}'),
            dict(type='function_call_output', call_id='a', output='A', id='o1'), dict(type='function_call_output', call_id='b', output=[dict(type='input_text', text='B')]), dict(type='message', id='m', status='completed', role='assistant', phase='final_answer', content=[dict(type='output_text', text='t', annotations=[], logprobs=[])])],
        [dict(role='user', content='x'), dict(type='web_search_call', id='ws', status='completed', action=dict(type='search', query='q')), dict(type='custom_tool_call', call_id='c', name='sql', input='select'), dict(type='custom_tool_call_output', call_id='c', output='1'),
            dict(type='message', id='m', status='completed', role='assistant', content=[dict(type='refusal', refusal='No.')]), dict(type='item_reference', id='x')],
        [dict(role='developer', content='d'), dict(role='user', content='x'), dict(role='assistant', content='a'), dict(role='assistant', content='b'), dict(role='system', content=[dict(type='input_text', text='s')]), dict(type='computer_call', id='cc', call_id='k', action=dict(type='click'), status='completed', pending_safety_checks=[]), dict(type='computer_call_output', call_id='k', output=dict(type='computer_screenshot', file_id='f'))],
    ],
    anthropic=[
        [dict(role='user', content='hi'), dict(role='assistant', content='ok')],
        [dict(role='user', content=[dict(type='text', text='hi', cache_control=dict(type='ephemeral', ttl='1h')), dict(type='image', source=dict(type='url', url='https://x.org/a.png')), dict(type='document', source=dict(type='base64', media_type='application/pdf', data='JVBERi0xLjc='), title='t', citations=dict(enabled=True))])],
        [dict(role='user', content='x'), dict(role='assistant', content=[dict(type='redacted_thinking', data='D'), dict(type='tool_use', id='a', name='f', input={}), dict(type='tool_use', id='b', name='f', input={'x':[{}]}, cache_control=dict(type='ephemeral'))]), dict(role='user', content=[dict(type='tool_result', tool_use_id='a'), dict(type='tool_result', tool_use_id='b', content=[dict(type='search_result', source='s', title='t', content=[dict(type='text', text='c')])], is_error=True), dict(type='text', text='more')])],
        [dict(role='user', content='x'), dict(role='assistant', content=[dict(type='server_tool_use', id='s1', name='web_search', input=dict(query='q')), dict(type='web_search_tool_result', tool_use_id='s1', content=dict(type='web_search_tool_result_error', error_code='unavailable')), dict(type='text', text='t', citations=[dict(type='web_search_result_location', cited_text='c', encrypted_index='i', title=None, url='u')])])],
        [dict(role='user', content='x'), dict(role='assistant', content=[dict(type='server_tool_use', id='s1', name='code_execution', input={})])],
        [dict(role='user', content=[dict(type='container_upload', file_id='f'), dict(type='text', text='x')]), dict(role='system', content='rule'), dict(role='assistant', content=[dict(type='thinking', thinking='', signature='S'), dict(type='text', text='y')])],
    ],
    gemini=[
        [dict(role='user', parts=[dict(text='hi')])],
        [dict(role='user', parts=[dict(text='hi'), dict(inlineData=dict(mimeType='image/png', data=png)), dict(fileData=dict(fileUri='https://youtu.be/x'))]), dict(role='model', parts=[dict(text='a', thought=True), dict(text='b', thoughtSignature='S')])],
        [dict(role='user', parts=[dict(text='hi')]), dict(role='model', parts=[dict(functionCall=dict(name='f', args={'x':1}), thoughtSignature='S'), dict(functionCall=dict(name='f', args={'x':2}))]), dict(role='user', parts=[dict(functionResponse=dict(name='f', response=dict(result=1))), dict(functionResponse=dict(name='f', response=dict(output='2')))])],
        [dict(role='user', parts=[dict(text='hi')]), dict(role='model', parts=[dict(functionCall=dict(id='1', name='f')), dict(text='')|dict(thoughtSignature='S')]), dict(role='user', parts=[dict(functionResponse=dict(id='1', name='f', response={}, scheduling='SILENT')), dict(text='x')])],
        [dict(role='user', parts=[dict(text='hi')]), dict(role='model', parts=[dict(executableCode=dict(language='PYTHON', code='1')), dict(codeExecutionResult=dict(outcome='OUTCOME_OK', output='1')), dict(toolCall=dict(id='t', toolType='X')), dict(toolResponse=dict(id='t', toolType='X', response={})), dict(text='ok')])],
    ])
keys = dict(openai='messages', responses='input', anthropic='messages', gemini='contents')

@pytest.mark.parametrize('provider,turns', [(p, t) for p,ts in accepted.items() for t in ts])
def test_accepted_payload_comes_back(provider, turns, tmp_path):
    payload = {keys[provider]:turns, 'model':'m'}
    before = copy.deepcopy(payload)
    assert check_payload(payload, provider)==[]
    hist = wire2chat(payload, provider)
    w = chat2wire(hist, provider, **hist.extra)
    assert (w.payload, w.findings)==(before, [])
    assert payload==before
    write_ipynb(tmp_path/'log.ipynb', wire2dlg(hist))
    saved = dlg2wire(read_ipynb(tmp_path/'log.ipynb'))
    assert saved==list(hist)
    assert chat2wire(saved, provider, **hist.extra).payload==before
    for other in providers: assert check_payload(chat2wire(saved, other).payload, other)==[]
    w.turns.append(5) if isinstance(w.turns, list) else None
    assert payload==before

def test_huge_numbers_do_not_raise():
    for v in (10**5000, [10**5000], {'a':{'b':10**5000}}):
        for p in providers: assert check_payload(chat2wire([Msg('user', 'x'), Msg('assistant', [Part('tool_use', None, dict(id='a', name='f', arguments=v))])], p).payload, p)==[]

@pytest.mark.parametrize('provider', providers)
def test_options(provider):
    def look(
        path:str, # Where
        deep:bool=False,
    ): "Look at a file"
    hist = [Msg(r, [Part('text', f'{r} {i}'*20)]) for i in range(20) for r in ('user', 'assistant')]
    w = chat2wire(hist, provider, system='Be brief.', tools=[look], limit=300)
    assert check_payload(w.payload, provider)==[] and 'Look at a file' in json.dumps(w.payload) and 'Be brief.' in json.dumps(w.payload)
    assert any('exchange' in f.what for f in w.findings) and 'user 19' in json.dumps(w.payload) and 'user 0' not in json.dumps(w.payload)

def test_fit_keeps_pairs_and_pins():
    pair = lambda i: [Msg('user', [Part('text', f'q{i}')]), Msg('assistant', [Part('tool_use', None, dict(id=f'c{i}', name='f', arguments={}))]), Msg('tool', [Part('tool_result', 'r'*100, dict(id=f'c{i}', name='f'))])]
    hist = [m for i in range(30) for m in pair(i)]
    hist[3] = Msg('user', [Part('text', 'pinned', {'meta':{'pinned':True}})])
    for limit in (1000, 300, 150):
        got = fit(hist, limit)
        assert sum(map(count_tokens, got))<=limit and hist[3] in got
        assert repair(got, 'openai')==(list(got), []) and got.findings
