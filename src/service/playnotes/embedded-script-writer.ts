// The built-in writer: no account, no network. It works in one go on the thread that calls it: a fifth of a
// second for 30 pages, three seconds for two million characters, which therefore belong in a worker.

import { AppError } from '../../base/app-error.ts';
import { writeScript } from '../../script/write-script.ts';
import type { ScriptWriter } from './script-writer.ts';
import { cutSentences } from './sentence-cutter.ts';

export function createEmbeddedScriptWriter(): ScriptWriter {
  return {
    async write(document, wish, signal) {
      signal.throwIfAborted();
      const script = writeScript(document, wish, cutSentences);
      if ('refused' in script)
        throw new AppError(
          'invalid_source',
          'The source has too little running text for a script; at least three whole sentences are needed.',
        );
      return script;
    },
  };
}
