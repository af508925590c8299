import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePointLength } from '../../src/text/code-points.ts';
import { MAX_TALK, ModelTalk } from '../../src/text/model-talk.ts';
import { segmentText } from '../../src/text/segment.ts';
import { toldRuns } from '../../src/text/text-reading.ts';
import { createTurnText } from '../../src/text/turn-text.ts';
import { codePoints, hardText, splitOf } from './any-split.ts';
import { readPieces, readWhole, spokenOf } from './read-text.ts';

/** What opens and what closes, as models and their templates write it, and something that stands between. */
const FORMS: readonly (readonly [open: string, inside: string, close: string])[] = [
  ['<think>', 'Secret words. More, then.', '</think>'],
  ['<think>\n', 'Secret *words*\n\nand lists:\n- one\n', '\n</think>\n'],
  ['<Think>', 'Secret.', '</THINK>'],
  ['<thinking>', 'Secret <b>words</b> 3 < 4.', '</thinking>'],
  ['<thinking>', 'Secret mixed names.', '</think>'],
  ['<thought>', 'Secret.', '</thought>'],
  ['<thoughts>', 'Secret.', '</thoughts>'],
  ['<reason>', 'Secret.', '</reason>'],
  ['<reasoning>', 'Secret.', '</reasoning>'],
  ['<reasoning effort="high">', 'Secret.', '</reasoning>'],
  ['<reflection>', 'Secret.', '</reflection>'],
  ['<scratchpad>', 'Secret.', '</scratchpad>'],
  ['<scratch_pad>', 'Secret.', '</scratch_pad>'],
  ['<inner_monologue>', 'Secret.', '</inner_monologue>'],
  ['<internal_thoughts>', 'Secret.', '</internal_thoughts>'],
  ['<chain_of_thought>', 'Secret.', '</chain_of_thought>'],
  ['<analysis>', 'Secret.', '</analysis>'],
  ['<antThinking>', 'Secret.', '</antThinking>'],
  ['<seed:think>', 'Secret <seed:cot_budget_reflect>9</seed:cot_budget_reflect> no.', '</seed:think>'],
  ['<longcat_think>', 'Secret.', '</longcat_think>'],
  ['<mm:think>', 'Secret.', '</mm:think>'],
  ['◁think▷', 'Secret ◁ words.', '◁/think▷'],
  ['[THINK]', 'Secret [words](x).', '[/THINK]'],
  ['<|begin_of_thought|>', 'Secret.', '<|end_of_thought|>'],
  ['<|START_THINKING|>', 'Secret.', '<|END_THINKING|>'],
  ['<|think|>', 'Secret.', '<|/think|>'],
  ['<|inner_prefix|>', 'Secret.', '<|inner_suffix|>'],
  ['<|channel>thought\n', 'Secret.', '<channel|>'],
  ['<|channel|>analysis<|message|>', 'Secret.', '<|end|>'],
  ['<|start|>assistant<|channel|>analysis<|message|>', 'Secret.', '<|end|>'],
  ['<tool_call>', '{"name": "secret", "arguments": {"a": "}{\\" ]", "b": [1, {}]}}', '</tool_call>'],
  ['<tool_call>\n', '{"name": "secret"}\n', '</tool_call>\n'],
  ['<tool_call>', 'secret\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n', '</tool_call>'],
  ['<tool_call>', '<function=secret>\n<parameter=city>\nRome\n</parameter>\n</function>', '</tool_call>'],
  [
    '<tool_calls>',
    '<tool_call>{"name":"secret"}</tool_call><tool_call>{"name":"b"}</tool_call>',
    '</tool_calls>',
  ],
  ['<tool_use>', 'secret, in words', '</tool_use>'],
  ['<tool_response>', 'Secret: 21 degrees, it said.', '</tool_response>'],
  ['<tool_result name="x">', 'Secret.', '</tool_result>'],
  ['<function_call>', '{"name": "secret"}', '</function_call>'],
  [
    '<function_calls>',
    '\n<invoke name="secret">\n<parameter name="q">it\'s</parameter>\n</invoke>\n',
    '</function_calls>',
  ],
  ['<function_calls>', '<invoke name="secret"></invoke>', '</function_calls>'],
  [
    '<minimax:tool_call>',
    '<invoke name="secret"><parameter name="a">b</parameter></invoke>',
    '</minimax:tool_call>',
  ],
  ['<seed:tool_call>', '<function=secret></function>', '</seed:tool_call>'],
  ['<longcat_tool_call>', '{"name":"secret"}', '</longcat_tool_call>'],
  [
    '<｜DSML｜function_calls>',
    '<｜DSML｜invoke name="secret"></｜DSML｜invoke>',
    '</｜DSML｜function_calls>',
  ],
  ['<invoke name="secret">', '<parameter name="city">Rome</parameter>', '</invoke>'],
  ['<function=secret>', '{"city": "Rome"}', '</function>'],
  ['<start_function_call>', 'call:secret{city:<escape>Rome<escape>}', '<end_function_call>'],
  ['<tool_code>', 'print(secret())', '</tool_code>'],
  ['<observation>', 'Secret.', '</observation>'],
  ['<|tool_call>', 'call:secret{city:<|"|>it\'s } Rome<|"|>,n:4}', '<tool_call|>'],
  ['<|tool_call_start|>', '[secret(city="Rome")]', '<|tool_call_end|>'],
  ['<|tool_call|>', '[{"name": "secret"}]', '<|/tool_call|>'],
  [
    '<|tool_calls_section_begin|>',
    '<|tool_call_begin|>functions.secret:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|>',
    '<|tool_calls_section_end|>',
  ],
  ['<|tool_call_begin|>', 'functions.secret:0<|tool_call_argument_begin|>{"a":1}', '<|tool_call_end|>'],
  [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>secret\n```json\n{}\n```<｜tool▁call▁end｜>',
    '<｜tool▁calls▁end｜>',
  ],
  [
    '<｜tool▁outputs▁begin｜>',
    '<｜tool▁output▁begin｜>secret<｜tool▁output▁end｜>',
    '<｜tool▁outputs▁end｜>',
  ],
  ['<|START_ACTION|>', '[{"tool_name": "secret"}]', '<|END_ACTION|>'],
  ['<|tools_prefix|>', '[{"secret": {}}]', '<|tools_suffix|>'],
  ['<|python_tag|>', 'secret.call(query="it\'s (that")', '<|eom_id|>'],
  ['[TOOL_CALLS]', ' [{"name": "secret", "arguments": {}}]', '[/TOOL_CALLS]'],
  ['[TOOL_CALLS]', 'secret[CALL_ID]a1[ARGS]{"city": "Rome"}', '</s>'],
  ['[TOOL_RESULTS]', '[{"content": "secret"}]', '[/TOOL_RESULTS]'],
  ['<|channel|>commentary to=functions.secret <|constrain|>json<|message|>', '{"a": 1}', '<|call|>'],
  ['<|start|>assistant to=functions.secret<|channel|>commentary json<|message|>', '{"a": 1}', '<|call|>'],
  ['<|start|>functions.secret to=assistant<|channel|>commentary<|message|>', 'Secret.', '<|end|>'],
  ['<|im_start|>user\n', 'Secret.', '<|im_end|>\n'],
  ['<|im_user|>user<|im_middle|>', 'Secret.', '<|im_end|>'],
  ['<|start_header_id|>ipython<|end_header_id|>\n\n', 'Secret.', '<|eot_id|>'],
  ['<|start_of_role|>tool<|end_of_role|>', 'Secret.', '<|end_of_text|>'],
  ['<start_of_turn>user\n', 'Secret.', '<end_of_turn>\n'],
  ['<|turn>user\n', 'Secret.', '<turn|>'],
  ['<|user|>\n', 'Secret.', '<|assistant|>\n'],
  ['<｜User｜>', 'Secret.', '<｜Assistant｜>'],
  ['<script>', 'if (secret < 3 && a > 2) { "<b>" }', '</script>'],
  ['<script type="module" src="a/b.js">', '/* secret */', '</script>'],
  ['<style>', '.secret > p { color: red }', '</style>'],
  ['\n```tool_code\n', 'print(secret)\n', '```\n'],
];

