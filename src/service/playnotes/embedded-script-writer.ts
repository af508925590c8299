// The built-in writer: no account, no network. It works in one go on the thread that calls it: a fifth of a
// second for 30 pages, three seconds for two million characters, which therefore belong in a worker.

import { AppError } from '../../base/app-error.ts';
import type { StyleMisfit } from '../../script/plans/style-fit.ts';
import { type ScriptRefusal, writeScript } from '../../script/write-script.ts';
import type { ScriptWriter } from './script-writer.ts';
import { cutSentences } from './sentence-cutter.ts';

const MISFITS: Readonly<Record<StyleMisfit, string>> = {
  'no-two-sides':
    'There is no debate in this source: too few of its sentences say what speaks for its subject, or what speaks against it.',
  'technical-for-children':
    'This source is no story for children: more than a third of its sentences have technical words, abbreviations or code.',
  'long-for-children':
    'This source is no story for children: most of its sentences are too long for a child, and it does not tell of persons.',
  specification:
    'This source is no podcast: it is technical, and much of it is lists, tables, code and notes that cannot be followed without the page.',
  'reference-work':
    'This source is a work of reference: most of it explains options or terms one by one, which nobody talks about.',
  'no-statements':
    'This source has too few sentences that say something by themselves: nearly all of it is tables, lists or code.',
};

/** What is wrong and what to do, without a word of the source. */
const reasonOf = (refusal: ScriptRefusal): string =>
  refusal.refused === 'too-little-text'
    ? 'The source has too little running text for a script; at least three whole sentences are needed.'
    : `${MISFITS[refusal.refused].replace(/\.$/, '')}; choose another style: ${refusal.suits.join(' or ')}.`;

export function createEmbeddedScriptWriter(): ScriptWriter {
  return {
    async write(document, wish, signal) {
      signal.throwIfAborted();
      const script = writeScript(document, wish, cutSentences);
      if ('refused' in script) throw new AppError('invalid_source', reasonOf(script));
      return script;
    },
  };
}
