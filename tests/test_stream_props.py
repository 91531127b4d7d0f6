"The laws of chunk streams, on thousands of inputs"
import copy, os
import pytest
from hypothesis import given, settings, strategies as st
from lmcsurgery.lmc import mk_lmc
from lmcsurgery.stream import *

few = settings(max_examples=int(os.environ.get('LMC_EXAMPLES', 200)), deadline=None)
dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
texts = st.text(st.characters(exclude_categories=()), max_size=6) | st.sampled_from(['a', 'ha', '\n', '🙂', '\ud83d', '\ude42', dot, '/9j/4AAQ', '3', ' ', '=='])
json_values = st.recursive(st.none() | st.booleans() | st.integers(-5,5) | texts, lambda kids: st.lists(kids, max_size=2) | st.dictionaries(texts, kids, max_size=2), max_leaves=4)
roles = st.sampled_from(['user','assistant','computer','robot'])
recipients = st.sampled_from([None,None,None,'user','assistant'])
kinds = st.sampled_from([('message',None), ('code','python'), ('code','html'), ('code',None), ('console','output'), ('console','stderr'), ('image','base64.png'), ('image','path'), ('file',None), ('audio','bytes.wav'), ('dance','tango')])
def drop(d): return {k:v for k,v in d.items() if v is not None}

@st.composite
def messages(draw):
    kind,fmt = draw(kinds)
    content = draw(st.binary(min_size=1, max_size=5) if kind=='audio' else st.text(max_size=8) | st.sampled_from(['', dot, dot+dot, '/9j/4AAQ/9j/4AAQ', 'a🙂\n']))
    content = draw(st.just(content) | st.dictionaries(st.text(max_size=2), json_values, max_size=1)) if kind=='dance' else content
    extra = draw(st.dictionaries(st.sampled_from(['id','note','aborted','resumed','sent_at']), st.sampled_from([1, 'x', True, [1], {'a':[2]}]), max_size=2))
    return drop(dict(role=draw(roles), type=kind, format=fmt, content=content, recipient=draw(recipients))) | extra
histories = st.lists(messages(), max_size=6)

@st.composite
def deltas(draw):
    "One well-formed delta of a text kind"
    return drop(draw(st.sampled_from([dict(role='assistant', type='message'), dict(role='assistant', type='code', format='python'), dict(role='computer', type='console', format='output'),
        dict(role='computer', type='console', format='stderr'), dict(role='computer', type='console', format='output', recipient='assistant'), dict(role='user', type='message')])) | dict(content=draw(st.text(max_size=8))))
lines = st.sampled_from([1, 2, None]).map(lambda n: mk_lmc(n, 'computer', 'console', 'active_line'))
reviews = st.sampled_from(['safe','unsafe']).map(lambda f: mk_lmc('hm', 'assistant', 'review', f))
confirms = st.just(dict(role='computer', type='confirmation', format='execution', content=dict(type='code', format='python', content='1')))
streams = st.lists(deltas() | lines | reviews | confirms, max_size=14)

@st.composite
def garbage(draw):
    "Anything: chunks with parts missing or wrong, controls, bytes, values that are no chunk"
    keys = dict(role=roles | st.sampled_from(['server', None, 5]), type=st.sampled_from(['message','code','console','image','file','audio','review','confirmation','command','status','error','dance',None,7]),
        format=st.sampled_from([None,'python','output','active_line','base64.png','path','bytes.raw','safe','stderr',8]), content=texts | json_values | st.binary(max_size=3) | st.just(dot) | st.sampled_from(['go', 'complete', {1,2}, 2.5]),
        recipient=recipients, start=st.sampled_from([True,False,None,1]), end=st.sampled_from([True,False]), aborted=st.just(True), resumed=st.just(True), id=st.sampled_from([1,2,'x']), note=json_values, ack=st.just('a'), auth=st.booleans())
    names = draw(st.lists(st.sampled_from(['role','role','role','type','type','type','format','content','content','content','recipient','start','end','aborted','resumed','id','note','ack','auth']), max_size=7, unique=False))
    return {k:draw(keys[k]) for k in dict.fromkeys(names)}
wild = garbage() | garbage() | deltas() | deltas() | lines | reviews | st.sampled_from([b'', b'ab', bytearray(b'\xc3'), None, 5, 'text', [1], {}])

