"Hostile values in every place that a notebook file has, and in every field of a message: read or refused with a reason, never a crash, and never lost"
import copy, json
from pathlib import Path
import pytest
from lmcsurgery.chat import dlg2chat
from lmcsurgery.dialog import Dialog
from lmcsurgery.diff import *
from lmcsurgery.display import *
from lmcsurgery.ipynb import *
from lmcsurgery.lmc import dlg2lmc
from lmcsurgery.message import *

values = dict(null=None, true=True, number=7, float=1.5, text='x', surrogate='\ud800', nul='\x00', list=[1], lines=['a','b'], nulls=[None], nested=[['a']], object={'a':1}, empty_key={'':None}, bundle={'text/markdown':{'x':1}}, empty={}, none=[], blank='', html='</pre><script>', huge=10**400, separator=reply_sep)

def nb(cells, **k): return dict(cells=cells, metadata={}, nbformat=4, nbformat_minor=5) | k
def code(**k): return dict(cell_type='code', id='c', metadata={}, source='x', outputs=[], execution_count=None) | k
def note(**k): return dict(cell_type='markdown', id='m', metadata={}, source='x') | k
cells = dict(code=code(), note=note(), raw=note(cell_type='raw'), prompt=note(metadata={'solveit_ai':True}, source=f'q{reply_sep}r'), magic=code(source='%%prompt\nq'))
outputs = [dict(output_type='stream', name='stdout', text='t'), dict(output_type='display_data', data={'text/plain':'x'}, metadata={}), dict(output_type='display_data', data={'text/markdown':'x'}, metadata={'is_ai_res':True}),
    dict(output_type='execute_result', data={'image/png':'x', 'text/html':'x'}, metadata={}, execution_count=1), dict(output_type='error', ename='e', evalue='v', traceback=['t'])]

def files(name, v):
    "Notebooks with a value in every place"
    for key in 'id cell_type metadata source outputs execution_count attachments extra'.split():
        for kind,cell in cells.items(): yield f'{kind}.{key}',nb([cell|{key:v}, note(id='z')])
    for key in 'cells metadata nbformat nbformat_minor extra'.split(): yield f'top.{key}',nb([code()]) | {key:v}
    for src in ('x','%%prompt\nq'):
        yield f'{src} outputs',nb([code(source=src, outputs=[v])])
        for n,out in enumerate(outputs):
            for key in (*out,'extra'):
                yield f'{src} {n}.{key}',nb([code(source=src, outputs=[out|{key:v}])])
                yield f'{src} {n} without {key}',nb([code(source=src, outputs=[{a:b for a,b in out.items() if a!=key}])])
            for mime in ('image/png','image/svg+xml','text/html','text/markdown','application/json','x/<y>','') if 'data' in out else (): yield f'{src} {n}.data.{mime}',nb([code(source=src, outputs=[out|{'data':{mime:v}}])])
    for key in 'solveit_ai lmcsurgery time_run pinned skipped rec_kind export tags attachments lmc tool_id jupyter'.split():
        yield f'meta.{key}',nb([code(metadata={key:v}), note(metadata={key:v}), note(cell_type='raw', id='r', metadata={key:v}), note(id='p', metadata={'solveit_ai':True, key:v}, source=f'q{reply_sep}r')])
        yield f'nb.{key}',nb([code()], metadata={key:v})
    for key in ('user','reply','start','ids'): yield f'lmc.{key}',nb([note(metadata={'solveit_ai':True, 'lmc':{'user':[{'role':'user', 'type':'message', 'content':'q'}], 'reply':[{'role':'assistant', 'type':'message', 'content':'r'}], 'start':1, key:v}}, source=f'q{reply_sep}r')])
    for key in ('xtras','outputs','other'): yield f'ours.{key}',nb([note(metadata={'solveit_ai':True, 'lmcsurgery':{key:v}}, source=f'q{reply_sep}r')])
    for key in 'cell_extra time_run content id _src mood msg_type skipped output'.split(): yield f'xtras.{key}',nb([c(metadata={'lmcsurgery':{'xtras':{key:v}}}) for c in (note,code)])
    for atts in (v, {'a':v}, {'a':{'image/png':v}}):
        yield 'attachment',nb([note(attachments=atts, source='![](attachment:a)')])
        yield 'hoisted',nb([code()], metadata={'attachments':{'c':atts}})
    yield 'kernel',nb([code()], metadata=dict(kernelspec=v, language_info=v))

