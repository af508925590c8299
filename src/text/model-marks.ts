// The marks that language models put around what is not for the listener: reasoning, tool calls and their results, the turns
// and channels of a chat template. Pure judgements with bounded look-ahead; what a mark does to the text is in model-talk.ts.
// The names are those that chat templates of open models, and the parsers that inference servers have for them, use; of
// `<|…|>` every name is a mark, known or not, for tokenizers write their control tokens so.

import type { Ending } from './sentences/skip.ts';

export type TalkKind = 'thinking' | 'calling' | 'raw';

/**
 * `opens`, `closes`: what stands between is not for the listener. `message`: a header of a chat template, of an answer or of
 * somebody else's words. `ends`: whatever was open is over. `nothing`: the mark itself is all there is. `length` in UTF-16 units.
 */
export type Mark =
  | {
      readonly does: 'opens' | 'closes';
      readonly kind: TalkKind;
      readonly name: string;
      readonly length: number;
    }
  | { readonly does: 'message'; readonly spoken: boolean; readonly length: number }
  | { readonly does: 'ends' | 'nothing' | 'quote'; readonly length: number };

/** No mark is longer, header included: nothing is held for ever. */
export const MAX_MARK = 200;

const THINKING =
  /^(?:(?:longcat_|ant_?|internal_|inner_|chain_of_)?(?:think|thinking|thoughts?|reason|reasoning|monologue|reflection|reflect)(?:_process)?|scratch_?pad|cot|cot_budget_reflect|analysis)$/;
const CALLING =
  /^(?:longcat_)?(?:(?:tool|function)s?_?(?:calls?|uses?|results?|responses?|outputs?|code)(?:_section)?|observation|invoke)$/;
/** They are marks with a name or attribute only: `<function=weather>`. */
const CALLING_WITH_NAME = /^(?:function|parameter)$/;
const RAW = /^(?:script|style)$/;
/** Names that are marks between bars only. */
const BARRED_CALLING = /^(?:action|plugin|python_tag|inner|tools|interpreter)$/;
const ENDING =
  /^(?:end|return|call|im_end|eot|eot_id|eom_id|eos|e?end_?of_?text|endoftext|end_of_(?:turn|turn_token|sentence|message)|message_end)$/;
const OWN_ROLE = /^(?:assistant|model|bot|gpt|chatbot(?:_token)?|im_assistant)$/;
const ROLE =
  /^(?:assistant|model|bot|gpt|chatbot(?:_token)?|user(?:_token)?|human|system(?:_token)?|developer|tool|function|observation|ipython|environment|im_(?:assistant|user|system))$/;
/** They begin the header of a message: a role follows. */
const BEGINS_MESSAGE =
  /^(?:start|begin|im_start|start_header_id|start_of_role|start_of_turn|turn|im_(?:assistant|user|system))$/;

const ROLES = [
  'assistant',
  'model',
  'bot',
  'gpt',
  'user',
  'human',
  'system',
  'developer',
  'tool',
  'function',
  'observation',
  'ipython',
  'environment',
];
/** A role, or in harmony the name of the tool that answers, and to whom the message goes. */
const HEADER = new RegExp(
  `^[ \\t]*(functions\\.[\\w.-]{1,64}|(?:${ROLES.join('|')})(?![\\w.]))((?:[ \\t]+to=[\\w.:-]{1,64})?)[ \\t]*`,
  'i',
);
const MAYBE_HEADER = /^[ \t]*(?:[a-z]{0,11}|functions\.[\w.-]{0,64})(?:[ \t]+(?:t|to|to=[\w.:-]{0,64})?)?$/i;
/** Behind the role. */
const HEADER_ENDS = [
  '\n',
  '<|message|>',
  '<|end_header_id|>',
  '<|end_of_role|>',
  '<|im_middle|>',
  '<|content|>',
];
const CHANNEL_MARK = '<|channel|>';

/** Harmony, the format of gpt-oss: `<|channel|>commentary to=functions.weather <|constrain|>json<|message|>`. */
const CHANNEL =
  /^[ \t]*(analysis|commentary|final|thoughts?|thinking|reasoning)\b((?:[ \t]+to=[\w.:-]{1,64})?)([ \t]*(?:<\|constrain\|>[ \t]*[a-z]{0,16}|(?:json|code)(?=[ \t]*<\|message\|>))?)[ \t]*(<\|message\|>)?/i;
const MAYBE_CHANNEL =
  /^[ \t]*(?:[a-z]{0,10}|(?:analysis|commentary|final|thoughts?|thinking|reasoning)(?:[ \t]+(?:t|to|to=[\w.:-]{0,64})?)?(?:[ \t]*(?:[a-z]{0,4}|<\|constrain\|>[ \t]*[a-z]{0,16}))?[ \t]*(?:<(?:\|(?:[a-z]{0,9}\|?)?)?)?)$/i;

