"Chunk streams: the recorded conversations, the cases and the defects that the page of differences lists, async code, languages"
import asyncio, base64, copy, json, re
from pathlib import Path
import pytest
import lmcsurgery
from lmcsurgery.lmc import check_lmc, mk_lmc, norm_lmc
from lmcsurgery.stream import *

here = Path(__file__).parent/'data'/'lmc'
data = json.loads((Path(lmcsurgery.__file__).with_name('data')/'stream_cases.json').read_text())
recordings = {p.stem: json.loads(p.read_text()) for p in sorted(here.glob('*.json'))}

def decode(val):
    "A value of the cases: bytes are written as `{'$bytes': base64}`"
    if isinstance(val, list): return [decode(v) for v in val]
    if not isinstance(val, dict): return val
    return base64.b64decode(val['$bytes']) if '$bytes' in val else {k:decode(v) for k,v in val.items()}

def M(content, **kw): return mk_lmc(content, 'assistant') | kw
def C(content, **kw): return mk_lmc(content, 'assistant', 'code', 'python') | kw
def O(content, **kw): return mk_lmc(content, 'computer', 'console', 'output') | kw
def A(content): return mk_lmc(content, 'computer', 'console', 'active_line')
def H(content): return mk_lmc(content, 'computer', 'code', 'html')
def flag(c, name, **kw): return {k:v for k,v in c.items() if k!='content'} | {name:True} | kw
K = dict(role='computer', type='confirmation', format='execution', content=dict(type='code', format='python', content='1'))
def brief(chunks): return [brief_chunk(c) for c in chunks]
def fed(*chunks):
    stream = LMCStream()
    out = [o for c in chunks for o in stream.feed(c)]
    return out + stream.close(),stream

# recorded conversations

def by_computer_or_assistant(msgs): return [m for m in msgs if m['role']!='user']

def turns(rec):
    "The chunks of each call of `chat`: a user's message in what was stored is where the next begins"
    sizes = []
    for m in rec['messages']:
        if m['role']!='user': sizes[-1] += 1
        elif not sizes or sizes[-1]: sizes.append(0)
    res,stream = [[]],LMCStream()
    for c in rec['chunks']:
        if c.get('start') and len(res)<len(sizes) and len(stream.messages)==sum(sizes[:len(res)]): res.append([])
        stream.feed(c)
        res[-1].append(c)
    assert len(res)==len(sizes)
    return res

@pytest.mark.parametrize('name', recordings)
def test_recorded_messages(name):
    rec,known = recordings[name],data['recorded'].get(name, {})
    theirs = by_computer_or_assistant(rec['messages'])
    ours = chunks2lmc(rec['chunks'])
    assert ours.findings==[] and check_lmc(ours)==[]
    if 'stored' not in known:
        assert ours==theirs
        return
    assert known['stored']==['12'] # the one difference there is: they cut the output
    changed = [(a,b) for a,b in zip(ours, theirs, strict=True) if a!=b]
    assert len(changed)==1
    a,b = changed[0]
    assert a|dict(content='')==b|dict(content='')
    notice,sep,rest = b['content'].partition('\n\n')
    assert notice.startswith('Output truncated. Showing the last 2800 characters.') and rest==a['content'][-2800:] and len(a['content'])>2800

@pytest.mark.parametrize('name', recordings)
def test_recorded_stream(name):
    rec,known = recordings[name],data['recorded'].get(name, {})
    assert list(flag_chunks(rec['chunks']))==rec['chunks']
    ours = [o for t in turns(rec) for o in flag_chunks(c for c in t if 'content' in c)]
    if 'flags' not in known: assert ours==rec['chunks']
    else: # they closed a block for a confirmation that nobody was shown
        assert known['flags']==['7'] and ours!=rec['chunks']
        twice = [i for i,(a,b) in enumerate(zip(rec['chunks'], rec['chunks'][1:])) if a.get('end') and b.get('start') and a.keys()-{'end'}==b.keys()-{'start'} and brief_chunk(a)[4:]==brief_chunk(b)[6:]]
        assert ours==[c for i,c in enumerate(rec['chunks']) if i not in twice and i-1 not in twice]