const SAID = 'It is true. Well, yes.';
const cases = FORMS.flatMap(([open, inside, close]) => [
  [`${open}${inside}${close}${SAID}`, ['It is true. Well, yes.']],
  [`Let me see. ${open}${inside}${close} ${SAID}`, ['Let me see. It is true. Well, yes.']],
  [`Let me see.${open}${inside}${close}`, ['Let me see.']],
  [`Let me see.\n\n${open}${inside}`, ['Let me see.']],
]) as readonly (readonly [string, readonly string[]])[];

const said = (lines: readonly string[]) => lines.map((line) => `- ${line}`);

describe('what a model thinks or calls', () => {
  it.each(cases)('is left out: %j', (text, expected) => {
    expect(spokenOf(readWhole(text))).toEqual(said(expected));
    expect(spokenOf(readPieces([...text]))).toEqual(said(expected));
  });

  it('has a table of more than 300 cases', () => {
    expect(cases.length).toBeGreaterThan(300);
  });

  it('is left out for every split, at its places', () => {
    const piece = fc.oneof(
      fc.constantFrom(...FORMS).map((form) => form.join('')),
      fc.constantFrom(...FORMS).map(([open, inside]) => open + inside.slice(0, 9)),
      fc.constantFrom(...FORMS.flatMap(([open, , close]) => [open, close])),
      fc.constantFrom(
        'Well, ',
        'yes. ',
        '`',
        '```js\n',
        '```\n',
        '\n',
        '<',
        '<|',
        '[',
        'A: ',
        '**',
        '{',
        '"',
        '}',
        '😀',
        '\\',
      ),
      hardText,
    );
    const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const prefixes = fc.constantFrom(
      {},
      { turnPrefix: 'A:' },
      { turnPrefix: '<think>', turnPrefix2: '**B:**' },
    );
    fc.assert(
      fc.property(splitOf(texts), prefixes, ({ text, chunks }, own) => {
        const segments = readPieces(chunks, own);
        expect(segments).toEqual(readPieces([text], own));
        let end = 0;
        for (const { runs } of segments)
          for (const run of runs) {
            expect(run.start).toBeGreaterThanOrEqual(end);
            expect(codePoints(text, run.start, codePointLength(run.text))).toBe(run.text);
            end = run.start + codePointLength(run.text);
          }
      }),
      { numRuns: 1500 },
    );
  });
});