@st.composite
def pooled(draw):
    "The same few odd chunks over and over, so that they meet"
    pool = draw(st.lists(wild, min_size=1, max_size=4))
    return draw(st.lists(st.sampled_from(pool), max_size=12))
garbage_streams = st.lists(wild, max_size=12) | pooled()

def names(c): return c.get('role'),c.get('type'),c.get('format')
def control(c): return c.get('role')=='server' or c.get('type') in ('confirmation','status','completion') or not c.keys() & {'role','type','content','start','end'}
def check_balance(chunks):
    "Each start is followed by its own end, with nothing but its deltas (or ephemeral ones) between, and no block inside a block"
    block = None
    for c in chunks:
        if control(c): assert block is None or c.keys() & {'ack','auth'}
        elif c.get('start'): assert block is None and c.get('role') and c.get('type'); block = c
        elif c.get('end'): assert block is not None and names(c)[:2]==names(block)[:2] and 'content' not in c; block = None
        else:
            assert block is not None and 'content' in c, c
            same = c['role']==block['role'] and c['type']==block['type']
            assert same or c['type'] in ('review','command') or c.get('format')=='active_line', (c, block)
    assert block is None

def feed_all(chunks, stream=None, aborted=False):
    stream,out = stream or LMCStream(),[]
    for c in chunks:
        try: out += stream.feed(c)
        except ChunkError: pass
    return out + stream.close(aborted),stream

def mutable(val):
    "Ids of everything in `val` that could be changed"
    if isinstance(val, dict): return {id(val)}.union(*map(mutable, val.values()))
    return {id(val)}.union(*map(mutable, val)) if isinstance(val, (list,tuple)) else set()

@few
@given(histories, st.none() | st.integers(1,12))
def test_messages_through_a_stream_and_back(ms, size):
    before = copy.deepcopy(ms)
    chunks = lmc2chunks(ms, size)
    assert ms==before
    assert chunks2lmc(chunks)==ms and not chunks2lmc(chunks).findings
    assert list(flag_chunks(chunks))==chunks
    check_balance(chunks)

@few
@given(streams, st.data())
def test_splitting_law(chunks, data):
    "Any cut of any delta gives the same messages, and the same stream but for the cut deltas"
    cut = []
    for c in chunks:
        text,at = c['content'],0
        while isinstance(text, str) and at<len(text) and c['type']!='review':
            n = data.draw(st.integers(1, len(text)-at))
            cut.append(c | dict(content=text[at:at+n])); at += n
        if not isinstance(text, str) or c['type']=='review': cut.append(c)
    whole,parts = list(flag_chunks(chunks)),list(flag_chunks(cut))
    assert chunks2lmc(cut)==chunks2lmc(chunks)==chunks2lmc(whole)==chunks2lmc(parts)
    assert [c for c in whole if 'content' not in c]==[c for c in parts if 'content' not in c]

@few
@given(streams)
def test_ephemeral_chunks_split_nothing(chunks):
    "Without reviews and lines that tell of no end, the messages are the same"
    assert chunks2lmc([c for c in chunks if c['type']!='review'])==chunks2lmc(chunks)
    running = [c for c in chunks if not (c.get('format')=='active_line' and c['content'] is None)]
    assert chunks2lmc([c for c in running if c.get('format')!='active_line'])==chunks2lmc(running)

def check_stable(chunks):
    "What is passed on is balanced, and means the same as what went in, read once more"
    chunks = [{k:v for k,v in c.items() if k!='id'} if isinstance(c, dict) else c for c in chunks] # what repeats an id may be the same chunk again
    before = copy.deepcopy(chunks)
    out,stream = feed_all(chunks)
    assert chunks==before
    check_balance(out)
    again,second = feed_all(out)
    assert again==out
    assert second.messages==stream.messages
    ms = stream.messages
    for m in ms: assert isinstance(m['role'], str) and isinstance(m['type'], str) and 'content' in m and not m.keys() & {'start','end'}
    check_balance(lmc2chunks(ms, 3))
    assert chunks2lmc(lmc2chunks(ms, 3))==ms

@few
@given(garbage_streams)
def test_garbage_is_balanced_and_stable(chunks): check_stable(chunks)