def test_every_listed_recording_exists():
    assert data['recorded'].keys() <= recordings.keys() and len(recordings)==17

@pytest.mark.parametrize('name', recordings)
@pytest.mark.parametrize('size', [None, 1, 7])
def test_recorded_again(name, size):
    msgs = norm_lmc(recordings[name]['messages'])
    assert chunks2lmc(lmc2chunks(msgs, size))==msgs

# the cases of the page of differences

def run_case(case):
    "Stream and messages that ours makes of a case, and the text of its error"
    chunks,stream,out,error = decode(case['chunks']),LMCStream(),[],None
    def source():
        yield from chunks
        if case['stop']=='raise': raise OSError('dead')
    if case.get('stop')=='close':
        gen = flag_chunks(chunks, stream)
        for c in gen:
            out.append(c)
            if len(out)==3: break
        gen.close()
    elif case.get('stop')=='raise':
        with pytest.raises(OSError, match='dead'):
            for c in flag_chunks(source(), stream): out.append(c)
    else:
        for c in chunks:
            try: out += stream.feed(c)
            except ChunkError as e:
                assert error is None
                error = str(e)
        out += stream.close(aborted=case.get('stop')=='stop')
    return brief(out),stream.messages,error

@pytest.mark.parametrize('case', data['cases'], ids=lambda c: c['no'])
def test_case(case):
    out,stored,error = run_case(case)
    assert out==case['ours']['stream']
    assert stored==decode(case['ours']['stored'])
    assert (error or '').startswith(case.get('error', '')) and bool(error)==('error' in case)

@pytest.mark.parametrize('case', data['cases'], ids=lambda c: c['no'])
def test_case_says_where_it_differs(case):
    "Where ours is not theirs, a defect or a decision explains it; where it is, none is claimed"
    theirs = case.get('theirs', case['ours'])
    same = theirs['stored']==case['ours']['stored'] and theirs.get('stream', case['ours']['stream'])==case['ours']['stream']
    assert same==(not case.get('why'))
    for why in case.get('why', ()): assert re.fullmatch(r'A\.\d+', why) or why in {r['no'] for r in data['rows']}

def test_all_cases_are_there():
    nos = [c['no'] for c in data['cases']]
    assert [n for n in nos if n.startswith('2.3 ')]==[f'2.3 {i}' for i in range(1,37)]
    assert len(set(nos))==len(nos) and sum(n.startswith('2.6 ') for n in nos)>=15 and sum(n.startswith('2.7 ') for n in nos)==5

# section 3.1, row by row

def test_every_row_has_its_test():
    for row in data['rows']: assert f"test_row_{row['no']}" in globals()
    assert [r['no'] for r in data['rows']]==[str(i) for i in range(1,25)]

def test_row_1():
    "What was yielded does not change later, and is not what is stored"
    chunks = [M('Hel', note={'a':[1]}), M('lo')]
    stream,out = LMCStream(),[]
    for c in chunks: out += stream.feed(c)
    then = copy.deepcopy(out)
    stream.feed(M('!'))
    assert out==then and chunks==[M('Hel', note={'a':[1]}), M('lo')]
    out[1]['note']['a'].append(2); chunks[0]['note']['a'].append(3); stream.messages[0]['note']['a'].append(4)
    assert stream.messages==[M('Hello!', note={'a':[1]})]

