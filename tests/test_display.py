"What is shown cannot leave its place on the page"
import base64, os, re, shutil
from html.parser import HTMLParser
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from lmcsurgery.chat import Msg, Part, tool_block
from lmcsurgery.dialog import Dialog
from lmcsurgery.display import *
from lmcsurgery.display import _block_style
from lmcsurgery.message import *
from strategies import replies, texts

tags = 'div b style pre details summary code span img a p em strong s ul ol li blockquote table thead tbody tr th td br hr'.split()
attrs = dict(div={'class','role','aria-level','style'}, pre={'class','style'}, details={'class'}, summary=set(), code={'class'}, span={'class'}, img={'alt','src','style'}, a={'href','title','target','rel'}, p={'class'}, ol={'start'}, th={'style'}, td={'style'})
styles = [*_block_style.values(), 'max-height:384px', *(f'font-weight:bold;font-size:1.{n}em;word-wrap:break-word' for n in (1,3))]
void = {'img','br','hr'}

class Checker(HTMLParser):
    "Balanced, of the known elements and attributes only"
    def __init__(self, html):
        super().__init__()
        self.open,self.styles = [],0
        self.feed(html); self.close()
        assert self.open==[]
    def handle_starttag(self, tag, given):
        assert tag in tags, tag
        self.styles += tag=='style'
        for k,v in given:
            assert k in attrs.get(tag, ()), (tag,k)
            if k=='src': assert re.fullmatch(r'data:image/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=]*', v)
            if k=='href': assert not re.match(r'\s*(javascript|vbscript|data|file)\s*:', v, re.I)
            if k=='style': assert v in styles or re.fullmatch('text-align:(left|right|center)|border-left:3px solid #[0-9a-f]{6};padding-left:12px;margin-top:8px;margin-bottom:8px;overflow:auto;word-wrap:break-word', v), v
            if k=='class': assert re.fullmatch(r'(lmc[\w-]*( lmc[\w-]*)*)?', v), v
        if tag not in void: self.open.append(tag)
    handle_startendtag = lambda self, tag, given: self.handle_starttag(tag, given) or (tag not in void and self.open.pop())
    def handle_endtag(self, tag): assert self.open and self.open.pop()==tag, tag
    def handle_comment(self, data): assert 0
    def handle_decl(self, data): assert 0
    def handle_pi(self, data): assert 0

hostile = ['javascript:pwned=1', '<script>pwned=1</script>', '</pre></div></details></style><script>pwned=1</script>', '<img src=x onerror=pwned=1>', '"><svg onload=pwned=1>', "' onmouseover='pwned=1", '![x](javascript:pwned=1)', '[x](javascript:pwned=1)', '<javascript:pwned=1>',
    '[x](JaVaScRiPt&colon;pwned=1)', '![x](http://127.0.0.1:9/x.png)', '![x](//127.0.0.1:9/x.png "t")', '<style>body{display:none}</style>', '<!--', '-->', '<![CDATA[', '</body></html>', '\u202e rtl', '\x00\x1b[31m', '```html\n<script>pwned=1</script>', '``` "><script>pwned=1</script>\nx\n```',
    '|a|b|\n|:-|-|\n|<b>|</td>|', '<iframe src=javascript:pwned=1>', '<base href=//x>', '<meta http-equiv=refresh content=0>', '<form action=//x><input>', '[a]: javascript:pwned=1\n\n[a]', '![](attachment:"onerror=pwned=1)', '<plaintext>', '<noscript><p title="</noscript><script>pwned=1</script>">', '{{constructor.constructor("pwned=1")()}}', '\ud800']
text = texts | st.sampled_from(hostile) | st.lists(st.sampled_from(hostile)|texts, max_size=4).map('\n'.join) | st.text('<>/&"\'`*_[]()!#|~-: \nab\x00', max_size=30)