def is_json_outputs(m): return all(isinstance(o, dict) for o in m.output) if isinstance(m.output, list) else True

@pytest.mark.parametrize('name', values)
def test_a_value_anywhere_in_a_file(name):
    read = refused = 0
    for place,obj in files(name, values[name]):
        text = encode_ipynb(json.dumps(obj, ensure_ascii=False)).decode()
        try: dlg = reads_ipynb(text)
        except DialogError as e:
            assert 'notebook' in str(e) and len(str(e))<400, place
            refused += 1
            continue
        read += 1
        assert writes_ipynb(dlg)==text, place
        for i in range(len(dlg)):
            for how in ('content','meta'):
                edited = reads_ipynb(text)
                if how=='meta': edited[i].meta['new'] = 1
                else: edited[i].content += 'y'
                try: back = reads_ipynb(writes_ipynb(edited))
                except MessageError as e: assert 'id of 1 to 64' in str(e) or 'reserved key' in str(e), (place,str(e)); continue
                assert [m.todict()|{'id':''} for m in back]==[m.todict()|{'id':''} for m in edited], place
        for page in (dlg._repr_html_(), dlg2html(dlg), dlg2md(dlg)):
            assert '<script' not in page.partition('</style>')[2], place
        repr(dlg), repr(list(dlg)), repr(dlg.messages)
        other = Dialog('d', [Message('x', id='c'), Message('x', id='m', msg_type=snote)])
        for a,b in ((dlg,other), (other,dlg)): d = diff_dlg(a, b); d.text('a', 'b'); d._repr_html_()
        assert diff_dlg(dlg, copy.deepcopy(dlg))==[] and merge3_dlg(other, dlg, other).validate if all(map(is_json_outputs, dlg)) else True
        dlg2lmc(dlg); dlg2chat([*dlg, Message('q', msg_type=sprompt)], rename=True)
    assert read>150 and refused

circular = {}; circular['a'] = circular
deep = []
for _ in range(5000): deep = [deep]
no_json = dict(set={1}, bytes=b'x', nan=float('nan'), infinity=float('inf'), circular=circular, deep=deep, huge=10**5000, number_keys={1:2}, tuple_keys={(1,):1}, mixed_keys={'a':1, 2:3}, object=object(), complex=1j, null=None, number=7, list=[1])
def with_att(**k):
    att = Attachment(b'x', 'image/png', 'i')
    att.__dict__ |= k
    return Message('![](attachment:i)', id='a', msg_type=snote, attachments=[att])
def with_field(name, v, kind=snote):
    m = Message('x', id='a', msg_type=kind)
    m.__dict__[name] = v
    return m
def shown_as(**k): return [dict(output_type='display_data', metadata={}, data={}) | k]
fields = dict(meta=lambda v: Message('x', id='a', meta={'k':v}), all_meta=lambda v: with_field('meta', v), content=lambda v: with_field('content', v), attachments=lambda v: with_field('attachments', v), att_id=lambda v: with_att(id=v), att_type=lambda v: with_att(content_type=v), att_data=lambda v: with_att(data=v),
    output=lambda v: with_field('_output', v, scode), outputs=lambda v: Message('x', id='a', output=[v]), data=lambda v: Message('x', id='a', output=shown_as(data=v)), mime=lambda v: Message('x', id='a', output=shown_as(data={'x/y':v})), out_meta=lambda v: Message('x', id='a', output=shown_as(metadata=v)),
    out_type=lambda v: Message('x', id='a', output=shown_as(output_type=v)), stream=lambda v: Message('x', id='a', output=[dict(output_type='stream', name='stdout', text=v)]), reply_meta=lambda v: Message('q', id='a', msg_type=sprompt, output=shown_as(metadata=v)), extra=lambda v: Message('x', id='a', mood=v), cell_extra=lambda v: Message('x', id='a', cell_extra=v),
    kind=lambda v: with_field('_type', v), dialog=lambda v: v)