def test_row_2():
    "Two pictures, pages, files or sounds are two, also inside one block of Open Interpreter's"
    png,jpg = (base64.b64encode(b).decode() for b in (b'\x89PNG\r\n\x1a\n'+bytes(9), b'\xff\xd8\xff\xe0\0\x10JFIF'+bytes(8)))
    for c in (mk_lmc('<b>', 'computer', 'code', 'html'), mk_lmc('/a', 'user', 'file', 'path'), mk_lmc(b'a', 'user', 'audio', 'bytes.wav'), mk_lmc(png, 'computer', 'image', 'base64.png')):
        assert chunks2lmc([c, c])==[c, c]
    for c in (mk_lmc(png, 'computer', 'image', 'base64.png'), mk_lmc(jpg, 'computer', 'image', 'base64.jpeg')):
        assert chunks2lmc([flag(c, 'start'), c, c, flag(c, 'end')])==[c, c]
        text = c['content']
        assert chunks2lmc([flag(c, 'start'), c|dict(content=text[:9]), c|dict(content=text[9:]), flag(c, 'end')])==[c]

def test_row_3():
    a,b = O('secret', recipient='user'), O('told', recipient='assistant')
    assert chunks2lmc([a, b, a])==[a, b, a]
    assert view_lmc(chunks2lmc([a, b, a]), 'assistant')==[b]

def test_row_4():
    assert chunks2lmc([dict(role='computer', type='console', content='a'), O('b')])==[O('ab')]

def test_row_5():
    "Each odd content or role is understood, or refused with nothing changed"
    for bad in (dict(role='assistant', type='message'), dict(type='message', content='x', start=True), M(object()), M({1}), dict(role=['a'], type='message', content='x'), M('x')|dict(type=3), [], 'x', None, 7):
        stream = LMCStream().take([M('a')])
        with pytest.raises(ChunkError) as e: stream.feed(bad)
        assert e.value.pos==1 and e.value.where=='chunks[1]' and stream.messages==[M('a')] and not stream.findings
        assert stream.feed(M('b'))==[M('b')]
        assert fed(M('a'), M('b'))[1].messages==stream.messages
    for odd in (None, 5, 2.5, True, b'x', ''):
        out,stream = fed(O('a'), O(odd), O('b'))
        assert len(stream.messages)==1 and stream.messages[0]['content'] in ('ab','a5b','a2.5b','aTrueb','axb')
        assert out[-1]==dict(role='computer', type='console', end=True)

def test_row_6():
    assert chunks2lmc([C('a'), O('1'), A(None), K, A(1), A(None)])==[C('a'), O('1'), O('')]
    assert chunks2lmc([C('a'), O('1'), A(None), C('b'), A(None)])==[C('a'), O('1'), C('b'), O('')]
    assert chunks2lmc([C('a'), H('<b>'), A(None)])==[C('a'), H('<b>')]
    assert chunks2lmc([C('a'), A(None), O('late')])==[C('a'), O('late')]

def test_row_7():
    "Whoever watches is told which code is about to run, whether or not anybody asks"
    out,_ = fed(C('1'), K, O('1'))
    assert K in out
    docs = dict(role='computer', type='confirmation', format='execution', content=dict(type='code', language='python', code='1'))
    assert docs in fed(C('1'), docs)[0] and fed(C('1'), docs)[1].messages==[C('1')]

def test_row_8():
    out,stream = fed(M('a'))
    assert out[-1]==dict(role='assistant', type='message', end=True)
    stream = LMCStream().take([C('a')])
    assert stream.close(aborted=True)==[flag(C(''), 'end', aborted=True)] and stream.close(aborted=True)==[]
    assert stream.messages==[C('a', aborted=True)]
    assert chunks2lmc(lmc2chunks(stream.messages))==stream.messages

def test_row_9():
    for m in (M(''), C(''), O(''), mk_lmc('', 'user')): assert chunks2lmc([flag(m, 'start'), flag(m, 'end')])==chunks2lmc(lmc2chunks([m]))==[m]
    assert chunks2lmc([M('')])==[]

