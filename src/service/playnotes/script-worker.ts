// The program of a writing thread: one document in, one script out.

import { parentPort, workerData } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../base/app-error.ts';
import { yieldToPlayback } from '../../base/processes/yield-to-playback.ts';
import type { Script } from '../../script/script.ts';
import type { SourceDocument } from '../../script/source-document.ts';
import type { ScriptWish } from '../../script/write-script.ts';
import { createEmbeddedScriptWriter } from './embedded-script-writer.ts';

export type WritingOrder = { readonly document: SourceDocument; readonly wish: ScriptWish };

export type WritingAnswer =
  | { readonly kind: 'written'; readonly script: Script }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };

yieldToPlayback();
const { document, wish } = workerData as WritingOrder;
const answer = (message: WritingAnswer) => parentPort!.postMessage(message);
try {
  const never = new AbortController().signal; // the thread itself is ended
  answer({ kind: 'written', script: await createEmbeddedScriptWriter().write(document, wish, never) });
} catch (thrown) {
  if (!(thrown instanceof AppError)) throw thrown;
  answer({ kind: 'refused', code: thrown.code, message: thrown.message });
}
