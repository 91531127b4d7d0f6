"Diffs tell all that changed, merges lose nothing that anybody wrote"
import copy
from hypothesis import given, settings, strategies as st
from lmcsurgery.dialog import Dialog
from lmcsurgery.diff import *
from lmcsurgery.ipynb import reads_ipynb, writes_ipynb
from lmcsurgery.message import *

words = st.sampled_from(['', 'a', 'a\nb', 'one\ntwo\nthree', '<b>', '```', 'x = 1', 'a\r\nb', '🙂'])
ids = st.sampled_from([f'm{i}' for i in range(9)])

@st.composite
def dialogs(draw):
    msgs = [Message(draw(words), id=i, msg_type=(k := draw(st.sampled_from(smsg_types))), output=draw(words) if k=='prompt' else '', meta=draw(st.sampled_from([{}, {'n':1}, {'n':True}]))) for i in draw(st.lists(ids, max_size=6, unique=True))]
    return Dialog('d', msgs, draw(st.sampled_from([{}, {'v':1}, {'w':2}])))

@st.composite
def edited(draw, base, tag):
    "A copy after some surgery"
    d = copy.deepcopy(base)
    for _ in range(draw(st.integers(0,4))):
        what = draw(st.sampled_from('edit reply add remove move meta dlgmeta'.split()))
        if what=='add' or not len(d): d.mk_message(f'{tag} {draw(words)}', idx=draw(st.integers(0,len(d))), msg_type='note'); continue
        m = d[draw(st.integers(0,len(d)-1))]
        if what=='edit': m.content = f'{tag} {draw(words)}'
        elif what=='reply' and m.msg_type=='prompt': m.output = f'{tag} {draw(words)}'
        elif what=='remove': d.remove_msgs(m.id)
        elif what=='move': pos = draw(st.integers(0,len(d)-1)); d.insert_msgs(d.cut_msgs(m), idx=pos)
        elif what=='meta': m.meta[draw(st.sampled_from('nk'))] = draw(st.sampled_from([1,True,'x']))
        elif what=='dlgmeta': d.meta['v'] = draw(st.sampled_from([1,True,'x']))
    return d

@st.composite
def triples(draw):
    base = draw(dialogs())
    return base,draw(edited(base,'A')),draw(edited(base,'B'))

def values(d): return repr([d.meta, *(m.todict() for m in d)])
def texts(d): return [t for m in d for t in (m.content, m.ai_res)]

@settings(max_examples=300, deadline=None)
@given(triples())
def test_a_diff_is_empty_only_for_the_same(t):
    base,a,_ = t
    before = values(base),values(a)
    assert diff_dlg(base, copy.deepcopy(base))==[]
    d,back = diff_dlg(base, a),diff_dlg(a, base)
    assert (not d)==(values(base)==values(a))
    assert (values(base),values(a))==before
    def count(x, kind): return sum(c.kind==kind for c in x)
    assert [count(d, k) for k in ('added','removed','moved','edited')]==[count(back, k) for k in ('removed','added','moved','edited')]
    assert len(base)-count(d,'removed')+count(d,'added')==len(a)
    for c in d: assert c.kind!='edited' or all(repr(x)!=repr(y) for x,y in c.fields.values())
    d.text('a', 'b'); d._repr_html_()

@settings(max_examples=300, deadline=None)
@given(triples())
def test_a_merge_with_nothing_is_the_other(t):
    base,a,_ = t
    for m in (merge3_dlg(base,a,base), merge3_dlg(base,base,a), merge3_dlg(base,a,a)): assert values(m)==values(a) and m.findings==[]

@settings(max_examples=400, deadline=None)
@given(triples())
def test_a_merge_loses_no_text(t):
    base,a,b = t
    before = [values(x) for x in t]
    m = merge3_dlg(base, a, b).validate()
    assert [values(x) for x in t]==before
    for side in (a,b):
        for text in texts(side): assert text in texts(base) or text in texts(m)
    marked = [x for x in m if 'conflict' in x.meta]
    assert bool(marked)==any(f.what.startswith('edited by') for f in m.findings)
    other = merge3_dlg(base, b, a)
    assert sorted(texts(m))==sorted(texts(other)) and len(m.findings)==len(other.findings)

@settings(max_examples=200, deadline=None)
@given(dialogs().filter(lambda d: len(d)>1), words, words)
def test_edits_of_different_messages_are_both_there(base, x, y):
    a,b,ab = (copy.deepcopy(base) for _ in range(3))
    a[0].content = ab[0].content = x
    b[-1].content = ab[-1].content = y
    m = merge3_dlg(base, a, b)
    assert values(m)==values(ab) and m.findings==[]

def test_files_without_ids_are_compared_by_what_they_say():
    cells = [dict(cell_type='markdown', metadata={}, source=f'Paragraph number {i} of the text.') for i in range(5)]
    import json
    def file(cs): return reads_ipynb(json.dumps(dict(cells=cs, metadata={}, nbformat=4, nbformat_minor=2)))
    changed = [*cells[:2], cells[2]|dict(source='Paragraph number two of the text!'), *cells[3:], dict(cell_type='raw', metadata={}, source='new')]
    assert [c.kind for c in diff_dlg(file(cells), file(changed))]==['edited','added']
    assert [c.kind for c in diff_dlg(file(cells), file(cells[1:]))]==['removed']
    assert diff_dlg(file(cells), file(cells))==[]

def test_a_conflict_in_files():
    base = Dialog('d', [Message('one', id='a'), Message('two', id='b')])
    text = writes_ipynb(base)
    a,b = reads_ipynb(text),reads_ipynb(text)
    a['a'].content,b['a'].content = 'mine','yours'
    m = merge3_dlg(reads_ipynb(text), a, b)
    again = reads_ipynb(writes_ipynb(m))
    assert [x.content for x in again]==['mine','yours','two'] and again[0].meta=={'conflict':'edited by both'} and again[1].meta=={'conflict':'a'}

def test_only_what_shares_most_of_its_words_is_an_edit():
    def kinds(*texts): return [c.kind for c in diff_dlg(*(Dialog('', [Message(t, msg_type=k) for k,t in zip(('raw','code','note','raw'), ts)]) for ts in texts))]
    assert kinds(['a b c', 'x', 'y'], ['a b d', 'x', 'y'])==['edited']
    assert kinds(['one', 'x'], ['two', 'x'])==['edited'] # it stands where the other stood
    assert [c.kind for c in diff_dlg(Dialog('', [Message('List three squares', msg_type=sprompt), Message('z')]), Dialog('', [Message('q', msg_type=sprompt), Message('thrice quarter lists', msg_type=sprompt), Message('z')]))]==['removed','added','added']