@pytest.mark.parametrize('name', no_json)
@pytest.mark.parametrize('field', fields)
def test_a_value_anywhere_in_a_dialog(field, name, tmp_path):
    "What JSON cannot say, and what a field cannot be, is refused; what is written can be read; a file that was there stays"
    v = no_json[name]
    def mk(): return Dialog('d', meta={'k':v}) if field=='dialog' else Dialog('d', [fields[field](v)])
    file = Dialog('d', [Message('old', id='a')]).save(tmp_path)
    before = file.read_bytes()
    for form in ('markdown','magic'):
        dlg = mk()
        try: dlg.save(file, form=form, force=True)
        except LMCError as e:
            assert len(str(e))<500 and file.read_bytes()==before
            continue
        back = read_ipynb(file)
        assert len(back)==len(dlg)
        file.write_bytes(before)

@pytest.mark.parametrize('name', ['', '.', '..', '../up', 'a/b', 'a\\b', '/etc/x', 'nul\0', '\ud800'])
def test_names_that_leave_the_folder(name, tmp_path):
    (tmp_path/'in').mkdir()
    with pytest.raises(DialogError, match='file'): Dialog(name, [Message('x')]).save(tmp_path/'in')
    assert [p.name for p in tmp_path.rglob('*')]==['in']

@pytest.mark.parametrize('name', ['a\nb', ' ', '.hidden', '%s{}', '🙂', 'x.ipynb', 'CON', '<script>', '-rf', '\udcff'])
def test_names_that_are_odd(name, tmp_path):
    file = Dialog(name, [Message('x', id='a')]).save(tmp_path)
    assert [p.name for p in tmp_path.iterdir()]==[file.name]==[f'{name}.ipynb'] and read_ipynb(file)[0].content=='x'

texts = dict(
    cr_only='{"cells":\r[{"cell_type":"raw",\r"id":"a","metadata":{},"source":"a\\rb"}],\r"metadata":{},"nbformat":4,"nbformat_minor":5}\r',
    escaped_keys='{"\\u0063ells":[{"cell\\u005ftype":"raw","\\u0069d":"a","metadata":{},"source":"x"}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
    cells_twice='{"cells":[{"cell_type":"raw","id":"b","metadata":{},"source":"lost"}],"cells":[{"cell_type":"raw","id":"a","metadata":{},"source":"x"}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
    keys_twice='{"nbformat":3,"nbformat":4,"nbformat_minor":5,"metadata":{"a":1,"a":2},"metadata":{"a":3},"cells":[{"cell_type":"code","cell_type":"raw","id":"z","id":"a","metadata":{"k":1,"k":2},"source":"no","source":"x"}]}',
    no_space_at_all='{"metadata":{},"nbformat_minor":5,"nbformat":4,"cells":[{"id":"a","cell_type":"raw","source":["x"],"metadata":{}}]}',
    much_space=' \n\t{ \n"cells"\t:\r\n [ \n\n{ "cell_type" :"raw" , "id":"a" ,"metadata" : { } , "source":[ "x" , "y" ] }\n , {"cell_type":"raw","id":"b","metadata":{},"source":""}\n\n]\n , "metadata":{ },"nbformat" : 4,"nbformat_minor":5 } \n\n',
    numbers='{"cells":[{"cell_type":"raw","id":"a","metadata":{"n":[1E400,-0,-0.0,1e-400,0.10,1E+2,123456789012345678901234567890,NaN,-Infinity]},"source":"x"}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
    slashes='{"cells":[{"cell_type":"raw","id":"a","metadata":{"p":"\\/a\\u002fb\\ud83d\\ude00\\ud83d"},"source":"\\u0078\\/"}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
    format_as_float='{"cells":[{"cell_type":"raw","id":"a","metadata":{},"source":"x"}],"metadata":{},"nbformat":4.0,"nbformat_minor":5.0}',
    long_line='{"cells":[{"cell_type":"raw","id":"a","metadata":{},"source":"'+'x'*3_000_000+'"}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
    many_lines='{"cells":[{"cell_type":"raw","id":"a","metadata":{},"source":['+','.join(['"x\\n"']*200_000)+']}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
    nested='{"cells":[{"cell_type":"raw","id":"a","metadata":{"k":'+'['*300+']'*300+'},"source":"x"}],"metadata":{},"nbformat":4,"nbformat_minor":5}')

