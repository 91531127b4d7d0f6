"What Open Interpreter's own converter makes of the recorded conversations, beside ours"
import copy, json
from pathlib import Path
import pytest
from lmcsurgery.lmcwire import lmc2anthropic, lmc2gemini, lmc2openai
from lmcsurgery.wire_check import check_payload

files = sorted((Path(__file__).parent/'data'/'lmc').glob('*.json'))
modes = [(fc, vision) for fc in (True, False) for vision in (True, False)]
ask = "\n\nWhat does this output mean / what's next (if anything, or are we done)?"
oi_texts = dict(output='Code output: {content}'+ask, empty="The code above was executed on my machine. It produced no text output. what's next (if anything, or are we done?)",
    no_output='No output', image='This image is the result of the last tool output. What does it mean / are we done?')

# Where the two differ on purpose: number in the list of defects (lmc.md 3.2), and what ours is instead
different = {
    ('html', True, True): 41, ('html', True, False): 41,             # a second output without a call before it: ours is part of the one result
    ('result_repr', True, True): 30, ('result_repr', True, False): 30, ('result_repr', False, True): 30, ('result_repr', False, False): 30, # html that the computer showed is no call of the assistant
    ('image', True, False): 34, ('image', False, False): 34, ('user_image', True, False): 34, ('user_image', False, False): 34, # the model is told of a picture that it cannot see
    ('image', False, True): 29}                                      # no empty message after a picture

def as_oi(msgs, fc):
    "Our messages with the habits that we do not share: 27, stripped texts; 43, text and call as two messages"
    for m in msgs:
        m = {k:v.strip() if fc and k=='content' and isinstance(v, str) else v for k,v in m.items()}
        if m.get('function_call') and m['content']:
            yield dict(role=m['role'], content=m['content'])
            m = m | dict(content='')
        yield m

def convert(data, fc, vision): return lmc2openai(data['messages'], fc, vision, oi_texts, 'low')

@pytest.mark.parametrize('file', files, ids=lambda f: f.stem)
@pytest.mark.parametrize('fc,vision', modes)
def test_equal_or_listed(file, fc, vision):
    data = json.loads(file.read_text())
    w,theirs = convert(data, fc, vision),data['openai'][f'function_calling={fc},vision={vision}']
    assert check_payload(w.payload, 'openai')==[]
    assert (list(as_oi(w.messages, fc))==theirs)==((file.stem, fc, vision) not in different)

@pytest.mark.parametrize('key,n', different.items())
def test_what_differs(key, n):
    name,fc,vision = key
    data = json.loads((files[0].parent/f'{name}.json').read_text())
    ours,theirs = list(as_oi(convert(data, fc, vision).messages, fc)),data['openai'][f'function_calling={fc},vision={vision}']
    if n==41: assert ours[2]['content']==theirs[2]['content']+'\n'+theirs[3]['content'] and ours[:2]+ours[3:]==theirs[:2]+theirs[4:]
    if n==30: assert '```html' in json.dumps([m for m in ours if m['role'] in ('user','function')]) and not any('html' in json.dumps(m.get('function_call') or m['content']) for m in ours if m['role']=='assistant' and 'class T' not in json.dumps(m))
    if n==34: assert 'image of type image/png' in json.dumps(ours) and 'image of type' not in json.dumps(theirs)
    if n==29: assert ours==[m for m in theirs if m['content']!='']

@pytest.mark.parametrize('file', files, ids=lambda f: f.stem)
def test_every_provider(file):
    data = json.loads(file.read_text())
    before = copy.deepcopy(data)
    for w in (lmc2openai(data['messages']), lmc2anthropic(data['messages'], max_tokens=9), lmc2gemini(data['messages'])):
        assert check_payload(w.payload, w.provider)==[]
        sent = json.dumps(w.payload, ensure_ascii=False)
        for m in data['messages']:
            if m['type'] in ('message','console') and m.get('recipient')!='user' and m['content'].strip(): assert json.dumps(m['content'].strip(), ensure_ascii=False)[1:-1] in sent
    assert data==before