describe('the channels and turns of a chat template', () => {
  it.each([
    [
      '<|channel|>analysis<|message|>Secret.<|end|><|start|>assistant<|channel|>final<|message|>Hello you.<|return|>',
      'Hello you.',
    ],
    ['<|channel|>commentary<|message|>Let me look.<|end|>', 'Let me look.'],
    ['<|channel|>final <|constrain|>json<|message|>Hello you.', 'Hello you.'],
    ['<|channel|>analysis<|message|>Secret.<|start|>assistant<|channel|>final<|message|>Hello.', 'Hello.'],
    ['<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>user\nSecret?<|im_end|>\n', 'Hello.'],
    ['<|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>', 'Hello.'],
    ['<|start_of_role|>assistant<|end_of_role|>Hello.<|end_of_text|>', 'Hello.'],
    ['<start_of_turn>model\nHello.<end_of_turn>', 'Hello.'],
    ['<|im_assistant|>assistant<|im_middle|>Hello.<|im_end|>', 'Hello.'],
    ['<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_RESPONSE|>Hello.<|END_RESPONSE|>', 'Hello.'],
    ['<|begin|>assistant<|think|>Secret.<|end|><|begin|>assistant<|content|>Hello.<|end|>', 'Hello.'],
    ['<|begin_of_text|>Hello.<|endoftext|>', 'Hello.'],
    ['<|anything_else|>Hello.', 'Hello.'],
    ['<think>Secret, cut off<|im_end|>Hello.', 'Hello.'],
  ])('%j', (text, expected) => {
    expect(spokenOf(readWhole(text))).toEqual([`- ${expected}`]);
    expect(spokenOf(readPieces([...text]))).toEqual([`- ${expected}`]);
  });
});

