// The port for whoever turns a source into what is spoken: our own planners, or a language model behind an interface.

import type { Script } from '../../script/script.ts';
import type { SourceDocument } from '../../script/source-document.ts';
import type { ScriptWish } from '../../script/write-script.ts';

export type ScriptWriter = {
  /**
   * Rejects with the signal's reason, or with an AppError: `invalid_source` when there is not enough to speak of,
   * `script_failed` when the writer could not do it.
   */
  write(document: SourceDocument, wish: ScriptWish, signal: AbortSignal): Promise<Script>;
};