@st.composite
def messages(draw):
    kind = draw(st.sampled_from(smsg_types))
    bundle = st.dictionaries(st.sampled_from('text/plain text/html text/markdown image/png image/svg+xml application/json x/<b> text/latex'.split()), text|st.lists(text, max_size=2), max_size=3)
    outs = st.lists(st.one_of(st.builds(lambda d: dict(output_type='display_data', data=d, metadata={}), bundle), st.builds(lambda t,n: dict(output_type='stream', name=n, text=t), text, text), st.builds(lambda a,b,c: dict(output_type='error', ename=a, evalue=b, traceback=c), text, text, st.lists(text, max_size=2)), st.builds(lambda t: {'odd':t}, text)), max_size=2)
    out = draw(outs) if kind==scode else draw(replies|text|outs) if kind==sprompt else ''
    if kind==scode and isinstance(out, str): out = []
    return Message(draw(text), id=draw(text.filter(bool)), msg_type=kind, output=out, meta=draw(st.dictionaries(st.sampled_from(['rec_kind','skipped','x']), text, max_size=2)),
        attachments=draw(st.lists(st.builds(Attachment, st.sampled_from([b'', b'\x89PNG\r\n\x1a\n', b'<svg onload=pwned=1>', b'<script>']), st.sampled_from(['image/png','image/svg+xml','text/html']), text), max_size=2)))

@settings(max_examples=200, deadline=None)
@given(st.lists(messages(), max_size=3), text)
def test_any_dialog_is_balanced_html_of_known_elements(msgs, name):
    seen = set()
    dlg = Dialog(name, [m for m in msgs if not (m.id in seen or seen.add(m.id))])
    before = repr(dlg.todict())
    for html in (dlg._repr_html_(), dlg.messages._repr_html_(), *(m._repr_html_() for m in dlg)): assert Checker(html).styles==1
    page = dlg2html(dlg)
    Checker(re.search('<body class="lmc">(.*)</body>', page, re.S)[1].replace('<h1>', '<p>').replace('</h1>', '</p>'))
    page.encode(); dlg2md(dlg)
    assert repr(dlg.todict())==before

@settings(max_examples=200, deadline=None)
@given(text, st.lists(st.builds(Part, st.sampled_from(['text','thinking','refusal','tool_use','tool_result','input_image','?']), text|st.none(), st.none()|st.fixed_dictionaries({}, optional=dict(name=text, id=text, arguments=st.dictionaries(text, text, max_size=2)|text))), max_size=3))
def test_any_chat_message_too(role, parts): Checker(Msg(role, parts)._repr_html_())

@settings(max_examples=150, deadline=None)
@given(st.lists(messages(), max_size=3))
def test_no_message_swallows_the_next(msgs):
    from markdown_it import MarkdownIt
    md = dlg2md([*msgs, Message('THE END', msg_type=sraw)])
    last = MarkdownIt('commonmark').parse(md.replace('\ud800', '?'))[-1]
    assert (last.type,last.content,last.level)==('fence','THE END\n',0)

def test_html_needs_no_extra(monkeypatch):
    import lmcsurgery.display as mod
    monkeypatch.setattr(mod, 'find_spec', lambda name: None)
    html = Dialog('d', [Message('a *b* <script>\n```', msg_type=snote), Message('x = 1'), Message('q', msg_type=sprompt, output=tool_block('f', {'code':'x'}, 'y'))])._repr_html_()
    Checker(html)
    assert 'a *b* &lt;script&gt;' in html and 'lmc-t-' not in html.split('</style>')[1]
    assert dlg2md([Message('```', msg_type=snote), Message('x')])=='```\n```\n\n#### code\n\n```python\nx\n```\n'

