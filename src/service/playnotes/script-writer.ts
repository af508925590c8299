// The port for what turns a source into a script: the built-in planners, or a language model behind an HTTP interface.

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
