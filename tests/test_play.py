"Watching streams: nothing dangerous reaches a terminal or a page, and nothing is shown too often"
import html.parser, io, itertools, json, re, subprocess, sys
from hypothesis import given, settings, strategies as st
from lmcsurgery.lmc import mk_lmc
from lmcsurgery.play import *
from lmcsurgery.stream import chunks2lmc, lmc2chunks

nasty = st.text(st.sampled_from(list('ab\n\r\x1b[]0;m?hJ\x07\\\x9b\x08<>"\'&\ud83d🙂')), max_size=20)
msgs = st.lists(st.builds(mk_lmc, nasty, st.sampled_from(['user','assistant','computer','<i>\x1b[31m']), st.sampled_from(['message','code','console','image','odd<']), st.sampled_from([None,'python','output','base64.png','x"><script>','\x1b]0;t\x07'])), max_size=4)

def printed(chunks):
    out = io.StringIO()
    print_stream(chunks, out)
    return out.getvalue()

@settings(max_examples=200, deadline=None)
@given(msgs, st.integers(1,5))
def test_a_terminal_gets_text_only(ms, size):
    ms = [m for m in ms if m['content'] or m['type']!='image']
    text = printed(lmc2chunks(ms, size))
    assert not re.search('[\x00-\x09\x0b-\x1f\x7f-\x9f]', text)
    text.encode()
    if not any(m['type']=='image' for m in ms): assert printed(lmc2chunks(ms))==text # wherever it was cut

class Tags(html.parser.HTMLParser):
    def __init__(self): super().__init__(); self.seen,self.attrs = set(),set()
    def handle_starttag(self, tag, attrs): self.seen.add(tag); self.attrs |= {a for a,_ in attrs}

@settings(max_examples=200, deadline=None)
@given(msgs, st.none() | st.integers(-1,4))
def test_a_page_gets_text_only(ms, line):
    page = stream_html(ms, line)
    tags = Tags()
    tags.feed(page)
    assert tags.seen<={'div','pre','span','img'} and tags.attrs<={'style','src'} and '\x1b' not in page
    page.encode()

def test_updates_are_rare_and_the_last_one_is_whole():
    now,pages = [0.],[]
    def clock(): now[0] += .0001; return now[0]
    chunks = [mk_lmc('word ', 'assistant')]*20_000
    stream = show_stream(chunks, update=pages.append, clock=clock)
    assert len(pages)<=now[0]*20+2 and pages[-1]==stream_html(stream.messages) and stream.messages==chunks2lmc(chunks)

def test_heavy_pages_are_updated_less_often():
    now,pages = [0.],[]
    def clock(): now[0] += .001; return now[0]
    picture = mk_lmc('iVBORw0KGgo'+'A'*2_000_000, 'computer', 'image', 'base64.png')
    show_stream([picture]+[mk_lmc('x', 'assistant')]*3000, update=pages.append, clock=clock)
    assert len(pages)<=now[0]/1+3

def test_lines_are_marked_in_the_code_that_runs():
    pages = []
    code = mk_lmc('a\nb\nc', 'assistant', 'code', 'python')
    line = lambda n: mk_lmc(n, 'computer', 'console', 'active_line')
    show_stream([code, line(1), line(3), mk_lmc('<b>', 'computer', 'code', 'html'), line(2), line(None)], clock=itertools.count().__next__, update=pages.append)
    marks = [re.findall('inline-block[^>]*>([^<]*)', p) for p in pages]
    assert [m for m in marks if m]==[['a'],['c'],['c'],['b']] and marks[-1]==[]

def test_every_recording_loads(tmp_path):
    msgs = [mk_lmc('Hi'), mk_lmc('Hello', 'assistant')]
    from lmcsurgery.lmc import write_lmc
    assert chunks2lmc(load_stream(write_lmc(tmp_path/'a.json', msgs), 1))==msgs

def test_a_pipe_is_read_as_it_is_written():
    "Each chunk is printed before the next one is sent"
    code = "import sys; from lmcsurgery.files import iter_chunks; from lmcsurgery.play import print_stream; print_stream(iter_chunks(sys.stdin.buffer, 'stdin'))"
    child = subprocess.Popen([sys.executable, '-c', code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    def send(text, n):
        child.stdin.write(json.dumps(mk_lmc(text, 'assistant')).encode()+b'\n'); child.stdin.flush()
        return child.stdout.read1(n) if n else b''
    got = b''
    while not got.endswith(b'Hel'): got += send('Hel', 100) if not got else child.stdout.read1(100)
    assert got=='assistant · message\n  Hel'.encode()
    assert send('lo', 100)==b'lo'
    assert child.communicate(timeout=60)[0]==b'\n' and child.returncode==0
