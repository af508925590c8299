// Who writes the scripts of PlayNotes: the configured chat service, or our own planners.

import type { Clock } from '../base/clock.ts';
import { createHttpChatWriter } from '../service/playnotes/http-chat-writer.ts';
import type { ScriptWriter } from '../service/playnotes/script-writer.ts';
import { createWorkerScriptWriter } from '../service/playnotes/worker-script-writer.ts';
import { createWorkerSourceDigest } from '../service/playnotes/worker-source-digest.ts';
import type { Config } from '../settings/settings.ts';

export type ScriptWriterOptions = {
  readonly config: Config;
  readonly clock: Clock;
  readonly onStop: (stop: () => Promise<void> | void) => void;
};

/** A long script takes a model minutes. */
const ANSWER_MS = 5 * 60_000;
/** Some 20,000 to 30,000 tokens: what every model of today reads. */
const MOST_SOURCE_WORDS = 12_000;

export function openScriptWriter({ config, clock, onStop }: ScriptWriterOptions): ScriptWriter {
  const { scriptUrl, scriptKey, scriptModel } = config;
  if (scriptUrl === undefined) return createWorkerScriptWriter({ clock });
  const writer = createHttpChatWriter({
    baseUrl: new URL(scriptUrl),
    apiKey: scriptKey,
    model: scriptModel!,
    answerMs: ANSWER_MS,
    mostSourceWords: MOST_SOURCE_WORDS,
    digest: createWorkerSourceDigest({ clock }),
    clock,
  });
  onStop(() => writer.close());
  return writer;
}