def test_row_10():
    "Pieces are kept, not joined, until somebody asks; and then they are kept as one"
    stream = LMCStream().take(M('x'*10) for _ in range(1000))
    assert len(stream._pieces)==1000
    assert stream.messages==[M('x'*10000)] and len(stream._pieces)==1
    assert stream.take([M('y')]).messages==[M('x'*10000+'y')]

def test_row_11():
    out,stream = fed(mk_lmc('e', 'computer', 'console', 'stderr'), O('o'))
    assert [c['format'] for c in out if 'content' in c]==['stderr','output'] and [m['format'] for m in stream.messages]==['stderr','output']
    with_format = [flag(O(''), 'start'), O('a'), flag(O(''), 'end')]
    assert chunks2lmc(with_format)==[O('a')]

def test_row_12():
    text = ''.join(f'{i}\n' for i in range(5000))
    stored = chunks2lmc([O(text[:9000]), O(text[9000:])])
    assert stored==[O(text)]
    seen = view_output(text)
    assert seen.startswith('0\n1\n') and seen.endswith('4999\n') and len(seen)<2900
    notice = 'Output truncated. Showing the last 10 characters. And so on.\n\n'
    assert chunks2lmc([O(notice+'x'*20)])==[O(notice+'x'*20)]
    assert view_output(notice+'0123456789').endswith(' 10 characters of this output]\n0123456789')

def test_row_13():
    review = mk_lmc('Fine.', 'assistant', 'review', 'safe')
    for fmt in ('safe','warning','unsafe'): assert chunks2lmc([C('a'), review|dict(format=fmt), C('b')])==[C('ab')]
    assert chunks2lmc(o for c in (C('a'), review, C('b')) for o in (flag(c, 'start'), c, flag(c, 'end')))==[C('ab')]
    assert chunks2lmc([C('a'), A(3), C('b')])==[C('ab')]
    killed = [o for c in (C('a'), A(1), C('b')) for o in (flag(c, 'start'), c, flag(c, 'end'))] # two programs, the first of them killed
    assert chunks2lmc(killed)==[C('a'), C('b')]

def test_row_14():
    chunks = [M('a', x=[1]), C('b'), K, A(None)]
    before = copy.deepcopy(chunks)
    chunks2lmc(chunks), list(flag_chunks(chunks)), lmc2chunks(chunks2lmc(chunks), 1), view_lmc(chunks2lmc(chunks), 'user')
    assert chunks==before

def test_row_15():
    stream = LMCStream()
    list(flag_chunks([M('a')], stream))
    assert repr(stream)=='<LMCStream: 1 messages, nothing open>'
    def bad(): yield M('a'); raise ZeroDivisionError('boom')
    with pytest.raises(ZeroDivisionError, match='boom'): list(flag_chunks(bad(), stream))
    assert 'nothing open' in repr(stream)

def test_row_16():
    assert chunks2lmc([])==[] and list(flag_chunks([]))==[] and lmc2chunks([])==[]
    with pytest.raises(TypeError): chunks2lmc(5)
    with pytest.raises(ChunkError, match="expected a dict, got 'role'"): chunks2lmc(M('a'))
    with pytest.raises(ChunkError, match='expected `role`'): chunks2lmc([{}])

def test_row_17():
    "The computer's code keeps its role, counts as a result, and owes none"
    msgs = chunks2lmc([C('show()'), H('<b>'), A(None), H('<b>')])
    assert msgs==[C('show()'), H('<b>'), H('<b>')]
    assert [m for m in msgs if m['type']=='code' and m['role']=='assistant']==[C('show()')]

@pytest.mark.parametrize('code', ['# a note\n', 'print("language: x, code: y")', '`\nexecuteexecute', '{"language": "python", "code": "1"}'])
def test_row_18_and_19(code):
    out,stream = fed(*(C(ch) for ch in code))
    assert stream.messages==[C(code)]==chunks2lmc(out)
    assert ''.join(c.get('content', '') for c in out)==code
def test_row_18(): test_row_18_and_19('# a note\n')
def test_row_19(): test_row_18_and_19('language: code: executeexecute')