describe('an end that is missing', () => {
  it.each([
    ['<tool_call>{"name": "secret"}\nIt is sunny.', 'It is sunny.'],
    ['<tool_call>{"name": "secret"}}\n<tool_call>{"name": "b"}\nIt is sunny.', 'It is sunny.'],
    ['[TOOL_CALLS][{"name": "secret"}]\n\nIt is sunny.', 'It is sunny.'],
    ['[TOOL_CALLS]secret[ARGS]{"a": 1}[TOOL_CALLS]b[ARGS]{}It is sunny.', 'It is sunny.'],
    ['<|tool_call|>[{"name": "secret"}] It is sunny.', 'It is sunny.'],
  ])('of a call is that of its arguments: %j', (text, expected) => {
    expect(spokenOf(readWhole(text))).toEqual([`- ${expected}`]);
    expect(spokenOf(readPieces([...text]))).toEqual([`- ${expected}`]);
  });

  it('of a thought is waited for over MAX_TALK units, of which none is held', () => {
    const out: string[] = [];
    const talk = new ModelTalk(
      { prefixes: [], front: 'short' },
      { text: (text) => out.push(text), gap() {}, lineBreak() {} },
    );
    talk.push('Hi. <think>', 0);
    for (let at = 0; at < MAX_TALK; at += 64) {
      talk.push('thoughts '.repeat(8).slice(0, 64), at);
      expect(talk.heldCharacters()).toBe(0);
    }
    expect(out.join('')).toBe('Hi. ');
    talk.push('Spoken.', MAX_TALK);
    expect(out.join('')).toBe('Hi. Spoken.');
  });

  it('of a thought in whose prompt the beginning stood: all before it, where the whole text is there', () => {
    const text = 'The user wants a greeting.\n\nOk.\n</think>\n\nHello you.';
    expect(spokenOf(readWhole(text))).toEqual(['- Hello you.']);
    expect(spokenOf(readPieces([...text]))).toEqual(['- The user wants a greeting. Ok. Hello you.']);
    expect(spokenOf(readWhole('Said. <think>Secret.</think> Hello.</think> Bye.'))).toEqual([
      '- Said. Hello. Bye.',
    ]);
  });

  it('of a thought is the end of the text, or a change of speaker', () => {
    const lines: string[] = [];
    const turn = createTurnText({ language: 'english', markup: 'strip', early: 'off' }, (segment) =>
      lines.push(`${segment.speaker} ${segmentText(segment)}`),
    );
    turn.append('Hi. <think>Secret', 1);
    turn.flush();
    turn.append(' still secret.');
    turn.append('Hello.', 2);
    turn.end();
    expect(lines).toEqual(['1 Hi. ', '2 Hello.']);
  });
});

describe('text before a thought', () => {
  it('is spoken as soon as the thought begins', () => {
    const lines: string[] = [];
    const turn = createTurnText({ language: 'english', markup: 'strip', early: 'off' }, (segment) =>
      lines.push(segmentText(segment)),
    );
    turn.append('Let me think about it. <think>');
    expect(lines).toEqual(['Let me think about it. ']);
  });

  it('is parted from what follows where no space was', () => {
    const [one, two] = readWhole('One<think>x</think>two');
    expect([one, two].map((segment) => segmentText(segment!))).toEqual(['One', 'two']);
    expect(one!.boundary).toBe('line');
  });
});