@pytest.mark.parametrize('name', texts)
def test_odd_ways_to_write_a_file(name):
    text = texts[name]
    dlg = reads_ipynb(text)
    assert writes_ipynb(dlg)==text
    last = dlg[-1]
    last.content = 'edited'
    new = writes_ipynb(dlg)
    back = reads_ipynb(new)
    assert back[-1].content=='edited' and [repr(m.todict()) for m in back]==[repr(m.todict()) for m in dlg]
    a,b = (dlg._nb.cells[-1])
    assert new[:a]==text[:a] and new.endswith(text[b:]) # nothing but the cell

@pytest.mark.parametrize('text', ['{"cells":[],}', '{"cells":[],"nbformat":4}//', "{'cells':[]}", '{"cells":[{"cell_type":"raw",}],"nbformat":4}', '[{"cell_type":"raw"}]', '{"cells":[]"nbformat":4}', '{"cells":[],"nbformat":4', '\ufeff\ufeff{"cells":[],"nbformat":4}', '{"cells":[],"nbformat":"4"}', 'null', '""', '{}', '\x00', '{"cells":[{"cell_type":["raw"]}],"nbformat":4}', '{"cells":[{"cell_type":{}}],"nbformat":4,"nbformat_minor":9}', '{"cells":null,"nbformat":4}', '{"nbformat":4,"cells":"[]"}'])
def test_what_is_refused(text):
    with pytest.raises(DialogError, match='notebook, line 1: expected'): reads_ipynb(text)

def test_one_cell_in_two_places():
    "A copy of a message is written as a cell of its own; a message of one file in another, and an id given anew, too"
    text = json.dumps(nb([note(source='one'), code(source='two', outputs=[outputs[0]])]), indent=1)+'\n'
    dlg = reads_ipynb(text)
    dlg.insert_msgs(dlg[0].copy())
    dlg[1].id = 'renamed'
    cells = json.loads(writes_ipynb(dlg))['cells']
    assert [c['source'] for c in cells]==['one','two','one'] and len({c['id'] for c in cells})==3 and cells[1]['id']=='renamed' and cells[1]['outputs']==[outputs[0]]
    again = reads_ipynb(text)
    again.insert_msgs(reads_ipynb(text)[0].copy())
    assert json.loads(writes_ipynb(again))['cells'][2]['source']=='one'

def test_merges_of_odd_dialogs():
    a,b,c = (Dialog('d', [Message(t, id='x', meta={'conflict':t}, output=[dict(output_type='stream', name='stdout', text=t)])], {'conflict':t}) for t in 'abc')
    m = merge3_dlg(a, b, c)
    assert [x.content for x in m]==['b','c'] and m[1].meta=={'conflict':'x'} and len(m.findings)==2
    empty = Dialog('e')
    assert len(merge3_dlg(empty, b, empty))==1 and len(merge3_dlg(b, empty, b))==0 and len(merge3_dlg(b, empty, empty))==0
    both = merge3_dlg(empty, b, c) # both added one under the same id
    assert {x.content for x in both}=={'b','c'} and len({x.id for x in both})==2
    assert [c.kind for c in diff_dlg(empty, b)]==['edited','added'] and [c.kind for c in diff_dlg(b, empty)]==['edited','removed']