const BARRED = /^<(\/?)[|｜]{1,2}(\/?)([^\s<>|｜]{1,64})[|｜]{1,2}>/;
const MAYBE_BARRED = /^<\/?(?:[|｜]{1,2}[^\s<>|｜]{0,64}[|｜]{0,2})?$/;
/** One bar: `<|tool_call>` opens, `<tool_call|>` closes. */
const HALF_BARRED = /^<(\|?)([a-z_]{1,32})(\|?)>/;
const MAYBE_HALF_BARRED = /^<\|?[a-z_]{0,32}\|?$/;
/** Namespaced too: `<seed:think>`, `<｜DSML｜function_calls>`. */
const TAG =
  /^<(\/?)(?:[|｜]{1,2}[a-z]{2,16}[|｜]{1,2}[ ]?|[a-z][\w.-]{0,31}:)?([a-z_][\w▁-]{0,47})((?:=|\s)[^<>\n]{0,150})?(\/?)>/i;
const MAYBE_TAG =
  /^<\/?(?:[|｜]{1,2}(?:[a-z]{1,16}(?:[|｜]{1,2}[ ]?)?)?)?(?:[a-z][\w.-]{0,31}:)?([a-z_][\w▁.-]{0,47})?((?:=|\s)[^<>\n]{0,150})?\/?$/i;

const IN_BRACKETS: Readonly<Record<string, Mark['does']>> = {
  '[THINK]': 'opens',
  '[/THINK]': 'closes',
  '[TOOL_CALLS]': 'opens',
  '[/TOOL_CALLS]': 'closes',
  '[TOOL_RESULTS]': 'opens',
  '[/TOOL_RESULTS]': 'closes',
  '[AVAILABLE_TOOLS]': 'opens',
  '[/AVAILABLE_TOOLS]': 'closes',
  '[TOOL_CONTENT]': 'nothing',
  '[CALL_ID]': 'nothing',
  '[ARGS]': 'nothing',
  '◁think▷': 'opens',
  '◁/think▷': 'closes',
};
const BRACKETED = Object.keys(IN_BRACKETS);

const plainName = (name: string) => name.toLowerCase().replace(/[▁-]/g, '_');

/** A name without what says that it begins or ends something: `begin_of_thought`, `tool_calls_section_end`. */
function nameAndEdge(name: string): { readonly base: string; readonly edge: 'begin' | 'end' | undefined } {
  const parts = name.split('_');
  const has = (...words: readonly string[]) => words.some((word) => parts.includes(word));
  const edge = has('begin', 'start', 'prefix') ? 'begin' : has('end', 'suffix', 'stop') ? 'end' : undefined;
  if (edge === undefined) return { base: name, edge };
  const base = parts.filter((part) => !/^(?:begin|start|prefix|end|suffix|stop|of)$/.test(part)).join('_');
  return { base, edge };
}

function kindOf(base: string): TalkKind | undefined {
  if (THINKING.test(base)) return 'thinking';
  return CALLING.test(base) ? 'calling' : undefined;
}

/** The channel behind `<|channel|>`, which is not part of `window`. */
function judgeChannel(window: string, length: number, recipient: string, ending: Ending): Mark | 'wait' {
  const grows = length + window.length < MAX_MARK && ending === 'open';
  if (grows && MAYBE_CHANNEL.test(window)) return 'wait';
  const [whole = '', name, to = '', constraint = ''] = CHANNEL.exec(window) ?? [];
  if (name === undefined) return { does: 'nothing', length };
  const isCall = recipient !== '' || to !== '' || constraint.trim() !== '';
  const channel = name.toLowerCase();
  // What is said on the way, to nobody but the user, is a preamble: the format has it shown. An answer may have a form, too.
  const spoken = channel === 'final' || (channel === 'commentary' && !isCall);
  return { does: 'message', spoken, length: length + whole.length };
}

/** The header behind a mark that begins a message. */
function judgeHeader(window: string, mark: number, name: string, ending: Ending): Mark | 'wait' {
  const behind = window.slice(mark);
  const isOpen = window.length < MAX_MARK && ending === 'open';
  if (isOpen && MAYBE_HEADER.test(behind)) return 'wait';
  const [header = '', role, to = ''] = HEADER.exec(behind) ?? [];
  // Some templates name the role in the mark as well.
  const own = ROLE.test(name) ? name : undefined;
  if (role === undefined) return judgeRole(own, mark);
  const rest = behind.slice(header.length);
  if (isOpen && HEADER_ENDS.concat(CHANNEL_MARK).some((end) => end.startsWith(rest))) return 'wait';
  const length = mark + header.length;
  if (rest.startsWith(CHANNEL_MARK)) {
    const recipient = /^assistant$/i.test(role) ? to : role;
    return judgeChannel(rest.slice(CHANNEL_MARK.length), length + CHANNEL_MARK.length, recipient, ending);
  }
  const end = HEADER_ENDS.find((each) => rest.startsWith(each)) ?? '';
  const spoken = OWN_ROLE.test(role.toLowerCase()) && to === '';
  return { does: 'message', spoken, length: length + end.length };
}