def d(role, type=None, format=None, **kw): return drop(dict(role=role, type=type, format=format)) | kw
review = d('assistant', 'review', 'safe', content='hm')
@pytest.mark.parametrize('chunks', [
    [mk_lmc(None, 'computer', 'console', 'active_line'), review, mk_lmc(1, 'computer', 'console', 'active_line')],
    [d(None, format='python', start=True), mk_lmc('0', 'computer', 'console', 'output')],
    [d(None, format='output', start=True), mk_lmc('0', 'assistant', 'code', 'python')],
    [mk_lmc('0', 'assistant', 'code', 'python'), d('assistant', content='0'), review, mk_lmc('0', 'assistant', 'code', 'python')],
    [d('assistant', 'code', content='0'), review, mk_lmc('0', 'assistant', 'code', 'python')],
    [mk_lmc('0', 'computer', 'console', 'output'), review, mk_lmc('0', 'computer', 'console', 'output', 'assistant')],
    [mk_lmc('0', 'computer', 'console', 'output'), review, mk_lmc(1, 'computer', 'console', 'active_line'), mk_lmc('0', 'computer', 'console', 'output')],
    [mk_lmc('0', 'assistant'), review, d('user', start=True), mk_lmc('0', 'assistant')],
    [mk_lmc('0', 'assistant'), review, d(None, 'message', start=True), mk_lmc('0', 'assistant')],
    [mk_lmc('0', 'assistant'), d('user', start=True), review, mk_lmc('0', 'assistant')],
    [mk_lmc('1', 'computer'), d(None, 'review', start=True), mk_lmc('1', 'computer')],
    [d(None, 'console', 'stderr', start=True), dict(end=True), d('assistant', 'command', content='b'), d(None, 'console', content=2)],
    [mk_lmc('a', 'computer'), d(None, 'review', start=True), d('user', end=True), mk_lmc('a', 'computer')],
    [d('user', format='html', content='b'), dict(start=True), d('user', 'review', start=True), dict(format='html', content='b')]])
def test_found(chunks):
    "Streams that once came out differently when they were read again"
    check_stable(chunks)

@few
@given(garbage_streams, st.booleans())
def test_cut_anywhere_it_is_balanced(chunks, aborted):
    for n in range(len(chunks)+1):
        out,stream = feed_all(chunks[:n], aborted=aborted)
        check_balance(out)
        assert stream.close()==stream.close(aborted=True)==[]

@few
@given(garbage_streams)
def test_nothing_is_shared(chunks):
    stream,handed,taken,kept = LMCStream(),set(),[],[]
    for c in chunks:
        handed |= mutable(c); kept.append(c)
        try: out = stream.feed(c)
        except ChunkError: continue
        snap = stream.messages
        assert not handed & mutable(out)
        handed |= mutable(out); kept.append(out)
        assert not handed & mutable(snap)
        handed |= mutable(snap)
        taken.append((snap, copy.deepcopy(snap)))
    stream.close()
    for snap,then in taken: assert snap==then

@few
@given(garbage_streams)
def test_what_is_refused_changes_nothing(chunks):
    stream,ok = LMCStream(),[]
    for c in chunks:
        then,n = stream.messages,len(stream.findings)
        try: stream.feed(c)
        except ChunkError as e:
            assert e.pos==stream.pos and str(e).startswith(f'chunks[{e.pos}]: expected ')
            assert stream.messages==then and len(stream.findings)==n
        else: ok.append(c)
    out,other = feed_all(ok)
    stream.close()
    assert other.messages==stream.messages

@few
@given(garbage_streams, st.integers(0, 30))
def test_closing_the_generator_loses_nothing(chunks, n):
    "What was fed before the consumer left is stored"
    ok = []
    probe = LMCStream()
    for c in chunks:
        try: probe.feed(c)
        except ChunkError: continue
        ok.append(c)
    fed = []
    def source():
        for c in ok: fed.append(c); yield c
    stream = LMCStream()
    gen = flag_chunks(source(), stream)
    for _ in zip(gen, range(n)): pass
    gen.close()
    plain = LMCStream().take(fed)
    plain.close(aborted=True)
    done = LMCStream().take(fed)
    done.close()
    assert stream.messages in (plain.messages, done.messages)
    assert list(gen)==[]

@few
@given(garbage_streams)
def test_take_is_feed(chunks):
    ok,probe = [],LMCStream()
    for c in chunks:
        try: probe.feed(c)
        except ChunkError: continue
        ok.append(c)
    stream = LMCStream().take(ok)
    a,b = feed_all(ok)[1],stream
    b.close()
    assert a.messages==b.messages and [f.what for f in a.findings]==[f.what for f in b.findings]