def test_row_20():
    class Fails:
        def run(self, code):
            yield dict(type='console', format='output', content='half a line')
            raise ValueError('no')
    out = list(from_language(Fails(), ''))
    lines = chunks2lmc(out)[0]['content'].splitlines()
    assert (lines[0],lines[1],lines[-1])==('half a line', 'Traceback (most recent call last):', 'ValueError: no')
    assert out[-2:]==[A(None), dict(role='computer', type='console', end=True)]

def test_row_21():
    calls = []
    def empty():
        calls.append(1)
        return iter([])
    assert list(flag_chunks(empty()))==[] and chunks2lmc(empty())==[] and len(calls)==2

def test_row_22():
    msgs = [O('  text \n\n', recipient='user'), O('x'*5000)]
    before = copy.deepcopy(msgs)
    view_lmc(msgs, 'user')[0]['content'] = 'edited'
    assert view_output(msgs[1]['content'])!=msgs[1]['content'] and msgs==before
    assert view_output(msgs[0]['content'])=='  text \n\n'

def test_row_23():
    assert fed(flag(O(''), 'start'), O('a'), flag(O(''), 'end'), dict(ack='1'), dict(role='server', type='status', content='complete'))[1].messages==[O('a')]

def test_row_24():
    mine = [M('a')]
    stream = LMCStream()
    stream.take(mine)
    snap = stream.messages
    assert snap is not mine and snap[0] is not mine[0]
    snap.append('junk'); mine.append('junk')
    assert stream.messages==[M('a')]

# beyond the cases

def test_a_second_start_or_end_is_harmless():
    s,e = flag(M(''), 'start'),flag(M(''), 'end')
    assert chunks2lmc([s, s, M('a'), e, e])==[M('a')]
    assert chunks2lmc([s, M('a'), s, M('b'), e])==[M('a'), M('b')]
    assert chunks2lmc([s, M('a'), flag(C(''), 'end'), M('b'), e])==[M('ab')]

def test_missing_flags():
    assert chunks2lmc([flag(M(''), 'start'), M('a'), C('b'), flag(C(''), 'end'), M('c')])==[M('a'), C('b'), M('c')]
    assert chunks2lmc([dict(role='assistant', start=True), C('a'), dict(end=True)])==[C('a')]
    assert chunks2lmc([dict(start=True), C('a'), dict(role='assistant', end=True)])==[C('a')]
    assert chunks2lmc([flag(C(''), 'start'), dict(role='assistant', content='a'), dict(content='b', type='code'), dict(end=True)])==[C('ab')]

def test_server_says_it_is_over():
    done = dict(role='server', type='status', content='complete')
    out,stream = fed(M('a'), done)
    assert out[-2:]==[flag(M(''), 'end'), done] and stream.messages==[M('a')]
    out,stream = fed(flag(M(''), 'start'), M('a'), done)
    assert out[-2:]==[flag(M(''), 'end', aborted=True), done] and stream.messages==[M('a', aborted=True)]
    out,stream = fed(M('a'), dict(role='server', type='error', content='Traceback'))
    assert stream.messages==[M('a', aborted=True)]

def test_acknowledgements_split_nothing():
    assert chunks2lmc([M('a'), dict(ack='x'), dict(auth=True), M('b')])==[M('ab')]

def test_commands_are_not_stored():
    go = mk_lmc('go', 'user', 'command')
    assert chunks2lmc([C('a'), flag(go, 'start'), go, flag(go, 'end'), K, O('1')])==[C('a'), O('1')]
    hi,ho = mk_lmc('hi'),mk_lmc('ho')
    for cs in ([hi, go, ho], [c for m in (hi, go, ho) for c in (flag(m, 'start'), m, flag(m, 'end'))]): assert chunks2lmc(cs)==[hi, ho]

