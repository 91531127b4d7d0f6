"Conversation files and journals: names, uniqueness, crashes at any moment"
import itertools, json, mmap, os, random, signal, struct, threading, time
from datetime import datetime
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from lmcsurgery.files import *
from lmcsurgery.lmc import mk_lmc, read_lmc
from lmcsurgery.message import LMCError
from lmcsurgery.stream import LMCStream, chunks2lmc

recorded = {p.stem: json.loads(p.read_text()) for p in sorted((Path(__file__).parent/'data'/'lmc').glob('*.json'))}

def expected(chunks):
    "What a journal must give back if exactly `chunks` were written"
    stream = LMCStream().take(chunks)
    stream.close(aborted=True)
    return stream.messages

# journals

@pytest.mark.parametrize('name', recorded)
def test_a_journal_holds_a_recorded_run(name, tmp_path):
    chunks = recorded[name]['chunks']
    with Recorder(tmp_path/'j.jsonl') as rec: assert list(rec.record(chunks))==chunks
    assert recover(tmp_path/'j.jsonl')==chunks2lmc(chunks)
    assert read_chunks(tmp_path/'j.jsonl')[:-1]==chunks

def test_cut_at_every_byte(tmp_path):
    chunks = [c for c in recorded['unicode']['chunks'] if 'content' in c][:6] + [dict(role='user', type='audio', format='bytes.wav', start=True), b'\0\xff', dict(end=True), mk_lmc('é\ud83d', 'assistant')]
    path = tmp_path/'j.jsonl'
    rec = Recorder(path)
    ends = []
    for c in chunks:
        rec.write(c)
        ends.append(path.stat().st_size)
    rec.close(aborted=True)
    data = path.read_bytes()
    for n in range(len(data)+1):
        path.write_bytes(data[:n])
        k = sum(n>=e-1 for e in ends) # a line is whole without its line break
        got = recover(path)
        assert got==expected(chunks[:k])
        torn = n not in [0,*ends,*(e-1 for e in ends)]
        assert bool([f for f in got.findings if f.did=='skipped'])==torn

def test_appending_after_a_torn_line(tmp_path):
    path = tmp_path/'j.jsonl'
    with Recorder(path) as rec: rec.write(mk_lmc('one'))
    data = path.read_bytes()
    for n in range(len(data)+1):
        path.write_bytes(data[:n])
        with Recorder(path) as rec: rec.write(mk_lmc('two', 'assistant'))
        assert recover(path)[-1]==mk_lmc('two', 'assistant') and len(recover(path))==1+(n>data.index(b'}'))

def test_garbage_in_a_journal(tmp_path):
    path = tmp_path/'j.jsonl'
    lines = [json.dumps(mk_lmc('a')), '{oops', '5', '[]', '{}', '{"content": 5, "$bytes": true}', '\xff\xfe', '['*100_000, json.dumps(mk_lmc('b'))]
    path.write_bytes('\n'.join(lines).encode('latin-1'))
    got = recover(path)
    assert got==[mk_lmc('ab', aborted=True)] and len(got.findings)==7

def test_a_failed_write_is_repaired_by_the_next(tmp_path, monkeypatch):
    "A full disk leaves half a line; what is written later begins on its own"
    rec,real = Recorder(tmp_path/'j.jsonl'),os.write
    rec.write(mk_lmc('a'))
    def full(fd, data):
        if (tmp_path/'full').exists(): raise OSError(28, 'No space left on device')
        (tmp_path/'full').touch()
        return real(fd, data[:5])
    monkeypatch.setattr(os, 'write', full)
    with pytest.raises(OSError, match='No space'): rec.write(mk_lmc('lost'))
    monkeypatch.undo()
    rec.write(mk_lmc('b'))
    rec.close()
    assert recover(tmp_path/'j.jsonl')==[mk_lmc('ab')]

def test_short_writes_are_finished(tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, 'write', lambda fd, data: real(fd, data[:3]))
    with Recorder(tmp_path/'j.jsonl') as rec: rec.write(mk_lmc('hello'))
    assert recover(tmp_path/'j.jsonl')==[mk_lmc('hello')]

def test_sync(tmp_path, monkeypatch):
    calls,real = [],os.fsync
    monkeypatch.setattr(os, 'fsync', lambda fd: calls.append(real(fd)))
    for sync,n in ((None, 0), (0, 5), (1000, 1)): # with 0 each line and the close, with 1000 s the close alone
        calls.clear()
        with Recorder(tmp_path/f'{sync}.jsonl', sync=sync) as rec:
            for i in range(3): rec.write(mk_lmc(str(i)))
        assert len(calls)==n

def test_one_write_for_each_chunk(tmp_path, monkeypatch):
    sizes,real = [],os.write
    monkeypatch.setattr(os, 'write', lambda fd, data: (sizes.append(len(data)), real(fd, data))[1])
    with Recorder(tmp_path/'j.jsonl') as rec:
        for c in recorded['image']['chunks']: rec.write(c)
    assert len(sizes)==len(recorded['image']['chunks'])+1