def test_long_texts_take_linear_time():
    "Not timed: these would take minutes if anything were quadratic or worse"
    for unit in ('[', '![](', '*a ', '<', '`', '> ', '- ', '\\', '&', '|', '<!--', '~~~\n', '\n# x', '<details>', '    '): Message(unit*(200_000//len(unit)), msg_type=snote)._repr_html_()

chromium = next((p for n in ('chromium','chromium-browser','google-chrome') if (p := shutil.which(n))), None)

@pytest.fixture(scope='module')
def browser():
    if not chromium: pytest.skip('no chromium')
    from playwright.sync_api import sync_playwright
    with sync_playwright() as p:
        b = p.chromium.launch(executable_path=chromium, args=['--no-sandbox'])
        yield b
        b.close()

def hostile_dialog():
    out = lambda t: [dict(output_type='stream', name='stdout', text=t), dict(output_type='display_data', metadata={}, data={'text/html':t}), dict(output_type='display_data', metadata={}, data={'text/markdown':t}), dict(output_type='error', ename=t, evalue=t, traceback=[t]),
        dict(output_type='display_data', metadata={}, data={'image/svg+xml':f'<svg xmlns="http://www.w3.org/2000/svg" onload="parent.pwned=1"><script>parent.pwned=1</script>{t}</svg>'}), dict(output_type='display_data', metadata={}, data={'image/png':t})]
    msgs = []
    for i,t in enumerate(hostile):
        t = t.replace('\ud800', '?')
        msgs += [Message(t, id=f'n{i}{t}', msg_type=snote, attachments=[Attachment(b'<svg onload="pwned=1"></svg>', 'image/svg+xml', t)]), Message(t, id=f'c{i}', output=out(t)), Message(t, id=f'r{i}', msg_type=sraw, meta={'rec_kind':t}),
            Message(t, id=f'p{i}', msg_type=sprompt, output=f'{t}\n\n{tool_block(t, {t:t, "code":t}, t, id=t)}\n\n{t}')]
    return Dialog('</title><script>pwned=1</script>', msgs)

def visit(browser, page_html):
    page,asked,dialogs = browser.new_page(),[],[]
    page.on('request', lambda r: asked.append(r.url) if not r.url.startswith(('data:','about:')) else None)
    page.on('dialog', lambda d: (dialogs.append(d.message), d.dismiss()))
    page.set_content(page_html)
    page.evaluate('() => document.querySelectorAll("details").forEach(d => d.open = true)')
    page.hover('body')
    page.wait_for_timeout(300)
    return page,asked,dialogs

def test_hostile_text_in_a_browser(browser):
    dlg = hostile_dialog()
    html = ''.join(m._repr_html_() for m in dlg)+dlg._repr_html_()+''.join(Msg(t, [Part('text',t), Part('thinking',t), Part('tool_use',None,dict(name=t,arguments={t:t})), Part('tool_result',t,dict(name=t)), Part('input_image',t)])._repr_html_() for t in (h.replace('\ud800', '?') for h in hostile))
    page,asked,dialogs = visit(browser, f'<!DOCTYPE html><meta charset="utf-8"><body>{html}<p id="end">end</p></body>')
    assert page.evaluate('() => [...document.body.children].every(e => e.matches("div.lmc, #end")) && document.body.lastElementChild.id=="end"')
    assert page.evaluate('() => document.body.children.length')==len(dlg)+1+len(hostile)+1
    assert page.evaluate('() => document.querySelectorAll("script,iframe,object,embed,form,input,base,meta:not([charset]),link,svg,math,plaintext,noscript,body style:not(div.lmc>style)").length')==0
    assert page.evaluate('() => [...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on") || ["href","src","action"].includes(a.name) && /^\\s*javascript:/i.test(a.value))).length')==0
    assert page.evaluate('() => window.pwned')is None and dialogs==[] and asked==[]
    assert page.is_visible('#end')

def test_hostile_text_in_a_page_of_its_own(browser, tmp_path):
    dlg = hostile_dialog()
    page,asked,dialogs = visit(browser, dlg2html(dlg))
    assert page.evaluate('() => window.pwned') is None and dialogs==[] and asked==[]
    assert page.evaluate('() => document.querySelectorAll("body > div.lmc-m").length')==5*len(hostile) # a prompt has two
    assert page.title()=='</title><script>pwned=1</script>'

def test_light_and_dark(browser, tmp_path):
    "Text keeps its contrast in both"
    html = dlg2html(Dialog('d', [Message('# x\n\ntext `code`', msg_type=snote), Message('def f(): return "s", 1 # c', output='1'), Message('q', msg_type=sprompt, output='a')]))
    for scheme in ('light','dark'):
        page = browser.new_page(color_scheme=scheme)
        page.set_content(html)
        back,front = page.evaluate('() => { const s = getComputedStyle(document.body); return [s.backgroundColor, s.color] }')
        def lum(c):
            r,g,b = (float(x)/(1 if c.startswith('color(srgb') else 255) for x in re.findall(r'[\d.]+', c)[:3])
            r,g,b = (x/12.92 if x<=0.03928 else ((x+0.055)/1.055)**2.4 for x in (r,g,b))
            return 0.2126*r+0.7152*g+0.0722*b
        for sel in ('.lmc-note .lmc-w','.lmc-code .lmc-w','.lmc-user .lmc-w','.lmc-assistant .lmc-w','.lmc-t-k','.lmc-t-nf','.lmc-t-s2','.lmc-t-mi'):
            c = page.evaluate(f'() => getComputedStyle(document.querySelector("{sel}")).color')
            hi,lo = sorted((lum(c), lum(back)), reverse=True)
            assert (hi+0.05)/(lo+0.05)>=4.5, (scheme,sel)
        hi,lo = sorted((lum(front), lum(back)), reverse=True)
        assert (hi+0.05)/(lo+0.05)>7

def test_all_outputs_are_shown():
    "A flag that belongs to replies hides nothing elsewhere"
    out = lambda t, **meta: dict(output_type='display_data', data={'text/markdown':t}, metadata=meta)
    code,prompt = Message('x', output=[out('ONE', is_ai_res=True)]),Message('q', msg_type=sprompt, output=[out('ONE', is_ai_res=True), out('two', is_ai_res=True), out('three')])
    for m,words in ((code,['ONE']), (prompt,['ONE','two','three'])):
        assert [w for w in words if w not in m._repr_html_()]==[w for w in words if w not in dlg2md([m])]==[]
        assert m._repr_html_().count('ONE')==1

def test_nothing_is_wider_than_a_narrow_window(browser):
    from io import BytesIO
    from PIL import Image
    buf = BytesIO()
    Image.new('RGB', (3000,2000)).save(buf, 'PNG')
    png,long = buf.getvalue(),'averylongword'*60
    table = '|'+'|'.join(['column']*30)+'|\n|'+'-|'*30+'\n|'+'|'.join(['1'*12]*30)+'|'
    msgs = [Message(long, msg_type=snote), Message(table, msg_type=snote), Message(f'x = "{long}"', output=[dict(output_type='stream', name='stdout', text=long), dict(output_type='display_data', data={'image/png':base64.b64encode(png).decode()}, metadata={})]), Message(long, msg_type=sraw),
        Message(f'# {long}\n\n![x](attachment:p)\n\n    {long}\n\n> {long}\n\n[{long}](http://{long}) `{long}`', msg_type=sprompt, attachments=[Attachment(png, 'image/png', 'p')], output=f"{long}\n\n{tool_block(long[:60], {long[:60]:long, 'n':1}, long)}")]
    dlg = Dialog(long, msgs)
    pages = [dlg2html(dlg), f'<!DOCTYPE html><body>{dlg._repr_html_()}', '<!DOCTYPE html><body>'+Msg('user', [Part('text', long), Part('tool_result', long, dict(name=long)), Part('input_image', 'data:image/png;base64,'+base64.b64encode(png).decode())])._repr_html_()]
    for html in [*pages, re.sub('<style>.*?</style>', '', pages[1], flags=re.S).replace('<img ', '<img width="100%" ')]: # the last as Jupyter shows what it does not trust
        page = browser.new_page(viewport=dict(width=400, height=600))
        page.set_content(html)
        page.evaluate('() => document.querySelectorAll("details").forEach(d => d.open = true)')
        assert page.evaluate('() => document.documentElement.scrollWidth')<=400
        assert all(h<=385 and w<=400 for w,h in page.evaluate('() => [...document.images].map(i => [i.width, i.height])'))
        page.close()