const judgeRole = (role: string | undefined, length: number): Mark =>
  role === undefined ? { does: 'ends', length } : { does: 'message', spoken: OWN_ROLE.test(role), length };

function judgeBarred(window: string, ending: Ending): Mark | 'wait' | undefined {
  const barred = BARRED.exec(window);
  if (barred === null) return undefined;
  const [{ length }, slash, inner, written = ''] = barred;
  const name = plainName(written);
  if (name === 'channel') return judgeChannel(window.slice(length), length, '', ending);
  if (BEGINS_MESSAGE.test(name)) return judgeHeader(window, length, name, ending);
  if (ENDING.test(name)) return { does: 'ends', length };
  const isClosing = slash !== '' || inner !== '';
  if (ROLE.test(name)) return isClosing ? { does: 'ends', length } : judgeRole(name, length);
  const { base, edge } = nameAndEdge(name);
  const kind = kindOf(base) ?? (BARRED_CALLING.test(base) ? 'calling' : undefined);
  if (kind !== undefined) {
    const closes = isClosing || edge === 'end';
    return {
      does: closes ? 'closes' : 'opens',
      kind: base === 'inner' ? 'thinking' : kind,
      name: base,
      length,
    };
  }
  return { does: name === '"' ? 'quote' : 'nothing', length };
}

function judgeHalfBarred(window: string, ending: Ending): Mark | 'wait' | undefined {
  const half = HALF_BARRED.exec(window);
  if (half === null) return undefined;
  const [{ length }, before = '', written = '', after = ''] = half;
  if (before === after) return undefined;
  if (written === 'turn')
    return before === '' ? { does: 'ends', length } : judgeHeader(window, length, written, ending);
  const kind = written === 'channel' ? 'thinking' : kindOf(written);
  if (kind !== undefined) return { does: before === '' ? 'closes' : 'opens', kind, name: written, length };
  return /^(?:think|tool|image|audio|video)$/.test(written) ? { does: 'nothing', length } : undefined;
}

function judgeTag(window: string, ending: Ending): Mark | 'wait' | undefined {
  const tag = TAG.exec(window);
  if (tag === null) return undefined;
  const [{ length }, slash, written = '', attributes, empty] = tag;
  const name = plainName(written);
  if (name === 'start_of_turn') return judgeHeader(window, length, name, ending);
  if (name === 'end_of_turn') return { does: 'ends', length };
  const { base, edge } = nameAndEdge(name);
  const isNamed = CALLING_WITH_NAME.test(base) && (slash !== '' || attributes !== undefined);
  const kind = kindOf(base) ?? (RAW.test(base) ? 'raw' : isNamed ? 'calling' : undefined);
  if (kind === undefined) return undefined;
  if (empty === '/' || attributes?.endsWith('/') === true) return { does: 'nothing', length };
  return { does: slash !== '' || edge === 'end' ? 'closes' : 'opens', kind, name: base, length };
}

/** True while what has come may be the beginning of a tag that is a mark. */
function mayBeTag(window: string): boolean {
  const tag = MAYBE_TAG.exec(window);
  if (tag === null) return false;
  const [, written = '', attributes] = tag;
  if (attributes === undefined) return true;
  const { base } = nameAndEdge(plainName(written));
  return kindOf(base) !== undefined || RAW.test(base) || CALLING_WITH_NAME.test(base);
}

/** Judges what begins at `at` with `<`, `[` or `◁`; undefined: it is no mark. */
export function judgeMark(text: string, at: number, ending: Ending): Mark | 'wait' | undefined {
  const window = text.slice(at, at + MAX_MARK);
  if (window[0] !== '<') return judgeBracketed(window, ending);
  const mark = judgeBarred(window, ending) ?? judgeTag(window, ending) ?? judgeHalfBarred(window, ending);
  if (mark !== undefined) return mark;
  if (ending === 'closed' || window.length === MAX_MARK) return undefined;
  const grows = MAYBE_BARRED.test(window) || MAYBE_HALF_BARRED.test(window) || mayBeTag(window);
  return grows ? 'wait' : undefined;
}

function judgeBracketed(window: string, ending: Ending): Mark | 'wait' | undefined {
  const found = BRACKETED.find((mark) => window.startsWith(mark));
  if (found === undefined)
    return ending === 'open' && BRACKETED.some((mark) => mark.startsWith(window)) ? 'wait' : undefined;
  const does = IN_BRACKETS[found]!;
  const { length } = found;
  if (does !== 'opens' && does !== 'closes') return { does: 'nothing', length };
  const name = plainName(found.replace(/[^A-Za-z_]/g, ''));
  return { does, kind: name === 'think' ? 'thinking' : 'calling', name, length };
}

/** Blocks of code that hold what a model calls, by what stands behind their fence. */
export const isTalkFence = (info: string): boolean =>
  kindOf(plainName(info)) !== undefined && !/^(?:analysis|cot)$/i.test(info);