def test_an_error_in_the_block_leaves_it_aborted(tmp_path):
    with pytest.raises(ZeroDivisionError):
        with Recorder(tmp_path/'j.jsonl') as rec:
            rec.write(mk_lmc('a'))
            1/0
    assert recover(tmp_path/'j.jsonl')==[mk_lmc('a', aborted=True)]

def _killed_chunks(big):
    "An endless, foreseeable stream; now and then a chunk is so big that a kill can hit its write"
    for i in itertools.count():
        c = mk_lmc(f'{i} ', 'assistant')
        if i%7==0: yield {k:v for k,v in c.items() if k!='content'} | dict(start=True)
        yield c
        if big and i%5==4: yield mk_lmc(f'{i}'*200_000, 'computer', 'console', 'output')
        if i%7==6: yield dict(role='assistant', type='message', end=True)

@pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')
def test_killed_at_200_random_moments(tmp_path):
    "A process that records is killed; what is recovered is what it had written, and at most the chunk being written is lost"
    rnd,counts,torn = random.Random(5),set(),0
    for n in range(200):
        path,big = tmp_path/f'{n}.jsonl',n%4==0
        done = mmap.mmap(-1, 8) # how many writes have returned, seen by both processes
        pid = os.fork()
        if not pid:
            try:
                rec = Recorder(path)
                for i,c in enumerate(_killed_chunks(big), 1):
                    rec.write(c)
                    done[:8] = struct.pack('q', i)
            finally: os._exit(1)
        deadline = time.monotonic()+20
        while not path.exists() or (n%10 and struct.unpack('q', done[:8])[0]<1):
            assert time.monotonic()<deadline
            time.sleep(.0005)
        time.sleep(rnd.random()*.02)
        os.kill(pid, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(pid, 0)[1])
        acked = struct.unpack('q', done[:8])[0]
        got,chunks = recover(path),read_chunks(path)
        assert acked<=len(chunks)<=acked+1
        written = list(itertools.islice(_killed_chunks(big), len(chunks)))
        assert chunks==written
        assert got==expected(written)
        skipped = [f for f in got.findings if f.did=='skipped']
        assert len(skipped)<=1
        torn += bool(skipped)
        counts.add(len(chunks))
        path.unlink()
    assert len(counts)>20 # the moments were different ones

# conversation files

when = datetime(2024, 6, 1, 12, 30)

@settings(max_examples=300, deadline=None)
@given(st.lists(st.fixed_dictionaries(dict(role=st.just('user')), optional=dict(type=st.sampled_from(['message','image']), content=st.text(st.characters(exclude_categories=()), max_size=40) | st.none() | st.integers() | st.lists(st.text(max_size=2), max_size=1))), max_size=3))
def test_every_name_is_a_file_name(msgs):
    name = conversation_name(msgs, when)
    assert name.endswith('__June_01_2024_12-30-00.json') and not name.startswith('.')
    assert not set(name) & set('<>:"/\\|?*!\0\n\t\r') and len(name.encode())<=200

def test_saving_never_overwrites(tmp_path):
    "Many threads begin the same conversation in the same second"
    got,talk = [],[mk_lmc('hello world')]
    def work():
        for i in range(10): got.append(save_conversation([*talk, mk_lmc(threading.current_thread().name + str(i))], tmp_path))
    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads: t.start()
    for t in threads: t.join()
    files = list(tmp_path.iterdir())
    assert len(set(got))==len(got)==len(files)==80
    assert len({read_lmc(p)[1]['content'] for p in files})==80

def test_saving_without_hard_links(tmp_path, monkeypatch):
    def no(*_): raise OSError(95, 'not supported')
    monkeypatch.setattr(os, 'link', no)
    a,b = save_conversation([mk_lmc('hi')], tmp_path),save_conversation([mk_lmc('hi')], tmp_path)
    assert a!=b and len(list(tmp_path.iterdir()))==2 and load_conversation(a)==[mk_lmc('hi')]

def test_a_file_is_an_array_that_open_interpreter_reads(tmp_path):
    for rec in recorded.values():
        path = save_conversation(rec['messages'], tmp_path)
        assert json.loads(path.read_text('ascii'))==rec['messages']==load_conversation(path)

def test_the_default_folder(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CONFIG_HOME', str(tmp_path)); monkeypatch.setattr('sys.platform', 'linux')
    path = save_conversation([mk_lmc('What is it?')])
    assert path.parent==tmp_path/'open-interpreter'/'conversations'==conversations_folder()
    assert load_conversation(path.name)==[mk_lmc('What is it?')] and [c.path for c in list_conversations()]==[path]
    monkeypatch.setattr('sys.platform', 'darwin')
    assert conversations_folder().parts[-3:]==('Application Support','open-interpreter','conversations')
    monkeypatch.setattr('sys.platform', 'win32'); monkeypatch.setenv('LOCALAPPDATA', str(tmp_path))
    assert conversations_folder()==tmp_path/'open-interpreter'/'open-interpreter'/'conversations'

def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = save_conversation([mk_lmc('hi')], tmp_path)
    with pytest.raises(LMCError): save_conversation([mk_lmc('hi'), mk_lmc(b'x')], path=path)
    assert load_conversation(path)==[mk_lmc('hi')] and len(list(tmp_path.iterdir()))==1