def test_ids():
    assert chunks2lmc([M('ha', id=1), M('ha', id=1), M('!', id=1)])==[M('haha!', id=1)]
    assert chunks2lmc([M('a', id=1), M('b', id=2), M('a', id=1)])==[M('aba', id=1)]
    twice = [c for c in lmc2chunks([M('a'), C('b')]) for _ in (1,2)]
    assert chunks2lmc([c|dict(id=i//2) for i,c in enumerate(twice)])==[M('a', id=1), C('b', id=4)]

def test_utf16_halves():
    assert chunks2lmc([M('x\ud83d'), M('\ude42y')])==[M('x🙂y')]
    stream = LMCStream().take([M('\ud83d')])
    assert stream.messages==[M('\ud83d')] and stream.take([M('\ude42')]).messages==[M('🙂')]

def test_findings_do_not_grow_with_the_stream():
    stream = LMCStream().take(O(None if i%2 else 5) for i in range(1000))
    assert len(stream.findings)==3 # two before a message was opened, one more in it

def test_a_copy_of_a_machine_is_another_machine():
    a = LMCStream().take([M('a')])
    b = copy.deepcopy(a)
    a.take([M('b')]); b.take([M('c')])
    assert (a.messages,b.messages)==([M('ab')],[M('ac')])

def test_errors_do_not_swallow_the_stream():
    with pytest.raises(ChunkError) as e: chunks2lmc([M('a'), C('b'), 5])
    assert e.value.messages==[M('a'), C('b', aborted=True)]
    got = []
    with pytest.raises(ChunkError):
        for c in flag_chunks([M('a'), 5, M('b')]): got.append(c)
    assert brief(got)==['start assistant message', "'a'", 'end aborted assistant message']

def test_closing_closes_the_source():
    closed = []
    def source():
        try: yield M('a'); yield M('b')
        finally: closed.append(1)
    gen = flag_chunks(source())
    next(gen)
    gen.close()
    assert closed==[1]

def test_view_output_never_cuts_a_character_or_a_colour():
    text = '\x1b[31mred\x1b[0m e\u0301 👩\u200d🔬 \r\n'*200
    for limit in range(1, 200):
        for keep in ('head','tail','both'):
            out = view_output(text, limit, keep)
            head,tail = re.split(r'\n?\[\.\.\. [\d,]+ characters left out \.\.\.\]\n', out)
            assert len(head)+len(tail)<=limit
            for part in (head, tail): assert not part.endswith(('\x1b','\x1b[','\x1b[3','\x1b[0','\x1b[31')) and not part.startswith(('[','\u0301','\u200d','🔬','0m','31m','1m'))
            assert text.startswith(head.rstrip('\n') if head!=text[:len(head)] else head) and text.endswith(tail)

# async code and languages

async def aiter_(chunks, then=None):
    for c in chunks:
        await asyncio.sleep(0)
        yield c
    if then: await then

def test_async_is_sync():
    async def go(chunks): return [c async for c in aflag_chunks(aiter_(chunks))],await achunks2lmc(aiter_(chunks))
    for rec in recordings.values():
        out,msgs = asyncio.run(go(rec['chunks']))
        assert out==rec['chunks'] and msgs==chunks2lmc(rec['chunks'])

def cancel_after(work, seconds=.02):
    async def main():
        task = asyncio.create_task(work)
        await asyncio.sleep(seconds)
        task.cancel()
        with pytest.raises(asyncio.CancelledError): await task
        assert task.cancelled()
    asyncio.run(main())

def test_cancelled_while_waiting():
    got,stream,closed = [],LMCStream(),[]
    async def source():
        try:
            yield M('a')
            await asyncio.sleep(60)
        finally: closed.append(1)
    async def watch():
        async for c in aflag_chunks(source(), stream): got.append(c)
    cancel_after(watch())
    assert brief(got)==['start assistant message', "'a'", 'end aborted assistant message']
    assert stream.messages==[M('a', aborted=True)] and closed==[1]

def test_cancelled_in_the_consumer():
    stream = LMCStream()
    async def watch():
        async for c in aflag_chunks(aiter_([M('a'), M('b')]), stream):
            if c.get('content')=='b': await asyncio.sleep(60)
    cancel_after(watch())
    assert stream.messages[0]['content']=='ab'

def test_cancellation_is_never_swallowed():
    async def leaves():
        async for c in aflag_chunks(aiter_([M('a')], asyncio.sleep(60))):
            if c.get('aborted'): break
        await asyncio.sleep(60)
    cancel_after(leaves())

def test_timeouts_work():
    got = []
    async def watch():
        async with asyncio.timeout(.02):
            async for c in aflag_chunks(aiter_([M('a')], asyncio.sleep(60))): got.append(c)
    with pytest.raises(TimeoutError): asyncio.run(watch())
    assert got[-1].get('aborted')
    async def single():
        gen = aflag_chunks(aiter_([M('a')], asyncio.sleep(60)))
        res = []
        try:
            while True: res.append(await asyncio.wait_for(anext(gen), .02))
        except (StopAsyncIteration, TimeoutError): await asyncio.sleep(.01) # no cancellation is left over
        return res
    assert brief(asyncio.run(single()))[:2]==['start assistant message', "'a'"]

def test_a_cancelled_source_is_an_error_of_the_source():
    async def source():
        yield M('a')
        raise asyncio.CancelledError()
    async def go():
        got = []
        with pytest.raises(asyncio.CancelledError):
            async for c in aflag_chunks(source()): got.append(c)
        return got
    assert brief(asyncio.run(go()))[-1]=='end aborted assistant message'

def test_async_errors_and_early_leave():
    async def bad():
        yield M('a')
        raise OSError('dead')
    async def go():
        got,stream = [],LMCStream()
        with pytest.raises(OSError, match='dead'):
            async for c in aflag_chunks(bad(), stream): got.append(c)
        gen = aflag_chunks(aiter_([M('x'), M('y')]), other := LMCStream())
        await anext(gen)
        await gen.aclose()
        with pytest.raises(ChunkError) as e: await achunks2lmc(aiter_([M('a'), 5]))
        return got,stream.messages,other.messages,e.value.messages
    got,first,other,kept = asyncio.run(go())
    assert brief(got)[-1]=='end aborted assistant message'
    assert first==kept==[M('a', aborted=True)] and other==[M('x', aborted=True)]

def test_languages():
    class Silent:
        name = 'silent'
        def run(self, code): return iter(())
    class Shows:
        def run(self, code):
            yield dict(type='image', format='base64.png', content='AAAA')
            yield 'text'
            yield dict(type='console', format='active_line', content=2)
            yield dict(role='computer', type='code', format='html', content='<b>', recipient='user')
    class Broken: pass
    assert chunks2lmc([C('x'), *from_language(Silent(), 'x')])==[C('x'), O('')]
    msgs = chunks2lmc(from_language(Shows(), ''))
    assert [m['type'] for m in msgs]==['image','console','code'] and check_lmc(msgs)==[]
    assert chunks2lmc(from_language(Broken(), ''))[0]['content'].splitlines()[-1]=="AttributeError: 'Broken' object has no attribute 'run'"

def test_a_language_that_is_stopped_is_closed():
    closed = []
    class Long:
        def run(self, code):
            try:
                while True: yield 'x'
            finally: closed.append(1)
    class ALong:
        async def run(self, code):
            try:
                while True:
                    await asyncio.sleep(0)
                    yield 'x'
            finally: closed.append(2)
    gen = from_language(Long(), '', stream := LMCStream())
    next(gen); next(gen)
    gen.close()
    async def go():
        gen = afrom_language(ALong(), '')
        await anext(gen)
        await gen.aclose()
    asyncio.run(go())
    assert closed==[1,2] and stream.messages==[O('x', aborted=True)]