describe('marks that are spoken of', () => {
  it.each([
    'Use `<think>` and `</think>` for it.',
    'Write ``<tool_call>{}</tool_call>`` there.',
    '```html\n<script>x</script>\n```\n',
    'a <- b, 3 < 4, x <| y, f <|> g',
    'The [TOOL] and [think] of it',
    'thinking> out <loud',
  ])('%j stays', (text) => {
    const kept = text.replace(/```\w*|`+/g, '').trim();
    expect(spokenOf(readWhole(text))).toEqual([`- ${kept.replace(/\s+/g, ' ')}`]);
    expect(spokenOf(readPieces([...text]))).toEqual([`- ${kept.replace(/\s+/g, ' ')}`]);
  });

  it('stay with markup kept', () => {
    const text = 'Hi. <think>a</think> <|im_end|> [TOOL_CALLS][{}] ---\na: b\n---\n';
    for (const segments of [readWhole(text, { markup: 'keep' }), readPieces([...text], { markup: 'keep' })])
      expect(segments.map(segmentText).join('')).toBe(text);
  });

  it('are turn prefixes where the caller says so', () => {
    const own = { turnPrefix: '<|user|>', turnPrefix2: '<|assistant|>' };
    expect(spokenOf(readWhole('<|user|>Hello.<|assistant|>Hi.<think>no</think>', own))).toEqual([
      '1 Hello.',
      '2 Hi.',
    ]);
  });
});

describe('front matter', () => {
  it.each([
    ['---\ntitle: Secret\ntags: [a, b]\n---\n\nHello.', 'Hello.'],
    ['---\r\ntitle: Secret\r\n...\r\nHello.', 'Hello.'],
    ['+++\ntitle = "Secret"\n+++\nHello.', 'Hello.'],
    ['\uFEFF---\n# comment\ntitle: Secret\n---\nHello.', 'Hello.'],
    ['---\nSaid: hello\nnot closed', 'Said: hello not closed'],
    ['---\n\nSaid.\n\n---\n', 'Said.'],
    ['One.\n---\ntitle: two\n---\n', 'One. title: two'],
  ])('%j', (text, expected) => {
    expect(spokenOf(readWhole(text))).toEqual([`- ${expected}`]);
    expect(spokenOf(readPieces([...text]))).toEqual([`- ${expected}`]);
  });

  it('is held no longer than 3,000 units of a text that comes', () => {
    const turn = createTurnText({ language: 'english', markup: 'strip', early: 'off' }, () => {});
    turn.append('---\n');
    for (let n = 0; n < 400; n += 1) {
      turn.append('key: value\n');
      expect(turn.heldCharacters()).toBeLessThan(3020);
    }
    expect(turn.heldCharacters()).toBeLessThan(100);
  });

  it('holds no text that cannot begin with it', () => {
    for (const text of [
      'Hello there, '.repeat(60),
      `- ${'Hello there, '.repeat(60)}`,
      `---${'x'.repeat(600)}`,
    ]) {
      const out: string[] = [];
      const sink = { text: (kept: string) => out.push(kept), gap() {}, lineBreak() {} };
      const talk = new ModelTalk({ prefixes: [], front: 'long' }, sink);
      talk.push(text.slice(0, 1), 0);
      talk.push(text.slice(1), 1);
      expect(out.join('')).toBe(text);
    }
  });

  it('is waited for no longer than text keeps coming', () => {
    const lines: string[] = [];
    const turn = createTurnText({ language: 'english', markup: 'strip', early: 'off' }, (segment) =>
      lines.push(segmentText(segment)),
    );
    turn.append('---\nAnn: hello there, you.\n');
    turn.idle('short');
    expect(lines.join('')).toContain('hello there, you.');
  });
});

describe('what is told of a text', () => {
  it('is all of it but what was left out, at its places', () => {
    const how = { markup: 'strip', text: 'coming' } as const;
    const text = '😀 One. <think>two</think> Three.';
    expect(
      toldRuns({ text, speakers: [] }, how)
        .map((run) => run.text)
        .join(''),
    ).toBe('😀 One.  Three.');
    for (const { text: kept, start } of toldRuns({ text, speakers: [] }, how))
      expect(codePoints(text, start, codePointLength(kept))).toBe(kept);
    const speakers = [{ unit: 10, speaker: 2 as const }];
    const told = toldRuns({ text: '<think>one<think>two', speakers }, how);
    expect(told).toEqual([]);
    expect(toldRuns({ text: '<think>onetwo', speakers }, how)).toEqual([{ text: 'two', start: 10 }]);
  });
});
